//===- TuningTable.h - Schedules that were measured -------------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file of schedules that were the fastest of some on a device, by graph, chip
// and extents. It overrides the cost model (docs/tuning.md).
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_TRANSFORMS_TUNINGTABLE_H
#define CLEAVE_TRANSFORMS_TUNINGTABLE_H

#include "Cleave/Dialect/SymbolicDim.h"
#include <memory>
#include <tuple>

namespace mlir::cleave {

/// What a schedule was measured for.
struct TuningKey {
  /// As hashGraph says.
  std::string graph;
  std::string chip;
  /// Of dynamic axes.
  Bindings extents;

  bool operator<(const TuningKey &other) const {
    return std::tie(graph, chip, extents) <
           std::tie(other.graph, other.chip, other.extents);
  }
};

/// The fastest schedule that was measured.
struct TuningEntry {
  /// What the function was called; for people, and to see that an entry is out
  /// of date.
  std::string function;
  ScheduleAttr schedule;
  double microseconds = 0;
};

class TuningTable {
public:
  /// Emits an error at the place in the file that is not as it should be.
  static FailureOr<TuningTable> read(StringRef path, MLIRContext *context);

  /// Emits an error if the file cannot be written.
  LogicalResult write(StringRef path, MLIRContext *context) const;

  const TuningEntry *lookup(const TuningKey &key) const;
  /// Whether there are entries for the function and chip, but other graphs.
  bool isStale(StringRef function, const TuningKey &key) const;
  void set(TuningKey key, TuningEntry entry);

private:
  std::map<TuningKey, TuningEntry> entries;
};

/// Names a graph by its text, without what a schedule does not depend on: the
/// function's name and locations, and schedules that it has already.
std::string hashGraph(FunctionOpInterface function);

/// The attribute in which --cleave-assign-schedule=candidates=N leaves what is
/// to be measured: an array of #cleave.schedule in a dictionary a point.
constexpr llvm::StringLiteral kCandidatesAttrName = "cleave.candidates";

} // namespace mlir::cleave

#endif // CLEAVE_TRANSFORMS_TUNINGTABLE_H
