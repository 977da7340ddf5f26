//===- JoinKernels.cpp - Which kernels run in the launch in front ---------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel that joins another has its tiles and warps, and one block a tile
// does the work that a launch of its own would spread: worth it for little
// work, such as the merge of a few partial results.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Transforms/Schedule/PartitionSearch.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::cleave;
using namespace mlir::cleave::schedule;

/// `kernel` as one that joins `front`, with its cost; or none.
static std::optional<Cost> join(const Problem &whole, const Target &target,
                                SearchOptions options,
                                const ScheduledKernel &front,
                                ScheduledKernel &kernel) {
  options.joinedWarps = front.schedule.warps;
  for (AxisId axis : getResultAxes(kernel.problem)) {
    int same = front.problem.findAxis(kernel.problem.axes[axis].name);
    int64_t tile = same < 0 ? 0 : getTile(front.schedule.grid, same);
    if (!tile)
      return std::nullopt;
    options.joinedGrid.push_back({axis, tile});
  }
  llvm::Expected<SearchResult> found =
      searchSchedule(kernel.problem, target, options);
  if (!found) {
    llvm::consumeError(found.takeError());
    return std::nullopt;
  }
  kernel.schedule = found->schedule;
  if (llvm::Error error = checkJoin(whole, front, kernel)) {
    llvm::consumeError(std::move(error));
    return std::nullopt;
  }
  return found->cost;
}

/// The cost of kernel `number` alone.
static Cost getCostOf(const Cost &all, size_t number) {
  Cost cost;
  cost.kernels = {all.kernels[number]};
  cost.time = cost.kernels.front().time;
  cost.excess = all.excess;
  cost.loadedBytes =
      cost.kernels.front().blocks * cost.kernels.front().loadedBytes;
  return cost;
}

void schedule::joinKernels(const Problem &problem, const Target &target,
                           const SearchOptions &options,
                           PartitionResult &result) {
  for (size_t number = 1; number < result.kernels.size(); ++number) {
    ScheduledKernel kernel = result.kernels[number];
    std::optional<Cost> joined =
        join(problem, target, options, result.kernels[number - 1], kernel);
    Cost alone = getCostOf(result.cost, number);
    if (!joined || joined->excess > alone.excess || joined->time >= alone.time)
      continue;
    result.kernels[number] = std::move(kernel);
    result.cost.time += joined->time - alone.time;
    result.cost.loadedBytes += joined->loadedBytes - alone.loadedBytes;
    result.cost.kernels[number] = joined->kernels.front();
  }
}
