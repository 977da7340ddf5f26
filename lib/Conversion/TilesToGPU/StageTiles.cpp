//===- StageTiles.cpp - Loads through a ring of shared memory -------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// Stage: vector form, before layouts. A loop's loads become asynchronous copies
// to shared memory, as many iterations ahead as the kernel has stages, less
// one.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Conversion/Passes.h"
#include "Cleave/Conversion/TileDialect.h"
#include "GlobalAccess.h"
#include "KernelInfo.h"
#include "LayoutTies.h"
#include "LoopReads.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"

namespace mlir::cleave {
#define GEN_PASS_DEF_STAGETILESPASS
#include "Cleave/Conversion/Passes.h.inc"
} // namespace mlir::cleave

using namespace mlir;
using namespace mlir::cleave;

/// Whether `cp.async` can copy the tile: runs of 4, 8 or 16 aligned bytes that
/// stay runs in shared memory; zeros where it is masked.
static bool isCopyable(vector::TransferReadOp read) {
  Type element = read.getVectorType().getElementType();
  if (!element.isIntOrFloat() || element.getIntOrFloatBitWidth() % 8)
    return false;
  if (!matchPattern(read.getPadding(), m_AnyZeroFloat()) &&
      !matchPattern(read.getPadding(), m_Zero()))
    return false;
  FailureOr<GlobalAccess> access =
      GlobalAccess::get(cast<VectorTransferOpInterface>(*read));
  if (failed(access) || access->getGeneralMask())
    return false;
  unsigned rank = read.getVectorType().getRank();
  for (unsigned d = 0; d < rank; ++d)
    if (!access->getMemDim(d) || access->needsExtentCheck(d))
      return false;
  return access->getContiguousDim() == rank - 1 &&
         access->getVectorWidth() * getElementBytes(element) >= 4;
}

namespace {
/// Rewrites one loop.
class LoopStager {
public:
  LoopStager(scf::ForOp loop, int64_t slots)
      : loop(loop), slots(slots), b(loop.getLoc(), loop), reads(loop) {}

  bool analyze() { return reads.analyze(isCopyable); }
  /// Finds tiles from before the loop that would take too many of the threads'
  /// registers in it.
  void findResidents(int64_t warps);
  void run();

private:
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }
  /// `value` is `limit` ? `then` : `value + by`.
  Value wrap(Value value, int64_t limit, int64_t then, int64_t by);
  void fetch(Value iv, Value slot, int64_t phase);
  void stageResidents(RewriterBase &rewriter);

  scf::ForOp loop;
  int64_t slots;
  ImplicitLocOpBuilder b;
  LoopReads reads;
  SmallVector<Value> rings;
  SmallVector<vector::TransferReadOp> residents;
};
} // namespace

static int64_t getTileBytes(Value tile) {
  auto type = dyn_cast<VectorType>(tile.getType());
  return type ? type.getNumElements() * getElementBytes(type.getElementType())
              : 0;
}

/// What only this loop's contractions read, from one place.
static bool isOperandOf(scf::ForOp loop, vector::TransferReadOp read) {
  return read && read->getBlock() == loop->getBlock() &&
         llvm::all_of(read->getUsers(), [&](Operation *user) {
           return isa<vector::ContractionOp>(user) &&
                  user->getBlock() == loop.getBody();
         });
}

/// The registers of a thread that have its part of an operand, in bytes: warps
/// that share rows or columns have copies.
static int64_t getFragmentBytes(OpOperand &operand, int64_t warps) {
  auto contract = cast<vector::ContractionOp>(operand.getOwner());
  FailureOr<ContractDims> dims = ContractDims::get(contract);
  if (failed(dims) || !isTensorCoreContract(contract, *dims))
    return (getTileBytes(operand.get()) >> kLaneBits) / warps;
  ContractLayouts layouts =
      getContractLayouts(contract, *dims, chooseWarps(contract, *dims, warps));
  bool isLhs = operand.getOperandNumber() == 0;
  return (isLhs ? layouts.lhs : layouts.rhs).getNumRegisters() *
         getElementBytes(getElementTypeOrSelf(operand.get().getType()));
}

void LoopStager::findResidents(int64_t warps) {
  // Beyond this the compiler would spill some of them.
  constexpr int64_t kFreeBytes = 4 * 192;
  int64_t tileBytes = 0, fragmentBytes = 0;
  for (Value state : loop.getRegionIterArgs())
    tileBytes += getTileBytes(state);
  SetVector<Operation *> found;
  for (auto contract : loop.getOps<vector::ContractionOp>()) {
    if (!isa<BlockArgument>(contract.getAcc()))
      tileBytes += getTileBytes(contract.getResult());
    for (OpOperand *operand :
         {&contract.getLhsMutable(), &contract.getRhsMutable()}) {
      auto read = operand->get().getDefiningOp<vector::TransferReadOp>();
      if (isOperandOf(loop, read) && isCopyable(read) && found.insert(read))
        fragmentBytes += getFragmentBytes(*operand, warps);
    }
  }
  if ((tileBytes >> kLaneBits) / warps + fragmentBytes <= kFreeBytes)
    return;
  for (Operation *read : found)
    residents.push_back(cast<vector::TransferReadOp>(read));
}

/// Starts the copies of the iteration `phase` steps behind `iv`, if there is
/// one; their group is closed in any case, as waits count groups.
void LoopStager::fetch(Value iv, Value slot, int64_t phase) {
  Value by = arith::MulIOp::create(b, loop.getStep(), constant(phase));
  Value ahead = arith::AddIOp::create(b, iv, by);
  Value inLoop = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, ahead,
                                       loop.getUpperBound());
  auto branch = scf::IfOp::create(b, inLoop, /*withElseRegion=*/false);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    IRMapping map = reads.cloneOperands(b, ahead);
    for (auto [read, ring] : llvm::zip_first(reads.getReads(), rings)) {
      Operation *clone = b.clone(*read, map);
      tile::FetchOp::create(b, clone->getResult(0), ring, slot, phase);
    }
  }
  NVVM::CpAsyncCommitGroupOp::create(b);
}

Value LoopStager::wrap(Value value, int64_t limit, int64_t then, int64_t by) {
  Value isLimit = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, value,
                                        constant(limit));
  Value next = arith::AddIOp::create(b, value, constant(by));
  return arith::SelectOp::create(b, isLimit, constant(then), next);
}

/// A ring of one slot: fragments of it are read in each iteration. The copies
/// are of the group of the first iteration's.
void LoopStager::stageResidents(RewriterBase &rewriter) {
  for (vector::TransferReadOp read : residents) {
    Value ring = tile::RingOp::create(b, read.getVectorType(), /*slots=*/1);
    rings.push_back(ring);
    tile::FetchOp::create(b, read.getResult(), ring, constant(0), 0);
    OpBuilder::InsertionGuard guard(b);
    for (OpOperand &use : llvm::make_early_inc_range(read->getUses())) {
      if (isa<tile::FetchOp>(use.getOwner()))
        continue;
      b.setInsertionPoint(use.getOwner());
      Value tile =
          tile::ReadOp::create(b, read.getVectorType(), ring, constant(0));
      rewriter.modifyOpInPlace(use.getOwner(), [&] { use.set(tile); });
    }
  }
}

void LoopStager::run() {
  IRRewriter rewriter(loop);
  for (vector::TransferReadOp read : reads.getReads())
    rings.push_back(tile::RingOp::create(b, read.getVectorType(), slots));
  SmallVector<Value> loopRings = rings;
  stageResidents(rewriter);
  for (int64_t phase = 0; phase < slots - 1; ++phase)
    fetch(loop.getLowerBound(), constant(phase), phase);

  Value first = constant(0);
  auto newYields = [&](OpBuilder &, Location, ArrayRef<BlockArgument> added) {
    // The body is still the old loop's.
    Value slot = added.front();
    b.setInsertionPointToStart(loop.getBody());
    // Behind this wait each thread's part of the tile is there, and behind the
    // barrier the other threads' parts. The barrier also is what lets the next
    // copies reuse the slot that the iteration before has read.
    NVVM::CpAsyncWaitGroupOp::create(b, slots - 2);
    gpu::BarrierOp::create(b);
    fetch(loop.getInductionVar(), wrap(slot, 0, slots - 1, -1), slots - 1);
    for (auto [i, ring] : llvm::enumerate(loopRings)) {
      vector::TransferReadOp read = reads.getReads()[i];
      b.setInsertionPoint(read);
      Value tile = tile::ReadOp::create(b, read.getVectorType(), ring, slot);
      rewriter.replaceAllUsesWith(read.getResult(), tile);
    }
    b.setInsertionPoint(loop.getBody()->getTerminator());
    return SmallVector<Value>{wrap(slot, slots - 1, 0, 1)};
  };
  auto result = loop.replaceWithAdditionalYields(
      rewriter, first, /*replaceInitOperandUsesInLoop=*/false, newYields);
  for (vector::TransferReadOp read : reads.getReads())
    rewriter.eraseOp(read);
  // Only then may the memory serve others.
  b.setInsertionPointAfter(result->getOperation());
  NVVM::CpAsyncWaitGroupOp::create(b, 0);
  for (Value ring : rings)
    memref::DeallocOp::create(b, ring);
}

namespace {
struct StageTilesPass : cleave::impl::StageTilesPassBase<StageTilesPass> {
  void runOnOperation() override {
    gpu::GPUFuncOp func = getOperation();
    FailureOr<int64_t> warps = getKernelWarps(func);
    if (failed(warps))
      return signalPassFailure();
    for (scf::ForOp loop : getInnermostLoops(func)) {
      int64_t stages = cleave::getStages(loop);
      if (stages < 2)
        continue;
      LoopStager stager(loop, stages);
      if (!stager.analyze())
        continue;
      stager.findResidents(*warps);
      stager.run();
    }
  }
};
} // namespace
