//===- NestUses.cpp - What a loop nest's nodes are used for ---------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Found once for a nest, whose cost is counted for many sizes of tiles.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Transforms/Schedule/LoopNest.h"
#include "NestCounter.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir::cleave;
using namespace mlir::cleave::schedule;

bool schedule::isWrittenOut(const Problem &problem, const Loop &loop) {
  constexpr int64_t kMostSteps = 4;
  const Axis &axis = problem.axes[loop.range.axis];
  // Others fit a tile.
  bool isUneven = axis.extent != kDynamic && !axis.part &&
                  !llvm::isPowerOf2_64(axis.extent);
  return isUneven && loop.body.parent->parent &&
         axis.extent <= kMostSteps * loop.range.tile && loop.domain.empty() &&
         !holdsLoop(problem, loop.body);
}

bool schedule::holdsLoop(const Problem &problem, const NestBlock &block) {
  return llvm::any_of(block.steps, [&](const Step &step) {
    return step.kind == Step::Nest && !isWrittenOut(problem, *step.loop);
  });
}

llvm::ArrayRef<NodeId> schedule::getBody(const Problem &problem, NodeId id) {
  const Node &node = problem[id];
  if (node.kind == NodeKind::FoldState)
    return problem.folds[node.fold].states[node.state].body;
  return node.operands;
}

/// Follows `operand` up to contractions, which get `reduced` as axes of rows;
/// whether there is one.
static bool addRows(const Problem &problem, NodeId operand,
                    const AxisSet &reduced, NodeUses &uses) {
  const Node &node = problem[operand];
  if (node.kind == NodeKind::Contract) {
    uses.rows[operand] = unite(uses.rows[operand], reduced);
    return true;
  }
  bool found = false;
  if (node.kind == NodeKind::Pointwise)
    for (NodeId next : node.operands)
      found |= addRows(problem, next, reduced, uses);
  return found;
}

/// Fragments of a row that is reduced, or multiplied again, stay in one warp.
static void findRows(const Problem &problem, NodeUses &uses) {
  for (NodeId id = 0; id < problem.size(); ++id) {
    const AxisSet &reduced = problem.getReducedAxes(id);
    if (reduced.empty())
      continue;
    llvm::ArrayRef<NodeId> body = getBody(problem, id);
    for (NodeId operand : body)
      if (addRows(problem, operand, reduced, uses)) {
        uses.madeOfRows[id] = true;
        if (body.size() < 2)
          continue;
        uses.rows[id] = unite(
            uses.rows[id], subtract(problem[id].axes, problem[operand].axes));
      }
  }
}

/// Adds the tiles of `block` that the expression of `id` reads.
static void collectTiles(const Problem &problem, const NestBlock &block,
                         NodeId id, std::set<NodeId> &tiles) {
  auto visit = [&](NodeId operand) {
    if (problem.isScalar(operand))
      return;
    if (block.tiles[operand])
      tiles.insert(operand);
    else
      collectTiles(problem, block, operand, tiles);
  };
  for (NodeId operand : getBody(problem, id))
    visit(operand);
  if (problem[id].kind == NodeKind::FoldState)
    visit(problem.folds[problem[id].fold].states[problem[id].state].rebased);
}

/// The same must be known of what `id` is computed from.
static bool isCheap(const Problem &problem, const NestBlock &block, NodeId id) {
  const Node &node = problem[id];
  if (node.kind != NodeKind::Pointwise || block.homes[id] != &block)
    return true;
  return !isSpecial(node.op) &&
         llvm::all_of(node.operands, [&](NodeId operand) {
           return problem.isScalar(operand) || block.cheap[operand];
         });
}

static void findHomes(const Problem &problem, NestBlock &block,
                      unsigned &blocks) {
  block.number = blocks++;
  block.homes.resize(problem.size());
  block.tiles.resize(problem.size());
  for (NodeId id = 0; id < problem.size(); ++id) {
    const NestBlock *home = getHome(problem, &block, id);
    block.homes[id] = home;
    block.tiles[id] = home && home->available.count(id);
    block.cheap.push_back(isCheap(problem, block, id));
  }
  for (Step &step : block.steps)
    if (step.kind == Step::Nest)
      findHomes(problem, step.loop->body, blocks);
}

/// Adds the tiles that `step` reads, with all steps of a loop.
static void collectTiles(const Problem &problem, const NestBlock &block,
                         const Step &step, std::set<NodeId> &tiles) {
  if (step.kind != Step::Nest) {
    collectTiles(problem, block, step.node, tiles);
    return;
  }
  for (const Step &inner : step.loop->body.steps)
    collectTiles(problem, step.loop->body, inner, tiles);
}

static void findLastUses(const Problem &problem, NestBlock &block) {
  std::map<NodeId, size_t> last;
  for (auto [i, step] : llvm::enumerate(block.steps)) {
    std::set<NodeId> tiles;
    collectTiles(problem, block, step, tiles);
    for (NodeId id : tiles)
      last[id] = i;
    if (step.kind == Step::Nest)
      findLastUses(problem, step.loop->body);
  }
  for (auto [id, step] : last)
    block.steps[step].lastUses.push_back(id);
}

static bool isMadeOfLoads(const Problem &problem, NodeId id) {
  const Node &node = problem[id];
  if (node.kind == NodeKind::Argument || problem.isScalar(id))
    return true;
  return node.kind == NodeKind::Pointwise &&
         llvm::all_of(node.operands, [&](NodeId operand) {
           return isMadeOfLoads(problem, operand);
         });
}

/// Counts the steps that load parts of each argument.
static void countLoads(const Problem &problem, const NestBlock &block,
                       std::map<unsigned, unsigned> &loads) {
  for (const Step &step : block.steps) {
    if (step.kind == Step::Nest)
      countLoads(problem, step.loop->body, loads);
    else if (problem[step.node].kind == NodeKind::Argument)
      ++loads[problem[step.node].argument];
  }
}

/// Loops that are written out are parts of a loop around them, so those of the
/// root, which never are, are looked at as wholes.
static void findLoads(const Problem &problem, const NestBlock &root,
                      NodeUses &uses) {
  std::map<unsigned, unsigned> most;
  for (const Step &step : root.steps) {
    if (step.kind != Step::Nest)
      continue;
    std::map<unsigned, unsigned> loads;
    countLoads(problem, step.loop->body, loads);
    for (auto [argument, count] : loads)
      most[argument] = std::max(most[argument], count);
  }
  for (NodeId id = 0; id < problem.size(); ++id)
    uses.loadedOnce.push_back(problem[id].kind == NodeKind::Argument &&
                              most[problem[id].argument] <= 1);
}

static void findShapes(const Problem &problem, NodeUses &uses) {
  for (NodeId id = 0; id < problem.size(); ++id) {
    const auto shape = llvm::find(uses.shapes, problem[id].axes);
    uses.shapeOf.push_back(shape - uses.shapes.begin());
    if (shape == uses.shapes.end())
      uses.shapes.push_back(problem[id].axes);
  }
}

void schedule::findUses(const Problem &problem, LoopNest &nest) {
  NodeUses &uses = nest.uses;
  findShapes(problem, uses);
  for (std::vector<bool> *flags :
       {&uses.madeOfRows, &uses.rebased, &uses.references, &uses.madeOfLoads})
    flags->assign(problem.size(), false);
  findRows(problem, uses);
  for (const Fold &fold : problem.folds)
    for (const FoldState &state : fold.states)
      uses.rebased[state.rebased] = true;
  for (NodeId id = 0; id < problem.size(); ++id) {
    uses.madeOfLoads[id] = isMadeOfLoads(problem, id);
    uses.hasProducts |= isContraction(problem, id);
    for (NodeId operand : problem[id].operands)
      if (problem[operand].kind == NodeKind::FoldRef)
        uses.references[operand] = true;
  }
  findLoads(problem, *nest.root, uses);
  findHomes(problem, *nest.root, uses.blocks);
  findLastUses(problem, *nest.root);
}
