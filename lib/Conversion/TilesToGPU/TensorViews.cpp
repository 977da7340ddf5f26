//===- TensorViews.cpp - The memory of tensors that are views -------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorViews.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::cleave;

MemRefType cleave::getMemRefType(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return MemRefType::get(tensor.getShape(), tensor.getElementType());
}

Value cleave::getViewed(Value tensor) {
  Operation *def = tensor.getDefiningOp();
  if (isa_and_nonnull<tensor::CastOp, tensor::ExpandShapeOp,
                      tensor::CollapseShapeOp>(def))
    return def->getOperand(0);
  return {};
}

Value cleave::lookThroughViews(Value tensor) {
  while (Value viewed = getViewed(tensor))
    tensor = viewed;
  return tensor;
}

Value cleave::getUndone(Value tensor) {
  auto collapse = tensor.getDefiningOp<tensor::CollapseShapeOp>();
  auto expand = collapse
                    ? collapse.getSrc().getDefiningOp<tensor::ExpandShapeOp>()
                    : tensor::ExpandShapeOp();
  bool undone =
      expand && expand.getSrcType() == collapse.getResultType() &&
      expand.getReassociationIndices() == collapse.getReassociationIndices();
  return undone ? expand.getSrc() : Value();
}

bool cleave::takesSizes(Value tensor, Value memref,
                        ArrayRef<ReassociationIndices> groups) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (type.getRank() <= cast<MemRefType>(memref.getType()).getRank())
    return false;
  return llvm::any_of(groups, [&](ArrayRef<int64_t> group) {
    return llvm::count_if(
               group, [&](int64_t dim) { return type.isDynamicDim(dim); }) > 1;
  });
}

/// `memref` with the dimensions of `type`, whose groups are its own.
static Value createExpansion(OpBuilder &b, Location loc, Value memref,
                             RankedTensorType type,
                             ArrayRef<ReassociationIndices> groups) {
  SmallVector<OpFoldResult> sizes;
  for (auto [dim, group] : llvm::enumerate(groups))
    for (int64_t part : group)
      sizes.push_back(
          type.isDynamicDim(part)
              ? memref::DimOp::create(b, loc, memref, dim).getResult()
              : OpFoldResult(b.getIndexAttr(type.getDimSize(part))));
  return memref::ExpandShapeOp::create(b, loc, getMemRefType(type), memref,
                                       groups, sizes);
}

/// `memref` as a row-major one of `type`. Upstream knows the strides of an
/// expansion only if all but one part of a dimension are static.
static Value createRowMajor(OpBuilder &b, Location loc, Value memref,
                            RankedTensorType type,
                            ArrayRef<Value> dynamicSizes) {
  SmallVector<OpFoldResult> sizes =
      getMixedValues(type.getShape(), dynamicSizes, b);
  SmallVector<OpFoldResult> strides(sizes.size());
  OpFoldResult stride = b.getIndexAttr(1);
  AffineExpr product = b.getAffineSymbolExpr(0) * b.getAffineSymbolExpr(1);
  for (size_t dim = sizes.size(); dim-- > 0;) {
    strides[dim] = stride;
    if (dim)
      stride = affine::makeComposedFoldedAffineApply(b, loc, product,
                                                     {stride, sizes[dim]});
  }
  return memref::ReinterpretCastOp::create(b, loc, getMemRefType(type), memref,
                                           b.getIndexAttr(0), sizes, strides);
}

std::optional<ValueRange> cleave::getDynamicSizes(Value tensor) {
  if (auto forall = tensor.getDefiningOp<scf::ForallOp>())
    tensor = forall.getTiedOpOperand(cast<OpResult>(tensor))->get();
  if (auto empty = tensor.getDefiningOp<tensor::EmptyOp>())
    return empty.getDynamicSizes();
  if (auto expand = tensor.getDefiningOp<tensor::ExpandShapeOp>())
    return expand.getOutputShape();
  return std::nullopt;
}

SmallVector<ReassociationIndices> cleave::getGroups(Operation *view) {
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(view))
    return expand.getReassociationIndices();
  return cast<tensor::CollapseShapeOp>(view).getReassociationIndices();
}

Value cleave::createView(OpBuilder &b, Value tensor, Value memref,
                         ArrayRef<ReassociationIndices> groups,
                         ArrayRef<Value> sizes) {
  Location loc = tensor.getLoc();
  auto type = cast<RankedTensorType>(tensor.getType());
  if (takesSizes(tensor, memref, groups))
    return createRowMajor(b, loc, memref, type, sizes);
  if (type.getRank() < cast<MemRefType>(memref.getType()).getRank())
    return memref::CollapseShapeOp::create(b, loc, memref, groups);
  return createExpansion(b, loc, memref, type, groups);
}
