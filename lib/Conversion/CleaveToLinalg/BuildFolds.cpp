//===- BuildFolds.cpp - Folds as nodes ------------------------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: scheduling. A fold is built once for all of its results, unless they
// may be used under different names of their axes: then an instance has the
// states that its user needs.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Conversion/EmitBody.h"
#include "ProblemBuilder.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::cleave;
using namespace mlir::cleave::schedule;

FailureOr<NodeId> ProblemBuilder::buildRegion(Region &region, unsigned yielded,
                                              ArrayRef<NodeId> arguments,
                                              ValueRange outside,
                                              const Renaming &renaming) {
  Scope scope;
  scope.renaming = renaming;
  for (auto [argument, node] :
       llvm::zip_equal(region.getArguments(), arguments))
    scope.arguments[argument] = node;
  for (auto [argument, value] : llvm::zip(region.getArguments(), outside))
    scope.outside[argument] = value;
  scopes.push_back(std::move(scope));
  FailureOr<NodeId> node =
      build(region.front().getTerminator()->getOperand(yielded), renaming);
  scopes.pop_back();
  return node;
}

/// Adds state `index` of the operation to the instance, which has the earlier
/// states that it needs.
LogicalResult ProblemBuilder::addState(FoldOp op, unsigned index, Fold &fold,
                                       FoldInstance &instance,
                                       const Renaming &renaming) {
  FoldState state;
  ReductionKind kind = op.getKind(index);
  state.contraction = kind == ReductionKind::Contract;
  state.combiner = getCombiner(kind);
  FailureOr<Element> element =
      getElement(op.getResult(index).getType(), op.getLoc());
  if (failed(element))
    return failure();
  state.element = *element;
  state.axes = getFreeAxes(getAxes(op.getResult(index)), renaming);
  for (auto [nodeKind, slot] : {std::pair(NodeKind::FoldRef, &state.ref),
                                {NodeKind::FoldOld, &state.old},
                                {NodeKind::FoldState, &state.result}}) {
    Node node;
    node.kind = nodeKind;
    node.element = state.element;
    node.axes = state.axes;
    node.fold = instance.fold;
    node.state = fold.states.size();
    *slot = problem.add(node);
  }

  SmallVector<NodeId> arguments, references, old;
  for (Value input : op.getInputs()) {
    FailureOr<NodeId> node = build(input, renaming);
    if (failed(node))
      return failure();
    arguments.push_back(*node);
  }
  for (unsigned earlier = 0; earlier < index; ++earlier) {
    auto place = instance.places.find(earlier);
    if (place != instance.places.end()) {
      references.push_back(fold.states[place->second].ref);
      old.push_back(fold.states[place->second].old);
      continue;
    }
    // Nothing uses it.
    references.push_back(problem.addConstant(0));
    old.push_back(references.back());
  }
  llvm::append_range(arguments, references);
  FailureOr<SmallVector<NodeId>> body =
      buildBody(op, index, arguments, renaming);
  if (failed(body))
    return failure();
  state.body.assign(body->begin(), body->end());

  state.rebased = state.old;
  if (Region &rebase = op.getRebase(index); !rebase.empty()) {
    SmallVector<NodeId> rebaseArguments = old;
    rebaseArguments.push_back(state.old);
    llvm::append_range(rebaseArguments, references);
    FailureOr<NodeId> rebased =
        buildRegion(rebase, 0, rebaseArguments, {}, renaming);
    if (failed(rebased))
      return failure();
    state.rebased = *rebased;
  }
  instance.places[index] = fold.states.size();
  fold.states.push_back(std::move(state));
  return success();
}

/// A fold over one position: the body with the earlier states as they are.
FailureOr<NodeId> ProblemBuilder::buildSingleStep(FoldOp op, unsigned state,
                                                  const Renaming &outer,
                                                  const Renaming &inside) {
  SmallVector<NodeId> arguments;
  for (Value input : op.getInputs()) {
    FailureOr<NodeId> node = build(input, inside);
    if (failed(node))
      return failure();
    arguments.push_back(*node);
  }
  for (Value earlier : op.getResults().take_front(state)) {
    FailureOr<NodeId> node = build(earlier, outer);
    if (failed(node))
      return failure();
    arguments.push_back(*node);
  }
  FailureOr<SmallVector<NodeId>> body = buildBody(op, state, arguments, inside);
  FailureOr<Element> element =
      getElement(op.getResult(state).getType(), op.getLoc());
  if (failed(body) || failed(element))
    return failure();
  return addReduction(getCombiner(op.getKind(state)), *body, {}, *element);
}

/// Builds the body of a state on `arguments`, its operands rounded.
FailureOr<SmallVector<NodeId>>
ProblemBuilder::buildBody(FoldOp op, unsigned state, ArrayRef<NodeId> arguments,
                          const Renaming &renaming) {
  bool contraction = op.getKind(state) == ReductionKind::Contract;
  SmallVector<NodeId> body;
  for (unsigned i = 0; i < (contraction ? 2 : 1); ++i) {
    FailureOr<NodeId> node =
        buildRegion(op.getBody(state), i, arguments, op.getInputs(), renaming);
    if (failed(node))
      return failure();
    body.push_back(*node);
  }
  if (contraction && failed(roundOperands(body, op.getOperandType(state))))
    return failure();
  return body;
}

/// The states that `state` needs, with itself.
static std::set<unsigned> getNeededStates(FoldOp op, unsigned state) {
  std::set<unsigned> needed = {state};
  for (unsigned i = state + 1; i-- > 0;) {
    if (!needed.count(i))
      continue;
    Region &rebase = op.getRebase(i);
    for (unsigned earlier = 0; earlier < i; ++earlier) {
      bool used = !op.getBody(i)
                       .getArgument(op.getInputs().size() + earlier)
                       .use_empty();
      // Old references, the state, new references.
      if (!rebase.empty())
        used |= !rebase.getArgument(earlier).use_empty() ||
                !rebase.getArgument(i + 1 + earlier).use_empty();
      if (used)
        needed.insert(earlier);
    }
  }
  return needed;
}

/// Where `outer` may name axes otherwise that the result `state` lacks and
/// other results have, what those would be called is not known here.
bool ProblemBuilder::namesAllAxes(FoldOp op, unsigned state) {
  AxesAttr own = getAxes(op.getResult(state));
  return llvm::all_of(op.getResults(), [&](Value result) {
    return llvm::all_of(getAxes(result).without(own).getNames(),
                        [&](StringAttr name) {
                          AxisId axis = getAxis(name);
                          return !viewed.count(axis) && !pairs.count(axis);
                        });
  });
}

FailureOr<NodeId> ProblemBuilder::buildFold(FoldOp op, unsigned state,
                                            const Renaming &outer) {
  Value result = op.getResult(state);
  AxesAttr resultAxes = AxesAttr::get(op.getContext(), ArrayRef<StringAttr>());
  for (Value other : op.getResults())
    resultAxes = resultAxes.unionWith(getAxes(other));
  AxisSet reduced;
  Renaming inside = enterReduction(op.getAxes(), outer, resultAxes, reduced);
  if (isEmpty(reduced)) {
    FailureOr<Element> element = getElement(result.getType(), op.getLoc());
    if (failed(element))
      return failure();
    return addUnit(getCombiner(op.getKind(state)), *element, result, outer);
  }
  if (reduced.empty())
    return buildSingleStep(op, state, outer, inside);
  for (const FoldInstance &instance : foldInstances[op]) {
    auto place = instance.places.find(state);
    if (place != instance.places.end() &&
        llvm::all_of(getAxes(result).getNames(), [&](StringAttr name) {
          AxisId axis = getAxis(name);
          return viewOf(instance.renaming, axis) == viewOf(outer, axis);
        }))
      return problem.folds[instance.fold].states[place->second].result;
  }
  FoldInstance instance;
  instance.fold = problem.folds.size();
  instance.renaming = outer;
  problem.folds.emplace_back();
  Fold fold;
  fold.axes = reduced;
  bool all = namesAllAxes(op, state);
  std::set<unsigned> needed = getNeededStates(op, state);
  for (unsigned i = 0; i < op.getNumStates(); ++i)
    if ((all || needed.count(i)) &&
        failed(addState(op, i, fold, instance, inside)))
      return failure();
  problem.folds[instance.fold] = std::move(fold);
  foldInstances[op].push_back(instance);
  return problem.folds[instance.fold].states[instance.places[state]].result;
}
