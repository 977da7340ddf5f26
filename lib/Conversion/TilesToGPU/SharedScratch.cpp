//===- SharedScratch.cpp - Buffers in a block's shared memory -------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Buffers are placed when all are known, by the ranges of ops in which they are
// in use.
//
//===----------------------------------------------------------------------===//

#include "Distributor.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

using namespace mlir;
using namespace mlir::cleave;

static MemRefType getSharedType(MLIRContext *context, Type elementType,
                                int64_t count) {
  auto space =
      gpu::AddressSpaceAttr::get(context, gpu::AddressSpace::Workgroup);
  return MemRefType::get({count}, elementType, MemRefLayoutAttrInterface(),
                         space);
}

Value SharedScratch::allocate(ImplicitLocOpBuilder &b, Type elementType,
                              int64_t count, int64_t alignment) {
  MLIRContext *context = b.getContext();
  if (!attribution)
    attribution = func.addWorkgroupAttribution(
        getSharedType(context, b.getI8Type(), alignment), func.getLoc());
  auto offset = arith::ConstantIndexOp::create(b, 0);
  int64_t bytes = llvm::alignTo(count * getElementBytes(elementType),
                                uint64_t(kAccessAlignment));
  Buffer &buffer = buffers.emplace_back();
  buffer.offset = offset;
  buffer.bytes = bytes;
  buffer.alignment = alignment;
  buffer.inLoop = getLoopDepth(offset) > 0;
  buffer.view =
      memref::ViewOp::create(b, getSharedType(context, elementType, count),
                             attribution, offset, ValueRange());
  return buffer.view;
}

void SharedScratch::release(ImplicitLocOpBuilder &b, Value buffer) {
  llvm::find_if(buffers, [&](const Buffer &other) {
    return other.view == buffer;
  })->end = arith::ConstantIndexOp::create(b, 0);
}

void SharedScratch::numberBuffers() {
  DenseMap<Operation *, int64_t> positions;
  int64_t next = 0;
  SmallVector<int64_t> arrivals;
  func.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<tile::ArriveOp>(op))
      arrivals.push_back(next);
    positions[op] = next++;
  });
  for (Buffer &buffer : buffers) {
    buffer.first = positions[buffer.offset];
    buffer.last = positions[buffer.end];
    buffer.part = llvm::count_if(
        arrivals, [&](int64_t arrival) { return arrival < buffer.first; });
  }
}

int64_t SharedScratch::place(bool loopsDistinct) {
  auto conflict = [&](Buffer &a, Buffer &b) {
    // Never in one iteration.
    if (insideMutuallyExclusiveRegions(a.offset, b.offset))
      return false;
    // What is behind an arrival waits for everything in front of it anyway.
    return (loopsDistinct && a.inLoop && b.inLoop && a.part == b.part) ||
           (a.first <= b.last && b.first <= a.last);
  };
  SmallVector<Buffer *> order;
  for (Buffer &buffer : buffers)
    order.push_back(&buffer);
  llvm::stable_sort(order,
                    [](Buffer *a, Buffer *b) { return a->bytes > b->bytes; });
  int64_t total = 0;
  SmallVector<Buffer *> placed;
  for (Buffer *buffer : order) {
    // The lowest gap: it starts at 0 or behind another one.
    SmallVector<int64_t> starts = {0};
    for (Buffer *other : placed)
      starts.push_back(
          llvm::alignTo(other->start + other->bytes, buffer->alignment));
    llvm::sort(starts);
    buffer->start = *llvm::find_if(starts, [&](int64_t start) {
      return llvm::none_of(placed, [&](Buffer *other) {
        return conflict(*buffer, *other) &&
               start < other->start + other->bytes &&
               other->start < start + buffer->bytes;
      });
    });
    placed.push_back(buffer);
    total = std::max(total, buffer->start + buffer->bytes);
  }
  return total;
}

LogicalResult SharedScratch::finalize(int64_t maxBytes) {
  if (buffers.empty())
    return success();
  numberBuffers();
  int64_t total = place(/*loopsDistinct=*/true);
  if (total > maxBytes)
    total = place(/*loopsDistinct=*/false);
  if (total > maxBytes)
    return func.emitError("expected a kernel that needs at most ")
           << maxBytes << " bytes of shared memory but got " << total;
  int64_t alignment = 1;
  for (Buffer &buffer : buffers) {
    alignment = std::max(alignment, buffer.alignment);
    buffer.offset.setValueAttr(
        OpBuilder(buffer.offset).getIndexAttr(buffer.start));
    buffer.end->erase();
  }
  OpBuilder b(func.getContext());
  attribution.setType(getSharedType(func.getContext(), b.getI8Type(), total));
  func.setWorkgroupAttributionAttr(0, "llvm.align",
                                   b.getI64IntegerAttr(alignment));
  return success();
}
