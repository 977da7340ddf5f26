//===- EmulatedDriver.cpp - A device without a device ---------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cleave/Emulator/Emulator.h"
#include "Kernel.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Parser/Parser.h"
#include <cstring>
#include <list>

using namespace mlir;
using namespace mlir::cleave;
using namespace mlir::cleave::emulator;

namespace {

class Emulator final : public EmulatedDriver {
public:
  explicit Emulator(const EmulatorOptions &options) : options(options) {
    context.loadDialect<DLTIDialect, gpu::GPUDialect, LLVM::LLVMDialect,
                        NVVM::NVVMDialect>();
  }

  EmulatedCounts getCounts() const override { return counts; }
  /// As much shared memory as sm_90 has.
  DeviceInfo getInfo() override {
    return {"emulator", "sm_90", 1, 0, kMostSharedBytes};
  }

  llvm::Expected<Module> loadModule(StringRef image) override;
  void unloadModule(Module) override {}
  llvm::Expected<Function> getFunction(Module module, StringRef name) override;
  llvm::Error reserveSharedMemory(Function, int64_t) override {
    return llvm::Error::success();
  }

  llvm::Expected<DevicePointer> allocate(int64_t bytes) override {
    return memory.allocate(bytes);
  }
  void release(DevicePointer pointer) override { memory.release(pointer); }
  llvm::Error copyToDevice(DevicePointer to, ArrayRef<char> from) override {
    if (!from.empty())
      std::memcpy(reinterpret_cast<char *>(to), from.data(), from.size());
    return llvm::Error::success();
  }
  llvm::Error copyToHost(MutableArrayRef<char> to,
                         DevicePointer from) override {
    if (!to.empty())
      std::memcpy(to.data(), reinterpret_cast<const char *>(from), to.size());
    return llvm::Error::success();
  }
  llvm::Error fill(DevicePointer to, uint8_t byte, int64_t count) override {
    std::memset(reinterpret_cast<char *>(to), byte, count);
    return llvm::Error::success();
  }

  llvm::Error launch(Function function, const LaunchConfig &config,
                     ArrayRef<uint64_t> params) override;
  llvm::Error synchronize() override { return llvm::Error::success(); }

  llvm::Error beginCapture() override { return refuse(); }
  llvm::Expected<Graph> endCapture() override { return refuse(); }
  llvm::Error launchGraph(Graph) override { return refuse(); }
  void destroyGraph(Graph) override {}
  llvm::Error recordMark(unsigned) override { return refuse(); }
  llvm::Expected<double> elapsedMicroseconds(unsigned, unsigned) override {
    return refuse();
  }

private:
  static constexpr int64_t kMostSharedBytes = 227 * 1024;

  static llvm::Error refuse() {
    return llvm::createStringError("the emulator has no time");
  }

  EmulatorOptions options;
  EmulatedCounts counts;
  MLIRContext context;
  /// Instructions point to operations.
  std::list<OwningOpRef<ModuleOp>> sources;
  std::list<std::vector<Kernel>> modules;
  DeviceMemory memory;
};

} // namespace

llvm::Expected<Driver::Module> Emulator::loadModule(StringRef image) {
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (message.empty())
      message = diagnostic.str();
    return success();
  });
  OwningOpRef<ModuleOp> source = parseSourceString<ModuleOp>(image, &context);
  if (!source)
    return llvm::createStringError(message);
  std::vector<Kernel> kernels;
  for (auto module : source->getOps<gpu::GPUModuleOp>()) {
    FailureOr<std::vector<Kernel>> more =
        translateKernels(module, options, counts);
    if (failed(more))
      return llvm::createStringError(message);
    llvm::append_range(kernels, std::move(*more));
  }
  sources.push_back(std::move(source));
  modules.push_back(std::move(kernels));
  return &modules.back();
}

llvm::Expected<Driver::Function> Emulator::getFunction(Module module,
                                                       StringRef name) {
  for (Kernel &kernel : *static_cast<std::vector<Kernel> *>(module))
    if (kernel.name == name)
      return &kernel;
  return llvm::createStringError("there is no kernel '" + name + "'");
}

llvm::Error Emulator::launch(Function function, const LaunchConfig &config,
                             ArrayRef<uint64_t> params) {
  auto &kernel = *static_cast<Kernel *>(function);
  if (params.size() != kernel.arguments.size())
    return llvm::createStringError(
        "expected " + Twine(kernel.arguments.size()) + " parameters but got " +
        Twine(params.size()));
  memory.startLaunch();
  ThreadBlock block(kernel, memory, config.grid, config.block,
                    config.sharedBytes, options.maxInstructions);
  int64_t blocks = config.grid[0] * config.grid[1] * config.grid[2];
  for (int64_t i = 0; i < blocks; ++i) {
    int64_t number = options.lastBlockFirst ? blocks - 1 - i : i;
    memory.startBlock(number);
    if (llvm::Error error = block.run(
            {number % config.grid[0], number / config.grid[0] % config.grid[1],
             number / config.grid[0] / config.grid[1]},
            params))
      return error;
  }
  return llvm::Error::success();
}

std::unique_ptr<EmulatedDriver>
EmulatedDriver::create(const EmulatorOptions &options) {
  return std::make_unique<Emulator>(options);
}
