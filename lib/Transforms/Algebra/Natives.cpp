//===- Natives.cpp - What rules may ask and compute -----------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rules/Natives.pdll declares these for rule authors, docs/rules.md lists them.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Transforms/Algebra/Natives.h"

using namespace mlir;
using namespace mlir::cleave;
using namespace mlir::cleave::egraph;

/// Products of more factors are not cut in two: the number of ways doubles with
/// each.
static constexpr size_t kMaxBipartition = 4;

//===----------------------------------------------------------------------===//
// Constraints
//===----------------------------------------------------------------------===//

static AxisSet getAxes(const AlgebraGraph &graph, const Binding &values) {
  AxisSet axes;
  for (ClassId id : values.classes)
    axes |= graph.getGraph().getFacts(id).axes;
  return axes;
}

static AxisSet getAxisSet(const AlgebraGraph &graph, const Binding &axes) {
  return graph.getAxisSet(axes.attribute).value_or(AxisSet());
}

template <bool (*predicate)(const Facts &)>
static void all(const AlgebraGraph &graph, ArrayRef<Binding> arguments,
                Answer answer) {
  for (ClassId id : arguments[0].classes)
    if (!predicate(graph.getGraph().getFacts(id)))
      return;
  answer({});
}

static bool isFiniteFact(const Facts &facts) { return facts.finite; }

/// With real numbers nothing overflows and no factor is infinite.
static void isFinite(const AlgebraGraph &graph, ArrayRef<Binding> arguments,
                     Answer answer) {
  if (graph.getNumerics() == Numerics::Real)
    return answer({});
  all<isFiniteFact>(graph, arguments, answer);
}

static bool isNonZero(const Facts &facts) { return facts.isNonZero(); }
static bool isPositive(const Facts &facts) { return facts.lo > 0; }

static void isSameSign(const AlgebraGraph &graph, ArrayRef<Binding> arguments,
                       Answer answer) {
  bool nonNegative = true, nonPositive = true;
  for (const Binding &argument : arguments)
    for (ClassId id : argument.classes) {
      nonNegative &= graph.getGraph().getFacts(id).isNonNegative();
      nonPositive &= graph.getGraph().getFacts(id).isNonPositive();
    }
  if (nonNegative || nonPositive)
    answer({});
}

static void isNonEmpty(const AlgebraGraph &graph, ArrayRef<Binding> arguments,
                       Answer answer) {
  if (graph.getCount(getAxisSet(graph, arguments[0])).first >= 1)
    answer({});
}

static void carries(const AlgebraGraph &graph, ArrayRef<Binding> arguments,
                    Answer answer) {
  if (getAxes(graph, arguments[0]).contains(getAxisSet(graph, arguments[1])))
    answer({});
}

static void lacks(const AlgebraGraph &graph, ArrayRef<Binding> arguments,
                  Answer answer) {
  if (!getAxes(graph, arguments[0]).intersects(getAxisSet(graph, arguments[1])))
    answer({});
}

static void isDisjoint(const AlgebraGraph &graph, ArrayRef<Binding> arguments,
                       Answer answer) {
  if (!getAxisSet(graph, arguments[0])
           .intersects(getAxisSet(graph, arguments[1])))
    answer({});
}

/// Each has an axis that the other lacks.
static void isOuterProduct(const AlgebraGraph &graph,
                           ArrayRef<Binding> arguments, Answer answer) {
  AxisSet left = getAxes(graph, arguments[0]);
  AxisSet right = getAxes(graph, arguments[1]);
  if (!left.contains(right) && !right.contains(left))
    answer({});
}

/// The product of the values, summed over the axes, has no more axes than the
/// last argument.
static void isNotWider(const AlgebraGraph &graph, ArrayRef<Binding> arguments,
                       Answer answer) {
  AxisSet made = (getAxes(graph, arguments[0]) | getAxes(graph, arguments[1])) -
                 getAxisSet(graph, arguments[2]);
  AxisSet old = getAxes(graph, arguments[3]);
  if (llvm::popcount(made.getBits()) <= llvm::popcount(old.getBits()))
    answer({});
}

/// The factors that carry one of the axes, or those that carry none.
template <bool bound>
static void selectFactors(const AlgebraGraph &graph,
                          ArrayRef<Binding> arguments, Answer answer) {
  AxisSet axes = getAxisSet(graph, arguments[1]);
  Binding selected;
  for (ClassId id : arguments[0].classes)
    if (graph.getGraph().getFacts(id).axes.intersects(axes) == bound)
      selected.classes.push_back(id);
  if (!selected.classes.empty())
    answer(selected);
}

/// Each non-empty subset of the axes, and what is left.
static void chooseAxes(const AlgebraGraph &graph, ArrayRef<Binding> arguments,
                       Answer answer) {
  uint64_t all = getAxisSet(graph, arguments[0]).getBits();
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

const NativeConstraint *mlir::cleave::lookupConstraint(StringRef name) {
  static const NativeConstraint table[] = {
      {"Finite", 1, 0, isFinite},
      {"NonZero", 1, 0, all<isNonZero>},
      {"Positive", 1, 0, all<isPositive>},
      {"SameSign", 2, 0, isSameSign},
      {"NonEmpty", 1, 0, isNonEmpty},
      {"Carries", 2, 0, carries},
      {"Lacks", 2, 0, lacks},
      {"Disjoint", 2, 0, isDisjoint},
      {"OuterProduct", 2, 0, isOuterProduct},
      {"NotWider", 4, 0, isNotWider},
      {"FreeFactors", 2, 1, selectFactors<false>},
      {"BoundFactors", 2, 1, selectFactors<true>},
      {"ChooseAxes", 1, 2, chooseAxes},
      {"Bipartition", 1, 2, bipartition},
  };
  for (const NativeConstraint &entry : table)
    if (entry.name == name)
      return &entry;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Rewrites
//===----------------------------------------------------------------------===//

static Binding unionAxes(AlgebraGraph &graph, ArrayRef<Binding> arguments) {
  Binding result;
  result.attribute = graph.getAxesAttr(getAxisSet(graph, arguments[0]) |
                                       getAxisSet(graph, arguments[1]));
  return result;
}

/// What the operands of a new contraction are rounded to: what the sum allows,
/// else a type that both have already, else f32.
static Binding operandType(AlgebraGraph &graph, ArrayRef<Binding> arguments) {
  Binding result;
  result.attribute = arguments[0].attribute;
  if (isa_and_nonnull<TypeAttr>(result.attribute))
    return result;
  Type type;
  bool same = true;
  for (const Binding &side : arguments.drop_front()) {
    same &= side.classes.size() == 1;
    for (ClassId id : side.classes) {
      Type element = graph.getElementType(id);
      same &= !type || type == element;
      type = element;
    }
  }
  MLIRContext *context = graph.getContext();
  if (!same || !type)
    type = type && type.isF64() ? type : Type(Float32Type::get(context));
  result.attribute = TypeAttr::get(type);
  return result;
}

const NativeRewrite *mlir::cleave::lookupRewrite(StringRef name) {
  static const NativeRewrite table[] = {
      {"UnionAxes", 2, unionAxes},
      {"OperandType", 3, operandType},
  };
  for (const NativeRewrite &entry : table)
    if (entry.name == name)
      return &entry;
  return nullptr;
}
