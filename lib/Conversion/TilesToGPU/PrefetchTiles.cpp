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
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::cleave {
#define GEN_PASS_DEF_PREFETCHTILESPASS
#include "Cleave/Conversion/Passes.h.inc"
} // namespace mlir::cleave

using namespace mlir;

namespace {
/// Rewrites one loop.
class LoopPrefetcher {
public:
  explicit LoopPrefetcher(scf::ForOp loop) : loop(loop), b(loop) {}

  void run();

private:
  bool collect(Value value);
  bool collectRead(vector::TransferReadOp read);
  SmallVector<Value> createReads(Value iv, Value inLoop);

  scf::ForOp loop;
  OpBuilder b;
  SmallVector<vector::TransferReadOp> reads;
  /// What the reads' operands are computed by, in the loop; in order.
  SetVector<Operation *> producers;
};
} // namespace

/// Adds what a read's operand needs; fails if that is more than the induction
/// variable and values from outside.
bool LoopPrefetcher::collect(Value value) {
  if (value == loop.getInductionVar() || loop.isDefinedOutsideOfLoop(value))
    return true;
  Operation *def = value.getDefiningOp();
  if (!def || def->getBlock() != loop.getBody() || !isPure(def) ||
      def->getNumRegions())
    return false;
  if (!llvm::all_of(def->getOperands(), [&](Value v) { return collect(v); }))
    return false;
  producers.insert(def);
  return true;
}

/// A read can be moved if nothing in the loop writes; kernels write after their
/// loops, which `run` checks.
bool LoopPrefetcher::collectRead(vector::TransferReadOp read) {
  Value mask = read.getMask();
  // Masks that this pass can switch off.
  if (mask && !mask.getDefiningOp<vector::CreateMaskOp>() &&
      !mask.getDefiningOp<vector::ConstantMaskOp>())
    return false;
  SetVector<Operation *> before = producers;
  if (llvm::all_of(read->getOperands(), [&](Value v) { return collect(v); }))
    return true;
  producers = before;
  return false;
}

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
  IRMapping map;
  map.map(loop.getInductionVar(), iv);
  for (Operation *producer : producers)
    b.clone(*producer, map);
  SmallVector<Value> results;
  for (vector::TransferReadOp read : reads) {
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

void LoopPrefetcher::run() {
  WalkResult writes = loop.getBody()->walk([](Operation *op) {
    bool pure = isPure(op) || isa<vector::TransferReadOp, scf::YieldOp>(op) ||
                op->hasTrait<OpTrait::HasRecursiveMemoryEffects>();
    return pure ? WalkResult::advance() : WalkResult::interrupt();
  });
  if (writes.wasInterrupted())
    return;
  for (auto read : loop.getOps<vector::TransferReadOp>())
    if (collectRead(read))
      reads.push_back(read);
  // An invariant read needs no prefetch.
  llvm::erase_if(reads, [&](vector::TransferReadOp read) {
    return llvm::all_of(read->getOperands(), [&](Value v) {
      return loop.isDefinedOutsideOfLoop(v);
    });
  });
  if (reads.empty())
    return;
  // Cloning goes by the body's order.
  SmallVector<Operation *> ordered = producers.takeVector();
  llvm::sort(ordered,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  producers.insert(ordered.begin(), ordered.end());

  Location loc = loop.getLoc();
  Value nonEmpty =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                            loop.getLowerBound(), loop.getUpperBound());
  SmallVector<Value> first = createReads(loop.getLowerBound(), nonEmpty);

  IRRewriter rewriter(b);
  rewriter.setInsertionPoint(loop);
  auto newYields = [&](OpBuilder &yields, Location yieldLoc,
                       ArrayRef<BlockArgument> newArgs) {
    // The body is still the old loop's. Issued first, before the iteration
    // waits for anything.
    b.setInsertionPointToStart(loop.getBody());
    Value next = arith::AddIOp::create(b, yieldLoc, loop.getInductionVar(),
                                       loop.getStep());
    Value inLoop = arith::CmpIOp::create(b, yieldLoc, arith::CmpIPredicate::slt,
                                         next, loop.getUpperBound());
    return createReads(next, inLoop);
  };
  size_t numOld = loop.getInitArgs().size();
  auto result = loop.replaceWithAdditionalYields(
      rewriter, first, /*replaceInitOperandUsesInLoop=*/false, newYields);
  auto newLoop = cast<scf::ForOp>(result->getOperation());
  for (auto [read, arg] :
       llvm::zip(reads, newLoop.getRegionIterArgs().drop_front(numOld)))
    rewriter.replaceOp(read, arg);
}

namespace {
struct PrefetchTilesPass
    : cleave::impl::PrefetchTilesPassBase<PrefetchTilesPass> {
  void runOnOperation() override {
    auto stages = getOperation()->getAttrOfType<IntegerAttr>("cleave.stages");
    if (!stages || stages.getInt() < 2)
      return;
    SmallVector<scf::ForOp> loops;
    // Innermost loops: what an outer one loads is used for longer.
    getOperation().walk([&](scf::ForOp loop) {
      WalkResult nested = loop.getBody()->walk(
          [](scf::ForOp) { return WalkResult::interrupt(); });
      if (!nested.wasInterrupted())
        loops.push_back(loop);
    });
    for (scf::ForOp loop : loops)
      LoopPrefetcher(loop).run();
  }
};
} // namespace
