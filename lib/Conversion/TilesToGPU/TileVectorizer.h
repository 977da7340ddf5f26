//===- TileVectorizer.h - Tile ops to vector ops ----------------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: scheduled form to vector form. Converts the body of one kernel; who
// calls it has made the gpu.func and knows what its arguments stand for.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_LIB_CONVERSION_TILESTOGPU_TILEVECTORIZER_H
#define CLEAVE_LIB_CONVERSION_TILESTOGPU_TILEVECTORIZER_H

#include "VectorizeGeneric.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::cleave {

class TileVectorizer {
public:
  /// Emits through `builder`, whose insertion point is the kernel's end.
  TileVectorizer(OpBuilder &builder, const TileShapes &shapes)
      : b(builder), shapes(shapes) {}

  /// Says which kernel value stands for an index or scalar.
  void mapScalar(Value scheduled, Value value) {
    scalars.map(scheduled, value);
  }
  /// Says which memref a kernel reads for a tensor defined outside.
  void mapInput(Value tensor, Value memref) { inputs[tensor] = memref; }
  /// Makes a tensor.empty from outside known, after its sizes.
  void mapEmpty(tensor::EmptyOp empty) {
    tiles[empty.getResult()] = Tile{{}, mapSizes(empty.getMixedSizes())};
  }
  /// Says which memref a kernel writes for one of its shared outputs.
  void mapOutput(Value sharedOut, Value memref) { outputs[sharedOut] = memref; }

  /// Converts all ops of the kernel's body.
  LogicalResult run(scf::ForallOp kernel);

private:
  LogicalResult convertBlock(Block &block);
  LogicalResult convert(Operation *op);
  LogicalResult convertSlice(tensor::ExtractSliceOp op);
  Value isFirstWriter(tensor::ParallelInsertSliceOp op);
  LogicalResult convertInsert(tensor::ParallelInsertSliceOp op);
  LogicalResult convertLoop(scf::ForOp op);
  LogicalResult convertYield(scf::ForOp op, scf::ForOp loop);
  LogicalResult convertGeneric(linalg::GenericOp op);
  LogicalResult convertFill(linalg::FillOp op);
  LogicalResult convertDim(tensor::DimOp op);
  LogicalResult convertExtract(tensor::ExtractOp op);
  LogicalResult convertScalarOp(Operation *op);
  FailureOr<Tile> readInput(Operation *user, Value tensor);
  /// The tile of a value that `user` reads; fails if it has no elements yet.
  FailureOr<Tile> getTile(Operation *user, Value tile);
  SmallVector<OpFoldResult> mapSizes(ArrayRef<OpFoldResult> sizes);
  Value materialize(Location loc, OpFoldResult ofr);
  bool isFull(Value tile, unsigned dim, OpFoldResult size) const;
  /// The mask of a tile's actual elements, or null if all are.
  Value createMask(Location loc, Value tile, const Tile &info);

  OpBuilder &b;
  const TileShapes &shapes;
  IRMapping scalars;
  DenseMap<Value, Value> inputs, outputs;
  DenseMap<Value, Tile> tiles;
};

} // namespace mlir::cleave

#endif // CLEAVE_LIB_CONVERSION_TILESTOGPU_TILEVECTORIZER_H
