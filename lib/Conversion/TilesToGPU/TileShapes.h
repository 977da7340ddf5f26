//===- TileShapes.h - Vector shapes of tile tensors -------------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: scheduled form to vector form. Decides which vector holds each tile
// tensor of a kernel. Tile dimensions that iterate together have one size and
// so get one padded size; assumes the scheduled form.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_LIB_CONVERSION_TILESTOGPU_TILESHAPES_H
#define CLEAVE_LIB_CONVERSION_TILESTOGPU_TILESHAPES_H

#include "GenericKind.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::cleave {

/// The vector shapes of one kernel. A dimension of static size 1 is dropped,
/// unless a contraction needs it; a tile that has none left is vector<1x...>.
class TileShapes {
public:
  /// Analyses the kernel's body; emits an error and fails where a size has no
  /// provable bound, a tile is too large for `threads` threads, or an op is
  /// outside the scheduled form.
  LogicalResult analyze(scf::ForallOp kernel, int64_t threads);

  /// The dimensions of a tile that its vector keeps.
  SmallVector<unsigned> getKeptDims(Value tile) const;
  /// The vector type of a tile.
  VectorType getVectorType(Value tile) const;
  /// The padded size of a dimension of a tile; 0 if dropped.
  int64_t getPaddedSize(Value tile, unsigned dim) const;

  /// The same for a generic's iteration dimension.
  int64_t getPaddedIterationSize(linalg::GenericOp op, unsigned dim) const;

  const GenericKind &getKind(linalg::GenericOp op) const {
    return kinds.find(op)->second;
  }

private:
  struct DimClass {
    std::optional<int64_t> bound;
    int64_t padded = 0;
  };

  void addTile(Value tile);
  LogicalResult addOp(Operation *op);
  LogicalResult addGeneric(linalg::GenericOp op);
  void joinTiles(Value a, Value b);
  LogicalResult boundClasses();
  LogicalResult checkSizes(int64_t threads);
  void padContractions();
  void raise(linalg::GenericOp op, ArrayRef<unsigned> dims, int64_t minimum);
  DimClass &classOf(unsigned id) { return classes[ids[id]]; }
  const DimClass &classOf(unsigned id) const { return classes[ids[id]]; }

  llvm::IntEqClasses ids;
  unsigned numIds = 0;
  llvm::MapVector<Value, unsigned> tileIds;
  llvm::MapVector<Operation *, unsigned> iterationIds;
  DenseMap<Operation *, GenericKind> kinds;
  SmallVector<DimClass> classes;
};

} // namespace mlir::cleave

#endif // CLEAVE_LIB_CONVERSION_TILESTOGPU_TILESHAPES_H
