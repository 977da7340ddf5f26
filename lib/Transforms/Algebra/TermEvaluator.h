//===- TermEvaluator.h - Values of small terms ------------------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Evaluates e-classes on arrays of a few elements, for the verification of
// rules: over f64, and over a prime field, where equality is exact. (The
// reference evaluator runs functions; rules are verified before there is one.)
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_LIB_TRANSFORMS_ALGEBRA_TERMEVALUATOR_H
#define CLEAVE_LIB_TRANSFORMS_ALGEBRA_TERMEVALUATOR_H

#include "Cleave/Transforms/Algebra/AlgebraGraph.h"
#include <functional>

namespace mlir::cleave {

/// Extents by axis id.
using Extents = std::vector<int64_t>;

/// Calls `fn` with each position of `axes`, an index for each axis id.
void forEachPosition(egraph::AxisSet axes, const Extents &extents,
                     function_ref<void(ArrayRef<int64_t>)> fn);
/// Row-major over the ids.
size_t getOffset(egraph::AxisSet axes, const Extents &extents,
                 ArrayRef<int64_t> position);
size_t getSize(egraph::AxisSet axes, const Extents &extents);

/// IEEE arithmetic.
struct RealDomain {
  using Value = double;
  static constexpr bool isExact = false;
  static bool isSupported(OpKind kind);
  static Value constant(double value) { return value; }
  static Value apply(OpKind kind, ArrayRef<Value> operands,
                     DictionaryAttr payload);
  static Value getUnit(OpKind kind);
  static bool isEqual(Value a, Value b);
  static std::string print(Value value);
};

/// Integers modulo 2^61 - 1; rational operations only.
struct FieldDomain {
  /// `defined` is false for what came of a division by zero.
  struct Value {
    uint64_t residue = 0;
    bool defined = true;
  };
  static constexpr bool isExact = true;
  static constexpr uint64_t kPrime = (uint64_t(1) << 61) - 1;
  static bool isSupported(OpKind kind);
  static Value constant(double value);
  static Value apply(OpKind kind, ArrayRef<Value> operands,
                     DictionaryAttr payload);
  static Value getUnit(OpKind) { return {}; }
  static bool isEqual(Value a, Value b) {
    return !a.defined || !b.defined || a.residue == b.residue;
  }
  static std::string print(Value value) {
    return std::to_string(value.residue);
  }
};

template <typename Domain> class TermEvaluator {
public:
  using Value = typename Domain::Value;
  using Values = std::vector<Value>;
  /// The elements of an argument.
  using Arguments = std::function<const Values &(unsigned)>;

  /// Arguments from `firstAlias` on stand for something else in their class.
  TermEvaluator(const AlgebraGraph &graph, const Extents &extents,
                Arguments arguments, unsigned firstAlias)
      : graph(graph), extents(extents), arguments(std::move(arguments)),
        firstAlias(firstAlias) {}

  /// Null where the class has an operation that the domain lacks.
  const Values *evaluate(egraph::ClassId id) {
    id = graph.getGraph().find(id);
    auto it = values.find(id);
    if (it != values.end())
      return &it->second;
    for (const egraph::Node &node : graph.getGraph().getClass(id).nodes) {
      if (isAlias(node))
        continue;
      std::optional<Values> result = evaluateNode(id, node);
      if (!result)
        return nullptr;
      return &values.emplace(id, std::move(*result)).first->second;
    }
    return nullptr;
  }

private:
  int64_t getIndex(const egraph::Node &node) const {
    return cast<IntegerAttr>(graph.getPayload(node).get("index")).getInt();
  }
  bool isAlias(const egraph::Node &node) const {
    return graph.getKind(node) == OpKind::Argument &&
           getIndex(node) >= firstAlias;
  }
  std::optional<Values> evaluateNode(egraph::ClassId id,
                                     const egraph::Node &node);
  Value evaluateAt(const egraph::Node &node, ArrayRef<const Values *> operands,
                   ArrayRef<int64_t> position) const;

  const AlgebraGraph &graph;
  const Extents &extents;
  Arguments arguments;
  unsigned firstAlias;
  std::map<egraph::ClassId, Values> values;
};

template <typename Domain>
typename Domain::Value
TermEvaluator<Domain>::evaluateAt(const egraph::Node &node,
                                  ArrayRef<const Values *> operands,
                                  ArrayRef<int64_t> position) const {
  OpKind kind = graph.getKind(node);
  DictionaryAttr payload = graph.getPayload(node);
  if (kind == OpKind::Constant)
    return Domain::constant(
        cast<FloatAttr>(payload.get("value")).getValueAsDouble());
  if (kind == OpKind::Extent)
    return Domain::constant(
        extents[*graph.lookupAxis(cast<StringAttr>(payload.get("axis")))]);
  SmallVector<Value> scalars;
  for (auto [child, operand] : llvm::zip_equal(node.children, operands))
    scalars.push_back((*operand)[getOffset(
        graph.getGraph().getFacts(child).axes, extents, position)]);
  switch (kind) {
  case OpKind::ReduceSum:
  case OpKind::ReduceMax:
    return scalars[0];
  case OpKind::Contract:
    return Domain::apply(OpKind::Mul, scalars, payload);
  default:
    return Domain::apply(kind, scalars, payload);
  }
}

template <typename Domain>
std::optional<typename TermEvaluator<Domain>::Values>
TermEvaluator<Domain>::evaluateNode(egraph::ClassId id,
                                    const egraph::Node &node) {
  OpKind kind = graph.getKind(node);
  if (kind == OpKind::Argument)
    return arguments(getIndex(node));
  if (!Domain::isSupported(kind))
    return std::nullopt;
  SmallVector<const Values *> operands;
  egraph::AxisSet full;
  for (egraph::ClassId child : node.children) {
    operands.push_back(evaluate(child));
    if (!operands.back())
      return std::nullopt;
    full |= graph.getGraph().getFacts(child).axes;
  }
  egraph::AxisSet axes = graph.getGraph().getFacts(id).axes;
  Values result(getSize(axes, extents), Domain::getUnit(kind));
  bool isReduction = kind == OpKind::ReduceSum || kind == OpKind::ReduceMax ||
                     kind == OpKind::Contract;
  OpKind combine = kind == OpKind::ReduceMax ? OpKind::Max : OpKind::Add;
  forEachPosition(
      isReduction ? full : axes, extents, [&](ArrayRef<int64_t> position) {
        Value value = evaluateAt(node, operands, position);
        Value &slot = result[getOffset(axes, extents, position)];
        slot = isReduction
                   ? Domain::apply(combine, {slot, value}, DictionaryAttr())
                   : value;
      });
  return result;
}

} // namespace mlir::cleave

#endif // CLEAVE_LIB_TRANSFORMS_ALGEBRA_TERMEVALUATOR_H
