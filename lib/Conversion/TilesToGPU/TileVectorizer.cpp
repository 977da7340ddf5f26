//===- TileVectorizer.cpp - Tile ops to vector ops --------------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: scheduled form to vector form. Everything but linalg.generic.
//
//===----------------------------------------------------------------------===//

#include "TileVectorizer.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"

using namespace mlir;
using namespace mlir::cleave;

Value TileVectorizer::materialize(Location loc, OpFoldResult ofr) {
  return getValueOrCreateConstantIndexOp(b, loc, ofr);
}

SmallVector<OpFoldResult>
TileVectorizer::mapSizes(ArrayRef<OpFoldResult> sizes) {
  return llvm::map_to_vector(sizes, [&](OpFoldResult size) -> OpFoldResult {
    auto value = dyn_cast<Value>(size);
    if (!value)
      return size;
    return getAsOpFoldResult(scalars.lookupOrDefault(value));
  });
}

bool TileVectorizer::isFull(Value tile, unsigned dim, OpFoldResult size) const {
  return getConstantIntValue(size) == shapes.getPaddedSize(tile, dim);
}

Value TileVectorizer::createMask(Location loc, Value tile, const Tile &info) {
  SmallVector<OpFoldResult> sizes;
  bool partial = false;
  SmallVector<unsigned> kept = shapes.getKeptDims(tile);
  for (unsigned dim : kept) {
    sizes.push_back(info.sizes[dim]);
    partial |= !isFull(tile, dim, info.sizes[dim]);
  }
  if (sizes.empty())
    sizes.push_back(b.getIndexAttr(1));
  // One position that may not be there takes all others with it.
  for (auto [dim, size] : llvm::enumerate(info.sizes)) {
    if (llvm::is_contained(kept, dim) || getConstantIntValue(size) == 1)
      continue;
    sizes.front() = arith::MulIOp::create(b, loc, materialize(loc, size),
                                          materialize(loc, sizes.front()))
                        .getResult();
    partial = true;
  }
  if (!partial)
    return {};
  VectorType type = shapes.getVectorType(tile).clone(b.getI1Type());
  return vector::CreateMaskOp::create(b, loc, type, sizes);
}

/// A memref of rank 0 has no dimension to transfer along: gives it one.
static Value addUnitDim(OpBuilder &b, Location loc, Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  if (type.getRank() != 0)
    return memref;
  auto unit = MemRefType::get({1}, type.getElementType());
  return memref::ExpandShapeOp::create(b, loc, unit, memref,
                                       ArrayRef<ReassociationIndices>{});
}

/// The memref's dimensions that a transfer's vector ranges over. `dropped` are
/// those that the tile tensor lacks, `kept` the tile's dimensions in the
/// vector. A vector that stands for one element takes the last dimension.
static SmallVector<unsigned>
getTransferDims(int64_t memrefRank, const llvm::SmallBitVector &dropped,
                ArrayRef<unsigned> kept) {
  SmallVector<unsigned> tileDims;
  for (unsigned dim = 0; dim < memrefRank; ++dim)
    if (!dropped.test(dim))
      tileDims.push_back(dim);
  if (kept.empty())
    return {static_cast<unsigned>(std::max<int64_t>(memrefRank, 1) - 1)};
  return llvm::map_to_vector(kept, [&](unsigned dim) { return tileDims[dim]; });
}

static AffineMap getTransferMap(OpBuilder &b, Value memref,
                                ArrayRef<unsigned> dims) {
  SmallVector<AffineExpr> exprs = llvm::map_to_vector(
      dims, [&](unsigned dim) { return b.getAffineDimExpr(dim); });
  return AffineMap::get(cast<MemRefType>(memref.getType()).getRank(), 0, exprs,
                        b.getContext());
}

static Value createRead(OpBuilder &b, Location loc, VectorType type,
                        Value memref, ValueRange indices, AffineMap map,
                        Value mask) {
  Value zero =
      arith::ConstantOp::create(b, loc, b.getZeroAttr(type.getElementType()));
  SmallVector<bool> inBounds(type.getRank(), true);
  return vector::TransferReadOp::create(b, loc, type, memref, indices,
                                        AffineMapAttr::get(map), zero, mask,
                                        b.getBoolArrayAttr(inBounds));
}

LogicalResult TileVectorizer::convertSlice(tensor::ExtractSliceOp op) {
  Value memref = inputs.lookup(op.getSource());
  if (!memref)
    return op.emitOpError(
        "expected a slice of a function argument or of an earlier kernel's "
        "result");
  if (!op.hasUnitStride())
    return op.emitOpError("expected unit strides");
  Location loc = op.getLoc();
  Tile tile;
  SmallVector<OpFoldResult> sizes = mapSizes(op.getMixedSizes());
  llvm::SmallBitVector dropped = op.getDroppedDims();
  for (unsigned dim = 0; dim < sizes.size(); ++dim)
    if (!dropped.test(dim))
      tile.sizes.push_back(sizes[dim]);

  SmallVector<Value> indices =
      llvm::map_to_vector(mapSizes(op.getMixedOffsets()),
                          [&](OpFoldResult o) { return materialize(loc, o); });
  int64_t rank = indices.size();
  memref = addUnitDim(b, loc, memref);
  if (rank == 0)
    indices.push_back(arith::ConstantIndexOp::create(b, loc, 0));
  SmallVector<unsigned> dims =
      getTransferDims(rank, dropped, shapes.getKeptDims(op.getResult()));
  tile.vector = createRead(b, loc, shapes.getVectorType(op.getResult()), memref,
                           indices, getTransferMap(b, memref, dims),
                           createMask(loc, op.getResult(), tile));
  tile.zeroPadded = true;
  tiles[op.getResult()] = tile;
  return success();
}

/// Reads the whole of a small tensor that a kernel uses without slicing it.
FailureOr<Tile> TileVectorizer::readInput(Operation *user, Value tensor) {
  Location loc = user->getLoc();
  Value memref = inputs.lookup(tensor);
  auto type = cast<MemRefType>(memref.getType());
  Tile tile;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    tile.sizes.push_back(
        type.isDynamicDim(dim)
            ? OpFoldResult(
                  memref::DimOp::create(b, loc, memref, dim).getResult())
            : OpFoldResult(b.getIndexAttr(type.getDimSize(dim))));
  memref = addUnitDim(b, loc, memref);
  SmallVector<Value> indices(std::max<int64_t>(type.getRank(), 1),
                             arith::ConstantIndexOp::create(b, loc, 0));
  SmallVector<unsigned> dims =
      getTransferDims(type.getRank(), llvm::SmallBitVector(type.getRank()),
                      shapes.getKeptDims(tensor));
  tile.vector = createRead(b, loc, shapes.getVectorType(tensor), memref,
                           indices, getTransferMap(b, memref, dims),
                           createMask(loc, tensor, tile));
  tile.zeroPadded = true;
  return tile;
}

FailureOr<Tile> TileVectorizer::getTile(Operation *user, Value value) {
  if (inputs.count(value))
    return readInput(user, value);
  auto it = tiles.find(value);
  if (it == tiles.end())
    return user->emitOpError("expected operands to be tiles of this kernel");
  if (!it->second.vector)
    return user->emitOpError("reads an uninitialized tile");
  return it->second;
}

/// Adds what `value` is made of in a block.
static void collectOrigins(Value value, DenseSet<Value> &origins) {
  Operation *op = value.getDefiningOp();
  if (!origins.insert(value).second || !op)
    return;
  for (Value operand : op->getOperands())
    collectOrigins(operand, origins);
}

/// Blocks that differ only in what the place does not depend on write the same:
/// whether the block is the first of them. Null if it is alone.
Value TileVectorizer::isFirstWriter(tensor::ParallelInsertSliceOp op) {
  auto forall = op->getParentOfType<scf::ForallOp>();
  DenseSet<Value> origins;
  for (OpFoldResult offset : op.getMixedOffsets())
    if (auto value = dyn_cast<Value>(offset))
      collectOrigins(value, origins);
  Location loc = op.getLoc();
  Value first;
  for (auto [iv, begin, end, step] :
       llvm::zip_equal(forall.getInductionVars(), forall.getMixedLowerBound(),
                       forall.getMixedUpperBound(), forall.getMixedStep())) {
    std::optional<int64_t> from = getConstantIntValue(begin),
                           to = getConstantIntValue(end),
                           by = getConstantIntValue(step);
    if (origins.contains(iv) || (from && to && by && *to - *from <= *by))
      continue;
    SmallVector<OpFoldResult> ends = mapSizes({OpFoldResult(iv), begin});
    Value here = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                       materialize(loc, ends[0]),
                                       materialize(loc, ends[1]));
    first =
        first ? arith::AndIOp::create(b, loc, first, here).getResult() : here;
  }
  return first;
}

LogicalResult TileVectorizer::convertInsert(tensor::ParallelInsertSliceOp op) {
  Value memref = outputs.lookup(op.getDest());
  if (!memref)
    return op.emitOpError("expected to write to a shared output");
  if (!op.hasUnitStride())
    return op.emitOpError("expected unit strides");
  FailureOr<Tile> tile = getTile(op, op.getSource());
  if (failed(tile))
    return failure();
  Location loc = op.getLoc();
  SmallVector<Value> indices =
      llvm::map_to_vector(mapSizes(op.getMixedOffsets()),
                          [&](OpFoldResult o) { return materialize(loc, o); });
  int64_t rank = indices.size();
  memref = addUnitDim(b, loc, memref);
  if (rank == 0)
    indices.push_back(arith::ConstantIndexOp::create(b, loc, 0));
  SmallVector<unsigned> dims = getTransferDims(
      rank, op.getDroppedDims(), shapes.getKeptDims(op.getSource()));
  SmallVector<bool> inBounds(dims.size(), true);
  Value mask = createMask(loc, op.getSource(), *tile);
  Value first = isFirstWriter(op);
  OpBuilder::InsertionGuard guard(b);
  if (first) {
    auto branch = scf::IfOp::create(b, loc, first, /*withElseRegion=*/false);
    b.setInsertionPointToStart(branch.thenBlock());
  }
  vector::TransferWriteOp::create(
      b, loc, tile->vector, memref, indices,
      AffineMapAttr::get(getTransferMap(b, memref, dims)), mask,
      b.getBoolArrayAttr(inBounds));
  return success();
}

LogicalResult TileVectorizer::convertFill(linalg::FillOp op) {
  auto init = tiles.find(op.getOutputs()[0]);
  if (init == tiles.end())
    return op.emitOpError("expected its output to be a tile of this kernel");
  Value scalar = scalars.lookupOrNull(op.getInputs()[0]);
  if (!scalar)
    return op.emitOpError("expected its input to be a known scalar");
  VectorType type = shapes.getVectorType(op.getResult(0));
  if (scalar.getType() != type.getElementType())
    return op.emitOpError(
               "expected a value of the tile's element type but got ")
           << scalar.getType();
  Tile tile{createSplat(b, op.getLoc(), type, scalar), init->second.sizes};
  tiles[op.getResult(0)] = tile;
  return success();
}

LogicalResult TileVectorizer::convertGeneric(linalg::GenericOp op) {
  SmallVector<Tile> operands;
  for (Value operand : op->getOperands()) {
    if (auto it = tiles.find(operand); it != tiles.end()) {
      operands.push_back(it->second);
      continue;
    }
    FailureOr<Tile> tile = getTile(op, operand);
    if (failed(tile))
      return failure();
    operands.push_back(*tile);
  }
  FailureOr<SmallVector<Value>> vectors =
      vectorizeGeneric(b, shapes, op, operands, scalars);
  if (failed(vectors))
    return failure();
  for (auto [output, vector] : llvm::enumerate(*vectors))
    tiles[op.getResult(output)] =
        Tile{vector, operands[op.getNumDpsInputs() + output].sizes};
  return success();
}

LogicalResult TileVectorizer::convertDim(tensor::DimOp op) {
  std::optional<int64_t> dim = op.getConstantIndex();
  if (!dim || *dim < 0 ||
      *dim >= cast<RankedTensorType>(op.getSource().getType()).getRank())
    return op.emitOpError("expected a constant dimension in bounds");
  Value memref = inputs.lookup(op.getSource());
  if (!memref)
    memref = outputs.lookup(op.getSource());
  Value size;
  if (memref) {
    size = memref::DimOp::create(b, op.getLoc(), memref, *dim);
  } else {
    auto it = tiles.find(op.getSource());
    if (it == tiles.end())
      return op.emitOpError("expected a tile of this kernel");
    size = materialize(op.getLoc(), it->second.sizes[*dim]);
  }
  scalars.map(op.getResult(), size);
  return success();
}

/// A number that all threads read: an element of an argument, or a scalar that
/// a loop's bounds are computed from.
LogicalResult TileVectorizer::convertExtract(tensor::ExtractOp op) {
  Value memref = inputs.lookup(op.getTensor());
  if (memref && !op.getIndices().empty()) {
    SmallVector<Value> indices = llvm::map_to_vector(
        op.getIndices(), [&](Value index) { return scalars.lookup(index); });
    scalars.map(op.getResult(),
                memref::LoadOp::create(b, op.getLoc(), memref, indices));
    return success();
  }
  FailureOr<Tile> tile = getTile(op, op.getTensor());
  if (failed(tile))
    return failure();
  if (cast<VectorType>(tile->vector.getType()).getNumElements() != 1)
    return op.emitOpError("expected a tile of one element");
  scalars.map(
      op.getResult(),
      vector::ExtractOp::create(b, op.getLoc(), tile->vector, 0).getResult());
  return success();
}

LogicalResult TileVectorizer::convertYield(scf::ForOp op, scf::ForOp loop) {
  SmallVector<Value> results;
  for (auto [arg, yielded, newArg] :
       llvm::zip(op.getRegionIterArgs(), op.getYieldedValues(),
                 loop.getRegionIterArgs())) {
    if (!isa<RankedTensorType>(arg.getType())) {
      results.push_back(scalars.lookupOrDefault(yielded));
      continue;
    }
    Operation *yield = op.getBody()->getTerminator();
    FailureOr<Tile> tile = getTile(yield, yielded);
    if (failed(tile))
      return failure();
    // The state's size is taken from its start, so no iteration may change it.
    for (auto [before, after] : llvm::zip(tiles[arg].sizes, tile->sizes)) {
      if (before == after)
        continue;
      FailureOr<bool> equal = ValueBoundsConstraintSet::areEqual(before, after);
      if (failed(equal) || !*equal)
        return yield->emitOpError("expected every tile to keep its sizes over "
                                  "the loop");
    }
    results.push_back(tile->vector);
  }
  scf::YieldOp::create(b, op.getLoc(), results);
  return success();
}

LogicalResult TileVectorizer::convertLoop(scf::ForOp op) {
  SmallVector<Value> inits;
  SmallVector<Tile> starts;
  for (Value init : op.getInitArgs()) {
    if (!isa<RankedTensorType>(init.getType())) {
      inits.push_back(scalars.lookupOrDefault(init));
      starts.emplace_back();
      continue;
    }
    FailureOr<Tile> tile = getTile(op, init);
    if (failed(tile))
      return failure();
    inits.push_back(tile->vector);
    starts.push_back(*tile);
  }
  auto loop = scf::ForOp::create(b, op.getLoc(),
                                 scalars.lookupOrDefault(op.getLowerBound()),
                                 scalars.lookupOrDefault(op.getUpperBound()),
                                 scalars.lookupOrDefault(op.getStep()), inits);
  loop->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  scalars.map(op.getInductionVar(), loop.getInductionVar());
  for (auto [start, arg, result, newArg, newResult] :
       llvm::zip(starts, op.getRegionIterArgs(), op.getResults(),
                 loop.getRegionIterArgs(), loop.getResults())) {
    if (!start.vector) {
      scalars.map(arg, newArg);
      scalars.map(result, newResult);
      continue;
    }
    tiles[arg] = Tile{newArg, start.sizes};
    tiles[result] = Tile{newResult, start.sizes};
  }
  OpBuilder::InsertionGuard guard(b);
  // The builder gives a loop without states its yield.
  if (inits.empty())
    loop.getBody()->getTerminator()->erase();
  b.setInsertionPointToEnd(loop.getBody());
  if (failed(convertBlock(*op.getBody())))
    return failure();
  return convertYield(op, loop);
}

LogicalResult TileVectorizer::convertScalarOp(Operation *op) {
  auto isScalar = [](Type type) { return type.isIntOrIndexOrFloat(); };
  bool known =
      isa<affine::AffineApplyOp, affine::AffineMinOp, affine::AffineMaxOp>(
          op) ||
      isa<arith::ArithDialect, math::MathDialect>(op->getDialect());
  if (!known || !llvm::all_of(op->getOperandTypes(), isScalar) ||
      !llvm::all_of(op->getResultTypes(), isScalar))
    return op->emitOpError("is not part of the scheduled form");
  b.clone(*op, scalars);
  return success();
}

LogicalResult TileVectorizer::convert(Operation *op) {
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return convertSlice(slice);
  if (auto empty = dyn_cast<tensor::EmptyOp>(op)) {
    mapEmpty(empty);
    return success();
  }
  if (auto cast = dyn_cast<tensor::CastOp>(op)) {
    auto it = tiles.find(cast.getSource());
    if (it == tiles.end())
      return op->emitOpError("expected a tile of this kernel");
    Tile tile = it->second;
    tiles[cast.getResult()] = tile;
    return success();
  }
  if (auto fill = dyn_cast<linalg::FillOp>(op))
    return convertFill(fill);
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    return convertGeneric(generic);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return convertLoop(loop);
  if (auto dim = dyn_cast<tensor::DimOp>(op))
    return convertDim(dim);
  if (auto extract = dyn_cast<tensor::ExtractOp>(op))
    return convertExtract(extract);
  if (auto parallel = dyn_cast<scf::InParallelOp>(op)) {
    for (Operation &insert : parallel.getYieldingOps())
      if (failed(convertInsert(cast<tensor::ParallelInsertSliceOp>(insert))))
        return failure();
    return success();
  }
  return convertScalarOp(op);
}

LogicalResult TileVectorizer::convertBlock(Block &block) {
  for (Operation &op : block)
    if (!isa<scf::YieldOp>(op) && failed(convert(&op)))
      return failure();
  return success();
}

LogicalResult TileVectorizer::run(scf::ForallOp kernel) {
  return convertBlock(*kernel.getBody());
}
