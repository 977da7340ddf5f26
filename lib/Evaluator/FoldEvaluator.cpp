//===- FoldEvaluator.cpp - Evaluation of cleave.fold ----------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fold by its definition, and as what follows from it: leaves of tiles that
// combine. Both must give the same numbers, whatever the tiles. No state is
// tested for its unit: the regions keep the unit by themselves.
//
//===----------------------------------------------------------------------===//

#include "BlockEvaluator.h"

#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using namespace mlir::cleave;

namespace {

using States = std::vector<NamedArray>;

class FoldEvaluator {
public:
  FoldEvaluator(const EvaluatorContext &context, FoldOp op)
      : context(context), op(op), axes(getNames(op.getAxes())) {}

  /// Every state reduced over the window at the window's own references.
  FailureOr<States> leaf(const Window &window, ArrayRef<NamedArray> inputs);
  /// The states of no position.
  States unit(const Window &window);
  FailureOr<States> combine(const Window &window, const States &a,
                            const States &b);
  /// Leaves of tiles of [begin, begin + length) along the first axis.
  FailureOr<States> foldTiles(const Window &window, ArrayRef<NamedArray> inputs,
                              int64_t begin, int64_t length);

private:
  Reduction reductionOf(size_t state) {
    switch (op.getKind(state)) {
    case ReductionKind::ReduceMax:
      return Reduction::Max;
    case ReductionKind::ReduceMin:
      return Reduction::Min;
    case ReductionKind::ReduceSum:
    case ReductionKind::Contract:
      return Reduction::Sum;
    }
    llvm_unreachable("unknown kind of reduction");
  }
  ElementKind kindOf(size_t state) {
    return getKind(op.getResult(state).getType());
  }
  FailureOr<NamedArray> rebase(size_t state, const Window &window,
                               const States &old, const States &current);

  const EvaluatorContext &context;
  FoldOp op;
  SmallVector<std::string> axes;
};

FailureOr<States> FoldEvaluator::leaf(const Window &window,
                                      ArrayRef<NamedArray> inputs) {
  States states;
  for (size_t i = 0, e = op.getNumStates(); i < e; ++i) {
    SmallVector<NamedArray> arguments(inputs);
    arguments.append(states.begin(), states.end());
    FailureOr<std::vector<NamedArray>> body =
        BlockEvaluator(context, window).run(op.getBody(i).front(), arguments);
    if (failed(body))
      return failure();
    NamedArray state;
    if (op.getKind(i) == ReductionKind::Contract) {
      std::optional<Type> type = op.getOperandType(i);
      if (!type)
        type = getDefaultOperandType(
            context.function,
            op.getBody(i).front().getTerminator()->getOperands());
      state = contractIn(context, window, (*body)[0], (*body)[1], axes, *type,
                         kindOf(i));
    } else {
      state = reduceIn(context, window, reductionOf(i), (*body)[0], axes,
                       kindOf(i));
    }
    states.push_back(std::move(state));
  }
  return states;
}

States FoldEvaluator::unit(const Window &window) {
  States states;
  for (size_t i = 0, e = op.getNumStates(); i < e; ++i) {
    SmallVector<Axis> stateAxes;
    for (const std::string &name : getNames(getAxes(op.getResult(i))))
      stateAxes.push_back({name, window.extents.at(name), 0});
    states.push_back(
        NamedArray::splat(kindOf(i), unitOf(reductionOf(i)), stateAxes));
  }
  return states;
}

FailureOr<NamedArray> FoldEvaluator::rebase(size_t state, const Window &window,
                                            const States &old,
                                            const States &current) {
  Region &region = op.getRebase(state);
  if (region.empty())
    return old[state];
  SmallVector<NamedArray> arguments(old.begin(), old.begin() + state + 1);
  arguments.append(current.begin(), current.begin() + state);
  FailureOr<std::vector<NamedArray>> rebased =
      BlockEvaluator(context, window).run(region.front(), arguments);
  if (failed(rebased))
    return failure();
  return rebased->front();
}

FailureOr<States> FoldEvaluator::combine(const Window &window, const States &a,
                                         const States &b) {
  States result;
  for (size_t i = 0, e = op.getNumStates(); i < e; ++i) {
    FailureOr<NamedArray> left = rebase(i, window, a, result);
    FailureOr<NamedArray> right = rebase(i, window, b, result);
    if (failed(left) || failed(right))
      return failure();
    result.push_back(
        finish(context, applyPointwise(combinerOf(reductionOf(i)),
                                       {*left, *right}, kindOf(i))));
  }
  return result;
}

FailureOr<States> FoldEvaluator::foldTiles(const Window &window,
                                           ArrayRef<NamedArray> inputs,
                                           int64_t begin, int64_t length) {
  States states = unit(window);
  int64_t tile = context.options.foldTile;
  for (int64_t at = begin; at < begin + length; at += tile) {
    int64_t size = std::min(tile, begin + length - at);
    SmallVector<NamedArray> tiles;
    for (const NamedArray &input : inputs)
      tiles.push_back(input.slice(axes.front(), at, size));
    Window part = window.slice(axes.front(), at, size);
    FailureOr<States> next = leaf(part, tiles);
    if (failed(next))
      return failure();
    FailureOr<States> combined = combine(window, states, *next);
    if (failed(combined))
      return failure();
    states = std::move(*combined);
  }
  return states;
}

} // namespace

FailureOr<std::vector<NamedArray>>
mlir::cleave::runFold(const EvaluatorContext &context, const Window &window,
                      FoldOp op, ArrayRef<NamedArray> inputs) {
  FoldEvaluator evaluator(context, op);
  if (context.options.foldTile <= 0)
    return evaluator.leaf(window, inputs);
  int64_t parts = std::max<int64_t>(context.options.foldParts, 1);
  int64_t extent =
      window.extents.at(op.getAxes().getNames().front().getValue().str());
  int64_t length = llvm::divideCeil(extent, parts);
  States states = evaluator.unit(window);
  for (int64_t i = 0; i < parts; ++i) {
    int64_t begin = std::min(i * length, extent);
    FailureOr<States> part = evaluator.foldTiles(
        window, inputs, begin, std::min(length, extent - begin));
    if (failed(part))
      return failure();
    FailureOr<States> combined = evaluator.combine(window, states, *part);
    if (failed(combined))
      return failure();
    states = std::move(*combined);
  }
  return states;
}
