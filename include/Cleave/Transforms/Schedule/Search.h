//===- Search.h - Choosing a schedule ---------------------------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Descends from a few starting points, one field at a time, over the tiles that
// make sense for each axis. Deterministic; says why it stopped.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_TRANSFORMS_SCHEDULE_SEARCH_H
#define CLEAVE_TRANSFORMS_SCHEDULE_SEARCH_H

#include "Cleave/Transforms/Schedule/CostModel.h"
#include <limits>
#include <map>
#include <memory>

namespace mlir::cleave::schedule {

/// The loops that were planned for a kernel, by what they depend on (see
/// getPlanKey); null where there are none.
using PlannedNests = std::map<std::vector<bool>, std::unique_ptr<LoopNest>>;

struct SearchOptions {
  bool horizontal = true;
  /// Whether a loop may go over a reduced axis in several tiles.
  bool iterative = true;
  /// Warps of a block; 0 for any number.
  int64_t warps = 0;
  /// The tiles of the grid; empty for any tiles.
  llvm::ArrayRef<AxisTile> grid;
  /// A schedule that is good for other extents.
  const Schedule *start = nullptr;
  /// Where loops of the same kernel are kept, whatever its extents; null for
  /// one search alone.
  PlannedNests *nests = nullptr;
  /// Schedules beside the best to return, for somebody who measures: not much
  /// worse by the model, and as different as can be.
  unsigned others = 0;
  /// Schedules of a kernel that are tried at most.
  unsigned maxCandidates = 4000;
  /// Whether to change two fields at a time where one does not help.
  bool pairs = true;
  /// Kernels that are looked at to find a partition.
  unsigned maxKernels = 1000;
  /// What a partition's search may cost: candidates times the square of the
  /// kernel's nodes, which is how long it takes to plan one.
  double maxWork = 120e6;
  /// From kernels that are given and take longer the search does not go on, in
  /// microseconds.
  double mostTime = std::numeric_limits<double>::infinity();
};

/// A schedule and how long it takes.
struct CostedSchedule {
  Schedule schedule;
  Cost cost;
};

struct SearchResult : CostedSchedule {
  unsigned candidates = 0;
  /// Whether no single field makes it better, rather than the limit reached.
  bool converged = true;
  std::vector<CostedSchedule> others;
};

/// The tiles that the search tries for an axis of the grid, or a reduced one.
llvm::SmallVector<int64_t, 8> getGridTiles(const Problem &problem, AxisId axis);
llvm::SmallVector<int64_t, 8> getLoopTiles(const Problem &problem, AxisId axis);

/// The best schedule found; an error if the graph has none.
llvm::Expected<SearchResult> searchSchedule(const Problem &problem,
                                            const Target &target,
                                            const SearchOptions &options);

} // namespace mlir::cleave::schedule

#endif // CLEAVE_TRANSFORMS_SCHEDULE_SEARCH_H
