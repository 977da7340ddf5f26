//===- CleaveViewOps.cpp - Operations that move positions of axes ---------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Type inference and verification of views (split, merge, rename, relayout,
// slice) and of what puts tensors together by position (concat, stack, gather,
// insert).
//
//===----------------------------------------------------------------------===//

#include "TypeInference.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::cleave;

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

static AxesAttr getAxisSet(StringAttr axis) {
  return AxesAttr::get(axis.getContext(), ArrayRef<StringAttr>{axis});
}

/// The type of a view that replaces `removed` by axes `added` of the given
/// extents.
static RankedTensorType replaceAxes(RankedTensorType type, AxesAttr removed,
                                    ArrayRef<StringAttr> added,
                                    ArrayRef<int64_t> extents) {
  MLIRContext *context = type.getContext();
  auto extra = RankedTensorType::get(extents, type.getElementType(),
                                     AxesAttr::get(context, added));
  RankedTensorType kept = dropAxes(type, removed, type.getElementType());
  return getUnionType(context, {kept, extra}, type.getElementType());
}

static LogicalResult verifyCarries(Operation *op, StringRef what, Value operand,
                                   StringAttr axis) {
  if (getAxes(operand).contains(axis))
    return success();
  return op->emitOpError("expected the ")
         << what << " to carry axis '" << axis.getValue() << "'";
}

static LogicalResult verifyLacks(Operation *op, StringRef what, Value operand,
                                 StringAttr axis) {
  if (!getAxes(operand).contains(axis))
    return success();
  return op->emitOpError("expected the ")
         << what << " not to carry axis '" << axis.getValue() << "'";
}

static LogicalResult verifyType(Operation *op, Type expected) {
  Type result = op->getResult(0).getType();
  if (expected == result)
    return success();
  return op->emitOpError("expected result type ")
         << expected << " but got " << result;
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

LogicalResult RenameOp::inferReturnTypes(MLIRContext *context,
                                         std::optional<Location> location,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &results) {
  if (!isCleaveTensor(adaptor.getInput().getType()))
    return emitOptionalError(location,
                             "expected the operand to have named axes");
  auto type = cast<RankedTensorType>(adaptor.getInput().getType());
  AxesAttr from = adaptor.getFrom(), to = adaptor.getTo();
  if (from.size() != to.size())
    return emitOptionalError(location,
                             "expected as many new names as old "
                             "ones but got ",
                             to.size(), " for ", from.size());
  SmallVector<StringAttr> names(getAxes(type).getNames());
  for (StringAttr &name : names)
    if (int64_t index = from.indexOf(name); index >= 0)
      name = to.getNames()[index];
  if (llvm::SmallDenseSet<StringAttr>(names.begin(), names.end()).size() !=
      names.size())
    return emitOptionalError(location,
                             "expected new names that the tensor lacks");
  auto renamed = RankedTensorType::get(type.getShape(), type.getElementType(),
                                       AxesAttr::get(context, names));
  results.push_back(getUnionType(context, {renamed}, type.getElementType()));
  return success();
}

LogicalResult RenameOp::verify() {
  AxesAttr axes = cleave::getAxes(getInput());
  for (StringAttr name : getFrom().getNames())
    if (!axes.contains(name))
      return emitOpError("expected the operand to carry axis '")
             << name.getValue() << "'";
  return success();
}

LogicalResult RelayoutOp::verify() {
  RankedTensorType input = getInput().getType(), result = getType();
  if (getUnionType(getContext(), input, input.getElementType()) !=
      getUnionType(getContext(), result, result.getElementType()))
    return emitOpError("expected the same axes, extents and element type but "
                       "got ")
           << input << " and " << result;
  return success();
}

LogicalResult SplitOp::verify() {
  RankedTensorType input = getInput().getType(), result = getType();
  AxesAttr before = cleave::getAxes(input), after = cleave::getAxes(result);
  std::optional<int64_t> extent = getExtent(input, getAxisAttr());
  if (!extent)
    return emitOpError("expected the operand to carry axis '")
           << getAxis() << "'";
  for (StringAttr part : {getOuterAttr(), getInnerAttr()})
    if (before.contains(part) || !after.contains(part))
      return emitOpError("expected axis '")
             << part.getValue() << "' in the result only";
  if (getOuter() == getInner())
    return emitOpError("expected two different parts");
  std::optional<int64_t> outer = getExtent(result, getOuterAttr());
  std::optional<int64_t> inner = getExtent(result, getInnerAttr());
  RankedTensorType expected =
      replaceAxes(input, getAxisSet(getAxisAttr()),
                  {getOuterAttr(), getInnerAttr()}, {*outer, *inner});
  if (expected != result)
    return emitOpError("expected result type ")
           << expected << " but got " << result;
  if (*outer == 0)
    return emitOpError("expected at least one part");
  if (ShapedType::isDynamic(*extent) || ShapedType::isDynamic(*outer) ||
      ShapedType::isDynamic(*inner))
    return success();
  if (int64_t part = llvm::divideCeil(*extent, *outer); part != *inner)
    return emitOpError("expected axis '") << getInner() << "' to have extent "
                                          << part << " but got " << *inner;
  return success();
}

LogicalResult MergeOp::verify() {
  RankedTensorType input = getInput().getType(), result = getType();
  for (StringAttr part : {getOuterAttr(), getInnerAttr()})
    if (!cleave::getAxes(input).contains(part))
      return emitOpError("expected the operand to carry axis '")
             << part.getValue() << "'";
  std::optional<int64_t> extent = getExtent(result, getAxisAttr());
  if (!extent || cleave::getAxes(input).contains(getAxisAttr()))
    return emitOpError("expected axis '")
           << getAxis() << "' in the result only";
  if (getOuter() == getInner())
    return emitOpError("expected two different parts");
  RankedTensorType expected = replaceAxes(
      input,
      AxesAttr::get(getContext(),
                    ArrayRef<StringAttr>{getOuterAttr(), getInnerAttr()}),
      {getAxisAttr()}, {*extent});
  if (expected != result)
    return emitOpError("expected result type ")
           << expected << " but got " << result;
  return success();
}

LogicalResult SliceOp::verify() {
  if (failed(verifyCarries(*this, "operand", getInput(), getAxisAttr())))
    return failure();
  RankedTensorType input = getInput().getType();
  AxesAttr axis = getAxisSet(getAxisAttr());
  int64_t length = 1;
  if (!getPart()) {
    if (failed(
            verifyType(*this, dropAxes(input, axis, input.getElementType()))))
      return failure();
  } else {
    if (failed(verifyAxisName(*this, *getPart())) ||
        failed(verifyLacks(*this, "operand", getInput(), getPartAttr())) ||
        failed(verifyCarries(*this, "result", getResult(), getPartAttr())))
      return failure();
    length = *getExtent(getType(), getPartAttr());
    if (failed(verifyType(*this,
                          replaceAxes(input, axis, {getPartAttr()}, {length}))))
      return failure();
  }
  int64_t extent = *getExtent(input, getAxisAttr());
  if (ShapedType::isDynamic(extent) || ShapedType::isDynamic(length))
    return success();
  int64_t offset = getOffset();
  if (offset > extent || length > extent - offset)
    return emitOpError("expected positions of axis '")
           << getAxis() << "' below " << extent << " but got " << length
           << " from " << offset;
  return success();
}

//===----------------------------------------------------------------------===//
// Putting together by position
//===----------------------------------------------------------------------===//

/// The extent of the axis that `op` makes of its parts.
static int64_t sumExtents(ConcatOp op) {
  int64_t sum = 0;
  for (auto [input, name] : llvm::zip_equal(
           op.getInputs(), op.getAlong().getAsRange<StringAttr>())) {
    int64_t extent = *getExtent(cast<RankedTensorType>(input.getType()), name);
    if (ShapedType::isDynamic(extent) || llvm::AddOverflow(sum, extent, sum))
      return ShapedType::kDynamic;
  }
  return sum;
}

static LogicalResult verifyConcatInputs(ConcatOp op) {
  for (auto [i, name] :
       llvm::enumerate(op.getAlong().getAsRange<StringAttr>())) {
    Value input = op.getInputs()[i];
    std::string what = "input " + std::to_string(i);
    if (failed(verifyAxisName(op, name)) ||
        failed(verifyCarries(op, what, input, name)) ||
        failed(verifyLacks(op, what, input, op.getAxisAttr())))
      return failure();
    for (StringAttr other : op.getAlong().getAsRange<StringAttr>())
      if (other != name && failed(verifyLacks(op, what, input, other)))
        return failure();
    if (getElementTypeOrSelf(input.getType()) !=
        getElementTypeOrSelf(op.getInputs().front().getType()))
      return op.emitOpError("expected inputs of one element type but got ")
             << op.getInputs().getTypes();
  }
  return success();
}

LogicalResult ConcatOp::verify() {
  if (getInputs().size() < 2)
    return emitOpError("expected at least two inputs");
  if (getAlong().size() != getInputs().size())
    return emitOpError("expected one axis an input but got ")
           << getAlong().size() << " for " << getInputs().size();
  if (failed(verifyAxisName(*this, getAxis())) ||
      failed(verifyConcatInputs(*this)) ||
      failed(verifyCarries(*this, "result", getResult(), getAxisAttr())))
    return failure();
  int64_t extent = *getExtent(getType(), getAxisAttr()),
          sum = sumExtents(*this);
  if (ShapedType::isStatic(sum) && sum != extent)
    return emitOpError("expected axis '")
           << getAxis() << "' to have extent " << sum << " but got "
           << (ShapedType::isDynamic(extent) ? "?" : std::to_string(extent));
  Type elementType = getElementTypeOrSelf(getInputs().front().getType());
  SmallVector<Type> parts;
  for (auto [input, name] :
       llvm::zip_equal(getInputs(), getAlong().getAsRange<StringAttr>()))
    parts.push_back(replaceAxes(cast<RankedTensorType>(input.getType()),
                                getAxisSet(name), {getAxisAttr()}, {extent}));
  Type expected = getUnionType(getContext(), parts, elementType);
  if (!expected)
    return emitOpError("expected one extent an axis but got ")
           << getInputs().getTypes();
  return verifyType(*this, expected);
}

LogicalResult StackOp::inferReturnTypes(MLIRContext *context,
                                        std::optional<Location> location,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &results) {
  SmallVector<Type> all;
  if (failed(inferUnion(context, location, adaptor.getOperands(), all)))
    return failure();
  StringAttr axis = adaptor.getAxisAttr();
  if (!isAxisName(axis.getValue()) || getAxes(all.front()).contains(axis))
    return emitOptionalError(location,
                             "expected the name of a new axis but "
                             "got '",
                             axis.getValue(), "'");
  int64_t count = adaptor.getInputs().size();
  results.push_back(replaceAxes(cast<RankedTensorType>(all.front()),
                                AxesAttr::get(context, ArrayRef<StringAttr>()),
                                axis, count));
  return success();
}

LogicalResult StackOp::verify() {
  if (getInputs().empty())
    return emitOpError("expected at least one operand");
  return success();
}

/// The axes of both, with the element type of the first.
static LogicalResult inferTogether(MLIRContext *context,
                                   std::optional<Location> location,
                                   RankedTensorType first, Type second,
                                   SmallVectorImpl<Type> &results) {
  Type type = getUnionType(context, {first, second}, first.getElementType());
  if (!type)
    return emitOptionalError(location, "expected one extent an axis but got ",
                             first, " and ", second);
  results.push_back(type);
  return success();
}

LogicalResult GatherOp::inferReturnTypes(MLIRContext *context,
                                         std::optional<Location> location,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &results) {
  Type table = adaptor.getTable().getType(),
       index = adaptor.getIndex().getType();
  if (!isCleaveTensor(table) || !isCleaveTensor(index))
    return emitOptionalError(location,
                             "expected the operands to have named axes");
  auto type = cast<RankedTensorType>(table);
  AxesAttr axis = getAxisSet(adaptor.getAxisAttr());
  return inferTogether(context, location,
                       dropAxes(type, axis, type.getElementType()), index,
                       results);
}

LogicalResult GatherOp::verify() {
  return success(
      succeeded(verifyCarries(*this, "table", getTable(), getAxisAttr())) &&
      succeeded(verifyLacks(*this, "index", getIndex(), getAxisAttr())));
}

LogicalResult InsertOp::inferReturnTypes(MLIRContext *context,
                                         std::optional<Location> location,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &results) {
  Type input = adaptor.getInput().getType(),
       cache = adaptor.getCache().getType();
  if (!isCleaveTensor(input) || !isCleaveTensor(cache))
    return emitOptionalError(location,
                             "expected the operands to have named axes");
  auto type = cast<RankedTensorType>(input);
  return inferTogether(
      context, location, cast<RankedTensorType>(cache),
      dropAxes(type, getAxisSet(adaptor.getAxisAttr()), type.getElementType()),
      results);
}

LogicalResult InsertOp::verify() {
  if (failed(verifyCarries(*this, "input", getInput(), getAxisAttr())) ||
      failed(verifyCarries(*this, "cache", getCache(), getCacheAxisAttr())) ||
      failed(verifyLacks(*this, "cache", getCache(), getAxisAttr())))
    return failure();
  AxesAttr input =
      cleave::getAxes(getInput()).without(getAxisSet(getAxisAttr()));
  AxesAttr cache =
      cleave::getAxes(getCache()).without(getAxisSet(getCacheAxisAttr()));
  if (input != cache)
    return emitOpError("expected input and cache to have the same other axes "
                       "but got ")
           << input << " and " << cache;
  if (!cleave::getAxes(getPosition()).isSubsetOf(cache))
    return emitOpError("expected the position to have other axes of the cache "
                       "only but got ")
           << cleave::getAxes(getPosition());
  if (getElementTypeOrSelf(getInput()) != getElementTypeOrSelf(getCache()))
    return emitOpError("expected one element type but got ")
           << getInput().getType() << " and " << getCache().getType();
  return success();
}
