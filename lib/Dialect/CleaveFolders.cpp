//===- CleaveFolders.cpp - Constant folding and canonicalisation ----------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Only what holds for every IEEE value: x + 0 loses its 0 (up to the sign of
// zero) and x * 1 its 1, but x * 0 and x - x stay. No fold crosses, adds or
// removes a rounding.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Dialect/CleaveDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/PatternMatch.h"
#include <cmath>

using namespace mlir;
using namespace mlir::cleave;

/// `value` rounded to the element type of `type`, as an f64 attribute.
static FloatAttr makeConstant(Type type, double value) {
  APFloat number(value);
  bool losesInfo;
  auto element = cast<FloatType>(getElementTypeOrSelf(type));
  number.convert(element.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                 &losesInfo);
  number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                 &losesInfo);
  return FloatAttr::get(Float64Type::get(type.getContext()), number);
}

// The attribute keeps the double as it was written; whoever folds with it sees
// the rounded number, as the evaluator does.
OpFoldResult ConstantOp::fold(FoldAdaptor) {
  return makeConstant(getType(), getValue().convertToDouble());
}

//===----------------------------------------------------------------------===//
// Pointwise operations
//===----------------------------------------------------------------------===//

/// All operands as numbers, or none if one is no constant.
static std::optional<SmallVector<double>>
getConstants(ArrayRef<Attribute> operands) {
  SmallVector<double> numbers;
  for (Attribute operand : operands) {
    auto number = dyn_cast_or_null<FloatAttr>(operand);
    if (!number)
      return std::nullopt;
    numbers.push_back(number.getValueAsDouble());
  }
  return numbers;
}

/// The fold of constants left to right, in the result's type at each step.
static OpFoldResult foldConstants(Type type, ArrayRef<Attribute> operands,
                                  function_ref<double(double, double)> apply) {
  auto numbers = getConstants(operands);
  if (!numbers || numbers->empty())
    return {};
  FloatAttr result = makeConstant(type, numbers->front());
  for (double number : ArrayRef(*numbers).drop_front())
    result = makeConstant(type, apply(result.getValueAsDouble(), number));
  return result;
}

/// A variadic operation of one operand of the result's type is that operand.
template <typename Op>
static OpFoldResult foldVariadic(Op op, ArrayRef<Attribute> operands,
                                 function_ref<double(double, double)> apply) {
  if (op.getInputs().size() == 1 &&
      op.getInputs().front().getType() == op.getType())
    return op.getInputs().front();
  return foldConstants(op.getType(), operands, apply);
}

static double maximum(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return std::nan("");
  return std::fmax(a, b);
}

OpFoldResult AddOp::fold(FoldAdaptor adaptor) {
  return foldVariadic(*this, adaptor.getInputs(), std::plus<double>());
}
OpFoldResult MulOp::fold(FoldAdaptor adaptor) {
  return foldVariadic(*this, adaptor.getInputs(), std::multiplies<double>());
}
OpFoldResult MaxOp::fold(FoldAdaptor adaptor) {
  return foldVariadic(*this, adaptor.getInputs(), maximum);
}
OpFoldResult MinOp::fold(FoldAdaptor adaptor) {
  return foldVariadic(*this, adaptor.getInputs(),
                      [](double a, double b) { return -maximum(-a, -b); });
}
OpFoldResult SubOp::fold(FoldAdaptor adaptor) {
  return foldConstants(getType(), adaptor.getOperands(), std::minus<double>());
}
OpFoldResult DivOp::fold(FoldAdaptor adaptor) {
  return foldConstants(getType(), adaptor.getOperands(),
                       std::divides<double>());
}
OpFoldResult PowOp::fold(FoldAdaptor adaptor) {
  return foldConstants(getType(), adaptor.getOperands(),
                       [](double a, double b) { return std::pow(a, b); });
}

static OpFoldResult foldUnary(Type type, Attribute operand,
                              function_ref<double(double)> apply) {
  auto number = dyn_cast_or_null<FloatAttr>(operand);
  if (!number)
    return {};
  return makeConstant(type, apply(number.getValueAsDouble()));
}

OpFoldResult NegOp::fold(FoldAdaptor adaptor) {
  return foldUnary(getType(), adaptor.getInput(), [](double x) { return -x; });
}
OpFoldResult RecipOp::fold(FoldAdaptor adaptor) {
  return foldUnary(getType(), adaptor.getInput(),
                   [](double x) { return 1 / x; });
}
OpFoldResult Recip0Op::fold(FoldAdaptor adaptor) {
  return foldUnary(getType(), adaptor.getInput(),
                   [](double x) { return x == 0 ? 0 : 1 / x; });
}
OpFoldResult AbsOp::fold(FoldAdaptor adaptor) {
  return foldUnary(getType(), adaptor.getInput(),
                   [](double x) { return std::fabs(x); });
}
OpFoldResult Exp2Op::fold(FoldAdaptor adaptor) {
  return foldUnary(getType(), adaptor.getInput(),
                   [](double x) { return std::exp2(x); });
}
OpFoldResult LogOp::fold(FoldAdaptor adaptor) {
  return foldUnary(getType(), adaptor.getInput(),
                   [](double x) { return std::log(x); });
}
OpFoldResult TanhOp::fold(FoldAdaptor adaptor) {
  return foldUnary(getType(), adaptor.getInput(),
                   [](double x) { return std::tanh(x); });
}
OpFoldResult ErfOp::fold(FoldAdaptor adaptor) {
  return foldUnary(getType(), adaptor.getInput(),
                   [](double x) { return std::erf(x); });
}
OpFoldResult ExpOp::fold(FoldAdaptor adaptor) {
  return foldUnary(getType(), adaptor.getInput(),
                   [](double x) { return std::exp(x); });
}
OpFoldResult SqrtOp::fold(FoldAdaptor adaptor) {
  return foldUnary(getType(), adaptor.getInput(),
                   [](double x) { return std::sqrt(x); });
}
OpFoldResult RsqrtOp::fold(FoldAdaptor adaptor) {
  return foldUnary(getType(), adaptor.getInput(),
                   [](double x) { return 1 / std::sqrt(x); });
}
OpFoldResult SigmoidOp::fold(FoldAdaptor adaptor) {
  return foldUnary(getType(), adaptor.getInput(),
                   [](double x) { return 1 / (1 + std::exp(-x)); });
}

OpFoldResult CastOp::fold(FoldAdaptor adaptor) {
  if (getInput().getType() == getType())
    return getInput();
  if (!isa<FloatType>(getElementTypeOrSelf(getType())))
    return {};
  return foldUnary(getType(), adaptor.getInput(), [](double x) { return x; });
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

OpFoldResult RenameOp::fold(FoldAdaptor) {
  if (getInput().getType() == getType() && getFrom() == getTo())
    return getInput();
  return {};
}

OpFoldResult RelayoutOp::fold(FoldAdaptor) {
  if (getInput().getType() == getType())
    return getInput();
  auto inner = getInput().getDefiningOp<RelayoutOp>();
  if (!inner)
    return {};
  if (inner.getInput().getType() == getType())
    return inner.getInput();
  getInputMutable().assign(inner.getInput());
  return getResult();
}

OpFoldResult MergeOp::fold(FoldAdaptor) {
  auto split = getInput().getDefiningOp<SplitOp>();
  if (split && split.getAxis() == getAxis() && split.getOuter() == getOuter() &&
      split.getInner() == getInner() && split.getInput().getType() == getType())
    return split.getInput();
  return {};
}

//===----------------------------------------------------------------------===//
// Canonicalisation
//===----------------------------------------------------------------------===//

namespace {

/// add(add(a, b), c) -> add(a, b, c), where it has one use and one type.
template <typename Op> struct FlattenVariadic : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const final {
    SmallVector<Value> inputs;
    for (Value input : op.getInputs()) {
      auto inner = input.getDefiningOp<Op>();
      if (inner && inner->hasOneUse() &&
          getElementTypeOrSelf(inner.getType()) ==
              getElementTypeOrSelf(op.getType()))
        llvm::append_range(inputs, inner.getInputs());
      else
        inputs.push_back(input);
    }
    if (inputs.size() == op.getInputs().size())
      return failure();
    rewriter.replaceOpWithNewOp<Op>(op, op.getType(), inputs);
    return success();
  }
};

/// Drops constants equal to the unit whose axes the other operands carry.
template <typename Op> struct DropUnit : OpRewritePattern<Op> {
  DropUnit(MLIRContext *context, double unit)
      : OpRewritePattern<Op>(context), unit(unit) {}

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const final {
    SmallVector<Value> kept;
    for (Value input : op.getInputs()) {
      auto constant = input.getDefiningOp<ConstantOp>();
      if (!constant || constant.getValue().convertToDouble() != unit)
        kept.push_back(input);
    }
    if (kept.empty() || kept.size() == op.getInputs().size())
      return failure();
    // The unit may be all that made the result f64 or gave it an axis.
    TypeRange types = ValueRange(kept).getTypes();
    if (getUnionType(op.getContext(), types,
                     getArithmeticType(op.getContext(), types)) != op.getType())
      return failure();
    rewriter.replaceOpWithNewOp<Op>(op, op.getType(), kept);
    return success();
  }

  double unit;
};

/// neg(neg(x)) -> x, where the types agree.
struct DropDoubleNeg : OpRewritePattern<NegOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(NegOp op,
                                PatternRewriter &rewriter) const final {
    auto inner = op.getInput().getDefiningOp<NegOp>();
    if (!inner || inner.getInput().getType() != op.getType())
      return failure();
    rewriter.replaceOp(op, inner.getInput());
    return success();
  }
};

} // namespace

void AddOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                        MLIRContext *context) {
  patterns.add<FlattenVariadic<AddOp>>(context);
  patterns.add<DropUnit<AddOp>>(context, 0.0);
}

void MulOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                        MLIRContext *context) {
  patterns.add<FlattenVariadic<MulOp>>(context);
  patterns.add<DropUnit<MulOp>>(context, 1.0);
}

void NegOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                        MLIRContext *context) {
  patterns.add<DropDoubleNeg>(context);
}
