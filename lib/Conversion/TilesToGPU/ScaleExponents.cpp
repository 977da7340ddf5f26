//===- ScaleExponents.cpp - exp as a power of two of one FMA --------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: vector form. The hardware knows powers of two: exp(x - y) is
// exp2(x * log2(e) - y * log2(e)). Where y is the same for many x, its product
// is computed once for all, and one multiply-add an element is left.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Conversion/Passes.h"
#include "ReferenceDependence.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::cleave {
#define GEN_PASS_DEF_SCALEEXPONENTSPASS
#include "Cleave/Conversion/Passes.h.inc"
} // namespace mlir::cleave

using namespace mlir;

/// From here on, neighbours of y lie at least 16 apart.
static constexpr double kCoarse = 1 << 27;

/// What `ops` make of another value than they did.
static Value repeat(OpBuilder &b, Value value, ArrayRef<Operation *> ops) {
  for (Operation *op : llvm::reverse(ops)) {
    if (isa<vector::BroadcastOp>(op))
      value = vector::BroadcastOp::create(b, op->getLoc(),
                                          op->getResult(0).getType(), value);
    else
      value = vector::TransposeOp::create(
          b, op->getLoc(), value,
          cast<vector::TransposeOp>(op).getPermutation());
  }
  return value;
}

static Value createConstantLike(OpBuilder &b, Location loc, Type type,
                                double value) {
  TypedAttr attr = b.getFloatAttr(getElementTypeOrSelf(type), value);
  if (auto vector = dyn_cast<VectorType>(type))
    attr = DenseElementsAttr::get(vector, Attribute(attr));
  return arith::ConstantOp::create(b, loc, attr);
}

/// What turns `row` from an exponent of e into one of 2. The product with y is
/// rounded, which large y do not survive: the result would be 2 to the power of
/// the error. But there the difference is 0 or beyond 16, so that any factor
/// does, and 1 is exact. Infinities too.
static Value createFactor(OpBuilder &b, Location loc, Value row) {
  auto constant = [&](double value) {
    return createConstantLike(b, loc, row.getType(), value);
  };
  Value fine = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT,
                                     math::AbsFOp::create(b, loc, row),
                                     constant(kCoarse));
  return arith::SelectOp::create(b, loc, fine, constant(llvm::numbers::log2e),
                                 constant(1));
}

/// `value` without the constant that stands for it where it is not finite.
static Value getUnguarded(Value value) {
  auto guard = value.getDefiningOp<arith::SelectOp>();
  return guard && matchPattern(guard.getFalseValue(), m_Constant())
             ? guard.getTrueValue()
             : value;
}

/// Whether `next` is what a loop makes of its state `value`.
static bool isNextState(Value value, Value next) {
  auto state = dyn_cast<BlockArgument>(getUnguarded(value));
  auto loop = state ? dyn_cast<scf::ForOp>(state.getOwner()->getParentOp())
                    : scf::ForOp();
  OpOperand *yielded = loop ? loop.getTiedLoopYieldedValue(state) : nullptr;
  return yielded && yielded->get() == getUnguarded(next);
}

namespace {
/// Sums of exp2(x * f - y * f) have the error of their y * f. Where y moves on,
/// so do they, by what y * f moves.
struct ScaleStep : OpRewritePattern<math::ExpOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::ExpOp op,
                                PatternRewriter &rewriter) const override {
    auto least = op.getOperand().getDefiningOp<arith::MinimumFOp>();
    auto step =
        least ? least.getLhs().getDefiningOp<arith::SubFOp>() : arith::SubFOp();
    if (!step || !getElementTypeOrSelf(op.getType()).isF32() ||
        !matchPattern(least.getRhs(), m_AnyZeroFloat()) ||
        !isNextState(step.getLhs(), step.getRhs()))
      return failure();
    Location loc = op.getLoc();
    Value factor = createFactor(rewriter, loc, step.getRhs());
    auto scale = [&](Value row) -> Value {
      return arith::MulFOp::create(rewriter, loc, row, factor);
    };
    Value scaled = arith::SubFOp::create(rewriter, loc, scale(step.getLhs()),
                                         scale(step.getRhs()));
    rewriter.replaceOpWithNewOp<math::Exp2Op>(
        op, arith::MinimumFOp::create(rewriter, loc, scaled, least.getRhs()));
    return success();
  }
};

struct ScaleDifference : OpRewritePattern<math::ExpOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::ExpOp op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<VectorType>(op.getType());
    auto difference = op.getOperand().getDefiningOp<arith::SubFOp>();
    if (!type || !type.getElementType().isF32() || !difference)
      return failure();
    SmallVector<Operation *> ops;
    Value row = cleave::getRepeated(difference.getRhs(), &ops);
    auto rowType = dyn_cast<VectorType>(row.getType());
    if (rowType && rowType.getNumElements() >= type.getNumElements())
      return failure();
    Location loc = op.getLoc();
    Value factor = createFactor(rewriter, loc, row);
    Value shift = arith::NegFOp::create(
        rewriter, loc, arith::MulFOp::create(rewriter, loc, row, factor));
    Value exponent = math::FmaOp::create(rewriter, loc, difference.getLhs(),
                                         repeat(rewriter, factor, ops),
                                         repeat(rewriter, shift, ops));
    rewriter.replaceOpWithNewOp<math::Exp2Op>(op, exponent);
    return success();
  }
};

struct ScaleExponentsPass
    : cleave::impl::ScaleExponentsPassBase<ScaleExponentsPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ScaleDifference, ScaleStep>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
