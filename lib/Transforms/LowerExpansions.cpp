//===- LowerExpansions.cpp - Memrefs with several dynamic dimensions ------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: the CPU path, in front of expand-strided-metadata, which knows strides
// of a dimension's parts only if all but one of these are static, and tells by
// strides which dimensions a subview drops.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallBitVector.h"
#include <optional>

namespace mlir::cleave {
#define GEN_PASS_DEF_CLEAVELOWEREXPANSIONSPASS
#include "Cleave/Transforms/Passes.h.inc"
} // namespace mlir::cleave

using namespace mlir;

static bool hasSeveralDynamic(memref::ExpandShapeOp op) {
  return llvm::any_of(op.getReassociationIndices(),
                      [&](ArrayRef<int64_t> dims) {
                        return llvm::count_if(dims, [&](int64_t dim) {
                                 return op.getResultType().isDynamicDim(dim);
                               }) > 1;
                      });
}

/// The dimensions that a subview drops, by the sizes, if its strides say
/// others.
static std::optional<llvm::SmallDenseSet<unsigned>>
findOtherDropped(memref::SubViewOp op) {
  std::optional<llvm::SmallDenseSet<unsigned>> dropped =
      computeRankReductionMask(op.getStaticSizes(), op.getType().getShape());
  if (!dropped)
    return std::nullopt;
  llvm::SmallBitVector byStrides = op.getDroppedDims();
  for (unsigned dim = 0; dim < byStrides.size(); ++dim)
    if (byStrides.test(dim) != dropped->contains(dim))
      return dropped;
  return std::nullopt;
}

static OpFoldResult multiply(OpBuilder &b, Location loc, OpFoldResult lhs,
                             OpFoldResult rhs) {
  std::optional<int64_t> l = getConstantIntValue(lhs);
  std::optional<int64_t> r = getConstantIntValue(rhs);
  if (l && r)
    return b.getIndexAttr(*l * *r);
  return arith::MulIOp::create(b, loc,
                               getValueOrCreateConstantIndexOp(b, loc, lhs),
                               getValueOrCreateConstantIndexOp(b, loc, rhs))
      .getResult();
}

namespace {
struct CleaveLowerExpansionsPass
    : cleave::impl::CleaveLowerExpansionsPassBase<CleaveLowerExpansionsPass> {
  using CleaveLowerExpansionsPassBase::CleaveLowerExpansionsPassBase;

  void runOnOperation() override {
    getOperation().walk([](memref::ExpandShapeOp op) {
      if (hasSeveralDynamic(op) && op.getSrcType().getLayout().isIdentity())
        lower(op);
    });
    getOperation().walk([](memref::SubViewOp op) {
      if (auto dropped = findOtherDropped(op))
        lower(op, *dropped);
    });
  }

private:
  static void lower(memref::ExpandShapeOp op) {
    OpBuilder b(op);
    SmallVector<OpFoldResult> sizes = op.getMixedOutputShape();
    SmallVector<OpFoldResult> strides(sizes.size());
    OpFoldResult stride = b.getIndexAttr(1);
    for (size_t dim = sizes.size(); dim-- > 0;) {
      strides[dim] = stride;
      stride = multiply(b, op.getLoc(), stride, sizes[dim]);
    }
    auto cast = memref::ReinterpretCastOp::create(
        b, op.getLoc(), op.getResultType(), op.getSrc(), b.getIndexAttr(0),
        sizes, strides);
    op.replaceAllUsesWith(cast.getResult());
    op.erase();
  }

  static void lower(memref::SubViewOp op,
                    const llvm::SmallDenseSet<unsigned> &dropped) {
    OpBuilder b(op);
    auto whole = memref::SubViewOp::create(
        b, op.getLoc(), op.getSource(), op.getMixedOffsets(),
        op.getMixedSizes(), op.getMixedStrides());
    auto metadata =
        memref::ExtractStridedMetadataOp::create(b, op.getLoc(), whole);
    SmallVector<OpFoldResult> sizes, strides;
    for (auto [dim, size] :
         llvm::enumerate(metadata.getConstifiedMixedSizes())) {
      if (dropped.contains(dim))
        continue;
      sizes.push_back(size);
      strides.push_back(metadata.getConstifiedMixedStrides()[dim]);
    }
    auto cast = memref::ReinterpretCastOp::create(
        b, op.getLoc(), op.getType(), metadata.getBaseBuffer(),
        metadata.getConstifiedMixedOffset(), sizes, strides);
    op.replaceAllUsesWith(cast.getResult());
    op.erase();
  }
};
} // namespace
