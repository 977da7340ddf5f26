//===- Export.cpp - From a selection to operations ------------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cleave/Transforms/Algebra/Extraction.h"
#include "Cleave/Transforms/EGraph/Proof.h"
#include "mlir/IR/Builders.h"

#include <set>

using namespace mlir;
using namespace mlir::cleave;
using namespace mlir::cleave::egraph;

Selection mlir::cleave::getInputSelection(const AlgebraGraph &graph,
                                          ArrayRef<ClassId> roots) {
  Selection selection;
  const EGraph &g = graph.getGraph();
  SmallVector<ClassId> stack(roots);
  while (!stack.empty()) {
    ClassId id = g.find(stack.pop_back_val());
    if (selection.count(id))
      continue;
    for (auto [index, node] : llvm::enumerate(g.getClass(id).nodes)) {
      if (node.origin != kInput || llvm::is_contained(node.children, id))
        continue;
      selection[id] = index;
      llvm::append_range(stack, node.children);
      break;
    }
  }
  return selection;
}

namespace {

/// Orders the operands of multisets: arguments by number, what is computed by
/// the first argument in it, constants last.
struct OperandKey {
  bool isConstant = false;
  unsigned argument = ~0u;
  bool isComputed = true;
  uint64_t hash = 0;

  bool operator<(const OperandKey &other) const {
    return std::tie(isConstant, argument, isComputed, hash) <
           std::tie(other.isConstant, other.argument, other.isComputed,
                    other.hash);
  }
};

class Exporter {
public:
  Exporter(const AlgebraGraph &graph, OpBuilder &builder, Location location,
           ValueRange arguments)
      : graph(graph), builder(builder), location(location),
        arguments(arguments) {}

  /// Children come before what uses them.
  void addNode(ClassId id, Node node) {
    nodes[id] = std::move(node);
    keys[id] = computeKey(id);
  }
  Value build(ClassId id);

private:
  const Node &getNode(ClassId id) const { return nodes.at(id); }
  bool isMinusOne(ClassId id) const {
    const Facts &facts = graph.getGraph().getFacts(id);
    return facts.constant == -1.0 && facts.axes.empty() &&
           graph.getKind(getNode(id)) == OpKind::Constant;
  }
  OperandKey computeKey(ClassId id) const;
  SmallVector<ClassId, 4> getOperands(const Node &node) const;
  Value buildNode(ClassId id);
  Value buildNegated(const Node &product);
  const Node *getNegated(ClassId id) const;
  Value create(StringRef name, ValueRange operands, DictionaryAttr payload);
  Type inferType(StringRef name, ValueRange operands, DictionaryAttr payload);
  SmallVector<Value> buildAll(ArrayRef<ClassId> ids) {
    SmallVector<Value> result;
    for (ClassId id : ids)
      result.push_back(build(id));
    return result;
  }

  const AlgebraGraph &graph;
  OpBuilder &builder;
  Location location;
  ValueRange arguments;
  std::map<ClassId, Node> nodes;
  /// The class that operations are made for.
  ClassId current = 0;
  std::map<ClassId, OperandKey> keys;
  std::map<ClassId, Value> values;
};

} // namespace

OperandKey Exporter::computeKey(ClassId id) const {
  const Node &node = getNode(id);
  OperandKey key;
  key.isConstant = graph.getKind(node) == OpKind::Constant;
  if (graph.getKind(node) == OpKind::Argument) {
    key.argument =
        cast<IntegerAttr>(graph.getPayload(node).get("index")).getInt();
    key.isComputed = false;
  }
  SmallVector<uint64_t, 4> hashes;
  for (ClassId child : node.children) {
    const OperandKey &below = keys.at(child);
    key.argument = std::min(key.argument, below.argument);
    hashes.push_back(below.hash);
  }
  if (graph.getGraph().isUnordered(node.symbol))
    llvm::sort(hashes);
  key.hash = hashNode(graph, node);
  for (uint64_t hash : hashes)
    key.hash = mixHash(key.hash, hash);
  return key;
}

SmallVector<ClassId, 4> Exporter::getOperands(const Node &node) const {
  SmallVector<ClassId, 4> operands = node.children;
  if (graph.getGraph().isUnordered(node.symbol))
    llvm::stable_sort(operands, [&](ClassId a, ClassId b) {
      return keys.at(a) < keys.at(b);
    });
  return operands;
}

/// The type as the operation's own inference gives it.
Type Exporter::inferType(StringRef name, ValueRange operands,
                         DictionaryAttr payload) {
  MLIRContext *context = builder.getContext();
  if (auto type = payload.getAs<TypeAttr>("result_type"))
    return type.getValue();
  // These change axes.
  if (name == "cleave.slice" || name == "cleave.concat" ||
      name == "cleave.gather" || name == "cleave.insert")
    return graph.getType(current);
  SmallVector<Type> types(operands.getTypes());
  Type element = getArithmeticType(context, types);
  if (name == "cleave.cmp" || name == "cleave.is_finite")
    element = builder.getI1Type();
  if (name == "cleave.select")
    element = getArithmeticType(context, TypeRange(types).drop_front());
  RankedTensorType type = getUnionType(context, types, element);
  if (auto axes = payload.getAs<AxesAttr>("axes"); axes && type)
    return dropAxes(type, axes, element);
  return type;
}

Value Exporter::create(StringRef name, ValueRange operands,
                       DictionaryAttr payload) {
  if (name == "cleave.rename")
    return RenameOp::create(builder, location, operands[0],
                            cast<AxesAttr>(payload.get("from")),
                            cast<AxesAttr>(payload.get("to")));
  OperationState state(location, name);
  state.addOperands(operands);
  for (NamedAttribute attribute : payload) {
    bool isMark =
        name == "cleave.reduce_sum" && attribute.getName() == "operand_type";
    if (attribute.getName() != "result_type" && !isMark)
      state.addAttribute(attribute.getName(), attribute.getValue());
  }
  state.addTypes(inferType(name, operands, payload));
  return builder.create(state)->getResult(0);
}

/// The node if it is a product with -1, or null.
const Node *Exporter::getNegated(ClassId id) const {
  const Node &node = getNode(id);
  if (graph.getKind(node) != OpKind::Mul || node.children.size() < 2)
    return nullptr;
  return llvm::any_of(node.children, [&](ClassId id) { return isMinusOne(id); })
             ? &node
             : nullptr;
}

/// A product without its factor -1.
Value Exporter::buildNegated(const Node &product) {
  SmallVector<ClassId, 4> factors = getOperands(product);
  auto minus =
      llvm::find_if(factors, [&](ClassId id) { return isMinusOne(id); });
  factors.erase(minus);
  if (factors.size() == 1)
    return build(factors[0]);
  return create("cleave.mul", buildAll(factors),
                DictionaryAttr::get(builder.getContext()));
}

Value Exporter::buildNode(ClassId id) {
  const Node &node = getNode(id);
  DictionaryAttr payload = graph.getPayload(node);
  DictionaryAttr none = DictionaryAttr::get(builder.getContext());
  if (graph.getKind(node) == OpKind::Argument)
    return arguments[cast<IntegerAttr>(payload.get("index")).getInt()];
  if (const Node *negated = getNegated(id))
    return create("cleave.neg", buildNegated(*negated), none);
  SmallVector<ClassId, 4> operands = getOperands(node);
  if (graph.getKind(node) == OpKind::Add && operands.size() == 2)
    for (unsigned i : {1, 0})
      if (const Node *negated = getNegated(operands[i])) {
        Value minuend = build(operands[1 - i]);
        return create("cleave.sub", {minuend, buildNegated(*negated)}, none);
      }
  SmallVector<Value> built = buildAll(operands);
  current = id;
  return create(graph.getGraph().getName(node.symbol), built, payload);
}

Value Exporter::build(ClassId id) {
  auto it = values.find(id);
  if (it == values.end())
    it = values.emplace(id, buildNode(id)).first;
  return it->second;
}

std::optional<SmallVector<Value>>
mlir::cleave::exportSelection(const AlgebraGraph &graph,
                              ArrayRef<ClassId> roots,
                              const Selection &selection, OpBuilder &builder,
                              Location location, ValueRange arguments) {
  auto order = sortSelection(graph.getGraph(), roots, selection);
  if (!order)
    return std::nullopt;
  const EGraph &g = graph.getGraph();
  Exporter exporter(graph, builder, location, arguments);
  for (ClassId id : *order) {
    Node node = g.getClass(id).nodes[selection.at(id)];
    for (ClassId &child : node.children)
      child = g.find(child);
    exporter.addNode(id, std::move(node));
  }
  SmallVector<Value> results;
  for (ClassId root : roots)
    results.push_back(exporter.build(g.find(root)));
  return results;
}

SmallVector<Value> mlir::cleave::exportTerms(const AlgebraGraph &graph,
                                             ArrayRef<ClassId> roots,
                                             OpBuilder &builder,
                                             Location location,
                                             ValueRange arguments) {
  const ProofLog &proofs = *graph.getGraph().getProofs();
  // A term is made after its children.
  std::set<ClassId> needed(roots.begin(), roots.end());
  for (auto it = needed.rbegin(); it != needed.rend(); ++it)
    needed.insert(proofs.getTerm(*it).children.begin(),
                  proofs.getTerm(*it).children.end());
  Exporter exporter(graph, builder, location, arguments);
  for (ClassId id : needed)
    exporter.addNode(id, proofs.getTerm(id));
  SmallVector<Value> results;
  for (ClassId root : roots)
    results.push_back(exporter.build(root));
  return results;
}
