//===- Partition.h - Which kernels compute a graph --------------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A partition lists kernels by what they store, in the order in which they run.
// A kernel reads what an earlier one stored and computes everything else, so
// the stores say all: the graph of each kernel is a problem of its own, which
// is planned, counted and searched as if it were alone.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_TRANSFORMS_SCHEDULE_PARTITION_H
#define CLEAVE_TRANSFORMS_SCHEDULE_PARTITION_H

#include "Cleave/Transforms/Schedule/Schedule.h"
#include <optional>
#include <set>

namespace mlir::cleave::schedule {

/// What one kernel stores, in the order of the graph's nodes.
using Stores = std::vector<NodeId>;
using Partition = std::vector<Stores>;

/// The partition without cuts: all results, those with equal axes in one
/// kernel.
Partition getFusedPartition(const Problem &problem);

/// Whether `id` is the value of a result.
bool isResult(const Problem &problem, NodeId id);

/// Whether a kernel may store `id`: a value of the graph that is worth it.
bool canStore(const Problem &problem, NodeId id);

/// Whether one kernel may store all of them: one has all axes of the others,
/// and each block writes those that it lacks, so those must exist. What is
/// written in place is at the same rows.
bool canShareKernel(const Problem &problem, const Stores &stores);

/// Why `partition` is not one of `problem`, or success.
llvm::Error checkPartition(const Problem &problem, const Partition &partition);

/// `result0`, or the name that the builder gave to the node.
std::string getStoreName(const Problem &problem, NodeId id);
std::optional<NodeId> findStore(const Problem &problem, llvm::StringRef name);

/// The axes of what a kernel writes for stored value `id`.
AxisSet getWrittenAxes(const Problem &problem, NodeId id);

/// Whether a kernel reads what argument `number` held at the start.
bool readsArgument(const Problem &kernel, unsigned number);

/// The axes of stored value `id` as they lie in memory.
llvm::SmallVector<AxisId, 4> getStorage(const Problem &problem, NodeId id);

/// The graph of the kernel that stores `stores`, where `known` are stored
/// already. Axes have the same numbers; the argument that stands for stored
/// value `id` has number `problem.argumentNames.size() + id`. A result for each
/// store, or as many as the function returns it.
Problem extractKernel(const Problem &problem, const Stores &stores,
                      llvm::ArrayRef<NodeId> known);

/// What a kernel that stores `stores` reads where `known` are stored already.
struct KernelReads {
  /// Stored values.
  std::set<NodeId> stored;
  /// Arguments by number.
  std::set<unsigned> arguments;
};
KernelReads findReads(const Problem &problem, const Stores &stores,
                      llvm::ArrayRef<NodeId> known);

/// A kernel with its graph and how it runs.
struct ScheduledKernel {
  Stores stores;
  Problem problem;
  Schedule schedule;
  /// In the launch of the kernel in front, in blocks of its own.
  bool beside = false;
  /// In the launch of the kernel in front: the last of its blocks with equal
  /// positions goes on with this kernel's. Not both.
  bool join = false;

  bool sharesLaunch() const { return beside || join; }
};

/// Whether `kernel` must run after `other`, which stands in front of it.
bool dependsOn(const Problem &problem, const ScheduledKernel &kernel,
               const ScheduledKernel &other);

/// The dimension of `front`'s grid that `axis` of `kernel` is, by factors if it
/// is a product.
std::optional<size_t> findInGrid(const ScheduledKernel &front,
                                 const Problem &kernel, AxisId axis);

/// Why the kernels cannot run in this order, or success: what one writes in
/// place no later one may read as it was, those beside each other do not depend
/// on each other, and one that joins reads of the kernel in front only what
/// blocks with its own positions stored, of which there is one at least.
llvm::Error checkOrder(const Problem &problem,
                       llvm::ArrayRef<ScheduledKernel> kernels);

} // namespace mlir::cleave::schedule

#endif // CLEAVE_TRANSFORMS_SCHEDULE_PARTITION_H
