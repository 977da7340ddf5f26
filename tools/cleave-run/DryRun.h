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

namespace mlir::cleave {

/// A driver without a device.
std::unique_ptr<Driver> createDryDriver();

class DryRun {
public:
  /// Compiles `module`, any form up to the host form.
  static FailureOr<std::unique_ptr<DryRun>>
  create(ModuleOp module, StringRef entry, const RunOptions &options);

  /// Prints and keeps the launches of one call.
  LogicalResult add(const Signature &signature, const Bindings &extents);

  /// Writes the kernels and the launches kept.
  LogicalResult write(StringRef path);

private:
  explicit DryRun(func::FuncOp function)
      : function(function), driver(createDryDriver()) {}

  FailureOr<llvm::json::Array> addPorts(ArrayRef<Port> ports, StringRef role,
                                        const Bindings &extents);
  llvm::json::Value describe(const LaunchPlan::Launch &launch) const;

  func::FuncOp function;
  std::unique_ptr<Driver> driver;
  std::unique_ptr<HostProgram> program;
  /// The buffers of the call at hand, and what JSON calls them.
  std::vector<DeviceBuffer> buffers;
  SmallVector<DeviceArray> arrays;
  std::map<DevicePointer, std::pair<std::string, int64_t>> names;
  llvm::json::Array runs;
};

} // namespace mlir::cleave

#endif // CLEAVE_TOOLS_CLEAVE_RUN_DRYRUN_H
