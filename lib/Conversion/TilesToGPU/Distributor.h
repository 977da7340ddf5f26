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

/// Shared memory is accessed in at most so many bytes a thread.
inline constexpr int64_t kAccessAlignment = 16;

/// Where a tile lies in shared memory: strided, rows padded or chunks of 16
/// bytes exchanged against bank conflicts.
struct SharedTile {
  /// Elements between neighbours, a tile dimension.
  SmallVector<int64_t> strides;
  unsigned contiguousDim = 0;
  int64_t numElements = 0;
  /// Elements of a line and of a chunk; chunk c of line l lies at c ^ (l % 8).
  /// 0 for no exchange.
  int64_t swizzleLine = 0, swizzleChunk = 0;
  /// The place where coordinates count from, of a part of a larger tile that is
  /// swizzled.
  int64_t start = 0;

  /// The place of an element. GF(2)-linear in the coordinates' bits if strides
  /// are powers of two.
  int64_t getPlace(ArrayRef<int64_t> coords) const;
  /// Rows without padding, the last dimension contiguous. Eight rows at equal
  /// columns lie in different banks, as do neighbours of a row.
  static SharedTile getSwizzled(ArrayRef<int64_t> shape, Type elementType);
};

/// The static shared memory of a kernel, as one workgroup attribution.
class SharedScratch {
public:
  explicit SharedScratch(gpu::GPUFuncOp func) : func(func) {}
  /// A fresh buffer of `count` elements, in use from here on.
  Value allocate(ImplicitLocOpBuilder &b, Type elementType, int64_t count,
                 int64_t alignment = kAccessAlignment);
  /// The buffer is not in use behind this point.
  void release(ImplicitLocOpBuilder &b, Value buffer);
  /// Places the buffers: none shares bytes with one that is in use at the same
  /// time. Those of loops share none at all if they fit, as that would cost a
  /// barrier an iteration.
  LogicalResult finalize(int64_t maxBytes);

private:
  struct Buffer {
    arith::ConstantIndexOp offset;
    /// Stands where the buffer is released.
    Operation *end = nullptr;
    Value view;
    int64_t bytes = 0, alignment = kAccessAlignment;
    bool inLoop = false;
    /// The arrivals in front of it.
    int64_t part = 0;
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

/// A loop's state that threads accumulate each for itself. Behind the loop the
/// lanes and warps in the masks meet.
struct LateReduction {
  /// One, or one in each branch of the loop's body.
  SmallVector<Operation *, 2> ops;
  vector::CombiningKind kind;
  LinearLayout result;
  int64_t laneMask, warpMask;

  bool isLike(const LateReduction &o) const {
    return kind == o.kind && result == o.result && laneMask == o.laneMask &&
           warpMask == o.warpMask;
  }
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
  LogicalResult distributeRescale(tile::RescaleOp op);
  LogicalResult distributeConstant(arith::ConstantOp op);
  LogicalResult distributeBroadcast(vector::BroadcastOp op);
  LogicalResult distributeExtract(vector::ExtractOp op);
  LogicalResult distributeStep(vector::StepOp op);
  LogicalResult distributeMask(vector::CreateMaskOp op);
  LogicalResult distributeConstantMask(vector::ConstantMaskOp op);

  // Global memory (DistributeMemory.cpp).
  LogicalResult distributeRead(vector::TransferReadOp op);
  LogicalResult distributeWrite(vector::TransferWriteOp op);

  // Tiles that a loop loads ahead (DistributeRing.cpp).
  LogicalResult distributeFetch(tile::FetchOp op);
  LogicalResult distributeRingWrite(tile::WriteOp op);
  LogicalResult distributeRingRead(tile::ReadOp op);
  /// A ring's memory, one slot behind the other.
  Value getRingBuffer(Value ring);
  void eraseRings();
  Value getSlotOffset(ImplicitLocOpBuilder &b, Value ring, Value slot);

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
  /// Copies the tile of `read` to `buffer` without registers.
  LogicalResult copyAsync(ImplicitLocOpBuilder &b, vector::TransferReadOp read,
                          Value buffer, Value offset, Attribute phase);
  /// Over lanes, then warps.
  Value reduceThreads(ImplicitLocOpBuilder &b, Value regs,
                      const LinearLayout &layout, ArrayRef<int64_t> dims,
                      vector::CombiningKind kind);
  /// Whether state `i` of the loop is of that kind.
  std::optional<LateReduction> getLateReduction(scf::ForOp loop, unsigned i);
  /// In front of and behind the loop.
  Value startLateReduction(ImplicitLocOpBuilder &b, const LateReduction &late,
                           Value init);
  Value finishLateReduction(ImplicitLocOpBuilder &b, const LateReduction &late,
                            Value regs, Value init);
  void storeShared(ImplicitLocOpBuilder &b, Value regs,
                   const LinearLayout &layout, const SharedTile &tile,
                   Value buffer, Value offset);
  Value loadShared(ImplicitLocOpBuilder &b, Type elementType,
                   const LinearLayout &layout, const SharedTile &tile,
                   Value buffer, Value offset, Attribute phase = {});
  Value loadMatrices(ImplicitLocOpBuilder &b, Type elementType,
                     const MatrixLoad &load, const SharedTile &tile,
                     Value buffer, Value offset, Attribute phase);

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

  /// A memref of identity layout as one dimension.
  Value getFlat(Value memref);
  /// Whether the kernel's arguments are what `cleave.row_multiple` says.
  Value getRowsPredicate();
  /// Coordinate along d of register 0, computed once at the kernel's start.
  Value getThreadCoord(const LinearLayout &layout, unsigned d);
  /// Coordinate along d of register `reg`.
  Value getCoord(ImplicitLocOpBuilder &b, const LinearLayout &layout,
                 int64_t reg, unsigned d);
  /// Position of register `reg` in a tile that is swizzled, behind `offset`.
  Value getSwizzledIndex(ImplicitLocOpBuilder &b, const LinearLayout &layout,
                         const SharedTile &tile, int64_t reg, Value offset);
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
  DenseMap<Value, Value> flatMemRefs;
  Value rowsPredicate;
  /// Threads' places with bits of registers mixed in.
  DenseMap<std::pair<Value, int64_t>, Value> mixedPlaces;
  llvm::MapVector<Value, Value> ringBuffers;
  /// In their loops, threads reduce only what is their own.
  DenseSet<Operation *> lateReductions;
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
