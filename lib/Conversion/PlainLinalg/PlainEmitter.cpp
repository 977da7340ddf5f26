//===- PlainEmitter.cpp - Operations as linalg.generic --------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Follows docs/numerics.md as the evaluator does: a fold is its definition, a
// split reads its own axis and reductions skip what does not exist.
//
//===----------------------------------------------------------------------===//

#include "PlainEmitter.h"
#include "Cleave/Evaluator/Evaluator.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::cleave;
using schedule::Combiner;

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

Value PlainEmitter::getSize(Location loc, StringRef axis) {
  return getValueOrCreateConstantIndexOp(b, loc, extents.lookup(axis));
}

Value PlainEmitter::createEmpty(Location loc, ArrayRef<StringAttr> dims,
                                Type element) {
  SmallVector<OpFoldResult> sizes;
  for (StringAttr dim : dims)
    sizes.push_back(extents.lookup(dim));
  return tensor::EmptyOp::create(b, loc, sizes, element);
}

SmallVector<StringAttr, 4>
PlainEmitter::chooseOrder(Value result, ArrayRef<PlainArray> operands) {
  ArrayRef<StringAttr> names = getAxes(result).getNames();
  for (const PlainArray &operand : operands)
    if (!operand.isScalar() && operand.dims.size() == names.size())
      return operand.dims;
  return {names.begin(), names.end()};
}

PlainArray PlainEmitter::emitGeneric(Location loc, ArrayRef<StringAttr> dims,
                                     ArrayRef<StringAttr> reduced,
                                     ArrayRef<PlainArray> operands, Value init,
                                     BodyFn emitBody) {
  SmallVector<StringAttr> iteration(dims);
  llvm::append_range(iteration, reduced);
  SmallVector<utils::IteratorType> iterators(dims.size(),
                                             utils::IteratorType::parallel);
  iterators.append(reduced.size(), utils::IteratorType::reduction);
  auto getMap = [&](ArrayRef<StringAttr> names) {
    SmallVector<AffineExpr> exprs;
    for (StringAttr name : names)
      exprs.push_back(
          b.getAffineDimExpr(llvm::find(iteration, name) - iteration.begin()));
    return AffineMap::get(iteration.size(), 0, exprs, b.getContext());
  };
  SmallVector<AffineMap> maps;
  SmallVector<Value> inputs;
  for (const PlainArray &operand : operands) {
    if (operand.isScalar())
      continue;
    maps.push_back(getMap(operand.dims));
    inputs.push_back(operand.value);
  }
  maps.push_back(getMap(dims));
  auto generic = linalg::GenericOp::create(
      b, loc, init.getType(), inputs, init, maps, iterators,
      [&](OpBuilder &inner, Location, ValueRange arguments) {
        PlainBody body{inner, loc, iteration, {}};
        for (const PlainArray &operand : operands) {
          body.values.push_back(operand.isScalar() ? operand.value
                                                   : arguments.front());
          arguments = arguments.drop_front(operand.isScalar() ? 0 : 1);
        }
        body.values.push_back(arguments.front());
        linalg::YieldOp::create(inner, loc, emitBody(body));
      });
  return {generic.getResult(0), {dims.begin(), dims.end()}};
}

Value PlainEmitter::toOrder(Location loc, const PlainArray &array,
                            ArrayRef<StringAttr> dims) {
  if (!array.isScalar() && ArrayRef(array.dims) == dims)
    return array.value;
  Value init =
      createEmpty(loc, dims, getElementTypeOrSelf(array.value.getType()));
  if (array.isScalar())
    return linalg::FillOp::create(b, loc, array.value, init).getResult(0);
  return emitGeneric(loc, dims, {}, array, init,
                     [](PlainBody &body) { return body.values[0]; })
      .value;
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

SmallVector<StringRef> PlainEmitter::getSources(StringRef axis,
                                                ArrayRef<StringAttr> iteration,
                                                unsigned depth) const {
  if (llvm::is_contained(iteration, axis))
    return {axis};
  // Deeper than there are splits is a circle.
  if (depth == table.splits().size())
    return {};
  for (const SplitRelation &split : table.splits()) {
    if (split.axis != axis)
      continue;
    SmallVector<StringRef> outer =
        getSources(split.outer, iteration, depth + 1);
    SmallVector<StringRef> inner =
        getSources(split.inner, iteration, depth + 1);
    if (outer.empty() || inner.empty())
      continue;
    llvm::append_range(outer, inner);
    return outer;
  }
  return {};
}

Value PlainEmitter::emitPosition(PlainBody &body, StringRef axis,
                                 unsigned depth) {
  const auto *place = llvm::find(body.iteration, axis);
  if (place != body.iteration.end())
    return linalg::IndexOp::create(body.b, body.loc,
                                   place - body.iteration.begin());
  for (const SplitRelation &split : table.splits())
    if (split.axis == axis &&
        !getSources(split.outer, body.iteration, depth + 1).empty() &&
        !getSources(split.inner, body.iteration, depth + 1).empty()) {
      Value outer = emitPosition(body, split.outer, depth + 1);
      Value inner = emitPosition(body, split.inner, depth + 1);
      Value begin = arith::MulIOp::create(body.b, body.loc, outer,
                                          getSize(body.loc, split.inner));
      return arith::AddIOp::create(body.b, body.loc, begin, inner);
    }
  llvm_unreachable("the axis has sources");
}

Value PlainEmitter::selectExisting(PlainBody &body,
                                   ArrayRef<StringAttr> reduced, Value value,
                                   double unit) {
  Value exists;
  for (const SplitRelation &split : table.splits()) {
    SmallVector<StringRef> outer = getSources(split.outer, body.iteration);
    SmallVector<StringRef> inner = getSources(split.inner, body.iteration);
    auto isReduced = [&](StringRef axis) {
      return llvm::is_contained(reduced, axis);
    };
    if (outer.empty() || inner.empty() ||
        (llvm::none_of(outer, isReduced) && llvm::none_of(inner, isReduced)))
      continue;
    std::optional<int64_t> whole =
        getConstantIntValue(extents.lookup(split.axis));
    std::optional<int64_t> parts =
        getConstantIntValue(extents.lookup(split.outer));
    std::optional<int64_t> part =
        getConstantIntValue(extents.lookup(split.inner));
    if (whole && parts && part && *whole == *parts * *part)
      continue;
    Value begin =
        arith::MulIOp::create(body.b, body.loc, emitPosition(body, split.outer),
                              getSize(body.loc, split.inner));
    Value position = arith::AddIOp::create(body.b, body.loc, begin,
                                           emitPosition(body, split.inner));
    Value inside =
        arith::CmpIOp::create(body.b, body.loc, arith::CmpIPredicate::ult,
                              position, getSize(body.loc, split.axis));
    exists = exists ? arith::AndIOp::create(body.b, body.loc, exists, inside)
                          .getResult()
                    : inside;
  }
  if (!exists)
    return value;
  Value neutral =
      createConstant(body.b, body.loc, *getElement(value.getType()), unit);
  return arith::SelectOp::create(body.b, body.loc, exists, value, neutral);
}

//===----------------------------------------------------------------------===//
// Pointwise operations and leaves
//===----------------------------------------------------------------------===//

LogicalResult PlainEmitter::emitPointwise(Operation *op,
                                          schedule::Pointwise kind) {
  Value result = op->getResult(0);
  schedule::Element element = *getElement(result.getType());
  SmallVector<PlainArray> operands = getAll(op->getOperands());
  Location loc = op->getLoc();
  ArrayRef<StringAttr> names = getAxes(result).getNames();
  // What is the same everywhere is computed once.
  if (llvm::all_of(operands,
                   [](const PlainArray &a) { return a.isScalar(); })) {
    SmallVector<Value> values;
    for (const PlainArray &operand : operands)
      values.push_back(operand.value);
    arrays[result] = {createPointwise(b, loc, kind, element, values),
                      {names.begin(), names.end()}};
    return success();
  }
  SmallVector<StringAttr, 4> dims = chooseOrder(result, operands);
  Value init = createEmpty(loc, dims, getElementTypeOrSelf(result.getType()));
  arrays[result] =
      emitGeneric(loc, dims, {}, operands, init, [&](PlainBody &body) {
        return createPointwise(body.b, loc, kind, element,
                               ArrayRef(body.values).drop_back());
      });
  return success();
}

LogicalResult PlainEmitter::emitConstant(ConstantOp op) {
  Value value = createConstant(b, op.getLoc(), *getElement(op.getType()),
                               op.getValue().convertToDouble());
  ArrayRef<StringAttr> names = getAxes(op.getResult()).getNames();
  arrays[op.getResult()] = {value, {names.begin(), names.end()}};
  return success();
}

LogicalResult PlainEmitter::emitExtent(ExtentOp op) {
  Location loc = op.getLoc();
  OpFoldResult extent = extents.lookup(op.getAxis());
  if (!extent)
    return op.emitOpError("expected an argument with axis '")
           << op.getAxis() << "', or a value for it in `symbols`";
  Type type = getElementTypeOrSelf(op.getType());
  Value number;
  if (std::optional<int64_t> size = getConstantIntValue(extent)) {
    number = createConstant(b, loc, *getElement(type), *size);
  } else {
    Value integer =
        arith::IndexCastOp::create(b, loc, b.getI64Type(), cast<Value>(extent));
    number = arith::SIToFPOp::create(b, loc, type, integer);
  }
  arrays[op.getResult()] = {number, {}};
  return success();
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

void PlainEmitter::emitReduction(Location loc, Value result, AxesAttr axes,
                                 Combiner combiner,
                                 ArrayRef<PlainArray> operands) {
  Type type = getElementTypeOrSelf(result.getType());
  schedule::Element element = *getElement(type);
  ArrayRef<StringAttr> dims = getAxes(result).getNames();
  ArrayRef<StringAttr> reduced = axes.getNames();
  double unit = schedule::getUnit(combiner);
  Value init =
      linalg::FillOp::create(b, loc, createConstant(b, loc, element, unit),
                             createEmpty(loc, dims, type))
          .getResult(0);
  // An iteration space needs an operand that has its extents.
  SmallVector<PlainArray> shaped(operands);
  for (StringAttr axis : reduced)
    if (llvm::none_of(operands, [&](const PlainArray &operand) {
          return !operand.isScalar() && llvm::is_contained(operand.dims, axis);
        }))
      shaped.push_back({createEmpty(loc, axis, type), {axis}});
  arrays[result] =
      emitGeneric(loc, dims, reduced, shaped, init, [&](PlainBody &body) {
        Value value = body.values[0];
        if (operands.size() == 2)
          value = createPointwise(body.b, loc, schedule::Pointwise::Mul,
                                  element, ArrayRef(body.values).take_front(2));
        value = selectExisting(body, reduced, value, unit);
        return createCombiner(body.b, loc, combiner, body.values.back(), value);
      });
}

/// An operand of a narrower type keeps its values.
PlainArray PlainEmitter::round(Location loc, const PlainArray &array,
                               Type type) {
  Type from = getElementTypeOrSelf(array.value.getType());
  if (from == type ||
      from.getIntOrFloatBitWidth() < type.getIntOrFloatBitWidth())
    return array;
  if (array.isScalar())
    return {convertElement(b, loc, array.value, type), array.dims};
  return emitGeneric(loc, array.dims, {}, array,
                     createEmpty(loc, array.dims, type), [&](PlainBody &body) {
                       return convertElement(body.b, loc, body.values[0], type);
                     });
}

void PlainEmitter::emitContraction(Location loc, Value result, AxesAttr axes,
                                   ValueRange operands,
                                   std::optional<Type> operandType) {
  Type type =
      operandType ? *operandType : getDefaultOperandType(source, operands);
  SmallVector<PlainArray> rounded;
  for (const PlainArray &operand : getAll(operands))
    rounded.push_back(round(loc, operand, type));
  emitReduction(loc, result, axes, Combiner::Sum, rounded);
}

/// Each state over the whole axis, with the earlier ones at their final values.
LogicalResult PlainEmitter::emitFold(FoldOp op) {
  for (size_t i = 0, e = op.getNumStates(); i < e; ++i) {
    Block &body = op.getBody(i).front();
    SmallVector<Value> outside(op.getInputs());
    llvm::append_range(outside, op.getResults().take_front(i));
    for (auto [argument, value] : llvm::zip_equal(body.getArguments(), outside))
      setArray(argument, arrays.at(value));
    if (failed(emitBlock(body)))
      return failure();
    OperandRange yielded = body.getTerminator()->getOperands();
    Value result = op.getResult(i);
    if (op.getKind(i) == ReductionKind::Contract)
      emitContraction(op.getLoc(), result, op.getAxes(), yielded,
                      op.getOperandType(i));
    else
      emitReduction(op.getLoc(), result, op.getAxes(),
                    getCombiner(op.getKind(i)), getAll(yielded));
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

LogicalResult PlainEmitter::emitAlternatives(AlternativesOp op) {
  if (options.variant >= op.getAlternatives().size())
    return op.emitOpError("expected a variant below ")
           << op.getAlternatives().size() << " but got " << options.variant;
  Block &chosen = op.getAlternatives()[options.variant].front();
  if (failed(emitBlock(chosen)))
    return failure();
  for (auto [result, value] :
       llvm::zip_equal(op.getResults(), chosen.getTerminator()->getOperands()))
    setArray(result, arrays.at(value));
  return success();
}

/// Every axis of the results has an extent, every element is known.
LogicalResult PlainEmitter::checkExtents(Operation *op) {
  for (Type type : op->getResultTypes()) {
    if (!isCleaveTensor(type))
      return op->emitOpError("is not supported by --convert-cleave-to-linalg");
    if (!getElement(type))
      return op->emitOpError("element type ")
             << getElementTypeOrSelf(type)
             << " is not supported by --convert-cleave-to-linalg";
    for (StringAttr axis : getAxes(type).getNames())
      if (!extents.lookup(axis))
        return op->emitOpError("expected an argument with axis '")
               << axis.getValue() << "', or a value for it in `symbols`";
  }
  return success();
}

LogicalResult PlainEmitter::emitOp(Operation *op) {
  if (failed(checkExtents(op)))
    return failure();
  if (std::optional<schedule::Pointwise> kind = getPointwise(op))
    return emitPointwise(op, *kind);
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](AlternativesOp op) { return emitAlternatives(op); })
      .Case([&](ConstantOp op) { return emitConstant(op); })
      .Case([&](ExtentOp op) { return emitExtent(op); })
      .Case<ReduceSumOp, ReduceMaxOp, ReduceMinOp, ReduceProdOp>([&](auto op) {
        emitReduction(op.getLoc(), op.getResult(), op.getAxes(),
                      getCombiner(op), arrays.at(op.getInput()));
        return success();
      })
      .Case([&](ContractOp op) {
        emitContraction(op.getLoc(), op.getResult(), op.getAxes(),
                        op.getOperands(), op.getOperandType());
        return success();
      })
      .Case([&](FoldOp op) { return emitFold(op); })
      .Case([&](RenameOp op) { return emitRename(op); })
      .Case([&](RelayoutOp op) {
        setArray(op.getResult(), arrays.at(op.getInput()));
        return success();
      })
      .Case([&](SplitOp op) { return emitSplit(op); })
      .Case([&](MergeOp op) { return emitMerge(op); })
      .Case([&](IotaOp op) { return emitIota(op); })
      .Case([&](SliceOp op) { return emitSlice(op); })
      .Case([&](ConcatOp op) { return emitConcat(op); })
      .Case([&](GatherOp op) { return emitGather(op); })
      .Case([&](InsertOp op) { return emitInsert(op); })
      .Default([](Operation *op) {
        return op->emitOpError(
            "is not supported by --convert-cleave-to-linalg");
      });
}

LogicalResult PlainEmitter::emitBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(emitOp(&op)))
      return failure();
  return success();
}

/// Results have the order and the shape that the function's type says.
LogicalResult PlainEmitter::emitReturn(Operation *op) {
  SmallVector<Value> results;
  for (auto [value, type] :
       llvm::zip_equal(op->getOperands(), target.getResultTypes())) {
    Value result =
        toOrder(op->getLoc(), arrays.at(value), getAxes(value).getNames());
    if (result.getType() != type)
      result = tensor::CastOp::create(b, op->getLoc(), type, result);
    results.push_back(result);
  }
  func::ReturnOp::create(b, op->getLoc(), results);
  return success();
}

void PlainEmitter::eraseDead() {
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(target.front())))
    if (isOpTriviallyDead(&op))
      op.erase();
}

LogicalResult PlainEmitter::run() {
  Block *entry = target.addEntryBlock();
  b.setInsertionPointToStart(entry);
  if (failed(extents.emit(b, entry->getArguments(), options.symbols)))
    return failure();
  for (auto [argument, plain] :
       llvm::zip_equal(source.getArguments(), entry->getArguments())) {
    ArrayRef<StringAttr> names = getAxes(argument).getNames();
    arrays[argument] = {plain, {names.begin(), names.end()}};
    if (!getElement(argument.getType()))
      return source.emitOpError("argument of type ")
             << argument.getType()
             << " is not supported by --convert-cleave-to-linalg";
  }
  if (failed(emitBlock(source.front())) ||
      failed(emitReturn(source.front().getTerminator())))
    return failure();
  eraseDead();
  return success();
}

static FailureOr<Type> getPlainType(func::FuncOp function, Type type) {
  if (!isCleaveTensor(type))
    return function.emitOpError("expected arguments and results to be tensors "
                                "with named axes but got ")
           << type;
  auto tensor = cast<RankedTensorType>(type);
  return Type(
      RankedTensorType::get(tensor.getShape(), tensor.getElementType()));
}

FailureOr<OwningOpRef<func::FuncOp>>
cleave::convertToPlainLinalg(func::FuncOp function,
                             const PlainLinalgOptions &options) {
  if (!function.getBody().hasOneBlock())
    return function.emitOpError("expected a body of one block");
  SmallVector<Type> arguments, results;
  for (auto [types, plain] :
       {std::pair(function.getArgumentTypes(), &arguments),
        std::pair(function.getResultTypes(), &results)})
    for (Type type : types) {
      FailureOr<Type> converted = getPlainType(function, type);
      if (failed(converted))
        return failure();
      plain->push_back(*converted);
    }
  FailureOr<AxisTable> table = AxisTable::get(function);
  if (failed(table))
    return failure();
  OwningOpRef<func::FuncOp> target = func::FuncOp::create(
      function.getLoc(), function.getName(),
      FunctionType::get(function.getContext(), arguments, results));
  if (function.getSymVisibilityAttr())
    (*target).setSymVisibilityAttr(function.getSymVisibilityAttr());
  if (failed(PlainEmitter(function, *target, *table, options).run()))
    return failure();
  return target;
}
