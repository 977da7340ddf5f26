//===- NestCounter.h - What a block of a kernel does ----------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks a planned loop nest and counts, for one block: bytes, arithmetic,
// waits, registers and shared memory. How long that takes: CostModel.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_LIB_TRANSFORMS_SCHEDULE_NESTCOUNTER_H
#define CLEAVE_LIB_TRANSFORMS_SCHEDULE_NESTCOUNTER_H

#include "Cleave/Transforms/Schedule/CostModel.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <cmath>
#include <set>
#include <utility>
#include <vector>

namespace mlir::cleave::schedule {

/// Whether a special-function unit computes it.
bool isSpecial(Pointwise op);
bool isContraction(const Problem &problem, NodeId id);
inline bool isTensor(Element element) {
  return element == Element::F16 || element == Element::BF16;
}

/// Parts of a contraction that warps take, along each side and along K. Those
/// that are left over repeat what others do.
struct WarpShare {
  double m = 1, n = 1, k = 1, idle = 1;
};

/// A few nodes, each once.
using NodeList = llvm::SmallVector<NodeId, 8>;

/// A contraction's sides and how warps divide it.
struct Division {
  NodeId lhs, rhs;
  double m, n, k;
  WarpShare share;
  /// No two warps have parts of one row, if it is used as a whole.
  bool wholeRows = false;
};

/// Tiles in registers and their bytes.
using LiveTiles = llvm::SmallVector<std::pair<NodeId, double>, 16>;

class NestCounter {
public:
  NestCounter(const Problem &problem, const Schedule &schedule,
              const NodeUses &uses, const Target &target)
      : problem(problem), chosen(schedule), uses(uses), target(target),
        sizes(uses.blocks * uses.shapes.size(), 0) {
    for (NodeId id = 0; id < problem.size(); ++id)
      hasProducts |= isContraction(problem, id);
  }

  KernelCost count(const LoopNest &kernel);

private:
  /// Whether it loads something.
  bool countBlock(const NestBlock &block, double trips);
  bool countLoop(const NestBlock &block, const Loop &loop, double trips);
  void countLoad(const NestBlock &block, NodeId id, double trips);
  /// The bytes of the tile that stays in registers.
  double countStep(const NestBlock &block, const Step &step, double trips);
  void countExpression(const NestBlock &block, NodeId id, double elements);
  double getBusyWarps(const NestBlock &block, NodeId contraction) const;
  Division divide(const NestBlock &block, NodeId contraction) const;
  /// Positions of a tile in registers: powers of two, whole fragments.
  double getPadded(const NestBlock &block, llvm::ArrayRef<AxisId> axes) const;
  /// The same of a node's tile, which many nodes share.
  double getTileSize(const NestBlock &block, NodeId id) const;
  /// How many lanes have the same elements.
  double getCopies(const NestBlock &block, const Node &node) const;
  /// Positions that exist at the representative extents.
  double getActual(const NestBlock &block, llvm::ArrayRef<AxisId> axes) const;
  double getExtent(AxisId axis) const {
    return static_cast<double>(problem.axes[axis].representative);
  }
  /// Iterations of a loop, on average over the blocks.
  double getTrips(const NestBlock &block, const Loop &loop) const;
  /// The same where tiles lie at `place` of their axes, from 0 to 1.
  double getTrips(const NestBlock &block, const Loop &loop, double place) const;
  double getTiles(const NestBlock &block, AxisId axis) const {
    return std::ceil(getExtent(axis) /
                     static_cast<double>(block.bindings.at(axis).tile));
  }
  void moveResidents(const NestBlock &block, const Loop &loop, LiveTiles &live);
  const NestBlock &getIteration(const NestBlock &block) const;
  bool isInvariant(const NestBlock &block, NodeId id) const;
  double getNewShare(const NestBlock &block, NodeId id);
  double getRingBytes(const NestBlock &block, NodeId id) const;
  double getMovedBytes(const NestBlock &block, const Node &tensor) const;
  bool isInPieces(const NestBlock &block, const Node &tensor) const;
  int64_t getSharedBytes(const NestBlock &block, const Node &node) const;
  bool isLate(NodeId id) const;
  void countExchange(const NestBlock &block, NodeId id, double trips);
  bool isCheap(const NestBlock &block, NodeId id) const;
  bool isMadeByRows(const NestBlock &block, NodeId contraction) const;
  void countFragments(const NestBlock &block, NodeId id, double trips);
  /// Bytes of the arguments that `blocks` consecutive blocks load.
  double getWaveBytes(llvm::ArrayRef<AxisTile> grid, double blocks) const;
  void orderGrid(const LoopNest &kernel, double concurrent);
  void finish(const LoopNest &kernel);

  const Problem &problem;
  const Schedule &chosen;
  const NodeUses &uses;
  const Target &target;
  bool hasProducts = false;
  KernelCost cost;
  /// By block and shape; 0 where it has not been asked for.
  mutable llvm::SmallVector<double, 64> sizes;
  /// Bytes of all tiles that live at once, at the deepest place so far.
  double liveBytes = 0, liveSum = 0;
  /// What is loaded, however short the runs are.
  double wholeBytes = 0;
  /// What that costs memory beside the bytes.
  double slowBytes = 0;
  /// Products go on across the barriers of a ring, see
  /// --cleave-pipeline-fragments.
  bool overlapped = false;
  /// Tiles from outside of a loop that lie in shared memory.
  NodeList residents;
  /// Bytes of those that registers hold by a rough count.
  double nearlyResident = 0;
  /// The block around the loop that is being counted, and its trips.
  const NestBlock *outside = nullptr;
  double outsideTrips = 1;
  /// Steps of the loops in it that are written out, parts of steps too.
  double pieces = 1;
  /// Places in memory that an iteration has loaded.
  std::set<std::vector<int64_t>> loaded;
  /// Arguments of which something is loaded that no other has.
  NodeList moved;
  /// Operands of contractions whose tiles are counted in shared memory.
  NodeList sharedOperands;
};

/// Whether `id` was not there yet.
inline bool insert(NodeList &nodes, NodeId id) {
  if (llvm::is_contained(nodes, id))
    return false;
  nodes.push_back(id);
  return true;
}

/// From a value to its use in another warp, in barriers: stores, a barrier and
/// loads, one after the other.
inline constexpr double kExchangeTime = 3;
/// The same for rows of a product, which are in registers.
inline constexpr double kRowExchangeTime = 0.5;

} // namespace mlir::cleave::schedule

#endif // CLEAVE_LIB_TRANSFORMS_SCHEDULE_NESTCOUNTER_H
