//===- Report.h - Checking and printing results -----------------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_TOOLS_CLEAVE_RUN_REPORT_H
#define CLEAVE_TOOLS_CLEAVE_RUN_REPORT_H

#include "Executor.h"

namespace mlir::cleave {

/// One run's data.
struct RunRecord {
  /// What --bind gave, for the lines that are printed.
  Bindings bindings;
  /// All extents.
  Bindings extents;
  std::vector<HostArray> arguments;
  std::vector<HostArray> results;
};

/// One line on stderr.
void printWarning(const llvm::Twine &message);

/// Compares with the f64 evaluator and prints a line a result. Fails if one is
/// wrong; emits an error only if there is nothing to compare with.
LogicalResult checkResults(func::FuncOp source, const Signature &signature,
                           const RunRecord &record, const RunOptions &options);

/// Prints shapes, and with --print the values.
void printResults(const Signature &signature, const RunRecord &record,
                  const RunOptions &options);

/// Writes NAME.npy, in a folder for the run if there are several.
LogicalResult writeResults(func::FuncOp source, const Signature &signature,
                           const RunRecord &record, const RunOptions &options);

/// One line of --bench.
void printTime(const RunRecord &record, const RunTime &time);

/// Writes all times as JSON.
LogicalResult writeTimes(func::FuncOp source, const RunOptions &options,
                         ArrayRef<std::pair<Bindings, RunTime>> times);

} // namespace mlir::cleave

#endif // CLEAVE_TOOLS_CLEAVE_RUN_REPORT_H
