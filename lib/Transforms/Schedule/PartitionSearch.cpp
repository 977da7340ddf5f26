//===- PartitionSearch.cpp - Choosing the kernels of a graph --------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See PartitionSearch.h.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Transforms/Schedule/PartitionSearch.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::cleave;
using namespace mlir::cleave::schedule;

llvm::Expected<PartitionResult>
schedule::searchPartition(const Problem &problem, const Target &target,
                          const SearchOptions &options) {
  PartitionResult result;
  Stores known;
  for (const Stores &stores : getFusedPartition(problem)) {
    ScheduledKernel kernel;
    kernel.stores = stores;
    kernel.problem = extractKernel(problem, stores, known);
    llvm::Expected<SearchResult> found =
        searchSchedule(kernel.problem, target, options);
    if (!found)
      return found.takeError();
    kernel.schedule = found->schedule;
    result.cost += found->cost;
    result.candidates += found->candidates;
    result.converged &= found->converged;
    llvm::append_range(known, stores);
    result.kernels.push_back(std::move(kernel));
  }
  return result;
}
