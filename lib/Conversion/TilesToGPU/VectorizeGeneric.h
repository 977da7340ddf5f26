//===- VectorizeGeneric.h - One linalg.generic to vector ops ----*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: scheduled form to vector form.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_LIB_CONVERSION_TILESTOGPU_VECTORIZEGENERIC_H
#define CLEAVE_LIB_CONVERSION_TILESTOGPU_VECTORIZEGENERIC_H

#include "TileShapes.h"
#include "mlir/IR/Builders.h"

namespace mlir {
class IRMapping;
} // namespace mlir

namespace mlir::cleave {

/// What stands for a tile tensor in a kernel.
struct Tile {
  /// Null where the tile is uninitialised.
  Value vector;
  /// The actual size of each dimension of the tensor.
  SmallVector<OpFoldResult> sizes;
  /// All elements outside of the sizes are zero.
  bool zeroPadded = false;
};

/// A vector of the type whose elements are all `scalar`.
Value createSplat(OpBuilder &b, Location loc, VectorType type, Value scalar);

/// Emits a generic's computation; returns the vectors of its results.
/// `operands` are the tiles of all its operands, `scalars` maps the values from
/// outside that its body uses.
FailureOr<SmallVector<Value>>
vectorizeGeneric(OpBuilder &b, const TileShapes &shapes, linalg::GenericOp op,
                 ArrayRef<Tile> operands, const IRMapping &scalars);

} // namespace mlir::cleave

#endif // CLEAVE_LIB_CONVERSION_TILESTOGPU_VECTORIZEGENERIC_H
