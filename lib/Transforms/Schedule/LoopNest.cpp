//===- LoopNest.cpp - Where each value is computed ------------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See LoopNest.h for the principle. A block is planned for a list of targets:
// first the loops of all reductions that belong into it, in an order that their
// dependences allow, then the targets themselves, each before its use.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Transforms/Schedule/LoopNest.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::cleave;
using namespace mlir::cleave::schedule;

NestBlock *schedule::getHome(const Problem &problem, NestBlock *block,
                             NodeId node) {
  const AxisSet &axes = problem[node].axes;
  for (AxisId axis : axes)
    if (!block->bindings.count(axis))
      return nullptr;
  auto stays = [&](NestBlock *from) {
    for (AxisId axis : axes) {
      const Binding *outside = from->parent->bindings.find(axis);
      if (!outside || outside->id != from->bindings.at(axis).id)
        return true;
    }
    // A value inside a fold changes with the fold's references.
    return llvm::any_of(problem.getFoldLeaves(node), [&](NodeId leaf) {
      return from->available.count(leaf) != 0;
    });
  };
  while (block->parent && !stays(block))
    block = block->parent;
  return block;
}

namespace {

/// Reductions that run in lockstep: one, or all states of a fold.
struct Unit {
  std::vector<NodeId> nodes;
  /// What its loop goes over.
  AxisSet loopAxes;
  /// Other units of the same block that it needs.
  std::set<size_t> needs;
  bool done = false;
};

class Planner {
public:
  Planner(const Problem &problem, const Schedule &chosen)
      : problem(problem), chosen(chosen), uses(problem.countUses()) {}

  llvm::Expected<LoopNest> run();

private:
  NestBlock *getHome(NestBlock *block, NodeId id);
  AxisSet getLoopAxes(const NestBlock *block, NodeId id);

  std::vector<Unit> collectUnits(NestBlock *block,
                                 llvm::ArrayRef<NodeId> targets);
  void planUnits(NestBlock *block, llvm::ArrayRef<NodeId> targets);
  void planGroup(NestBlock *block, llvm::ArrayRef<Unit *> group);
  void buildNest(NestBlock *block, llvm::ArrayRef<AxisId> axes,
                 const std::vector<NodeId> &carried, bool continued);
  void limitLoop(NestBlock *block, Loop &loop);
  void accumulate(NestBlock *block, const std::vector<NodeId> &carried);
  void addState(NestBlock *block, NodeId id);

  void demand(NestBlock *block, NodeId id);
  void demandOperands(NestBlock *block, NodeId id);
  void demandPositions(NestBlock *block, NodeId body, AxisSet missing);
  void demandFused(NestBlock *block, NodeId id, const AxisSet &iteration);
  std::vector<NodeId> getUnit(NodeId id);
  std::vector<NodeId> getBodies(llvm::ArrayRef<NodeId> carried);
  void addStep(NestBlock *block, Step::Kind kind, NodeId id);
  void fail(const llvm::Twine &reason) {
    if (error.empty())
      error = reason.str();
  }

  const Problem &problem;
  const Schedule &chosen;
  std::vector<unsigned> uses;
  unsigned nextBinding = 0;
  std::string error;
};

} // namespace

//===----------------------------------------------------------------------===//
// Homes
//===----------------------------------------------------------------------===//

NestBlock *Planner::getHome(NestBlock *block, NodeId id) {
  if (NestBlock *home = schedule::getHome(problem, block, id))
    return home;
  for (AxisId axis : problem[id].axes)
    if (!block->bindings.count(axis))
      fail("axis '" + problem.axes[axis].name +
           "' of a value is neither in the grid nor reduced around it");
  return block;
}

AxisSet Planner::getLoopAxes(const NestBlock *block, NodeId id) {
  AxisSet axes;
  for (AxisId axis : problem.getReducedAxes(id)) {
    const Binding *range = block->bindings.find(axis);
    if (!range || !range->full)
      axes.push_back(axis);
  }
  return axes;
}

std::vector<NodeId> Planner::getUnit(NodeId id) {
  if (problem[id].kind != NodeKind::FoldState)
    return {id};
  std::vector<NodeId> nodes;
  for (const FoldState &state : problem.folds[problem[id].fold].states)
    nodes.push_back(state.result);
  return nodes;
}

std::vector<NodeId> Planner::getBodies(llvm::ArrayRef<NodeId> carried) {
  std::vector<NodeId> bodies;
  for (NodeId id : carried) {
    const Node &node = problem[id];
    if (node.kind == NodeKind::FoldState)
      llvm::append_range(bodies,
                         problem.folds[node.fold].states[node.state].body);
    else
      llvm::append_range(bodies, node.operands);
  }
  return bodies;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

namespace {
/// Finds the reductions that need a loop in one block. An axis that a reduction
/// on the way binds anew is *shadowed*: what carries it there belongs inside.
struct UnitFinder {
  using State = std::pair<NodeId, AxisSet>;
  llvm::function_ref<bool(NodeId, const AxisSet &)> belongs;
  llvm::function_ref<AxisSet(NodeId)> getLoopAxes;
  const Problem &problem;
  /// By node, what was shadowed.
  std::vector<llvm::SmallVector<AxisSet, 1>> seen;
  std::vector<NodeId> found;

  void visit(NodeId id, const AxisSet &shadowed) {
    seen.resize(problem.size());
    if (llvm::is_contained(seen[id], shadowed))
      return;
    seen[id].push_back(shadowed);
    AxisSet inner = shadowed;
    if (!problem.getReducedAxes(id).empty())
      inner = unite(shadowed, getLoopAxes(id));
    for (NodeId operand : problem.getDependencies(id))
      visit(operand, inner);
    if (belongs(id, shadowed) && !llvm::is_contained(found, id))
      found.push_back(id);
  }
};
} // namespace

std::vector<Unit> Planner::collectUnits(NestBlock *block,
                                        llvm::ArrayRef<NodeId> targets) {
  auto loopAxes = [&](NodeId id) { return getLoopAxes(block, id); };
  auto belongs = [&](NodeId id, const AxisSet &shadowed) {
    bool open = llvm::all_of(problem[id].axes, [&](AxisId axis) {
      return block->bindings.count(axis) && !contains(shadowed, axis);
    });
    return open && !loopAxes(id).empty() &&
           !getHome(block, id)->available.count(id);
  };
  UnitFinder finder{belongs, loopAxes, problem, {}, {}};
  for (NodeId target : targets)
    finder.visit(target, {});

  std::vector<Unit> units;
  std::map<NodeId, size_t> unitOf;
  for (NodeId id : finder.found) {
    if (unitOf.count(id))
      continue;
    if (!problem.getFoldLeaves(id).empty())
      fail("a reduction inside a fold's body is not supported");
    for (NodeId node : getUnit(id))
      unitOf[node] = units.size();
    units.push_back({getUnit(id), loopAxes(id), {}, false});
  }
  for (auto [index, unit] : llvm::enumerate(units)) {
    UnitFinder below{belongs, loopAxes, problem, {}, {}};
    for (NodeId body : getBodies(unit.nodes))
      below.visit(body, unit.loopAxes);
    for (NodeId id : below.found)
      if (unitOf[id] != index)
        unit.needs.insert(unitOf[id]);
  }
  return units;
}

/// The ready units over one axis set that share the next loop. Prefers axes
/// for which waiting brings no further unit into the loop.
static std::vector<Unit *> pickGroup(std::vector<Unit> &units) {
  auto isReady = [&](const Unit &unit) {
    return !unit.done && llvm::all_of(unit.needs, [&](size_t need) {
      return units[need].done;
    });
  };
  std::vector<Unit *> first;
  for (Unit &leader : units) {
    if (!isReady(leader))
      continue;
    std::vector<Unit *> group;
    std::set<size_t> members;
    for (auto [index, unit] : llvm::enumerate(units))
      if (isReady(unit) && unit.loopAxes == leader.loopAxes) {
        group.push_back(&unit);
        members.insert(index);
      }
    if (first.empty())
      first = group;
    bool waits = llvm::any_of(units, [&](const Unit &unit) {
      return !unit.done && !isReady(unit) && unit.loopAxes == leader.loopAxes &&
             llvm::none_of(unit.needs,
                           [&](size_t need) { return members.count(need); });
    });
    if (!waits)
      return group;
  }
  return first;
}

void Planner::planUnits(NestBlock *block, llvm::ArrayRef<NodeId> targets) {
  std::vector<Unit> units = collectUnits(block, targets);
  size_t remaining = units.size();
  while (remaining && error.empty()) {
    std::vector<Unit *> group = pickGroup(units);
    if (group.empty())
      return fail("reductions depend on each other in a circle");
    if (!chosen.horizontal)
      group.resize(1);
    planGroup(block, group);
    for (Unit *unit : group)
      unit->done = true;
    remaining -= group.size();
  }
}

void Planner::planGroup(NestBlock *block, llvm::ArrayRef<Unit *> group) {
  std::vector<NodeId> carried;
  for (Unit *unit : group)
    llvm::append_range(carried, unit->nodes);
  llvm::SmallVector<AxisId, 4> order;
  for (const AxisTile &range : chosen.loop)
    if (contains(group.front()->loopAxes, range.axis))
      order.push_back(range.axis);
  for (AxisId axis : group.front()->loopAxes)
    if (!contains(order, axis))
      return fail("axis '" + problem.axes[axis].name +
                  "' is reduced but has no tile in 'loop'");
  buildNest(block, order, carried, /*continued=*/false);
  block->available.insert(carried.begin(), carried.end());
}

void Planner::buildNest(NestBlock *block, llvm::ArrayRef<AxisId> axes,
                        const std::vector<NodeId> &carried, bool continued) {
  auto loop = std::make_unique<Loop>();
  loop->range = {axes.front(), getTile(chosen.loop, axes.front())};
  loop->carried = carried;
  loop->continued = continued;
  limitLoop(block, *loop);
  loop->body.parent = block;
  loop->body.bindings = block->bindings;
  loop->body.bindings.open(axes.front(),
                           {nextBinding++, loop->range.tile, false});
  if (axes.size() > 1) {
    planUnits(&loop->body, getBodies(carried));
    buildNest(&loop->body, axes.drop_front(), carried, /*continued=*/true);
  } else {
    accumulate(&loop->body, carried);
  }
  block->steps.push_back({Step::Nest, 0, std::move(loop)});
}

/// Finds the loop's domain; what its ends are computed from stands before it.
void Planner::limitLoop(NestBlock *block, Loop &loop) {
  loop.domain = findDomain(
      problem, loop.range.axis, loop.carried,
      [&](AxisId axis) { return block->bindings.count(axis); },
      [&](AxisId axis) {
        const Binding *range = block->bindings.find(axis);
        return range && range->tile == 1;
      });
  std::vector<NodeId> arguments;
  for (const DomainBound &bound : loop.domain) {
    collectArguments(problem, bound, arguments);
    collectAxes(problem, bound, loop.domainAxes, loop.domainExtents);
  }
  for (NodeId argument : arguments)
    demand(block, argument);
}

void Planner::accumulate(NestBlock *block, const std::vector<NodeId> &carried) {
  for (NodeId id : carried)
    if (problem[id].kind == NodeKind::FoldState)
      block->available.insert(
          problem.folds[problem[id].fold].states[problem[id].state].old);
  planUnits(block, getBodies(carried));
  for (NodeId id : carried) {
    if (!error.empty())
      return;
    if (problem[id].kind == NodeKind::FoldState) {
      const Node &node = problem[id];
      demand(block, problem.folds[node.fold].states[node.state].rebased);
      addState(block, id);
    } else {
      demandOperands(block, id);
      addStep(block, Step::Accumulate, id);
    }
  }
}

/// One step of a fold's state; what follows may use it as a reference.
void Planner::addState(NestBlock *block, NodeId id) {
  const Node &node = problem[id];
  const FoldState &state = problem.folds[node.fold].states[node.state];
  demandOperands(block, id);
  addStep(block, Step::Accumulate, id);
  block->available.insert(state.ref);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

void Planner::addStep(NestBlock *block, Step::Kind kind, NodeId id) {
  block->steps.push_back({kind, id, nullptr});
  if (kind == Step::Evaluate)
    block->available.insert(id);
}

/// A pointwise operation with one use over the same positions is part of its
/// user; every other value becomes a tile.
void Planner::demandFused(NestBlock *block, NodeId id,
                          const AxisSet &iteration) {
  const Node &node = problem[id];
  if (problem.isScalar(id))
    return;
  // Truth values and positions are cheaper to compute again than to keep.
  bool cheap = node.kind == NodeKind::Pointwise &&
               (node.element == Element::I1 || node.op == Pointwise::Iota);
  if (!cheap && (node.kind != NodeKind::Pointwise || uses[id] != 1 ||
                 node.axes != iteration || getHome(block, id) != block ||
                 block->available.count(id)))
    return demand(block, id);
  for (NodeId operand : node.operands)
    demandFused(block, operand, iteration);
}

/// An axis that is reduced and that no tile has, only the positions along it,
/// would leave nothing to tell its range: then these are a tile.
void Planner::demandPositions(NestBlock *block, NodeId body, AxisSet missing) {
  std::vector<NodeId> positions, stack = {body};
  while (!stack.empty() && error.empty()) {
    NodeId id = stack.back();
    stack.pop_back();
    const Node &node = problem[id];
    NestBlock *home = getHome(block, id);
    if (home->available.count(id))
      missing = subtract(missing, node.axes);
    else if (node.op == Pointwise::Iota && node.kind == NodeKind::Pointwise)
      positions.push_back(id);
    else
      stack.insert(stack.end(), node.operands.begin(), node.operands.end());
  }
  for (NodeId id : positions)
    if (AxisId axis = problem[id].axes.front();
        contains(missing, axis) && !problem.axes[axis].unit) {
      demand(block, id);
      missing = subtract(missing, problem[id].axes);
    }
}

void Planner::demandOperands(NestBlock *block, NodeId id) {
  const Node &node = problem[id];
  if (node.kind == NodeKind::Pointwise) {
    for (NodeId operand : node.operands)
      demandFused(block, operand, node.axes);
    return;
  }
  std::vector<NodeId> bodies = getBodies({id});
  // The operands of a contraction are tiles: they go into tensor cores.
  if (bodies.size() == 1) {
    const AxisSet &all = problem[bodies.front()].axes;
    demandFused(block, bodies.front(), all);
    return demandPositions(block, bodies.front(), subtract(all, node.axes));
  }
  for (NodeId body : bodies)
    demand(block, body);
}

void Planner::demand(NestBlock *block, NodeId id) {
  if (!error.empty() || problem.isScalar(id))
    return;
  NestBlock *home = getHome(block, id);
  if (!error.empty() || home->available.count(id))
    return;
  const Node &node = problem[id];
  switch (node.kind) {
  case NodeKind::FoldRef:
  case NodeKind::FoldOld:
    return fail("a fold's body uses a state that is not there yet");
  case NodeKind::FoldState:
    if (!getLoopAxes(home, id).empty())
      return fail("a fold has no loop");
    // No loop: one tile is the whole axis, and the leaf is the result.
    for (NodeId state : getUnit(id)) {
      addState(home, state);
      home->available.insert(state);
    }
    return;
  case NodeKind::Reduce:
  case NodeKind::Contract:
    if (!getLoopAxes(home, id).empty())
      return fail("a reduction has no loop");
    [[fallthrough]];
  case NodeKind::Pointwise:
    demandOperands(home, id);
    break;
  case NodeKind::Argument:
  case NodeKind::Constant:
  case NodeKind::Extent:
    break;
  }
  addStep(home, Step::Evaluate, id);
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

llvm::Expected<LoopNest> Planner::run() {
  LoopNest nest;
  nest.root = std::make_unique<NestBlock>();
  NestBlock *root = nest.root.get();
  auto open = [&](const AxisTile &range) {
    bool full = problem.axes[range.axis].isCoveredBy(range.tile);
    root->bindings.open(range.axis, {nextBinding++, range.tile, full});
  };
  nest.grid = chosen.grid;
  for (const AxisTile &range : nest.grid)
    open(range);
  // A reduced axis that is one tile long is open everywhere.
  for (const AxisTile &range : chosen.loop) {
    if (!root->bindings.count(range.axis) &&
        problem.axes[range.axis].isCoveredBy(range.tile))
      open(range);
  }
  std::vector<NodeId> targets;
  for (const Result &result : problem.results)
    targets.push_back(result.node);
  planUnits(root, targets);
  for (NodeId target : targets) {
    // A number that no tile enters is written all the same.
    if (problem.isScalar(target) && !root->available.count(target))
      addStep(root, Step::Evaluate, target);
    demand(root, target);
  }
  if (!error.empty())
    return llvm::createStringError(error);
  return nest;
}

llvm::Expected<LoopNest> schedule::planLoopNest(const Problem &problem,
                                                const Schedule &schedule) {
  llvm::Expected<LoopNest> nest = Planner(problem, schedule).run();
  if (nest)
    findUses(problem, *nest);
  return nest;
}

/// Adds the axes whose positions `term` grows with.
static void addGrowing(const Problem &problem, NodeId term, AxisSet &axes) {
  const Node &node = problem[term];
  if (node.kind != NodeKind::Pointwise)
    return;
  if (node.op == Pointwise::Iota) {
    axes = unite(axes, node.axes);
    return;
  }
  if (node.op == Pointwise::Neg)
    return;
  llvm::ArrayRef<NodeId> operands = node.operands;
  if (node.op == Pointwise::Sub)
    operands = operands.take_front();
  for (NodeId operand : operands)
    addGrowing(problem, operand, axes);
}

static void addLengthening(const Problem &problem, const NestBlock &block,
                           AxisSet &axes) {
  for (const Step &step : block.steps) {
    if (step.kind != Step::Nest)
      continue;
    for (const DomainBound &bound : step.loop->domain)
      if (bound.upper)
        for (NodeId term : bound.plus)
          addGrowing(problem, term, axes);
    addLengthening(problem, step.loop->body, axes);
  }
}

AxisSet schedule::getLengtheningAxes(const Problem &problem,
                                     const LoopNest &nest) {
  AxisSet axes;
  addLengthening(problem, *nest.root, axes);
  return axes;
}

std::vector<bool> schedule::getPlanKey(const Problem &problem,
                                       const Schedule &schedule,
                                       const AxisSet &single) {
  std::vector<bool> key;
  for (llvm::ArrayRef<AxisTile> tiles :
       {llvm::ArrayRef<AxisTile>(schedule.grid),
        llvm::ArrayRef<AxisTile>(schedule.loop)})
    for (const AxisTile &range : tiles) {
      key.push_back(problem.axes[range.axis].isCoveredBy(range.tile));
      if (contains(single, range.axis))
        key.push_back(range.tile == 1);
    }
  return key;
}

static void setTiles(NestBlock &block, const Schedule &schedule) {
  for (Step &step : block.steps) {
    if (step.kind != Step::Nest)
      continue;
    Loop &loop = *step.loop;
    loop.range.tile = getTile(schedule.loop, loop.range.axis);
    for (AxisId axis : loop.body.bindings.getAxes())
      loop.body.bindings.setTile(axis, axis == loop.range.axis
                                           ? loop.range.tile
                                           : block.bindings.at(axis).tile);
    setTiles(loop.body, schedule);
  }
}

void schedule::setTiles(LoopNest &nest, const Schedule &schedule) {
  nest.grid = schedule.grid;
  for (AxisId axis : nest.root->bindings.getAxes()) {
    int64_t tile = getTile(schedule.grid, axis);
    nest.root->bindings.setTile(axis,
                                tile ? tile : getTile(schedule.loop, axis));
  }
  ::setTiles(*nest.root, schedule);
}
