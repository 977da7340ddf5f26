//===- HostProgram.cpp - Launching a compiled function --------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads the kernels of a function in host form and turns a call into a list of
// launches. All faults of the form are found here, before anything runs.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Runtime/HostProgram.h"

#include "HostInterpreter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::cleave;

llvm::Error LaunchPlan::run(Driver &driver) const {
  for (const Launch &launch : launches)
    if (llvm::Error error =
            driver.launch(launch.function, launch.config, launch.params))
      return llvm::createStringError("kernel '" + launch.kernel +
                                     "': " + llvm::toString(std::move(error)));
  return llvm::Error::success();
}

HostProgram::~HostProgram() {
  for (auto &[name, module] : modules)
    driver.unloadModule(module);
}

FailureOr<std::unique_ptr<HostProgram>> HostProgram::create(func::FuncOp func,
                                                            Driver &driver) {
  if (func.isDeclaration() || !llvm::hasSingleElement(func.getBody()))
    return func.emitOpError("expected a body of one block");
  if (func.getNumResults())
    return func.emitOpError(
        "expected results as trailing arguments in the host form");
  for (auto [i, type] : llvm::enumerate(func.getArgumentTypes())) {
    auto memref = dyn_cast<MemRefType>(type);
    if (!memref || !memref.getLayout().isIdentity())
      return func.emitOpError("expected argument ")
             << i << " to be a row-major memref but got " << type;
  }
  std::unique_ptr<HostProgram> program(new HostProgram(func, driver));
  WalkResult walk = func.getBody().walk([&](Operation *op) -> WalkResult {
    if (!HostInterpreter::isSupported(op))
      return op->emitOpError("is not supported in the host form");
    auto launch = dyn_cast<gpu::LaunchFuncOp>(op);
    return launch ? program->load(launch) : success();
  });
  if (walk.wasInterrupted())
    return failure();
  return program;
}

FailureOr<Driver::Module> HostProgram::loadBinary(gpu::BinaryOp binary) {
  // Objects for several chips may stand side by side: the first that the
  // device accepts is taken.
  std::string reason;
  for (Attribute attr : binary.getObjects()) {
    auto object = dyn_cast<gpu::ObjectAttr>(attr);
    if (!object)
      continue;
    llvm::Expected<Driver::Module> module =
        driver.loadModule(object.getObject().getValue());
    if (module)
      return *module;
    reason = llvm::toString(module.takeError());
  }
  return binary.emitOpError("has no object for this device: ") << reason;
}

/// Drivers of real devices take no MLIR and say so.
FailureOr<Driver::Module> HostProgram::loadSource(gpu::GPUModuleOp source) {
  std::string image;
  llvm::raw_string_ostream os(image);
  source->print(os, OpPrintingFlags().useLocalScope());
  llvm::Expected<Driver::Module> module = driver.loadModule(image);
  if (!module)
    return source.emitOpError() << llvm::toString(module.takeError());
  return *module;
}

LogicalResult HostProgram::load(gpu::LaunchFuncOp launch) {
  std::string moduleName = launch.getKernelModuleName().str();
  std::string kernelName = launch.getKernelName().str();
  if (!modules.count(moduleName)) {
    Operation *symbol = SymbolTable::lookupNearestSymbolFrom(
        launch, launch.getKernelModuleName());
    auto source = dyn_cast_or_null<gpu::GPUModuleOp>(symbol);
    auto binary = dyn_cast_or_null<gpu::BinaryOp>(symbol);
    if (!binary && !source)
      return launch.emitOpError("expected gpu.binary '@")
             << moduleName << "' but got "
             << (symbol ? symbol->getName().getStringRef() : "nothing");
    FailureOr<Driver::Module> module =
        binary ? loadBinary(binary) : loadSource(source);
    if (failed(module))
      return failure();
    modules[moduleName] = *module;
  }
  llvm::Expected<Driver::Function> function =
      driver.getFunction(modules[moduleName], kernelName);
  if (!function)
    return launch.emitOpError() << llvm::toString(function.takeError());
  functions[moduleName + "::" + kernelName] = *function;
  return success();
}

FailureOr<LaunchPlan> HostProgram::plan(ArrayRef<DeviceArray> arguments) {
  return HostInterpreter(*this).run(arguments);
}
