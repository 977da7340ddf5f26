//===- ExpandBFloat16.cpp - bf16 for CPUs without it ----------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: CPU path, last step before LLVM.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::cleave {
#define GEN_PASS_DEF_CLEAVEEXPANDBFLOAT16PASS
#include "Cleave/Transforms/Passes.h.inc"
} // namespace mlir::cleave

using namespace mlir;
using namespace mlir::cleave;

namespace {
/// f64 to bf16 by way of f32. Two roundings to nearest are not one; rounding to
/// odd first (towards zero, then the last bit set where something was lost) is.
struct TruncateDouble : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const final {
    Value exact = op.getIn();
    if (!exact.getType().isF64() || !op.getType().isBF16())
      return failure();
    Location loc = op.getLoc();
    Type single = rewriter.getF32Type(), integer = rewriter.getI32Type();
    Value nearest = arith::TruncFOp::create(rewriter, loc, single, exact);
    Value back = arith::ExtFOp::create(rewriter, loc, exact.getType(), nearest);
    Value above =
        arith::CmpFOp::create(rewriter, loc, arith::CmpFPredicate::OGT,
                              math::AbsFOp::create(rewriter, loc, back),
                              math::AbsFOp::create(rewriter, loc, exact));
    Value inexact = arith::CmpFOp::create(
        rewriter, loc, arith::CmpFPredicate::ONE, back, exact);
    Value bits = arith::BitcastOp::create(rewriter, loc, integer, nearest);
    bits = arith::SubIOp::create(
        rewriter, loc, bits,
        arith::ExtUIOp::create(rewriter, loc, integer, above));
    bits = arith::OrIOp::create(
        rewriter, loc, bits,
        arith::ExtUIOp::create(rewriter, loc, integer, inexact));
    Value odd = arith::BitcastOp::create(rewriter, loc, single, bits);
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(), odd);
    return success();
  }
};

struct CleaveExpandBFloat16Pass
    : cleave::impl::CleaveExpandBFloat16PassBase<CleaveExpandBFloat16Pass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<TruncateDouble>(&getContext());
    arith::populateExpandBFloat16Patterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
