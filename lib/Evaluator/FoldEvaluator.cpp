//===- FoldEvaluator.cpp - Evaluation of cleave.fold ----------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fold by its definition, and as what follows from it: leaves of tiles that
// combine. Both must give the same numbers, whatever the tiles.
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
  bool isMax(size_t state) {
    return op.getKind(state) == ReductionKind::ReduceMax;
  }
  double unitValue(size_t state) {
    return unitOf(isMax(state) ? Reduction::Max : Reduction::Sum);
  }
  ElementKind kindOf(size_t state) {
    return getKind(op.getResult(state).getType());
  }
  /// The earlier states that a state's body or rebase uses.
  SmallVector<size_t> getReferences(size_t state);
  FailureOr<NamedArray> rebase(size_t state, const Window &window,
                               const States &old, const States &current);
  NamedArray setUnitWhereMaxIs(size_t state, NamedArray value,
                               const States &references);
  NamedArray equals(const NamedArray &array, double value) {
    return applyPointwise(
        Pointwise::CmpEQ,
        {array, NamedArray::splat(array.getKind(), value, {})},
        ElementKind::I1);
  }

  const EvaluatorContext &context;
  FoldOp op;
  SmallVector<std::string> axes;
};

SmallVector<size_t> FoldEvaluator::getReferences(size_t state) {
  SmallVector<size_t> references;
  Block &body = op.getBody(state).front();
  Region &rebase = op.getRebase(state);
  size_t inputs = op.getInputs().size();
  for (size_t i = 0; i < state; ++i) {
    bool used = !body.getArgument(inputs + i).use_empty();
    if (!rebase.empty()) {
      used |= !rebase.getArgument(i).use_empty();
      used |= !rebase.getArgument(state + 1 + i).use_empty();
    }
    if (used)
      references.push_back(i);
  }
  return references;
}

/// Where a maximum is still -inf no position was seen, or none that counts:
/// the state is at its unit there, whatever its formula gives.
NamedArray FoldEvaluator::setUnitWhereMaxIs(size_t state, NamedArray value,
                                            const States &references) {
  for (size_t i : getReferences(state)) {
    if (!isMax(i))
      continue;
    NamedArray unit = NamedArray::splat(value.getKind(), unitValue(state), {});
    value = applyPointwise(Pointwise::Select,
                           {equals(references[i], unitValue(i)), unit, value},
                           value.getKind());
  }
  return value;
}

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
      state =
          reduceIn(context, window, isMax(i) ? Reduction::Max : Reduction::Sum,
                   (*body)[0], axes, kindOf(i));
    }
    states.push_back(setUnitWhereMaxIs(i, std::move(state), states));
  }
  return states;
}

States FoldEvaluator::unit(const Window &window) {
  States states;
  for (size_t i = 0, e = op.getNumStates(); i < e; ++i) {
    SmallVector<Axis> stateAxes;
    for (const std::string &name : getNames(getAxes(op.getResult(i))))
      stateAxes.push_back({name, window.extents.at(name), 0});
    states.push_back(NamedArray::splat(kindOf(i), unitValue(i), stateAxes));
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
  // A side that saw nothing keeps its unit: the state and all it refers to
  // are at their units. The state alone does not tell: a sum of squares
  // about a mean is 0 for a single element.
  SmallVector<size_t> references = getReferences(state);
  NamedArray empty = equals(old[state], unitValue(state));
  for (size_t i : references)
    empty = applyPointwise(
        Pointwise::Mul, {empty, equals(old[i], unitValue(i))}, ElementKind::I1);
  NamedArray result = applyPointwise(
      Pointwise::Select, {empty, old[state], rebased->front()}, kindOf(state));
  result = setUnitWhereMaxIs(state, std::move(result), old);
  return setUnitWhereMaxIs(state, std::move(result), current);
}

FailureOr<States> FoldEvaluator::combine(const Window &window, const States &a,
                                         const States &b) {
  States result;
  for (size_t i = 0, e = op.getNumStates(); i < e; ++i) {
    FailureOr<NamedArray> left = rebase(i, window, a, result);
    FailureOr<NamedArray> right = rebase(i, window, b, result);
    if (failed(left) || failed(right))
      return failure();
    result.push_back(finish(
        context, applyPointwise(isMax(i) ? Pointwise::Max : Pointwise::Add,
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
