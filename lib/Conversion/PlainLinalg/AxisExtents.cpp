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

OpFoldResult AxisExtents::multiply(OpBuilder &b, OpFoldResult x,
                                   OpFoldResult y) {
  std::optional<int64_t> left = getConstantIntValue(x);
  std::optional<int64_t> right = getConstantIntValue(y);
  int64_t product;
  if (left && right && !llvm::MulOverflow(*left, *right, product))
    return b.getIndexAttr(product);
  Location loc = function.getLoc();
  return arith::MulIOp::create(b, loc,
                               getValueOrCreateConstantIndexOp(b, loc, x),
                               getValueOrCreateConstantIndexOp(b, loc, y))
      .getResult();
}

OpFoldResult AxisExtents::ceilDivide(OpBuilder &b, OpFoldResult x,
                                     OpFoldResult y) {
  std::optional<int64_t> left = getConstantIntValue(x);
  std::optional<int64_t> right = getConstantIntValue(y);
  if (right == 1)
    return x;
  if (left && right && *right > 0)
    return b.getIndexAttr(llvm::divideCeil(*left, *right));
  // Not arith.ceildivui, which some lowerings lack.
  Location loc = function.getLoc();
  Value dividend = getValueOrCreateConstantIndexOp(b, loc, x);
  Value divisor = getValueOrCreateConstantIndexOp(b, loc, y);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Value rest = arith::SubIOp::create(b, loc, divisor, one);
  Value sum = arith::AddIOp::create(b, loc, dividend, rest);
  return arith::DivUIOp::create(b, loc, sum, divisor).getResult();
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
      OpFoldResult first = lookup(info.operands[0]);
      OpFoldResult second = lookup(info.operands[1]);
      if (first && second)
        extents[axis] = info.kind == AxisKind::Product
                            ? multiply(b, first, second)
                            : ceilDivide(b, first, second);
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
