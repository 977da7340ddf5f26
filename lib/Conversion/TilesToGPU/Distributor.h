//===- Distributor.h - From tiles to registers of a thread ------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rewriter behind --cleave-distribute. Ops are visited in program order;
// new ops stand in front of the ones they replace, which go at the end. A tile
// becomes a 1-d vector of the thread's registers, in the order of its layout.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_LIB_CONVERSION_TILESTOGPU_DISTRIBUTOR_H
#define CLEAVE_LIB_CONVERSION_TILESTOGPU_DISTRIBUTOR_H

#include "GlobalAccess.h"
#include "LayoutTies.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::cleave {

/// Where a tile lies in shared memory: strided, rows padded against bank
/// conflicts.
struct SharedTile {
  /// Elements between neighbours, a tile dimension.
  SmallVector<int64_t> strides;
  unsigned contiguousDim = 0;
  int64_t numElements = 0;
};

/// The static shared memory of a kernel, as one workgroup attribution.
class SharedScratch {
public:
  explicit SharedScratch(gpu::GPUFuncOp func) : func(func) {}
  /// A fresh buffer of `count` elements, in use from here on.
  Value allocate(ImplicitLocOpBuilder &b, Type elementType, int64_t count);
  /// The last allocated buffer is not in use behind this point.
  void release(ImplicitLocOpBuilder &b);
  /// Places the buffers: none shares bytes with one that is in use at the same
  /// time. Those of loops share none at all if they fit, as that would cost a
  /// barrier an iteration.
  LogicalResult finalize(int64_t maxBytes);

private:
  struct Buffer {
    arith::ConstantIndexOp offset;
    /// Stands where the buffer is released.
    Operation *end = nullptr;
    int64_t bytes = 0;
    bool inLoop = false;
    /// Positions of its first and last use, then its place.
    int64_t first = 0, last = 0, start = 0;
  };
  void numberBuffers();
  /// Chooses places; the bytes needed.
  int64_t place(bool loopsDistinct);

  gpu::GPUFuncOp func;
  BlockArgument attribution;
  SmallVector<Buffer> buffers;
};

class Distributor {
public:
  Distributor(gpu::GPUFuncOp func, int64_t warps)
      : func(func), warps(warps), scratch(func) {}
  LogicalResult run(int64_t maxSharedBytes);

private:
  // Structure (Distribute.cpp).
  LogicalResult distributeBlock(Block *block);
  LogicalResult distributeOp(Operation *op);
  LogicalResult distributeFor(scf::ForOp op);
  LogicalResult distributeIf(scf::IfOp op);
  void replaceYield(Block *block);
  LogicalResult distributeElementwise(Operation *op);
  LogicalResult distributeConstant(arith::ConstantOp op);
  LogicalResult distributeBroadcast(vector::BroadcastOp op);
  LogicalResult distributeExtract(vector::ExtractOp op);
  LogicalResult distributeStep(vector::StepOp op);
  LogicalResult distributeMask(vector::CreateMaskOp op);
  LogicalResult distributeConstantMask(vector::ConstantMaskOp op);

  // Global memory (DistributeMemory.cpp).
  LogicalResult distributeRead(vector::TransferReadOp op);
  LogicalResult distributeWrite(vector::TransferWriteOp op);

  // Between threads (DistributeShared.cpp, DistributeReduction.cpp).
  LogicalResult distributeConvert(tile::ConvertLayoutOp op);
  LogicalResult distributeReduction(vector::MultiDimReductionOp op);
  Value reduceRegisters(ImplicitLocOpBuilder &b, Value regs,
                        const LinearLayout &layout, ArrayRef<int64_t> dims,
                        vector::CombiningKind kind);
  Value reduceLanes(ImplicitLocOpBuilder &b, Value regs, int64_t laneMask,
                    vector::CombiningKind kind);
  Value reduceWarps(ImplicitLocOpBuilder &b, Value regs,
                    const LinearLayout &result, int64_t warpMask,
                    vector::CombiningKind kind);
  void storeShared(ImplicitLocOpBuilder &b, Value regs,
                   const LinearLayout &layout, const SharedTile &tile,
                   Value buffer, Value offset);
  Value loadShared(ImplicitLocOpBuilder &b, Type elementType,
                   const LinearLayout &layout, const SharedTile &tile,
                   Value buffer, Value offset);
  Value loadMatrices(ImplicitLocOpBuilder &b, Type elementType,
                     const MatrixLoad &load, const SharedTile &tile,
                     Value buffer, Value offset);

  // Contractions (DistributeContract.cpp).
  LogicalResult distributeContract(vector::ContractionOp op);
  Value distributeToTensorCores(ImplicitLocOpBuilder &b,
                                vector::ContractionOp op,
                                const ContractDims &dims,
                                const MmaWarps &split);
  Value distributeToFMA(ImplicitLocOpBuilder &b, vector::ContractionOp op,
                        const ContractDims &dims,
                        const ContractLayouts &layouts);

public:
  // What the parts share.
  ImplicitLocOpBuilder builderAt(Operation *op) {
    return ImplicitLocOpBuilder(op->getLoc(), op);
  }
  LinearLayout layoutOf(Value tile) const {
    return layouts.lookup(tile).getLayout();
  }
  Value registersOf(Value tile) const { return registers.lookup(tile); }
  void setRegisters(Value tile, Value regs);
  /// A tile's registers, any other value itself.
  Value mapped(Value value) const {
    return isTile(value) ? registersOf(value) : value;
  }
  /// vector<R x element> for a tile of this layout.
  VectorType getRegisterType(Type tileType, const LinearLayout &layout) const;

  /// Coordinate along d of register 0, computed once at the kernel's start.
  Value getThreadCoord(const LinearLayout &layout, unsigned d);
  /// Coordinate along d of register `reg`.
  Value getCoord(ImplicitLocOpBuilder &b, const LinearLayout &layout,
                 int64_t reg, unsigned d);
  /// True in one of the threads that hold the same elements; null if each
  /// thread has its own.
  Value getOwnerPredicate(const LinearLayout &layout);
  Value getLane();
  Value getWarp();
  ImplicitLocOpBuilder entryBuilder();

private:
  gpu::GPUFuncOp func;
  int64_t warps;
  SharedScratch scratch;
  DenseMap<Value, Value> registers;
  DenseMap<Value, LayoutAttr> layouts;
  SmallVector<Operation *> dead;
  Operation *entryMarker = nullptr;
  Value lane, warp;
  /// Numbers the tiles that are written to shared memory.
  int64_t nextGroup = 0;
  DenseMap<std::pair<Attribute, unsigned>, Value> threadCoords;
  DenseMap<Attribute, Value> ownerPredicates;
};

/// Reads `regs` at `indices`, as a vector of that many elements.
Value selectRegisters(ImplicitLocOpBuilder &b, Value regs,
                      ArrayRef<int64_t> indices);
/// Registers [start, start + count).
Value sliceRegisters(ImplicitLocOpBuilder &b, Value regs, int64_t start,
                     int64_t count);
/// All registers of `parts`, in order.
Value joinRegisters(ImplicitLocOpBuilder &b, ArrayRef<Value> parts);

} // namespace mlir::cleave

#endif // CLEAVE_LIB_CONVERSION_TILESTOGPU_DISTRIBUTOR_H
