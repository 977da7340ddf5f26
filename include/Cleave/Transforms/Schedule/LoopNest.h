//===- LoopNest.h - A schedule worked out -----------------------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loops of a scheduled graph, with what each computes, still as plain data.
// Planning is the one place that decides where a value is computed: the cost
// model counts the loop nest, the printer shows it and the emitter writes it.
//
// Where a value lives follows from its free axes alone. A *block* has axes
// *open*, each bound to a range; a value belongs to the outermost block in
// which all its axes have the same ranges. A reduction over axes that are not
// open, or open in part only, gets a loop there; independent reductions over
// equal axes share one.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_TRANSFORMS_SCHEDULE_LOOPNEST_H
#define CLEAVE_TRANSFORMS_SCHEDULE_LOOPNEST_H

#include "Cleave/Transforms/Schedule/Domain.h"
#include "Cleave/Transforms/Schedule/Schedule.h"
#include "llvm/Support/raw_ostream.h"
#include <memory>
#include <set>

namespace mlir::cleave::schedule {

/// The range that an open axis has in a block.
struct Binding {
  /// Equal for equal ranges.
  unsigned id = 0;
  int64_t tile = 1;
  /// The range is the whole axis.
  bool full = false;
};

/// The ranges of open axes. Costs look them up all the time.
class OpenAxes {
public:
  /// Null if the axis is not open.
  const Binding *find(AxisId axis) const {
    return axis < ranges.size() && ranges[axis].tile ? &ranges[axis] : nullptr;
  }
  bool count(AxisId axis) const { return find(axis); }
  const Binding &at(AxisId axis) const {
    assert(count(axis) && "expected an open axis");
    return ranges[axis];
  }
  void open(AxisId axis, Binding range) {
    if (axis >= ranges.size())
      ranges.resize(axis + 1, {0, 0, false});
    ranges[axis] = range;
  }
  void setTile(AxisId axis, int64_t tile) { ranges[axis].tile = tile; }
  llvm::SmallVector<AxisId, 8> getAxes() const {
    llvm::SmallVector<AxisId, 8> axes;
    for (AxisId axis = 0; axis < ranges.size(); ++axis)
      if (count(axis))
        axes.push_back(axis);
    return axes;
  }

private:
  /// By axis; a tile of 0 where it is not open.
  llvm::SmallVector<Binding, 8> ranges;
};

struct Loop;

struct Step {
  enum Kind {
    Evaluate,   // a tile from tiles
    Accumulate, // one reduction or fold state of the loop around takes a step
    Nest        // a loop
  };
  Kind kind = Evaluate;
  NodeId node = 0;
  std::unique_ptr<Loop> loop;
  /// The tiles of this block that no later step reads. Known once the nest has
  /// been planned.
  std::vector<NodeId> lastUses = {};
};

struct NestBlock {
  NestBlock *parent = nullptr;
  /// Of the nest's blocks. Known once the nest has been planned.
  unsigned number = 0;
  OpenAxes bindings;
  std::vector<Step> steps;
  /// The nodes that are computed in this block.
  std::set<NodeId> available;
  /// By node: the block that it belongs into, and whether a tile of it has been
  /// computed there. Known once the nest has been planned, as is what follows.
  std::vector<const NestBlock *> homes;
  std::vector<bool> tiles;
  /// By node: whether each warp makes its own fragments of the tile. Others are
  /// made once and move through shared memory.
  std::vector<bool> cheap;
};

/// Iterations of a loop: on average over the blocks, and how many more the
/// longest of its domain has than the shortest.
struct Trips {
  double mean = 0, spread = 0;
};

struct Loop {
  AxisTile range;
  /// The reductions and fold states that it carries.
  std::vector<NodeId> carried;
  /// Whether the carried values start from those of the loop around it rather
  /// than from their units.
  bool continued = false;
  /// What the positions that count lie between, besides the ends of the axis.
  std::vector<DomainBound> domain;
  /// The axes whose positions these depend on, and those whose extents.
  AxisSet domainAxes, domainExtents;
  /// Iterations by the sizes of all that they depend on, as far as they have
  /// been counted.
  mutable std::map<llvm::SmallVector<int64_t, 8>, Trips> trips;
  NestBlock body;
};

/// How a problem's nodes are used, whatever the loops.
struct NodeUses {
  /// Contractions whose warps share no row, and the axes of a row.
  std::map<NodeId, AxisSet> rows;
  /// Reductions over the results of contractions.
  std::vector<bool> madeOfRows;
  /// Old states at the newest references.
  std::vector<bool> rebased;
  /// States at the newest references that another state is made with.
  std::vector<bool> references;
  /// Of loaded tiles alone, element by element: made where it is used.
  std::vector<bool> madeOfLoads;
  /// Whether anything is a contraction.
  bool hasProducts = false;
  /// Arguments of which no loop loads something in two steps.
  std::vector<bool> loadedOnce;
  /// The sets of axes that nodes have, and by node, which.
  std::vector<AxisSet> shapes;
  std::vector<unsigned> shapeOf;
  /// Of the nest, as they are numbered.
  unsigned blocks = 0;
};

/// A kernel that computes all results of a problem.
struct LoopNest {
  /// Every axis of the results.
  llvm::SmallVector<AxisTile, 4> grid;
  std::unique_ptr<NestBlock> root;
  NodeUses uses;
};

llvm::Expected<LoopNest> planLoopNest(const Problem &problem,
                                      const Schedule &schedule);

/// Fills in what a planned nest knows about its nodes, so that costs of many
/// tiles need not find it out again.
void findUses(const Problem &problem, LoopNest &nest);

/// The operands of reduction or fold state `id`.
llvm::ArrayRef<NodeId> getBody(const Problem &problem, NodeId id);

/// Whether the steps of `loop` stand one after the other in the loop around it:
/// few ones, of an axis that fits no tile. The last one is as short as what is
/// left.
bool isWrittenOut(const Problem &problem, const Loop &loop);

/// Whether a loop is a step of `block`, other than one that is written out.
bool holdsLoop(const Problem &problem, const NestBlock &block);

/// What the loops of a problem depend on besides the sizes of tiles: for all
/// tiles of `schedule`, whether they cover their axes, and whether tiles of the
/// axes `single` have one position (see getComparedAxes).
std::vector<bool> getPlanKey(const Problem &problem, const Schedule &schedule,
                             const AxisSet &single);

/// Gives loops that were planned for other tiles, which cover the same axes,
/// those of `schedule`.
void setTiles(LoopNest &nest, const Schedule &schedule);

/// The outermost block around (or equal to) `block` in which all free axes of
/// `node` have the ranges that they have in `block`; null if one is not open.
NestBlock *getHome(const Problem &problem, NestBlock *block, NodeId node);

/// The axes of the grid along which later blocks have longer loops: they go
/// backwards, so that the last blocks to start are short ones.
AxisSet getLengtheningAxes(const Problem &problem, const LoopNest &nest);

/// `title` is what the kernel is called.
void printLoopNest(const Problem &problem, const Schedule &schedule,
                   const LoopNest &nest, llvm::StringRef title,
                   llvm::raw_ostream &os);

} // namespace mlir::cleave::schedule

#endif // CLEAVE_TRANSFORMS_SCHEDULE_LOOPNEST_H
