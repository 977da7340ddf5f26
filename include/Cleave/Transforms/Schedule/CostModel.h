//===- CostModel.h - How long a loop nest takes -----------------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counts what a planned loop nest moves and computes and turns that into a time
// on a target. Absolute times are rough; the order of schedules is what counts.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_TRANSFORMS_SCHEDULE_COSTMODEL_H
#define CLEAVE_TRANSFORMS_SCHEDULE_COSTMODEL_H

#include "Cleave/Transforms/Schedule/LoopNest.h"
#include <optional>

namespace mlir::cleave::schedule {

/// A GPU. Rates are per microsecond for the whole device.
struct Target {
  std::string chip;
  int64_t multiprocessors = 1;
  double memoryBytes = 1;
  double cacheBytes = 1;
  /// What the second-level cache keeps between two waves of blocks.
  double cachedBytes = 0;
  /// Read from and written to shared memory.
  double sharedTraffic = 1;
  /// Multiply-adds of f16 or bf16 operands on tensor cores, and others.
  double tensorMacs = 1;
  double scalarOps = 1;
  /// exp, reciprocal, square root.
  double specialOps = 1;
  /// A load from device memory to its use, what threads of a block wait for
  /// each other in a loop step, and the start of a kernel.
  double latency = 1, barrier = 0, launch = 1;
  /// From the end of a block to where the last of several goes on.
  double arrival = 1;
  int64_t sharedBytesPerBlock = 227 * 1024;
  int64_t sharedBytes = 228 * 1024;
  int64_t registers = 65536;
  int64_t registersPerThread = 255;
  int64_t warps = 64;
};

/// What one kernel does at the representative extents.
struct KernelCost {
  double blocks = 0;
  /// Per block.
  double loadedBytes = 0, storedBytes = 0, sharedTraffic = 0;
  double tensorMacs = 0, scalarOps = 0, specialOps = 0;
  /// Registers of the largest tile that a reduction makes, of all threads.
  double largestTile = 0;
  /// Loads that wait for each other: one a loop step.
  double loadSteps = 0;
  /// The grid in its order, as given or in which the blocks that run at one
  /// time share most of what they load, and what device memory moves then.
  llvm::SmallVector<AxisTile, 4> grid;
  double movedBytes = 0;
  /// Those of them that no ring can load ahead: loops that hold others.
  double exposedSteps = 0;
  /// Loops one behind the other: each waits for its first loads.
  double rings = 0;
  /// Waits for threads that reduce the same row, in barriers.
  double exchanges = 0;
  /// Whether warps share rows that are multiplied again.
  bool exchangesRows = false;
  int64_t sharedBytes = 0, registersPerThread = 0;
  /// Blocks that a multiprocessor is taken to hold at once.
  int64_t resident = 1;
  double waves = 0;
  /// If all multiprocessors were busy from start to end, and for every byte
  /// once.
  double busy = 0, memory = 0;
  double time = 0;
};

struct Cost {
  /// By how much the worst kernel exceeds the target's registers or shared
  /// memory (1 = fits).
  double excess = 1;
  /// In microseconds.
  double time = 0;
  /// Of all blocks together; decides where times are nearly equal.
  double loadedBytes = 0;
  std::vector<KernelCost> kernels;

  bool operator<(const Cost &other) const;
  /// Kernels one after the other.
  Cost &operator+=(const Cost &other);
};

/// By what a time counts more since a schedule has so many kernels, and parts:
/// they have to be worth it, as the model knows times roughly. Beyond a few
/// kernels one more does not matter.
double getWeight(size_t kernels, bool hasParts);

/// Of a schedule as it is, its order of the grid included.
Cost computeCost(const Problem &problem, const Schedule &schedule,
                 const LoopNest &nest, const Target &target);

/// No schedule of `kernel` takes less time.
double getLeastTime(const Problem &kernel, const Target &target);

/// The time of kernels that share a launch.
double getSharedTime(llvm::ArrayRef<KernelCost> kernels, const Target &target);

/// The time of a kernel and of one that joins it.
double getJoinedTime(const KernelCost &front, const KernelCost &joined,
                     const Target &target);

} // namespace mlir::cleave::schedule

#endif // CLEAVE_TRANSFORMS_SCHEDULE_COSTMODEL_H
