//===- LowerGPUMath.cpp - f32 functions to GPU instructions -----*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: kernels after distribution, before the conversion to LLVM. What is
// left here becomes calls of CUDA's bitcode library in convert-gpu-to-nvvm.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::cleave {
#define GEN_PASS_DEF_LOWERGPUMATHPASS
#include "Cleave/Conversion/Passes.h.inc"
} // namespace mlir::cleave

using namespace mlir;

/// Calls `scalar` on the elements of the operands, and gathers the results.
static Value mapElements(OpBuilder &b, Location loc, ValueRange operands,
                         llvm::function_ref<Value(ArrayRef<Value>)> scalar) {
  auto type = dyn_cast<VectorType>(operands[0].getType());
  if (!type)
    return scalar(SmallVector<Value>(operands));
  Value result = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  SmallVector<int64_t> strides = computeStrides(type.getShape());
  for (int64_t i = 0, e = type.getNumElements(); i < e; ++i) {
    SmallVector<int64_t> position = delinearize(i, strides);
    SmallVector<Value> elements =
        llvm::map_to_vector(operands, [&](Value operand) -> Value {
          return vector::ExtractOp::create(b, loc, operand, position);
        });
    result =
        vector::InsertOp::create(b, loc, scalar(elements), result, position);
  }
  return result;
}

/// The value times a constant, in the value's type.
static Value scale(OpBuilder &b, Location loc, Value value, double factor) {
  if (factor == 1.0)
    return value;
  Type type = value.getType();
  TypedAttr attr = b.getFloatAttr(getElementTypeOrSelf(type), factor);
  if (auto vector = dyn_cast<VectorType>(type))
    attr = DenseElementsAttr::get(vector, Attribute(attr));
  Value constant = arith::ConstantOp::create(b, loc, attr);
  return arith::MulFOp::create(b, loc, value, constant);
}

namespace {
/// Rewrites an op on floats of that many bits into post * intrinsic(pre *
/// operands).
template <typename Op, unsigned kBits = 32>
struct LowerToIntrinsic : OpRewritePattern<Op> {
  LowerToIntrinsic(MLIRContext *context, StringRef intrinsic, double pre = 1.0,
                   double post = 1.0)
      : OpRewritePattern<Op>(context), intrinsic(intrinsic), pre(pre),
        post(post) {}

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    Type type = op->getResult(0).getType();
    Type element = getElementTypeOrSelf(type);
    if (!element.isF32() && !element.isF64())
      return failure();
    if (element.getIntOrFloatBitWidth() != kBits)
      return failure();
    Location loc = op->getLoc();
    SmallVector<Value> operands =
        llvm::map_to_vector(op->getOperands(), [&](Value operand) {
          return scale(rewriter, loc, operand, pre);
        });
    Value result =
        mapElements(rewriter, loc, operands, [&](ArrayRef<Value> elements) {
          return LLVM::CallIntrinsicOp::create(
                     rewriter, loc, element, rewriter.getStringAttr(intrinsic),
                     elements)
              .getResult(0);
        });
    rewriter.replaceOp(op, scale(rewriter, loc, result, post));
    return success();
  }

  StringRef intrinsic;
  double pre, post;
};

/// A long sequence of instructions for one element after the other: each step
/// for all of them would take registers for all of them, several times.
template <typename Op> struct SplitVector : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    if (!isa<VectorType>(op.getType()))
      return failure();
    rewriter.replaceOp(op, mapElements(rewriter, op.getLoc(), op.getOperand(),
                                       [&](ArrayRef<Value> elements) -> Value {
                                         return Op::create(rewriter,
                                                           op.getLoc(),
                                                           elements.front());
                                       }));
    return success();
  }
};

/// What was extended to `value`, or to what `value` reorders; null if that was
/// not of `type`.
Value findUnextended(Value value, Type type) {
  auto shuffle = value.getDefiningOp<vector::ShuffleOp>();
  if (shuffle && shuffle.getV1() == shuffle.getV2())
    value = shuffle.getV1();
  auto extend = value.getDefiningOp<arith::ExtFOp>();
  bool isOfType = extend && getElementTypeOrSelf(extend.getIn().getType()) ==
                                getElementTypeOrSelf(type);
  return isOfType ? extend.getIn() : Value();
}

/// `unextended` in the order of `value`.
Value reorderLike(OpBuilder &b, Value unextended, Value value) {
  auto shuffle = value.getDefiningOp<vector::ShuffleOp>();
  return shuffle ? vector::ShuffleOp::create(b, shuffle.getLoc(), unextended,
                                             unextended, shuffle.getMask())
                 : unextended;
}

/// The f32 product of two f16 is exact: rounding it to f16 is what the f16
/// product does.
struct MultiplyHalves : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    auto product = op.getIn().getDefiningOp<arith::MulFOp>();
    if (!product || !product->hasOneUse() || op.getRoundingmodeAttr() ||
        !getElementTypeOrSelf(op.getType()).isF16())
      return failure();
    Value lhs = findUnextended(product.getLhs(), op.getType());
    Value rhs = findUnextended(product.getRhs(), op.getType());
    if (!lhs || !rhs)
      return failure();
    lhs = reorderLike(rewriter, lhs, product.getLhs());
    rhs = reorderLike(rewriter, rhs, product.getRhs());
    rewriter.replaceOpWithNewOp<arith::MulFOp>(op, lhs, rhs);
    return success();
  }
};

/// 1 / (1 + exp(x)) by one instruction: what it divides by is no denormal,
/// which that takes for 0.
void invertSigmoids(Operation *root) {
  auto isExponential = [](Value value) {
    return value.getDefiningOp<math::ExpOp>() ||
           value.getDefiningOp<math::Exp2Op>();
  };
  root->walk([&](arith::DivFOp op) {
    auto sum = op.getRhs().getDefiningOp<arith::AddFOp>();
    Type element = getElementTypeOrSelf(op.getType());
    if (!sum || !element.isF32() || !matchPattern(op.getLhs(), m_OneFloat()))
      return;
    Value lhs = sum.getLhs(), rhs = sum.getRhs();
    if (!(matchPattern(lhs, m_OneFloat()) && isExponential(rhs)) &&
        !(matchPattern(rhs, m_OneFloat()) && isExponential(lhs)))
      return;
    OpBuilder b(op);
    auto name = b.getStringAttr("llvm.nvvm.rcp.approx.ftz.f");
    Value result =
        mapElements(b, op.getLoc(), op.getRhs(), [&](ArrayRef<Value> elements) {
          return LLVM::CallIntrinsicOp::create(b, op.getLoc(), element, name,
                                               elements)
              .getResult(0);
        });
    op.replaceAllUsesWith(result);
    op.erase();
  });
}

/// One rounding less is allowed, so that LLVM forms FMAs; but not where lanes
/// exchange what they add, which all of them have to round alike, nor of one of
/// two products: equal ones have no difference.
void allowContraction(Operation *op) {
  auto isExchanged = [](Value operand) {
    return operand.getDefiningOp<gpu::ShuffleOp>() != nullptr;
  };
  auto isProduct = [](Value operand) {
    return operand.getDefiningOp<arith::MulFOp>() != nullptr;
  };
  if (llvm::any_of(op->getOperands(), isExchanged) ||
      (isa<arith::SubFOp>(op) && llvm::all_of(op->getOperands(), isProduct)))
    return;
  if (!isa<arith::AddFOp, arith::SubFOp, arith::MulFOp>(op) ||
      getElementTypeOrSelf(op->getResult(0)).isF16())
    return;
  auto math = cast<arith::ArithFastMathInterface>(op);
  arith::FastMathFlags flags = math.getFastMathFlagsAttr().getValue();
  op->setAttr(math.getFastMathAttrName(),
              arith::FastMathFlagsAttr::get(
                  op->getContext(), flags | arith::FastMathFlags::contract));
}

struct LowerGPUMathPass : cleave::impl::LowerGPUMathPassBase<LowerGPUMathPass> {
  void runOnOperation() override {
    invertSigmoids(getOperation());
    RewritePatternSet patterns(&getContext());
    MLIRContext *context = &getContext();
    // ex2 of -inf is 0 and of large values inf, as exp is.
    patterns.add<LowerToIntrinsic<math::ExpOp>>(
        context, "llvm.nvvm.ex2.approx.ftz.f32", llvm::numbers::log2e);
    patterns.add<LowerToIntrinsic<math::Exp2Op>>(
        context, "llvm.nvvm.ex2.approx.ftz.f32");
    patterns.add<LowerToIntrinsic<math::LogOp>>(
        context, "llvm.nvvm.lg2.approx.f", 1.0, llvm::numbers::ln2);
    patterns.add<LowerToIntrinsic<math::Log2Op>>(context,
                                                 "llvm.nvvm.lg2.approx.f");
    patterns.add<LowerToIntrinsic<math::RsqrtOp>>(context,
                                                  "llvm.nvvm.rsqrt.approx.f");
    // Two ulp over the whole range; div.approx would give 0 for huge divisors.
    patterns.add<LowerToIntrinsic<arith::DivFOp>>(context,
                                                  "llvm.nvvm.div.full");
    // LLVM selects single instructions for these.
    patterns.add<LowerToIntrinsic<math::SqrtOp>>(context, "llvm.sqrt.f32");
    patterns.add<LowerToIntrinsic<math::AbsFOp>>(context, "llvm.fabs.f32");
    patterns.add<LowerToIntrinsic<arith::MaxNumFOp>>(context,
                                                     "llvm.maxnum.f32");
    patterns.add<LowerToIntrinsic<arith::MinNumFOp>>(context,
                                                     "llvm.minnum.f32");
    // Ends of loops are counted in f64.
    patterns.add<LowerToIntrinsic<arith::MaxNumFOp, 64>>(context,
                                                         "llvm.maxnum.f64");
    patterns.add<LowerToIntrinsic<arith::MinNumFOp, 64>>(context,
                                                         "llvm.minnum.f64");
    patterns.add<LowerToIntrinsic<math::FmaOp>>(context, "llvm.fma.f32");
    patterns.add<LowerToIntrinsic<math::FloorOp>>(context, "llvm.floor.f32");
    patterns.add<LowerToIntrinsic<math::CeilOp>>(context, "llvm.ceil.f32");
    patterns.add<LowerToIntrinsic<math::CopySignOp>>(context,
                                                     "llvm.copysign.f32");
    patterns.add<MultiplyHalves>(context);
    patterns.add<SplitVector<math::TanhOp>, SplitVector<math::ErfOp>>(context,
                                                                      2);
    populatePolynomialApproximateTanhPattern(patterns);
    populatePolynomialApproximateErfPattern(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      return signalPassFailure();
    getOperation().walk(allowContraction);
  }
};
} // namespace
