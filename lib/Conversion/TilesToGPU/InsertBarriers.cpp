//===- InsertBarriers.cpp - Order shared memory accesses ------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --cleave-insert-barriers: a walk that carries the accesses since the last
// barrier and breaks each conflict with a new one. Loops are walked until what
// flows around the back edge does not grow.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Conversion/Passes.h"
#include "Cleave/Conversion/TileDialect.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include <set>

namespace mlir::cleave {
#define GEN_PASS_DEF_INSERTBARRIERSPASS
#include "Cleave/Conversion/Passes.h.inc"
} // namespace mlir::cleave

using namespace mlir;
using namespace mlir::cleave;

namespace {

/// Bytes [begin, end) of a buffer, or all of it.
struct Access {
  const void *root;
  int64_t begin, end;
  bool isWrite;
  /// Writes of one group put each element in place once (or the same value
  /// again); -1 for none.
  int64_t group;

  bool conflictsWith(const Access &o) const {
    if (isWrite && o.isWrite && group >= 0 && group == o.group)
      return false;
    return root == o.root && (isWrite || o.isWrite) && begin < o.end &&
           o.begin < end;
  }
  bool operator<(const Access &o) const {
    return std::tie(root, begin, end, isWrite, group) <
           std::tie(o.root, o.begin, o.end, o.isWrite, o.group);
  }
  bool operator==(const Access &o) const {
    return !(*this < o) && !(o < *this);
  }
};

/// Accesses since the last barrier. Never iterated in an order that shows.
using Pending = std::set<Access>;

class BarrierInserter {
public:
  LogicalResult run(gpu::GPUFuncOp func);

private:
  LogicalResult visitBlock(Block &block, Pending &pending);
  LogicalResult visitOp(Operation *op, Pending &pending);
  LogicalResult visitLoop(scf::ForOp loop, Pending &pending);
  LogicalResult visitBranch(scf::IfOp branch, Pending &pending);

  /// Only find out whether a barrier is missing.
  bool dry = false;
  bool missing = false;
};

} // namespace

static bool isShared(Value value) {
  auto type = dyn_cast<BaseMemRefType>(value.getType());
  return type && gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(
                     cast<MemRefType>(type));
}

/// The bytes behind a memref: views with constant offsets are told apart.
static Access resolve(Value memref, bool isWrite, int64_t group) {
  Access access{nullptr, 0, std::numeric_limits<int64_t>::max(), isWrite,
                group};
  bool exact = true;
  while (Operation *op = memref.getDefiningOp()) {
    if (auto view = dyn_cast<memref::ViewOp>(op)) {
      auto type = cast<MemRefType>(view.getType());
      std::optional<int64_t> offset = getConstantIntValue(view.getByteShift());
      if (exact && offset && type.hasStaticShape()) {
        access.begin = *offset;
        access.end =
            *offset + type.getNumElements() *
                          llvm::divideCeil(type.getElementTypeBitWidth(), 8);
        exact = false;
      }
      memref = view.getSource();
    } else if (auto viewLike = dyn_cast<ViewLikeOpInterface>(op)) {
      // Somewhere inside its source.
      memref = viewLike.getViewSource();
    } else {
      break;
    }
  }
  access.root = memref.getAsOpaquePointer();
  return access;
}

/// All threads of the block compute the same value: it depends on constants,
/// arguments and the block's position only.
static bool isUniform(Value value) {
  SmallVector<Value> worklist = {value};
  DenseSet<Value> seen;
  while (!worklist.empty()) {
    Value next = worklist.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    if (auto arg = dyn_cast<BlockArgument>(next)) {
      Operation *parent = arg.getOwner()->getParentOp();
      if (isa<gpu::GPUFuncOp>(parent))
        continue;
      auto loop = dyn_cast<scf::ForOp>(parent);
      if (!loop || arg != loop.getInductionVar())
        return false;
      worklist.append({loop.getLowerBound(), loop.getStep()});
      continue;
    }
    Operation *op = next.getDefiningOp();
    if (isa<gpu::BlockIdOp, gpu::GridDimOp, gpu::BlockDimOp>(op))
      continue;
    if (isa<gpu::ThreadIdOp, gpu::LaneIdOp, gpu::ShuffleOp>(op) ||
        op->getNumRegions() || !isPure(op))
      return false;
    llvm::append_range(worklist, op->getOperands());
  }
  return true;
}

/// A barrier here might be reached by some threads only.
static bool isInDivergentBranch(Operation *op) {
  while ((op = op->getParentOp())) {
    if (auto branch = dyn_cast<scf::IfOp>(op))
      if (!isUniform(branch.getCondition()))
        return true;
    if (auto loop = dyn_cast<scf::ForOp>(op))
      if (!isUniform(loop.getLowerBound()) ||
          !isUniform(loop.getUpperBound()) || !isUniform(loop.getStep()))
        return true;
  }
  return false;
}

LogicalResult BarrierInserter::visitOp(Operation *op, Pending &pending) {
  if (isa<gpu::BarrierOp>(op)) {
    pending.clear();
    return success();
  }
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return visitLoop(loop, pending);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return visitBranch(branch, pending);
  SmallVector<Access> accesses;
  auto groupAttr = op->getAttrOfType<IntegerAttr>(tile::kGroupAttrName);
  int64_t group = groupAttr ? groupAttr.getInt() : -1;
  if (auto effects = dyn_cast<MemoryEffectOpInterface>(op)) {
    SmallVector<MemoryEffects::EffectInstance> instances;
    effects.getEffects(instances);
    for (const MemoryEffects::EffectInstance &effect : instances) {
      Value value = effect.getValue();
      bool isWrite = isa<MemoryEffects::Write>(effect.getEffect());
      bool isRead = isa<MemoryEffects::Read>(effect.getEffect());
      if (value && (isRead || isWrite) && isa<MemRefType>(value.getType()) &&
          isShared(value))
        accesses.push_back(resolve(value, isWrite, group));
    }
  } else if (llvm::any_of(op->getOperands(), [](Value v) {
               return isa<MemRefType>(v.getType()) && isShared(v);
             })) {
    return op->emitError("expected an op with known memory effects on shared "
                         "memory but got '")
           << op->getName() << "'";
  }
  bool conflict = llvm::any_of(accesses, [&](const Access &access) {
    return llvm::any_of(pending, [&](const Access &earlier) {
      return access.conflictsWith(earlier);
    });
  });
  if (conflict && dry) {
    missing = true;
    pending.clear();
  } else if (conflict) {
    if (isInDivergentBranch(op))
      return op->emitError("expected no conflicting shared memory access in a "
                           "branch that threads may take differently");
    OpBuilder builder(op);
    gpu::BarrierOp::create(builder, op->getLoc());
    pending.clear();
  }
  pending.insert(accesses.begin(), accesses.end());
  return success();
}

LogicalResult BarrierInserter::visitLoop(scf::ForOp loop, Pending &pending) {
  // First what iterations owe each other. A barrier that one walk puts in is
  // there for the next one.
  Pending steady;
  while (true) {
    Pending state = steady;
    if (failed(visitBlock(*loop.getBody(), state)))
      return failure();
    Pending joined = steady;
    joined.insert(state.begin(), state.end());
    if (joined == steady)
      break;
    steady = std::move(joined);
  }
  // Then what they owe to the code in front: one barrier there, instead of one
  // an iteration.
  Pending entering = pending;
  entering.insert(steady.begin(), steady.end());
  bool wasDry = dry, wasMissing = missing;
  dry = true;
  missing = false;
  if (failed(visitBlock(*loop.getBody(), entering)))
    return failure();
  bool barrier = missing;
  dry = wasDry;
  missing = wasMissing || (dry && barrier);
  if (barrier && !dry) {
    if (isInDivergentBranch(loop))
      return loop.emitError("expected no conflicting shared memory access in a "
                            "branch that threads may take differently");
    OpBuilder builder(loop);
    gpu::BarrierOp::create(builder, loop.getLoc());
  }
  if (barrier)
    pending.clear();
  // No iteration at all, or the end of the last one.
  pending.insert(steady.begin(), steady.end());
  return success();
}

LogicalResult BarrierInserter::visitBranch(scf::IfOp branch, Pending &pending) {
  Pending thenState = pending, elseState = pending;
  if (failed(visitBlock(*branch.thenBlock(), thenState)) ||
      (branch.elseBlock() &&
       failed(visitBlock(*branch.elseBlock(), elseState))))
    return failure();
  pending = std::move(thenState);
  pending.insert(elseState.begin(), elseState.end());
  return success();
}

LogicalResult BarrierInserter::visitBlock(Block &block, Pending &pending) {
  for (Operation &op : llvm::make_early_inc_range(block))
    if (failed(visitOp(&op, pending)))
      return failure();
  return success();
}

LogicalResult BarrierInserter::run(gpu::GPUFuncOp func) {
  Pending pending;
  for (Block &block : func.getBody())
    if (failed(visitBlock(block, pending)))
      return failure();
  return success();
}

namespace {

struct InsertBarriersPass
    : public cleave::impl::InsertBarriersPassBase<InsertBarriersPass> {
  void runOnOperation() override {
    if (failed(BarrierInserter().run(getOperation())))
      signalPassFailure();
  }
};

} // namespace
