//===- BuildViews.cpp - Views and choices by position as nodes ------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: scheduling. A view disappears: what is below it is built for other
// axes. What looks up a position becomes a maximum over all positions, of which
// one counts: right for tables that are computed, and never a stray read.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Conversion/EmitBody.h"
#include "ProblemBuilder.h"
#include <limits>

using namespace mlir;
using namespace mlir::cleave;
using namespace mlir::cleave::schedule;

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

NodeId ProblemBuilder::addIota(const View &view, Element element) {
  if (!view.axis)
    return problem.addConstant(static_cast<double>(view.offset), element);
  Node node;
  node.kind = NodeKind::Pointwise;
  node.op = Pointwise::Iota;
  node.element = element;
  node.axes = {*view.axis};
  node.value = static_cast<double>(view.offset);
  return problem.add(node);
}

NodeId ProblemBuilder::addExtent(AxisId axis, Element element) {
  if (problem.axes[axis].extent != kDynamic)
    return problem.addConstant(problem.axes[axis].extent, element);
  Node node;
  node.kind = NodeKind::Extent;
  node.element = element;
  node.reduced = {axis};
  return problem.add(node);
}

FailureOr<NodeId> ProblemBuilder::buildSlice(SliceOp op,
                                             const Renaming &renaming) {
  View view{std::nullopt};
  if (op.getPart())
    view = viewOf(renaming, getAxis(op.getPartAttr()));
  view.offset += op.getOffset();
  view.whole = false;
  Renaming below = renaming;
  below[getAxis(op.getAxisAttr())] = view;
  return build(op.getInput(), below);
}

/// Into one part, which is the axis itself.
FailureOr<NodeId> ProblemBuilder::buildSplit(SplitOp op,
                                             const Renaming &renaming) {
  if (problem.axes[getAxis(op.getOuterAttr())].extent != 1)
    return op.emitOpError("is not supported by scheduling: expected axis '")
           << op.getOuter() << "' to have extent 1";
  Renaming below = renaming;
  below[getAxis(op.getAxisAttr())] =
      viewOf(renaming, getAxis(op.getInnerAttr()));
  return build(op.getInput(), below);
}

FailureOr<NodeId> ProblemBuilder::buildMerge(MergeOp op,
                                             const Renaming &renaming) {
  if (problem.axes[getAxis(op.getOuterAttr())].extent != 1)
    return op.emitOpError("is not supported by scheduling: expected axis '")
           << op.getOuter() << "' to have extent 1";
  Renaming below = renaming;
  below[getAxis(op.getOuterAttr())] = View{std::nullopt};
  below[getAxis(op.getInnerAttr())] =
      viewOf(renaming, getAxis(op.getAxisAttr()));
  return build(op.getInput(), below);
}

//===----------------------------------------------------------------------===//
// Choices
//===----------------------------------------------------------------------===//

/// The type that counts the positions of `axes` exactly.
Element ProblemBuilder::getCounter(ArrayRef<AxisId> axes) {
  constexpr int64_t kLargest = int64_t(1) << 24;
  return llvm::all_of(axes,
                      [&](AxisId axis) {
                        int64_t extent = problem.axes[axis].extent;
                        return extent != kDynamic && extent <= kLargest;
                      })
             ? Element::F32
             : Element::F64;
}

/// `table` at `position` along `axis`, and `otherwise` where that is none of
/// its positions; over the axes of `result`, in the type of its arithmetic.
FailureOr<NodeId> ProblemBuilder::buildChoice(Value table, StringAttr axis,
                                              Value result, NodeId position,
                                              NodeId otherwise,
                                              const Renaming &renaming) {
  Element element = problem[otherwise].element;
  Element counter = problem[position].element;
  AxisSet reduced;
  Renaming inside = enterReduction(
      AxesAttr::get(function.getContext(), ArrayRef<StringAttr>(axis)),
      renaming, getAxes(result), reduced);
  NodeId chosen;
  if (isEmpty(reduced)) {
    chosen = addUnit(Combiner::Max, element, result, renaming);
  } else {
    FailureOr<NodeId> values = build(table, inside);
    if (failed(values))
      return failure();
    NodeId place = addIota(viewOf(inside, getAxis(axis)), counter);
    NodeId hit =
        problem.addPointwise(Pointwise::CmpEq, {place, position}, Element::I1);
    NodeId unit = problem.addConstant(getUnit(Combiner::Max), element);
    NodeId candidate =
        problem.addPointwise(Pointwise::Select, {hit, *values, unit}, element);
    chosen = addReduction(Combiner::Max, candidate, reduced, element);
  }
  NodeId zero = problem.addConstant(0, counter);
  NodeId low =
      problem.addPointwise(Pointwise::CmpGe, {position, zero}, Element::I1);
  NodeId high = problem.addPointwise(
      Pointwise::CmpLt, {position, addExtent(getAxis(axis), counter)},
      Element::I1);
  chosen = problem.addPointwise(Pointwise::Select, {high, chosen, otherwise},
                                element);
  return problem.addPointwise(Pointwise::Select, {low, chosen, otherwise},
                              element);
}

static Element getArithmetic(Element element) {
  return element == Element::F64 ? Element::F64 : Element::F32;
}

FailureOr<NodeId> ProblemBuilder::buildGather(GatherOp op,
                                              const Renaming &renaming) {
  FailureOr<NodeId> index = build(op.getIndex(), renaming);
  FailureOr<Element> element = getElement(op.getType(), op.getLoc());
  if (failed(index) || failed(element))
    return failure();
  NodeId nan = problem.addConstant(std::numeric_limits<double>::quiet_NaN(),
                                   getArithmetic(*element));
  NodeId position =
      problem.addCast(*index, getCounter(getAxis(op.getAxisAttr())));
  FailureOr<NodeId> chosen = buildChoice(
      op.getTable(), op.getAxisAttr(), op.getResult(), position, nan, renaming);
  if (failed(chosen))
    return failure();
  return problem.addCast(*chosen, *element);
}

FailureOr<NodeId> ProblemBuilder::buildInsert(InsertOp op,
                                              const Renaming &renaming) {
  FailureOr<NodeId> cache = build(op.getCache(), renaming);
  FailureOr<NodeId> first = build(op.getPosition(), renaming);
  FailureOr<Element> element = getElement(op.getType(), op.getLoc());
  if (failed(cache) || failed(first) || failed(element))
    return failure();
  if (!isFloat(*element))
    return op.emitOpError("is not supported by scheduling: expected floats");
  AxisId axis = getAxis(op.getCacheAxisAttr());
  Element counter = getCounter({axis, getAxis(op.getAxisAttr())});
  NodeId position =
      problem.addPointwise(Pointwise::Sub,
                           {addIota(viewOf(renaming, axis), counter),
                            problem.addCast(*first, counter)},
                           counter);
  FailureOr<NodeId> chosen =
      buildChoice(op.getInput(), op.getAxisAttr(), op.getResult(), position,
                  problem.addCast(*cache, getArithmetic(*element)), renaming);
  if (failed(chosen))
    return failure();
  return problem.addCast(*chosen, *element);
}
