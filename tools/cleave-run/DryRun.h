//===- DryRun.h - A program's launches without a GPU ------------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For --dry-run. What it writes as JSON is all that another launcher needs.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_TOOLS_CLEAVE_RUN_DRYRUN_H
#define CLEAVE_TOOLS_CLEAVE_RUN_DRYRUN_H

#include "Options.h"

#include "Cleave/Evaluator/Signature.h"
#include "Cleave/Runtime/HostProgram.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/JSON.h"
#include <map>
#include <set>

namespace mlir::cleave {

/// A driver without a device: addresses without memory behind them.
class DryDriver final : public Driver {
public:
  /// As many multiprocessors as an H200 has: how grids overlap depends on it.
  DeviceInfo getInfo() override { return {"none", "", 132, 0}; }
  llvm::Expected<Module> loadModule(StringRef image) override;
  void unloadModule(Module) override {}
  llvm::Expected<Function> getFunction(Module, StringRef) override {
    return this;
  }
  llvm::Error reserveSharedMemory(Function, int64_t) override {
    return llvm::Error::success();
  }
  llvm::Expected<DevicePointer> allocate(int64_t bytes) override;
  void release(DevicePointer) override {}
  llvm::Error copyToDevice(DevicePointer, ArrayRef<char>) override {
    return llvm::Error::success();
  }
  llvm::Error copyToHost(MutableArrayRef<char>, DevicePointer) override {
    return llvm::Error::success();
  }
  llvm::Error fill(DevicePointer to, uint8_t byte, int64_t count) override;
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

  /// Whether what lies there was filled with zeros.
  bool isZero(DevicePointer pointer) const { return zeros.count(pointer); }

private:
  DevicePointer next = 1 << 20;
  std::set<DevicePointer> zeros;
};

class DryRun {
public:
  /// Compiles `module`, any form up to the host form.
  static FailureOr<std::unique_ptr<DryRun>>
  create(ModuleOp module, StringRef entry, const RunOptions &options);

  /// Prints and keeps the launches of one call.
  LogicalResult add(const Signature &signature, const Bindings &extents);

  /// The kernels and the launches kept, which are no longer here.
  llvm::json::Object take();

  /// Writes the kernels and the launches kept.
  LogicalResult write(StringRef path);

private:
  explicit DryRun(func::FuncOp function) : function(function) {}

  FailureOr<llvm::json::Array> addPorts(ArrayRef<Port> ports, StringRef role,
                                        const Bindings &extents);
  void addAliases(ArrayRef<Port> arguments, llvm::json::Array &results);
  llvm::json::Value describe(const LaunchPlan::Launch &launch) const;

  func::FuncOp function;
  DryDriver driver;
  std::unique_ptr<HostProgram> program;
  /// The buffers of the call at hand, and what JSON calls them.
  std::vector<DeviceBuffer> buffers;
  SmallVector<DeviceArray> arrays;
  std::map<DevicePointer, std::pair<std::string, int64_t>> names;
  llvm::json::Array runs;
};

} // namespace mlir::cleave

#endif // CLEAVE_TOOLS_CLEAVE_RUN_DRYRUN_H
