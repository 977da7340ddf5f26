//===- TileShapes.cpp - Vector shapes of tile tensors -----------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: scheduled form to vector form.
//
//===----------------------------------------------------------------------===//

#include "TileShapes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::cleave;

/// The smallest M, N and K of mma.sync on f16 and bf16.
static constexpr int64_t kMmaM = 16, kMmaN = 8, kMmaK = 16;
/// The largest part of a tile that one thread holds.
static constexpr uint64_t kMaxThreadElements = 512;

static int64_t getTileRank(Value tile) {
  return cast<RankedTensorType>(tile.getType()).getRank();
}

/// An uninitialised tile has no vector. CSE makes one of all that are alike, so
/// nothing follows from two ops' having the same.
static bool isEmpty(Value tile) {
  return tile.getDefiningOp<tensor::EmptyOp>() != nullptr;
}

void TileShapes::addTile(Value tile) {
  if (!isa<RankedTensorType>(tile.getType()) || isEmpty(tile))
    return;
  if (tileIds.insert({tile, numIds}).second)
    numIds += getTileRank(tile);
  ids.grow(numIds);
}

void TileShapes::joinTiles(Value a, Value b) {
  if (!isa<RankedTensorType>(a.getType()))
    return;
  addTile(a);
  addTile(b);
  if (isEmpty(a) || isEmpty(b))
    return;
  for (int64_t dim = 0, rank = getTileRank(a); dim < rank; ++dim)
    ids.join(tileIds[a] + dim, tileIds[b] + dim);
}

LogicalResult TileShapes::addGeneric(linalg::GenericOp op) {
  FailureOr<GenericKind> kind = classifyGeneric(op);
  if (failed(kind))
    return failure();
  kinds[op] = *kind;
  unsigned first = iterationIds[op] = numIds;
  numIds += op.getNumLoops();
  ids.grow(numIds);
  auto join = [&](Value tile, AffineMap map) {
    addTile(tile);
    for (auto [dim, expr] : llvm::enumerate(map.getResults()))
      if (!isEmpty(tile))
        ids.join(tileIds[tile] + dim,
                 first + cast<AffineDimExpr>(expr).getPosition());
  };
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<RankedTensorType>(operand.get().getType()))
      return op.emitOpError("expected operands to be ranked tensors");
    AffineMap map = op.getMatchingIndexingMap(&operand);
    join(operand.get(), map);
    if (op.isDpsInit(&operand))
      join(op.getTiedOpResult(&operand), map);
  }
  return success();
}

LogicalResult TileShapes::addOp(Operation *op) {
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    return addGeneric(generic);
  for (Value result : op->getResults())
    addTile(result);
  // An element of an argument comes from memory: the argument is no tile.
  if (auto extract = dyn_cast<tensor::ExtractOp>(op);
      extract && (extract.getIndices().empty() ||
                  op->getParentOfType<scf::ForallOp>()->isAncestor(
                      extract.getTensor().getParentBlock()->getParentOp())))
    addTile(extract.getTensor());
  if (auto fill = dyn_cast<linalg::FillOp>(op)) {
    joinTiles(fill.getOutputs()[0], fill.getResult(0));
  } else if (auto cast = dyn_cast<tensor::CastOp>(op)) {
    if (getTileRank(cast.getSource()) != getTileRank(cast.getResult()))
      return cast.emitOpError("expected a cast between ranked tensors");
    joinTiles(cast.getSource(), cast.getResult());
  } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
    for (auto [init, arg, yielded, result] :
         llvm::zip(loop.getInitArgs(), loop.getRegionIterArgs(),
                   loop.getYieldedValues(), loop.getResults())) {
      joinTiles(init, arg);
      joinTiles(arg, yielded);
      joinTiles(yielded, result);
    }
  }
  return success();
}

/// The constant upper bound of a tile's dimension, by its type or by the size
/// that it is made with.
static std::optional<int64_t> getBound(Value tile, int64_t dim) {
  auto type = cast<RankedTensorType>(tile.getType());
  if (!type.isDynamicDim(dim))
    return type.getDimSize(dim);
  if (auto op = tile.getDefiningOp<DestinationStyleOpInterface>()) {
    tile = op.getTiedOpOperand(cast<OpResult>(tile))->get();
    if (!isEmpty(tile))
      return std::nullopt;
  } else if (!tile.getDefiningOp<tensor::ExtractSliceOp>()) {
    return std::nullopt;
  }
  FailureOr<int64_t> bound = ValueBoundsConstraintSet::computeConstantBound(
      presburger::BoundType::UB, {tile, dim}, /*stopCondition=*/nullptr,
      /*closedUB=*/true);
  return succeeded(bound) ? std::optional<int64_t>(*bound) : std::nullopt;
}

LogicalResult TileShapes::boundClasses() {
  ids.compress();
  classes.resize(ids.getNumClasses());
  for (auto [tile, first] : tileIds) {
    for (int64_t dim = 0, rank = getTileRank(tile); dim < rank; ++dim) {
      std::optional<int64_t> bound = getBound(tile, dim);
      if (!bound)
        continue;
      DimClass &dimClass = classOf(first + dim);
      dimClass.bound = std::min(dimClass.bound.value_or(*bound), *bound);
    }
  }
  for (auto [tile, first] : tileIds) {
    for (int64_t dim = 0, rank = getTileRank(tile); dim < rank; ++dim) {
      if (classOf(first + dim).bound)
        continue;
      InFlightDiagnostic diag =
          emitError(tile.getLoc())
          << "expected dimension " << dim
          << " of a tile to have a provable constant bound";
      return diag;
    }
  }
  for (DimClass &dimClass : classes)
    dimClass.padded =
        llvm::PowerOf2Ceil(std::max<int64_t>(dimClass.bound.value_or(1), 1));
  return success();
}

/// Pads the last of the largest of `dims` until all together have the minimum:
/// dimensions of one element stay out of vectors.
void TileShapes::raise(linalg::GenericOp op, ArrayRef<unsigned> dims,
                       int64_t minimum) {
  unsigned first = iterationIds.find(op)->second;
  int64_t product = 1;
  DimClass *largest = nullptr;
  for (unsigned dim : dims) {
    DimClass &dimClass = classOf(first + dim);
    product *= dimClass.padded;
    if (!largest || dimClass.padded >= largest->padded)
      largest = &dimClass;
  }
  for (; product < minimum; product *= 2)
    largest->padded *= 2;
}

/// Where an operand has a choice of dimensions to pad, one that others pad is
/// best.
void TileShapes::padContractions() {
  for (bool choice : {false, true})
    for (auto [op, first] : iterationIds) {
      const GenericKind &kind = kinds[op];
      if (kind.kind != GenericKind::Contraction)
        continue;
      auto generic = cast<linalg::GenericOp>(op);
      Type element = getElementTypeOrSelf(generic.getDpsInputs()[0]);
      if (!element.isF16() && !element.isBF16())
        continue;
      for (auto [dims, minimum] : {std::pair(&kind.roles.m, kMmaM),
                                   {&kind.roles.n, kMmaN},
                                   {&kind.roles.k, kMmaK}})
        if ((dims->size() > 1) == choice)
          raise(generic, *dims, minimum);
    }
}

/// A thread has 255 registers: vectors of many more elements would only take
/// long to compile. Contractions have no vector over all their dimensions.
LogicalResult TileShapes::checkSizes(int64_t threads) {
  auto check = [&](Location loc, unsigned first, unsigned rank) {
    uint64_t size = 1;
    std::string shape;
    for (unsigned dim = 0; dim < rank; ++dim) {
      uint64_t padded = classOf(first + dim).padded;
      size = llvm::SaturatingMultiply(size, padded);
      shape += (dim ? "x" : "") + std::to_string(padded);
    }
    uint64_t most = threads * kMaxThreadElements;
    if (size <= most)
      return success();
    return LogicalResult(emitError(loc) << "expected a tile of at most " << most
                                        << " elements for " << threads
                                        << " threads but got " << shape);
  };
  for (auto [tile, first] : tileIds)
    if (failed(check(tile.getLoc(), first, getTileRank(tile))))
      return failure();
  for (auto [op, first] : iterationIds)
    if (kinds[op].kind != GenericKind::Contraction &&
        failed(check(op->getLoc(), first,
                     cast<linalg::GenericOp>(op).getNumLoops())))
      return failure();
  return success();
}

LogicalResult TileShapes::analyze(scf::ForallOp kernel, int64_t threads) {
  WalkResult result =
      kernel.getBody()->walk<WalkOrder::PreOrder>([&](Operation *op) {
        if (failed(addOp(op)))
          return WalkResult::interrupt();
        return isa<linalg::LinalgOp>(op) ? WalkResult::skip()
                                         : WalkResult::advance();
      });
  if (result.wasInterrupted() || failed(boundClasses()) ||
      failed(checkSizes(threads)))
    return failure();
  padContractions();
  return checkSizes(threads);
}

int64_t TileShapes::getPaddedSize(Value tile, unsigned dim) const {
  const DimClass &dimClass = classOf(tileIds.find(tile)->second + dim);
  return dimClass.padded == 1 ? 0 : dimClass.padded;
}

int64_t TileShapes::getPaddedIterationSize(linalg::GenericOp op,
                                           unsigned dim) const {
  const DimClass &dimClass = classOf(iterationIds.find(op)->second + dim);
  return dimClass.padded == 1 ? 0 : dimClass.padded;
}

SmallVector<unsigned> TileShapes::getKeptDims(Value tile) const {
  SmallVector<unsigned> kept;
  for (unsigned dim = 0, rank = getTileRank(tile); dim < rank; ++dim)
    if (getPaddedSize(tile, dim))
      kept.push_back(dim);
  return kept;
}

VectorType TileShapes::getVectorType(Value tile) const {
  SmallVector<int64_t> shape;
  for (unsigned dim : getKeptDims(tile))
    shape.push_back(getPaddedSize(tile, dim));
  if (shape.empty())
    shape.push_back(1);
  return VectorType::get(shape, getElementTypeOrSelf(tile));
}
