//===- ShareLaunches.cpp - Independent kernels in one launch --------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: after tiles are distributed, while control flow is structured. The
// schedule says which kernels do not depend on each other; here the blocks of
// one become the first blocks of a common grid, those of the other the rest.
// Each block runs one body, so barriers stay uniform.
//
//===----------------------------------------------------------------------===//

#include "KernelInfo.h"

#include "Cleave/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::cleave {
#define GEN_PASS_DEF_SHARELAUNCHESPASS
#include "Cleave/Conversion/Passes.h.inc"
} // namespace mlir::cleave

using namespace mlir;
using namespace mlir::cleave;

namespace {
/// Puts the blocks of `second` behind those of `first`.
class LaunchMerger {
public:
  LaunchMerger(gpu::LaunchFuncOp first, gpu::LaunchFuncOp second,
               gpu::GPUFuncOp kernel, gpu::GPUFuncOp other)
      : first(first), second(second), kernel(kernel), other(other) {}

  LogicalResult run();

private:
  void shareMemory();
  SmallVector<Value> mapArguments(SmallVectorImpl<Value> &operands);
  Value getCount(OpBuilder &b, SmallVectorImpl<Value> &operands);
  void moveBodies(ValueRange arguments, Value count);

  gpu::LaunchFuncOp first, second;
  gpu::GPUFuncOp kernel, other;
};
} // namespace

/// A block uses the shared memory of one of them only: as much as the larger.
void LaunchMerger::shareMemory() {
  if (other.getNumWorkgroupAttributions() == 0)
    return;
  BlockArgument theirs = other.getWorkgroupAttributions().front();
  auto type = cast<MemRefType>(theirs.getType());
  if (kernel.getNumWorkgroupAttributions() == 0) {
    BlockArgument ours = kernel.addWorkgroupAttribution(type, kernel.getLoc());
    (void)ours;
    kernel.setWorkgroupAttributionAttr(
        0, "llvm.align", other.getWorkgroupAttributionAttr(0, "llvm.align"));
    return;
  }
  BlockArgument ours = kernel.getWorkgroupAttributions().front();
  if (cast<MemRefType>(ours.getType()).getNumElements() < type.getNumElements())
    ours.setType(type);
  auto getAlignment = [](gpu::GPUFuncOp func) {
    auto attr = dyn_cast_or_null<IntegerAttr>(
        func.getWorkgroupAttributionAttr(0, "llvm.align"));
    return attr ? attr.getInt() : 1;
  };
  kernel.setWorkgroupAttributionAttr(
      0, "llvm.align",
      OpBuilder(kernel).getI64IntegerAttr(
          std::max(getAlignment(kernel), getAlignment(other))));
}

/// The arguments of the common kernel that stand for those of the other one.
SmallVector<Value>
LaunchMerger::mapArguments(SmallVectorImpl<Value> &operands) {
  SmallVector<Value> arguments;
  for (Value operand : second.getKernelOperands()) {
    auto *known = llvm::find(operands, operand);
    unsigned number = known - operands.begin();
    if (known == operands.end()) {
      operands.push_back(operand);
      (void)kernel.insertArgument(number, operand.getType(), {},
                                  operand.getLoc());
    }
    arguments.push_back(kernel.getArgument(number));
  }
  return arguments;
}

/// The number of the first kernel's blocks, known in the kernel.
Value LaunchMerger::getCount(OpBuilder &b, SmallVectorImpl<Value> &operands) {
  Value size = first.getGridSizeX();
  IntegerAttr constant;
  if (matchPattern(size, m_Constant(&constant)))
    return arith::ConstantIndexOp::create(b, first.getLoc(), constant.getInt());
  auto *known = llvm::find(operands, size);
  unsigned number = known - operands.begin();
  if (known == operands.end()) {
    operands.push_back(size);
    (void)kernel.insertArgument(number, size.getType(), {}, size.getLoc());
  }
  return kernel.getArgument(number);
}

void LaunchMerger::moveBodies(ValueRange arguments, Value count) {
  Location loc = kernel.getLoc();
  Block &entry = kernel.getBody().front(), &rest = other.getBody().front();
  for (auto [theirs, ours] :
       llvm::zip(rest.getArguments().take_front(arguments.size()), arguments))
    theirs.replaceAllUsesWith(ours);
  if (other.getNumWorkgroupAttributions()) {
    Value theirs = other.getWorkgroupAttributions().front();
    theirs.replaceAllUsesWith(kernel.getWorkgroupAttributions().front());
  }
  Operation *terminator = entry.getTerminator();
  // What the count needs stands in front of both bodies.
  SmallVector<Operation *> ours;
  for (Operation &op : entry.without_terminator())
    if (&op != count.getDefiningOp())
      ours.push_back(&op);
  OpBuilder b(terminator);
  Value id = gpu::BlockIdOp::create(b, loc, gpu::Dimension::x);
  Value isFirst =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, id, count);
  auto branch = scf::IfOp::create(b, loc, isFirst, /*withElseRegion=*/true);
  for (Operation *op : ours)
    op->moveBefore(branch.thenYield());
  b.setInsertionPointToStart(branch.elseBlock());
  Value behind = arith::SubIOp::create(b, loc, id, count);
  for (Operation &op : llvm::make_early_inc_range(rest.without_terminator()))
    op.moveBefore(branch.elseYield());
  branch.elseBlock()->walk([&](gpu::BlockIdOp theirs) {
    theirs.replaceAllUsesWith(behind);
    theirs.erase();
  });
}

LogicalResult LaunchMerger::run() {
  FailureOr<int64_t> ours = getKernelWarps(kernel);
  FailureOr<int64_t> theirs = getKernelWarps(other);
  if (failed(ours) || failed(theirs))
    return failure();
  if (*ours != *theirs)
    return second.emitError("expected kernels of one launch to have equally "
                            "many warps but got ")
           << *ours << " and " << *theirs;
  if (!kernel.getBody().hasOneBlock() || !other.getBody().hasOneBlock())
    return second.emitError("expected kernels of one block");
  shareMemory();
  SmallVector<Value> operands(first.getKernelOperands());
  SmallVector<Value> arguments = mapArguments(operands);
  OpBuilder kb = OpBuilder::atBlockBegin(&kernel.getBody().front());
  Value count = getCount(kb, operands);
  moveBodies(arguments, count);
  OpBuilder b(second);
  Value blocks = arith::AddIOp::create(b, second.getLoc(), first.getGridSizeX(),
                                       second.getGridSizeX());
  gpu::KernelDim3 grid{blocks, second.getGridSizeY(), second.getGridSizeZ()};
  gpu::KernelDim3 block{second.getBlockSizeX(), second.getBlockSizeY(),
                        second.getBlockSizeZ()};
  gpu::LaunchFuncOp::create(b, second.getLoc(), kernel, grid, block, Value(),
                            operands);
  return success();
}

namespace {
struct ShareLaunchesPass
    : cleave::impl::ShareLaunchesPassBase<ShareLaunchesPass> {
  void runOnOperation() override {
    merged.clear();
    for (auto host : getOperation().getOps<func::FuncOp>()) {
      WalkResult result = host.walk<WalkOrder::PreOrder>(
          [&](Block *block) { return WalkResult(shareIn(*block)); });
      if (result.wasInterrupted())
        return signalPassFailure();
    }
    DenseSet<Operation *> launched;
    getOperation().walk(
        [&](gpu::LaunchFuncOp launch) { launched.insert(getKernel(launch)); });
    for (Operation *kernel : merged)
      if (!launched.count(kernel))
        kernel->erase();
  }

  /// Launches of one block follow each other.
  LogicalResult shareIn(Block &block) {
    SmallVector<gpu::LaunchFuncOp> launches(block.getOps<gpu::LaunchFuncOp>());
    // From the back: a merged launch may join the one before it.
    for (size_t i = launches.size(); i-- > 1;) {
      gpu::LaunchFuncOp first = launches[i - 1], second = launches[i];
      gpu::GPUFuncOp kernel = getKernel(first), other = getKernel(second);
      if (!kernel || !other || !other->hasAttr(kBesideAttrName))
        continue;
      // Others may launch the same kernels.
      gpu::GPUFuncOp common = clone(kernel), rest = clone(other);
      if (failed(LaunchMerger(first, second, common, rest).run()))
        return failure();
      launches[i - 1] = cast<gpu::LaunchFuncOp>(second->getPrevNode());
      first.erase();
      second.erase();
      rest.erase();
      merged.insert(kernel);
      merged.insert(other);
    }
    return success();
  }

  gpu::GPUFuncOp getKernel(gpu::LaunchFuncOp launch) {
    return SymbolTable::lookupNearestSymbolFrom<gpu::GPUFuncOp>(
        launch, launch.getKernelAttr());
  }

  /// A copy with a name of its own.
  gpu::GPUFuncOp clone(gpu::GPUFuncOp kernel) {
    OpBuilder b(kernel);
    b.setInsertionPointAfter(kernel);
    auto copy = cast<gpu::GPUFuncOp>(b.clone(*kernel));
    std::string name = kernel.getName().str();
    while (SymbolTable::lookupSymbolIn(kernel->getParentOp(),
                                       b.getStringAttr(name)))
      name += "_shared";
    copy.setName(name);
    return copy;
  }

  /// Kernels that are parts of others.
  SetVector<Operation *> merged;
};
} // namespace
