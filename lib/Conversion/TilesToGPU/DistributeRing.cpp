//===- DistributeRing.cpp - Tiles that a loop loads ahead -----------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rings of slots in shared memory. Another copy engine or layout of slots would
// be chosen here: fetches and reads only agree on SharedTile.
//
//===----------------------------------------------------------------------===//

#include "Distributor.h"

using namespace mlir;
using namespace mlir::cleave;

/// Slots start where the exchange of chunks does.
static constexpr int64_t kRingAlignment = 128;

static int64_t getSlots(Value ring) {
  return cast<MemRefType>(ring.getType()).getDimSize(0);
}

Value Distributor::getRingBuffer(Value ring) {
  Value &buffer = ringBuffers[ring];
  if (buffer)
    return buffer;
  auto type = cast<MemRefType>(ring.getType());
  ImplicitLocOpBuilder b = builderAt(ring.getDefiningOp());
  buffer = scratch.allocate(b, type.getElementType(), type.getNumElements(),
                            kRingAlignment);
  for (Operation *user : ring.getUsers())
    if (isa<memref::DeallocOp>(user)) {
      b.setInsertionPoint(user);
      scratch.release(b, buffer);
      return buffer;
    }
  b.setInsertionPoint(ring.getParentBlock()->getTerminator());
  scratch.release(b, buffer);
  return buffer;
}

void Distributor::eraseRings() {
  for (auto [ring, buffer] : ringBuffers) {
    for (Operation *user : llvm::make_early_inc_range(ring.getUsers()))
      user->erase();
    ring.getDefiningOp()->erase();
  }
}

Value Distributor::getSlotOffset(ImplicitLocOpBuilder &b, Value ring,
                                 Value slot) {
  int64_t size =
      cast<MemRefType>(ring.getType()).getNumElements() / getSlots(ring);
  return arith::MulIOp::create(b, slot,
                               arith::ConstantIndexOp::create(b, size));
}

LogicalResult Distributor::distributeFetch(tile::FetchOp op) {
  auto read = op.getTile().getDefiningOp<vector::TransferReadOp>();
  if (!read)
    return op.emitError("expected a tile made by vector.transfer_read");
  ImplicitLocOpBuilder b = builderAt(op);
  auto phase =
      b.getDenseI64ArrayAttr({int64_t(op.getPhase()), getSlots(op.getRing())});
  return copyAsync(b, read, getRingBuffer(op.getRing()),
                   getSlotOffset(b, op.getRing(), op.getSlot()), phase);
}

/// How a tile lies in a slot.
static SharedTile getSlotTile(Value ring) {
  auto type = cast<MemRefType>(ring.getType());
  return SharedTile::getSwizzled(type.getShape().drop_front(),
                                 type.getElementType());
}

LogicalResult Distributor::distributeRingWrite(tile::WriteOp op) {
  ImplicitLocOpBuilder b = builderAt(op);
  storeShared(b, registersOf(op.getTile()), layoutOf(op.getTile()),
              getSlotTile(op.getRing()), getRingBuffer(op.getRing()),
              getSlotOffset(b, op.getRing(), op.getSlot()));
  return success();
}

LogicalResult Distributor::distributeRingRead(tile::ReadOp op) {
  ImplicitLocOpBuilder b = builderAt(op);
  Type elementType = op.getType().getElementType();
  SharedTile tile = getSlotTile(op.getRing());
  if (std::optional<ArrayRef<int64_t>> offsets = op.getOffsets())
    tile.start = tile.getPlace(*offsets);
  auto phase = b.getDenseI64ArrayAttr(
      {int64_t(op.getPhase().value_or(0)), getSlots(op.getRing())});
  setRegisters(op.getTile(),
               loadShared(b, elementType, layoutOf(op.getTile()), tile,
                          getRingBuffer(op.getRing()),
                          getSlotOffset(b, op.getRing(), op.getSlot()), phase));
  return success();
}
