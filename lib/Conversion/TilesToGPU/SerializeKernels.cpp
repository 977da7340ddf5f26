//===- SerializeKernels.cpp - Kernels to PTX and cubins ---------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: the last; kernels are in LLVM with NVVM and have their target.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Conversion/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Threading.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "llvm/ADT/STLExtras.h"
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
};

/// A module and what becomes of it.
struct Task {
  gpu::GPUModuleOp module;
  SmallVector<Attribute> objects;

  LogicalResult run(const gpu::TargetOptions &options);
};
} // namespace

/// A toolkit that does not work makes upstream print an error and go on.
LogicalResult Task::run(const gpu::TargetOptions &options) {
  for (Attribute attr : module.getTargetsAttr()) {
    auto target = cast<gpu::TargetAttrInterface>(attr);
    std::optional<SmallVector<char, 0>> bytes =
        target.serializeToObject(module, options);
    if (!bytes || bytes->empty())
      return emitError(module.getLoc(),
                       "expected kernels to be serialized but got nothing");
    Attribute object = target.createObject(module, *bytes, options);
    objects.push_back(dropTimes(cast<gpu::ObjectAttr>(object)));
  }
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
  SmallVector<Task> tasks;
  for (auto module : getOperation().getOps<gpu::GPUModuleOp>()) {
    if (!module.getTargetsAttr() || module.getTargetsAttr().empty()) {
      emitError(module.getLoc(), "expected a target on the module");
      return signalPassFailure();
    }
    tasks.push_back({module, {}});
  }
  gpu::TargetOptions options(/*toolkitPath=*/{}, /*librariesToLink=*/{},
                             /*cmdOptions=*/{}, /*elfSection=*/{}, *target);
  // The largest first: nobody waits for one that began last.
  SmallVector<std::pair<int64_t, Task *>> bySize;
  for (Task &task : tasks) {
    int64_t size = 0;
    task.module.walk([&](Operation *) { --size; });
    bySize.emplace_back(size, &task);
  }
  llvm::stable_sort(bySize, llvm::less_first());
  if (failed(failableParallelForEach(&getContext(), bySize, [&](auto &next) {
        return next.second->run(options);
      })))
    return signalPassFailure();
  for (Task &task : tasks) {
    OpBuilder b(task.module);
    gpu::BinaryOp::create(b, task.module.getLoc(), task.module.getName(),
                          /*offloadingHandler=*/nullptr,
                          b.getArrayAttr(task.objects));
    task.module.erase();
  }
}
