//===- FoldVerdict.cpp - How a body depends on earlier reductions ---------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// No subgraph is known here by name: a body is a product of factors that do not
// use references, of factors that do not vary along the axes, of exponentials
// of sums and of powers of sums. All else starts another sweep.
//
//===----------------------------------------------------------------------===//

#include "FoldVerdict.h"
#include "FoldFacts.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include <cmath>

using namespace mlir;
using namespace mlir::cleave;
using namespace mlir::cleave::folds;

/// The largest exponent of exp that a shift may leave: exp(80) fits f32 with
/// room for a sum.
static constexpr double kMaxExponent = 64;
/// Bodies and references with more operations than this, counted once a use,
/// are not looked at.
static constexpr unsigned kMaxOperations = 2000;
/// Moments up to this power are kept.
static constexpr double kMaxPower = 4;

bool VerdictReader::refuse(const llvm::Twine &why) {
  if (reason.empty())
    reason = why.str();
  return false;
}

std::string VerdictReader::name(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return "an argument";
  std::string name = "'" + op->getName().getStringRef().str() + "'";
  if (isRounding(op)) {
    llvm::raw_string_ostream os(name);
    os << " to " << getElementTypeOrSelf(op->getResult(0));
  }
  return name;
}

std::optional<BodyShape> VerdictReader::read(int64_t index,
                                             const ReductionSet &newGroup,
                                             std::string &newReason) {
  group = &newGroup;
  shape = BodyShape();
  hasExponent = false;
  operations = 0;
  largestExponent = 0;
  reason.clear();
  Operation *reduction = scope.getReductions()[index];
  bool accepted = true;
  if (auto max = dyn_cast<ReduceMaxOp>(reduction)) {
    accepted = readSummand(max.getInput());
  } else {
    for (Value operand : reduction->getOperands())
      accepted = accepted && readFactor(operand, 1, /*masked=*/false);
  }
  accepted = accepted && checkStrict(reduction);
  if (!accepted) {
    newReason = reason;
    return std::nullopt;
  }
  shapes[index] = shape;
  return shape;
}

/// A maximum of u + c is c + the maximum of u.
bool VerdictReader::readSummand(Value value) {
  if (!uses(value))
    return true;
  if (++operations > kMaxOperations)
    return refuse("too many operations");
  if (!scope.varies(value)) {
    shape.scales.push_back(value);
    return true;
  }
  Operation *op = value.getDefiningOp();
  if (auto sub = dyn_cast<SubOp>(op))
    return readSummand(sub.getLhs()) && readSummand(sub.getRhs());
  if (isa<AddOp>(op) || (isa<CastOp>(op) && !isRounding(op)))
    return llvm::all_of(op->getOperands(),
                        [&](Value operand) { return readSummand(operand); });
  return refuse(name(value) + " in a maximum mixes an earlier reduction with "
                              "what varies along the axis");
}

bool VerdictReader::readFactor(Value value, double power, bool masked) {
  if (!uses(value))
    return true;
  if (++operations > kMaxOperations)
    return refuse("too many operations");
  if (!scope.varies(value)) {
    // Behind the reduction, a masked row gives 0 times the scale.
    std::optional<double> atUnit =
        masked ? getValueAtUnit(scope, value) : std::optional(0.0);
    if (!atUnit || !std::isfinite(*atUnit))
      return refuse("a scale under a 'cleave.select' may be infinite");
    shape.scales.push_back(value);
    return true;
  }
  Operation *op = value.getDefiningOp();
  if (isa<MulOp, NegOp>(op))
    return llvm::all_of(op->getOperands(), [&](Value operand) {
      return readFactor(operand, power, masked);
    });
  if (auto div = dyn_cast<DivOp>(op))
    return readFactor(div.getLhs(), power, masked) &&
           readFactor(div.getRhs(), -power, masked);
  if (isa<RecipOp, Recip0Op>(op))
    return readFactor(op->getOperand(0), -power, masked);
  if (auto pow = dyn_cast<PowOp>(op)) {
    std::optional<double> exponent = getConstant(pow.getRhs());
    if (!exponent || *exponent != std::floor(*exponent))
      return refuse("a power of " + name(pow.getLhs()) +
                    " that is no constant integer");
    return readFactor(pow.getLhs(), power * *exponent, masked);
  }
  if (auto select = dyn_cast<SelectOp>(op))
    return readSelect(select, power);
  if (isa<CastOp>(op) && !isRounding(op))
    return readFactor(op->getOperand(0), power, masked);
  if (auto exp = dyn_cast<ExpOp>(op))
    return readExponent(exp, power);
  if (isa<AddOp, SubOp>(op))
    return readBase(value, power);
  if (!isPointwise(op))
    return refuse("the body uses an earlier reduction through " + name(value));
  return refuse(name(value) +
                " mixes an earlier reduction with what varies along the axis");
}

/// select(c, t, 0) is t times whether c holds.
bool VerdictReader::readSelect(SelectOp select, double power) {
  if (uses(select.getCondition()) || getConstant(select.getFalseValue()) != 0.0)
    return refuse("'cleave.select' between values that use an earlier "
                  "reduction");
  return readFactor(select.getTrueValue(), power, /*masked=*/true);
}

bool VerdictReader::readExponent(ExpOp exp, double power) {
  Terms terms = scope.getTerms(exp.getInput());
  Terms scaled;
  scope.addTo(scaled, power, terms);
  Terms shift;
  hasExponent = true;
  if (!readTerms(scaled, shift, "the exponent"))
    return false;
  scope.addTo(shape.exponents, 1, scaled);
  scope.addTo(shape.exponentShift, 1, shift);
  return true;
}

bool VerdictReader::readBase(Value value, double power) {
  if (power != std::floor(power) || power < 1 || power > kMaxPower)
    return refuse("a sum to a power that is not 1, 2, 3 or 4");
  if (shape.base) {
    if (scope.getNumber(shape.base) != scope.getNumber(value))
      return refuse("two different sums use earlier reductions");
    shape.power += power;
    return shape.power <= kMaxPower ||
           refuse("a sum to a power that is not 1, 2, 3 or 4");
  }
  shape.base = value;
  shape.power = power;
  return readTerms(scope.getTerms(value), shape.baseShift, "the sum") &&
         (!shape.baseShift.empty() ||
          refuse("earlier reductions cancel in the sum"));
}

bool VerdictReader::readTerms(const Terms &terms, Terms &shift,
                              const llvm::Twine &where) {
  for (const Term &term : terms) {
    bool varies = false, used = false;
    for (const Factor &factor : term.factors) {
      varies |= scope.varies(factor.value);
      used |= uses(factor.value);
    }
    if (!used)
      continue;
    if (varies) {
      const Factor *mixed = llvm::find_if(
          term.factors, [&](const Factor &f) { return uses(f.value); });
      return refuse(name(mixed->value) + " in " + where +
                    " is multiplied with what varies along the axis");
    }
    for (const Factor &factor : term.factors)
      if (!isReference(factor.value))
        return false;
    scope.addTo(shift, 1, {term});
  }
  return true;
}

/// Whether `value` is an expression of references and constants only, so that
/// it can be computed from states alone.
bool VerdictReader::isReference(Value value) {
  if (++operations > kMaxOperations)
    return refuse("too many operations");
  if (int64_t index = scope.indexOf(value); index >= 0 && group->test(index)) {
    const BodyShape &state = shapes[index];
    return llvm::all_of(state.scales,
                        [&](Value scale) { return isReference(scale); });
  }
  Operation *op = value.getDefiningOp();
  if (!op || (!isPointwise(op) && !uses(value)))
    return refuse("a correction needs a value that is no state");
  if (!isPointwise(op))
    return refuse("a reference goes through " + name(value));
  return llvm::all_of(op->getOperands(),
                      [&](Value operand) { return isReference(operand); });
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

bool VerdictReader::checkStrict(Operation *reduction) {
  if (hasExponent && shape.exponentShift.empty())
    return refuse("earlier reductions cancel in the exponent");
  if (!shape.exponentShift.empty() && !checkExponent())
    return false;
  if (!shape.baseShift.empty() && !checkBase())
    return false;
  return numerics == Numerics::Real || checkOperands(reduction);
}

/// The reduction that `value` is, or is where that is finite, or is never below
/// of: a maximum over the axes. -1 if there is none.
int64_t VerdictReader::getBoundingMaximum(Value value) {
  value = skipWidening(value);
  if (int64_t index = scope.indexOf(value); index >= 0 && group->test(index))
    return isa<ReduceMaxOp>(value.getDefiningOp()) ? index : -1;
  if (auto select = value.getDefiningOp<SelectOp>()) {
    auto finite = select.getCondition().getDefiningOp<IsFiniteOp>();
    if (finite && getConstant(select.getFalseValue()) &&
        scope.getNumber(finite.getInput()) ==
            scope.getNumber(select.getTrueValue()))
      return getBoundingMaximum(select.getTrueValue());
  }
  if (auto max = value.getDefiningOp<MaxOp>()) {
    int64_t found = -1;
    for (Value input : max.getInputs())
      if (int64_t index = getBoundingMaximum(input); index >= 0)
        found = index;
      else if (!getConstant(input))
        return -1;
    return found;
  }
  return -1;
}

/// Whether a maximum is a reference in `value` itself.
bool VerdictReader::refersToMaximum(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !uses(value))
    return false;
  if (scope.indexOf(value) >= 0)
    return isa<ReduceMaxOp>(op);
  return llvm::any_of(op->getOperands(),
                      [&](Value operand) { return refersToMaximum(operand); });
}

/// exp(u + H) must not exceed what the final references give, and a correction
/// must not grow: H falls by a maximum over the axis that bounds u.
bool VerdictReader::checkExponent() {
  bool usesMaximum = false, bounded = true;
  Terms rest;
  scope.addTo(rest, 1, shape.exponents);
  for (const Term &term : shape.exponentShift) {
    for (const Factor &factor : term.factors)
      usesMaximum |= refersToMaximum(factor.value);
    int64_t index = -1;
    if (term.factors.size() == 1 && !term.factors[0].inverted &&
        term.coefficient < 0)
      index = getBoundingMaximum(term.factors[0].value);
    if (index < 0 || !shapes[index].scales.empty()) {
      bounded = false;
      continue;
    }
    // Replace -q * max(w) by -q * w, which is no smaller.
    scope.addTo(rest, -1, {term});
    Value body = scope.getReductions()[index]->getOperand(0);
    SmallVector<Value> smaller{body};
    if (auto max = body.getDefiningOp<MaxOp>())
      llvm::append_range(smaller, max.getInputs());
    Terms best;
    for (auto [i, value] : llvm::enumerate(smaller)) {
      Terms next;
      scope.addTo(next, 1, rest);
      scope.addTo(next, term.coefficient, scope.getTerms(value));
      if (i == 0 || next.size() < best.size())
        best = next;
    }
    rest = best;
  }
  for (const Term &term : rest) {
    bounded &= term.factors.empty() && term.coefficient <= kMaxExponent;
    largestExponent = std::max(largestExponent, term.coefficient);
  }
  shape.shrinks = bounded;
  if (bounded || (numerics == Numerics::Real && !usesMaximum))
    return true;
  return refuse("no maximum over the axis is known to bound the exponent");
}

/// (u + V)^p is right about any V, but cancels unless V is near u for any part
/// of the positions: a mean does not change where all positions are repeated, a
/// sum does.
bool VerdictReader::checkBase() {
  for (const Term &term : shape.baseShift) {
    double degree = 0;
    for (const Factor &factor : term.factors) {
      if (refersToMaximum(factor.value))
        return refuse("a maximum in a sum that is multiplied out");
      std::optional<double> value =
          getValueAtUnit(scope, factor.value, /*counted=*/true);
      if (!value || !std::isfinite(*value) || (factor.inverted && *value == 0))
        return refuse("a reference in a sum may be undefined for a part of the "
                      "positions");
      std::optional<double> own = getDegree(scope, factor.value);
      degree += own ? (factor.inverted ? -*own : *own) : std::nan("");
    }
    if (numerics == Numerics::Strict && degree != 0)
      return refuse("a reference in a sum is no mean: for a part of the "
                    "positions it is far from its final value, and the "
                    "correction cancels");
  }
  return true;
}

namespace {

/// The bound of a body's operand without what leaves the loop.
struct KeptBound {
  FoldScope &scope;
  Bounds &bounds;
  const ReductionSet &group;
  /// Whether something leaves the loop. Else the highest power of the base is
  /// what the input had.
  bool scaled;
  double largestExponent;

  double get(Value value) {
    if (!scope.getReductions(value).anyCommon(group))
      return bounds.get(value);
    if (!scope.varies(value))
      return 1;
    Operation *op = value.getDefiningOp();
    if (isa<MulOp, NegOp>(op)) {
      double product = 1;
      for (Value operand : op->getOperands())
        product *= get(operand);
      return product;
    }
    if (auto div = dyn_cast<DivOp>(op))
      return scope.varies(div.getRhs())
                 ? std::numeric_limits<double>::infinity()
                 : get(div.getLhs());
    if (auto select = dyn_cast<SelectOp>(op))
      return get(select.getTrueValue());
    if (isa<CastOp>(op))
      return get(op->getOperand(0));
    if (isa<ExpOp>(op))
      return std::exp(largestExponent);
    // Lower powers are kept as well.
    if (isa<AddOp, SubOp>(op))
      return scaled ? std::max(1.0, bounds.get(value)) : 1;
    if (auto pow = dyn_cast<PowOp>(op))
      if (double exponent = getConstant(pow.getRhs()).value_or(-1);
          exponent >= 0)
        return std::pow(get(pow.getLhs()), exponent);
    return std::numeric_limits<double>::infinity();
  }
};

} // namespace

/// What stays in the loop must not overflow where the whole body did not.
bool VerdictReader::checkOperands(Operation *reduction) {
  bool changed = !shape.scales.empty() || shape.power > 0;
  if (!changed || isa<ReduceMaxOp>(reduction))
    return true;
  auto type = cast<FloatType>(getElementTypeOrSelf(reduction->getResult(0)));
  auto limitOf = [](FloatType type) {
    return APFloat::getLargest(type.getFloatSemantics()).convertToDouble();
  };
  auto contract = dyn_cast<ContractOp>(reduction);
  FloatType operandType =
      contract ? cast<FloatType>(folds::getOperandType(contract)) : type;
  Bounds bounds(scope);
  KeptBound kept{scope, bounds, *group, !shape.scales.empty(), largestExponent};
  double product = 1;
  for (Value operand : reduction->getOperands()) {
    double bound = kept.get(operand);
    product *= bound;
    if (uses(operand) && !(bound <= limitOf(operandType))) {
      std::string text;
      llvm::raw_string_ostream os(text);
      os << "without its scale, an operand is only known to be at most "
         << llvm::format("%g", bound) << ", which may overflow " << operandType
         << " (declare cleave.range)";
      return refuse(text);
    }
  }
  constexpr double kMaxExtent = 2147483648.0;
  if (!(product * kMaxExtent <= limitOf(type)))
    return refuse("without its scale, the sum may overflow");
  return true;
}
