//===- GraphScheduler.h - The best schedules of a function ------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every region of the alternatives, in every number of parts that helps, at one
// point of the extents. Says nothing to anybody: passes make remarks, choices
// or reports of what it finds. Private to this library.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_LIB_TRANSFORMS_GRAPHSCHEDULER_H
#define CLEAVE_LIB_TRANSFORMS_GRAPHSCHEDULER_H

#include "Cleave/Conversion/CleaveToLinalg.h"
#include "Cleave/Transforms/Schedule/PartitionSearch.h"
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace mlir::cleave {

class TuningTable;

/// What schedules may do, and how many to look for.
struct SchedulerOptions {
  bool horizontal = true, algebra = true, split = true, iterative = true;
  /// Schedules beside the best that each search gives away.
  unsigned others = 0;
};

/// A region's graph, how it runs, and how long that takes.
struct GraphSchedule {
  /// The region's.
  std::string label;
  ScheduledGraph graph;
  schedule::Cost cost;
  /// In microseconds, where it was measured.
  std::optional<double> measured = std::nullopt;
  unsigned schedulesTried = 0;
  bool converged = true;
};

/// A region without a schedule.
struct LostRegion {
  unsigned region = 0;
  std::string reason;
};

/// What was found at one point.
struct FoundSchedules {
  /// The best of each region that has one, in their order.
  std::vector<GraphSchedule> regions;
  /// The number of the best of them.
  size_t best = 0;
  std::vector<LostRegion> lost;
  /// Further ones; none unless the options ask for them.
  std::vector<GraphSchedule> others;
};

class GraphScheduler {
public:
  GraphScheduler(func::FuncOp function, const AxisTable &axes,
                 const schedule::Target &target,
                 const SchedulerOptions &options)
      : function(function), axes(axes), target(target), options(options) {}

  /// Schedules every region, or the one labelled `input` alone. Emits an error
  /// if none has a schedule.
  FailureOr<FoundSchedules> schedule(const Bindings &at);

  const AxisTable &getAxes() const { return axes; }

private:
  std::optional<GraphSchedule>
  scheduleRegion(unsigned region, const Bindings &splits, std::string &reason,
                 const schedule::Partition *partition = nullptr,
                 double mostTime = std::numeric_limits<double>::infinity());
  std::optional<GraphSchedule> scheduleParts(unsigned region,
                                             ArrayRef<std::string> symbols,
                                             const GraphSchedule *whole,
                                             std::string &reason);
  int64_t getMostParts(const std::string &axis) const;
  std::string getAxisOf(const std::string &symbol) const;
  int64_t getFill(const GraphSchedule &schedule) const;

  func::FuncOp function;
  const AxisTable &axes;
  const schedule::Target &target;
  SchedulerOptions options;
  /// What schedules are looked for at.
  Bindings point;
  std::vector<GraphSchedule> others;
  /// What regions and points have in common.
  schedule::SearchCache cache;
};

/// "region 1 (input): 12.3 us in 2 kernels"
std::string describe(const GraphSchedule &schedule);

/// As the search counts it: kernels that share a launch run at once.
schedule::Cost
computeGraphCost(llvm::ArrayRef<schedule::ScheduledKernel> kernels,
                 llvm::ArrayRef<schedule::LoopNest> nests,
                 const schedule::Target &target);

/// The schedule that `attr` stands for, with its cost at the extents `point`.
/// Gives the reason if it is not one of `function`.
llvm::Expected<GraphSchedule> evaluateSchedule(func::FuncOp function,
                                               ScheduleAttr attr,
                                               const AxisTable &axes,
                                               const Bindings &point,
                                               const schedule::Target &target);

/// The extents of the dynamic axes in `point`.
Bindings getDynamicExtents(const AxisTable &axes, const Bindings &point);

/// What the table has for the graph, which it calls `graph`, at the point, if
/// it still is a schedule of it; else `reason` says what it has instead.
std::optional<GraphSchedule>
lookUpSchedule(const TuningTable &table, StringRef graph, func::FuncOp function,
               const AxisTable &axes, const Bindings &point,
               const schedule::Target &target, std::string &reason);

/// The best `count` of what was found, the very best first, all different. Half
/// of them are the best of their kind: a region, in some number of parts and
/// some kernels.
std::vector<const GraphSchedule *> chooseCandidates(MLIRContext *context,
                                                    const FoundSchedules &found,
                                                    unsigned count);

} // namespace mlir::cleave

#endif // CLEAVE_LIB_TRANSFORMS_GRAPHSCHEDULER_H
