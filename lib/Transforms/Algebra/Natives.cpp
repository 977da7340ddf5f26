//===- Natives.cpp - What rules may ask -----------------------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The native constraints. Rules/Natives.pdll declares them for rule authors,
// docs/rules.md lists them.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Transforms/Algebra/Natives.h"

using namespace mlir;
using namespace mlir::cleave;
using namespace mlir::cleave::egraph;

/// Products of more factors are not cut in two: the number of ways doubles with
/// each.
static constexpr size_t kMaxBipartition = 4;
/// Numbers up to this and down to its reciprocal have a reciprocal that is
/// neither infinite nor flushed to 0.
static constexpr double kInvertible = 0x1p126;

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

template <bool (*predicate)(const Facts &)>
static void all(const AlgebraGraph &graph, ArrayRef<Binding> arguments,
                Answer answer) {
  for (const Binding &argument : arguments)
    for (ClassId id : argument.classes)
      if (!predicate(graph.getGraph().getFacts(id)))
        return;
  answer({});
}

static bool isFinite(const Facts &facts) { return facts.finite; }
static bool isNonZero(const Facts &facts) { return facts.isNonZero(); }
static bool isPositive(const Facts &facts) { return facts.lo > 0; }
static bool isNegative(const Facts &facts) { return facts.hi < 0; }
static bool isNonNegative(const Facts &facts) { return facts.lo >= 0; }
static bool isNonPositive(const Facts &facts) { return facts.hi <= 0; }
static bool isAtLeastOne(const Facts &facts) { return facts.lo >= 1; }
static bool isAtMostOne(const Facts &facts) { return facts.hi <= 1; }
static bool isInvertible(const Facts &facts) {
  return facts.isNonZero() && facts.magnitude() <= kInvertible;
}
static bool isInvertibleOrZero(const Facts &facts) {
  return facts.magnitude() <= kInvertible;
}

/// With real numbers nothing overflows, and no factor is infinite.
template <bool (*predicate)(const Facts &)>
static void allUnlessReal(const AlgebraGraph &graph,
                          ArrayRef<Binding> arguments, Answer answer) {
  if (graph.getNumerics() == Numerics::Real)
    return answer({});
  all<predicate>(graph, arguments, answer);
}

static void isBounded(const AlgebraGraph &graph, ArrayRef<Binding> arguments,
                      Answer answer) {
  for (ClassId id : arguments[0].classes)
    if (graph.getNumerics() != Numerics::Real &&
        (!graph.getGraph().getFacts(id).finite || !graph.isDeclared(id)))
      return;
  answer({});
}

/// All or all: one answer is enough.
template <bool (*first)(const Facts &), bool (*second)(const Facts &)>
static void allOrAll(const AlgebraGraph &graph, ArrayRef<Binding> arguments,
                     Answer answer) {
  bool holds = false;
  auto note = [&](ArrayRef<Binding>) { holds = true; };
  all<first>(graph, arguments, note);
  all<second>(graph, arguments, note);
  if (holds)
    answer({});
}

//===----------------------------------------------------------------------===//
// Axes
//===----------------------------------------------------------------------===//

/// The axes that an attribute names: a set, one, or a list.
static AxisSet getNamedAxes(const AlgebraGraph &graph, Attribute attribute) {
  AxisSet axes;
  if (auto list = dyn_cast_or_null<ArrayAttr>(attribute)) {
    for (Attribute name : list)
      axes |= getNamedAxes(graph, name);
  } else if (auto name = dyn_cast_or_null<StringAttr>(attribute)) {
    if (std::optional<unsigned> axis = graph.lookupAxis(name))
      axes = AxisSet::of(*axis);
  } else {
    axes = graph.getAxisSet(attribute).value_or(AxisSet());
  }
  return axes;
}

/// The axes that an operation gives another meaning: what it takes from its
/// first operands and what it names anew.
static AxisSet getMovedAxes(const AlgebraGraph &graph, const Binding &op) {
  AxisSet axes;
  for (NamedAttribute attribute : graph.getPayload(op.operation->second))
    axes |= getNamedAxes(graph, attribute.getValue());
  return axes;
}

static AxisSet getValueAxes(const AlgebraGraph &graph, ArrayRef<ClassId> ids) {
  AxisSet axes;
  for (ClassId id : ids)
    axes |= graph.getGraph().getFacts(id).axes;
  return axes;
}

static AxisSet getAxes(const AlgebraGraph &graph, const Binding &binding) {
  if (binding.operation)
    return getMovedAxes(graph, binding);
  return getNamedAxes(graph, binding.attribute) |
         getValueAxes(graph, binding.classes);
}

/// The least size of the axes is no less than 1.
static void isNonEmpty(const AlgebraGraph &graph, ArrayRef<Binding> arguments,
                       Answer answer) {
  if (graph.getCount(getAxes(graph, arguments[0])).first >= 1)
    answer({});
}

static void isWhole(const AlgebraGraph &graph, ArrayRef<Binding> arguments,
                    Answer answer) {
  bool isPartial = false;
  getAxes(graph, arguments[0]).forEach([&](unsigned axis) {
    isPartial |= graph.getBounds(axis).partial;
  });
  if (!isPartial)
    answer({});
}

static void isDisjoint(const AlgebraGraph &graph, ArrayRef<Binding> arguments,
                       Answer answer) {
  if (!getAxes(graph, arguments[0]).intersects(getAxes(graph, arguments[1])))
    answer({});
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

static void isPointwiseOp(const AlgebraGraph &graph,
                          ArrayRef<Binding> arguments, Answer answer) {
  if (isPointwise(graph.getKind(arguments[0].operation->first)))
    answer({});
}

/// pow(1, NaN) and pow(NaN, 0) are 1.
static void keepsNaN(const AlgebraGraph &graph, ArrayRef<Binding> arguments,
                     Answer answer) {
  if (graph.getKind(arguments[0].operation->first) != OpKind::Pow)
    answer({});
}

/// Whether x <= y implies f(x) <= f(y) (or the opposite, if `rises` is false)
/// in the interval of `x`, and neither is NaN.
static bool isMonotone(OpKind kind, const Facts &x, bool rises) {
  switch (kind) {
  case OpKind::Exp:
  case OpKind::Exp2:
  case OpKind::Sigmoid:
  case OpKind::Tanh:
  case OpKind::Erf:
    return rises;
  case OpKind::Sqrt:
  case OpKind::Log:
    return rises && x.lo >= 0;
  case OpKind::Recip:
    return !rises && (x.lo > 0 || x.hi < 0);
  case OpKind::Rsqrt:
    return !rises && x.lo > 0;
  default:
    return false;
  }
}

template <bool rises>
static void isMonotoneOp(const AlgebraGraph &graph, ArrayRef<Binding> arguments,
                         Answer answer) {
  Facts hull;
  hull.lo = std::numeric_limits<double>::infinity();
  hull.hi = -hull.lo;
  for (const Binding &values : arguments.drop_front())
    for (ClassId id : values.classes) {
      const Facts &facts = graph.getGraph().getFacts(id);
      hull.lo = std::min(hull.lo, facts.lo);
      hull.hi = std::max(hull.hi, facts.hi);
    }
  if (isMonotone(graph.getKind(arguments[0].operation->first), hull, rises))
    answer({});
}

static void isSameOperation(const AlgebraGraph &, ArrayRef<Binding> arguments,
                            Answer answer) {
  if (arguments[0].operation == arguments[1].operation)
    answer({});
}

//===----------------------------------------------------------------------===//
// Parts of multisets
//===----------------------------------------------------------------------===//

static void answerFirst(const AlgebraGraph &, ArrayRef<Binding> arguments,
                        Answer answer) {
  if (!arguments[0].classes.empty())
    answer(Binding{{arguments[0].classes.front()}, {}});
}

static void answerAll(const AlgebraGraph &, ArrayRef<Binding> arguments,
                      Answer answer) {
  answer(arguments[0]);
}

/// The factors that carry one of the axes, or those that carry none.
template <bool bound>
static void selectFactors(const AlgebraGraph &graph,
                          ArrayRef<Binding> arguments, Answer answer) {
  AxisSet axes = getAxes(graph, arguments[1]);
  Binding selected;
  for (ClassId id : arguments[0].classes)
    if (graph.getGraph().getFacts(id).axes.intersects(axes) == bound)
      selected.classes.push_back(id);
  if (!selected.classes.empty())
    answer(selected);
}

/// The positive factors and the others, both not empty.
static void positiveFactors(const AlgebraGraph &graph,
                            ArrayRef<Binding> arguments, Answer answer) {
  Binding parts[2];
  for (ClassId id : arguments[0].classes)
    parts[!isPositive(graph.getGraph().getFacts(id))].classes.push_back(id);
  if (!parts[0].classes.empty() && !parts[1].classes.empty())
    answer(parts);
}

/// Each non-empty subset of the axes, and what is left.
static void chooseAxes(const AlgebraGraph &graph, ArrayRef<Binding> arguments,
                       Answer answer) {
  uint64_t all = getAxes(graph, arguments[0]).getBits();
  for (uint64_t subset = all; subset != 0; subset = (subset - 1) & all) {
    Binding results[2];
    results[0].attribute = graph.getAxesAttr(AxisSet::fromBits(subset));
    results[1].attribute = graph.getAxesAttr(AxisSet::fromBits(all & ~subset));
    answer(results);
  }
}

/// Each way to cut a few factors into two non-empty parts, up to order.
static void bipartition(const AlgebraGraph &, ArrayRef<Binding> arguments,
                        Answer answer) {
  ArrayRef<ClassId> factors = arguments[0].classes;
  if (factors.size() < 2 || factors.size() > kMaxBipartition)
    return;
  for (unsigned mask = 1; mask < 1u << (factors.size() - 1); ++mask) {
    Binding parts[2];
    for (auto [i, factor] : llvm::enumerate(factors))
      parts[mask >> i & 1].classes.push_back(factor);
    answer(parts);
  }
}

/// What stands in both multisets, and what is left of each; none is empty.
static void commonFactors(const AlgebraGraph &, ArrayRef<Binding> arguments,
                          Answer answer) {
  Binding results[3];
  SmallVector<ClassId, 4> right = arguments[1].classes;
  for (ClassId id : arguments[0].classes) {
    auto it = llvm::find(right, id);
    results[it == right.end()].classes.push_back(id);
    if (it != right.end())
      right.erase(it);
  }
  results[2].classes = right;
  if (llvm::none_of(results,
                    [](const Binding &b) { return b.classes.empty(); }))
    answer(results);
}

/// Pretends that the first factors are equal.
static void firstFactors(const AlgebraGraph &, ArrayRef<Binding> arguments,
                         Answer answer) {
  ArrayRef<ClassId> left = arguments[0].classes, right = arguments[1].classes;
  if (left.size() < 2 || right.size() < 2)
    return;
  Binding results[3];
  results[0].classes.push_back(left[0]);
  results[1].classes.append(left.begin() + 1, left.end());
  results[2].classes.append(right.begin() + 1, right.end());
  answer(results);
}

//===----------------------------------------------------------------------===//
// Concatenation
//===----------------------------------------------------------------------===//

/// The input of the concatenation that the slice takes as a whole.
static void slicedInput(const AlgebraGraph &graph, ArrayRef<Binding> arguments,
                        Answer answer) {
  DictionaryAttr slice = graph.getPayload(arguments[0].operation->second);
  DictionaryAttr concat = graph.getPayload(arguments[1].operation->second);
  if (slice.get("axis") != concat.get("axis"))
    return;
  AxisSet axes = getValueAxes(graph, arguments[0].classes);
  int64_t left = cast<IntegerAttr>(slice.get("offset")).getInt();
  auto along = cast<ArrayAttr>(concat.get("along"));
  for (auto [id, part] : llvm::zip_equal(arguments[2].classes, along)) {
    if (left == 0) {
      // A name has one extent. Other inputs may have more axes.
      if (slice.get("part") == part && getValueAxes(graph, id) == axes)
        answer(Binding{{id}, {}});
      return;
    }
    const AxisBounds &bounds =
        graph.getBounds(*graph.lookupAxis(cast<StringAttr>(part)));
    if (ShapedType::isDynamic(bounds.type) || bounds.partial ||
        bounds.type > left)
      return;
    left -= bounds.type;
  }
}

static void anyInput(const AlgebraGraph &, ArrayRef<Binding> arguments,
                     Answer answer) {
  for (ClassId id : arguments[2].classes)
    answer(Binding{{id}, {}});
}

//===----------------------------------------------------------------------===//
// Guards
//===----------------------------------------------------------------------===//

/// Each operand has all summed axes, and one that the other lacks.
static void isWorthContracting(const AlgebraGraph &graph,
                               ArrayRef<Binding> arguments, Answer answer) {
  AxisSet left = getAxes(graph, arguments[0]);
  AxisSet right = getAxes(graph, arguments[1]);
  AxisSet axes = getAxes(graph, arguments[2]);
  if (left.contains(axes) && right.contains(axes) && !left.contains(right) &&
      !right.contains(left))
    answer({});
}

/// The value, or a factor of it, can leave a sum over the axes.
static void isWorthDistributing(const AlgebraGraph &graph,
                                ArrayRef<Binding> arguments, Answer answer) {
  AxisSet axes = getAxes(graph, arguments[1]);
  auto lacks = [&](ClassId id) {
    const Facts &facts = graph.getGraph().getFacts(id);
    return !facts.axes.intersects(axes) && !facts.constant;
  };
  for (ClassId id : arguments[0].classes) {
    bool found = !graph.getGraph().getFacts(id).axes.intersects(axes);
    for (const Node &node : graph.getGraph().getClass(id).nodes)
      found |= graph.getKind(node) == OpKind::Mul &&
               llvm::any_of(node.children, lacks);
    if (found)
      return answer({});
  }
}

/// A factor that is no constant can leave a sum over the axes, but not all of
/// the product.
static void isWorthScaling(const AlgebraGraph &graph,
                           ArrayRef<Binding> arguments, Answer answer) {
  AxisSet axes = getAxes(graph, arguments[1]);
  bool leaves = false, stays = false;
  for (ClassId id : arguments[0].classes) {
    const Facts &facts = graph.getGraph().getFacts(id);
    bool lacks = !facts.axes.intersects(axes);
    leaves |= lacks && !facts.constant;
    stays |= !lacks;
  }
  if (leaves && stays)
    answer({});
}

/// sum_k a * (sum_j b * c) instead of sum_j (sum_k a * b) * c: a has k, and the
/// new inner sum has no more axes than the old one, the last argument.
static void isWorthReassociating(const AlgebraGraph &graph,
                                 ArrayRef<Binding> arguments, Answer answer) {
  AxisSet made = (getAxes(graph, arguments[2]) | getAxes(graph, arguments[3])) -
                 getAxes(graph, arguments[4]);
  AxisSet old = getAxes(graph, arguments[5]);
  if (getAxes(graph, arguments[0]).contains(getAxes(graph, arguments[1])) &&
      llvm::popcount(made.getBits()) <= llvm::popcount(old.getBits()))
    answer({});
}

/// The first values have an axis fewer than all together.
static void isWorthPulling(const AlgebraGraph &graph,
                           ArrayRef<Binding> arguments, Answer answer) {
  if (!getAxes(graph, arguments[0]).contains(getAxes(graph, arguments[1])))
    answer({});
}

/// Constants are pulled out and multiplied in for nothing.
static void isWorthFactoring(const AlgebraGraph &graph,
                             ArrayRef<Binding> arguments, Answer answer) {
  for (ClassId id : arguments[0].classes)
    if (!graph.getGraph().getFacts(id).constant)
      return answer({});
}

/// Products of the first values with either of the others: the others have the
/// same axes, the scale has none that they lack, and each side has an axis that
/// the other lacks.
static void isWorthMerging(const AlgebraGraph &graph,
                           ArrayRef<Binding> arguments, Answer answer) {
  AxisSet common = getAxes(graph, arguments[0]);
  AxisSet left = getAxes(graph, arguments[1]);
  AxisSet right = getAxes(graph, arguments[2]) | getAxes(graph, arguments[3]);
  if (left == right && !common.contains(left) && !left.contains(common))
    answer({});
}

/// Both contractions run over one axis that is no concatenation itself, the
/// axes differ, and so do not the other axes of the operands.
static void isWorthConcatenating(const AlgebraGraph &graph,
                                 ArrayRef<Binding> arguments, Answer answer) {
  AxisSet k = getAxes(graph, arguments[2]), l = getAxes(graph, arguments[5]);
  auto isSimple = [&](AxisSet axes) {
    bool simple = llvm::popcount(axes.getBits()) == 1;
    axes.forEach(
        [&](unsigned axis) { simple &= graph.getBounds(axis).parts.empty(); });
    return simple;
  };
  if (isSimple(k) && isSimple(l) && k != l &&
      getAxes(graph, arguments[0]) - k == getAxes(graph, arguments[3]) - l &&
      getAxes(graph, arguments[1]) - k == getAxes(graph, arguments[4]) - l)
    answer({});
}

/// One of the values is constant: the operation is done once.
static void isWorthMasking(const AlgebraGraph &graph,
                           ArrayRef<Binding> arguments, Answer answer) {
  for (const Binding &argument : arguments)
    for (ClassId id : argument.classes)
      if (graph.getGraph().getFacts(id).constant)
        return answer({});
}

/// Work before a gather pays where the table is no larger than what is read.
static void isWorthGathering(const AlgebraGraph &graph,
                             ArrayRef<Binding> arguments, Answer answer) {
  if (graph.getRepresentativeCount(getAxes(graph, arguments[0])) <=
      graph.getRepresentativeCount(getAxes(graph, arguments[1])))
    answer({});
}

const NativeConstraint *mlir::cleave::lookupConstraint(StringRef name) {
  static const NativeConstraint table[] = {
      {"Finite", 1, 0, allUnlessReal<isFinite>},
      {"Bounded", 1, 0, isBounded},
      {"NonZero", 1, 0, all<isNonZero>},
      {"Positive", 1, 0, all<isPositive>},
      {"Negative", 1, 0, all<isNegative>},
      {"NonNegative", 1, 0, all<isNonNegative>},
      {"SameSign", 2, 0, allOrAll<isNonNegative, isNonPositive>},
      {"SameSideOfOne", 1, 0, allOrAll<isAtLeastOne, isAtMostOne>},
      {"Invertible", 1, 0, allUnlessReal<isInvertible>},
      {"InvertibleOrZero", 1, 0, allUnlessReal<isInvertibleOrZero>},
      {"NonEmpty", 1, 0, isNonEmpty},
      {"Whole", 1, 0, isWhole},
      {"Lacks", 2, 0, isDisjoint},
      {"Unmoved", 2, 0, isDisjoint},
      {"UnmovedAxes", 2, 0, isDisjoint},
      {"Pointwise", 1, 0, isPointwiseOp},
      {"KeepsNaN", 1, 0, keepsNaN},
      {"Increasing", 3, 0, isMonotoneOp<true>},
      {"Decreasing", 3, 0, isMonotoneOp<false>},
      {"SameOperation", 2, 0, isSameOperation},
      {"FreeFactors", 2, 1, selectFactors<false>, answerAll},
      {"BoundFactors", 2, 1, selectFactors<true>, answerFirst},
      {"PositiveFactors", 1, 2, positiveFactors, bipartition},
      {"CommonFactors", 2, 3, commonFactors, firstFactors},
      {"SlicedInput", 3, 1, slicedInput, anyInput},
      {"ChooseAxes", 1, 2, chooseAxes},
      {"Bipartition", 1, 2, bipartition},
      {"WorthContracting", 3, 0, isWorthContracting},
      {"WorthDistributing", 2, 0, isWorthDistributing},
      {"WorthScaling", 2, 0, isWorthScaling},
      {"WorthReassociating", 6, 0, isWorthReassociating},
      {"WorthPulling", 2, 0, isWorthPulling},
      {"WorthFactoring", 1, 0, isWorthFactoring},
      {"WorthMerging", 4, 0, isWorthMerging},
      {"WorthConcatenating", 6, 0, isWorthConcatenating},
      {"WorthMasking", 2, 0, isWorthMasking},
      {"WorthGathering", 2, 0, isWorthGathering},
  };
  for (const NativeConstraint &entry : table)
    if (entry.name == name)
      return &entry;
  return nullptr;
}
