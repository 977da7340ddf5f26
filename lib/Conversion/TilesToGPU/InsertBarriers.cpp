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
// flows around the back edge does not grow. Asynchronous copies stay under way,
// across barriers too, until a wait covers their group.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Conversion/Passes.h"
#include "Cleave/Conversion/TileDialect.h"
#include "KernelInfo.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
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
  /// In a ring: iterations until the tile is read, modulo its slots; other
  /// phases are other slots. Without slots, or at another time: any.
  int64_t phase = 0, slots = 0;
  /// A copy under way: groups that were closed since it started; else -1.
  int64_t age = -1;

  bool conflictsWith(const Access &o) const {
    if (isWrite && o.isWrite && group >= 0 && group == o.group)
      return false;
    if (slots && slots == o.slots && begin == o.begin && phase != o.phase)
      return false;
    return root == o.root && (isWrite || o.isWrite) && begin < o.end &&
           o.begin < end;
  }
  bool isUnderWay() const { return age >= 0; }
  bool operator<(const Access &o) const {
    return std::tie(root, begin, end, isWrite, group, phase, slots, age) <
           std::tie(o.root, o.begin, o.end, o.isWrite, o.group, o.phase,
                    o.slots, o.age);
  }
  bool operator==(const Access &o) const {
    return !(*this < o) && !(o < *this);
  }
};

/// Accesses since the last barrier, and copies under way. Never iterated in an
/// order that shows.
using Pending = std::set<Access>;

/// Beyond this, copies are equally old.
constexpr int64_t kMaxAge = 64;

/// Replaces each access by what `change` makes of it; it may drop it.
void transform(Pending &pending, function_ref<bool(Access &)> change) {
  Pending result;
  for (Access access : pending)
    if (change(access))
      result.insert(access);
  pending = std::move(result);
}

void passBarrier(Pending &pending) {
  transform(pending, [](Access &access) { return access.isUnderWay(); });
}

void closeGroup(Pending &pending) {
  transform(pending, [](Access &access) {
    if (access.isUnderWay())
      access.age = std::min(access.age + 1, kMaxAge);
    return true;
  });
}

/// All but the youngest `groups` are complete, for the thread that waits.
void waitForGroups(Pending &pending, int64_t groups) {
  transform(pending, [&](Access &access) {
    if (access.age > groups)
      access.age = -1;
    return true;
  });
}

/// Into the next iteration of a loop.
void passBackEdge(Pending &pending) {
  transform(pending, [](Access &access) {
    if (access.slots)
      access.phase = (access.phase + access.slots - 1) % access.slots;
    return true;
  });
}

/// Behind a loop its phases mean nothing.
void leaveLoop(Pending &pending) {
  transform(pending, [](Access &access) {
    access.phase = access.slots = 0;
    return true;
  });
}

class BarrierInserter {
public:
  LogicalResult run(gpu::GPUFuncOp func);

private:
  LogicalResult visitBlock(Block &block, Pending &pending);
  LogicalResult visitOp(Operation *op, Pending &pending);
  LogicalResult visitLoop(scf::ForOp loop, Pending &pending);
  LogicalResult visitBranch(scf::IfOp branch, Pending &pending);
  FailureOr<bool> isBarrierMissing(scf::ForOp loop, const Pending &steady,
                                   Pending entering);
  FailureOr<bool> isBarrierMissing(scf::IfOp branch, const Pending &pending);
  LogicalResult addBarrier(Operation *op, Pending &pending);

  /// Only find out whether a barrier is missing.
  bool dry = false;
  bool missing = false;
};

} // namespace

/// The ring's slot that `op` accesses, if it says so.
static void setPhase(Operation *op, Access &access) {
  auto attr = op->getAttrOfType<DenseI64ArrayAttr>(tile::kPhaseAttrName);
  if (!attr)
    return;
  access.slots = attr[1];
  access.phase = attr[0] % attr[1];
}

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

/// Reads global memory, which threads of a kernel do not share: it is read or
/// written, not both.
static bool isGlobalLoad(Operation *op) {
  return isa<vector::LoadOp, memref::LoadOp>(op) &&
         !isShared(op->getOperand(0));
}

/// All threads of the block compute the same value: it depends on constants,
/// arguments, what they point to and the block's position only.
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
        op->getNumRegions() || !(isMemoryEffectFree(op) || isGlobalLoad(op)))
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
  // A block arrives as a whole.
  if (isa<gpu::BarrierOp, tile::ArriveOp>(op)) {
    passBarrier(pending);
    return success();
  }
  if (isa<NVVM::CpAsyncCommitGroupOp>(op)) {
    closeGroup(pending);
    return success();
  }
  if (auto wait = dyn_cast<NVVM::CpAsyncWaitGroupOp>(op)) {
    waitForGroups(pending, wait.getN());
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
          isShared(value)) {
        Access access = resolve(value, isWrite, group);
        setPhase(op, access);
        if (isWrite && isa<nvgpu::DeviceAsyncCopyOp>(op))
          access.age = 0;
        accesses.push_back(access);
      }
    }
  } else if (llvm::any_of(op->getOperands(), [](Value v) {
               return isa<MemRefType>(v.getType()) && isShared(v);
             })) {
    return op->emitError("expected an op with known memory effects on shared "
                         "memory but got '")
           << op->getName() << "'";
  }
  bool conflict = false;
  for (const Access &access : accesses)
    for (const Access &earlier : pending) {
      if (!access.conflictsWith(earlier))
        continue;
      conflict = true;
      if (earlier.isUnderWay())
        return op->emitError("expected a wait between an asynchronous copy and "
                             "an access of the same shared memory");
    }
  if (conflict && failed(addBarrier(op, pending)))
    return failure();
  pending.insert(accesses.begin(), accesses.end());
  return success();
}

/// Whether an iteration conflicts with what is pending in front of the loop.
FailureOr<bool> BarrierInserter::isBarrierMissing(scf::ForOp loop,
                                                  const Pending &steady,
                                                  Pending entering) {
  bool wasDry = std::exchange(dry, true),
       wasMissing = std::exchange(missing, false);
  entering.insert(steady.begin(), steady.end());
  // Copies may be under way for several iterations.
  size_t size;
  do {
    size = entering.size();
    Pending state = entering;
    if (failed(visitBlock(*loop.getBody(), state)))
      return failure();
    passBackEdge(state);
    entering.insert(state.begin(), state.end());
  } while (entering.size() != size);
  dry = wasDry;
  return std::exchange(missing, wasMissing);
}

LogicalResult BarrierInserter::visitLoop(scf::ForOp loop, Pending &pending) {
  // A run of elements is one access.
  if (loop->hasAttr(kCopyAttrName))
    return visitBlock(*loop.getBody(), pending);
  // First what iterations owe each other. A barrier that one walk puts in is
  // there for the next one.
  Pending steady;
  while (true) {
    Pending state = steady;
    if (failed(visitBlock(*loop.getBody(), state)))
      return failure();
    passBackEdge(state);
    Pending joined = steady;
    joined.insert(state.begin(), state.end());
    if (joined == steady)
      break;
    steady = std::move(joined);
  }
  // Then what they owe to the code in front: one barrier there, instead of one
  // an iteration.
  FailureOr<bool> barrier = isBarrierMissing(loop, steady, pending);
  if (failed(barrier))
    return failure();
  if (*barrier) {
    if (failed(addBarrier(loop, pending)))
      return failure();
    barrier = isBarrierMissing(loop, steady, pending);
    if (failed(barrier))
      return failure();
    if (*barrier)
      return loop.emitError("expected asynchronous copies in front of the loop "
                            "to be ordered like those inside");
  }
  // No iteration at all, or the end of the last one.
  pending.insert(steady.begin(), steady.end());
  leaveLoop(pending);
  return success();
}

/// Whether the branch conflicts with what is pending in front of it.
FailureOr<bool> BarrierInserter::isBarrierMissing(scf::IfOp branch,
                                                  const Pending &pending) {
  bool wasDry = std::exchange(dry, true),
       wasMissing = std::exchange(missing, false);
  for (Region *region : branch.getRegions()) {
    Pending state = pending;
    if (!region->empty() && failed(visitBlock(region->front(), state)))
      return failure();
  }
  dry = wasDry;
  return std::exchange(missing, wasMissing);
}

/// Puts a barrier in front of `op`, or notes that one is missing.
LogicalResult BarrierInserter::addBarrier(Operation *op, Pending &pending) {
  passBarrier(pending);
  missing |= dry;
  if (dry)
    return success();
  if (isInDivergentBranch(op))
    return op->emitError("expected no conflicting shared memory access in a "
                         "branch that threads may take differently");
  OpBuilder builder(op);
  gpu::BarrierOp::create(builder, op->getLoc());
  return success();
}

LogicalResult BarrierInserter::visitBranch(scf::IfOp branch, Pending &pending) {
  // What threads may take differently holds no barrier: one stands in front.
  if (!isUniform(branch.getCondition())) {
    FailureOr<bool> barrier = isBarrierMissing(branch, pending);
    if (failed(barrier))
      return failure();
    if (*barrier && failed(addBarrier(branch, pending)))
      return failure();
  }
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
