//===- DeriveFacts.cpp - Transfer functions of the facts ------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is known of a value from what is known of its operands. Intervals are
// those of the real value under the assumptions on the arguments; `finite`
// means that neither the value nor what it is computed from leaves the range of
// the element type.
//
//===----------------------------------------------------------------------===//

#include "ProductInterval.h"
#include "TermEvaluator.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::cleave;
using namespace mlir::cleave::egraph;

static constexpr double kInf = std::numeric_limits<double>::infinity();
/// exp overflows f32 above the first, and is flushed to 0 below the second.
static constexpr double kMaxExponent = 88.0, kMinExponent = -87.0;
/// The same for exp2.
static constexpr double kMaxExponent2 = 127.0, kMinExponent2 = -126.0;
/// The smallest normal f32, below which a reciprocal overflows.
static constexpr double kSmallest = 1.1754943508222875e-38;
/// The largest f32 whose reciprocal is not flushed to 0.
static constexpr double kInvertible = 8.507059173023462e37;

/// Of what is not 0.
static std::pair<double, double> invert(const Facts &x) {
  return {1 / x.hi, 1 / x.lo};
}

static void setInterval(Facts &facts, std::pair<double, double> interval) {
  facts.lo = interval.first;
  facts.hi = interval.second;
}

static bool all(const EGraph &graph, const Node &node,
                bool (*predicate)(const Facts &)) {
  return llvm::all_of(node.children, [&](ClassId child) {
    return predicate(graph.getFacts(child));
  });
}

static bool isFinite(const Facts &facts) { return facts.finite; }
static bool isNotNaN(const Facts &facts) { return facts.notNaN; }
static bool isNonZero(const Facts &facts) { return facts.isNonZero(); }

/// Whether a sum whose terms above 0 sum up to `positive` at most, and those
/// below to `negative`, is not inf - inf: partial sums overflow too.
static bool isSumNotNaN(double negative, double positive) {
  return positive <= kLargest || negative >= -kLargest;
}

/// The sum of `count` values of an interval.
static void setSum(Facts &facts, std::pair<double, double> interval,
                   std::pair<double, double> count) {
  auto [lo, hi] = interval;
  facts.lo = times(lo, lo >= 0 ? count.first : count.second);
  facts.hi = times(hi, hi <= 0 ? count.first : count.second);
}

/// Whether `bound` is the maximum of `id` over axes, or that maximum where it
/// is finite and else 0: then `id` is not above it, where it is finite.
static bool isMaximumOf(const AlgebraGraph &graph, ClassId bound, ClassId id) {
  auto isMax = [&](ClassId candidate) {
    for (const Node &node : graph.getGraph().getClass(candidate).nodes)
      if (graph.getKind(node) == OpKind::ReduceMax && node.children[0] == id)
        return true;
    return false;
  };
  if (isMax(bound))
    return true;
  for (const Node &node : graph.getGraph().getClass(bound).nodes) {
    if (graph.getKind(node) != OpKind::Select || !isMax(node.children[1]))
      continue;
    const Node *test = graph.findNode(node.children[0], OpKind::IsFinite);
    if (test && test->children[0] == node.children[1] &&
        graph.getGraph().getFacts(node.children[2]).constant == 0.0)
      return true;
  }
  return false;
}

/// x - max(x) is not positive.
static bool isDifferenceToMaximum(const AlgebraGraph &graph, const Node &node) {
  if (node.children.size() != 2)
    return false;
  const EGraph &g = graph.getGraph();
  for (unsigned i : {0, 1}) {
    for (const Node &product : g.getClass(node.children[i]).nodes) {
      if (graph.getKind(product) != OpKind::Mul || product.children.size() != 2)
        continue;
      for (unsigned j : {0, 1})
        // Where x is inf, so is the difference.
        if (g.getFacts(node.children[1 - i]).hi <= kLargest &&
            g.getFacts(product.children[j]).constant == -1.0 &&
            isMaximumOf(graph, product.children[1 - j], node.children[1 - i]))
          return true;
    }
  }
  return false;
}

/// exp(-inf) is 0.
static void deriveExponential(const Facts &x, double min, double max,
                              Facts &facts) {
  facts.notNaN = x.notNaN;
  facts.finite = x.notNaN && x.hi <= max;
  facts.nonZero = x.finite && x.lo >= min;
  if (!facts.nonZero)
    facts.lo = 0;
}

static void deriveUnary(OpKind kind, const Facts &x, Facts &facts) {
  switch (kind) {
  case OpKind::Recip:
    facts.nonZero = x.finite && x.magnitude() <= kInvertible;
    facts.finite = x.finite && (x.lo >= kSmallest || x.hi <= -kSmallest);
    if (x.lo > 0 || x.hi < 0)
      setInterval(facts, invert(x));
    else if (x.lo >= 0)
      facts.lo = invert(x).first;
    break;
  case OpKind::Recip0:
    // Finite but for denormal operands, which the scale of a row is not.
    facts.finite = x.finite;
    setInterval(facts,
                {x.lo >= 0 ? 0.0 : -kLargest, x.hi <= 0 ? 0.0 : kLargest});
    break;
  case OpKind::Abs:
    setInterval(facts, {std::max({0.0, x.lo, -x.hi}), x.magnitude()});
    facts.nonZero = x.isNonZero();
    facts.notNaN = x.notNaN;
    facts.finite = x.finite;
    break;
  case OpKind::Exp:
    setInterval(facts, {std::exp(x.lo), std::exp(x.hi)});
    deriveExponential(x, kMinExponent, kMaxExponent, facts);
    break;
  case OpKind::Exp2:
    setInterval(facts, {std::exp2(x.lo), std::exp2(x.hi)});
    deriveExponential(x, kMinExponent2, kMaxExponent2, facts);
    break;
  case OpKind::Log:
    facts.notNaN = x.notNaN && x.lo >= 0;
    facts.finite = x.finite && x.lo >= kSmallest;
    setInterval(facts, {x.lo > 0 ? std::log(x.lo) : -kInf,
                        x.hi > 0 ? std::log(x.hi) : -kInf});
    break;
  case OpKind::Tanh:
  case OpKind::Erf:
    facts.finite = x.notNaN;
    setInterval(facts, {x.lo >= 0 ? 0 : -1, x.hi <= 0 ? 0 : 1});
    break;
  case OpKind::Sqrt:
    facts.finite = x.finite && x.lo >= 0;
    setInterval(facts, {std::sqrt(std::max(x.lo, 0.0)),
                        std::sqrt(std::max(x.hi, 0.0))});
    break;
  case OpKind::Rsqrt:
    facts.finite = x.finite && x.lo >= kSmallest;
    facts.lo = x.hi > 0 ? 1 / std::sqrt(x.hi) : 0;
    facts.hi = x.lo > 0 ? 1 / std::sqrt(x.lo) : kInf;
    break;
  case OpKind::Sigmoid:
    facts.finite = x.notNaN;
    setInterval(facts, {0, 1});
    break;
  default:
    break;
  }
}

/// pow with a constant exponent.
static void derivePow(const Facts &base, const Facts &exponent, Facts &facts) {
  if (!exponent.constant)
    return;
  double p = *exponent.constant;
  if (p > 0 && std::fmod(p, 2) == 0) {
    setInterval(facts, {0, std::pow(base.magnitude(), p)});
    facts.finite = base.finite;
  } else if (base.lo >= kSmallest || (base.lo >= 0 && p >= 0)) {
    double ends[] = {std::pow(base.lo, p), std::pow(base.hi, p)};
    setInterval(facts,
                {std::min(ends[0], ends[1]), std::max(ends[0], ends[1])});
    facts.finite = base.finite;
  }
}

/// A choice by is_finite(x) never gives an infinite x: a maximum that it gives
/// is one of its elements.
static void deriveSelect(const AlgebraGraph &graph, const Node &node,
                         Facts &facts) {
  Facts a = graph.getGraph().getFacts(node.children[1]);
  const Facts &b = graph.getGraph().getFacts(node.children[2]);
  const Node *test = graph.findNode(node.children[0], OpKind::IsFinite);
  if (test && test->children[0] == node.children[1]) {
    a.finite = a.notNaN = true;
    a.lo = std::max(a.lo, -kLargest);
    a.hi = std::min(a.hi, kLargest);
    if (const Node *max = graph.findNode(test->children[0], OpKind::ReduceMax))
      a.lo = std::max(a.lo, graph.getGraph().getFacts(max->children[0]).lo);
  }
  setInterval(facts, {std::min(a.lo, b.lo), std::max(a.hi, b.hi)});
  facts.nonZero = a.isNonZero() && b.isNonZero();
  facts.notNaN = a.notNaN && b.notNaN;
  facts.finite = a.finite && b.finite;
}

Facts AlgebraGraph::getInvariants(const Node &node) const {
  Facts facts;
  DictionaryAttr payload = getPayload(node);
  if (auto type = payload.getAs<TypeAttr>("result_type")) {
    facts.axes = getAxisSet(getAxes(type.getValue())).value_or(AxisSet());
    Type element = cast<RankedTensorType>(type.getValue()).getElementType();
    facts.elementType =
        const_cast<AlgebraGraph *>(this)->internElementType(element);
    return facts;
  }
  bool isDouble = false;
  for (ClassId child : node.children) {
    facts.axes |= graph.getFacts(child).axes;
    isDouble |= getElementType(child).isF64();
  }
  Type element = isDouble ? Type(Float64Type::get(context))
                          : Type(Float32Type::get(context));
  auto getAxis = [&](StringRef key) {
    return AxisSet::of(*lookupAxis(payload.getAs<StringAttr>(key)));
  };
  switch (getKind(node)) {
  case OpKind::IsFinite:
  case OpKind::Cmp:
    element = IntegerType::get(context, 1);
    break;
  case OpKind::ReduceSum:
  case OpKind::ReduceMax:
  case OpKind::ReduceMin:
  case OpKind::ReduceProd:
  case OpKind::Contract:
    facts.axes =
        facts.axes - getAxisSet(payload.get("axes")).value_or(AxisSet());
    break;
  case OpKind::Slice:
    facts.axes = facts.axes - getAxis("axis");
    if (payload.get("part"))
      facts.axes |= getAxis("part");
    element = getElementType(node.children[0]);
    break;
  case OpKind::Concat: {
    auto along = cast<ArrayAttr>(payload.get("along"));
    facts.axes = getAxis("axis");
    for (auto [child, name] : llvm::zip_equal(node.children, along))
      facts.axes |= graph.getFacts(child).axes -
                    AxisSet::of(*lookupAxis(cast<StringAttr>(name)));
    element = getElementType(node.children[0]);
    break;
  }
  case OpKind::Gather:
    facts.axes = (graph.getFacts(node.children[0]).axes - getAxis("axis")) |
                 graph.getFacts(node.children[1]).axes;
    element = getElementType(node.children[0]);
    break;
  case OpKind::Insert:
    facts.axes = graph.getFacts(node.children[1]).axes;
    element = getElementType(node.children[1]);
    break;
  case OpKind::Rename: {
    auto from = cast<AxesAttr>(payload.get("from"));
    auto to = cast<AxesAttr>(payload.get("to"));
    for (auto [old, name] : llvm::zip_equal(from.getNames(), to.getNames())) {
      AxisSet oldAxis = AxisSet::of(*lookupAxis(old));
      if (facts.axes.contains(oldAxis))
        facts.axes = (facts.axes - oldAxis) | AxisSet::of(*lookupAxis(name));
    }
    element = getElementType(node.children[0]);
    break;
  }
  default:
    break;
  }
  facts.elementType =
      const_cast<AlgebraGraph *>(this)->internElementType(element);
  return facts;
}

/// Drops what the element type cannot hold: what is above is infinite, and what
/// is below its normal numbers may be flushed to 0.
static void bound(Facts &facts, Type elementType) {
  auto type = dyn_cast<FloatType>(elementType);
  if (!type) {
    facts.finite = true;
    return;
  }
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  double largest = APFloat::getLargest(semantics).convertToDouble();
  double smallest = APFloat::getSmallestNormalized(semantics).convertToDouble();
  if (!(facts.magnitude() <= largest))
    facts.finite = false;
  if (std::isnan(facts.lo))
    facts.lo = -kInf;
  if (std::isnan(facts.hi))
    facts.hi = kInf;
  if (facts.constant)
    return;
  if (facts.hi > largest)
    facts.hi = kInf;
  if (facts.lo < -largest)
    facts.lo = -kInf;
  facts.lo = std::min(facts.lo, largest);
  facts.hi = std::max(facts.hi, -largest);
  if (facts.lo > 0 && facts.lo < smallest)
    facts.lo = 0;
  if (facts.hi < 0 && facts.hi > -smallest)
    facts.hi = 0;
}

/// A constant's value in a 16-bit type; wider ones are rounded when used.
static double roundConstant(double value, Type type) {
  auto floatType = dyn_cast<FloatType>(type);
  if (!floatType || floatType.getWidth() > 16)
    return value;
  APFloat rounded(value);
  bool lossy;
  rounded.convert(floatType.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                  &lossy);
  return rounded.convertToDouble();
}

static void setConstant(double value, Facts &facts) {
  facts.constant = value;
  setInterval(facts, {value, value});
  facts.finite = std::isfinite(value);
  facts.notNaN = !std::isnan(value);
  facts.nonZero = value != 0;
}

static void deriveConstant(const AlgebraGraph &graph, const Node &node,
                           Type elementType, Facts &facts) {
  double value =
      cast<FloatAttr>(graph.getPayload(node).get("value")).getValueAsDouble();
  setConstant(roundConstant(value, elementType), facts);
}

/// A view has the values of its operand.
static void deriveView(const Facts &x, Facts &facts) {
  setInterval(facts, {x.lo, x.hi});
  facts.nonZero = x.isNonZero();
  facts.notNaN = x.notNaN;
  facts.finite = x.finite;
}

/// Positions from 0.
static void deriveIota(const AlgebraGraph &graph, const Node &node,
                       Facts &facts) {
  auto axis = cast<StringAttr>(graph.getPayload(node).get("axis"));
  const AxisBounds &bounds = graph.getBounds(*graph.lookupAxis(axis));
  setInterval(facts, {0.0, std::max(double(bounds.max) - 1, 0.0)});
  facts.finite = true;
}

/// Each element is one of the operands'.
static void deriveChoice(const EGraph &graph, ArrayRef<ClassId> operands,
                         Facts &facts) {
  deriveView(graph.getFacts(operands[0]), facts);
  for (ClassId id : operands.drop_front()) {
    const Facts &x = graph.getFacts(id);
    setInterval(facts, {std::min(facts.lo, x.lo), std::max(facts.hi, x.hi)});
    facts.nonZero &= x.isNonZero();
    facts.notNaN &= x.notNaN;
    facts.finite &= x.finite;
  }
}

/// The size of the axis, however many of its positions exist.
static void deriveExtent(const AlgebraGraph &graph, const Node &node,
                         Facts &facts) {
  auto axis = cast<StringAttr>(graph.getPayload(node).get("axis"));
  const AxisBounds &bounds = graph.getBounds(*graph.lookupAxis(axis));
  bool isStatic = !ShapedType::isDynamic(bounds.type);
  setInterval(facts, {double(isStatic ? bounds.type : bounds.min),
                      double(isStatic ? bounds.type : bounds.max)});
  facts.finite = true;
}

static void deriveAdd(const AlgebraGraph &graph, const Node &node,
                      Facts &facts) {
  const EGraph &g = graph.getGraph();
  setInterval(facts, {0, 0});
  double negative = 0, positive = 0;
  for (ClassId child : node.children) {
    const Facts &x = g.getFacts(child);
    facts.lo += x.lo;
    facts.hi += x.hi;
    negative += std::min(x.lo, 0.0);
    positive += std::max(x.hi, 0.0);
  }
  facts.notNaN = all(g, node, isNotNaN) && isSumNotNaN(negative, positive);
  if (isDifferenceToMaximum(graph, node))
    facts.hi = std::min(facts.hi, 0.0);
  facts.finite = all(g, node, isFinite);
}

static void deriveMaxMin(const EGraph &graph, const Node &node, bool isMax,
                         Facts &facts) {
  const Facts &first = graph.getFacts(node.children[0]);
  setInterval(facts, {first.lo, first.hi});
  for (ClassId child : node.children) {
    const Facts &x = graph.getFacts(child);
    facts.lo = isMax ? std::max(facts.lo, x.lo) : std::min(facts.lo, x.lo);
    facts.hi = isMax ? std::max(facts.hi, x.hi) : std::min(facts.hi, x.hi);
  }
  facts.nonZero = all(graph, node, isNonZero);
  facts.notNaN = all(graph, node, isNotNaN);
  facts.finite = all(graph, node, isFinite);
}

static void deriveDiv(const Facts &a, const Facts &b, Facts &facts) {
  if (b.lo < kSmallest && b.hi > -kSmallest)
    return;
  setInterval(facts, multiply({a.lo, a.hi}, invert(b)));
  facts.finite = a.finite && b.finite;
}

/// A number that is not 0 becomes 1; others are cut off towards 0 at what the
/// type holds.
static void deriveCastToInteger(const Facts &x, unsigned width, Facts &facts) {
  double largest = std::ldexp(1.0, width - 1) - 1, smallest = -largest - 1;
  double lo = std::min(x.lo, x.notNaN ? kInf : 0.0);
  double hi = std::max(x.hi, x.notNaN ? -kInf : 0.0);
  setInterval(facts, {std::clamp(std::trunc(lo), smallest, largest),
                      std::clamp(std::trunc(hi), smallest, largest)});
  if (width == 1)
    setInterval(facts, {0, 1});
  facts.finite = true;
}

/// Rounding moves a value by less than a 128th.
static void deriveCast(const Facts &x, Type from, Type to, Facts &facts) {
  if (!isa<FloatType>(to)) {
    deriveCastToInteger(x, to.getIntOrFloatBitWidth(), facts);
    return;
  }
  setInterval(facts, {x.lo, x.hi});
  if (isa<FloatType>(from) && facts.magnitude() < kInf) {
    facts.lo -= std::abs(facts.lo) / 128;
    facts.hi += std::abs(facts.hi) / 128;
  }
  facts.finite = x.finite;
}

/// A product of values of one interval.
static void deriveProduct(const Facts &x, std::pair<double, double> count,
                          Facts &facts) {
  auto [least, most] = count;
  double magnitude = std::max(1.0, std::pow(x.magnitude(), most));
  setInterval(facts, {-magnitude, magnitude});
  if (x.lo >= 0)
    setInterval(facts, {x.lo >= 1 ? std::pow(x.lo, least)
                                  : std::min(1.0, std::pow(x.lo, most)),
                        x.hi <= 1 ? std::pow(x.hi, least) : magnitude});
}

static void deriveReduction(const AlgebraGraph &graph, const Node &node,
                            Facts &facts) {
  const EGraph &g = graph.getGraph();
  OpKind kind = graph.getKind(node);
  const Facts &x = g.getFacts(node.children[0]);
  std::pair<double, double> count =
      graph.getCount(*graph.getAxisSet(graph.getPayload(node).get("axes")));
  facts.finite = all(g, node, isFinite);
  switch (kind) {
  case OpKind::ReduceMax:
    deriveView(x, facts);
    if (count.first < 1) {
      facts.lo = -kInf;
      facts.finite = false;
    }
    break;
  case OpKind::ReduceMin:
    deriveView(x, facts);
    if (count.first < 1) {
      facts.hi = kInf;
      facts.finite = false;
    }
    break;
  case OpKind::ReduceProd:
    deriveProduct(x, count, facts);
    break;
  case OpKind::ReduceSum:
    facts.notNaN =
        x.notNaN && isSumNotNaN(times(std::min(x.lo, 0.0), count.second),
                                times(std::max(x.hi, 0.0), count.second));
    setSum(facts, {x.lo, x.hi}, count);
    break;
  default:
    setSum(facts, multiplyAll(g, node.children), count);
    break;
  }
}

/// A function of constants is one.
static void foldConstant(const AlgebraGraph &graph, const Node &node,
                         Type elementType, Facts &facts) {
  if (!isPointwise(graph.getKind(node)) || !elementType.isF32())
    return;
  SmallVector<double> values;
  for (ClassId child : node.children) {
    const Facts &x = graph.getGraph().getFacts(child);
    if (!x.constant)
      return;
    values.push_back(*x.constant);
  }
  double value = RealDomain::apply(graph.getKind(node), values, {});
  if (!std::isnan(value))
    setConstant(value, facts);
}

Facts AlgebraGraph::deriveFacts(const Node &node) const {
  Facts facts = getInvariants(node);
  Type elementType = elementTypes[facts.elementType];
  OpKind kind = getKind(node);
  auto operand = [&](unsigned i) -> const Facts & {
    return graph.getFacts(node.children[i]);
  };
  switch (kind) {
  case OpKind::Constant:
    deriveConstant(*this, node, elementType, facts);
    break;
  case OpKind::Extent:
    deriveExtent(*this, node, facts);
    break;
  case OpKind::Add:
    deriveAdd(*this, node, facts);
    break;
  case OpKind::Mul:
    setInterval(facts, getProductInterval(*this, node.children));
    facts.finite = all(graph, node, isFinite) && isPartFinite(graph, node);
    break;
  case OpKind::Max:
  case OpKind::Min:
    deriveMaxMin(graph, node, kind == OpKind::Max, facts);
    break;
  case OpKind::Div:
    deriveDiv(operand(0), operand(1), facts);
    break;
  case OpKind::Pow:
    derivePow(operand(0), operand(1), facts);
    break;
  case OpKind::Select:
    deriveSelect(*this, node, facts);
    break;
  case OpKind::Iota:
    deriveIota(*this, node, facts);
    break;
  case OpKind::Slice:
  case OpKind::Concat:
    deriveChoice(graph, node.children, facts);
    break;
  case OpKind::Insert:
    deriveChoice(graph, ArrayRef<ClassId>(node.children).take_front(2), facts);
    break;
  case OpKind::Gather:
    // An index outside of the axis gives NaN.
    setInterval(facts, {operand(0).lo, operand(0).hi});
    facts.nonZero = operand(0).isNonZero();
    break;
  case OpKind::Cast:
    deriveCast(operand(0), getElementType(node.children[0]), elementType,
               facts);
    break;
  case OpKind::ReduceSum:
  case OpKind::ReduceMax:
  case OpKind::ReduceMin:
  case OpKind::ReduceProd:
  case OpKind::Contract:
    deriveReduction(*this, node, facts);
    break;
  case OpKind::Split:
  case OpKind::Merge:
  case OpKind::Rename:
  case OpKind::Relayout:
    deriveView(operand(0), facts);
    break;
  default:
    if (node.children.size() == 1)
      deriveUnary(kind, operand(0), facts);
    break;
  }
  foldConstant(*this, node, elementType, facts);
  bound(facts, elementType);
  facts.notNaN |= facts.finite;
  return facts;
}
