//===- Expand.cpp - Replace sugar by its definition -----------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first step of the algebra: after it only pointwise operations,
// reductions, contractions and views are left.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Transforms/Passes.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include <limits>

namespace mlir::cleave {
#define GEN_PASS_DEF_CLEAVEEXPANDPASS
#include "Cleave/Transforms/Passes.h.inc"
} // namespace mlir::cleave

using namespace mlir;
using namespace mlir::cleave;

namespace {

/// exp(x - shift) * recip0(sum), where shift is the row's maximum where that
/// is finite, else 0.
struct ExpandSoftmax : OpRewritePattern<SoftmaxOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SoftmaxOp op,
                                PatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    Value x = op.getInput();
    Value max = ReduceMaxOp::create(rewriter, loc, x, op.getAxes());
    Value finite = IsFiniteOp::create(rewriter, loc, max);
    Value zero = ConstantOp::create(rewriter, loc, 0.0);
    Value shift = SelectOp::create(rewriter, loc, finite, max, zero);
    Value difference = SubOp::create(rewriter, loc, x, shift);
    Value exp = ExpOp::create(rewriter, loc, difference);
    Value sum = ReduceSumOp::create(rewriter, loc, exp, op.getAxes());
    Value scale = Recip0Op::create(rewriter, loc, sum);
    rewriter.replaceOpWithNewOp<MulOp>(op, op.getType(),
                                       ValueRange{exp, scale});
    return success();
  }
};

/// x * rsqrt(sum(x * x) * recip(|axes|) + eps) * weight.
struct ExpandRMSNorm : OpRewritePattern<RMSNormOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(RMSNormOp op,
                                PatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    Value x = op.getInput();
    Value square = MulOp::create(rewriter, loc, ValueRange{x, x});
    Value sum = ReduceSumOp::create(rewriter, loc, square, op.getAxes());
    SmallVector<Value> mean{sum};
    for (StringAttr axis : op.getAxes().getNames()) {
      Value extent = ExtentOp::create(rewriter, loc, axis);
      mean.push_back(RecipOp::create(rewriter, loc, extent));
    }
    Value meanSquare = MulOp::create(rewriter, loc, mean);
    Value eps =
        ConstantOp::create(rewriter, loc, op.getEps().convertToDouble());
    Value biased = AddOp::create(rewriter, loc, ValueRange{meanSquare, eps});
    SmallVector<Value> factors{x, RsqrtOp::create(rewriter, loc, biased)};
    if (op.getWeight())
      factors.push_back(op.getWeight());
    rewriter.replaceOpWithNewOp<MulOp>(op, op.getType(), factors);
    return success();
  }
};

/// x * sigmoid(x).
struct ExpandSilu : OpRewritePattern<SiluOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SiluOp op,
                                PatternRewriter &rewriter) const final {
    Value gate = SigmoidOp::create(rewriter, op.getLoc(), op.getInput());
    rewriter.replaceOpWithNewOp<MulOp>(op, op.getType(),
                                       ValueRange{op.getInput(), gate});
    return success();
  }
};

struct CleaveExpandPass : cleave::impl::CleaveExpandPassBase<CleaveExpandPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateExpandPatterns(patterns);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};

} // namespace

void cleave::populateExpandPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandSoftmax, ExpandRMSNorm, ExpandSilu>(patterns.getContext());
}
