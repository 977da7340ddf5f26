//===- Problem.cpp - What the scheduler knows of a graph ------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Hash-consing, so that what two reductions share is computed once.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Transforms/Schedule/Problem.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/ErrorHandling.h"
#include <algorithm>
#include <cstring>
#include <iterator>
#include <limits>

using namespace mlir::cleave;
using namespace mlir::cleave::schedule;

unsigned schedule::getBits(Element element) {
  switch (element) {
  case Element::I1:
  case Element::I8:
    return 8;
  case Element::I16:
  case Element::F16:
  case Element::BF16:
    return 16;
  case Element::I32:
  case Element::F32:
    return 32;
  case Element::I64:
  case Element::F64:
    return 64;
  }
  llvm_unreachable("unknown element");
}

bool schedule::isFloat(Element element) { return element >= Element::F16; }

llvm::StringRef schedule::getName(Element element) {
  static const char *const names[] = {"i1",  "i8",   "i16", "i32", "i64",
                                      "f16", "bf16", "f32", "f64"};
  return names[static_cast<unsigned>(element)];
}

llvm::StringRef schedule::getName(Pointwise op) {
  static const char *const names[] = {
      "add",     "mul",       "max",    "min",    "sub",    "div",
      "pow",     "neg",       "recip",  "recip0", "abs",    "exp",
      "exp2",    "log",       "tanh",   "erf",    "sqrt",   "rsqrt",
      "sigmoid", "is_finite", "cmp_eq", "cmp_ne", "cmp_lt", "cmp_le",
      "cmp_gt",  "cmp_ge",    "select", "iota",   "cast"};
  return names[static_cast<unsigned>(op)];
}

llvm::StringRef schedule::getName(Combiner combiner) {
  static const char *const names[] = {"sum", "max", "min", "prod"};
  return names[static_cast<unsigned>(combiner)];
}

double schedule::getUnit(Combiner combiner) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  static const double units[] = {0, -infinity, infinity, 1};
  return units[static_cast<unsigned>(combiner)];
}

bool schedule::contains(llvm::ArrayRef<AxisId> axes, AxisId axis) {
  return llvm::is_contained(axes, axis);
}

AxisSet schedule::unite(llvm::ArrayRef<AxisId> a, llvm::ArrayRef<AxisId> b) {
  AxisSet result;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(),
                 std::back_inserter(result));
  return result;
}

AxisSet schedule::subtract(llvm::ArrayRef<AxisId> a, llvm::ArrayRef<AxisId> b) {
  AxisSet result;
  for (AxisId axis : a)
    if (!contains(b, axis))
      result.push_back(axis);
  return result;
}

AxisId Problem::addAxis(llvm::StringRef name, int64_t extent,
                        int64_t representative) {
  axes.push_back({name.str(), extent, representative});
  return axes.size() - 1;
}

int Problem::findAxis(llvm::StringRef name) const {
  for (auto [id, axis] : llvm::enumerate(axes))
    if (axis.name == name)
      return id;
  return -1;
}

/// All fields, lengths before lists, with another number of an argument.
static std::vector<int64_t> makeKey(const Node &node, unsigned argument) {
  int64_t value;
  static_assert(sizeof(value) == sizeof(node.value));
  std::memcpy(&value, &node.value, sizeof(value));
  std::vector<int64_t> key{static_cast<int64_t>(node.kind),
                           static_cast<int64_t>(node.element),
                           static_cast<int64_t>(node.op),
                           static_cast<int64_t>(node.combiner),
                           value,
                           argument,
                           node.fold,
                           node.state};
  for (llvm::ArrayRef<unsigned> list :
       {llvm::ArrayRef<unsigned>(node.axes),
        llvm::ArrayRef<unsigned>(node.operands),
        llvm::ArrayRef<unsigned>(node.reduced),
        llvm::ArrayRef<unsigned>(node.storage)}) {
    key.push_back(list.size());
    key.insert(key.end(), list.begin(), list.end());
  }
  for (const Cut &cut : node.cuts)
    key.insert(key.end(),
               {cut.offset, cut.stride, cut.outer, cut.kept, cut.whole});
  return key;
}

NodeId Problem::add(Node node) {
  auto [it, inserted] =
      known.try_emplace(makeKey(node, node.argument), nodes.size());
  if (!inserted)
    return it->second;
  std::vector<NodeId> leaves;
  if (node.kind == NodeKind::FoldRef || node.kind == NodeKind::FoldOld)
    leaves.push_back(nodes.size());
  for (NodeId operand : node.operands)
    leaves.insert(leaves.end(), foldLeaves[operand].begin(),
                  foldLeaves[operand].end());
  llvm::sort(leaves);
  leaves.erase(std::unique(leaves.begin(), leaves.end()), leaves.end());
  foldLeaves.push_back(std::move(leaves));
  bool known =
      node.kind == NodeKind::Constant || node.kind == NodeKind::Extent ||
      (node.kind == NodeKind::Pointwise &&
       llvm::all_of(node.operands, [&](NodeId id) { return isScalar(id); }));
  scalars.push_back(known && node.axes.empty());
  nodes.push_back(std::move(node));
  return nodes.size() - 1;
}

NodeId Problem::addArgument(unsigned number, Element element,
                            llvm::ArrayRef<AxisId> storage,
                            llvm::ArrayRef<Cut> cuts, Dimensions dims) {
  Node node;
  node.kind = NodeKind::Argument;
  node.element = element;
  node.argument = number;
  node.storage.assign(storage.begin(), storage.end());
  node.dims = std::move(dims);
  if (llvm::any_of(cuts,
                   [](const Cut &cut) { return !cut.whole || !cut.kept; }))
    node.cuts.assign(cuts.begin(), cuts.end());
  node.axes.assign(storage.begin(), storage.end());
  for (const Cut &cut : cuts)
    if (cut.stride && !contains(node.axes, cut.outer))
      node.axes.push_back(cut.outer);
  llvm::sort(node.axes);
  return add(std::move(node));
}

NodeId Problem::addConstant(double value, Element element) {
  Node node;
  node.element = element;
  node.value = value;
  return add(std::move(node));
}

NodeId Problem::addPointwise(Pointwise op, llvm::ArrayRef<NodeId> operands,
                             Element element) {
  Node node;
  node.kind = NodeKind::Pointwise;
  node.op = op;
  node.element = element;
  node.operands.assign(operands.begin(), operands.end());
  for (NodeId operand : operands)
    node.axes = unite(node.axes, nodes[operand].axes);
  return add(std::move(node));
}

NodeId Problem::addReduce(Combiner combiner, NodeId operand, AxisSet reduced,
                          Element element) {
  Node node;
  node.kind = NodeKind::Reduce;
  node.combiner = combiner;
  node.element = element;
  node.operands = {operand};
  node.axes = subtract(nodes[operand].axes, reduced);
  node.reduced = std::move(reduced);
  return add(std::move(node));
}

NodeId Problem::addContract(NodeId lhs, NodeId rhs, AxisSet reduced,
                            Element element) {
  Node node;
  node.kind = NodeKind::Contract;
  node.element = element;
  node.operands = {lhs, rhs};
  node.axes = subtract(unite(nodes[lhs].axes, nodes[rhs].axes), reduced);
  node.reduced = std::move(reduced);
  return add(std::move(node));
}

NodeId Problem::addCast(NodeId node, Element element) {
  if (nodes[node].element == element)
    return node;
  return addPointwise(Pointwise::Cast, {node}, element);
}

llvm::SmallVector<NodeId, 4> Problem::getDependencies(NodeId id) const {
  const Node &node = nodes[id];
  llvm::SmallVector<NodeId, 4> result(node.operands.begin(),
                                      node.operands.end());
  if (node.kind != NodeKind::FoldState)
    return result;
  for (const FoldState &state : folds[node.fold].states)
    result.append(state.body.begin(), state.body.end());
  return result;
}

const AxisSet &Problem::getReducedAxes(NodeId id) const {
  static const AxisSet none;
  const Node &node = nodes[id];
  if (node.kind == NodeKind::FoldState)
    return folds[node.fold].axes;
  return node.isReduction() ? node.reduced : none;
}

std::vector<unsigned> Problem::countUses() const {
  std::vector<unsigned> uses(nodes.size());
  for (const Node &node : nodes)
    for (NodeId operand : node.operands)
      ++uses[operand];
  for (const Fold &fold : folds)
    for (const FoldState &state : fold.states) {
      for (NodeId body : state.body)
        ++uses[body];
      ++uses[state.rebased];
    }
  for (const Result &result : results)
    ++uses[result.node];
  return uses;
}

namespace {
/// Writes a graph down as numbers.
struct KeyWriter {
  std::vector<int64_t> key;

  void add(int64_t number) { key.push_back(number); }
  template <typename List> void addList(const List &list) {
    add(list.size());
    key.insert(key.end(), list.begin(), list.end());
  }
  void add(const Axis &axis, Problem::KeyExtents extents) {
    add(extents != Problem::KeyExtents::None ? axis.extent : 0);
    add(extents == Problem::KeyExtents::All ? axis.representative : 0);
    add(axis.unit);
    add(axis.clipped);
    add(axis.part ? axis.part->whole : -1);
    add(axis.part ? axis.part->outer : -1);
    addList(axis.factors);
  }
  void add(const Fold &fold) {
    addList(fold.axes);
    add(fold.states.size());
    for (const FoldState &state : fold.states) {
      addList(state.body);
      addList(llvm::ArrayRef<NodeId>{state.rebased, state.ref, state.old,
                                     state.result});
      add(state.contraction);
      add(int64_t(state.combiner));
    }
  }
  void add(const Result &result) {
    add(result.node);
    addList(result.storage);
    for (const Cut &cut : result.cuts)
      addList(llvm::ArrayRef<int64_t>{cut.offset, cut.stride, cut.outer,
                                      cut.kept, cut.whole});
    add(result.place.has_value());
    add(result.place ? result.place->axis : 0);
  }
};
} // namespace

std::vector<int64_t> Problem::getKey(unsigned arguments,
                                     KeyExtents extents) const {
  KeyWriter writer;
  // Axes that do not occur may be any.
  std::vector<bool> occurs(axes.size());
  std::map<unsigned, unsigned> stored;
  for (const Node &node : nodes) {
    for (AxisId axis : node.axes)
      occurs[axis] = true;
    for (AxisId axis : node.reduced)
      occurs[axis] = true;
    unsigned argument = node.argument;
    if (node.kind == NodeKind::Argument && argument >= arguments)
      argument =
          arguments + stored.try_emplace(argument, stored.size()).first->second;
    writer.addList(makeKey(node, argument));
  }
  for (const Fold &fold : folds)
    writer.add(fold);
  for (const Result &result : results)
    writer.add(result);
  for (auto [id, axis] : llvm::enumerate(axes))
    if (occurs[id]) {
      writer.add(id);
      writer.add(axis, extents);
    }
  return std::move(writer.key);
}
