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
static constexpr double kLn2 = 0.693147180559945309417;
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
  exponentTerms.clear();
  masks.clear();
  operations = 0;
  largestExponent = 0;
  reason.clear();
  Operation *reduction = scope.getReductions()[index];
  bool accepted = true;
  if (isExtremum(reduction)) {
    accepted = readSummand(reduction->getOperand(0), isa<ReduceMinOp>(reduction)
                                                         ? " in a minimum"
                                                         : " in a maximum");
  } else if (isa<ReduceProdOp>(reduction)) {
    accepted = refuse("a product over the axis of what uses an earlier "
                      "reduction");
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
bool VerdictReader::readSummand(Value value, StringRef where) {
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
    return readSummand(sub.getLhs(), where) && readSummand(sub.getRhs(), where);
  if (isa<AddOp>(op) || (isa<CastOp>(op) && !isRounding(op)))
    return llvm::all_of(op->getOperands(), [&](Value operand) {
      return readSummand(operand, where);
    });
  return refuse(name(value) + where +
                " mixes an earlier reduction with what varies along the axis");
}

/// Behind the reduction, a masked row gives 0 times the scale.
bool VerdictReader::readScale(Value scale, bool masked) {
  std::optional<double> atUnit =
      masked ? getValueAtUnit(scope, scale) : std::optional(0.0);
  if (!atUnit || !std::isfinite(*atUnit))
    return refuse("a scale under a 'cleave.select' may be infinite");
  shape.scales.push_back(scale);
  return true;
}

bool VerdictReader::readFactor(Value value, double power, bool masked) {
  if (!uses(value))
    return true;
  if (++operations > kMaxOperations)
    return refuse("too many operations");
  if (!scope.varies(value))
    return readScale(value, masked);
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
  if (isa<ExpOp, Exp2Op>(op))
    return readExponent(op, power);
  if (isa<AddOp, SubOp>(op))
    return readBase(value, power);
  if (isa<AbsOp>(op)) {
    // |(u + V)^p| follows V only for even p.
    unsigned before = shape.power;
    return readFactor(op->getOperand(0), power, masked) &&
           ((shape.power - before) % 2 == 0 ||
            refuse(name(value) + " mixes an earlier reduction with what varies "
                                 "along the axis"));
  }
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
  masks.push_back(select.getCondition());
  return readFactor(select.getTrueValue(), power, /*masked=*/true);
}

bool VerdictReader::readExponent(Operation *exp, double power) {
  // All in powers of the base that comes first.
  bool base2 = isa<Exp2Op>(exp);
  if (!hasExponent)
    shape.base2 = base2;
  if (base2 != shape.base2)
    power *= base2 ? kLn2 : 1 / kLn2;
  hasExponent = true;
  Terms scaled, used;
  scope.addTo(scaled, power, scope.getTerms(exp->getOperand(0)));
  if (!readTerms(scaled, used, "the exponent"))
    return false;
  if (cancel(exp->getOperand(0), used))
    return refuse("earlier reductions cancel in the exponent");
  scope.addTo(shape.exponents, 1, scaled);
  scope.addTo(shape.exponentShift, 1, used);
  llvm::append_range(exponentTerms, used);
  return true;
}

/// Where a maximum bounds the exponent, other references need not stay in the
/// loop: exp(u - m + c) is exp(c) exp(u - m), and no larger than exp(c), which
/// is an element where u is m.
bool VerdictReader::sortExponents() {
  Terms used;
  std::swap(used, shape.exponentShift);
  bool hasBound = llvm::any_of(
      used, [&](const Term &term) { return getBoundingExtremum(term) >= 0; });
  for (const Term &term : used) {
    bool stays = !hasBound || !masks.empty() || refersToExtremum(term);
    (stays ? shape.exponentShift : shape.removedExponents).push_back(term);
  }
  auto isRemoved = [&](const Term &term) {
    return llvm::any_of(shape.removedExponents, [&](const Term &removed) {
      return scope.areEqual(term, removed);
    });
  };
  return llvm::all_of(exponentTerms, [&](const Term &term) {
    return isRemoved(term) || areReferences({term});
  });
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
         areReferences(shape.baseShift) &&
         (!cancel(value, shape.baseShift) ||
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
    scope.addTo(shift, 1, {term});
  }
  return true;
}

/// Whether `value` is written with reductions that are in none of its `terms`.
/// For a part of the positions, what cancels may not be finite.
bool VerdictReader::cancel(Value value, const Terms &terms) {
  ReductionSet left = scope.getReductions(value);
  left &= *group;
  for (const Term &term : terms)
    for (const Factor &factor : term.factors)
      left.reset(scope.getReductions(factor.value));
  return left.any();
}

bool VerdictReader::areReferences(const Terms &terms) {
  return llvm::all_of(terms, [&](const Term &term) {
    return llvm::all_of(term.factors, [&](const Factor &factor) {
      return isReference(factor.value);
    });
  });
}

/// Whether `value` is an expression of references and constants only, so that
/// it can be computed from states alone.
bool VerdictReader::isReference(Value value) {
  if (++operations > kMaxOperations)
    return refuse("too many operations");
  if (int64_t index = scope.indexOf(value); index >= 0 && group->test(index)) {
    if (isa<ReduceProdOp>(value.getDefiningOp()))
      return refuse("a product is no state");
    const BodyShape &state = shapes[index];
    return areReferences(state.removedExponents) &&
           llvm::all_of(state.scales,
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
  if (!sortExponents())
    return false;
  if (hasExponent && shape.exponentShift.empty())
    return refuse("earlier reductions cancel in the exponent");
  if (!shape.exponentShift.empty() && (!checkExponent() || !checkMasks()))
    return false;
  if (!shape.baseShift.empty() && !checkBase())
    return false;
  return numerics == Numerics::Real || checkOperands(reduction);
}

/// The reduction that `value` is, or is where that is finite, or is never below
/// (above) of: a maximum (minimum) over the axes. -1 if there is none.
int64_t VerdictReader::getExtremum(Value value, bool minimum) {
  value = skipWidening(value);
  Operation *op = value.getDefiningOp();
  if (!op)
    return -1;
  if (int64_t index = scope.indexOf(value); index >= 0 && group->test(index)) {
    bool fits = minimum ? isa<ReduceMinOp>(op) : isa<ReduceMaxOp>(op);
    return fits && !shapes[index].hasScale() ? index : -1;
  }
  if (auto select = dyn_cast<SelectOp>(op)) {
    auto finite = select.getCondition().getDefiningOp<IsFiniteOp>();
    if (finite && getConstant(select.getFalseValue()) &&
        scope.getNumber(finite.getInput()) ==
            scope.getNumber(select.getTrueValue()))
      return getExtremum(select.getTrueValue(), minimum);
  }
  if (minimum ? !isa<MinOp>(op) : !isa<MaxOp>(op))
    return -1;
  int64_t found = -1;
  for (Value input : op->getOperands())
    if (int64_t index = getExtremum(input, minimum); index >= 0)
      found = index;
    else if (!getConstant(input))
      return -1;
  return found;
}

/// The maximum that `term` subtracts, or the minimum that it adds; -1 if it is
/// something else.
int64_t VerdictReader::getBoundingExtremum(const Term &term) {
  if (term.factors.size() != 1 || term.factors[0].inverted)
    return -1;
  return getExtremum(term.factors[0].value, /*minimum=*/term.coefficient > 0);
}

/// Whether a maximum or a minimum is a reference in `value` itself.
bool VerdictReader::refersToExtremum(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !uses(value))
    return false;
  if (scope.indexOf(value) >= 0)
    return isExtremum(op);
  return llvm::any_of(op->getOperands(),
                      [&](Value operand) { return refersToExtremum(operand); });
}

bool VerdictReader::refersToExtremum(const Term &term) {
  return llvm::any_of(term.factors, [&](const Factor &factor) {
    return refersToExtremum(factor.value);
  });
}

/// What a maximum is never below of (a minimum never above), where the body
/// that is read is not 0.
std::vector<Terms> VerdictReader::getAlternatives(Operation *extremum) {
  bool minimum = isa<ReduceMinOp>(extremum);
  std::vector<Terms> alternatives;
  SmallVector<Value> values{extremum->getOperand(0)};
  for (size_t i = 0; i < values.size(); ++i) {
    Value value = skipWidening(values[i]);
    alternatives.push_back(scope.getTerms(value));
    Operation *op = value.getDefiningOp();
    if (!op)
      continue;
    if (minimum ? isa<MinOp>(op) : isa<MaxOp>(op))
      llvm::append_range(values, op->getOperands());
    if (auto abs = dyn_cast<AbsOp>(op); abs && !minimum)
      for (double sign : {-1.0, 1.0})
        scope.addTo(alternatives.emplace_back(), sign,
                    scope.getTerms(abs.getInput()));
    if (auto select = dyn_cast<SelectOp>(op))
      if (llvm::any_of(masks, [&](Value mask) {
            return scope.getNumber(mask) ==
                   scope.getNumber(select.getCondition());
          }))
        values.push_back(select.getTrueValue());
  }
  return alternatives;
}

/// Whether `term` is finite where positions add nothing to its references.
bool VerdictReader::isFiniteForParts(const Term &term) {
  return llvm::all_of(term.factors, [&](const Factor &factor) {
    std::optional<double> value =
        getValueAtUnit(scope, factor.value, /*counted=*/true);
    return value && std::isfinite(*value) && (!factor.inverted || *value != 0);
  });
}

/// Replaces -q * max(w) in `terms` by -q * w, which is no smaller, for the w
/// that leaves least.
void VerdictReader::replaceExtremum(Terms &terms, const Term &term,
                                    int64_t index) {
  scope.addTo(terms, -1, {term});
  Terms best;
  bool first = true;
  for (const Terms &other : getAlternatives(scope.getReductions()[index])) {
    Terms next = terms;
    scope.addTo(next, term.coefficient, other);
    if (first || next.size() < best.size())
      best = next;
    first = false;
  }
  terms = best;
}

/// exp(u + H) must not exceed what the final references give, and a correction
/// must not grow: H falls by a maximum over the axis that bounds u.
bool VerdictReader::checkExponent() {
  bool refersToAny = false, bounded = true;
  Terms rest = shape.exponents;
  scope.addTo(rest, -1, shape.removedExponents);
  for (const Term &term : shape.exponentShift) {
    refersToAny |= refersToExtremum(term);
    int64_t index = getBoundingExtremum(term);
    if (index < 0) {
      bounded = false;
      continue;
    }
    replaceExtremum(rest, term, index);
  }
  for (const Term &term : rest) {
    double exponent = term.coefficient * (shape.base2 ? kLn2 : 1);
    bounded &= term.factors.empty() && exponent <= kMaxExponent;
    largestExponent = std::max(largestExponent, exponent);
  }
  shape.shrinks = bounded;
  if (bounded)
    return true;
  if (numerics == Numerics::Strict || refersToAny)
    return refuse("no maximum over the axis is known to bound the exponent");
  return llvm::all_of(shape.exponentShift, [&](const Term &term) {
    return isFiniteForParts(term) ||
           refuse("a reference in the exponent may be infinite for a part of "
                  "the positions");
  });
}

/// Where no position is selected, the formula gives 0 whatever the references
/// are, and where they are not finite a guarded fold would say NaN.
bool VerdictReader::checkMasks() {
  for (const Term &term : shape.exponentShift)
    for (const Factor &factor : term.factors) {
      std::optional<double> atUnit = getValueAtUnit(scope, factor.value);
      if (!masks.empty() && !(atUnit && std::isfinite(*atUnit)))
        return refuse("a reference under a 'cleave.select' may be infinite");
    }
  return true;
}

/// Whether the base is q * (u - max(u)) or its negative: then it has one sign,
/// as has the shift to another maximum, and nothing cancels.
bool VerdictReader::isDistance() {
  if (!masks.empty())
    return false;
  for (double sign : {1.0, -1.0}) {
    Terms rest, shift;
    scope.addTo(rest, sign, scope.getTerms(shape.base));
    scope.addTo(shift, sign, shape.baseShift);
    bool bounded = llvm::all_of(shift, [&](const Term &term) {
      int64_t index = getBoundingExtremum(term);
      if (index >= 0)
        replaceExtremum(rest, term, index);
      return index >= 0;
    });
    if (bounded && rest.empty())
      return true;
  }
  return false;
}

/// (u + V)^p is right about any V, but cancels unless V is near u for any part
/// of the positions: a mean does not change where all positions are repeated, a
/// sum does.
bool VerdictReader::checkBase() {
  shape.distance = isDistance();
  if (shape.distance)
    return true;
  for (const Term &term : shape.baseShift) {
    if (refersToExtremum(term))
      return refuse("a maximum in a sum that is multiplied out and may cancel");
    if (!isFiniteForParts(term))
      return refuse("a reference in a sum may be undefined for a part of the "
                    "positions");
    double degree = 0;
    for (const Factor &factor : term.factors) {
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
    if (isa<MulOp, NegOp, AbsOp>(op)) {
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
    if (isa<ExpOp, Exp2Op>(op))
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
  bool changed = shape.hasScale() || shape.power > 0;
  if (!changed || isExtremum(reduction))
    return true;
  auto type = cast<FloatType>(getElementTypeOrSelf(reduction->getResult(0)));
  auto contract = dyn_cast<ContractOp>(reduction);
  FloatType operandType =
      contract ? cast<FloatType>(folds::getOperandType(contract)) : type;
  Bounds bounds(scope);
  KeptBound kept{scope, bounds, *group, shape.hasScale(), largestExponent};
  double product = 1;
  for (Value operand : reduction->getOperands()) {
    double bound = kept.get(operand);
    product *= bound;
    if (uses(operand) && !(bound <= getLargest(operandType))) {
      std::string text;
      llvm::raw_string_ostream os(text);
      os << "without its scale, an operand is only known to be at most "
         << llvm::format("%g", bound) << ", which may overflow " << operandType
         << " (declare cleave.range)";
      return refuse(text);
    }
  }
  constexpr double kMaxExtent = 2147483648.0;
  if (!(product * kMaxExtent <= getLargest(type)))
    return refuse("without its scale, the sum may overflow");
  return true;
}
