//===- AlgebraCost.cpp - Costs and the safety filter ----------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cleave/Transforms/Algebra/Extraction.h"
#include "ProductInterval.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::cleave;
using namespace mlir::cleave::egraph;

/// Work per element, in units of a multiplication. A tensor core does 16 of
/// them at a time.
static constexpr double kSpecial = 8, kTensorCore = 2.0 / 16, kFused = 2;
/// Work that can be done while a byte is read, and bytes that can be read while
/// a sweep waits for another, in a microsecond.
static constexpr double kWorkPerByte = 7, kBytesPerSweep = 4.8e6;

//===----------------------------------------------------------------------===//
// Identity
//===----------------------------------------------------------------------===//

static uint64_t hashText(StringRef text) {
  uint64_t hash = 0xcbf29ce484222325ull;
  for (unsigned char c : text)
    hash = (hash ^ c) * 0x100000001b3ull;
  return hash;
}

static uint64_t hashAxes(const AlgebraGraph &graph, Attribute axes) {
  return graph.getAxisSet(axes).value_or(AxisSet()).getBits();
}

static uint64_t hashAttribute(const AlgebraGraph &graph, StringRef name,
                              Attribute attribute) {
  if (auto axes = dyn_cast<AxesAttr>(attribute)) {
    // Views list axes in order, reductions have sets.
    uint64_t hash = 0;
    for (StringAttr axis : axes.getNames())
      hash = name == "axes" ? hashAxes(graph, axes)
                            : mixHash(hash, graph.lookupAxis(axis).value_or(0));
    return hash;
  }
  if (auto list = dyn_cast<ArrayAttr>(attribute)) {
    uint64_t hash = 0;
    for (Attribute element : list)
      hash = mixHash(hash, hashAttribute(graph, name, element));
    return hash;
  }
  if (auto text = dyn_cast<StringAttr>(attribute))
    if (std::optional<unsigned> axis = graph.lookupAxis(text))
      return *axis;
  if (auto type = dyn_cast<TypeAttr>(attribute))
    if (auto tensor = dyn_cast<RankedTensorType>(type.getValue())) {
      std::string element;
      llvm::raw_string_ostream(element) << tensor.getElementType();
      return mixHash(hashAxes(graph, getAxes(tensor)), hashText(element));
    }
  std::string text;
  llvm::raw_string_ostream(text) << attribute;
  return hashText(text);
}

uint64_t mlir::cleave::hashNode(const AlgebraGraph &graph, const Node &node) {
  uint64_t hash = hashText(graph.getGraph().getName(node.symbol));
  for (NamedAttribute attribute : graph.getPayload(node)) {
    hash = mixHash(hash, hashText(attribute.getName()));
    hash = mixHash(
        hash, hashAttribute(graph, attribute.getName(), attribute.getValue()));
  }
  return hash;
}

//===----------------------------------------------------------------------===//
// Safety
//===----------------------------------------------------------------------===//

static double getLargest(Type type) {
  return APFloat::getLargest(cast<FloatType>(type).getFloatSemantics())
      .convertToDouble();
}

/// Whether a contraction of the input rounds the value to the type.
static bool isRoundedInInput(const AlgebraGraph &graph, ClassId id, Type type) {
  return llvm::any_of(graph.getGraph().getClass(id).parents,
                      [&](const auto &parent) {
                        const Node &node = parent.first;
                        return graph.getKind(node) == OpKind::Contract &&
                               node.origin == kInput &&
                               graph.getPayload(node).get("operand_type") ==
                                   TypeAttr::get(type);
                      });
}

/// Whether rounding to the type cannot overflow, or not more than in the input.
/// NaN stays NaN.
static bool isSafeOperand(const AlgebraGraph &graph, ClassId id, Type type) {
  const Facts &facts = graph.getGraph().getFacts(id);
  if (graph.getElementType(id) == type ||
      facts.magnitude() <= getLargest(type) ||
      isRoundedInInput(graph, id, type))
    return true;
  // A concatenation, and the widening in front of it, only moves values.
  for (const Node &node : graph.getGraph().getClass(id).nodes)
    if (graph.getKind(node) == OpKind::Concat ||
        (graph.getKind(node) == OpKind::Mul && node.children.size() == 1))
      return llvm::all_of(node.children, [&](ClassId child) {
        return child != id && isSafeOperand(graph, child, type);
      });
  return false;
}

/// Rounding an operand that has the type already changes nothing.
static std::optional<Refusal> checkOperands(const AlgebraGraph &graph,
                                            const Node &contract) {
  Type type =
      cast<TypeAttr>(graph.getPayload(contract).get("operand_type")).getValue();
  for (ClassId operand : contract.children) {
    const Facts &facts = graph.getGraph().getFacts(operand);
    if (isSafeOperand(graph, operand, type))
      continue;
    std::string text;
    llvm::raw_string_ostream os(text);
    os << "an operand of magnitude up to ";
    os << llvm::format("%.3g", facts.magnitude()) << " would be rounded to "
       << type;
    return Refusal{text, operand};
  }
  return std::nullopt;
}

/// Whether the value or a partial product is infinite for some arguments. NaN
/// without an infinity comes from an operand, and rules keep it.
static bool mayOverflow(const AlgebraGraph &graph, const Facts &facts,
                        const Node &node) {
  bool isProduct = graph.getKind(node) == OpKind::Mul;
  return !facts.finite &&
         (!(facts.magnitude() <= kLargest) ||
          (isProduct && !isPartFinite(graph.getGraph(), node)));
}

std::optional<Refusal> AlgebraCostModel::getRefusal(ClassId id,
                                                    const Node &node) const {
  if (node.origin == kInput)
    return std::nullopt;
  if (graph.getKind(node) == OpKind::Contract)
    if (auto refusal = checkOperands(graph, node))
      return refusal;
  const EClass &eclass = graph.getGraph().getClass(id);
  bool isNew = llvm::none_of(
      eclass.nodes, [](const Node &other) { return other.origin == kInput; });
  if (isNew && mayOverflow(graph, eclass.facts, node))
    return Refusal{"an intermediate value that the input does not have may "
                   "not be finite",
                   id};
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Cost
//===----------------------------------------------------------------------===//

double AlgebraCostModel::getWork(ClassId id, const Node &node) const {
  const EGraph &g = graph.getGraph();
  AxisSet axes = g.getFacts(id).axes;
  for (ClassId child : node.children)
    axes |= g.getFacts(child).axes;
  double size = graph.getRepresentativeCount(axes);
  switch (graph.getKind(node)) {
  case OpKind::Add:
  case OpKind::Mul:
  case OpKind::Max:
  case OpKind::Min:
    return size * (node.children.size() - 1);
  case OpKind::Contract: {
    Type type =
        cast<TypeAttr>(graph.getPayload(node).get("operand_type")).getValue();
    return size * (type.getIntOrFloatBitWidth() == 16 ? kTensorCore : kFused);
  }
  case OpKind::ReduceSum:
  case OpKind::ReduceMax:
  case OpKind::ReduceMin:
  case OpKind::ReduceProd:
  case OpKind::Select:
  case OpKind::Cmp:
  case OpKind::IsFinite:
  case OpKind::Abs:
  case OpKind::Concat:
    return size;
  case OpKind::Gather:
    // A computed table has to be written as a whole before any position of it
    // can be asked for.
    return graph.findNode(node.children[0], OpKind::Argument)
               ? 0
               : 8 * kWorkPerByte *
                     graph.getRepresentativeCount(
                         g.getFacts(node.children[0]).axes);
  case OpKind::Div:
  case OpKind::Pow:
  case OpKind::Recip:
  case OpKind::Recip0:
  case OpKind::Exp:
  case OpKind::Exp2:
  case OpKind::Log:
  case OpKind::Tanh:
  case OpKind::Erf:
  case OpKind::Sqrt:
  case OpKind::Rsqrt:
  case OpKind::Sigmoid:
    return size * kSpecial;
  default:
    return 0;
  }
}

/// A sum that only stands between two contractions: as it is, it would do the
/// work of one without tensor cores. Where the contraction is refused, so is
/// this.
static bool isLostContraction(const AlgebraGraph &graph, ClassId id,
                              const Node &node) {
  return graph.getKind(node) == OpKind::ReduceSum && node.origin != kInput &&
         graph.findNode(id, OpKind::Contract);
}

std::optional<NodeCost> AlgebraCostModel::getCost(const EGraph &, ClassId id,
                                                  const Node &node) {
  if (graph.getNumerics() == Numerics::Strict && getRefusal(id, node))
    return std::nullopt;
  if (isLostContraction(graph, id, node))
    return std::nullopt;
  NodeCost cost;
  cost.identity = hashNode(graph, node);
  cost.work = {getWork(id, node), 1};
  switch (graph.getKind(node)) {
  case OpKind::Argument: {
    cost.storage =
        cast<IntegerAttr>(graph.getPayload(node).get("index")).getInt();
    double bits = graph.getElementType(id).getIntOrFloatBitWidth();
    cost.storageAxes = graph.getGraph().getFacts(id).axes;
    cost.bytes =
        bits / 8 *
        graph.getRepresentativeCount(graph.getGraph().getFacts(id).axes);
    break;
  }
  case OpKind::ReduceSum:
  case OpKind::Contract:
    cost.kind = 1;
    break;
  case OpKind::ReduceMax:
    cost.kind = 2;
    break;
  case OpKind::ReduceMin:
    cost.kind = 3;
    break;
  case OpKind::ReduceProd:
    cost.kind = 4;
    break;
  default:
    break;
  }
  AxisSet axes = graph.getGraph().getFacts(id).axes, below;
  for (ClassId child : node.children)
    below |= graph.getGraph().getFacts(child).axes;
  if (isReduction(graph.getKind(node)))
    cost.sweeps = *graph.getAxisSet(graph.getPayload(node).get("axes"));
  else if (below != axes)
    cost.renamed.push_back({below - axes, axes - below});
  return cost;
}

/// Time, in bytes.
double AlgebraCostModel::weigh(const Cost &cost) const {
  return cost[0] * kBytesPerSweep + cost[1] + cost[2] / kWorkPerByte;
}
