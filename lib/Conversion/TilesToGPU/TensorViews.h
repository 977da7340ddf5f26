//===- TensorViews.h - The memory of tensors that are views ------*- C++
//-*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Casts, expansions and collapses of tensors show the elements of another
// tensor in the same order, so that they share its memory.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_CONVERSION_TILESTOGPU_TENSORVIEWS_H
#define CLEAVE_CONVERSION_TILESTOGPU_TENSORVIEWS_H

#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/ValueRange.h"
#include <optional>

namespace mlir::cleave {

/// The row-major memref of a tensor.
MemRefType getMemRefType(Type tensor);

/// What a view shows the elements of, or null.
Value getViewed(Value tensor);

/// Looks through views; the memory of a view is that of what it shows.
Value lookThroughViews(Value tensor);

/// What was expanded to be collapsed again to `tensor`, or null.
Value getUndone(Value tensor);

/// The dimensions that `view`, an expansion or a collapse, makes of one or puts
/// together.
SmallVector<ReassociationIndices> getGroups(Operation *view);

/// The sizes of a tensor's dynamic dimensions, as it was made with them.
std::optional<ValueRange> getDynamicSizes(Value tensor);

/// Whether a dimension of `memref` becomes several dynamic ones of `tensor`, so
/// that its own sizes do not tell theirs.
bool takesSizes(Value tensor, Value memref,
                ArrayRef<ReassociationIndices> groups);

/// `memref` with the dimensions of `tensor`, which are groups of its own or
/// made of those. Where they take sizes, `sizes` are the dynamic ones.
Value createView(OpBuilder &b, Value tensor, Value memref,
                 ArrayRef<ReassociationIndices> groups, ArrayRef<Value> sizes);

} // namespace mlir::cleave

#endif // CLEAVE_CONVERSION_TILESTOGPU_TENSORVIEWS_H
