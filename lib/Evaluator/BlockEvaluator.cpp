//===- BlockEvaluator.cpp - Evaluation of a block -------------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Maps every operation of the dialect but fold and sugar to operations on named
// arrays.
//
//===----------------------------------------------------------------------===//

#include "BlockEvaluator.h"

#include "llvm/ADT/TypeSwitch.h"
#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace mlir::cleave;

SmallVector<std::string> mlir::cleave::getNames(AxesAttr axes) {
  SmallVector<std::string> names;
  for (StringAttr name : axes.getNames())
    names.push_back(name.getValue().str());
  return names;
}

ElementKind mlir::cleave::getKind(Type type) {
  std::optional<ElementKind> kind =
      getElementKind(cast<RankedTensorType>(type).getElementType());
  // Odd integers behave like i64: values are doubles anyway.
  return kind.value_or(ElementKind::I64);
}

Window Window::slice(const std::string &axis, int64_t begin,
                     int64_t length) const {
  Window part = *this;
  part.extents[axis] = length;
  part.offsets[axis] += begin;
  for (Domain &domain : part.domains) {
    if (domain.outer == axis)
      domain.outerOffset += begin;
    if (domain.inner == axis)
      domain.innerOffset += begin;
  }
  return part;
}

NamedArray mlir::cleave::finish(const EvaluatorContext &context,
                                NamedArray array) {
  if (context.options.rounds)
    roundAllTo(array.getKind(), {array.data(), size_t(array.size())});
  return array;
}

NamedArray mlir::cleave::reduceIn(const EvaluatorContext &context,
                                  const Window &window, Reduction reduction,
                                  const NamedArray &input,
                                  ArrayRef<std::string> axes,
                                  ElementKind kind) {
  return finish(context, reduce(reduction, input, axes, window.domains, kind));
}

NamedArray mlir::cleave::contractIn(const EvaluatorContext &context,
                                    const Window &window, const NamedArray &lhs,
                                    const NamedArray &rhs,
                                    ArrayRef<std::string> axes,
                                    Type operandType, ElementKind kind) {
  auto narrow = [&](const NamedArray &operand) {
    std::optional<ElementKind> narrowKind = getElementKind(operandType);
    if (!context.options.rounds || !narrowKind ||
        operand.getKind() == *narrowKind ||
        elementSize(operand.getKind()) < elementSize(*narrowKind))
      return operand;
    return rounded(operand, *narrowKind);
  };
  return finish(context,
                contract(narrow(lhs), narrow(rhs), axes, window.domains, kind));
}

FailureOr<std::vector<NamedArray>>
BlockEvaluator::run(Block &block, ArrayRef<NamedArray> arguments) {
  for (auto [value, array] : llvm::zip_equal(block.getArguments(), arguments))
    values[value] = array;
  for (Operation &op : block.without_terminator()) {
    if (failed(evaluate(&op)))
      return failure();
    // What has no further use frees its memory.
    for (Value operand : op.getOperands())
      if (llvm::all_of(operand.getUsers(), [&](Operation *user) {
            return user->getBlock() == &block &&
                   (user == &op || user->isBeforeInBlock(&op));
          }))
        values.erase(operand);
  }
  SmallVector<NamedArray> results =
      getAll(block.getTerminator()->getOperands());
  return std::vector<NamedArray>(results.begin(), results.end());
}

SmallVector<NamedArray> BlockEvaluator::getAll(ValueRange range) const {
  return llvm::map_to_vector(range, [&](Value value) { return get(value); });
}

LogicalResult BlockEvaluator::evaluate(Operation *op) {
  if (auto alternatives = dyn_cast<AlternativesOp>(op))
    return evaluateAlternatives(alternatives);
  if (auto fold = dyn_cast<FoldOp>(op))
    return evaluateFold(fold);
  FailureOr<NamedArray> result = compute(op);
  if (failed(result))
    return failure();
  values[op->getResult(0)] = *result;
  return success();
}

LogicalResult BlockEvaluator::evaluateAlternatives(AlternativesOp op) {
  unsigned chosen = context.options.alternative;
  if (chosen >= op.getAlternatives().size())
    return op.emitOpError("expected an alternative below ")
           << op.getAlternatives().size() << " but got " << chosen;
  // Regions read values from above, so they run among them.
  FailureOr<std::vector<NamedArray>> results =
      run(op.getAlternatives()[chosen].front(), {});
  if (failed(results))
    return failure();
  for (auto [value, array] : llvm::zip_equal(op.getResults(), *results))
    values[value] = array;
  return success();
}

LogicalResult BlockEvaluator::evaluateFold(FoldOp op) {
  FailureOr<std::vector<NamedArray>> results =
      runFold(context, window, op, getAll(op.getInputs()));
  if (failed(results))
    return failure();
  for (auto [value, array] : llvm::zip_equal(op.getResults(), *results))
    values[value] = array;
  return success();
}

static Pointwise getComparison(CmpPredicate predicate) {
  switch (predicate) {
  case CmpPredicate::eq:
    return Pointwise::CmpEQ;
  case CmpPredicate::ne:
    return Pointwise::CmpNE;
  case CmpPredicate::lt:
    return Pointwise::CmpLT;
  case CmpPredicate::le:
    return Pointwise::CmpLE;
  case CmpPredicate::gt:
    return Pointwise::CmpGT;
  case CmpPredicate::ge:
    return Pointwise::CmpGE;
  }
  llvm_unreachable("unknown predicate");
}

static std::optional<Pointwise> getPointwise(Operation *op) {
  using R = std::optional<Pointwise>;
  return llvm::TypeSwitch<Operation *, R>(op)
      .Case([](AddOp) { return Pointwise::Add; })
      .Case([](MulOp) { return Pointwise::Mul; })
      .Case([](MaxOp) { return Pointwise::Max; })
      .Case([](MinOp) { return Pointwise::Min; })
      .Case([](SubOp) { return Pointwise::Sub; })
      .Case([](DivOp) { return Pointwise::Div; })
      .Case([](PowOp) { return Pointwise::Pow; })
      .Case([](NegOp) { return Pointwise::Neg; })
      .Case([](RecipOp) { return Pointwise::Recip; })
      .Case([](Recip0Op) { return Pointwise::Recip0; })
      .Case([](AbsOp) { return Pointwise::Abs; })
      .Case([](ExpOp) { return Pointwise::Exp; })
      .Case([](Exp2Op) { return Pointwise::Exp2; })
      .Case([](LogOp) { return Pointwise::Log; })
      .Case([](TanhOp) { return Pointwise::Tanh; })
      .Case([](ErfOp) { return Pointwise::Erf; })
      .Case([](SqrtOp) { return Pointwise::Sqrt; })
      .Case([](RsqrtOp) { return Pointwise::Rsqrt; })
      .Case([](SigmoidOp) { return Pointwise::Sigmoid; })
      .Case([](IsFiniteOp) { return Pointwise::IsFinite; })
      .Case([](SelectOp) { return Pointwise::Select; })
      .Case([](CmpOp cmp) { return getComparison(cmp.getPredicate()); })
      .Default([](Operation *) { return std::nullopt; });
}

static Reduction getReduction(Operation *op) {
  return llvm::TypeSwitch<Operation *, Reduction>(op)
      .Case([](ReduceMaxOp) { return Reduction::Max; })
      .Case([](ReduceMinOp) { return Reduction::Min; })
      .Case([](ReduceProdOp) { return Reduction::Prod; })
      .Default([](Operation *) { return Reduction::Sum; });
}

NamedArray BlockEvaluator::computePointwise(Pointwise operation,
                                            Operation *op) {
  return finish(context, applyPointwise(operation, getAll(op->getOperands()),
                                        getKind(op->getResult(0).getType())));
}

FailureOr<NamedArray> BlockEvaluator::compute(Operation *op) {
  if (std::optional<Pointwise> operation = getPointwise(op))
    return computePointwise(*operation, op);
  using R = FailureOr<NamedArray>;
  auto kind = [&] { return getKind(op->getResult(0).getType()); };
  return llvm::TypeSwitch<Operation *, R>(op)
      .Case([&](ConstantOp constant) { return computeConstant(constant); })
      .Case([&](ExtentOp extent) {
        double size = double(context.extents.at(extent.getAxis().str()));
        return finish(context, NamedArray::splat(kind(), size, {}));
      })
      .Case([&](CastOp cast) { return computeCast(cast); })
      .Case<ReduceSumOp, ReduceMaxOp, ReduceMinOp, ReduceProdOp>(
          [&](auto reduction) {
            return reduceIn(context, window, getReduction(op),
                            get(reduction.getInput()),
                            getNames(reduction.getAxes()), kind());
          })
      .Case([&](ContractOp contract) {
        Type type = contract.getOperandType()
                        ? *contract.getOperandType()
                        : getDefaultOperandType(context.function,
                                                contract.getOperands());
        return contractIn(context, window, get(contract.getLhs()),
                          get(contract.getRhs()), getNames(contract.getAxes()),
                          type, kind());
      })
      .Case([&](SplitOp split) { return computeSplit(split); })
      .Case([&](MergeOp merge) { return computeMerge(merge); })
      .Case([&](RenameOp rename) { return computeRename(rename); })
      .Case([&](RelayoutOp relayout) { return get(relayout.getInput()); })
      .Case([&](IotaOp op) -> R {
        std::string axis = op.getAxis().str();
        return iota(kind(), axis, window.begin(axis), window.extents.at(axis));
      })
      .Case([&](SliceOp slice) { return computeSlice(slice); })
      .Case([&](ConcatOp concat) { return computeConcat(concat); })
      .Case([&](GatherOp gather) { return computeGather(gather); })
      .Case([&](InsertOp insert) { return computeInsert(insert); })
      .Default([&](Operation *other) { return computeSugar(other); });
}

NamedArray BlockEvaluator::computeConstant(ConstantOp op) {
  // A constant is a value of its type: rounded in both modes.
  ElementKind kind = getKind(op.getType());
  double value = roundTo(kind, op.getValue().convertToDouble());
  SmallVector<Axis> axes;
  for (const std::string &name : getNames(getAxes(op.getResult())))
    axes.push_back({name, window.extents.at(name), 0});
  return NamedArray::splat(kind, value, std::move(axes));
}

NamedArray BlockEvaluator::computeCast(CastOp op) {
  ElementKind kind = getKind(op.getType());
  NamedArray result = applyPointwise(Pointwise::Copy, get(op.getInput()), kind);
  if (isFloat(kind))
    return finish(context, std::move(result));
  // To integers in both modes: i1 is "not zero", others truncate and saturate.
  double limit = std::ldexp(
      1.0, getElementTypeOrSelf(op.getType()).getIntOrFloatBitWidth() - 1);
  MutableArrayRef<double> all(result.data(), size_t(result.size()));
  for (double &value : all) {
    if (kind == ElementKind::I1)
      value = value != 0;
    else if (std::isnan(value))
      value = 0;
    else
      // No integer is -0: adding 0 makes it 0.
      value = std::clamp(std::trunc(value), -limit, limit - 1) + 0.0;
  }
  return result;
}

NamedArray BlockEvaluator::computeRename(RenameOp op) {
  NamedArray result = get(op.getInput());
  SmallVector<std::string> from = getNames(op.getFrom());
  SmallVector<std::string> to = getNames(op.getTo());
  // All at once, so that two axes can swap their names. A space stands in no
  // axis name.
  for (size_t i = 0; i < from.size(); ++i)
    result = result.rename(from[i], " " + std::to_string(i));
  for (size_t i = 0; i < to.size(); ++i)
    result = result.rename(" " + std::to_string(i), to[i]);
  return result;
}

NamedArray BlockEvaluator::computeSplit(SplitOp op) {
  Axis outer{op.getOuter().str(), window.extents.at(op.getOuter().str()), 0};
  Axis inner{op.getInner().str(), window.extents.at(op.getInner().str()), 0};
  return splitAxis(get(op.getInput()), op.getAxis(), outer, inner);
}

NamedArray BlockEvaluator::computeMerge(MergeOp op) {
  return mergeAxes(get(op.getInput()), op.getOuter(), op.getInner(),
                   op.getAxis(), window.extents.at(op.getAxis().str()));
}

LogicalResult BlockEvaluator::requireWhole(Operation *op, StringRef axis) {
  int64_t whole = context.extents.at(axis.str());
  if (window.extents.at(axis.str()) == whole)
    return success();
  return op->emitOpError("expected the whole of axis '")
         << axis << "' but it is evaluated in parts";
}

FailureOr<NamedArray> BlockEvaluator::computeSlice(SliceOp op) {
  if (failed(requireWhole(op, op.getAxis())))
    return failure();
  int64_t offset = op.getOffset();
  const NamedArray &input = get(op.getInput());
  if (!op.getPart())
    return input.at(op.getAxis(), offset);
  if (failed(requireWhole(op, *op.getPart())))
    return failure();
  int64_t length = window.extents.at(op.getPart()->str());
  return input.slice(op.getAxis(), offset, length)
      .rename(op.getAxis(), *op.getPart());
}

FailureOr<NamedArray> BlockEvaluator::computeConcat(ConcatOp op) {
  SmallVector<std::string> along;
  for (StringRef axis : op.getAlong().getAsValueRange<StringAttr>()) {
    if (failed(requireWhole(op, axis)))
      return failure();
    along.push_back(axis.str());
  }
  if (failed(requireWhole(op, op.getAxis())))
    return failure();
  return concat(getAll(op.getInputs()), along, op.getAxis());
}

FailureOr<NamedArray> BlockEvaluator::computeGather(GatherOp op) {
  if (failed(requireWhole(op, op.getAxis())))
    return failure();
  return gather(get(op.getTable()), op.getAxis(), get(op.getIndex()));
}

FailureOr<NamedArray> BlockEvaluator::computeInsert(InsertOp op) {
  if (failed(requireWhole(op, op.getAxis())) ||
      failed(requireWhole(op, op.getCacheAxis())))
    return failure();
  return insert(get(op.getInput()), op.getAxis(), get(op.getCache()),
                op.getCacheAxis(), get(op.getPosition()));
}
