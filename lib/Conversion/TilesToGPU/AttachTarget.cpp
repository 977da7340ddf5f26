//===- AttachTarget.cpp - The NVVM target of kernels ------------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: before serialisation. LLVM aborts on a chip or PTX version that it
// does not know, so they are checked here.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Conversion/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Target/LLVM/NVVM/Target.h"

namespace mlir::cleave {
#define GEN_PASS_DEF_ATTACHTARGETPASS
#include "Cleave/Conversion/Passes.h.inc"
} // namespace mlir::cleave

using namespace mlir;

namespace {
struct AttachTargetPass : cleave::impl::AttachTargetPassBase<AttachTargetPass> {
  using AttachTargetPassBase::AttachTargetPassBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    AttachTargetPassBase::getDependentDialects(registry);
    NVVM::registerNVVMTargetInterfaceExternalModels(registry);
  }

  void runOnOperation() override {
    if (chip != "sm_80" && chip != "sm_90a") {
      emitError(getOperation().getLoc(),
                "expected chip to be sm_80 or sm_90a but got '")
          << chip << "'";
      return signalPassFailure();
    }
    auto target = NVVM::NVVMTargetAttr::get(
        &getContext(), /*optLevel=*/3, "nvptx64-nvidia-cuda", chip, "+ptx80",
        /*flags=*/DictionaryAttr(), /*linkFiles=*/ArrayAttr());
    for (auto module : getOperation().getOps<gpu::GPUModuleOp>())
      module.setTargetsAttr(ArrayAttr::get(&getContext(), {target}));
  }
};
} // namespace
