//===- Trial.h - One function through the compiler --------------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles a function for the CPU in this process, as cleave-run does, and
// compares what it gives with the evaluator.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_TEST_FUZZ_TRIAL_H
#define CLEAVE_TEST_FUZZ_TRIAL_H

#include "Cleave/Conversion/CleaveToLinalg.h"
#include "Cleave/Evaluator/Evaluator.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::cleave {

/// One binding of axes with arguments and what they should give.
struct Expectation {
  Bindings extents;
  std::vector<HostArray> arguments;
  /// In f64, and rounding as the numbers contract says.
  std::vector<HostArray> exact, rounded;
};

/// Evaluates the only function of `source` at random arguments.
FailureOr<std::vector<Expectation>>
evaluateSource(func::FuncOp source, ArrayRef<Bindings> runs, uint64_t seed);

/// What became of a function.
struct Outcome {
  enum Kind { Right, Refused, Wrong };
  Kind kind = Right;
  /// Why not.
  std::string reason;
  /// Whether some result had numbers that tell.
  bool tells = false;
};

/// Compiles `module`, whose function has a schedule, and runs it.
Outcome compileAndRun(ModuleOp module, ArrayRef<Expectation> expectations,
                      bool noHorizontal);

/// Runs a pipeline; `reason` gets the errors if it fails.
LogicalResult runQuietly(ModuleOp module, StringRef pipeline,
                         std::string &reason);

} // namespace mlir::cleave

#endif // CLEAVE_TEST_FUZZ_TRIAL_H
