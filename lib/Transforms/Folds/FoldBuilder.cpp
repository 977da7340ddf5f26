//===- FoldBuilder.cpp - Folds from rewritten reductions ------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gathers the reductions that refer to each other, and writes their bodies and
// rebase regions. Pointwise operations on what varies along the folded axes are
// computed again in the bodies; all else that a body uses is an input.
//
//===----------------------------------------------------------------------===//

#include "FoldRewriter.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include <cmath>

using namespace mlir;
using namespace mlir::cleave;
using namespace mlir::cleave::folds;

Value folds::emitTerms(OpBuilder &builder, Location loc, const Terms &terms,
                       function_ref<Value(Value)> lookup) {
  SmallVector<Value> summands, subtracted;
  for (const Term &term : terms) {
    SmallVector<Value> factors;
    for (const Factor &factor : term.factors) {
      Value value = lookup(factor.value);
      if (factor.inverted)
        value = RecipOp::create(builder, loc, value);
      factors.push_back(value);
    }
    bool negate = term.coefficient == -1 && !factors.empty();
    if (factors.empty() || std::abs(term.coefficient) != 1)
      factors.push_back(ConstantOp::create(builder, loc, term.coefficient));
    Value product = factors.front();
    if (factors.size() > 1)
      product = MulOp::create(builder, loc, factors);
    (negate ? subtracted : summands).push_back(product);
  }
  auto add = [&](ArrayRef<Value> values) -> Value {
    if (values.size() == 1)
      return values.front();
    return AddOp::create(builder, loc, values);
  };
  if (subtracted.empty())
    return add(summands);
  if (summands.empty())
    return NegOp::create(builder, loc, add(subtracted));
  return SubOp::create(builder, loc, add(summands), add(subtracted));
}

namespace {

/// Copies expressions into a region. What is mapped stops the descent.
class RegionCloner {
public:
  RegionCloner(FoldScope &scope, ArrayRef<State> members) : scope(scope) {
    for (const State &state : members)
      states.insert(state.op->getResult(0));
  }

  void map(Value from, Value to) { mapping.map(from, to); }

  Value clone(OpBuilder &builder, Value value) {
    if (Value mapped = mapping.lookupOrNull(value))
      return mapped;
    assert(isComputedInside(value) && "expected all inputs to be mapped");
    Operation *op = value.getDefiningOp();
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(clone(builder, operand));
    Operation *copy = builder.clone(*op);
    copy->setOperands(operands);
    mapping.map(value, copy->getResult(0));
    return copy->getResult(0);
  }

  /// Adds what `value` needs from outside.
  void collect(Value value, llvm::SetVector<Value> &inputs) {
    if (mapping.contains(value) || !visited.insert(value).second)
      return;
    if (!isComputedInside(value)) {
      inputs.insert(value);
      return;
    }
    for (Value operand : value.getDefiningOp()->getOperands())
      collect(operand, inputs);
  }

private:
  FoldScope &scope;
  llvm::DenseSet<Value> states;
  IRMapping mapping;
  llvm::DenseSet<Value> visited;
  llvm::DenseMap<Value, bool> usesStateOf, isConstantOf;

  bool isLocal(Operation *op) {
    return op && op->getBlock() == &scope.getBlock() && isPointwise(op);
  }
  bool usesState(Value value) {
    if (states.contains(value))
      return true;
    if (!isLocal(value.getDefiningOp()))
      return false;
    auto it = usesStateOf.find(value);
    if (it != usesStateOf.end())
      return it->second;
    bool uses = llvm::any_of(value.getDefiningOp()->getOperands(),
                             [&](Value operand) { return usesState(operand); });
    return usesStateOf[value] = uses;
  }
  /// Follows from constants and extents alone.
  bool isConstant(Value value) {
    if (!isLocal(value.getDefiningOp()))
      return false;
    auto it = isConstantOf.find(value);
    if (it != isConstantOf.end())
      return it->second;
    bool constant =
        llvm::all_of(value.getDefiningOp()->getOperands(),
                     [&](Value operand) { return isConstant(operand); });
    return isConstantOf[value] = constant;
  }
  bool isComputedInside(Value value) {
    return isLocal(value.getDefiningOp()) &&
           (scope.varies(value) || usesState(value) || isConstant(value));
  }
};

} // namespace

static ReductionKind getKind(Operation *op) {
  if (isa<ReduceMaxOp>(op))
    return ReductionKind::ReduceMax;
  if (isa<ReduceMinOp>(op))
    return ReductionKind::ReduceMin;
  return isa<ContractOp>(op) ? ReductionKind::Contract
                             : ReductionKind::ReduceSum;
}

void FoldRewriter::formFolds() {
  // Reductions that refer to each other; others stay as they are.
  llvm::EquivalenceClasses<int64_t> classes;
  for (auto &[index, used] : references)
    for (int64_t other : used.set_bits())
      classes.unionSets(index, other);
  std::map<int64_t, std::vector<State>> groups;
  for (auto &[index, state] : states)
    if (classes.contains(index))
      groups[classes.getLeaderValue(index)].push_back(state);
  // Folds may share the count, so all are built before a use is replaced.
  std::vector<std::pair<Value, Value>> results;
  for (auto &[leader, members] : groups) {
    if (count)
      members.insert(members.begin(), states.front().second);
    FoldOp fold = createFold(members);
    for (auto [member, result] : llvm::zip_equal(members, fold.getResults()))
      results.emplace_back(member.op->getResult(0), result);
  }
  for (auto [from, to] : results)
    from.replaceAllUsesWith(to);
}

FoldOp FoldRewriter::createFold(ArrayRef<State> members) {
  Operation *last = scope.getBlock().getTerminator();
  builder.setInsertionPoint(last);
  SmallVector<Type> types, operandTypes;
  SmallVector<ReductionKind> kinds;
  SmallVector<Location> locs;
  bool contracts = false;
  RegionCloner collector(scope, members);
  for (const State &state : members) {
    types.push_back(state.op->getResult(0).getType());
    kinds.push_back(getKind(state.op));
    locs.push_back(state.op->getLoc());
    contracts |= isa<ContractOp>(state.op);
    operandTypes.push_back(isa<ContractOp>(state.op)
                               ? state.operandType
                               : getElementTypeOrSelf(types.back()));
    collector.map(state.op->getResult(0), state.op->getResult(0));
  }
  llvm::SetVector<Value> inputs;
  for (const State &state : members)
    for (Value operand : state.op->getOperands())
      collector.collect(operand, inputs);

  Location loc = FusedLoc::get(builder.getContext(), locs);
  auto fold = FoldOp::create(builder, loc, types, inputs.getArrayRef(),
                             scope.getAxes(), kinds);
  if (contracts)
    fold.setOperandTypesAttr(builder.getTypeArrayAttr(operandTypes));
  for (auto [index, state] : llvm::enumerate(members)) {
    OpBuilder::InsertionGuard guard(builder);
    Block &body = fold.getBody(index).emplaceBlock();
    RegionCloner cloner(scope, members);
    for (Value input : inputs)
      cloner.map(input, body.addArgument(input.getType(), loc));
    for (size_t i = 0; i < index; ++i)
      cloner.map(members[i].op->getResult(0), body.addArgument(types[i], loc));
    builder.setInsertionPointToEnd(&body);
    SmallVector<Value> yielded;
    for (Value operand : state.op->getOperands())
      yielded.push_back(cloner.clone(builder, operand));
    YieldOp::create(builder, state.op->getLoc(), yielded);
    if (state.hasRebase())
      emitRebase(fold, members, index);
  }
  return fold;
}

void FoldRewriter::emitRebase(FoldOp fold, ArrayRef<State> members,
                              size_t index) {
  const State &state = members[index];
  Location loc = state.op->getLoc();
  Block &block = fold.getRebase(index).emplaceBlock();
  auto addReferences = [&] {
    for (size_t i = 0; i < index; ++i)
      block.addArgument(fold.getResult(i).getType(), loc);
  };
  addReferences();
  Value own = block.addArgument(fold.getResult(index).getType(), loc);
  addReferences();
  builder.setInsertionPointToEnd(&block);
  ValueRange arguments = block.getArguments();
  ValueRange old = arguments.take_front(index);
  ValueRange now = arguments.take_back(index);
  Value moved = emitShift(members, state, own, old, now, loc);
  if (state.exponentShift.empty()) {
    YieldOp::create(builder, loc, moved);
    return;
  }

  RegionCloner oldCloner(scope, members), newCloner(scope, members);
  for (size_t i = 0; i < index; ++i) {
    oldCloner.map(members[i].op->getResult(0), old[i]);
    newCloner.map(members[i].op->getResult(0), now[i]);
  }
  // H(new) - H(old), as a difference without signs where H falls.
  bool falls = llvm::all_of(state.exponentShift, [](const Term &term) {
    return term.coefficient < 0;
  });
  Terms terms = state.exponentShift;
  if (falls)
    for (Term &term : terms)
      term.coefficient = -term.coefficient;
  auto emit = [&](RegionCloner &cloner) {
    return emitTerms(builder, loc, terms,
                     [&](Value value) { return cloner.clone(builder, value); });
  };
  Value before = emit(oldCloner), after = emit(newCloner);
  Value exponent = falls ? SubOp::create(builder, loc, before, after)
                         : SubOp::create(builder, loc, after, before);
  if (state.shrinks) {
    // At the unit the difference may be anything, but must not overflow.
    exponent =
        MinOp::create(builder, loc, ValueRange{exponent, constant(loc, 0)});
    Value factor = exponential(loc, state.base2, exponent);
    Value result = MulOp::create(builder, loc, ValueRange{moved, factor});
    YieldOp::create(builder, loc, result);
    return;
  }
  Value finite = IsFiniteOp::create(builder, loc, before);
  exponent = SelectOp::create(builder, loc, finite, exponent, constant(loc, 0));
  Value factor = exponential(loc, state.base2, exponent);
  Value result = MulOp::create(builder, loc, ValueRange{moved, factor});
  Value zero = constant(loc, 0);
  Value atUnit = CmpOp::create(builder, loc, CmpPredicate::eq, moved, zero);
  result = SelectOp::create(builder, loc, atUnit, zero, result);
  YieldOp::create(builder, loc, result);
}

static double binomial(unsigned n, unsigned k) {
  double result = 1;
  for (unsigned i = 0; i < k; ++i)
    result = result * (n - i) / (i + 1);
  return result;
}

/// The moment about the new references: sum over i of C(n, i) t^(n-i) times the
/// moment i about the old ones, where t = V(new) - V(old).
Value FoldRewriter::emitShift(ArrayRef<State> members, const State &state,
                              Value own, ValueRange old, ValueRange now,
                              Location loc) {
  if (state.lowerMoments.empty())
    return own;
  RegionCloner oldCloner(scope, members), newCloner(scope, members);
  for (size_t i = 0; i < old.size(); ++i) {
    oldCloner.map(members[i].op->getResult(0), old[i]);
    newCloner.map(members[i].op->getResult(0), now[i]);
  }
  auto emit = [&](RegionCloner &cloner) {
    return emitTerms(builder, loc, state.baseShift,
                     [&](Value value) { return cloner.clone(builder, value); });
  };
  Value before = emit(oldCloner), after = emit(newCloner);
  Value shift = SubOp::create(builder, loc, after, before);
  // No positions have no mean, and nothing to shift.
  Value finite = IsFiniteOp::create(builder, loc, before);
  shift = SelectOp::create(builder, loc, finite, shift, constant(loc, 0));

  unsigned power = state.lowerMoments.size();
  SmallVector<Value> summands{own};
  for (auto [i, moment] : llvm::enumerate(state.lowerMoments)) {
    SmallVector<Value> factors(power - i, shift);
    factors.push_back(oldCloner.clone(builder, moment->getResult(0)));
    if (double choices = binomial(power, i); choices != 1)
      factors.push_back(constant(loc, choices));
    Value summand = MulOp::create(builder, loc, factors);
    if (state.distance) {
      // Moments of what is infinitely far may be infinite.
      Value still = CmpOp::create(builder, loc, CmpPredicate::eq, shift,
                                  constant(loc, 0));
      summand =
          SelectOp::create(builder, loc, still, constant(loc, 0), summand);
    }
    summands.push_back(summand);
  }
  return AddOp::create(builder, loc, summands);
}
