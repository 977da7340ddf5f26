//===- FoldFacts.cpp - Bounds and values for fold formation ---------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Small facts on values, from the operations' semantics.
//
//===----------------------------------------------------------------------===//

#include "FoldFacts.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::cleave;
using namespace mlir::cleave::folds;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// No axis is longer.
static constexpr double kMaxExtent = 2147483648.0;

//===----------------------------------------------------------------------===//
// Values at the unit
//===----------------------------------------------------------------------===//

static double evaluateUnary(Operation *op, double x) {
  return llvm::TypeSwitch<Operation *, double>(op)
      .Case([&](NegOp) { return -x; })
      .Case([&](RecipOp) { return 1 / x; })
      .Case([&](Recip0Op) { return x == 0 ? 0 : 1 / x; })
      .Case([&](AbsOp) { return std::abs(x); })
      .Case([&](ExpOp) { return std::exp(x); })
      .Case([&](Exp2Op) { return std::exp2(x); })
      .Case([&](LogOp) { return std::log(x); })
      .Case([&](TanhOp) { return std::tanh(x); })
      .Case([&](ErfOp) { return std::erf(x); })
      .Case([&](SqrtOp) { return std::sqrt(x); })
      .Case([&](RsqrtOp) { return 1 / std::sqrt(x); })
      .Case([&](SigmoidOp) { return 1 / (1 + std::exp(-x)); })
      .Case([&](IsFiniteOp) { return std::isfinite(x) ? 1 : 0; })
      .Default(x);
}

static bool compare(CmpPredicate predicate, double a, double b) {
  switch (predicate) {
  case CmpPredicate::eq:
    return a == b;
  case CmpPredicate::ne:
    return a != b;
  case CmpPredicate::lt:
    return a < b;
  case CmpPredicate::le:
    return a <= b;
  case CmpPredicate::gt:
    return a > b;
  case CmpPredicate::ge:
    return a >= b;
  }
  return false;
}

static double evaluateBinary(Operation *op, double a, double b) {
  return llvm::TypeSwitch<Operation *, double>(op)
      .Case([&](AddOp) { return a + b; })
      .Case([&](SubOp) { return a - b; })
      .Case([&](MulOp) { return a * b; })
      .Case([&](DivOp) { return a / b; })
      .Case([&](PowOp) { return std::pow(a, b); })
      .Case([&](MaxOp) {
        return std::isnan(a) || std::isnan(b) ? std::nan("") : std::fmax(a, b);
      })
      .Case([&](MinOp) {
        return std::isnan(a) || std::isnan(b) ? std::nan("") : std::fmin(a, b);
      })
      .Case([&](CmpOp cmp) { return compare(cmp.getPredicate(), a, b); })
      .Default(std::nan(""));
}

namespace {

/// Evaluates expressions of references, each value once.
struct UnitEvaluator {
  FoldScope &scope;
  bool counted;
  using Known = llvm::DenseMap<Value, std::optional<double>>;
  Known known = Known();

  std::optional<double> get(Value value) {
    auto it = known.find(value);
    if (it != known.end())
      return it->second;
    std::optional<double> result = compute(value);
    return known[value] = result;
  }

  std::optional<double> compute(Value value);
};

} // namespace

std::optional<double> UnitEvaluator::compute(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (scope.indexOf(value) >= 0)
    return getUnit(op);
  if (auto constant = getConstant(value))
    return constant;
  if (isa<ExtentOp>(op))
    return scope.isCount(op) && !counted ? 0.0 : 1.0;
  if (!isPointwise(op))
    return std::nullopt;
  SmallVector<double> operands;
  for (Value operand : op->getOperands()) {
    std::optional<double> number = get(operand);
    // What is not chosen may be unknown.
    if (!number && !isa<SelectOp>(op))
      return std::nullopt;
    operands.push_back(number.value_or(std::nan("")));
  }
  if (isa<SelectOp>(op)) {
    if (std::isnan(operands[0]))
      return std::nullopt;
    return get(op->getOperand(operands[0] != 0 ? 1 : 2));
  }
  double result = operands[0];
  if (operands.size() == 1)
    return evaluateUnary(op, result);
  for (double operand : ArrayRef(operands).drop_front())
    result = evaluateBinary(op, result, operand);
  return result;
}

std::optional<double> folds::getValueAtUnit(FoldScope &scope, Value value,
                                            bool counted) {
  return UnitEvaluator{scope, counted}.get(value);
}

//===----------------------------------------------------------------------===//
// Degree
//===----------------------------------------------------------------------===//

/// The degree that all of `values` have; a zero has every degree.
static std::optional<double> getCommonDegree(FoldScope &scope,
                                             ValueRange values) {
  std::optional<double> common;
  for (Value value : values) {
    if (getConstant(value) == 0.0)
      continue;
    std::optional<double> degree = getDegree(scope, value);
    if (!degree || (common && *common != *degree))
      return std::nullopt;
    common = degree;
  }
  return common.value_or(0);
}

static std::optional<double> scaleDegree(std::optional<double> degree,
                                         double factor) {
  return degree ? std::optional(*degree * factor) : std::nullopt;
}

std::optional<double> folds::getDegree(FoldScope &scope, Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return 0.0;
  if (scope.indexOf(value) >= 0) {
    if (isa<ReduceProdOp>(op))
      return std::nullopt;
    return isExtremum(op) ? 0.0 : 1.0;
  }
  auto common = [&] { return getCommonDegree(scope, op->getOperands()); };
  auto ofOperand = [&](double factor) {
    return scaleDegree(getDegree(scope, op->getOperand(0)), factor);
  };
  return llvm::TypeSwitch<Operation *, std::optional<double>>(op)
      .Case([&](ExtentOp extent) {
        // One count takes the place of the extents' product.
        ArrayRef<StringAttr> names = scope.getAxes().getNames();
        bool isFirst = extent.getAxisAttr() == names.front();
        return scope.isCount(extent) && isFirst ? 1.0 : 0.0;
      })
      .Case<AddOp, SubOp, MaxOp, MinOp>([&](auto) { return common(); })
      .Case([&](SelectOp select) {
        return getCommonDegree(scope, op->getOperands().drop_front());
      })
      .Case([&](MulOp) -> std::optional<double> {
        double sum = 0;
        for (Value operand : op->getOperands()) {
          std::optional<double> degree = getDegree(scope, operand);
          if (!degree)
            return std::nullopt;
          sum += *degree;
        }
        return sum;
      })
      .Case([&](DivOp div) -> std::optional<double> {
        std::optional<double> a = getDegree(scope, div.getLhs());
        std::optional<double> b = getDegree(scope, div.getRhs());
        if (!a || !b)
          return std::nullopt;
        return *a - *b;
      })
      .Case([&](PowOp pow) -> std::optional<double> {
        std::optional<double> exponent = getConstant(pow.getRhs());
        return exponent ? ofOperand(*exponent) : std::nullopt;
      })
      .Case<NegOp, AbsOp, CastOp>([&](auto) { return ofOperand(1); })
      .Case<RecipOp, Recip0Op>([&](auto) { return ofOperand(-1); })
      .Case([&](SqrtOp) { return ofOperand(0.5); })
      .Case([&](RsqrtOp) { return ofOperand(-0.5); })
      .Default([&](Operation *) -> std::optional<double> {
        if (common() == 0.0)
          return 0.0;
        return std::nullopt;
      });
}

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

double Bounds::get(Value value) {
  auto it = known.find(value);
  if (it != known.end())
    return it->second;
  double bound = compute(value);
  return known[value] = std::isnan(bound) ? kInfinity : bound;
}

static double getArgumentBound(BlockArgument argument) {
  auto function =
      dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
  if (!function || !argument.getOwner()->isEntryBlock())
    return kInfinity;
  auto range = function.getArgAttrOfType<FloatAttr>(
      argument.getArgNumber(), CleaveDialect::kRangeAttrName);
  return range ? range.getValueAsDouble() : CleaveDialect::kDefaultRange;
}

/// The product of the axes' extents, each at its largest.
static double getSize(Value value, AxesAttr axes) {
  double size = 1;
  for (StringAttr axis : axes.getNames()) {
    auto extent = getExtent(cast<RankedTensorType>(value.getType()), axis);
    if (extent)
      size *= ShapedType::isDynamic(*extent) ? kMaxExtent : double(*extent);
  }
  return size;
}

/// A sum over an axis times the reciprocal of its extent is no larger than what
/// is summed, whatever the extent.
double Bounds::computeProduct(MulOp mul) {
  SmallVector<std::pair<ReduceSumOp, AxesAttr>> sums;
  SmallVector<StringAttr> inverted;
  double bound = 1;
  SmallVector<Value> inputs(mul.getInputs());
  for (size_t i = 0; i < inputs.size(); ++i) {
    Value input = inputs[i];
    if (auto inner = input.getDefiningOp<MulOp>()) {
      llvm::append_range(inputs, inner.getInputs());
      continue;
    }
    auto recip = input.getDefiningOp<RecipOp>();
    if (auto extent =
            recip ? recip.getInput().getDefiningOp<ExtentOp>() : ExtentOp())
      inverted.push_back(extent.getAxisAttr());
    else if (auto sum = input.getDefiningOp<ReduceSumOp>())
      sums.emplace_back(sum, sum.getAxes());
    else
      bound *= get(input);
  }
  for (StringAttr axis : inverted) {
    auto *it = llvm::find_if(
        sums, [&](const auto &sum) { return sum.second.contains(axis); });
    // An extent that cancels is at least 1; no other is known to be.
    if (it == sums.end())
      return kInfinity;
    it->second = it->second.without(
        AxesAttr::get(mul.getContext(), ArrayRef<StringAttr>{axis}));
  }
  for (auto &[sum, axes] : sums)
    bound *= get(sum.getInput()) * getSize(sum.getInput(), axes);
  return bound;
}

double folds::getLargest(FloatType type) {
  return APFloat::getLargest(type.getFloatSemantics()).convertToDouble();
}

double Bounds::compute(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return getArgumentBound(argument);
  Operation *op = value.getDefiningOp();
  auto at = [&](unsigned i) { return get(op->getOperand(i)); };
  auto largest = [&](OperandRange operands) {
    double bound = 0;
    for (Value operand : operands)
      bound = std::max(bound, get(operand));
    return bound;
  };
  return llvm::TypeSwitch<Operation *, double>(op)
      .Case([&](ConstantOp constant) {
        return std::abs(constant.getValue().convertToDouble());
      })
      .Case<ExtentOp, IotaOp>([&](auto) { return kMaxExtent; })
      .Case<AddOp, SubOp>([&](auto) {
        double sum = 0;
        for (Value operand : op->getOperands())
          sum += get(operand);
        return sum;
      })
      .Case([&](MulOp mul) { return computeProduct(mul); })
      .Case<MaxOp, MinOp, ConcatOp>(
          [&](auto) { return largest(op->getOperands()); })
      .Case([&](InsertOp insert) {
        return std::max(get(insert.getInput()), get(insert.getCache()));
      })
      .Case([&](SelectOp) { return largest(op->getOperands().drop_front()); })
      .Case([&](CastOp cast) {
        // What a cast makes infinite is so whatever becomes of it.
        auto type = dyn_cast<FloatType>(getElementTypeOrSelf(cast.getType()));
        return type ? std::min(at(0), getLargest(type)) : at(0);
      })
      .Case<NegOp, AbsOp, RenameOp, RelayoutOp, SplitOp, MergeOp, SliceOp,
            GatherOp>([&](auto) { return at(0); })
      .Case([&](DivOp div) {
        std::optional<double> divisor = getConstant(div.getRhs());
        return divisor ? at(0) / std::abs(*divisor) : kInfinity;
      })
      .Case([&](SqrtOp) { return std::sqrt(at(0)); })
      .Case([&](ExpOp) { return std::exp(at(0)); })
      .Case([&](Exp2Op) { return std::exp2(at(0)); })
      .Case<SigmoidOp, TanhOp, ErfOp>([&](auto) { return 1.0; })
      .Case([&](ReduceSumOp sum) {
        return at(0) * getSize(sum.getInput(), sum.getAxes());
      })
      .Case<ReduceMaxOp, ReduceMinOp>([&](auto) { return at(0); })
      .Case([&](ContractOp contract) {
        double lhs = getSize(contract.getLhs(), contract.getAxes());
        double rhs = getSize(contract.getRhs(), contract.getAxes());
        return at(0) * at(1) * std::max(lhs, rhs);
      })
      .Default(kInfinity);
}

//===----------------------------------------------------------------------===//
// Operand types
//===----------------------------------------------------------------------===//

Type folds::getOperandType(ContractOp contract) {
  if (std::optional<Type> declared = contract.getOperandType())
    return *declared;
  BackwardSliceOptions options;
  options.omitBlockArguments = true;
  options.omitUsesFromAbove = false;
  SetVector<Operation *> slice;
  (void)getBackwardSlice(contract.getOperation(), &slice, options);
  slice.insert(contract);
  Block *entry = nullptr;
  if (auto function = contract->getParentOfType<FunctionOpInterface>())
    entry = &function.getFunctionBody().front();
  SmallVector<BlockArgument> arguments;
  for (Operation *op : slice)
    for (Value operand : op->getOperands())
      if (auto argument = dyn_cast<BlockArgument>(operand))
        if (argument.getOwner() == entry)
          arguments.push_back(argument);
  llvm::sort(arguments, [](BlockArgument a, BlockArgument b) {
    return a.getArgNumber() < b.getArgNumber();
  });
  FloatType narrowest;
  for (BlockArgument argument : arguments) {
    auto type = dyn_cast<FloatType>(getElementTypeOrSelf(argument.getType()));
    if (type && (!narrowest || type.getWidth() < narrowest.getWidth()))
      narrowest = type;
  }
  return narrowest ? Type(narrowest)
                   : Type(Float32Type::get(contract.getContext()));
}
