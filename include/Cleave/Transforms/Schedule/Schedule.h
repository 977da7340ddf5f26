//===- Schedule.h - One way to run a kernel ---------------------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How one kernel runs, as plain data: the twin of a kernel of
// `#cleave.schedule`.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_TRANSFORMS_SCHEDULE_SCHEDULE_H
#define CLEAVE_TRANSFORMS_SCHEDULE_SCHEDULE_H

#include "Cleave/Transforms/Schedule/Problem.h"
#include "llvm/Support/Error.h"

namespace mlir::cleave::schedule {

struct AxisTile {
  AxisId axis = 0;
  int64_t tile = 1;
};

struct Schedule {
  /// The axes of the results with the tiles of a block, slowest first.
  llvm::SmallVector<AxisTile, 4> grid;
  /// The reduced axes with the tiles of a loop step, outermost first.
  llvm::SmallVector<AxisTile, 4> loop;
  int64_t warps = 4;
  int64_t stages = 1;
  /// In the launch of the kernel in front: of its blocks with equal tiles of
  /// this one's grid, the last to end goes on with this one's.
  bool join = false;
  /// Whether independent reductions over one axis share a loop.
  bool horizontal = true;
};

/// The tile of `axis` in `tiles`, or 0.
int64_t getTile(llvm::ArrayRef<AxisTile> tiles, AxisId axis);

/// All axes that some result carries, in order of the results' storage.
llvm::SmallVector<AxisId, 4> getResultAxes(const Problem &problem);
/// All axes that some node reduces, in order of the axes.
AxisSet getReducedAxes(const Problem &problem);

/// The smallest legal tiles where contractions run on tensor cores.
constexpr int64_t kMinContractM = 16, kMinContractN = 8, kMinContractK = 16;
/// Tiles of a loop that are on their way at a time, the one in use included:
/// they wait in registers.
constexpr int64_t kMaxStages = 16;

/// Why `schedule` is not one of `problem`, or success.
llvm::Error checkSchedule(const Problem &problem, const Schedule &schedule);

} // namespace mlir::cleave::schedule

#endif // CLEAVE_TRANSFORMS_SCHEDULE_SCHEDULE_H
