//===- VectorizeGeneric.cpp - One linalg.generic to vector ops --*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: scheduled form to vector form. A value of a generic's body becomes a
// vector over just those iteration dimensions that it depends on: a row's
// factor is computed once a row, then broadcast where it meets the tile.
//
//===----------------------------------------------------------------------===//

#include "VectorizeGeneric.h"
#include "LayoutTies.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"
#include <algorithm>
#include <limits>
#include <utility>

using namespace mlir;
using namespace mlir::cleave;

Value cleave::createSplat(OpBuilder &b, Location loc, VectorType type,
                          Value scalar) {
  Attribute constant;
  if (matchPattern(scalar, m_Constant(&constant)))
    return arith::ConstantOp::create(b, loc,
                                     DenseElementsAttr::get(type, constant));
  return vector::BroadcastOp::create(b, loc, type, scalar);
}

namespace {
/// A value of the body: a scalar if `dims` is empty, else a vector over these
/// iteration dimensions in this order.
struct Lane {
  Value value;
  SmallVector<unsigned> dims;
};

class GenericVectorizer {
public:
  GenericVectorizer(OpBuilder &b, const TileShapes &shapes,
                    linalg::GenericOp op, ArrayRef<Tile> operands,
                    const IRMapping &scalars)
      : b(b), shapes(shapes), op(op), kind(shapes.getKind(op)),
        operands(operands), scalars(scalars) {}

  FailureOr<SmallVector<Value>> run();

private:
  // The body, value by value.
  void addArguments();
  LogicalResult convertBody();
  LogicalResult convertBodyOp(Operation *bodyOp);
  FailureOr<Lane> getLane(Value value);
  Lane createIndex(unsigned dim);
  Value toDims(const Lane &lane, ArrayRef<unsigned> dims);

  // Results.
  /// Whether vectors keep an m, an n and a k of a contraction.
  bool isTileContraction() {
    auto kept = [&](ArrayRef<unsigned> dims) {
      return llvm::any_of(dims, [&](unsigned dim) { return getPadded(dim); });
    };
    return kind.kind == GenericKind::Contraction && kept(kind.roles.m) &&
           kept(kind.roles.n) && kept(kind.roles.k);
  }
  FailureOr<Value> createPointwise(unsigned output);
  FailureOr<Value> createReduction(unsigned output);
  FailureOr<Value> createContraction();
  Value selectUnit(Value vector, ArrayRef<unsigned> dims, double unit);
  Value combine(Operation *combiner, Value lhs, Value rhs);

  // Iteration dimensions.
  int64_t getPadded(unsigned dim) {
    return shapes.getPaddedIterationSize(op, dim);
  }
  /// The dimensions of an operand's vector, in its order.
  SmallVector<unsigned> getOperandDims(OpOperand &operand);
  /// All dimensions of the given type that vectors keep, in order.
  SmallVector<unsigned> getDims(utils::IteratorType type);
  OpFoldResult getSize(unsigned dim);
  bool isPartial(unsigned dim) {
    return getConstantIntValue(getSize(dim)) != getPadded(dim);
  }
  VectorType getType(ArrayRef<unsigned> dims, Type element);

  OpBuilder &b;
  const TileShapes &shapes;
  linalg::GenericOp op;
  const GenericKind &kind;
  ArrayRef<Tile> operands;
  const IRMapping &scalars;
  DenseMap<Value, Lane> lanes;
};
} // namespace

SmallVector<unsigned> GenericVectorizer::getOperandDims(OpOperand &operand) {
  SmallVector<unsigned> dims;
  for (AffineExpr expr : op.getMatchingIndexingMap(&operand).getResults()) {
    unsigned dim = cast<AffineDimExpr>(expr).getPosition();
    if (getPadded(dim))
      dims.push_back(dim);
  }
  return dims;
}

SmallVector<unsigned> GenericVectorizer::getDims(utils::IteratorType type) {
  SmallVector<unsigned> dims;
  for (auto [dim, iterator] : llvm::enumerate(op.getIteratorTypesArray()))
    if (iterator == type && getPadded(dim))
      dims.push_back(dim);
  return dims;
}

OpFoldResult GenericVectorizer::getSize(unsigned dim) {
  OpFoldResult size;
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [position, expr] : llvm::enumerate(map.getResults())) {
      if (cast<AffineDimExpr>(expr).getPosition() != dim)
        continue;
      OpFoldResult candidate =
          operands[operand.getOperandNumber()].sizes[position];
      if (!size || getConstantIntValue(candidate))
        size = candidate;
    }
  }
  return size;
}

VectorType GenericVectorizer::getType(ArrayRef<unsigned> dims, Type element) {
  SmallVector<int64_t> shape;
  for (unsigned dim : dims)
    shape.push_back(getPadded(dim));
  return VectorType::get(shape, element);
}

//===----------------------------------------------------------------------===//
// The body
//===----------------------------------------------------------------------===//

/// Broadcasts and transposes a lane to a superset of its dimensions. For no
/// dimensions at all that is the one-element vector of a rank-0 tile.
Value GenericVectorizer::toDims(const Lane &lane, ArrayRef<unsigned> dims) {
  Location loc = op.getLoc();
  if (lane.dims.empty()) {
    Type element = lane.value.getType();
    VectorType type =
        dims.empty() ? VectorType::get({1}, element) : getType(dims, element);
    return createSplat(b, loc, type, lane.value);
  }
  SmallVector<unsigned> order;
  for (unsigned dim : dims)
    if (!llvm::is_contained(lane.dims, dim))
      order.push_back(dim);
  llvm::append_range(order, lane.dims);
  Type element = getElementTypeOrSelf(lane.value);
  Value value = lane.value;
  if (order.size() != lane.dims.size())
    value = vector::BroadcastOp::create(b, loc, getType(order, element), value);
  if (ArrayRef<unsigned>(order) == dims)
    return value;
  SmallVector<int64_t> permutation;
  for (unsigned dim : dims)
    permutation.push_back(llvm::find(order, dim) - order.begin());
  return vector::TransposeOp::create(b, loc, value, permutation);
}

void GenericVectorizer::addArguments() {
  for (OpOperand &operand : op->getOpOperands()) {
    BlockArgument arg = op.getMatchingBlockArgument(&operand);
    Value vector = operands[operand.getOperandNumber()].vector;
    if (arg.use_empty() || !vector)
      continue;
    Lane lane{vector, getOperandDims(operand)};
    if (lane.dims.empty())
      lane.value = vector::ExtractOp::create(b, op.getLoc(), vector,
                                             ArrayRef<int64_t>{0});
    lanes[arg] = lane;
  }
}

/// The positions in the whole iteration space are the sizes' own: a tile's
/// offset is added by the body, from an index that it captures.
Lane GenericVectorizer::createIndex(unsigned dim) {
  Location loc = op.getLoc();
  if (!getPadded(dim))
    return {arith::ConstantIndexOp::create(b, loc, 0), {}};
  VectorType type = getType({dim}, b.getIndexType());
  return {vector::StepOp::create(b, loc, type), {dim}};
}

FailureOr<Lane> GenericVectorizer::getLane(Value value) {
  auto it = lanes.find(value);
  if (it != lanes.end())
    return it->second;
  if (auto arg = dyn_cast<BlockArgument>(value);
      arg && arg.getOwner() == op.getBody())
    return op.emitOpError("reads an uninitialized tile");
  if (Value scalar = scalars.lookupOrNull(value))
    return Lane{scalar, {}};
  return op.emitOpError("expected its body to use scalars that the kernel "
                        "knows");
}

LogicalResult GenericVectorizer::convertBodyOp(Operation *bodyOp) {
  if (auto index = dyn_cast<linalg::IndexOp>(bodyOp)) {
    lanes[index.getResult()] = createIndex(index.getDim());
    return success();
  }
  bool constant = isa<arith::ConstantOp>(bodyOp);
  bool known =
      constant ||
      (isa<arith::ArithDialect, math::MathDialect>(bodyOp->getDialect()) &&
       OpTrait::hasElementwiseMappableTraits(bodyOp));
  if (!known || bodyOp->getNumRegions() || bodyOp->getNumResults() != 1)
    return bodyOp->emitOpError("is not allowed in the body of a tile op");

  SmallVector<Lane> inputs;
  SmallVector<unsigned> dims;
  for (Value operand : bodyOp->getOperands()) {
    FailureOr<Lane> lane = getLane(operand);
    if (failed(lane))
      return failure();
    for (unsigned dim : lane->dims)
      if (!llvm::is_contained(dims, dim))
        dims.push_back(dim);
    inputs.push_back(*lane);
  }
  // One order for all, that of the widest operand where there is one.
  llvm::sort(dims);
  for (const Lane &lane : inputs)
    if (lane.dims.size() == dims.size())
      dims = lane.dims;

  OperationState state(bodyOp->getLoc(), bodyOp->getName());
  for (const Lane &lane : inputs)
    state.operands.push_back(dims.empty() ? lane.value : toDims(lane, dims));
  Type type = bodyOp->getResult(0).getType();
  state.types.push_back(dims.empty() ? type : getType(dims, type));
  state.addAttributes(bodyOp->getAttrs());
  lanes[bodyOp->getResult(0)] = {b.create(state)->getResult(0), dims};
  return success();
}

LogicalResult GenericVectorizer::convertBody() {
  addArguments();
  for (Operation &bodyOp : op.getBody()->without_terminator())
    if (!llvm::is_contained(kind.combiners, &bodyOp) &&
        failed(convertBodyOp(&bodyOp)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

FailureOr<Value> GenericVectorizer::createPointwise(unsigned output) {
  Value yielded = op.getBody()->getTerminator()->getOperand(output);
  FailureOr<Lane> lane = getLane(yielded);
  if (failed(lane))
    return failure();
  return toDims(*lane, getOperandDims(*op.getDpsInitOperand(output)));
}

/// Replaces the elements that lie outside along a reduction dimension. Whatever
/// is there must not take part: it may be inf or NaN.
Value GenericVectorizer::selectUnit(Value vector, ArrayRef<unsigned> dims,
                                    double unit) {
  Location loc = op.getLoc();
  SmallVector<OpFoldResult> sizes;
  bool partial = false;
  for (unsigned dim : dims) {
    bool masked =
        op.getIteratorTypesArray()[dim] == utils::IteratorType::reduction &&
        isPartial(dim);
    sizes.push_back(masked ? getSize(dim)
                           : OpFoldResult(b.getIndexAttr(getPadded(dim))));
    partial |= masked;
  }
  if (!partial)
    return vector;
  auto type = cast<VectorType>(vector.getType());
  Value mask =
      vector::CreateMaskOp::create(b, loc, type.clone(b.getI1Type()), sizes);
  auto unitAttr = b.getFloatAttr(type.getElementType(), unit);
  Value units = arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(type, Attribute(unitAttr)));
  return arith::SelectOp::create(b, loc, mask, vector, units);
}

Value GenericVectorizer::combine(Operation *combiner, Value lhs, Value rhs) {
  OperationState state(combiner->getLoc(), combiner->getName());
  state.addOperands({lhs, rhs});
  state.addTypes(lhs.getType());
  state.addAttributes(combiner->getAttrs());
  return b.create(state)->getResult(0);
}

/// The kind of a reduction and its unit.
static std::pair<vector::CombiningKind, double>
getCombining(Operation *combiner) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (isa<arith::AddFOp>(combiner))
    return {vector::CombiningKind::ADD, 0.0};
  if (isa<arith::MulFOp>(combiner))
    return {vector::CombiningKind::MUL, 1.0};
  if (isa<arith::MinimumFOp>(combiner))
    return {vector::CombiningKind::MINIMUMF, infinity};
  return {vector::CombiningKind::MAXIMUMF, -infinity};
}

FailureOr<Value> GenericVectorizer::createReduction(unsigned output) {
  Location loc = op.getLoc();
  OpOperand &init = *op.getDpsInitOperand(output);
  Value acc = operands[init.getOperandNumber()].vector;
  if (!acc)
    return op.emitOpError("reads an uninitialized tile");
  FailureOr<Lane> lane = getLane(kind.reduced[output]);
  if (failed(lane))
    return failure();
  Operation *combiner = kind.combiners[output];
  SmallVector<unsigned> outDims = getOperandDims(init);
  SmallVector<unsigned> reduced = getDims(utils::IteratorType::reduction);
  // All reduction dimensions have size 1: nothing is left but the combiner.
  if (reduced.empty())
    return combine(combiner, acc, toDims(*lane, outDims));

  // Natural order where the output has it too.
  SmallVector<unsigned> dims = outDims;
  llvm::append_range(dims, reduced);
  if (llvm::is_sorted(outDims))
    llvm::sort(dims);
  auto [combining, unit] = getCombining(combiner);
  Value vector = selectUnit(toDims(*lane, dims), dims, unit);
  SmallVector<bool> mask;
  // A rank-0 result is a vector of one element.
  if (outDims.empty()) {
    auto type = cast<VectorType>(vector.getType());
    SmallVector<int64_t> shape = {1};
    llvm::append_range(shape, type.getShape());
    vector = vector::BroadcastOp::create(
        b, loc, VectorType::get(shape, type.getElementType()), vector);
    mask.push_back(false);
  }
  for (unsigned dim : dims)
    mask.push_back(llvm::is_contained(reduced, dim));
  return vector::MultiDimReductionOp::create(b, loc, vector, acc, mask,
                                             combining)
      .getResult();
}

/// Whether a contraction sums over one of the result's dimensions that carry
/// `dims` of `op`, or over what operations on elements make of them.
static bool isContractedOver(linalg::GenericOp op, ArrayRef<unsigned> dims) {
  llvm::SetVector<std::pair<Value, unsigned>> places;
  auto addPlaces = [&](linalg::GenericOp made, ArrayRef<unsigned> carried) {
    AffineMap map = made.getMatchingIndexingMap(made.getDpsInitOperand(0));
    for (auto [place, dim] : llvm::enumerate(map.getResults()))
      if (llvm::is_contained(carried, cast<AffineDimExpr>(dim).getPosition()))
        places.insert({made.getResult(0), unsigned(place)});
  };
  addPlaces(op, dims);
  for (size_t i = 0; i < places.size(); ++i) {
    auto [tile, place] = places[i];
    for (OpOperand &use : tile.getUses()) {
      auto user = dyn_cast<linalg::GenericOp>(use.getOwner());
      if (!user || !user.isDpsInput(&use))
        continue;
      FailureOr<GenericKind> kind = classifyGeneric(user);
      if (failed(kind) || kind->kind == GenericKind::Reduction)
        continue;
      unsigned dim = cast<AffineDimExpr>(
                         user.getMatchingIndexingMap(&use).getResult(place))
                         .getPosition();
      if (kind->kind == GenericKind::Pointwise)
        addPlaces(user, dim);
      else if (llvm::is_contained(kind->roles.k, dim))
        return true;
    }
  }
  return false;
}

FailureOr<Value> GenericVectorizer::createContraction() {
  OpOperand &init = *op.getDpsInitOperand(0);
  Value acc = operands[init.getOperandNumber()].vector;
  if (!acc)
    return op.emitOpError("reads an uninitialized tile");
  // Dropped dimensions leave the iteration space.
  SmallVector<unsigned> newPosition(op.getNumLoops(), 0);
  SmallVector<Attribute> iterators;
  for (auto [dim, iterator] : llvm::enumerate(op.getIteratorTypesArray())) {
    if (!getPadded(dim))
      continue;
    newPosition[dim] = iterators.size();
    iterators.push_back(vector::IteratorTypeAttr::get(
        b.getContext(), iterator == utils::IteratorType::reduction
                            ? vector::IteratorType::reduction
                            : vector::IteratorType::parallel));
  }
  SmallVector<AffineMap> maps;
  SmallVector<Value> vectors;
  for (OpOperand &operand : op->getOpOperands()) {
    SmallVector<unsigned> dims = getOperandDims(operand);
    SmallVector<AffineExpr> exprs = llvm::map_to_vector(
        dims, [&](unsigned d) { return b.getAffineDimExpr(newPosition[d]); });
    maps.push_back(AffineMap::get(iterators.size(), 0, exprs, b.getContext()));
    const Tile &tile = operands[operand.getOperandNumber()];
    if (!tile.vector)
      return op.emitOpError("reads an uninitialized tile");
    bool select = &operand != &init && !tile.zeroPadded;
    vectors.push_back(select ? selectUnit(tile.vector, dims, 0.0)
                             : tile.vector);
  }
  // Layouts keep the rows of what a contraction made in one warp if it is the
  // left side.
  auto isWide = [&](unsigned operand) {
    constexpr int64_t kLeastRows = 16;
    int64_t rows = 1;
    for (unsigned dim : operand ? kind.roles.n : kind.roles.m)
      rows *= std::max<int64_t>(getPadded(dim), 1);
    return rows >= kLeastRows;
  };
  bool made = comesFromContraction(vectors[0]),
       ofMade = comesFromContraction(vectors[1]);
  // What sums over its result reads rows of it as well.
  bool turns = !made && !ofMade && isContractedOver(op, kind.roles.m) &&
               !isContractedOver(op, kind.roles.n);
  if (((ofMade && !made) || turns) && isWide(1)) {
    std::swap(vectors[0], vectors[1]);
    std::swap(maps[0], maps[1]);
  }
  return vector::ContractionOp::create(
             b, op.getLoc(), vectors[0], vectors[1], vectors[2],
             b.getAffineMapArrayAttr(maps), b.getArrayAttr(iterators),
             vector::CombiningKind::ADD)
      .getResult();
}

FailureOr<SmallVector<Value>> GenericVectorizer::run() {
  SmallVector<Value> results;
  if (isTileContraction()) {
    FailureOr<Value> result = createContraction();
    if (failed(result))
      return failure();
    results.push_back(*result);
    return results;
  }
  if (failed(convertBody()))
    return failure();
  for (unsigned output = 0, e = op.getNumDpsInits(); output < e; ++output) {
    FailureOr<Value> result = kind.kind == GenericKind::Pointwise
                                  ? createPointwise(output)
                                  : createReduction(output);
    if (failed(result))
      return failure();
    results.push_back(*result);
  }
  return results;
}

FailureOr<SmallVector<Value>>
cleave::vectorizeGeneric(OpBuilder &b, const TileShapes &shapes,
                         linalg::GenericOp op, ArrayRef<Tile> operands,
                         const IRMapping &scalars) {
  return GenericVectorizer(b, shapes, op, operands, scalars).run();
}
