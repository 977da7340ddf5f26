//===- TermEvaluator.h - Values of small terms ------------------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Evaluates e-classes on arrays of a few elements, for the verification of
// rules: over f64; over a prime field, where equality is exact; and over f32
// with a bound of the error, which shows what overflows and cancels. (The
// reference evaluator runs functions; rules are verified before there is one.)
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_LIB_TRANSFORMS_ALGEBRA_TERMEVALUATOR_H
#define CLEAVE_LIB_TRANSFORMS_ALGEBRA_TERMEVALUATOR_H

#include "Cleave/Transforms/Algebra/AlgebraGraph.h"
#include <functional>
#include <limits>
#include <map>

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

/// What puts two partial results of a reduction together.
OpKind getCombiner(OpKind reduction);

/// IEEE arithmetic.
struct RealDomain {
  using Value = double;
  static constexpr bool isExact = false;
  static bool isSupported(OpKind kind);
  static bool isUninterpreted(OpKind) { return false; }
  static Value constant(double value) { return value; }
  static Value apply(OpKind kind, ArrayRef<Value> operands,
                     DictionaryAttr payload);
  static Value getUnit(OpKind kind);
  static double toReal(Value value) { return value; }
  static bool isEqual(Value a, Value b);
  static std::string print(Value value);
};

/// Integers modulo a prime p = 2q + 1. Rational numbers are held modulo q too:
/// exp is the power of an element of order q, so that it turns sums into
/// products. Maxima and minima are uninterpreted.
struct FieldDomain {
  struct Value {
    uint64_t residue = 0;
    /// Modulo q; of what comes from exp there is none.
    std::optional<uint64_t> exponent = 0;
    /// False for what came of a division by zero.
    bool defined = true;
  };
  static constexpr bool isExact = true;
  static constexpr uint64_t kOrder = 1152921504606845789;
  static constexpr uint64_t kPrime = 2 * kOrder + 1;
  static bool isSupported(OpKind kind);
  /// Values that differ prove nothing where such an operation is involved.
  static bool isUninterpreted(OpKind kind);
  static Value constant(double value);
  static Value apply(OpKind kind, ArrayRef<Value> operands,
                     DictionaryAttr payload);
  static Value getUnit(OpKind kind);
  static double toReal(Value value) { return value.residue; }
  static bool isEqual(Value a, Value b) {
    return !a.defined || !b.defined || a.residue == b.residue;
  }
  static std::string print(Value value) {
    return std::to_string(value.residue);
  }
};

/// f32 as devices have it, denormal numbers flushed to 0, with a bound of the
/// rounding error to first order. Arguments are exact.
struct FloatDomain {
  struct Value {
    double value = 0;
    double error = 0;
    /// Some product on the way was flushed to 0.
    bool underflow = false;
    /// Something on the way became infinite.
    bool overflow = false;
    /// A function did, not a sum or product that was rounded.
    bool pole = false;
  };
  static constexpr bool isExact = false;
  static bool isSupported(OpKind kind) { return RealDomain::isSupported(kind); }
  static bool isUninterpreted(OpKind) { return false; }
  static Value constant(double value);
  static Value apply(OpKind kind, ArrayRef<Value> operands,
                     DictionaryAttr payload);
  static Value getUnit(OpKind kind) { return {RealDomain::getUnit(kind), 0}; }
  static double toReal(Value value) { return value.value; }
  /// Whether `b` may stand for `a`: finite where that is, its error not of
  /// another order, and not finite where a function is not.
  static bool isEqual(Value a, Value b);
  static std::string print(Value value);
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
      order.push_back(id);
      return &values.emplace(id, std::move(*result)).first->second;
    }
    return nullptr;
  }

  /// Whether an operation without a meaning in the domain was met.
  bool hasUninterpreted() const { return uninterpreted; }
  /// What has been evaluated, and in which order.
  const std::map<egraph::ClassId, Values> &getValues() const { return values; }
  ArrayRef<egraph::ClassId> getOrder() const { return order; }

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
  /// A part of a split counts positions that do not exist.
  double getExtentValue(unsigned axis) const {
    return extents[axis] + (graph.getBounds(axis).partial ? 1 : 0);
  }
  unsigned getAxis(DictionaryAttr payload, StringRef key) const {
    return *graph.lookupAxis(payload.getAs<StringAttr>(key));
  }
  Value evaluateMoved(const egraph::Node &node,
                      ArrayRef<const Values *> operands,
                      ArrayRef<int64_t> position) const;
  Value read(egraph::ClassId id, const Values &values,
             ArrayRef<int64_t> position) const {
    return values[getOffset(graph.getGraph().getFacts(id).axes, extents,
                            position)];
  }

  const AlgebraGraph &graph;
  const Extents &extents;
  Arguments arguments;
  unsigned firstAlias;
  bool uninterpreted = false;
  std::map<egraph::ClassId, Values> values;
  std::vector<egraph::ClassId> order;
};

/// Operations that read their operands at other positions.
template <typename Domain>
typename Domain::Value
TermEvaluator<Domain>::evaluateMoved(const egraph::Node &node,
                                     ArrayRef<const Values *> operands,
                                     ArrayRef<int64_t> position) const {
  DictionaryAttr payload = graph.getPayload(node);
  SmallVector<int64_t> moved(position);
  unsigned axis = getAxis(payload, "axis");
  switch (graph.getKind(node)) {
  case OpKind::Slice:
    moved[axis] =
        cast<IntegerAttr>(payload.get("offset")).getInt() +
        (payload.get("part") ? position[getAxis(payload, "part")] : 0);
    return read(node.children[0], *operands[0], moved);
  case OpKind::Concat: {
    int64_t left = position[axis];
    auto along = cast<ArrayAttr>(payload.get("along"));
    for (auto [child, operand, name] :
         llvm::zip_equal(node.children, operands, along)) {
      unsigned part = *graph.lookupAxis(cast<StringAttr>(name));
      if (left < extents[part]) {
        moved[part] = left;
        return read(child, *operand, moved);
      }
      left -= extents[part];
    }
    return Value();
  }
  default:
    moved[axis] =
        int64_t(Domain::toReal(read(node.children[1], *operands[1], position)));
    if (moved[axis] < 0 || moved[axis] >= extents[axis])
      return Domain::constant(std::numeric_limits<double>::quiet_NaN());
    return read(node.children[0], *operands[0], moved);
  }
}

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
    return Domain::constant(getExtentValue(getAxis(payload, "axis")));
  if (kind == OpKind::Iota)
    return Domain::constant(position[getAxis(payload, "axis")]);
  if (kind == OpKind::Slice || kind == OpKind::Concat || kind == OpKind::Gather)
    return evaluateMoved(node, operands, position);
  SmallVector<Value> scalars;
  for (auto [child, operand] : llvm::zip_equal(node.children, operands))
    scalars.push_back(read(child, *operand, position));
  if (kind == OpKind::Contract)
    return Domain::apply(OpKind::Mul, scalars, payload);
  return isReduction(kind) ? scalars[0] : Domain::apply(kind, scalars, payload);
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
  uninterpreted |= Domain::isUninterpreted(kind);
  forEachPosition(isReduction(kind) ? full : axes, extents,
                  [&](ArrayRef<int64_t> position) {
                    Value value = evaluateAt(node, operands, position);
                    Value &slot = result[getOffset(axes, extents, position)];
                    slot = isReduction(kind)
                               ? Domain::apply(getCombiner(kind), {slot, value},
                                               DictionaryAttr())
                               : value;
                  });
  return result;
}

} // namespace mlir::cleave

#endif // CLEAVE_LIB_TRANSFORMS_ALGEBRA_TERMEVALUATOR_H
