//===- PartitionSearch.h - Choosing the kernels of a graph ------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Starts from one kernel an operation and from no cuts at all, and merges and
// cuts while the modelled time falls. Deterministic.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_TRANSFORMS_SCHEDULE_PARTITIONSEARCH_H
#define CLEAVE_TRANSFORMS_SCHEDULE_PARTITIONSEARCH_H

#include "Cleave/Transforms/Schedule/Partition.h"
#include "Cleave/Transforms/Schedule/Search.h"

namespace mlir::cleave::schedule {

struct PartitionResult {
  std::vector<ScheduledKernel> kernels;
  Cost cost;
  /// Schedules of kernels that were tried.
  unsigned candidates = 0;
  bool converged = true;
  /// Where others are asked for: other partitions that could not be made better
  /// step by step, and this one with other schedules of its longest kernel.
  std::vector<PartitionResult> others;
};

/// Kernels that were searched, for graphs that have some in common: regions,
/// numbers of parts, classes of shapes.
struct SearchCache {
  /// By what kernels compute, for which extents.
  std::map<std::vector<int64_t>, SearchResult> results;
  /// By what kernels compute.
  std::map<std::vector<int64_t>, Schedule> schedules;
  /// By what kernels compute, whatever the extents.
  std::map<std::vector<int64_t>, PlannedNests> nests;
};

/// The best partition found, each kernel with its best schedule; an error if
/// some value has no kernel at all. The search begins with the kernels of
/// `start` if it is one of this problem, else with a few of any graph.
llvm::Expected<PartitionResult>
searchPartition(const Problem &problem, const Target &target,
                const SearchOptions &options, SearchCache *cache = nullptr,
                const Partition *start = nullptr);

} // namespace mlir::cleave::schedule

#endif // CLEAVE_TRANSFORMS_SCHEDULE_PARTITIONSEARCH_H
