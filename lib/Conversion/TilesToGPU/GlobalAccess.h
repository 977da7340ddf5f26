//===- GlobalAccess.h - Facts about tile loads and stores -------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What vector.transfer_read and transfer_write say about global memory: which
// tile dimension is contiguous, how many elements one access may cover, where
// the tile ends.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_LIB_CONVERSION_TILESTOGPU_GLOBALACCESS_H
#define CLEAVE_LIB_CONVERSION_TILESTOGPU_GLOBALACCESS_H

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <optional>

namespace mlir::cleave {

/// Bytes of one element in memory (i1 counts as a byte).
int64_t getElementBytes(Type elementType);

/// The largest power of two that divides `index` for certain, or (`assume`)
/// most likely, at most `limit`.
int64_t getKnownDivisor(Value index, int64_t limit, bool assume = false);

/// One transfer op, its permutation map resolved.
class GlobalAccess {
public:
  /// Reports why the access cannot be distributed.
  static FailureOr<GlobalAccess> get(VectorTransferOpInterface op);

  VectorTransferOpInterface getOp() const { return op; }
  MemRefType getMemRefType() const {
    return cast<MemRefType>(getOp().getShapedType());
  }
  VectorType getTileType() const { return getOp().getVectorType(); }
  /// The memref dimension that tile dimension d runs along; none: broadcast.
  std::optional<unsigned> getMemDim(unsigned d) const { return memDims[d]; }
  /// The tile dimension that runs along the innermost memref dimension.
  std::optional<unsigned> getContiguousDim() const;

  /// Along tile dimension d, elements from this coordinate on are masked off.
  /// Null where the tile has no bound. Only for masks made of bounds.
  OpFoldResult getMaskBound(unsigned d) const { return maskBounds[d]; }
  /// The mask, if it is not one of bounds.
  Value getGeneralMask() const { return generalMask; }
  /// For dimension d the access may run past the memref itself.
  bool needsExtentCheck(unsigned d) const {
    return memDims[d] && !getOp().isDimInBounds(d);
  }

  /// Elements that one aligned access of at most 16 bytes may cover, if the
  /// kernel's arguments are what `cleave.row_multiple` says.
  int64_t getVectorWidth() const { return vectorWidth; }
  /// Elements that it may cover in any case.
  int64_t getSafeWidth() const { return safeWidth; }

private:
  GlobalAccess(VectorTransferOpInterface op) : op(op) {}
  LogicalResult resolveMask();
  int64_t computeVectorWidth(bool assume) const;

  VectorTransferOpInterface op;
  SmallVector<std::optional<unsigned>> memDims;
  SmallVector<OpFoldResult> maskBounds;
  Value generalMask;
  int64_t vectorWidth = 1, safeWidth = 1;
};

} // namespace mlir::cleave

#endif // CLEAVE_LIB_CONVERSION_TILESTOGPU_GLOBALACCESS_H
