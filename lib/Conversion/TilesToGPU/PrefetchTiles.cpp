//===- PrefetchTiles.cpp - Loads one iteration ahead ------------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// Stage: vector form, before layouts. A loop's loads are issued an iteration
// before their use, so that the memory works while the tensor cores do.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Conversion/Passes.h"
#include "LoopReads.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace mlir::cleave {
#define GEN_PASS_DEF_PREFETCHTILESPASS
#include "Cleave/Conversion/Passes.h.inc"
} // namespace mlir::cleave

using namespace mlir;

namespace {
/// Rewrites one loop.
class LoopPrefetcher {
public:
  explicit LoopPrefetcher(scf::ForOp loop) : loop(loop), b(loop), reads(loop) {}

  /// Finds the reads that can be moved; false if there is none.
  bool analyze();
  /// The bytes that a block reads ahead for one iteration.
  int64_t getReadBytes();
  /// The bytes of the loop's states in a block.
  int64_t getStateBytes();
  /// Moves the reads `distance` iterations ahead.
  void run(int64_t distance);

private:
  SmallVector<Value> createReads(Value iv, Value inLoop);

  scf::ForOp loop;
  OpBuilder b;
  cleave::LoopReads reads;
};
} // namespace

/// The sizes that a read's mask lets through.
static SmallVector<OpFoldResult> getMaskSizes(OpBuilder &b, Value mask,
                                              VectorType type) {
  SmallVector<OpFoldResult> sizes;
  if (!mask) {
    for (int64_t size : type.getShape())
      sizes.push_back(b.getIndexAttr(size));
  } else if (auto create = mask.getDefiningOp<vector::CreateMaskOp>()) {
    for (Value size : create.getOperands())
      sizes.push_back(getAsOpFoldResult(size));
  } else {
    auto constant = mask.getDefiningOp<vector::ConstantMaskOp>();
    for (int64_t size : constant.getMaskDimSizes())
      sizes.push_back(b.getIndexAttr(size));
  }
  return sizes;
}

/// Emits the reads of the iteration `iv`; they read nothing unless `inLoop`.
SmallVector<Value> LoopPrefetcher::createReads(Value iv, Value inLoop) {
  IRMapping map = reads.cloneOperands(b, iv);
  SmallVector<Value> results;
  for (vector::TransferReadOp read : reads.getReads()) {
    Location loc = read.getLoc();
    auto clone = cast<vector::TransferReadOp>(b.clone(*read, map));
    b.setInsertionPoint(clone);
    SmallVector<OpFoldResult> sizes =
        getMaskSizes(b, clone.getMask(), read.getVectorType());
    // One empty dimension is enough. The outermost is the cheapest: whole
    // accesses along the others stay whole.
    Value zero = arith::ConstantIndexOp::create(b, loc, 0);
    Value size = getValueOrCreateConstantIndexOp(b, loc, sizes.front());
    sizes.front() =
        arith::SelectOp::create(b, loc, inLoop, size, zero).getResult();
    Value mask = vector::CreateMaskOp::create(
        b, loc, read.getVectorType().clone(b.getI1Type()), sizes);
    clone.getMaskMutable().assign(mask);
    b.setInsertionPointAfter(clone);
    results.push_back(clone.getVector());
  }
  return results;
}

bool LoopPrefetcher::analyze() {
  return reads.analyze([](vector::TransferReadOp) { return true; });
}

static int64_t getBytes(VectorType type) {
  Type element = type.getElementType();
  int64_t bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  return type.getNumElements() * bits / 8;
}

int64_t LoopPrefetcher::getReadBytes() {
  int64_t bytes = 0;
  for (vector::TransferReadOp read : reads.getReads())
    bytes += getBytes(read.getVectorType());
  return bytes;
}

int64_t LoopPrefetcher::getStateBytes() {
  int64_t bytes = 0;
  for (Type type : loop.getResultTypes())
    if (auto vector = dyn_cast<VectorType>(type))
      bytes += getBytes(vector);
  return bytes;
}

void LoopPrefetcher::run(int64_t distance) {
  Location loc = loop.getLoc();
  // The iteration so many steps ahead, and whether there is one.
  auto ahead = [&](Value iv, int64_t steps) {
    for (int64_t i = 0; i < steps; ++i)
      iv = arith::AddIOp::create(b, loc, iv, loop.getStep());
    Value inLoop = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, iv,
                                         loop.getUpperBound());
    return createReads(iv, inLoop);
  };
  SmallVector<Value> first;
  for (int64_t i = 0; i < distance; ++i)
    llvm::append_range(first, ahead(loop.getLowerBound(), i));

  IRRewriter rewriter(b);
  rewriter.setInsertionPoint(loop);
  auto newYields = [&](OpBuilder &, Location, ArrayRef<BlockArgument> queue) {
    // The body is still the old loop's. Issued first, before the iteration
    // waits for anything.
    b.setInsertionPointToStart(loop.getBody());
    SmallVector<Value> yields(queue.drop_front(reads.getReads().size()));
    llvm::append_range(yields, ahead(loop.getInductionVar(), distance));
    return yields;
  };
  size_t numOld = loop.getInitArgs().size();
  auto result = loop.replaceWithAdditionalYields(
      rewriter, first, /*replaceInitOperandUsesInLoop=*/false, newYields);
  auto newLoop = cast<scf::ForOp>(result->getOperation());
  for (auto [read, arg] : llvm::zip(
           reads.getReads(), newLoop.getRegionIterArgs().drop_front(numOld)))
    rewriter.replaceOp(read, arg);
  // The queue moves on by taking turns instead of by copies, which would wait
  // for loads that are under way.
  if (distance > 1)
    (void)loopUnrollByFactor(newLoop, distance);
}

namespace {
struct PrefetchTilesPass
    : cleave::impl::PrefetchTilesPassBase<PrefetchTilesPass> {
  using PrefetchTilesPassBase::PrefetchTilesPassBase;

  void runOnOperation() override {
    gpu::GPUFuncOp func = getOperation();
    std::optional<ArrayRef<int32_t>> block = func.getKnownBlockSize();
    int64_t threads = block ? block->front() : 0;
    for (scf::ForOp loop : cleave::getInnermostLoops(func)) {
      int64_t stages = cleave::getStages(loop);
      LoopPrefetcher prefetcher(loop);
      if (!prefetcher.analyze())
        continue;
      int64_t bytes = prefetcher.getReadBytes() + prefetcher.getStateBytes();
      // What a ring does not take comes one iteration ahead: to go further
      // would unroll the loop.
      bool hasRing = !loop.getOps<NVVM::CpAsyncWaitGroupOp>().empty();
      if (stages > 1)
        prefetcher.run(hasRing ? 1 : stages - 1);
      else if (bytes <= freeBytes * threads)
        prefetcher.run(1);
    }
  }
};
} // namespace
