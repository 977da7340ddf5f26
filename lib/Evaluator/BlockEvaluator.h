//===- BlockEvaluator.h - Evaluation of a block -----------------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the evaluator: one pass over the operations of a block, with the
// extents and domains that hold there.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_LIB_EVALUATOR_BLOCKEVALUATOR_H
#define CLEAVE_LIB_EVALUATOR_BLOCKEVALUATOR_H

#include "Cleave/Evaluator/Evaluator.h"
#include "Cleave/Evaluator/NamedArray.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::cleave {

/// What holds throughout a function.
struct EvaluatorContext {
  FunctionOpInterface function;
  EvaluatorOptions options;
  /// The extents that `extent` gives and domains are made of.
  Bindings extents;
};

/// The part of the iteration space that is being evaluated.
struct Window {
  /// Extents of the axes here: less than the whole in a tile or a sample.
  Bindings extents;
  SmallVector<Domain> domains;
  /// Where the axes that are cut begin.
  Bindings offsets;

  int64_t begin(const std::string &axis) const {
    auto it = offsets.find(axis);
    return it == offsets.end() ? 0 : it->second;
  }

  /// Positions [begin, begin + length) of an axis only.
  Window slice(const std::string &axis, int64_t begin, int64_t length) const;
};

class BlockEvaluator {
public:
  BlockEvaluator(const EvaluatorContext &context, const Window &window)
      : context(context), window(window) {}

  /// Runs a block on these arguments; returns the terminator's operands.
  FailureOr<std::vector<NamedArray>> run(Block &block,
                                         ArrayRef<NamedArray> arguments);

private:
  LogicalResult evaluate(Operation *op);
  LogicalResult evaluateAlternatives(AlternativesOp op);
  LogicalResult evaluateFold(FoldOp op);
  FailureOr<NamedArray> compute(Operation *op);
  NamedArray computePointwise(Pointwise operation, Operation *op);
  NamedArray computeConstant(ConstantOp op);
  NamedArray computeCast(CastOp op);
  NamedArray computeRename(RenameOp op);
  NamedArray computeSplit(SplitOp op);
  NamedArray computeMerge(MergeOp op);
  /// Fails where an operation looks at positions of an axis that is cut.
  LogicalResult requireWhole(Operation *op, StringRef axis);
  FailureOr<NamedArray> computeSlice(SliceOp op);
  FailureOr<NamedArray> computeConcat(ConcatOp op);
  FailureOr<NamedArray> computeGather(GatherOp op);
  FailureOr<NamedArray> computeInsert(InsertOp op);

  // Sugar.cpp
  FailureOr<NamedArray> computeSugar(Operation *op);
  NamedArray apply(Pointwise operation, ArrayRef<NamedArray> operands,
                   ElementKind kind);
  NamedArray reduceOver(Reduction reduction, const NamedArray &x, AxesAttr axes,
                        ElementKind kind);
  std::pair<NamedArray, NamedArray>
  computeShiftedExp(const NamedArray &x, AxesAttr axes, ElementKind kind);
  NamedArray computeMean(const NamedArray &x, AxesAttr axes, ElementKind kind);
  NamedArray computeInverseRoot(const NamedArray &x, AxesAttr axes,
                                const APFloat &eps, ElementKind kind);
  NamedArray computeSoftmax(SoftmaxOp op);
  NamedArray computeLogSumExp(LogSumExpOp op);
  NamedArray computeRMSNorm(RMSNormOp op);
  NamedArray computeLayerNorm(LayerNormOp op);
  NamedArray computeSilu(SiluOp op);
  NamedArray computeGelu(GeluOp op);
  NamedArray computeStack(StackOp op);

  const NamedArray &get(Value value) const {
    return values.find(value)->second;
  }
  SmallVector<NamedArray> getAll(ValueRange range) const;

  const EvaluatorContext &context;
  const Window &window;
  llvm::DenseMap<Value, NamedArray> values;
};

/// Rounds in place to an element type if the mode says so; `array` must be the
/// only owner of its values.
NamedArray finish(const EvaluatorContext &context, NamedArray array);

/// Reduces, in the mode's numbers.
NamedArray reduceIn(const EvaluatorContext &context, const Window &window,
                    Reduction reduction, const NamedArray &input,
                    ArrayRef<std::string> axes, ElementKind kind);

/// Contracts, in the mode's numbers: rounds the operands to `operandType`.
NamedArray contractIn(const EvaluatorContext &context, const Window &window,
                      const NamedArray &lhs, const NamedArray &rhs,
                      ArrayRef<std::string> axes, Type operandType,
                      ElementKind kind);

/// The names in an attribute.
SmallVector<std::string> getNames(AxesAttr axes);

/// The kind of a value's elements; every float and integer that reaches the
/// evaluator has one (Signature checks arguments, verifiers the rest).
ElementKind getKind(Type type);

/// The results of a fold.
FailureOr<std::vector<NamedArray>> runFold(const EvaluatorContext &context,
                                           const Window &window, FoldOp op,
                                           ArrayRef<NamedArray> inputs);

} // namespace mlir::cleave

#endif // CLEAVE_LIB_EVALUATOR_BLOCKEVALUATOR_H
