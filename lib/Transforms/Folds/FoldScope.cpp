//===- FoldScope.cpp - What fold formation knows of a block ---------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dependence, equality and multiplied-out sums of the values of a block.
//
//===----------------------------------------------------------------------===//

#include "FoldScope.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::cleave;
using namespace mlir::cleave::folds;

/// Products with more terms or factors than this are not multiplied out.
static constexpr size_t kMaxTerms = 16;

bool folds::isPointwise(Operation *op) {
  return isa<AddOp, MulOp, MaxOp, MinOp, SubOp, DivOp, PowOp, NegOp, RecipOp,
             Recip0Op, AbsOp, ExpOp, Exp2Op, LogOp, SqrtOp, RsqrtOp, TanhOp,
             ErfOp, SigmoidOp, IsFiniteOp, CmpOp, SelectOp, CastOp, ConstantOp,
             ExtentOp>(op);
}

bool folds::isExtremum(Operation *op) {
  return isa_and_nonnull<ReduceMaxOp, ReduceMinOp>(op);
}

double folds::getUnit(Operation *reduction) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  return llvm::TypeSwitch<Operation *, double>(reduction)
      .Case([](ReduceMaxOp) { return -infinity; })
      .Case([](ReduceMinOp) { return infinity; })
      .Case([](ReduceProdOp) { return 1.0; })
      .Default(0.0);
}

std::optional<double> folds::getConstant(Value value) {
  if (auto constant = value.getDefiningOp<ConstantOp>())
    return constant.getValue().convertToDouble();
  return std::nullopt;
}

bool folds::isRounding(Operation *op) {
  auto cast = dyn_cast<CastOp>(op);
  if (!cast)
    return false;
  auto from = dyn_cast<FloatType>(getElementTypeOrSelf(cast.getInput()));
  auto to = dyn_cast<FloatType>(getElementTypeOrSelf(cast.getType()));
  if (!from || !to)
    return true;
  const llvm::fltSemantics &a = from.getFloatSemantics();
  const llvm::fltSemantics &b = to.getFloatSemantics();
  return !APFloat::isRepresentableBy(a, b);
}

Value folds::skipWidening(Value value) {
  auto cast = value.getDefiningOp<CastOp>();
  while (cast && !isRounding(cast)) {
    value = cast.getInput();
    cast = value.getDefiningOp<CastOp>();
  }
  return value;
}

AxesAttr folds::getReducedAxes(Operation *op) {
  return llvm::TypeSwitch<Operation *, AxesAttr>(op)
      .Case<ReduceSumOp, ReduceMaxOp, ReduceMinOp, ReduceProdOp, ContractOp>(
          [](auto reduction) { return reduction.getAxes(); })
      .Default(AxesAttr());
}

FoldScope::FoldScope(Block &block, AxesAttr axes, bool hasCounts)
    : block(block), axes(axes), counts(hasCounts) {
  for (Operation &op : block) {
    if (getReducedAxes(&op) != axes)
      continue;
    indices[&op] = reductions.size();
    reductions.push_back(&op);
  }
}

bool FoldScope::isCount(Operation *op) const {
  auto extent = dyn_cast<ExtentOp>(op);
  return counts && extent && axes.contains(extent.getAxisAttr());
}

int64_t FoldScope::indexOf(Value value) const {
  auto it = indices.find(value.getDefiningOp());
  return it == indices.end() ? -1 : it->second;
}

bool FoldScope::varies(Value value) const {
  return isCleaveTensor(value.getType()) &&
         cleave::getAxes(value).intersect(axes).size() > 0;
}

const ReductionSet &FoldScope::getReductions(Value value) {
  auto it = reductionSets.find(value);
  if (it != reductionSets.end())
    return it->second;
  ReductionSet set(reductions.size());
  Operation *op = value.getDefiningOp();
  if (op && op->getBlock() == &block) {
    for (Value operand : op->getOperands())
      set |= getReductions(operand);
    if (op->getNumRegions() > 0) {
      llvm::SetVector<Value> captured;
      getUsedValuesDefinedAbove(op->getRegions(), captured);
      for (Value operand : captured)
        set |= getReductions(operand);
    }
    if (int64_t index = indexOf(value); index >= 0)
      set.set(index);
  }
  return reductionSets[value] = std::move(set);
}

/// What tells an operation of one result apart from others: empty if it equals
/// no other.
std::vector<uintptr_t> FoldScope::getExpression(Operation *op) {
  if (op->getNumRegions() > 0 || op->getNumResults() != 1 ||
      !isa_and_nonnull<CleaveDialect>(op->getDialect()))
    return {};
  std::vector<uintptr_t> expression;
  for (Value operand : op->getOperands())
    expression.push_back(getNumber(operand));
  if (isa<AddOp, MulOp, MaxOp, MinOp, ContractOp>(op))
    llvm::sort(expression);
  auto push = [&](const void *pointer) {
    expression.push_back(reinterpret_cast<uintptr_t>(pointer));
  };
  push(op->getName().getAsOpaquePointer());
  push(op->getAttrDictionary().getAsOpaquePointer());
  push(op->getResult(0).getType().getAsOpaquePointer());
  return expression;
}

unsigned FoldScope::getNumber(Value value) {
  auto it = numbers.find(value);
  if (it != numbers.end())
    return it->second;
  unsigned number = nextNumber;
  std::vector<uintptr_t> expression;
  if (Operation *op = value.getDefiningOp())
    expression = getExpression(op);
  if (!expression.empty())
    number = expressions.try_emplace(expression, nextNumber).first->second;
  if (number == nextNumber)
    ++nextNumber;
  return numbers[value] = number;
}

//===----------------------------------------------------------------------===//
// Sums of products
//===----------------------------------------------------------------------===//

bool FoldScope::areEqual(const Term &a, const Term &b) {
  return a.factors.size() == b.factors.size() &&
         llvm::all_of(llvm::zip_equal(a.factors, b.factors), [&](auto pair) {
           auto [x, y] = pair;
           return x.inverted == y.inverted &&
                  getNumber(x.value) == getNumber(y.value);
         });
}

void FoldScope::addTo(Terms &to, double factor, const Terms &from) {
  for (const Term &term : from) {
    auto it = llvm::find_if(
        to, [&](const Term &other) { return areEqual(term, other); });
    if (it == to.end()) {
      to.push_back(term);
      to.back().coefficient *= factor;
      continue;
    }
    double sum = it->coefficient + factor * term.coefficient;
    // What cancels up to rounding cancels.
    bool zero = std::abs(sum) <= 1e-12 * std::abs(it->coefficient);
    it->coefficient = zero ? 0 : sum;
  }
  llvm::erase_if(to, [](const Term &term) { return term.coefficient == 0; });
}

void FoldScope::sortFactors(Term &term) {
  llvm::sort(term.factors, [&](const Factor &x, const Factor &y) {
    return std::pair(getNumber(x.value), x.inverted) <
           std::pair(getNumber(y.value), y.inverted);
  });
}

/// The product of `operands` multiplied out, or `value` as one factor.
Terms FoldScope::getProduct(Value value, ArrayRef<Value> operands) {
  Terms product{Term()};
  for (Value operand : operands) {
    Terms terms = getTerms(operand), next;
    for (const Term &a : product)
      for (const Term &b : terms) {
        Term term = a;
        term.coefficient *= b.coefficient;
        llvm::append_range(term.factors, b.factors);
        sortFactors(term);
        next.push_back(std::move(term));
      }
    if (next.size() > kMaxTerms || llvm::any_of(next, [](const Term &term) {
          return term.factors.size() > kMaxTerms;
        }))
      return {Term{1, {Factor{value}}}};
    product = std::move(next);
  }
  return product;
}

const Terms &FoldScope::getTerms(Value value) {
  auto it = termsOf.find(value);
  if (it == termsOf.end()) {
    Terms terms = computeTerms(value);
    it = termsOf.try_emplace(value, std::make_unique<Terms>(std::move(terms)))
             .first;
  }
  return *it->second;
}

Terms FoldScope::computeTerms(Value value) {
  value = skipWidening(value);
  if (std::optional<double> constant = getConstant(value))
    return {Term{*constant, {}}};
  Operation *op = value.getDefiningOp();
  Terms atom{Term{1, {Factor{value}}}};
  if (!op)
    return atom;
  return llvm::TypeSwitch<Operation *, Terms>(op)
      .Case([&](AddOp add) {
        Terms sum;
        for (Value operand : add.getInputs())
          addTo(sum, 1, getTerms(operand));
        return sum.size() > kMaxTerms ? atom : sum;
      })
      .Case([&](SubOp sub) {
        Terms sum = getTerms(sub.getLhs());
        addTo(sum, -1, getTerms(sub.getRhs()));
        return sum.size() > kMaxTerms ? atom : sum;
      })
      .Case([&](NegOp neg) {
        Terms sum;
        addTo(sum, -1, getTerms(neg.getInput()));
        return sum;
      })
      .Case([&](MulOp mul) {
        return getProduct(value, SmallVector<Value>(mul.getInputs()));
      })
      .Case([&](DivOp div) {
        Terms terms = getTerms(div.getLhs());
        std::optional<double> divisor = getConstant(div.getRhs());
        for (Term &term : terms)
          if (divisor)
            term.coefficient /= *divisor;
          else
            term.factors.push_back(Factor{div.getRhs(), /*inverted=*/true});
        for (Term &term : terms)
          sortFactors(term);
        return terms;
      })
      .Default(atom);
}
