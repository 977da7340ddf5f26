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

View ProblemBuilder::viewOf(const Renaming &renaming, AxisId axis) const {
  if (auto it = renaming.find(axis); it != renaming.end())
    return it->second;
  auto pair = pairs.find(axis);
  return pair == pairs.end() ? View{axis} : pair->second;
}

/// Where the dimension `name` in memory that `view` is of is read or written.
Cut ProblemBuilder::getCut(StringAttr name, const View &view) {
  Cut cut;
  cut.offset = view.offset;
  cut.kept = view.axis.has_value();
  cut.whole = view.whole;
  if (view.outer) {
    cut.stride = view.stride;
    cut.outer = *view.outer;
    int64_t outer = problem.axes[cut.outer].extent;
    cut.full = view.axis && !view.offset && outer != kDynamic &&
               view.stride == problem.axes[*view.axis].extent &&
               outer * view.stride == getExtent(name);
    problem.axes[cut.outer].unit |= !cut.full;
  }
  return cut;
}

NodeId ProblemBuilder::addIota(const View &view, Element element) {
  if (view.outer) {
    NodeId outer = problem.addPointwise(
        Pointwise::Mul,
        {addIota(View{view.outer}, element),
         view.stride == kDynamic ? addExtent(*view.axis, element)
                                 : problem.addConstant(view.stride, element)},
        element);
    NodeId inner = addIota(View{view.axis, view.offset}, element);
    return problem.addPointwise(Pointwise::Add, {outer, inner}, element);
  }
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
  View view;
  if (op.getPart())
    view = viewOf(renaming, getAxis(op.getPartAttr()));
  view.offset += op.getOffset();
  view.whole = false;
  Renaming below = renaming;
  below[getAxis(op.getAxisAttr())] = view;
  return build(op.getInput(), below);
}

/// An axis is its only part. Several parts are all full, or used as they are.
FailureOr<NodeId> ProblemBuilder::buildSplit(SplitOp op,
                                             const Renaming &renaming) {
  AxisId axis = getAxis(op.getAxisAttr());
  View outer = viewOf(renaming, getAxis(op.getOuterAttr()));
  View view = viewOf(renaming, getAxis(op.getInnerAttr()));
  if (int64_t parts = getExtent(op.getOuterAttr()); parts != 1) {
    int64_t part = getExtent(op.getInnerAttr());
    std::optional<PartOf> relation;
    if (view.axis)
      relation = problem.axes[*view.axis].part;
    bool shorter = relation && relation->whole == axis && outer.axis &&
                   relation->outer == *outer.axis && !view.offset &&
                   !outer.offset;
    bool full = parts != kDynamic && part != kDynamic &&
                parts * part == problem.axes[axis].extent;
    if (!full && !shorter)
      return op.emitOpError("is not supported by scheduling: expected parts of "
                            "axis '")
             << op.getAxis() << "' of one static extent";
    if (outer.outer || view.outer)
      return op.emitOpError("is not supported by scheduling: parts of axis '")
             << op.getAxis() << "' are themselves merged";
    view.offset += outer.offset * part;
    view.outer = outer.axis;
    view.stride = outer.axis ? part : 0;
    if (shorter)
      problem.axes[relation->outer].unit = true;
    view.whole = false;
  }
  Renaming below = renaming;
  below[axis] = view;
  return build(op.getInput(), below);
}

FailureOr<NodeId> ProblemBuilder::buildMerge(MergeOp op,
                                             const Renaming &renaming) {
  View view = viewOf(renaming, getAxis(op.getAxisAttr()));
  View outer, inner;
  int64_t parts = getExtent(op.getOuterAttr());
  int64_t part = getExtent(op.getInnerAttr());
  // Parts that a schedule chooses may be more: the last ones are empty.
  auto fits = [&] {
    int64_t used = problem.axes[*view.outer].extent;
    return used == kDynamic || parts == kDynamic
               ? !problem.axes[*view.axis].part
               : used <= parts;
  };
  if (parts == 1) {
    inner = view;
  } else if (view.isPosition() && part > 0) {
    outer.offset = view.offset / part;
    inner.offset = view.offset % part;
  } else if (view.outer && view.axis && view.stride == part && !view.offset &&
             fits()) {
    outer.axis = view.outer;
    inner.axis = view.axis;
  } else {
    return op.emitOpError("is not supported by scheduling: expected axis '")
           << op.getAxis()
           << "' to be used in the same parts, of static extents";
  }
  Renaming below = renaming;
  below[getAxis(op.getOuterAttr())] = outer;
  below[getAxis(op.getInnerAttr())] = inner;
  return build(op.getInput(), below);
}

/// Where only positions of one input are used, as in a reduction over one part.
FailureOr<NodeId> ProblemBuilder::buildConcat(ConcatOp op,
                                              const Renaming &renaming) {
  AxisId axis = getAxis(op.getAxisAttr());
  View view = viewOf(renaming, axis);
  int64_t length = view.axis ? problem.axes[*view.axis].extent : 1;
  int64_t begin = 0;
  for (auto [number, along] :
       llvm::enumerate(op.getAlong().getAsRange<StringAttr>())) {
    Value input = op.getInputs()[number];
    int64_t extent = getExtent(along);
    // What begins in the last part ends there.
    bool fits = number + 1 == op.getInputs().size() ||
                (extent != kDynamic && length != kDynamic &&
                 view.offset + length <= begin + extent);
    if (!view.outer && view.offset >= begin && fits) {
      Renaming below = renaming;
      view.offset -= begin;
      view.whole =
          extent == kDynamic ? view.axis == getAxis(along) : length == extent;
      below[getAxis(along)] = view;
      return build(input, below);
    }
    if (extent == kDynamic)
      break;
    begin += extent;
  }
  return op.emitOpError("is not supported by scheduling: expected axis '")
         << op.getAxis() << "' to be reduced, or one part of it to be used";
}

/// The pairs of axes that stand together in a value of the function or are
/// reduced together with one.
static DenseSet<std::pair<StringAttr, StringAttr>>
getNeighbours(func::FuncOp function) {
  DenseSet<std::pair<StringAttr, StringAttr>> neighbours;
  auto addValues = [&](ValueRange values) {
    SmallVector<StringAttr> names;
    for (Value value : values)
      if (isCleaveTensor(value.getType()))
        llvm::append_range(names, getAxes(value).getNames());
    for (StringAttr a : names)
      for (StringAttr b : names)
        neighbours.insert({a, b});
  };
  function.walk([&](Operation *op) {
    // Views and terminators have no positions of their own to mix up.
    bool together = !isa<SplitOp, MergeOp, RenameOp, AlternativesOp>(op) &&
                    !op->hasTrait<OpTrait::IsTerminator>() && op != function;
    for (Value value : op->getResults())
      addValues(value);
    if (together && (op->getNumRegions() == 0 || isa<FoldOp>(op)))
      addValues(op->getOperands());
  });
  return neighbours;
}

/// An axis that a merge makes is everywhere the two axes of its parts. Where
/// these may mean something else beside it, they get names of their own.
void ProblemBuilder::addPairs() {
  DenseSet<std::pair<StringAttr, StringAttr>> neighbours =
      getNeighbours(function);
  std::set<StringRef> taken;
  auto addPart = [&](StringRef axis, StringRef suffix, int64_t extent) {
    std::string name = (axis + suffix).str();
    while (problem.findAxis(name) >= 0)
      name += "_";
    return problem.addAxis(name, extent, extent);
  };
  function.walk([&](MergeOp op) {
    AlternativesOp around = op->getParentOfType<AlternativesOp>();
    if (around &&
        !around.getAlternatives()[region].isAncestor(op->getParentRegion()))
      return;
    AxisId axis = getAxis(op.getAxisAttr());
    int64_t parts = getExtent(op.getOuterAttr());
    int64_t part = getExtent(op.getInnerAttr());
    if (parts <= 1 || part == kDynamic || pairs.count(axis) ||
        problem.axes[axis].extent != parts * part)
      return;
    View view;
    bool own = !neighbours.count({op.getAxisAttr(), op.getOuterAttr()}) &&
               !neighbours.count({op.getAxisAttr(), op.getInnerAttr()}) &&
               !pairs.count(getAxis(op.getOuterAttr())) &&
               !pairs.count(getAxis(op.getInnerAttr())) &&
               !taken.count(op.getOuter()) && !taken.count(op.getInner()) &&
               !taken.count(op.getAxis());
    if (own) {
      view.outer = getAxis(op.getOuterAttr());
      view.axis = getAxis(op.getInnerAttr());
      taken.insert({op.getAxis(), op.getOuter(), op.getInner()});
    } else {
      view.outer = addPart(op.getAxis(), ".outer", parts);
      view.axis = addPart(op.getAxis(), ".inner", part);
    }
    view.stride = part;
    view.whole = false;
    pairs[axis] = view;
  });
}

/// A view calls the axis of its operand otherwise, as does a reduction over an
/// axis that is taken.
void ProblemBuilder::findViewedAxes() {
  auto add = [&](StringAttr name) {
    if (name)
      viewed.insert(getAxis(name));
  };
  function.walk([&](Operation *op) {
    if (auto rename = dyn_cast<RenameOp>(op))
      llvm::for_each(rename.getFrom().getNames(), add);
    else if (auto merge = dyn_cast<MergeOp>(op))
      for (StringAttr name : {merge.getOuterAttr(), merge.getInnerAttr()})
        add(name);
    else if (auto concat = dyn_cast<ConcatOp>(op))
      llvm::for_each(concat.getAlong().getAsRange<StringAttr>(), add);
    else if (auto axes = op->getAttrOfType<AxesAttr>("axes"))
      llvm::for_each(axes.getNames(), add);
    else
      for (StringRef axis : {"axis", "cache_axis"})
        add(op->getAttrOfType<StringAttr>(axis));
  });
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

/// Remembers what a kernel would write that has the cache's memory for the
/// result.
void ProblemBuilder::addInsertion(InsertOp op, const Renaming &renaming,
                                  NodeId cache, NodeId position,
                                  NodeId result) {
  AxisId axis = getAxis(op.getAxisAttr());
  View along = viewOf(renaming, getAxis(op.getCacheAxisAttr()));
  if (contains(problem[result].axes, axis) || !along.axis ||
      !(along == View{along.axis}) ||
      problem[position].kind != NodeKind::Argument ||
      !problem[position].cuts.empty())
    return;
  Renaming inside = renaming;
  inside.erase(axis);
  FailureOr<NodeId> source = build(op.getInput(), inside);
  if (failed(source) || !contains(problem[*source].axes, axis))
    return;
  Insertion &insertion = insertions[result];
  insertion.cache = cache;
  insertion.update.source = *source;
  insertion.update.place = {problem[cache].argument, axis, *along.axis,
                            problem[position].argument,
                            problem[position].storage};
}

/// Result `number`, which has the value `value`, is to be written where the
/// argument lies that its attribute names.
LogicalResult ProblemBuilder::addUpdate(unsigned number, NodeId value,
                                        const Result &result) {
  auto alias = function.getResultAttrOfType<StringAttr>(
      number, CleaveDialect::kAliasAttrName);
  if (!alias)
    return success();
  auto refuse = [&](const Twine &what) {
    return function.emitOpError("expected ")
           << what << " for result " << number << ", which has the memory of '"
           << alias.getValue() << "'";
  };
  auto found = insertions.find(value);
  if (found == insertions.end())
    return refuse("a cleave.insert of other rows, at a position that is an "
                  "argument,");
  const Insertion &insertion = found->second;
  const Node &cache = problem[insertion.cache];
  if (cache.kind != NodeKind::Argument ||
      problem.argumentNames[cache.argument] != alias.getValue())
    return refuse("a cleave.insert into that argument");
  if (cache.storage != result.storage)
    return refuse("the argument's storage order");
  problem.updates[result.node] = insertion.update;
  return success();
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
  NodeId result = problem.addCast(*chosen, *element);
  addInsertion(op, renaming, *cache, *first, result);
  return result;
}
