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
#include "llvm/Support/MathExtras.h"
#include <cmath>

namespace mlir::cleave {
#define GEN_PASS_DEF_CLEAVEEXPANDPASS
#include "Cleave/Transforms/Passes.h.inc"
} // namespace mlir::cleave

using namespace mlir;
using namespace mlir::cleave;

namespace {

/// A scalar of the type that the results of `op` have.
Value createConstant(PatternRewriter &rewriter, Operation *op, double value) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  auto scalar = RankedTensorType::get(
      {}, type.getElementType(),
      AxesAttr::get(op->getContext(), ArrayRef<StringAttr>()));
  return ConstantOp::create(rewriter, op->getLoc(), scalar,
                            rewriter.getF64FloatAttr(value));
}

/// The maximum over the axes where it is finite, else 0, and exp(x - shift).
std::pair<Value, Value> createShiftedExp(PatternRewriter &rewriter,
                                         Location loc, Value x, AxesAttr axes) {
  Value max = ReduceMaxOp::create(rewriter, loc, x, axes);
  Value finite = IsFiniteOp::create(rewriter, loc, max);
  Value zero = ConstantOp::create(rewriter, loc, 0.0);
  Value shift = SelectOp::create(rewriter, loc, finite, max, zero);
  Value difference = SubOp::create(rewriter, loc, x, shift);
  return {shift, ExpOp::create(rewriter, loc, difference)};
}

/// sum(x) * recip(|axes|).
Value createMean(PatternRewriter &rewriter, Location loc, Value x,
                 AxesAttr axes) {
  SmallVector<Value> factors{ReduceSumOp::create(rewriter, loc, x, axes)};
  for (StringAttr axis : axes.getNames()) {
    Value extent = ExtentOp::create(rewriter, loc, axis);
    factors.push_back(RecipOp::create(rewriter, loc, extent));
  }
  return MulOp::create(rewriter, loc, factors);
}

/// rsqrt(mean(x * x) + eps).
Value createInverseRoot(PatternRewriter &rewriter, Location loc, Value x,
                        AxesAttr axes, const APFloat &eps) {
  Value square = MulOp::create(rewriter, loc, ValueRange{x, x});
  Value mean = createMean(rewriter, loc, square, axes);
  Value bias = ConstantOp::create(rewriter, loc, eps.convertToDouble());
  Value biased = AddOp::create(rewriter, loc, ValueRange{mean, bias});
  return RsqrtOp::create(rewriter, loc, biased);
}

/// exp(x - shift) * recip0(sum).
struct ExpandSoftmax : OpRewritePattern<SoftmaxOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SoftmaxOp op,
                                PatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    Value exp =
        createShiftedExp(rewriter, loc, op.getInput(), op.getAxes()).second;
    Value sum = ReduceSumOp::create(rewriter, loc, exp, op.getAxes());
    Value scale = Recip0Op::create(rewriter, loc, sum);
    rewriter.replaceOpWithNewOp<MulOp>(op, op.getType(),
                                       ValueRange{exp, scale});
    return success();
  }
};

/// log(sum(exp(x - shift))) + shift.
struct ExpandLogSumExp : OpRewritePattern<LogSumExpOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(LogSumExpOp op,
                                PatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    auto [shift, exp] =
        createShiftedExp(rewriter, loc, op.getInput(), op.getAxes());
    Value sum = ReduceSumOp::create(rewriter, loc, exp, op.getAxes());
    Value log = LogOp::create(rewriter, loc, sum);
    rewriter.replaceOpWithNewOp<AddOp>(op, op.getType(),
                                       ValueRange{log, shift});
    return success();
  }
};

/// x * rsqrt(mean(x * x) + eps) * weight.
struct ExpandRMSNorm : OpRewritePattern<RMSNormOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(RMSNormOp op,
                                PatternRewriter &rewriter) const final {
    Value x = op.getInput();
    SmallVector<Value> factors{x, createInverseRoot(rewriter, op.getLoc(), x,
                                                    op.getAxes(), op.getEps())};
    if (op.getWeight())
      factors.push_back(op.getWeight());
    rewriter.replaceOpWithNewOp<MulOp>(op, op.getType(), factors);
    return success();
  }
};

/// d * rsqrt(mean(d * d) + eps) * weight + bias, where d = x - mean(x).
struct ExpandLayerNorm : OpRewritePattern<LayerNormOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(LayerNormOp op,
                                PatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    Value x = op.getInput();
    Value mean = createMean(rewriter, loc, x, op.getAxes());
    Value d = SubOp::create(rewriter, loc, x, mean);
    SmallVector<Value> factors{
        d, createInverseRoot(rewriter, loc, d, op.getAxes(), op.getEps())};
    ValueRange parameters = op.getParameters();
    if (!parameters.empty())
      factors.push_back(parameters.front());
    Value result = MulOp::create(rewriter, loc, factors);
    if (parameters.size() == 2)
      result =
          AddOp::create(rewriter, loc, ValueRange{result, parameters.back()});
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// The input whose number is the position along the axis.
struct ExpandStack : OpRewritePattern<StackOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(StackOp op,
                                PatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    int64_t count = op.getInputs().size();
    auto type = RankedTensorType::get(
        {count}, rewriter.getF32Type(),
        AxesAttr::get(op.getContext(), ArrayRef<StringAttr>{op.getAxisAttr()}));
    Value position = IotaOp::create(rewriter, loc, type, op.getAxisAttr());
    Value result = op.getInputs().back();
    // A single input is selected as well: that gives it the axis.
    for (int64_t i = std::max<int64_t>(count - 2, 0); i >= 0; --i) {
      Value number = ConstantOp::create(rewriter, loc, double(i));
      Value here =
          CmpOp::create(rewriter, loc, CmpPredicate::eq, position, number);
      result = SelectOp::create(rewriter, loc, here, op.getInputs()[i], result);
    }
    rewriter.replaceOp(op, result);
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

/// x * (1 + f) / 2, with f = erf(x / sqrt(2)) or the tanh form of it.
struct ExpandGelu : OpRewritePattern<GeluOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GeluOp op,
                                PatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    Value x = op.getInput();
    auto constant = [&](double value) {
      return createConstant(rewriter, op, value);
    };
    Value f;
    if (op.getForm() == GeluForm::erf) {
      Value scaled =
          MulOp::create(rewriter, loc, ValueRange{x, constant(std::sqrt(0.5))});
      f = ErfOp::create(rewriter, loc, scaled);
    } else {
      Value cube =
          MulOp::create(rewriter, loc, ValueRange{x, x, x, constant(0.044715)});
      Value sum = AddOp::create(rewriter, loc, ValueRange{x, cube});
      Value scaled = MulOp::create(
          rewriter, loc,
          ValueRange{sum, constant(std::sqrt(2 / llvm::numbers::pi))});
      f = TanhOp::create(rewriter, loc, scaled);
    }
    Value gate = AddOp::create(rewriter, loc, ValueRange{f, constant(1)});
    rewriter.replaceOpWithNewOp<MulOp>(op, op.getType(),
                                       ValueRange{x, gate, constant(0.5)});
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
  patterns.add<ExpandSoftmax, ExpandLogSumExp, ExpandRMSNorm, ExpandLayerNorm,
               ExpandStack, ExpandSilu, ExpandGelu>(patterns.getContext());
}
