//===- EmitLoops.cpp - A planned loop nest as IR --------------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: scheduling. Writes the scheduled form (docs/scheduled-form.md) step by
// step; every decision has been made by the planner.
//
//===----------------------------------------------------------------------===//

#include "LoopEmitter.h"

#include "Cleave/Conversion/EmitBody.h"
#include "Cleave/Transforms/Schedule/Products.h"
#include "EmitDomain.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

using namespace mlir;
using namespace mlir::cleave;
using namespace mlir::cleave::schedule;

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

/// How far `axis` goes: as a part, to the end of the whole axis at most.
OpFoldResult LoopEmitter::getEnd(NestBlock &block, AxisId axis) {
  const std::optional<PartOf> &part = problem.axes[axis].part;
  if (!part || !block.bindings.count(part->outer))
    return getExtent(axis);
  Value length = toValue(getExtent(axis));
  Value number = toValue(ranges[block.bindings.at(part->outer).id].first);
  Value begin = arith::MulIOp::create(b, loc, number, length);
  Value rest =
      arith::SubIOp::create(b, loc, toValue(getExtent(part->whole)), begin);
  rest = arith::MaxSIOp::create(b, loc, rest, toValue(b.getIndexAttr(0)));
  return arith::MinSIOp::create(b, loc, rest, length).getResult();
}

/// Size of the tile at `position`: short at the end of the axis.
void LoopEmitter::bind(const Binding &binding, AxisId axis,
                       OpFoldResult position, OpFoldResult last) {
  int64_t extent = problem.axes[axis].extent;
  if (binding.full) {
    ranges[binding.id] = {b.getIndexAttr(0), b.getIndexAttr(extent)};
    return;
  }
  OpFoldResult size = b.getIndexAttr(binding.tile);
  // A grid has no blocks behind the end of an axis, but may have more than
  // there are rows.
  if ((binding.tile > 1 || problem.axes[axis].clipped) &&
      (isa<Value>(last) || extent == kDynamic || extent % binding.tile)) {
    AffineExpr offset = b.getAffineDimExpr(0), end = b.getAffineSymbolExpr(0);
    AffineMap map = AffineMap::get(
        1, 1, {b.getAffineConstantExpr(binding.tile), end - offset},
        b.getContext());
    size = affine::makeComposedFoldedAffineMin(b, loc, map, {position, last});
  }
  ranges[binding.id] = {position, size};
}

/// Where this kernel writes in place, if it does: all results at equal rows.
const Place *LoopEmitter::getPlace() const {
  for (const Result &result : problem.results)
    if (result.place)
      return &*result.place;
  return nullptr;
}

/// The rows in `place` from `position` on that exist in the argument.
void LoopEmitter::bindPlace(const Place &place, NestBlock &root,
                            Value position) {
  SmallVector<Value> indices;
  for (AxisId axis : place.positionAxes)
    indices.push_back(toValue(ranges[root.bindings.at(axis).id].first));
  firstRow = tensor::ExtractOp::create(
      b, loc, around.arguments.at(place.position), indices);
  firstRow = arith::IndexCastOp::create(b, loc, b.getIndexType(), firstRow);
  Value zero = toValue(b.getIndexAttr(0));
  Value before = arith::SubIOp::create(b, loc, zero, firstRow);
  Value begin = arith::AddIOp::create(
      b, loc, position, arith::MaxSIOp::create(b, loc, before, zero));
  Value rest =
      arith::SubIOp::create(b, loc, toValue(getExtent(place.along)), firstRow);
  Value end =
      arith::MinSIOp::create(b, loc, rest, toValue(getExtent(place.axis)));
  end = arith::MaxSIOp::create(b, loc, end, begin);
  bind(root.bindings.at(place.axis), place.axis, begin, end);
}

/// The ranges of a block.
void LoopEmitter::bindGrid(const LoopNest &nest, scf::ForallOp forall) {
  NestBlock &root = *nest.root;
  auto getPosition = [&](AxisId axis) -> Value {
    for (auto [number, range] : llvm::enumerate(nest.grid))
      if (range.axis == axis)
        return forall.getInductionVar(number);
    return {};
  };
  const Place *place = getPlace();
  for (AxisId axis : root.bindings.getAxes())
    if (!place || axis != place->axis)
      bind(root.bindings.at(axis), axis, getPosition(axis), getExtent(axis));
  if (place)
    bindPlace(*place, root, getPosition(place->axis));
}

SmallVector<OpFoldResult> LoopEmitter::getSizes(NestBlock &block,
                                                ArrayRef<AxisId> dims) {
  return llvm::map_to_vector(dims, [&](AxisId axis) {
    return ranges[block.bindings.at(axis).id].second;
  });
}

SmallVector<Cut, 4> cleave::getCuts(ArrayRef<AxisId> storage,
                                    ArrayRef<Cut> cuts) {
  if (cuts.empty())
    return SmallVector<Cut, 4>(storage.size());
  return {cuts.begin(), cuts.end()};
}

/// Grid order first, so that accumulators look like the results.
SmallVector<AxisId, 4> LoopEmitter::getNaturalOrder(const AxisSet &axes) {
  SmallVector<AxisId, 4> order;
  for (const AxisTile &range : chosen.grid)
    if (contains(axes, range.axis))
      order.push_back(range.axis);
  for (AxisId axis : axes)
    if (!contains(order, axis))
      order.push_back(axis);
  return dropUnits(order);
}

/// The axes that tiles have dimensions for.
SmallVector<AxisId, 4> LoopEmitter::dropUnits(ArrayRef<AxisId> axes) {
  SmallVector<AxisId, 4> kept;
  for (AxisId axis : axes)
    if (!problem.axes[axis].unit)
      kept.push_back(axis);
  return kept;
}

/// The part of a tensor in memory that a block reads or writes.
void LoopEmitter::getPlaces(NestBlock &block, ArrayRef<AxisId> storage,
                            ArrayRef<Cut> cuts,
                            SmallVectorImpl<OpFoldResult> &offsets,
                            SmallVectorImpl<OpFoldResult> &sizes) {
  const AxisId *axis = storage.begin();
  auto getBegin = [&](AxisId id) {
    return ranges[block.bindings.at(id).id].first;
  };
  for (const Cut &cut : cuts) {
    AffineExpr place = b.getAffineConstantExpr(cut.offset);
    SmallVector<OpFoldResult> begins;
    if (cut.stride == kDynamic) {
      // As long as the dimension's axis, which follows.
      place = place + b.getAffineDimExpr(begins.size());
      begins.push_back(
          arith::MulIOp::create(
              b, loc,
              getValueOrCreateConstantIndexOp(b, loc, getBegin(cut.outer)),
              getValueOrCreateConstantIndexOp(b, loc, getExtent(*axis)))
              .getResult());
    } else if (cut.stride) {
      place = place + b.getAffineDimExpr(begins.size()) * cut.stride;
      begins.push_back(getBegin(cut.outer));
    }
    sizes.push_back(b.getIndexAttr(1));
    if (cut.kept) {
      place = place + b.getAffineDimExpr(begins.size());
      begins.push_back(getBegin(*axis));
      sizes.back() = ranges[block.bindings.at(*axis).id].second;
      ++axis;
    }
    offsets.push_back(
        affine::makeComposedFoldedAffineApply(b, loc, place, begins));
  }
}

Value LoopEmitter::createEmpty(NestBlock &block, ArrayRef<AxisId> dims,
                               Element element) {
  return tensor::EmptyOp::create(b, loc, getSizes(block, dims),
                                 getElementType(b.getContext(), element));
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

const Tile *LoopEmitter::lookup(NestBlock &block, NodeId id) {
  NestBlock *home = getHome(problem, &block, id);
  if (!home)
    return nullptr;
  auto &known = tiles[home];
  auto it = known.find(id);
  return it == known.end() ? nullptr : &it->second;
}

/// The tiles that the expression of `id` reads, each once.
void LoopEmitter::collectInputs(NestBlock &block, NodeId id,
                                GenericInputs &inputs) {
  if (problem.isScalar(id) || llvm::is_contained(inputs.nodes, id))
    return;
  if (const Tile *tile = lookup(block, id)) {
    inputs.nodes.push_back(id);
    inputs.tiles.push_back(*tile);
    return;
  }
  for (NodeId operand : problem[id].operands)
    collectInputs(block, operand, inputs);
}

Value LoopEmitter::emitExpression(OpBuilder &body, NestBlock &block, NodeId id,
                                  const GenericInputs &inputs,
                                  ValueRange arguments) {
  const auto *input = llvm::find(inputs.nodes, id);
  if (input != inputs.nodes.end())
    return arguments[input - inputs.nodes.begin()];
  const Node &node = problem[id];
  if (node.kind == NodeKind::Constant)
    return createConstant(body, loc, node.element, node.value);
  if (node.kind == NodeKind::Extent)
    return extentNumbers.at(id);
  if (node.op == Pointwise::Iota)
    return emitPosition(body, block, node);
  SmallVector<Value> operands;
  for (NodeId operand : node.operands)
    operands.push_back(emitExpression(body, block, operand, inputs, arguments));
  return createPointwise(body, loc, node.op, node.element, operands);
}

/// Where along its axis the element being computed is.
Value LoopEmitter::emitPosition(OpBuilder &body, NestBlock &block,
                                const Node &node) {
  AxisId axis = node.axes.front();
  const auto *dim = llvm::find(iteration, axis);
  Value position;
  if (problem.axes[axis].unit)
    position = arith::ConstantIndexOp::create(body, loc, 0);
  else
    position = linalg::IndexOp::create(body, loc, dim - iteration.begin());
  OpFoldResult begin = ranges[block.bindings.at(axis).id].first;
  for (OpFoldResult part :
       {begin, OpFoldResult(b.getIndexAttr(int64_t(node.value)))})
    if (!isConstantIntValue(part, 0))
      position = arith::AddIOp::create(
          body, loc, position,
          getValueOrCreateConstantIndexOp(body, loc, part));
  // A float that counts exactly needs no more than 32 bits if it has as many.
  Type integer =
      node.element == Element::F32 ? body.getI32Type() : body.getI64Type();
  position = arith::IndexCastOp::create(body, loc, integer, position);
  return arith::SIToFPOp::create(
      body, loc, getElementType(b.getContext(), node.element), position);
}

/// A linalg.generic into `init` whose iteration space is the dimensions of
/// `init` followed by `reduced`.
Tile LoopEmitter::emitGeneric(
    ArrayRef<AxisId> reduced, const GenericInputs &inputs, const Tile &init,
    function_ref<Value(OpBuilder &, ValueRange)> emitBody) {
  iteration.assign(init.dims.begin(), init.dims.end());
  llvm::append_range(iteration, reduced);
  SmallVector<utils::IteratorType> iterators(init.dims.size(),
                                             utils::IteratorType::parallel);
  iterators.append(reduced.size(), utils::IteratorType::reduction);
  auto getMap = [&](const Tile &tile) {
    SmallVector<AffineExpr> exprs;
    for (AxisId axis : tile.dims)
      exprs.push_back(
          b.getAffineDimExpr(llvm::find(iteration, axis) - iteration.begin()));
    return AffineMap::get(iteration.size(), 0, exprs, b.getContext());
  };
  SmallVector<AffineMap> maps;
  SmallVector<Value> values;
  for (const Tile &tile : inputs.tiles) {
    maps.push_back(getMap(tile));
    values.push_back(tile.value);
  }
  maps.push_back(getMap(init));
  auto generic = linalg::GenericOp::create(
      b, loc, init.value.getType(), values, init.value, maps, iterators,
      [&](OpBuilder &body, Location, ValueRange arguments) {
        Value result = emitBody(body, arguments);
        linalg::YieldOp::create(body, loc, result);
      });
  return {generic.getResult(0), init.dims};
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Tile LoopEmitter::emitSlice(NestBlock &block, NodeId id) {
  const Node &node = problem[id];
  auto view = views.find(id);
  Value argument =
      view == views.end() ? around.arguments.at(node.argument) : view->second;
  Tile tile{argument, dropUnits(node.storage)};
  SmallVector<Cut, 4> cuts = getCuts(node.storage, node.cuts);
  if (cuts.empty())
    return tile;
  SmallVector<OpFoldResult> offsets, sizes;
  getPlaces(block, node.storage, cuts, offsets, sizes);
  SmallVector<OpFoldResult> ones(offsets.size(), b.getIndexAttr(1));
  SmallVector<int64_t> shape;
  std::tie(shape, std::ignore) =
      decomposeMixedValues(getSizes(block, tile.dims));
  auto type = RankedTensorType::get(
      shape, getElementType(b.getContext(), node.element));
  tile.value = tensor::ExtractSliceOp::create(b, loc, type, argument, offsets,
                                              sizes, ones);
  return tile;
}

Tile LoopEmitter::emitFill(NestBlock &block, ArrayRef<AxisId> dims,
                           Element element, double value) {
  Value constant = createConstant(b, loc, element, value);
  Value empty = createEmpty(block, dims, element);
  auto fill = linalg::FillOp::create(b, loc, constant, empty);
  return {fill.getResult(0), {dims.begin(), dims.end()}};
}

/// An accumulator of reduction or fold state `id` that has seen nothing.
Tile LoopEmitter::emitUnit(NestBlock &block, NodeId id) {
  const Node &node = problem[id];
  Combiner combiner = node.combiner;
  if (node.kind == NodeKind::FoldState)
    combiner = problem.folds[node.fold].states[node.state].combiner;
  return emitFill(block, getNaturalOrder(node.axes), node.element,
                  getUnit(combiner));
}

Tile LoopEmitter::emitPointwise(NestBlock &block, NodeId id) {
  const Node &node = problem[id];
  GenericInputs inputs;
  for (NodeId operand : node.operands)
    collectInputs(block, operand, inputs);
  // A result has its order; else an operand's order saves a transpose.
  SmallVector<AxisId, 4> dims = dropUnits(node.storage);
  if (dims.empty()) {
    dims = getNaturalOrder(node.axes);
    for (const Tile &tile : inputs.tiles)
      if (tile.dims.size() == dims.size()) {
        dims = tile.dims;
        break;
      }
  }
  Tile init{createEmpty(block, dims, node.element), dims};
  return emitGeneric({}, inputs, init, [&](OpBuilder &body, ValueRange args) {
    return emitExpression(body, block, id, inputs, args);
  });
}

/// Reduces the body of `id` over its axes' ranges into `init`.
Tile LoopEmitter::emitReduction(NestBlock &block, NodeId id, Tile init) {
  const Node &node = problem[id];
  ArrayRef<NodeId> operands = node.operands;
  bool contraction = node.kind == NodeKind::Contract;
  Combiner combiner = node.combiner;
  if (node.kind == NodeKind::FoldState) {
    const FoldState &state = problem.folds[node.fold].states[node.state];
    operands = state.body;
    contraction = state.contraction;
    combiner = state.combiner;
  }
  GenericInputs inputs;
  for (NodeId operand : operands)
    collectInputs(block, operand, inputs);
  return emitGeneric(
      dropUnits(problem.getReducedAxes(id)), inputs, init,
      [&](OpBuilder &body, ValueRange args) {
        Value acc = args.back();
        SmallVector<Value> values;
        for (NodeId operand : operands)
          values.push_back(emitExpression(body, block, operand, inputs, args));
        Value value = values[0];
        if (contraction)
          value =
              createPointwise(body, loc, Pointwise::Mul, node.element, values);
        return createCombiner(body, loc, combiner, acc, value);
      });
}

Tile LoopEmitter::emitValue(NestBlock &block, NodeId id) {
  const Node &node = problem[id];
  switch (node.kind) {
  case NodeKind::Argument:
    return emitSlice(block, id);
  case NodeKind::Constant:
    return emitFill(block, getNaturalOrder(node.axes), node.element,
                    node.value);
  case NodeKind::Pointwise:
    return emitPointwise(block, id);
  default:
    return emitReduction(block, id, emitUnit(block, id));
  }
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

void LoopEmitter::emitAccumulate(NestBlock &block, NodeId id) {
  const Node &node = problem[id];
  auto acc = carried.find(id);
  bool inLoop = acc != carried.end();
  Tile init = inLoop ? acc->second : emitUnit(block, id);
  if (node.kind == NodeKind::FoldState) {
    const FoldState &state = problem.folds[node.fold].states[node.state];
    if (inLoop && state.rebased != state.old)
      init = *lookup(block, state.rebased);
    Tile result = emitReduction(block, id, init);
    tiles[&block][state.ref] = result;
    tiles[&block][inLoop ? state.ref : id] = result;
    if (inLoop)
      acc->second = result;
    return;
  }
  acc->second = emitReduction(block, id, init);
}

/// The only element of an argument's tile.
Value LoopEmitter::emitElement(NestBlock &block, NodeId id) {
  Tile tile = *lookup(block, id);
  SmallVector<Value> first(tile.dims.size(),
                           arith::ConstantIndexOp::create(b, loc, 0));
  return tensor::ExtractOp::create(b, loc, tile.value, first);
}

std::pair<Value, Value>
LoopEmitter::emitRange(NestBlock &block, const Loop &loop, OpFoldResult last) {
  auto getRange = [&](AxisId axis) {
    return ranges[block.bindings.at(axis).id];
  };
  auto getNumber = [&](NodeId id) {
    return problem[id].kind == NodeKind::Extent ? extentNumbers.at(id)
                                                : emitElement(block, id);
  };
  return emitLoopRange(b, loc, problem, loop,
                       getValueOrCreateConstantIndexOp(b, loc, last),
                       {getRange, getNumber});
}

void LoopEmitter::emitIteration(Loop &loop, OpFoldResult position,
                                OpFoldResult last) {
  AxisId axis = loop.range.axis;
  bind(loop.body.bindings.at(axis), axis, position, last);
  auto &known = tiles[&loop.body];
  known.clear();
  for (NodeId id : loop.carried) {
    const Node &node = problem[id];
    if (node.kind == NodeKind::FoldState)
      known[problem.folds[node.fold].states[node.state].old] = carried[id];
  }
  emitBlock(loop.body);
}

void LoopEmitter::emitWrittenOut(NestBlock &block, Loop &loop) {
  std::map<NodeId, Tile> outer = std::move(carried);
  carried.clear();
  for (NodeId id : loop.carried)
    carried[id] = loop.continued ? outer.at(id) : emitUnit(block, id);
  int64_t extent = problem.axes[loop.range.axis].extent;
  for (int64_t begin = 0; begin < extent; begin += loop.range.tile)
    emitIteration(loop, b.getIndexAttr(begin), b.getIndexAttr(extent));
  carried.swap(outer);
  for (auto &[id, tile] : outer)
    (loop.continued ? carried : tiles[&block])[id] = tile;
}

/// What steps that are written out read of a tensor is the same in all
/// iterations of the loop around them.
static void hoistSlices(scf::ForOp loop) {
  moveLoopInvariantCode(
      {&loop.getRegion()},
      [&](Value value, Region *) { return loop.isDefinedOutsideOfLoop(value); },
      [](Operation *op, Region *) { return isa<tensor::ExtractSliceOp>(op); },
      [&](Operation *op, Region *) { loop.moveOutOfLoop(op); });
}

void LoopEmitter::emitLoop(NestBlock &block, Loop &loop) {
  if (isWrittenOut(problem, loop))
    return emitWrittenOut(block, loop);
  SmallVector<Tile> inits;
  SmallVector<Value> initValues;
  for (NodeId id : loop.carried) {
    inits.push_back(loop.continued ? carried.at(id) : emitUnit(block, id));
    initValues.push_back(inits.back().value);
  }
  Value step = arith::ConstantIndexOp::create(b, loc, loop.range.tile);
  OpFoldResult last = getEnd(block, loop.range.axis);
  auto [begin, end] = emitRange(block, loop, last);
  auto forOp = scf::ForOp::create(b, loc, begin, end, step, initValues);

  std::map<NodeId, Tile> outer = std::move(carried);
  carried.clear();
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(forOp.getBody());
  for (auto [id, init, argument] :
       llvm::zip_equal(loop.carried, inits, forOp.getRegionIterArgs()))
    carried[id] = {argument, init.dims};
  emitIteration(loop, forOp.getInductionVar(), last);
  SmallVector<Value> yields;
  for (NodeId id : loop.carried)
    yields.push_back(carried.at(id).value);
  scf::YieldOp::create(b, loc, yields);
  hoistSlices(forOp);

  carried = std::move(outer);
  for (auto [id, init, result] :
       llvm::zip_equal(loop.carried, inits, forOp.getResults())) {
    Tile tile{result, init.dims};
    if (loop.continued)
      carried[id] = tile;
    else
      tiles[&block][id] = tile;
  }
}

void LoopEmitter::emitBlock(NestBlock &block) {
  for (Step &step : block.steps) {
    switch (step.kind) {
    case Step::Evaluate:
      tiles[&block][step.node] = emitValue(block, step.node);
      break;
    case Step::Accumulate:
      emitAccumulate(block, step.node);
      break;
    case Step::Nest:
      emitLoop(block, *step.loop);
      break;
    }
  }
}
