//===- RandomGraph.cpp - Graphs nobody wrote ------------------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations on random values, mostly on those that nothing uses yet, so that
// graphs are deep. Every operation keeps numbers in a range where f32 and the
// reference agree: what could overflow, cancel or leave a function's domain is
// scaled or bounded first. Random numbers are taken from the generator's bits
// alone: distributions differ between libraries.
//
//===----------------------------------------------------------------------===//

#include "GraphPlan.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <limits>
#include <random>

using namespace mlir;
using namespace mlir::cleave;

namespace {

/// Values and what an operation iterates over have at most so many axes.
constexpr size_t kMostAxes = 4;
constexpr size_t kMostOps = 15;
constexpr size_t kRuns = 3;
/// Positions of all axes together, so that the evaluator is quick.
constexpr int64_t kMostPositions = 60000;
constexpr int64_t kExtents[] = {1, 2, 3, 5, 7, 8, 13, 16, 17, 33};

class RandomGraph {
public:
  RandomGraph(MLIRContext &context, unsigned seed)
      : builder(&context), random(seed * 2654435761u + 17) {}

  GraphPlan run();

private:
  unsigned below(unsigned bound) { return (random() >> 8) % bound; }
  bool once(unsigned in) { return below(in) == 0; }
  template <typename T> const T &oneOf(ArrayRef<T> list) {
    return list[below(list.size())];
  }

  // Axes and arguments.
  void addAxes();
  void limitPositions();
  std::string addAxis(AxisPlan axis);
  void addArguments();
  unsigned addArgument(AxisNames axes, Type element);

  // Nodes.
  unsigned push(StringRef op, SmallVector<unsigned, 3> operands, AxisNames axes,
                SmallVector<NamedAttribute, 3> attributes = {},
                double size = 1);
  unsigned apply(StringRef op, SmallVector<unsigned, 3> operands, double size);
  unsigned constant(double value);
  unsigned extent(const std::string &axis);
  NamedAttribute attribute(StringRef name, Attribute value) {
    return builder.getNamedAttr(name, value);
  }
  NamedAttribute axesAttribute(StringRef name, ArrayRef<std::string> axes) {
    SmallVector<StringRef> names(axes.begin(), axes.end());
    return attribute(name, AxesAttr::get(builder.getContext(), names));
  }
  NamedAttribute axisAttribute(StringRef name, StringRef axis) {
    return attribute(name, builder.getStringAttr(axis));
  }
  AxisNames unionOf(ArrayRef<unsigned> values);
  AxisNames without(AxisNames axes, ArrayRef<std::string> removed);

  // Choices.
  unsigned pick();
  std::optional<unsigned> pickWithAxes();
  unsigned pickFitting(unsigned other);
  unsigned tame(unsigned value, double most);

  // Operations.
  void addOperation();
  void addUnary(unsigned x);
  void addBinary(unsigned x);
  unsigned addReduction(unsigned x, ArrayRef<std::string> axes);
  void addContraction();
  void addSoftmax(unsigned x, const std::string &axis);
  void addShifted(unsigned x, const std::string &axis);
  void addNorm(unsigned x, const std::string &axis);
  void addMoments(unsigned x, const std::string &axis);
  unsigned addMask(unsigned x, const std::string &axis, double other);
  void addView();
  void addRename(unsigned x, const std::string &axis);
  void addSlice(unsigned x, const std::string &axis);
  void addParts(unsigned x, const std::string &axis);
  void addConcat(unsigned x, const std::string &axis);
  void addStack(unsigned x);
  void addGather(unsigned x, const std::string &axis);
  void addResults();

  Builder builder;
  std::mt19937 random;
  GraphPlan plan;
  /// How large numbers of a node get, roughly.
  std::vector<double> sizes;
  std::vector<unsigned> pool;
  std::vector<unsigned> uses;
};

} // namespace

//===----------------------------------------------------------------------===//
// Axes and arguments
//===----------------------------------------------------------------------===//

std::string RandomGraph::addAxis(AxisPlan axis) {
  // Names in no particular order, so that sorting them means something.
  static constexpr char kNames[] = "KCTAMZBQEGXDNHFW";
  std::string name(1, kNames[plan.axes.size() % (sizeof(kNames) - 1)]);
  name += plan.axes.size() < sizeof(kNames) - 1 ? "" : "x";
  plan.axes[name] = axis;
  return name;
}

void RandomGraph::addAxes() {
  unsigned count = 2 + below(3);
  for (unsigned i = 0; i < count; ++i) {
    AxisPlan axis;
    axis.isDynamic = once(2);
    for (size_t run = 0; run < kRuns; ++run)
      axis.extents.push_back(axis.isDynamic || run == 0
                                 ? oneOf<int64_t>(kExtents)
                                 : axis.extents.front());
    addAxis(axis);
  }
  // An axis without positions.
  if (once(8)) {
    AxisPlan &axis = std::next(plan.axes.begin(), below(count))->second;
    if (axis.isDynamic)
      axis.extents.back() = 0;
    else
      axis.extents.assign(kRuns, 0);
  }
  limitPositions();
}

void RandomGraph::limitPositions() {
  for (size_t run = 0; run < kRuns; ++run)
    while (true) {
      int64_t positions = 1;
      AxisPlan *longest = nullptr;
      for (auto &[name, axis] : plan.axes) {
        positions *= std::max<int64_t>(axis.extents[run], 1);
        if (!longest || axis.extents[run] > longest->extents[run])
          longest = &axis;
      }
      if (positions <= kMostPositions)
        break;
      int64_t half = (longest->extents[run] + 1) / 2;
      if (longest->isDynamic)
        longest->extents[run] = half;
      else
        longest->extents.assign(kRuns, half);
    }
}

unsigned RandomGraph::addArgument(AxisNames axes, Type element) {
  NodePlan node{"argument", {}, std::move(axes), element, {}};
  if (once(2) && isa<FloatType>(element))
    node.attributes.push_back(
        attribute(CleaveDialect::kRangeAttrName, builder.getF32FloatAttr(4)));
  plan.nodes.push_back(node);
  sizes.push_back(1);
  uses.push_back(0);
  return plan.nodes.size() - 1;
}

void RandomGraph::addArguments() {
  const Type kElements[] = {builder.getF16Type(), builder.getF16Type(),
                            builder.getF16Type(), builder.getF32Type(),
                            builder.getF32Type(), builder.getBF16Type()};
  Type element = oneOf<Type>(kElements);
  AxisNames all;
  for (const auto &[name, axis] : plan.axes)
    all.push_back(name);
  unsigned count = 2 + below(3);
  for (unsigned i = 0; i < count; ++i) {
    AxisNames axes;
    for (const std::string &name : all)
      if (axes.size() < 3 && once(2))
        axes.push_back(name);
    if (axes.empty())
      axes.push_back(oneOf<std::string>(all));
    for (size_t j = axes.size(); j > 1; --j)
      std::swap(axes[j - 1], axes[below(j)]);
    if (once(4))
      element = oneOf<Type>(kElements);
    pool.push_back(
        addArgument(axes, once(40) ? Type(builder.getF64Type()) : element));
  }
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

AxisNames RandomGraph::unionOf(ArrayRef<unsigned> values) {
  AxisNames axes;
  for (unsigned value : values)
    for (const std::string &name : plan.nodes[value].axes)
      if (!llvm::is_contained(axes, name))
        axes.push_back(name);
  llvm::sort(axes);
  return axes;
}

AxisNames RandomGraph::without(AxisNames axes, ArrayRef<std::string> removed) {
  llvm::erase_if(axes, [&](const std::string &name) {
    return llvm::is_contained(removed, name);
  });
  llvm::sort(axes);
  return axes;
}

unsigned RandomGraph::push(StringRef op, SmallVector<unsigned, 3> operands,
                           AxisNames axes,
                           SmallVector<NamedAttribute, 3> attributes,
                           double size) {
  Type element = builder.getF32Type();
  for (unsigned operand : operands) {
    ++uses[operand];
    if (plan.nodes[operand].element.isF64())
      element = builder.getF64Type();
  }
  if (op == "cmp" || op == "is_finite")
    element = builder.getI1Type();
  if (op == "rename" || op == "slice" || op == "split" || op == "merge" ||
      op == "gather" || op == "concat")
    element = plan.nodes[operands.front()].element;
  plan.nodes.push_back({op.str(), operands, axes, element, attributes});
  sizes.push_back(size);
  uses.push_back(0);
  return plan.nodes.size() - 1;
}

unsigned RandomGraph::apply(StringRef op, SmallVector<unsigned, 3> operands,
                            double size) {
  AxisNames axes = unionOf(operands);
  return push(op, std::move(operands), std::move(axes), {}, size);
}

unsigned RandomGraph::constant(double value) {
  return push("constant", {}, {},
              {attribute("value", builder.getF64FloatAttr(value))},
              std::abs(value));
}

unsigned RandomGraph::extent(const std::string &axis) {
  return push("extent", {}, {}, {axisAttribute("axis", axis)}, 16);
}

//===----------------------------------------------------------------------===//
// Choices
//===----------------------------------------------------------------------===//

/// Mostly a value that nothing uses yet.
unsigned RandomGraph::pick() {
  std::vector<unsigned> fresh;
  for (unsigned value : pool)
    if (!uses[value])
      fresh.push_back(value);
  return fresh.empty() || once(4) ? oneOf<unsigned>(pool)
                                  : oneOf<unsigned>(fresh);
}

std::optional<unsigned> RandomGraph::pickWithAxes() {
  for (unsigned tries = 0; tries < 8; ++tries)
    if (unsigned value = pick(); !plan.nodes[value].axes.empty())
      return value;
  return std::nullopt;
}

/// A value whose axes together with those of `other` are not too many.
unsigned RandomGraph::pickFitting(unsigned other) {
  for (unsigned tries = 0; tries < 8; ++tries)
    if (unsigned value = pick(); unionOf({value, other}).size() <= kMostAxes)
      return value;
  return other;
}

/// The value, made no larger than `most`.
unsigned RandomGraph::tame(unsigned value, double most) {
  if (sizes[value] <= most)
    return value;
  if (once(2))
    return apply("tanh", {value}, 1);
  return apply("mul", {value, constant(most / sizes[value])}, most);
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

void RandomGraph::addUnary(unsigned x) {
  double size = sizes[x];
  auto done = [&](StringRef op, unsigned operand, double result) {
    pool.push_back(apply(op, {operand}, result));
  };
  switch (below(14)) {
  case 0:
    return done("tanh", x, 1);
  case 1:
    return done("sigmoid", x, 1);
  case 2:
    return done("neg", x, size);
  case 3:
    return done("abs", x, size);
  case 4:
    return done("erf", x, 1);
  case 5:
    return done("silu", x, size);
  case 6:
    return pool.push_back(
        push("gelu", {x}, unionOf({x}),
             {attribute("form", GeluFormAttr::get(builder.getContext(),
                                                  once(2) ? GeluForm::erf
                                                          : GeluForm::tanh))},
             size));
  case 7:
    return done("exp", tame(x, 2), 8);
  case 8:
    return done("exp2", tame(x, 2), 4);
  case 9:
    return done("sqrt", apply("abs", {x}, size), std::sqrt(size));
  case 10: {
    unsigned positive = apply("abs", {x}, size);
    return done("log", apply("add", {positive, constant(1)}, size + 1), 3);
  }
  case 11: {
    unsigned square = apply("mul", {x, x}, size * size);
    unsigned positive = apply("add", {square, constant(0.5)}, size * size);
    return done(once(2) ? "rsqrt" : "recip", positive, 2);
  }
  case 12:
    return done("recip0", apply("max", {x, constant(0.25)}, size), 4);
  default: {
    // A rounding on the way.
    Type half = once(3) ? Type(builder.getBF16Type()) : builder.getF16Type();
    unsigned small = tame(x, 1000);
    AxisNames axes = unionOf({small});
    unsigned cast = push("cast", {small}, axes, {}, sizes[small]);
    plan.nodes[cast].element = half;
    return pool.push_back(cast);
  }
  }
}

void RandomGraph::addBinary(unsigned x) {
  unsigned y = pickFitting(x);
  SmallVector<unsigned, 3> operands = {x, y};
  if (once(4)) {
    unsigned z = pickFitting(x);
    if (unionOf({x, y, z}).size() <= kMostAxes)
      operands.push_back(z);
  }
  double most = 0, product = 1;
  for (unsigned operand : operands) {
    most = std::max(most, sizes[operand]);
    product *= sizes[operand];
  }
  switch (below(9)) {
  case 0:
  case 1:
    return pool.push_back(apply("add", operands, 2 * most));
  case 2:
  case 3:
  case 4:
    return pool.push_back(apply("mul", operands, product));
  case 5:
    return pool.push_back(apply("sub", {x, y}, 2 * most));
  case 6:
    return pool.push_back(apply("max", operands, most));
  case 7:
    return pool.push_back(apply("min", operands, most));
  default: {
    unsigned positive = apply("abs", {y}, sizes[y]);
    unsigned divisor = apply("add", {positive, constant(0.5)}, sizes[y]);
    return pool.push_back(apply("div", {x, divisor}, 2 * sizes[x]));
  }
  }
}

unsigned RandomGraph::addReduction(unsigned x, ArrayRef<std::string> axes) {
  AxisNames sorted(axes.begin(), axes.end());
  llvm::sort(sorted);
  auto reduce = [&](StringRef op, unsigned value, double size) {
    return push(op, {value}, without(plan.nodes[value].axes, sorted),
                {axesAttribute("axes", sorted)}, size);
  };
  switch (below(8)) {
  case 0:
    return reduce("reduce_min", x, sizes[x]);
  case 1:
  case 2:
    return reduce("reduce_max", x, sizes[x]);
  case 3: {
    // Factors around 1.
    unsigned small = apply("tanh", {x}, 1);
    unsigned tenth = apply("mul", {small, constant(0.05)}, 0.05);
    unsigned factor = apply("add", {tenth, constant(1)}, 1);
    return reduce("reduce_prod", factor, 4);
  }
  default:
    return reduce("reduce_sum", x, 8 * sizes[x]);
  }
}

void RandomGraph::addContraction() {
  std::optional<unsigned> x = pickWithAxes();
  if (!x)
    return;
  unsigned y = pickFitting(*x);
  unsigned lhs = tame(*x, 300), rhs = tame(y, 300);
  AxisNames axes = unionOf({lhs, rhs}), reduced;
  // Mostly what both have.
  for (const std::string &axis : axes) {
    bool inBoth = llvm::is_contained(plan.nodes[lhs].axes, axis) &&
                  llvm::is_contained(plan.nodes[rhs].axes, axis);
    if (inBoth ? !once(3) : once(6))
      reduced.push_back(axis);
  }
  if (reduced.empty())
    reduced.push_back(oneOf<std::string>(axes));
  SmallVector<NamedAttribute, 3> attributes = {axesAttribute("axes", reduced)};
  if (once(3))
    attributes.push_back(attribute(
        "operand_type", TypeAttr::get(once(2) ? Type(builder.getF16Type())
                                              : Type(builder.getF32Type()))));
  pool.push_back(push("contract", {lhs, rhs}, without(axes, reduced),
                      attributes, 4 * sizes[lhs] * sizes[rhs]));
}

void RandomGraph::addSoftmax(unsigned x, const std::string &axis) {
  if (once(4))
    x = addMask(x, axis, -std::numeric_limits<double>::infinity());
  if (once(3))
    return pool.push_back(push("logsumexp", {x},
                               without(plan.nodes[x].axes, {axis}),
                               {axesAttribute("axes", {axis})}, sizes[x] + 3));
  pool.push_back(
      push("softmax", {x}, unionOf({x}), {axesAttribute("axes", {axis})}, 1));
}

/// exp(x - max x), with or without a guard, and mostly its sum.
void RandomGraph::addShifted(unsigned x, const std::string &axis) {
  AxisNames rest = without(plan.nodes[x].axes, {axis});
  unsigned shift =
      push("reduce_max", {x}, rest, {axesAttribute("axes", {axis})}, sizes[x]);
  if (once(2)) {
    unsigned finite = apply("is_finite", {shift}, 1);
    shift = apply("select", {finite, shift, constant(0)}, sizes[x]);
  }
  unsigned difference = apply("sub", {x, shift}, 2 * sizes[x]);
  unsigned weight = apply("exp", {difference}, 1);
  pool.push_back(weight);
  if (once(4))
    return;
  unsigned sum =
      push("reduce_sum", {weight}, rest, {axesAttribute("axes", {axis})}, 8);
  if (once(2))
    return pool.push_back(sum);
  unsigned scale = apply(once(2) ? "recip0" : "recip", {sum}, 1);
  pool.push_back(apply("mul", {weight, scale}, 1));
}

void RandomGraph::addNorm(unsigned x, const std::string &axis) {
  unsigned weight = pickFitting(x);
  bool fits = llvm::all_of(plan.nodes[weight].axes, [&](const auto &name) {
    return llvm::is_contained(plan.nodes[x].axes, name);
  });
  SmallVector<unsigned, 3> operands = {x};
  if (fits && weight != x)
    operands.push_back(weight);
  double size = fits ? 3 * sizes[weight] : 3;
  pool.push_back(push(once(2) ? "rms_norm" : "layer_norm", operands,
                      unionOf({x}),
                      {axesAttribute("axes", {axis}),
                       attribute("eps", builder.getF64FloatAttr(1e-3))},
                      size));
}

/// The mean, and mostly the mean square of what is left.
void RandomGraph::addMoments(unsigned x, const std::string &axis) {
  AxisNames rest = without(plan.nodes[x].axes, {axis});
  unsigned recip = apply("recip", {extent(axis)}, 1);
  auto mean = [&](unsigned value) {
    unsigned sum = push("reduce_sum", {value}, rest,
                        {axesAttribute("axes", {axis})}, 8 * sizes[value]);
    return apply("mul", {sum, recip}, sizes[value]);
  };
  unsigned center = mean(x);
  if (once(4))
    return pool.push_back(center);
  unsigned difference = apply("sub", {x, center}, 2 * sizes[x]);
  pool.push_back(
      mean(apply("mul", {difference, difference}, sizes[x] * sizes[x])));
  if (once(2))
    pool.push_back(difference);
}

/// The value where a comparison of positions or of an argument holds.
unsigned RandomGraph::addMask(unsigned x, const std::string &axis,
                              double other) {
  MLIRContext *context = builder.getContext();
  auto iota = [&](const std::string &name) {
    return push("iota", {}, {name}, {axisAttribute("axis", name)}, 16);
  };
  unsigned position = iota(axis), limit;
  const AxisNames axes = plan.nodes[x].axes;
  if (axes.size() > 1 && once(2)) {
    // Causal, aligned at the end.
    const std::string &row = axes.front() == axis ? axes.back() : axes.front();
    unsigned difference = apply("sub", {extent(axis), extent(row)}, 16);
    limit = apply("add", {iota(row), difference}, 16);
  } else {
    limit = constant(below(9));
  }
  const CmpPredicate kPredicates[] = {CmpPredicate::le, CmpPredicate::lt,
                                      CmpPredicate::ge, CmpPredicate::ne};
  auto predicate =
      CmpPredicateAttr::get(context, oneOf<CmpPredicate>(kPredicates));
  AxisNames both = unionOf({position, limit});
  unsigned condition =
      push("cmp", {position, limit}, both, {attribute("predicate", predicate)});
  return apply("select", {condition, x, constant(other)}, sizes[x]);
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

static AxisNames replaced(AxisNames axes, const std::string &from,
                          ArrayRef<std::string> to) {
  llvm::erase(axes, from);
  axes.append(to.begin(), to.end());
  llvm::sort(axes);
  return axes;
}

void RandomGraph::addRename(unsigned x, const std::string &axis) {
  // To another axis of one extent, or a new one.
  std::string to;
  for (const auto &[name, other] : plan.axes)
    if (name != axis && other.extents == plan.axes[axis].extents &&
        !llvm::is_contained(plan.nodes[x].axes, name))
      to = name;
  if (to.empty() && plan.axes.size() < 6)
    to = addAxis(AxisPlan(plan.axes[axis]));
  if (!to.empty())
    pool.push_back(push(
        "rename", {x}, replaced(plan.nodes[x].axes, axis, {to}),
        {axesAttribute("from", {axis}), axesAttribute("to", {to})}, sizes[x]));
}

void RandomGraph::addSlice(unsigned x, const std::string &axis) {
  const AxisPlan plain = plan.axes[axis];
  int64_t length = plain.extents.front();
  if (plain.isDynamic || length < 2)
    return;
  int64_t offset = below(length), rest = length - offset;
  SmallVector<NamedAttribute, 3> attributes = {
      axisAttribute("axis", axis),
      attribute("offset", builder.getI64IntegerAttr(offset))};
  AxisNames to;
  if (!once(3) && plan.axes.size() < 6) {
    AxisPlan part;
    part.extents.assign(kRuns, 1 + below(rest));
    to.push_back(addAxis(part));
    attributes.push_back(axisAttribute("part", to.front()));
  }
  pool.push_back(push("slice", {x}, replaced(plan.nodes[x].axes, axis, to),
                      attributes, sizes[x]));
}

/// The axis as two, of which one may be reduced and both merged again.
void RandomGraph::addParts(unsigned x, const std::string &axis) {
  const AxisPlan plain = plan.axes[axis];
  int64_t length = plain.extents.front();
  if (plain.isDynamic || length < 4 || length % 2 || plan.axes.size() > 4)
    return;
  AxisPlan part;
  part.extents.assign(kRuns, 2);
  AxisPlan rest;
  rest.extents.assign(kRuns, length / 2);
  std::string outer = addAxis(part), inner = addAxis(rest);
  unsigned parts =
      push("split", {x}, replaced(plan.nodes[x].axes, axis, {outer, inner}),
           {axisAttribute("axis", axis), axisAttribute("outer", outer),
            axisAttribute("inner", inner)},
           sizes[x]);
  if (plan.nodes[parts].axes.size() > kMostAxes || once(2)) {
    pool.push_back(addReduction(parts, {once(2) ? outer : inner}));
    return;
  }
  pool.push_back(parts);
}

/// Behind another value of the same axes; reduced, since a concatenation is no
/// result.
void RandomGraph::addConcat(unsigned x, const std::string &axis) {
  if (plan.axes.size() > 5 || !plan.nodes[x].element.isF32())
    return;
  // All but the last part have static extents.
  AxisPlan whole = plan.axes[axis];
  if (whole.isDynamic)
    return;
  unsigned y = apply("tanh", {x}, 1);
  for (int64_t &length : whole.extents)
    length *= 2;
  std::string to = addAxis(whole);
  unsigned both =
      push("concat", {x, y}, replaced(plan.nodes[x].axes, axis, {to}),
           {attribute("along", builder.getStrArrayAttr({axis, axis})),
            axisAttribute("axis", to)},
           sizes[x] + 1);
  pool.push_back(addReduction(both, {to}));
}

void RandomGraph::addStack(unsigned x) {
  unsigned y = pickFitting(x);
  if (plan.axes.size() > 4 || unionOf({x, y}).size() >= kMostAxes)
    return;
  AxisPlan two;
  two.extents.assign(kRuns, 2);
  std::string axis = addAxis(two);
  AxisNames axes = replaced(unionOf({x, y}), "", {axis});
  pool.push_back(push("stack", {x, y}, axes, {axisAttribute("axis", axis)},
                      std::max(sizes[x], sizes[y])));
}

/// At positions that an argument holds, 0 or 1.
void RandomGraph::addGather(unsigned x, const std::string &axis) {
  AxisNames rest = without(plan.nodes[x].axes, {axis});
  if (rest.empty() || plan.axes[axis].extents.front() < 2 ||
      plan.axes[axis].isDynamic)
    return;
  unsigned index = addArgument({rest.front()}, builder.getI32Type());
  pool.push_back(push("gather", {x, index}, rest, {axisAttribute("axis", axis)},
                      sizes[x]));
}

void RandomGraph::addView() {
  std::optional<unsigned> x = pickWithAxes();
  if (!x)
    return;
  std::string axis = oneOf<std::string>(plan.nodes[*x].axes);
  switch (below(8)) {
  case 0:
  case 1:
    return addRename(*x, axis);
  case 2:
  case 3:
    return addSlice(*x, axis);
  case 4:
    return addParts(*x, axis);
  case 5:
    return addConcat(*x, axis);
  case 6:
    return addStack(*x);
  default:
    return addGather(*x, axis);
  }
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

void RandomGraph::addOperation() {
  unsigned x = pick();
  std::optional<unsigned> y = pickWithAxes();
  if (y)
    x = *y;
  const AxisNames axes = plan.nodes[x].axes;
  if (axes.empty())
    return addBinary(x);
  // Often the axis that was reduced before, so that reductions meet.
  std::string first = plan.axes.begin()->first;
  std::string axis = llvm::is_contained(axes, first) && once(2)
                         ? first
                         : oneOf<std::string>(axes);
  switch (below(20)) {
  case 0:
  case 1:
  case 2:
    return addUnary(x);
  case 3:
  case 4:
  case 5:
  case 6:
    return addBinary(x);
  case 7:
  case 8:
    return pool.push_back(addReduction(x, {axis}));
  case 9:
    return pool.push_back(addReduction(
        x, axes.size() > 1 ? ArrayRef(axes).take_front(2) : ArrayRef(axes)));
  case 10:
  case 11:
  case 12:
    return addContraction();
  case 13:
    return addSoftmax(x, axis);
  case 14:
    return addShifted(x, axis);
  case 15:
    return addNorm(x, axis);
  case 16:
    return addMoments(x, axis);
  case 17:
    return pool.push_back(addMask(x, axis, 0));
  default:
    return addView();
  }
}

/// Values that nothing uses, as they are or rounded, in any storage order.
void RandomGraph::addResults() {
  std::vector<unsigned> sinks;
  for (unsigned value : pool)
    if (!uses[value] && plan.nodes[value].op != "argument")
      sinks.push_back(value);
  while (sinks.size() > 4)
    sinks.erase(sinks.begin() + below(sinks.size()));
  for (unsigned sink : sinks) {
    unsigned value = sink;
    if (once(2)) {
      value = push("cast", {value}, unionOf({value}), {}, sizes[value]);
      plan.nodes[value].element = sizes[sink] < 1000 && !once(3)
                                      ? Type(builder.getF16Type())
                                      : Type(builder.getF32Type());
    }
    AxisNames axes = plan.nodes[value].axes;
    if (axes.size() > 1 && once(2)) {
      Type element = plan.nodes[value].element;
      std::swap(axes.front(), axes.back());
      value = push("relayout", {value}, axes, {}, sizes[value]);
      plan.nodes[value].element = element;
    }
    plan.results.push_back(value);
  }
}

GraphPlan RandomGraph::run() {
  addAxes();
  addArguments();
  size_t arguments = plan.nodes.size();
  size_t wanted = 3 + below(kMostOps - 5);
  while (plan.nodes.size() - arguments < wanted)
    addOperation();
  addResults();
  plan.prune();
  return std::move(plan);
}

GraphPlan mlir::cleave::makeRandomGraph(MLIRContext &context, unsigned seed) {
  // Compound operations can make a graph too long, and views need extents.
  for (unsigned attempt = 0;; ++attempt) {
    GraphPlan plan = RandomGraph(context, seed + 100003 * attempt).run();
    if (!plan.results.empty() && plan.countOps() >= 3 &&
        plan.countOps() <= kMostOps && plan.axes.size() >= 2 &&
        plan.axes.size() <= 5 && plan.build(context))
      return plan;
  }
}
