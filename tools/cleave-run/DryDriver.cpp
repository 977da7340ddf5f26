//===- DryDriver.cpp - A driver that does nothing -------------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For --dry-run: addresses without memory behind them, so that a program's
// launches can be seen where there is no GPU.
//
//===----------------------------------------------------------------------===//

#include "DryRun.h"

using namespace mlir;
using namespace mlir::cleave;

namespace {

class DryDriver final : public Driver {
public:
  DeviceInfo getInfo() override { return {"none", "", 0, 0}; }
  llvm::Expected<Module> loadModule(StringRef image) override {
    if (image.empty())
      return llvm::createStringError("the kernels are empty");
    return this;
  }
  void unloadModule(Module) override {}
  llvm::Expected<Function> getFunction(Module, StringRef) override {
    return this;
  }
  llvm::Error reserveSharedMemory(Function, int64_t) override {
    return llvm::Error::success();
  }
  llvm::Expected<DevicePointer> allocate(int64_t bytes) override {
    DevicePointer pointer = next;
    next += llvm::alignTo(bytes, 256);
    return pointer;
  }
  void release(DevicePointer) override {}
  llvm::Error copyToDevice(DevicePointer, ArrayRef<char>) override {
    return llvm::Error::success();
  }
  llvm::Error copyToHost(MutableArrayRef<char>, DevicePointer) override {
    return llvm::Error::success();
  }
  llvm::Error fill(DevicePointer, uint8_t, int64_t) override {
    return llvm::Error::success();
  }
  llvm::Error launch(Function, const LaunchConfig &,
                     ArrayRef<uint64_t>) override {
    return llvm::Error::success();
  }
  llvm::Error synchronize() override { return llvm::Error::success(); }
  llvm::Error beginCapture() override { return llvm::Error::success(); }
  llvm::Expected<Graph> endCapture() override { return nullptr; }
  llvm::Error launchGraph(Graph) override { return llvm::Error::success(); }
  void destroyGraph(Graph) override {}
  llvm::Error recordMark(unsigned) override { return llvm::Error::success(); }
  llvm::Expected<double> elapsedMicroseconds(unsigned, unsigned) override {
    return 0.0;
  }

private:
  DevicePointer next = 1 << 20;
};

} // namespace

std::unique_ptr<Driver> mlir::cleave::createDryDriver() {
  return std::make_unique<DryDriver>();
}
