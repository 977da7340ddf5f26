//===- Tune.h - Measuring schedules -----------------------------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For --tune: the model's best schedules of each shape class, their times from
// a device or a file, and the table of the fastest.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_TOOLS_CLEAVE_RUN_TUNE_H
#define CLEAVE_TOOLS_CLEAVE_RUN_TUNE_H

#include "Options.h"

#include "Cleave/Evaluator/Signature.h"
#include "Cleave/Transforms/TuningTable.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/JSON.h"
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mlir::cleave {

struct TuneCandidate {
  ScheduleAttr schedule;
  double modelMicroseconds = 0;
  std::optional<double> measured = std::nullopt;
  /// Why there is no time.
  std::string fault;
};

/// What is chosen for one shape class.
struct TunePoint {
  /// Of dynamic axes.
  Bindings extents;
  /// The model's choice first.
  std::vector<TuneCandidate> candidates;

  /// The number of the fastest candidate; none if no one has a time.
  std::optional<size_t> getBest() const;
};

/// Where times come from.
class ScheduleTimer {
public:
  virtual ~ScheduleTimer() = default;

  /// Microseconds that candidate `number` takes at the point. `module` has a
  /// copy of the function with its schedule, to be compiled. Emits an error if
  /// it has no time.
  virtual FailureOr<double> measure(ModuleOp module, const TunePoint &point,
                                    size_t number) = 0;
};

/// Times that a file says: `{"points": [{"extents": {"M": 16}, "us": [20.5,
/// null, 18]}]}` with one number a candidate. Emits an error at the place in
/// the file that is not as it should be.
FailureOr<std::unique_ptr<ScheduleTimer>> readTimes(StringRef path,
                                                    MLIRContext *context);

class Tuner {
public:
  /// Finds the candidates of the cleave function `entry`, which has no
  /// schedule.
  static FailureOr<Tuner> create(ModuleOp module, StringRef entry,
                                 const RunOptions &options, StringRef chip);

  /// Measures all, and prints what came of it. Fails if nothing could be
  /// measured at some point.
  LogicalResult measure(ScheduleTimer &timer);

  /// Writes the fastest into the file, beside what it has for other graphs,
  /// chips and extents. What is there is read first, with `readTable`.
  LogicalResult readTable(StringRef path);
  LogicalResult writeTable(StringRef path);

  /// Compiles all, and writes them as programs for another launcher, which
  /// measures (bench/tune.py).
  LogicalResult
  writePrograms(const Signature &signature,
                function_ref<FailureOr<Bindings>(const Bindings &)> getExtents);

private:
  Tuner(ModuleOp module, StringRef entry, const RunOptions &options,
        StringRef chip)
      : module(module.clone()), entry(entry), chip(chip), options(options) {}

  LogicalResult findCandidates();
  OwningOpRef<ModuleOp> pin(ScheduleAttr schedule);
  void print(const TunePoint &point);

  /// After the algebra.
  OwningOpRef<ModuleOp> module;
  std::string entry, chip, graph;
  const RunOptions &options;
  std::vector<TunePoint> points;
  TuningTable table;
};

} // namespace mlir::cleave

#endif // CLEAVE_TOOLS_CLEAVE_RUN_TUNE_H
