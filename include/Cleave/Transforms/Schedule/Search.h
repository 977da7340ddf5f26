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

namespace mlir::cleave::schedule {

struct SearchOptions {
  bool horizontal = true;
  /// Schedules of a kernel that are tried at most.
  unsigned maxCandidates = 4000;
  /// Whether to change two fields at a time where one does not help.
  bool pairs = true;
  /// Kernels that are looked at to find a partition.
  unsigned maxKernels = 200;
  /// What a partition's search may cost: candidates times the square of the
  /// kernel's nodes, which is how long it takes to plan one.
  double maxWork = 12e6;
  /// If not empty, the tiles and warps of the kernel in front, which this one
  /// joins.
  llvm::SmallVector<AxisTile, 4> joinedGrid;
  int64_t joinedWarps = 0;
};

struct SearchResult {
  Schedule schedule;
  Cost cost;
  unsigned candidates = 0;
  /// Whether no single field makes it better, rather than the limit reached.
  bool converged = true;
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
