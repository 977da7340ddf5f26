//===- FoldRewriter.cpp - What stays in the loop and what leaves it -------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rewrites accepted reductions in place. New operations stand where the
// reduction does; the block is sorted at the end.
//
//===----------------------------------------------------------------------===//

#include "FoldRewriter.h"
#include "FoldFacts.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::cleave;
using namespace mlir::cleave::folds;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

Value FoldRewriter::constant(Location loc, double value) {
  return ConstantOp::create(builder, loc, value);
}

Value FoldRewriter::exponential(Location loc, bool base2, Value exponent) {
  if (base2)
    return Exp2Op::create(builder, loc, exponent);
  return ExpOp::create(builder, loc, exponent);
}

/// The product, null for none.
Value FoldRewriter::multiply(Location loc, ArrayRef<Value> factors) {
  SmallVector<Value> present;
  llvm::copy_if(factors, std::back_inserter(present),
                [](Value factor) { return factor != nullptr; });
  if (present.size() < 2)
    return present.empty() ? Value() : present.front();
  return MulOp::create(builder, loc, present);
}

//===----------------------------------------------------------------------===//
// Products; mirrors VerdictReader::readFactor
//===----------------------------------------------------------------------===//

FoldRewriter::Product FoldRewriter::splitMul(MulOp mul) {
  SmallVector<Value> kept, removed;
  int bases = 0;
  for (Value input : mul.getInputs()) {
    Product part = split(input);
    if (part.kept)
      kept.push_back(part.kept);
    if (part.removed)
      removed.push_back(part.removed);
    bases += part.bases;
  }
  if (llvm::equal(kept, mul.getInputs()))
    return {mul.getResult(), Value(), 0};
  return {multiply(mul.getLoc(), kept), multiply(mul.getLoc(), removed), bases};
}

FoldRewriter::Product FoldRewriter::splitDiv(DivOp div) {
  Product lhs = split(div.getLhs()), rhs = split(div.getRhs());
  auto divide = [&](Value a, Value b) -> Value {
    if (!b)
      return a;
    if (!a)
      return RecipOp::create(builder, div.getLoc(), b);
    return DivOp::create(builder, div.getLoc(), a, b);
  };
  return {divide(lhs.kept, rhs.kept), divide(lhs.removed, rhs.removed),
          lhs.bases - rhs.bases};
}

FoldRewriter::Product FoldRewriter::splitExp(Operation *exp) {
  Terms kept, removed;
  for (const Term &term : scope.getTerms(exp->getOperand(0))) {
    bool leaves = llvm::any_of(shape->removedExponents, [&](const Term &other) {
      return scope.areEqual(term, other);
    });
    (leaves ? removed : kept).push_back(term);
  }
  if (removed.empty())
    return {adaptBody(exp->getResult(0), /*guard=*/true), Value(), 0};
  auto emit = [&](const Terms &terms) {
    Value exponent = emitTerms(builder, exp->getLoc(), terms, [&](Value value) {
      Value now = replaced.lookup(value);
      return now ? now : value;
    });
    return exponential(exp->getLoc(), isa<Exp2Op>(exp), exponent);
  };
  return {adaptBody(emit(kept), /*guard=*/true), emit(removed), 0};
}

FoldRewriter::Product FoldRewriter::split(Value value) {
  if (!uses(value))
    return {value, Value(), 0};
  if (!scope.varies(value))
    return {Value(), value, 0};
  Operation *op = value.getDefiningOp();
  Location loc = op->getLoc();
  if (auto mul = dyn_cast<MulOp>(op))
    return splitMul(mul);
  if (auto div = dyn_cast<DivOp>(op))
    return splitDiv(div);
  if (isa<AddOp, SubOp>(op))
    return {Value(), Value(), 1};
  if (isa<ExpOp, Exp2Op>(op))
    return splitExp(op);
  Product inner =
      split(isa<SelectOp>(op) ? op->getOperand(1) : op->getOperand(0));
  auto apply = [&](Value operand) -> Value {
    if (!operand)
      return operand;
    if (isa<RecipOp>(op))
      return RecipOp::create(builder, loc, operand);
    if (isa<Recip0Op>(op))
      return Recip0Op::create(builder, loc, operand);
    if (isa<AbsOp>(op))
      return AbsOp::create(builder, loc, operand);
    return PowOp::create(builder, loc, operand, op->getOperand(1));
  };
  if (isa<CastOp>(op))
    return inner;
  if (isa<NegOp>(op)) {
    Value kept = inner.kept ? Value(NegOp::create(builder, loc, inner.kept))
                            : constant(loc, -1);
    return {kept, inner.removed, inner.bases};
  }
  if (auto select = dyn_cast<SelectOp>(op)) {
    Value kept = inner.kept ? inner.kept : constant(loc, 1);
    return {SelectOp::create(builder, loc, select.getCondition(), kept,
                             select.getFalseValue()),
            inner.removed, inner.bases};
  }
  if (auto pow = dyn_cast<PowOp>(op))
    inner.bases *= static_cast<int>(*getConstant(pow.getRhs()));
  else if (!isa<AbsOp>(op))
    inner.bases = -inner.bases;
  return {apply(inner.kept), apply(inner.removed), inner.bases};
}

//===----------------------------------------------------------------------===//
// References in bodies
//===----------------------------------------------------------------------===//

/// A body at the references of any tile: extents of the folded axes become
/// counts of the positions seen; with `guard`, maxima that are -inf (minima:
/// +inf) become 0 where an expression of references is not finite for them.
Value FoldRewriter::adaptBody(Value value, bool guard) {
  if (!uses(value))
    return value;
  auto [it, inserted] = adapted.try_emplace({value, guard}, Value());
  if (!inserted)
    return it->second;
  Value result = value;
  if (!scope.varies(value)) {
    result = adaptReference(value, guard);
  } else {
    Operation *op = value.getDefiningOp();
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(adaptBody(operand, guard));
    if (!llvm::equal(operands, op->getOperands())) {
      Operation *clone = builder.clone(*op);
      clone->setOperands(operands);
      result = clone->getResult(0);
    }
  }
  return adapted[{value, guard}] = result;
}

static bool usesCount(Value value, const FoldScope &scope) {
  Operation *op = value.getDefiningOp();
  return op && isPointwise(op) &&
         (scope.isCount(op) ||
          llvm::any_of(op->getOperands(), [&](Value operand) {
            return usesCount(operand, scope);
          }));
}

Value FoldRewriter::adaptReference(Value value, bool guard) {
  if (guard) {
    std::optional<double> atUnit = getValueAtUnit(scope, value);
    guard = !atUnit || !std::isfinite(*atUnit);
  }
  if (!guard && !usesCount(value, scope))
    return value;
  return cloneReference(value, guard);
}

Value FoldRewriter::cloneReference(Value value, bool guard) {
  // A sum may hold other values beside references.
  if (!uses(value) && !usesCount(value, scope))
    return value;
  Operation *op = value.getDefiningOp();
  if (scope.indexOf(value) >= 0)
    return guard && isExtremum(op) ? guardExtremum(value) : value;
  if (auto extent = dyn_cast<ExtentOp>(op))
    return scope.isCount(extent) ? countFor(extent) : value;
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(cloneReference(operand, guard));
  if (llvm::equal(operands, op->getOperands()))
    return value;
  Operation *clone = builder.clone(*op);
  clone->setOperands(operands);
  return clone->getResult(0);
}

/// The maximum or minimum, or 0 where it is at its unit.
Value FoldRewriter::guardExtremum(Value extremum) {
  guardedExtrema.insert(extremum);
  Value &result = guarded[extremum];
  if (result)
    return result;
  Location loc = extremum.getLoc();
  Value unit = constant(loc, getUnit(extremum.getDefiningOp()));
  Value atUnit = CmpOp::create(builder, loc, CmpPredicate::eq, extremum, unit);
  return result =
             SelectOp::create(builder, loc, atUnit, constant(loc, 0), extremum);
}

/// For the first of several folded axes, the count over the extents of the
/// others: the product of all is the count.
Value FoldRewriter::countFor(ExtentOp extent) {
  ArrayRef<StringAttr> names = scope.getAxes().getNames();
  if (extent.getAxisAttr() != names.front())
    return extent;
  Location loc = extent.getLoc();
  if (!count) {
    Operation *reduction = scope.getReductions().front();
    Value ones = splat(reduction, scope.getAxes(), 1);
    count = ReduceSumOp::create(builder, loc, ones, scope.getAxes());
    State state;
    state.op = count;
    states.insert(states.begin(), {-1, state});
  }
  SmallVector<Value> factors{count->getResult(0)};
  for (StringAttr name : names.drop_front())
    factors.push_back(
        RecipOp::create(builder, loc, ExtentOp::create(builder, loc, name)));
  return multiply(loc, factors);
}

Terms FoldRewriter::adaptTerms(const Terms &terms, bool guard) {
  Terms result = terms;
  for (Term &term : result)
    for (Factor &factor : term.factors) {
      if (Value value = replaced.lookup(factor.value))
        factor.value = value;
      factor.value = adaptReference(factor.value, guard);
    }
  return result;
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// The axes that tell where the original reduces: those that it folds, and with
/// a part of a split the other part, since the pair decides what exists.
AxesAttr FoldRewriter::getDomainAxes(Operation *original) {
  AxesAttr axes = scope.getAxes();
  for (const SplitRelation &split : axisTable.splits()) {
    StringAttr outer = builder.getStringAttr(split.outer);
    StringAttr inner = builder.getStringAttr(split.inner);
    if (!scope.getAxes().contains(outer) && !scope.getAxes().contains(inner))
      continue;
    for (Value operand : original->getOperands())
      for (StringAttr part : {outer, inner})
        if (cleave::getAxes(operand).contains(part))
          axes = axes.unionWith(
              AxesAttr::get(builder.getContext(), ArrayRef<StringAttr>{part}));
  }
  return axes;
}

/// A constant that carries `axes` as the original's operands do.
Value FoldRewriter::splat(Operation *original, AxesAttr axes, double value) {
  SmallVector<int64_t> shape;
  for (StringAttr axis : axes.getNames()) {
    int64_t extent = ShapedType::kDynamic;
    for (Value operand : original->getOperands()) {
      auto found = getExtent(cast<RankedTensorType>(operand.getType()), axis);
      if (found && !ShapedType::isDynamic(*found))
        extent = *found;
    }
    shape.push_back(extent);
  }
  auto type = RankedTensorType::get(shape, builder.getF32Type(), axes);
  return ConstantOp::create(builder, original->getLoc(), type,
                            builder.getF64FloatAttr(value));
}

/// `value` (or 1) times ones that carry what it lacks of `axes`.
Value FoldRewriter::withAxes(Value value, Operation *original, AxesAttr axes) {
  if (value)
    axes = axes.without(cleave::getAxes(value));
  if (axes.size() == 0)
    return value;
  return multiply(original->getLoc(), {value, splat(original, axes, 1)});
}

/// A state that computes the same as `op`, which then belongs to reduction
/// `user` as well.
Operation *FoldRewriter::findEqual(Operation *op, int64_t user) {
  for (auto &[index, state] : states) {
    if (scope.getNumber(state.op->getResult(0)) !=
        scope.getNumber(op->getResult(0)))
      continue;
    if (index >= 0)
      references[user].set(index);
    return state.op;
  }
  return nullptr;
}

/// The sum of the product of `operands` (null for 1), in the precision of the
/// original.
Operation *FoldRewriter::createSum(Operation *original,
                                   ArrayRef<Value> operands, Type operandType) {
  Location loc = original->getLoc();
  SmallVector<Value> present;
  llvm::copy_if(operands, std::back_inserter(present),
                [](Value operand) { return operand != nullptr; });
  AxesAttr domain = getDomainAxes(original);
  if (present.empty())
    present.push_back(splat(original, domain, 1));
  Type elementType = getElementTypeOrSelf(original->getResult(0));
  auto isNarrower = [&](Value value) {
    return getArithmeticType(builder.getContext(), value.getType()) !=
           elementType;
  };
  if (llvm::all_of(present, isNarrower)) {
    auto type = RankedTensorType::get(
        {}, elementType,
        AxesAttr::get(builder.getContext(), ArrayRef<StringAttr>()));
    Value one =
        ConstantOp::create(builder, loc, type, builder.getF64FloatAttr(1));
    present.front() = MulOp::create(builder, loc, ValueRange{present[0], one});
  }
  if (present.size() == 1)
    return ReduceSumOp::create(
        builder, loc, withAxes(present[0], original, domain), scope.getAxes());
  AxesAttr lacking = domain.without(cleave::getAxes(present[1]));
  present[0] = withAxes(present[0], original, lacking);
  return ContractOp::create(builder, loc, present[0], present[1],
                            scope.getAxes(), TypeAttr::get(operandType));
}

bool FoldRewriter::isStaticallyNonEmpty() {
  return scope.hasCounts() &&
         llvm::all_of(scope.getAxes().getNames(), [&](StringAttr axis) {
           const AxisInfo *info = axisTable.lookup(axis.getValue());
           return info && !ShapedType::isDynamic(info->extent) &&
                  info->extent > 0;
         });
}

/// Whether the folded axes have positions.
Value FoldRewriter::isNonEmpty(Operation *original) {
  Location loc = original->getLoc();
  SmallVector<Value> extents;
  for (StringAttr axis : scope.getAxes().getNames())
    extents.push_back(ExtentOp::create(builder, loc, axis));
  Value size = multiply(loc, extents);
  // Parts of a split may be empty, each for itself.
  if (!scope.hasCounts())
    size = ReduceSumOp::create(builder, loc,
                               splat(original, getDomainAxes(original), 1),
                               scope.getAxes());
  return CmpOp::create(builder, loc, CmpPredicate::gt, size, constant(loc, 0));
}

/// A guarded maximum hides that exp(-inf - -inf) is NaN: where no position is
/// finite, the sum was NaN, and 0 only where there are no positions.
Value FoldRewriter::restoreNaN(Operation *original, Value value) {
  Location loc = original->getLoc();
  for (Value extremum : guardedExtrema) {
    Value unit = constant(loc, getUnit(extremum.getDefiningOp()));
    Value atUnit =
        CmpOp::create(builder, loc, CmpPredicate::eq, extremum, unit);
    Value nan = constant(loc, std::nan(""));
    if (!isStaticallyNonEmpty())
      nan = SelectOp::create(builder, loc, isNonEmpty(original), nan,
                             constant(loc, 0));
    value = SelectOp::create(builder, loc, atUnit, nan, value);
  }
  return value;
}

/// The scale of what was reduced. Over no positions there is nothing to scale,
/// even by infinity.
Value FoldRewriter::applyScale(Operation *original, Value value, Value scale) {
  Location loc = original->getLoc();
  bool adds = isExtremum(original);
  if (!scale)
    return value;
  Value scaled =
      adds ? Value(AddOp::create(builder, loc, ValueRange{value, scale}))
           : Value(MulOp::create(builder, loc, ValueRange{value, scale}));
  std::optional<double> atUnit = getValueAtUnit(scope, scale);
  if ((atUnit && std::isfinite(*atUnit)) || isStaticallyNonEmpty())
    return scaled;
  return SelectOp::create(builder, loc, isNonEmpty(original), scaled,
                          constant(loc, getUnit(original)));
}

/// As `split`, for a sum; mirrors VerdictReader::readSummand.
FoldRewriter::Sum FoldRewriter::splitSum(Value value) {
  if (!uses(value))
    return {value, Value()};
  if (!scope.varies(value))
    return {Value(), value};
  Operation *op = value.getDefiningOp();
  Location loc = op->getLoc();
  if (isa<CastOp>(op))
    return splitSum(op->getOperand(0));
  if (auto sub = dyn_cast<SubOp>(op)) {
    Sum lhs = splitSum(sub.getLhs()), rhs = splitSum(sub.getRhs());
    auto subtract = [&](Value a, Value b) -> Value {
      if (!b)
        return a;
      if (!a)
        return NegOp::create(builder, loc, b);
      return SubOp::create(builder, loc, a, b);
    };
    return {subtract(lhs.kept, rhs.kept), subtract(lhs.removed, rhs.removed)};
  }
  SmallVector<Value> kept, removed;
  for (Value operand : op->getOperands()) {
    Sum part = splitSum(operand);
    if (part.kept)
      kept.push_back(part.kept);
    if (part.removed)
      removed.push_back(part.removed);
  }
  auto add = [&](ArrayRef<Value> summands) -> Value {
    if (summands.size() < 2)
      return summands.empty() ? Value() : summands.front();
    return AddOp::create(builder, loc, summands);
  };
  return {add(kept), add(removed)};
}

Value FoldRewriter::rewriteExtremum(Operation *extremum) {
  Sum sum = splitSum(extremum->getOperand(0));
  if (!sum.removed)
    return extremum->getResult(0);
  Location loc = extremum->getLoc();
  Type elementType = getElementTypeOrSelf(extremum->getResult(0));
  if (getElementTypeOrSelf(sum.kept) != elementType)
    sum.kept = CastOp::create(builder, loc, sum.kept, elementType);
  AxesAttr lacking = getDomainAxes(extremum).without(cleave::getAxes(sum.kept));
  if (lacking.size() > 0)
    sum.kept = AddOp::create(builder, loc,
                             ValueRange{sum.kept, splat(extremum, lacking, 0)});
  AxesAttr axes = scope.getAxes();
  Value reduced =
      isa<ReduceMinOp>(extremum)
          ? Value(ReduceMinOp::create(builder, loc, sum.kept, axes))
          : Value(ReduceMaxOp::create(builder, loc, sum.kept, axes));
  scope.addAlias(reduced.getDefiningOp(),
                 scope.indexOf(extremum->getResult(0)));
  State state;
  state.op = reduced.getDefiningOp();
  states.back().second = state;
  return applyScale(extremum, reduced, sum.removed);
}

Value FoldRewriter::rewriteSum(Operation *reduction, int64_t index) {
  Location loc = reduction->getLoc();
  auto contract = dyn_cast<ContractOp>(reduction);
  Type operandType = contract ? getOperandType(contract) : Type();
  SmallVector<Product> products;
  bool changed = shape->power > 0;
  for (Value operand : reduction->getOperands()) {
    products.push_back(split(operand));
    changed |= products.back().kept != operand;
  }
  State state;
  state.op = reduction;
  state.operandType = operandType;
  state.shrinks = shape->shrinks;
  state.base2 = shape->base2;
  state.exponentShift = adaptTerms(shape->exponentShift, /*guard=*/true);
  state.baseShift = adaptTerms(shape->baseShift, /*guard=*/false);
  // Where a maximum is at its unit, so is what it bounds: the moments are
  // infinite whatever the guard is, and the rebase does not shift them.
  state.distance = shape->distance;
  Value base = shape->base ? adaptBody(shape->base, shape->distance) : Value();
  // Says which extrema that guards, where the body was adapted before.
  if (shape->distance)
    (void)adaptTerms(shape->baseShift, /*guard=*/true);
  for (unsigned power = 0; changed && power <= shape->power; ++power) {
    SmallVector<Value> operands;
    unsigned left = power;
    for (const Product &product : products) {
      unsigned own = std::min<unsigned>(left, product.bases);
      left -= own;
      SmallVector<Value> factors{product.kept};
      factors.append(own, base);
      operands.push_back(multiply(loc, factors));
    }
    State moment = state;
    moment.op = createSum(reduction, operands, operandType);
    if (power == shape->power) {
      state.op = moment.op;
      scope.addAlias(state.op, index);
      break;
    }
    if (Operation *equal = findEqual(moment.op, index))
      moment.op = equal;
    else
      states.insert(states.end() - 1, {index, moment});
    state.lowerMoments.push_back(moment.op);
  }
  states.back().second = state;
  SmallVector<Value> removed;
  for (const Product &product : products)
    removed.push_back(product.removed);
  Value value = restoreNaN(reduction, state.op->getResult(0));
  return applyScale(reduction, value, multiply(loc, removed));
}

void FoldRewriter::rewrite(int64_t index, const BodyShape &body) {
  Operation *reduction = scope.getReductions()[index];
  builder.setInsertionPoint(reduction);
  guardedExtrema.clear();
  shape = &body;
  State state;
  state.op = reduction;
  states.emplace_back(index, state);
  ReductionSet &used = references[index];
  used.resize(scope.getReductions().size());
  for (const Terms *terms : {&body.exponentShift, &body.baseShift})
    for (const Term &term : *terms)
      for (const Factor &factor : term.factors)
        used |= scope.getReductions(factor.value);
  used &= sweep;

  Value value = isExtremum(reduction) ? rewriteExtremum(reduction)
                                      : rewriteSum(reduction, index);
  Value old = reduction->getResult(0);
  if (value == old)
    return;
  old.replaceAllUsesWith(value);
  replaced[old] = value;
}
