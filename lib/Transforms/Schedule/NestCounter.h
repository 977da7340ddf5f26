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
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <cmath>
#include <optional>
#include <set>
#include <tuple>
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

/// Where a tile is in memory, as numbers: the last is how much of it there is.
using MemoryPlace = llvm::SmallVector<int64_t, 16>;

/// Tiles in registers and their bytes.
using LiveTiles = llvm::SmallVector<std::pair<NodeId, double>, 16>;

/// What a block does. However many stages there are beyond the second, it does
/// the same.
struct NestCounts {
  /// All that time follows from, but for a ring's bytes in shared memory.
  KernelCost cost;
  /// Bytes of the tiles of one stage, if they come through a ring.
  int64_t ringBytes = 0;
  /// Bytes of all tiles that live at once, at the deepest place.
  double liveBytes = 0;
  /// Bytes of tiles that only a rough count leaves to registers, not to shared
  /// memory.
  double nearlyResident = 0;
  /// What is loaded, however short the runs are.
  double wholeBytes = 0;
  /// Of the bytes that are loaded, those of which all blocks load the same,
  /// once.
  double keptBytes = 0;
  /// What that costs memory beside the bytes.
  double slowBytes = 0;
  /// Traffic of shared memory behind loops, while nothing else goes on.
  double lateTraffic = 0;
  /// Products go on across the barriers of a ring, see
  /// --cleave-pipeline-fragments.
  bool overlapped = false;
  /// Arguments of which something is loaded that no other has.
  NodeList moved;
  /// How much longer the longest block is than the shortest, in blocks of
  /// average length, and the axes along which later ones are longer.
  double spread = 0;
  AxisSet lengthening;
};

/// Counts `nest`, whose tiles are those of `schedule`.
NestCounts countNest(const Problem &problem, const Schedule &schedule,
                     const LoopNest &nest);
/// See Cost. Takes far less time than all of a cost.
double getExcess(const NestCounts &counts, const Schedule &schedule,
                 const Target &target);
/// The counts may be those of a schedule with other stages, but for one stage.
/// Unless the schedule's order of the grid is given, the cost says which one is
/// the best.
Cost computeCost(const Problem &problem, const Schedule &schedule,
                 const NestCounts &counts, const Target &target,
                 bool isOrdered = false);

class NestCounter {
public:
  NestCounter(const Problem &problem, const Schedule &schedule,
              const NodeUses &uses, NestCounts &counts)
      : problem(problem), chosen(schedule), uses(uses), counts(counts),
        cost(counts.cost), sizes(uses.blocks * uses.shapes.size(), 0),
        loops(uses.blocks) {}

  void count(const LoopNest &kernel);

private:
  /// Whether it loads something.
  bool countBlock(const NestBlock &block, double trips);
  bool countLoop(const NestBlock &block, const Loop &loop, double trips);
  void countLoad(const NestBlock &block, NodeId id, double trips);
  bool isTheSameForAll(NodeId id) const;
  /// The bytes of the tile that stays in registers.
  double countStep(const NestBlock &block, const Step &step, double trips);
  void countReducedTile(double elements, const Node &reduced);
  void countExpression(const NestBlock &block, NodeId id, double elements,
                       bool isAgain = false);
  bool isSkipped(const NestBlock &block, NodeId id) const;
  double getBusyWarps(const NestBlock &block, NodeId contraction) const;
  bool hasRows(const NestBlock &block, NodeId contraction) const;
  Division divide(const NestBlock &block, NodeId contraction);
  Division computeDivision(const NestBlock &block, NodeId contraction) const;
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
  Trips getTrips(const NestBlock &block, const Loop &loop) const;
  double getWrittenTiles(const Loop &loop) const;
  /// The iterations where tiles lie at `place` of their axes, from 0 to 1.
  double getTrips(const NestBlock &block, const Loop &loop, double place) const;
  double getTiles(const NestBlock &block, AxisId axis) const {
    return std::ceil(getExtent(axis) /
                     static_cast<double>(block.bindings.at(axis).tile));
  }
  void moveResidents(const NestBlock &block, const Loop &loop, LiveTiles &live);
  const NestBlock &getIteration(const NestBlock &block) const;
  bool isInvariant(const NestBlock &block, NodeId id) const;
  double getNewShare(const NestBlock &block, NodeId id);
  /// See schedule::holdsLoop.
  bool holdsLoop(const NestBlock &block) const;
  /// Whether tiles that the block loads come through a ring.
  bool hasRing(const NestBlock &block) const {
    return chosen.stages > 1 && block.parent && !holdsLoop(block);
  }
  double getRingBytes(const NestBlock &block, NodeId id) const;
  double getMovedBytes(const NestBlock &block, const Node &tensor) const;
  bool isInPieces(const NestBlock &block, const Node &tensor) const;
  int64_t getSharedBytes(const NestBlock &block, const Node &node) const;
  bool isLate(NodeId id) const;
  void countExchange(const NestBlock &block, NodeId id, double trips);
  bool isMadeByRows(const NestBlock &block, NodeId contraction) const;
  void countFragments(const NestBlock &block, NodeId id, double trips);

  const Problem &problem;
  const Schedule &chosen;
  const NodeUses &uses;
  NestCounts &counts;
  KernelCost &cost;
  /// By block and shape; 0 where it has not been asked for.
  mutable llvm::SmallVector<double, 256> sizes;
  /// By block, once it has been asked for.
  mutable llvm::SmallVector<std::optional<bool>, 16> loops;
  /// Operands that warps have read so many lines of, by block.
  std::set<std::tuple<unsigned, NodeId, double>> fragments;
  /// By block and contraction.
  llvm::SmallVector<std::tuple<unsigned, NodeId, Division>, 4> divisions;
  /// Bytes of all tiles that live at once.
  double liveSum = 0;
  /// Tiles from outside of a loop that lie in shared memory.
  NodeList residents;
  /// The block around the loop that is being counted, and its trips.
  const NestBlock *outside = nullptr;
  double outsideTrips = 1;
  /// Steps of the loops in it that are written out, parts of steps too.
  double pieces = 1;
  /// The same as memory, see getWrittenTiles.
  double slots = 1;
  /// What has been computed, by block.
  llvm::DenseSet<std::pair<unsigned, NodeId>> expressions;
  /// Places in memory that an iteration has loaded.
  std::vector<MemoryPlace> loaded;
  /// The most shared memory in which sums of several warps meet.
  int64_t sumBytes = 0;
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
