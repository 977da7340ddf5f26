//===- LowerExpansions.cpp - Memrefs with several dynamic dimensions ------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: the CPU path, in front of expand-strided-metadata, which knows strides
// of a dimension's parts only if all but one of these are static.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

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
};
} // namespace
