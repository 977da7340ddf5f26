//===- PlainViews.cpp - Views and choices by position as linalg -----------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Splits, merges and what looks up positions become reads at computed indices,
// none of which leaves its tensor.
//
//===----------------------------------------------------------------------===//

#include "PlainEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include <limits>

using namespace mlir;
using namespace mlir::cleave;

PlainArray
PlainEmitter::emitView(Location loc, const PlainArray &array,
                       ArrayRef<StringAttr> dims,
                       function_ref<Value(PlainBody &, StringAttr)> getIndex) {
  if (array.isScalar())
    return {array.value, {dims.begin(), dims.end()}};
  Value init =
      createEmpty(loc, dims, getElementTypeOrSelf(array.value.getType()));
  return emitGeneric(loc, dims, {}, {}, init, [&](PlainBody &body) -> Value {
    SmallVector<Value> indices;
    for (StringAttr dim : array.dims)
      indices.push_back(getIndex(body, dim));
    return tensor::ExtractOp::create(body.b, loc, array.value, indices);
  });
}

LogicalResult PlainEmitter::emitRename(RenameOp op) {
  PlainArray array = arrays.at(op.getInput());
  for (StringAttr &dim : array.dims)
    if (int64_t place = op.getFrom().indexOf(dim); place >= 0)
      dim = op.getTo().getNames()[place];
  arrays[op.getResult()] = array;
  return success();
}

/// What lies behind the axis' end is read at its last position: no reduction
/// sees it.
LogicalResult PlainEmitter::emitSplit(SplitOp op) {
  ArrayRef<StringAttr> names = getAxes(op.getResult()).getNames();
  arrays[op.getResult()] = emitView(
      op.getLoc(), arrays.at(op.getInput()), names,
      [&](PlainBody &body, StringAttr dim) -> Value {
        if (dim != op.getAxisAttr())
          return emitPosition(body, dim);
        Value begin = arith::MulIOp::create(body.b, body.loc,
                                            emitPosition(body, op.getOuter()),
                                            getSize(body.loc, op.getInner()));
        Value position = arith::AddIOp::create(
            body.b, body.loc, begin, emitPosition(body, op.getInner()));
        Value last = arith::SubIOp::create(
            body.b, body.loc, getSize(body.loc, op.getAxis()),
            arith::ConstantIndexOp::create(body.b, body.loc, 1));
        return arith::MinUIOp::create(body.b, body.loc, position, last);
      });
  return success();
}

LogicalResult PlainEmitter::emitMerge(MergeOp op) {
  ArrayRef<StringAttr> names = getAxes(op.getResult()).getNames();
  arrays[op.getResult()] = emitView(
      op.getLoc(), arrays.at(op.getInput()), names,
      [&](PlainBody &body, StringAttr dim) -> Value {
        Value part = getSize(body.loc, op.getInner());
        auto position = [&] { return emitPosition(body, op.getAxis()); };
        if (dim == op.getOuterAttr())
          return arith::DivUIOp::create(body.b, body.loc, position(), part);
        if (dim == op.getInnerAttr())
          return arith::RemUIOp::create(body.b, body.loc, position(), part);
        return emitPosition(body, dim);
      });
  return success();
}

//===----------------------------------------------------------------------===//
// Positions as values
//===----------------------------------------------------------------------===//

LogicalResult PlainEmitter::emitIota(IotaOp op) {
  Type type = getElementTypeOrSelf(op.getType());
  ArrayRef<StringAttr> dims = getAxes(op.getResult()).getNames();
  arrays[op.getResult()] = emitGeneric(
      op.getLoc(), dims, {}, {}, createEmpty(op.getLoc(), dims, type),
      [&](PlainBody &body) -> Value {
        Value position =
            arith::IndexCastOp::create(body.b, body.loc, body.b.getI64Type(),
                                       emitPosition(body, op.getAxis()));
        return arith::SIToFPOp::create(body.b, body.loc, type, position);
      });
  return success();
}

LogicalResult PlainEmitter::emitSlice(SliceOp op) {
  PlainArray array = arrays.at(op.getInput());
  PlainArray result{array.value, {}};
  SmallVector<OpFoldResult> offsets, sizes;
  SmallVector<int64_t> shape;
  for (StringAttr dim : array.dims) {
    bool sliced = dim == op.getAxisAttr();
    StringAttr name = sliced ? op.getPartAttr() : dim;
    offsets.push_back(b.getIndexAttr(sliced ? op.getOffset() : 0));
    sizes.push_back(name ? extents.lookup(name) : b.getIndexAttr(1));
    if (!name)
      continue;
    result.dims.push_back(name);
    shape.push_back(getConstantIntValue(extents.lookup(name))
                        .value_or(ShapedType::kDynamic));
  }
  if (!array.isScalar()) {
    auto type = RankedTensorType::get(
        shape, getElementTypeOrSelf(array.value.getType()));
    SmallVector<OpFoldResult> strides(offsets.size(), b.getIndexAttr(1));
    result.value = tensor::ExtractSliceOp::create(
        b, op.getLoc(), type, array.value, offsets, sizes, strides);
  }
  arrays[op.getResult()] = result;
  return success();
}

LogicalResult PlainEmitter::emitConcat(ConcatOp op) {
  Location loc = op.getLoc();
  ArrayRef<StringAttr> dims = getAxes(op.getResult()).getNames();
  Value whole = createEmpty(loc, dims, getElementTypeOrSelf(op.getType()));
  OpFoldResult begin = b.getIndexAttr(0);
  for (auto [input, along] : llvm::zip_equal(
           op.getInputs(), op.getAlong().getAsRange<StringAttr>())) {
    SmallVector<StringAttr> order(dims);
    llvm::replace(order, op.getAxisAttr(), along);
    Value part = toOrder(loc, arrays.at(input), order);
    SmallVector<OpFoldResult> offsets, sizes;
    for (StringAttr dim : order) {
      offsets.push_back(dim == along ? begin : b.getIndexAttr(0));
      sizes.push_back(extents.lookup(dim));
    }
    SmallVector<OpFoldResult> strides(dims.size(), b.getIndexAttr(1));
    whole = tensor::InsertSliceOp::create(b, loc, part, whole, offsets, sizes,
                                          strides);
    begin = addExtents(b, loc, begin, extents.lookup(along));
  }
  arrays[op.getResult()] = {whole, {dims.begin(), dims.end()}};
  return success();
}

//===----------------------------------------------------------------------===//
// Positions from values
//===----------------------------------------------------------------------===//

/// A truth value counts as 0 or 1.
static Value toIndex(PlainBody &body, Value integer) {
  Type type = body.b.getIndexType();
  if (integer.getType().isInteger(1))
    return arith::IndexCastUIOp::create(body.b, body.loc, type, integer);
  return arith::IndexCastOp::create(body.b, body.loc, type, integer);
}

Value PlainEmitter::emitRead(PlainBody &body, const PlainArray &array,
                             StringAttr axis, Value index, Value otherwise) {
  Value extent = getSize(body.loc, axis);
  // Negative numbers are large ones.
  Value inside = arith::CmpIOp::create(
      body.b, body.loc, arith::CmpIPredicate::ult, index, extent);
  if (array.isScalar())
    return arith::SelectOp::create(body.b, body.loc, inside, array.value,
                                   otherwise);
  bool neverEmpty = getConstantIntValue(extents.lookup(axis)).value_or(0) > 0;
  if (neverEmpty) {
    Value zero = arith::ConstantIndexOp::create(body.b, body.loc, 0);
    index = arith::SelectOp::create(body.b, body.loc, inside, index, zero);
  }
  SmallVector<Value> indices;
  for (StringAttr dim : array.dims)
    indices.push_back(dim == axis ? index : emitPosition(body, dim));
  auto read = [&](OpBuilder &at) -> Value {
    return tensor::ExtractOp::create(at, body.loc, array.value, indices);
  };
  if (neverEmpty)
    return arith::SelectOp::create(body.b, body.loc, inside, read(body.b),
                                   otherwise);
  // An axis that may be empty has no position that is safe to read.
  auto choice = scf::IfOp::create(
      body.b, body.loc, inside,
      [&](OpBuilder &at, Location loc) {
        scf::YieldOp::create(at, loc, read(at));
      },
      [&](OpBuilder &at, Location loc) {
        scf::YieldOp::create(at, loc, otherwise);
      });
  return choice.getResult(0);
}

LogicalResult PlainEmitter::emitGather(GatherOp op) {
  Location loc = op.getLoc();
  Type type = getElementTypeOrSelf(op.getType());
  ArrayRef<StringAttr> dims = getAxes(op.getResult()).getNames();
  PlainArray table = arrays.at(op.getTable());
  arrays[op.getResult()] = emitGeneric(
      loc, dims, {}, arrays.at(op.getIndex()), createEmpty(loc, dims, type),
      [&](PlainBody &body) {
        Value nan = createConstant(body.b, loc, *getElement(type),
                                   std::numeric_limits<double>::quiet_NaN());
        return emitRead(body, table, op.getAxisAttr(),
                        toIndex(body, body.values[0]), nan);
      });
  return success();
}

LogicalResult PlainEmitter::emitInsert(InsertOp op) {
  Location loc = op.getLoc();
  Type type = getElementTypeOrSelf(op.getType());
  ArrayRef<StringAttr> dims = getAxes(op.getResult()).getNames();
  PlainArray input = arrays.at(op.getInput());
  arrays[op.getResult()] = emitGeneric(
      loc, dims, {}, getAll(ValueRange{op.getCache(), op.getPosition()}),
      createEmpty(loc, dims, type), [&](PlainBody &body) {
        Value index = arith::SubIOp::create(
            body.b, loc, emitPosition(body, op.getCacheAxis()),
            toIndex(body, body.values[1]));
        return emitRead(body, input, op.getAxisAttr(), index, body.values[0]);
      });
  return success();
}
