//===- GlobalAccess.cpp - Facts about tile loads and stores ---------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Alignment and bounds of tile loads and stores, from what is known before the
// kernel runs.
//
//===----------------------------------------------------------------------===//

#include "GlobalAccess.h"
#include "KernelInfo.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::cleave;

/// Widest access of a thread.
static constexpr int64_t kAccessBytes = 16;
/// Keeps the walk over index arithmetic short.
static constexpr unsigned kMaxDepth = 12;

int64_t cleave::getElementBytes(Type elementType) {
  if (elementType.isIndex())
    return 8;
  return llvm::divideCeil(elementType.getIntOrFloatBitWidth(), 8);
}

/// Largest power of two up to `limit` that divides `value`.
static int64_t powerDivisor(int64_t value, int64_t limit) {
  if (value == 0)
    return limit;
  return std::min<int64_t>(limit, value & -value);
}

static int64_t divisorOf(Value index, int64_t limit, bool assume,
                         unsigned depth);

static int64_t divisorOf(AffineExpr expr, ValueRange operands, unsigned numDims,
                         int64_t limit, bool assume, unsigned depth) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return powerDivisor(constant.getValue(), limit);
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return divisorOf(operands[dim.getPosition()], limit, assume, depth + 1);
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return divisorOf(operands[numDims + symbol.getPosition()], limit, assume,
                     depth + 1);
  auto binary = cast<AffineBinaryOpExpr>(expr);
  auto side = [&](AffineExpr e) {
    return divisorOf(e, operands, numDims, limit, assume, depth + 1);
  };
  switch (binary.getKind()) {
  case AffineExprKind::Add:
    return std::min(side(binary.getLHS()), side(binary.getRHS()));
  case AffineExprKind::Mul:
    return std::min(limit, side(binary.getLHS()) * side(binary.getRHS()));
  default:
    return 1;
  }
}

/// What a kernel's argument says of itself, or 1.
static int64_t getRowMultiple(Value value) {
  auto arg = dyn_cast<BlockArgument>(value);
  auto func = arg ? dyn_cast<gpu::GPUFuncOp>(arg.getOwner()->getParentOp())
                  : gpu::GPUFuncOp();
  // Shared memory is an argument of the block, too.
  if (!func || arg.getArgNumber() >= func.getNumArguments())
    return 1;
  auto attr = func.getArgAttrOfType<IntegerAttr>(arg.getArgNumber(),
                                                 kRowMultipleAttrName);
  return attr ? attr.getInt() : 1;
}

static int64_t divisorOfBlockArgument(BlockArgument arg, int64_t limit,
                                      bool assume, unsigned depth) {
  auto loop = dyn_cast<scf::ForOp>(arg.getOwner()->getParentOp());
  if (!loop || arg != loop.getInductionVar())
    return assume ? powerDivisor(getRowMultiple(arg), limit) : 1;
  return std::min(divisorOf(loop.getLowerBound(), limit, assume, depth + 1),
                  divisorOf(loop.getStep(), limit, assume, depth + 1));
}

static int64_t divisorOf(Value index, int64_t limit, bool assume,
                         unsigned depth) {
  if (depth > kMaxDepth)
    return 1;
  if (std::optional<int64_t> constant = getConstantIntValue(index))
    return powerDivisor(*constant, limit);
  if (auto arg = dyn_cast<BlockArgument>(index))
    return divisorOfBlockArgument(arg, limit, assume, depth);
  Operation *op = index.getDefiningOp();
  auto operand = [&](unsigned i) {
    return divisorOf(op->getOperand(i), limit, assume, depth + 1);
  };
  if (isa<arith::AddIOp, arith::SubIOp, arith::MinSIOp, arith::MaxSIOp,
          arith::MinUIOp, arith::MaxUIOp>(op))
    return std::min(operand(0), operand(1));
  if (isa<arith::MulIOp>(op))
    return std::min(limit, operand(0) * operand(1));
  if (isa<arith::SelectOp>(op))
    return std::min(operand(1), operand(2));
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op))
    return operand(0);
  AffineMap map;
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op))
    map = apply.getAffineMap();
  else if (auto min = dyn_cast<affine::AffineMinOp>(op))
    map = min.getAffineMap();
  else if (auto max = dyn_cast<affine::AffineMaxOp>(op))
    map = max.getAffineMap();
  else
    return 1;
  int64_t divisor = limit;
  for (AffineExpr expr : map.getResults())
    divisor =
        std::min(divisor, divisorOf(expr, op->getOperands(), map.getNumDims(),
                                    limit, assume, depth));
  return divisor;
}

int64_t cleave::getKnownDivisor(Value index, int64_t limit, bool assume) {
  return divisorOf(index, limit, assume, 0);
}

std::optional<unsigned> GlobalAccess::getContiguousDim() const {
  unsigned last = getMemRefType().getRank() - 1;
  for (auto [d, mem] : llvm::enumerate(memDims))
    if (mem && *mem == last)
      return d;
  return std::nullopt;
}

/// Mask dimensions are the memref dimensions that the tile uses, in order.
LogicalResult GlobalAccess::resolveMask() {
  unsigned rank = getTileType().getRank();
  maskBounds.assign(rank, OpFoldResult());
  Value mask = op.getMask();
  if (!mask)
    return success();
  SmallVector<OpFoldResult> bounds;
  DenseIntElementsAttr folded;
  if (auto create = mask.getDefiningOp<vector::CreateMaskOp>()) {
    bounds = getAsOpFoldResult(create.getOperands());
  } else if (auto constant = mask.getDefiningOp<vector::ConstantMaskOp>()) {
    for (int64_t size : constant.getMaskDimSizes())
      bounds.push_back(
          IntegerAttr::get(IndexType::get(op->getContext()), size));
  } else if (matchPattern(mask, m_Constant(&folded)) && folded.isSplat()) {
    // What folders leave of a mask that lets all or nothing through.
    if (folded.getSplatValue<bool>())
      return success();
    bounds.assign(folded.getType().getRank(),
                  IntegerAttr::get(IndexType::get(op->getContext()), 0));
  } else {
    for (std::optional<unsigned> mem : memDims)
      if (!mem)
        return op->emitError("expected a mask made by vector.create_mask on an "
                             "access that broadcasts");
    generalMask = mask;
    return success();
  }
  SmallVector<unsigned> used;
  for (std::optional<unsigned> mem : memDims)
    if (mem)
      used.push_back(*mem);
  llvm::sort(used);
  for (auto [d, mem] : llvm::enumerate(memDims)) {
    if (!mem)
      continue;
    OpFoldResult bound = bounds[llvm::find(used, *mem) - used.begin()];
    std::optional<int64_t> constant = getConstantIntValue(bound);
    if (!constant || *constant < getTileType().getDimSize(d))
      maskBounds[d] = bound;
  }
  return success();
}

int64_t GlobalAccess::computeVectorWidth(bool assume) const {
  VectorTransferOpInterface op = getOp();
  std::optional<unsigned> dim = getContiguousDim();
  int64_t bytes = getElementBytes(getTileType().getElementType());
  // A vector of bits is packed, but each bit of a memref has its own byte.
  if (getTileType().getElementType().isInteger(1))
    return 1;
  if (!dim || generalMask || bytes > kAccessBytes || op.hasOutOfBoundsDim())
    return 1;
  int64_t width =
      std::min(kAccessBytes / bytes, getTileType().getDimSize(*dim));
  MemRefType memref = getMemRefType();
  // All strides but the innermost are products of the inner sizes.
  if (memref.getRank() > 1) {
    int64_t row = memref.getShape().back();
    if (ShapedType::isDynamic(row))
      row = assume ? getRowMultiple(op.getBase()) : 1;
    width = std::min(width, powerDivisor(row, width));
  }
  width =
      std::min(width, getKnownDivisor(op.getIndices().back(), width, assume));
  if (OpFoldResult bound = maskBounds[*dim]) {
    std::optional<int64_t> constant = getConstantIntValue(bound);
    width = std::min(
        width, constant ? powerDivisor(*constant, width)
                        : getKnownDivisor(cast<Value>(bound), width, assume));
  }
  return width;
}

FailureOr<GlobalAccess> GlobalAccess::get(VectorTransferOpInterface op) {
  auto memref = dyn_cast<MemRefType>(op.getShapedType());
  if (!memref)
    return op->emitError("expected a memref but got ") << op.getShapedType();
  if (!memref.getLayout().isIdentity())
    return op->emitError("expected a memref with identity layout but got ")
           << memref;
  Type elementType = memref.getElementType();
  if (!elementType.isIntOrIndexOrFloat() ||
      elementType != op.getVectorType().getElementType())
    return op->emitError("expected a memref of scalars but got ") << memref;
  if (!elementType.isIndex() && !elementType.isInteger(1) &&
      elementType.getIntOrFloatBitWidth() % 8 != 0)
    return op->emitError("expected elements of whole bytes or i1 but got ")
           << elementType;
  GlobalAccess access(op);
  for (AffineExpr expr : op.getPermutationMap().getResults()) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      access.memDims.push_back(dim.getPosition());
    else
      access.memDims.push_back(std::nullopt);
  }
  if (failed(access.resolveMask()))
    return failure();
  access.vectorWidth = access.computeVectorWidth(/*assume=*/true);
  access.safeWidth = access.computeVectorWidth(/*assume=*/false);
  return access;
}
