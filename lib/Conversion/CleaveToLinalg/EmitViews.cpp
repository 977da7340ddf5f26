//===- EmitViews.cpp - Tensors with other dimensions ----------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: scheduling, emission. A kernel's axes may be parts of a tensor's
// dimensions or products of them. The kernel then sees the tensor's bytes with
// dimensions of its own.
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"

#include "Cleave/Transforms/Schedule/Products.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::cleave;
using namespace mlir::cleave::schedule;

OpFoldResult cleave::getProduct(OpBuilder &b, Location loc,
                                ArrayRef<OpFoldResult> extents,
                                ArrayRef<AxisId> axes) {
  int64_t known = 1;
  Value product;
  for (AxisId axis : axes) {
    if (std::optional<int64_t> extent = getConstantIntValue(extents[axis])) {
      known *= *extent;
      continue;
    }
    Value extent = getValueOrCreateConstantIndexOp(b, loc, extents[axis]);
    product = product ? arith::MulIOp::create(b, loc, product, extent) : extent;
  }
  if (!product)
    return b.getIndexAttr(known);
  if (known != 1)
    product = arith::MulIOp::create(
        b, loc, product, arith::ConstantIndexOp::create(b, loc, known));
  return product;
}

Dimensions cleave::getDimensions(const Problem &problem,
                                 ArrayRef<AxisId> storage, ArrayRef<Cut> cuts) {
  Dimensions dims;
  const AxisId *axis = storage.begin();
  for (const Cut &cut : getCuts(storage, cuts)) {
    dims.emplace_back();
    if (cut.kept)
      dims.back() = getFactors(problem, *axis++);
  }
  return dims;
}

static OpFoldResult getSize(OpBuilder &b, Location loc,
                            ArrayRef<OpFoldResult> extents, Value tensor,
                            unsigned dim, ArrayRef<AxisId> axes) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(dim))
    return b.getIndexAttr(type.getDimSize(dim));
  if (axes.empty())
    return tensor::DimOp::create(b, loc, tensor, dim).getResult();
  return getProduct(b, loc, extents, axes);
}

Value cleave::reshape(OpBuilder &b, Location loc,
                      ArrayRef<OpFoldResult> extents, Value tensor,
                      const Dimensions &from, const Dimensions &to) {
  // As few as needed are taken apart,
  SmallVector<ReassociationIndices> expanded;
  SmallVector<OpFoldResult> sizes;
  Dimensions middle;
  for (auto [dim, axes] : llvm::enumerate(from)) {
    bool stays = axes.size() <= 1 || llvm::is_contained(to, axes);
    expanded.emplace_back();
    if (stays) {
      expanded.back().push_back(middle.size());
      middle.push_back(axes);
      sizes.push_back(getSize(b, loc, extents, tensor, dim, axes));
      continue;
    }
    for (AxisId axis : axes) {
      expanded.back().push_back(middle.size());
      middle.push_back({axis});
      sizes.push_back(extents[axis]);
    }
  }
  if (middle.size() > from.size()) {
    SmallVector<int64_t> shape;
    SmallVector<Value> dynamic;
    std::tie(shape, dynamic) = decomposeMixedValues(sizes);
    auto type = RankedTensorType::get(
        shape, cast<RankedTensorType>(tensor.getType()).getElementType());
    tensor =
        tensor::ExpandShapeOp::create(b, loc, type, tensor, expanded, sizes);
  }
  // then put together.
  SmallVector<ReassociationIndices> collapsed;
  unsigned next = 0;
  for (const auto &axes : to) {
    collapsed.emplace_back();
    for (size_t count = 0; count < std::max<size_t>(axes.size(), 1);) {
      count += std::max<size_t>(middle[next].size(), 1);
      collapsed.back().push_back(next++);
    }
  }
  if (to.size() < middle.size())
    tensor = tensor::CollapseShapeOp::create(b, loc, tensor, collapsed);
  return tensor;
}
