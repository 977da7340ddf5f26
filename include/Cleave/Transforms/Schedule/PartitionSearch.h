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
};

/// The best partition found, each kernel with its best schedule; an error if
/// some value has no kernel at all. Goes on from `start` if there is one.
llvm::Expected<PartitionResult>
searchPartition(const Problem &problem, const Target &target,
                const SearchOptions &options, const Partition *start = nullptr);

/// Lets kernels join those in front where that is faster.
void joinKernels(const Problem &problem, const Target &target,
                 const SearchOptions &options, PartitionResult &result);

} // namespace mlir::cleave::schedule

#endif // CLEAVE_TRANSFORMS_SCHEDULE_PARTITIONSEARCH_H
