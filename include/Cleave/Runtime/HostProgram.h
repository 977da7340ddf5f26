//===- HostProgram.h - Launching a compiled function ------------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Interprets the host form (docs/scheduled-form.md): index arithmetic, device
// temporaries and kernel launches. No code is generated on the host: extents
// and grids are few integers, and the kernels are in `gpu.binary`.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_RUNTIME_HOSTPROGRAM_H
#define CLEAVE_RUNTIME_HOSTPROGRAM_H

#include "Cleave/Runtime/Driver.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Support/LLVM.h"
#include <map>
#include <vector>

namespace mlir::func {
class FuncOp;
} // namespace mlir::func

namespace mlir::gpu {
class BinaryOp;
class GPUModuleOp;
class LaunchFuncOp;
} // namespace mlir::gpu

namespace mlir::cleave {

/// A row-major array in device memory.
struct DeviceArray {
  DevicePointer pointer = 0;
  SmallVector<int64_t> shape;
};

/// The launches of one call with all sizes known. Owns the temporaries; may be
/// run any number of times.
class LaunchPlan {
public:
  struct Launch {
    std::string module;
    std::string kernel;
    Driver::Function function = nullptr;
    LaunchConfig config;
    SmallVector<uint64_t> params;
    /// Which parameters are addresses.
    SmallVector<unsigned> pointers;
  };

  ArrayRef<Launch> getLaunches() const { return launches; }
  ArrayRef<DeviceBuffer> getTemporaries() const { return temporaries; }

  /// Enqueues every launch in order.
  llvm::Error run(Driver &driver) const;

private:
  friend class HostInterpreter;
  std::vector<Launch> launches;
  std::vector<DeviceBuffer> temporaries;
};

class HostProgram {
public:
  /// Checks the function's form and loads its kernels. The driver and the IR
  /// must outlive the program. Emits an error on failure.
  static FailureOr<std::unique_ptr<HostProgram>> create(func::FuncOp func,
                                                        Driver &driver);
  ~HostProgram();

  /// Computes the launches for these arguments (results come last).
  FailureOr<LaunchPlan> plan(ArrayRef<DeviceArray> arguments);

private:
  friend class HostInterpreter;
  HostProgram(Operation *func, Driver &driver) : func(func), driver(driver) {}

  LogicalResult load(gpu::LaunchFuncOp launch);
  FailureOr<Driver::Module> loadBinary(gpu::BinaryOp binary);
  FailureOr<Driver::Module> loadSource(gpu::GPUModuleOp source);

  Operation *func;
  Driver &driver;
  std::map<std::string, Driver::Module> modules;
  /// By "module::kernel".
  std::map<std::string, Driver::Function> functions;
  /// What was reserved for a function so far.
  std::map<Driver::Function, int64_t> reserved;
};

} // namespace mlir::cleave

#endif // CLEAVE_RUNTIME_HOSTPROGRAM_H
