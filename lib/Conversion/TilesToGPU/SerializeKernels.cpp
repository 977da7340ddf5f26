//===- SerializeKernels.cpp - Kernels to PTX and cubins ----------*- C++
//-*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// Stage: the last; kernels are in LLVM with NVVM and have their target.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Conversion/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "llvm/ADT/StringSwitch.h"

namespace mlir::cleave {
#define GEN_PASS_DEF_SERIALIZEKERNELSPASS
#include "Cleave/Conversion/Passes.h.inc"
} // namespace mlir::cleave

using namespace mlir;

/// Upstream notes how long it took; that would make equal binaries differ.
static gpu::ObjectAttr dropTimes(gpu::ObjectAttr object) {
  if (!object.getProperties())
    return object;
  SmallVector<NamedAttribute> properties;
  for (NamedAttribute property : object.getProperties())
    if (!property.getName().getValue().ends_with("TimeInMs"))
      properties.push_back(property);
  MLIRContext *context = object.getContext();
  return gpu::ObjectAttr::get(
      context, object.getTarget(), object.getFormat(), object.getObject(),
      DictionaryAttr::get(context, properties), object.getKernels());
}

namespace {
struct SerializeKernelsPass
    : cleave::impl::SerializeKernelsPassBase<SerializeKernelsPass> {
  using SerializeKernelsPassBase::SerializeKernelsPassBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    SerializeKernelsPassBase::getDependentDialects(registry);
    registerAllGPUToLLVMIRTranslations(registry);
  }

  void runOnOperation() override;
  LogicalResult clean(gpu::BinaryOp binary);
};
} // namespace

/// A toolkit that does not work makes upstream print an error and go on.
LogicalResult SerializeKernelsPass::clean(gpu::BinaryOp binary) {
  SmallVector<Attribute> objects;
  for (Attribute attr : binary.getObjects()) {
    auto object = dyn_cast<gpu::ObjectAttr>(attr);
    if (!object || object.getObject().getValue().empty())
      return emitError(binary.getLoc(),
                       "expected kernels to be serialized but got an "
                       "empty object");
    objects.push_back(dropTimes(object));
  }
  binary.setObjectsAttr(ArrayAttr::get(&getContext(), objects));
  return success();
}

void SerializeKernelsPass::runOnOperation() {
  std::optional<gpu::CompilationTarget> target =
      llvm::StringSwitch<std::optional<gpu::CompilationTarget>>(format)
          .Case("bin", gpu::CompilationTarget::Binary)
          .Case("isa", gpu::CompilationTarget::Assembly)
          .Case("fatbin", gpu::CompilationTarget::Fatbin)
          .Case("llvm", gpu::CompilationTarget::Offload)
          .Default(std::nullopt);
  if (!target) {
    emitError(getOperation().getLoc(),
              "expected format to be bin, isa, fatbin or llvm but got '")
        << format << "'";
    return signalPassFailure();
  }
  for (auto module : getOperation().getOps<gpu::GPUModuleOp>()) {
    if (module.getTargetsAttr() && !module.getTargetsAttr().empty())
      continue;
    emitError(module.getLoc(), "expected a target on the module");
    return signalPassFailure();
  }
  gpu::TargetOptions options(/*toolkitPath=*/{}, /*librariesToLink=*/{},
                             /*cmdOptions=*/{}, /*elfSection=*/{}, *target);
  if (failed(gpu::transformGpuModulesToBinaries(getOperation(),
                                                /*handler=*/nullptr, options)))
    return signalPassFailure();
  for (auto binary : getOperation().getOps<gpu::BinaryOp>())
    if (failed(clean(binary)))
      return signalPassFailure();
}
