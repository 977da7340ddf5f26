//===- Executor.h - What runs a function ------------------------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One compiled function that takes any extents. All errors are emitted as
// diagnostics.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_TOOLS_CLEAVE_RUN_EXECUTOR_H
#define CLEAVE_TOOLS_CLEAVE_RUN_EXECUTOR_H

#include "Options.h"

#include "Cleave/Evaluator/Evaluator.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::cleave {

class Driver;

struct RunTime {
  double medianMicroseconds = 0;
  /// Calls that were measured.
  int64_t calls = 0;
};

class Executor {
public:
  virtual ~Executor() = default;

  /// Writes into the results, which have their shapes and hold poison.
  virtual LogicalResult run(ArrayRef<HostArray> arguments,
                            MutableArrayRef<HostArray> results,
                            const Bindings &extents) = 0;

  /// Measures calls on arguments like these; by default on the very same.
  virtual FailureOr<RunTime> time(ArrayRef<HostArray> arguments,
                                  MutableArrayRef<HostArray> results,
                                  const Bindings &extents);
};

/// Interprets the source function, rounding as the numbers contract says.
std::unique_ptr<Executor> createEvaluatorExecutor(func::FuncOp source,
                                                  const RunOptions &options);

#ifndef CLEAVE_STATIC
/// Compiles `module` (any form up to loops over memrefs) to native code.
FailureOr<std::unique_ptr<Executor>>
createCpuExecutor(ModuleOp module, StringRef entry, const RunOptions &options);
#endif

/// Compiles `module` (any form up to the host form) for the first GPU.
FailureOr<std::unique_ptr<Executor>>
createCudaExecutor(ModuleOp module, StringRef entry, const RunOptions &options);

/// The chip of the first GPU, as --chip has it.
FailureOr<std::string> findDeviceChip(Location location);

/// Compiles `module` to the host form where that has not been done, for the
/// chip of the options, else `defaultChip`. Returns the function.
FailureOr<func::FuncOp> compileToHostForm(ModuleOp module, StringRef entry,
                                          const RunOptions &options,
                                          StringRef defaultChip);

/// Runs a pipeline given as text; a pipeline that does not exist is an error.
LogicalResult runPipeline(ModuleOp module, StringRef pipeline);

/// Whether a function still is in the cleave dialect, and whether its types
/// are plain tensors.
bool isCleaveFunction(func::FuncOp function);
bool isOnTensors(func::FuncOp function);

} // namespace mlir::cleave

#endif // CLEAVE_TOOLS_CLEAVE_RUN_EXECUTOR_H
