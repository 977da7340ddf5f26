//===- OverlapLaunches.cpp - Kernels that start early ---------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: kernels in LLVM with NVVM. Every thread of every kernel waits, so a
// grid that has ended means that all grids before it have.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Conversion/Passes.h"
#include "KernelInfo.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::cleave {
#define GEN_PASS_DEF_OVERLAPLAUNCHESPASS
#include "Cleave/Conversion/Passes.h.inc"
} // namespace mlir::cleave

using namespace mlir;

static bool hasGridControl(gpu::GPUModuleOp module) {
  ArrayAttr targets = module.getTargetsAttr();
  return targets && !targets.empty() &&
         llvm::all_of(targets, [](Attribute attr) {
           auto target = dyn_cast<NVVM::NVVMTargetAttr>(attr);
           unsigned version = 0;
           return target &&
                  !target.getChip().drop_front(3).consumeInteger(10, version) &&
                  version >= 90;
         });
}

/// The entry block is run by all threads: the wait stands there, in front of
/// what may touch memory.
static void addWait(LLVM::LLVMFuncOp kernel) {
  Block &entry = kernel.getBody().front();
  Operation &first = *llvm::find_if(entry, [](Operation &op) {
    return op.hasTrait<OpTrait::IsTerminator>() || !isMemoryEffectFree(&op);
  });
  ImplicitLocOpBuilder b(kernel.getLoc(), &first);
  auto dialect =
      LLVM::AsmDialectAttr::get(b.getContext(), LLVM::AsmDialect::AD_ATT);
  // The intrinsic would let LLVM move accesses across it.
  LLVM::InlineAsmOp::create(b, TypeRange(), ValueRange(),
                            "griddepcontrol.wait;", "~{memory}",
                            /*has_side_effects=*/true, /*is_align_stack=*/false,
                            LLVM::tailcallkind::TailCallKind::None, dialect,
                            /*operand_attrs=*/ArrayAttr());
}

/// Where the results are stored, behind all loops: blocks of the next grid take
/// the places of those that have ended, and too early they would crowd the
/// multiprocessors that have nothing to do.
static void addTrigger(LLVM::LLVMFuncOp kernel) {
  DominanceInfo dominance;
  Block *place = nullptr;
  kernel.walk([&](LLVM::StoreOp store) {
    if (store.getAddr().getType().getAddressSpace() ==
        unsigned(NVVM::NVVMMemorySpace::Shared))
      return;
    Block *block = store->getBlock();
    place = place ? dominance.findNearestCommonDominator(place, block) : block;
  });
  while (place && place->isReachable(place))
    place = dominance.getNode(place)->getIDom()->getBlock();
  if (!place)
    return;
  Operation &first = *llvm::find_if(*place, [](Operation &op) {
    return op.hasTrait<OpTrait::IsTerminator>() || isa<LLVM::StoreOp>(op);
  });
  OpBuilder b(&first);
  NVVM::GriddepcontrolOp::create(b, kernel.getLoc(),
                                 NVVM::GridDepActionKind::launch_dependents);
}

namespace {
struct OverlapLaunchesPass
    : cleave::impl::OverlapLaunchesPassBase<OverlapLaunchesPass> {
  void runOnOperation() override {
    SymbolTableCollection symbols;
    DenseSet<Operation *> changed;
    getOperation().walk([&](gpu::LaunchFuncOp launch) {
      auto kernel = symbols.lookupNearestSymbolFrom<LLVM::LLVMFuncOp>(
          launch, launch.getKernelAttr());
      if (!kernel ||
          !hasGridControl(kernel->getParentOfType<gpu::GPUModuleOp>()))
        return;
      if (changed.insert(kernel).second) {
        addWait(kernel);
        addTrigger(kernel);
      }
      launch->setAttr(cleave::kOverlapAttrName, UnitAttr::get(&getContext()));
    });
  }
};
} // namespace
