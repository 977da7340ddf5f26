//===- Sugar.cpp - Evaluation of sugar ------------------------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The formulas that the operations' descriptions give, with no use of
// --cleave-expand: that pass is tested against these.
//
//===----------------------------------------------------------------------===//

#include "BlockEvaluator.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using namespace mlir::cleave;

static NamedArray makeScalar(ElementKind kind, double value) {
  return NamedArray::splat(kind, roundTo(kind, value), {});
}

NamedArray BlockEvaluator::apply(Pointwise operation,
                                 ArrayRef<NamedArray> operands,
                                 ElementKind kind) {
  return finish(context, applyPointwise(operation, operands, kind));
}

NamedArray BlockEvaluator::reduceOver(Reduction reduction, const NamedArray &x,
                                      AxesAttr axes, ElementKind kind) {
  return reduceIn(context, window, reduction, x, getNames(axes), kind);
}

/// The maximum over the axes where it is finite, else 0, and exp(x - shift).
std::pair<NamedArray, NamedArray>
BlockEvaluator::computeShiftedExp(const NamedArray &x, AxesAttr axes,
                                  ElementKind kind) {
  NamedArray max = reduceOver(Reduction::Max, x, axes, kind);
  NamedArray finite = applyPointwise(Pointwise::IsFinite, max, ElementKind::I1);
  NamedArray shift =
      apply(Pointwise::Select, {finite, max, makeScalar(kind, 0)}, kind);
  NamedArray difference = apply(Pointwise::Sub, {x, shift}, kind);
  return {shift, apply(Pointwise::Exp, difference, kind)};
}

NamedArray BlockEvaluator::computeMean(const NamedArray &x, AxesAttr axes,
                                       ElementKind kind) {
  double count = 1;
  for (const std::string &axis : getNames(axes))
    count *= double(context.extents.at(axis));
  NamedArray sum = reduceOver(Reduction::Sum, x, axes, kind);
  return apply(Pointwise::Div, {sum, makeScalar(kind, count)}, kind);
}

/// rsqrt(mean(x * x) + eps).
NamedArray BlockEvaluator::computeInverseRoot(const NamedArray &x,
                                              AxesAttr axes, const APFloat &eps,
                                              ElementKind kind) {
  NamedArray mean =
      computeMean(apply(Pointwise::Mul, {x, x}, kind), axes, kind);
  NamedArray bias = makeScalar(kind, eps.convertToDouble());
  return apply(Pointwise::Rsqrt, apply(Pointwise::Add, {mean, bias}, kind),
               kind);
}

NamedArray BlockEvaluator::computeSoftmax(SoftmaxOp op) {
  ElementKind kind = getKind(op.getType());
  NamedArray exp =
      computeShiftedExp(get(op.getInput()), op.getAxes(), kind).second;
  NamedArray sum = reduceOver(Reduction::Sum, exp, op.getAxes(), kind);
  return apply(Pointwise::Mul, {exp, apply(Pointwise::Recip0, sum, kind)},
               kind);
}

NamedArray BlockEvaluator::computeLogSumExp(LogSumExpOp op) {
  ElementKind kind = getKind(op.getType());
  auto [shift, exp] = computeShiftedExp(get(op.getInput()), op.getAxes(), kind);
  NamedArray sum = reduceOver(Reduction::Sum, exp, op.getAxes(), kind);
  return apply(Pointwise::Add, {apply(Pointwise::Log, sum, kind), shift}, kind);
}

NamedArray BlockEvaluator::computeRMSNorm(RMSNormOp op) {
  ElementKind kind = getKind(op.getType());
  const NamedArray &x = get(op.getInput());
  SmallVector<NamedArray> factors{
      x, computeInverseRoot(x, op.getAxes(), op.getEps(), kind)};
  if (op.getWeight())
    factors.push_back(get(op.getWeight()));
  return apply(Pointwise::Mul, factors, kind);
}

NamedArray BlockEvaluator::computeLayerNorm(LayerNormOp op) {
  ElementKind kind = getKind(op.getType());
  const NamedArray &x = get(op.getInput());
  NamedArray d =
      apply(Pointwise::Sub, {x, computeMean(x, op.getAxes(), kind)}, kind);
  SmallVector<NamedArray> parameters = getAll(op.getParameters());
  SmallVector<NamedArray> factors{
      d, computeInverseRoot(d, op.getAxes(), op.getEps(), kind)};
  if (!parameters.empty())
    factors.push_back(parameters.front());
  NamedArray result = apply(Pointwise::Mul, factors, kind);
  if (parameters.size() < 2)
    return result;
  return apply(Pointwise::Add, {result, parameters.back()}, kind);
}

NamedArray BlockEvaluator::computeSilu(SiluOp op) {
  ElementKind kind = getKind(op.getType());
  const NamedArray &x = get(op.getInput());
  return apply(Pointwise::Mul, {x, apply(Pointwise::Sigmoid, x, kind)}, kind);
}

NamedArray BlockEvaluator::computeGelu(GeluOp op) {
  ElementKind kind = getKind(op.getType());
  const NamedArray &x = get(op.getInput());
  NamedArray f;
  if (op.getForm() == GeluForm::erf) {
    NamedArray scale = makeScalar(kind, std::sqrt(0.5));
    f = apply(Pointwise::Erf, apply(Pointwise::Mul, {x, scale}, kind), kind);
  } else {
    NamedArray weight = makeScalar(kind, 0.044715);
    NamedArray scale = makeScalar(kind, std::sqrt(2 / llvm::numbers::pi));
    NamedArray cube = apply(Pointwise::Mul, {x, x, x, weight}, kind);
    NamedArray sum = apply(Pointwise::Add, {x, cube}, kind);
    f = apply(Pointwise::Tanh, apply(Pointwise::Mul, {sum, scale}, kind), kind);
  }
  NamedArray gate = apply(Pointwise::Add, {f, makeScalar(kind, 1)}, kind);
  return apply(Pointwise::Mul, {x, gate, makeScalar(kind, 0.5)}, kind);
}

NamedArray BlockEvaluator::computeStack(StackOp op) {
  // A space stands in no axis name.
  SmallVector<NamedArray> inputs;
  for (const NamedArray &input : getAll(op.getInputs()))
    inputs.push_back(input.broadcast(" ", 1));
  SmallVector<std::string> along(inputs.size(), " ");
  NamedArray result = concat(inputs, along, op.getAxis());
  result.setKind(getKind(op.getType()));
  return result;
}

FailureOr<NamedArray> BlockEvaluator::computeSugar(Operation *op) {
  using R = FailureOr<NamedArray>;
  return llvm::TypeSwitch<Operation *, R>(op)
      .Case([&](SoftmaxOp op) { return computeSoftmax(op); })
      .Case([&](LogSumExpOp op) { return computeLogSumExp(op); })
      .Case([&](RMSNormOp op) { return computeRMSNorm(op); })
      .Case([&](LayerNormOp op) { return computeLayerNorm(op); })
      .Case([&](SiluOp op) { return computeSilu(op); })
      .Case([&](GeluOp op) { return computeGelu(op); })
      .Case([&](StackOp op) { return computeStack(op); })
      .Default([](Operation *op) {
        return op->emitOpError("is not supported by the evaluator");
      });
}
