//===- LoopReads.cpp - Reads that can run ahead of their loop -------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See LoopReads.h.
//
//===----------------------------------------------------------------------===//

#include "LoopReads.h"
#include "Cleave/Conversion/TileDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::cleave;

SmallVector<scf::ForOp> cleave::getInnermostLoops(gpu::GPUFuncOp func) {
  SmallVector<scf::ForOp> loops;
  func.walk([&](scf::ForOp loop) {
    WalkResult nested = loop.getBody()->walk(
        [](scf::ForOp) { return WalkResult::interrupt(); });
    if (!nested.wasInterrupted())
      loops.push_back(loop);
  });
  return loops;
}

int64_t cleave::getStages(scf::ForOp loop) {
  auto func = loop->getParentOfType<gpu::GPUFuncOp>();
  Operation *outermost = loop;
  while (outermost->getParentOp() != func)
    outermost = outermost->getParentOp();
  for (Operation *op = outermost; op; op = op->getPrevNode())
    if (auto arrive = dyn_cast<tile::ArriveOp>(op))
      return arrive.getStages();
  auto stages = func->getAttrOfType<IntegerAttr>("cleave.stages");
  return stages ? stages.getInt() : 1;
}

/// Adds what a read's operand needs; fails if that is more than the induction
/// variable and values from outside.
bool LoopReads::collect(Value value) {
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

bool LoopReads::collectRead(vector::TransferReadOp read) {
  Value mask = read.getMask();
  // Masks that can be switched off.
  if (mask && !mask.getDefiningOp<vector::CreateMaskOp>() &&
      !mask.getDefiningOp<vector::ConstantMaskOp>())
    return false;
  SetVector<Operation *> before = producers;
  if (llvm::all_of(read->getOperands(), [&](Value v) { return collect(v); }))
    return true;
  producers = before;
  return false;
}

bool LoopReads::analyze(function_ref<bool(vector::TransferReadOp)> filter) {
  // A read can be moved if nothing in the loop writes to global memory.
  WalkResult writes = loop.getBody()->walk([](Operation *op) {
    bool harmless =
        isPure(op) ||
        isa<vector::TransferReadOp, scf::YieldOp, tile::FetchOp, tile::ReadOp,
            gpu::BarrierOp, NVVM::CpAsyncCommitGroupOp,
            NVVM::CpAsyncWaitGroupOp>(op) ||
        op->hasTrait<OpTrait::HasRecursiveMemoryEffects>();
    return harmless ? WalkResult::advance() : WalkResult::interrupt();
  });
  if (writes.wasInterrupted())
    return false;
  for (auto read : loop.getOps<vector::TransferReadOp>()) {
    // An invariant read needs not run ahead.
    bool varies = llvm::any_of(read->getOperands(), [&](Value v) {
      return !loop.isDefinedOutsideOfLoop(v);
    });
    if (varies && filter(read) && collectRead(read))
      reads.push_back(read);
  }
  // Cloning goes by the body's order.
  SmallVector<Operation *> ordered = producers.takeVector();
  llvm::sort(ordered,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  producers.insert(ordered.begin(), ordered.end());
  return !reads.empty();
}

IRMapping LoopReads::cloneOperands(OpBuilder &b, Value iv) {
  IRMapping map;
  map.map(loop.getInductionVar(), iv);
  for (Operation *producer : producers)
    b.clone(*producer, map);
  return map;
}
