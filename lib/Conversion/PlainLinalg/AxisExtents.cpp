//===- AxisExtents.cpp - Extents of axes as index values ------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The same relations that AxisTable resolves on numbers, on index values.
//
//===----------------------------------------------------------------------===//

#include "AxisExtents.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::cleave;

OpFoldResult AxisExtents::lookup(StringRef axis) const {
  auto it = extents.find(axis.str());
  return it == extents.end() ? OpFoldResult() : it->second;
}

static Value toIndex(OpBuilder &b, Location loc, OpFoldResult extent) {
  return getValueOrCreateConstantIndexOp(b, loc, extent);
}

OpFoldResult cleave::addExtents(OpBuilder &b, Location loc, OpFoldResult x,
                                OpFoldResult y) {
  std::optional<int64_t> left = getConstantIntValue(x);
  std::optional<int64_t> right = getConstantIntValue(y);
  int64_t sum;
  if (left && right && !llvm::AddOverflow(*left, *right, sum))
    return b.getIndexAttr(sum);
  return arith::AddIOp::create(b, loc, toIndex(b, loc, x), toIndex(b, loc, y))
      .getResult();
}

static OpFoldResult multiply(OpBuilder &b, Location loc, OpFoldResult x,
                             OpFoldResult y) {
  std::optional<int64_t> left = getConstantIntValue(x);
  std::optional<int64_t> right = getConstantIntValue(y);
  int64_t product;
  if (left && right && !llvm::MulOverflow(*left, *right, product))
    return b.getIndexAttr(product);
  return arith::MulIOp::create(b, loc, toIndex(b, loc, x), toIndex(b, loc, y))
      .getResult();
}

static OpFoldResult ceilDivide(OpBuilder &b, Location loc, OpFoldResult x,
                               OpFoldResult y) {
  std::optional<int64_t> left = getConstantIntValue(x);
  std::optional<int64_t> right = getConstantIntValue(y);
  if (right == 1)
    return x;
  if (left && right && *right > 0)
    return b.getIndexAttr(llvm::divideCeil(*left, *right));
  // Not arith.ceildivui, which some lowerings lack.
  Value divisor = toIndex(b, loc, y);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Value rest = arith::SubIOp::create(b, loc, divisor, one);
  Value sum = arith::AddIOp::create(b, loc, toIndex(b, loc, x), rest);
  return arith::DivUIOp::create(b, loc, sum, divisor).getResult();
}

OpFoldResult AxisExtents::derive(OpBuilder &b, const AxisInfo &info) {
  Location loc = function.getLoc();
  OpFoldResult result;
  for (const std::string &operand : info.operands) {
    OpFoldResult extent = lookup(operand);
    if (!extent)
      return {};
    if (!result)
      result = extent;
    else if (info.kind == AxisKind::Product)
      result = multiply(b, loc, result, extent);
    else if (info.kind == AxisKind::Sum)
      result = addExtents(b, loc, result, extent);
    else
      result = ceilDivide(b, loc, result, extent);
  }
  return result;
}

LogicalResult AxisExtents::addSymbols(OpBuilder &b, const Bindings &symbols) {
  for (const auto &[axis, info] : table.axes()) {
    // What follows from other axes does so below.
    if (!info.operands.empty())
      continue;
    if (auto given = symbols.find(axis); given != symbols.end())
      extents.try_emplace(axis, b.getIndexAttr(given->second));
    else if (info.kind == AxisKind::Bound && !info.representatives.empty())
      extents.try_emplace(axis, b.getIndexAttr(info.representatives.front()));
  }
  for (const SplitRelation &split : table.splits())
    if (OpFoldResult parts = lookup(split.outer);
        parts && isConstantIntValue(parts, 0))
      return function.emitOpError("expected axis '")
             << split.outer << "' to have at least one part";
  return success();
}

void AxisExtents::addDerived(OpBuilder &b) {
  SmallVector<std::pair<std::string, std::string>> equal;
  function.walk([&](RenameOp rename) {
    for (auto [from, to] : llvm::zip_equal(rename.getFrom().getNames(),
                                           rename.getTo().getNames())) {
      equal.emplace_back(from.str(), to.str());
      equal.emplace_back(to.str(), from.str());
    }
  });
  size_t before;
  do {
    before = extents.size();
    for (const auto &[axis, info] : table.axes()) {
      if (info.operands.empty() || lookup(axis))
        continue;
      if (OpFoldResult extent = derive(b, info))
        extents[axis] = extent;
    }
    for (const auto &[from, to] : equal)
      if (OpFoldResult extent = lookup(from))
        extents.try_emplace(to, extent);
  } while (extents.size() != before);
}

LogicalResult AxisExtents::emit(OpBuilder &b, ValueRange arguments,
                                const Bindings &symbols) {
  for (const auto &[axis, info] : table.axes())
    if (!ShapedType::isDynamic(info.extent))
      extents[axis] = b.getIndexAttr(info.extent);
  for (auto [type, argument] :
       llvm::zip_equal(function.getArgumentTypes(), arguments))
    for (auto [dim, axis] : llvm::enumerate(getAxes(type).getNames()))
      if (!lookup(axis))
        extents[axis.str()] =
            tensor::DimOp::create(b, function.getLoc(), argument, dim)
                .getResult();
  if (failed(addSymbols(b, symbols)))
    return failure();
  addDerived(b);
  return success();
}
