//===- NestCounter.cpp - What a block of a kernel does --------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NestCounter.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <tuple>

using namespace mlir::cleave;
using namespace mlir::cleave::schedule;

bool schedule::isSpecial(Pointwise op) {
  switch (op) {
  case Pointwise::Div:
  case Pointwise::Pow:
  case Pointwise::Recip:
  case Pointwise::Recip0:
  case Pointwise::Exp:
  case Pointwise::Exp2:
  case Pointwise::Log:
  case Pointwise::Tanh:
  case Pointwise::Erf:
  case Pointwise::Sqrt:
  case Pointwise::Rsqrt:
  case Pointwise::Sigmoid:
    return true;
  default:
    return false;
  }
}

bool schedule::isContraction(const Problem &problem, NodeId id) {
  const Node &node = problem[id];
  if (node.kind == NodeKind::FoldState)
    return problem.folds[node.fold].states[node.state].contraction;
  return node.kind == NodeKind::Contract;
}

/// As the GPU takes them (GenericKind.cpp): without rows, columns or a sum of
/// both sides, and of f64, a product is a reduction.
static bool isProduct(const Problem &problem, NodeId id) {
  llvm::ArrayRef<NodeId> body = getBody(problem, id);
  const Node &lhs = problem[body[0]], &rhs = problem[body[1]];
  auto isReduced = [&](AxisId axis) {
    return llvm::is_contained(problem.getReducedAxes(id), axis);
  };
  auto isFree = [&](AxisId axis) { return !isReduced(axis); };
  return lhs.element != Element::F64 &&
         llvm::any_of(subtract(lhs.axes, rhs.axes), isFree) &&
         llvm::any_of(subtract(rhs.axes, lhs.axes), isFree) &&
         llvm::any_of(lhs.axes, [&](AxisId axis) {
           return isReduced(axis) && llvm::is_contained(rhs.axes, axis);
         });
}

double NestCounter::getPadded(const NestBlock &block,
                              llvm::ArrayRef<AxisId> axes) const {
  double size = 1;
  for (AxisId axis : axes) {
    int64_t tile = block.bindings.at(axis).tile;
    int64_t extent = problem.axes[axis].extent;
    if (extent != kDynamic)
      tile = std::min<int64_t>(
          tile, llvm::PowerOf2Ceil(std::max<int64_t>(extent, 1)));
    size *= static_cast<double>(tile);
  }
  return size;
}

double NestCounter::getTileSize(const NestBlock &block, NodeId id) const {
  double &size = sizes[block.number * uses.shapes.size() + uses.shapeOf[id]];
  if (size == 0)
    size = getPadded(block, problem[id].axes);
  return size;
}

/// Without fragments, lanes along a row of the result each have what belongs to
/// the row.
double NestCounter::getCopies(const NestBlock &block, const Node &node) const {
  constexpr double kRun = 8, kLanes = 32;
  const auto &axes = problem.results.front().storage;
  auto isOfRow = [&](AxisId axis) {
    return axis != axes.back() && llvm::is_contained(axes, axis);
  };
  if (uses.hasProducts || axes.empty() || !block.bindings.count(axes.back()) ||
      !llvm::all_of(node.axes, isOfRow))
    return 1;
  return std::clamp(getPadded(block, {axes.back()}) / kRun, 1.0, kLanes);
}

double NestCounter::getActual(const NestBlock &block,
                              llvm::ArrayRef<AxisId> axes) const {
  double size = 1;
  for (AxisId axis : axes)
    size *= std::min(static_cast<double>(block.bindings.at(axis).tile),
                     std::max(getExtent(axis), 1.0));
  return size;
}

/// Memory is read in lines: short runs of the last axis cost as much as whole
/// ones, and 64 bytes more than half of 128.
double NestCounter::getMovedBytes(const NestBlock &block,
                                  const Node &tensor) const {
  constexpr double kLine = 72;
  double bytes = getBits(tensor.element) / 8.0;
  double total = getActual(block, tensor.axes) * bytes;
  if (tensor.storage.empty())
    return total;
  double run = getActual(block, tensor.storage.back()) * bytes;
  bool whole = run >= getExtent(tensor.storage.back()) * bytes;
  return whole ? total : total * std::max(1.0, kLine / run);
}

/// By how much memory is slower where rows are read in pieces.
static constexpr double kReopened = 0.25;

/// Whether a block reads short pieces of rows: when the rest comes, in a later
/// step, memory has closed the row. Blocks beside each other read it at once.
bool NestCounter::isInPieces(const NestBlock &block, const Node &tensor) const {
  constexpr double kLeast = 256;
  if (tensor.storage.empty())
    return false;
  AxisId last = tensor.storage.back();
  const NestBlock *root = &block;
  while (root->parent)
    root = root->parent;
  double bytes = getBits(tensor.element) / 8.0;
  return !root->bindings.count(last) &&
         getActual(block, last) * bytes <
             std::min(kLeast, getExtent(last) * bytes);
}

/// The operations of `id` and of what is fused into it. Without a ring, whose
/// tiles each use reads in a layout of its own, what was computed is there.
void NestCounter::countExpression(const NestBlock &block, NodeId id,
                                  double elements, bool isAgain) {
  const Node &node = problem[id];
  if (node.kind != NodeKind::Pointwise)
    return;
  if (!isAgain && !hasRing(block) &&
      !expressions.insert({block.number, id}).second)
    return;
  if (isSpecial(node.op))
    cost.specialOps += elements;
  cost.scalarOps +=
      elements *
      std::max<double>(1, static_cast<double>(node.operands.size()) - 1);
  for (NodeId operand : node.operands) {
    if (problem.isScalar(operand))
      continue;
    // Numbers of 16 bits are converted by whoever reads them; their products
    // are exact without.
    if (!block.tiles[operand])
      countExpression(block, operand, elements, isAgain);
    else if (getBits(problem[operand].element) == 16 &&
             node.op != Pointwise::Mul)
      cost.scalarOps += elements;
  }
}

double NestCounter::getTrips(const NestBlock &block, const Loop &loop,
                             double place) const {
  auto getRange = [&](AxisId axis) {
    auto size = static_cast<double>(block.bindings.at(axis).tile);
    double first = size * std::floor(getTiles(block, axis) * place);
    return std::make_pair(first, std::min(first + size, getExtent(axis)) - 1);
  };
  double begin = 0, end = getExtent(loop.range.axis);
  for (const DomainBound &bound : loop.domain) {
    double limit = 0;
    bool known = true;
    auto add = [&](NodeId term, bool negative) {
      std::optional<double> value =
          evaluateExtreme(problem, term, bound.upper != negative, getRange);
      known &= value.has_value();
      limit += negative ? -value.value_or(0) : value.value_or(0);
    };
    for (NodeId term : bound.plus)
      add(term, false);
    for (NodeId term : bound.minus)
      add(term, true);
    if (known && bound.upper)
      end = std::min(end, limit + (bound.strict ? 0 : 1));
    else if (known)
      begin = std::max(begin, limit + (bound.strict ? 1 : 0));
  }
  auto tile = static_cast<double>(loop.range.tile);
  return std::max(0.0, std::ceil(end / tile) - std::floor(begin / tile));
}

Trips NestCounter::getTrips(const NestBlock &block, const Loop &loop) const {
  if (isWrittenOut(problem, loop))
    return {getExtent(loop.range.axis) / static_cast<double>(loop.range.tile)};
  if (loop.domain.empty())
    return {std::ceil(getExtent(loop.range.axis) /
                      static_cast<double>(loop.range.tile))};
  llvm::SmallVector<int64_t, 8> sizes = {
      loop.range.tile, problem.axes[loop.range.axis].representative};
  bool differ = false;
  for (AxisId axis : loop.domainAxes) {
    sizes.push_back(block.bindings.at(axis).tile);
    sizes.push_back(problem.axes[axis].representative);
    differ |= getTiles(block, axis) > 1;
  }
  for (AxisId axis : loop.domainExtents)
    sizes.push_back(problem.axes[axis].representative);
  auto [it, isNew] = loop.trips.try_emplace(sizes);
  Trips &trips = it->second;
  if (!isNew)
    return trips;
  // Tiles are where they are with equal chances: a few places will do.
  int samples = differ ? 64 : 1;
  double longest = 0, shortest = std::numeric_limits<double>::max();
  for (int sample = 0; sample < samples; ++sample) {
    double count = getTrips(block, loop, (sample + 0.5) / samples);
    trips.mean += count / samples;
    longest = std::max(longest, count);
    shortest = std::min(shortest, count);
  }
  trips.spread = longest - shortest;
  return trips;
}

/// The body of the loop that is being counted, around what it has written out.
const NestBlock &NestCounter::getIteration(const NestBlock &block) const {
  const NestBlock *body = &block;
  while (body->parent != outside)
    body = body->parent;
  return *body;
}

/// Whether `axis` has the same range in both blocks.
static bool isSame(const NestBlock &block, const NestBlock &around,
                   AxisId axis) {
  const Binding *range = around.bindings.find(axis);
  return range && range->id == block.bindings.at(axis).id;
}

/// Whether a step that is written out loads the same in all iterations of the
/// loop around it.
bool NestCounter::isInvariant(const NestBlock &block, NodeId id) const {
  if (!outside)
    return false;
  const NestBlock &iteration = getIteration(block);
  return &iteration != &block &&
         llvm::all_of(problem[id].axes, [&](AxisId axis) {
           return !isSame(block, iteration, axis) ||
                  isSame(block, *outside, axis);
         });
}

/// How much of what the block loads the iteration has not loaded yet: axes that
/// are parts of one dimension may have tiles at the same places.
double NestCounter::getNewShare(const NestBlock &block, NodeId id) {
  const Node &node = problem[id];
  auto isEmpty = [&](AxisId axis) { return problem.axes[axis].extent == 0; };
  if (!outside || (uses.loadedOnce[id] && llvm::none_of(node.storage, isEmpty)))
    return 1;
  const NestBlock &iteration = getIteration(block);
  llvm::SmallVector<Cut, 4> cuts = node.cuts;
  if (cuts.empty())
    cuts.resize(node.storage.size());
  // Of each piece: the argument, then where it is along each dimension.
  llvm::SmallVector<MemoryPlace, 1> places = {{node.argument}};
  auto add = [&](std::initializer_list<int64_t> where) {
    for (MemoryPlace &place : places)
      place.append(where);
  };
  const AxisId *next = node.storage.begin();
  for (const Cut &cut : cuts) {
    add({cut.stride, cut.stride ? block.bindings.at(cut.outer).id : 0});
    if (!cut.kept) {
      add({0, cut.offset, 1});
      continue;
    }
    AxisId id = *next++;
    const Axis &axis = problem.axes[id];
    const Binding &binding = block.bindings.at(id);
    if (!axis.isCoveredBy(binding.tile) && isSame(block, iteration, id)) {
      add({binding.id + 1, cut.offset, binding.tile});
      continue;
    }
    llvm::SmallVector<MemoryPlace, 1> pieces;
    for (int64_t begin = 0; begin < axis.extent; begin += binding.tile)
      for (MemoryPlace place : places) {
        place.append({0, cut.offset + begin,
                      std::min(binding.tile, axis.extent - begin)});
        pieces.push_back(std::move(place));
      }
    places = std::move(pieces);
  }
  double sum = 0, isNew = 0;
  for (MemoryPlace &place : places) {
    auto size = static_cast<double>(place.back());
    sum += size;
    if (llvm::is_contained(loaded, place))
      continue;
    isNew += size;
    loaded.push_back(std::move(place));
  }
  return isNew / std::max(sum, 1.0);
}

bool NestCounter::holdsLoop(const NestBlock &block) const {
  std::optional<bool> &holds = loops[block.number];
  if (!holds)
    holds = schedule::holdsLoop(problem, block);
  return *holds;
}

/// What the expression of `id` reads of the tiles that the block loads through
/// its ring.
double NestCounter::getRingBytes(const NestBlock &block, NodeId id) const {
  const Node &node = problem[id];
  if (node.kind == NodeKind::Argument)
    return block.homes[id] == &block
               ? getPadded(block, node.axes) * getBits(node.element) / 8
               : 0;
  double bytes = 0;
  if (node.kind == NodeKind::Pointwise)
    for (NodeId operand : node.operands)
      if (problem[operand].kind == NodeKind::Argument || !block.tiles[operand])
        bytes += getRingBytes(block, operand);
  return bytes;
}

/// Whether no block has another part of the argument than others.
bool NestCounter::isTheSameForAll(NodeId id) const {
  return llvm::none_of(chosen.grid, [&](const AxisTile &range) {
    return llvm::is_contained(problem[id].axes, range.axis) &&
           static_cast<double>(range.tile) < getExtent(range.axis);
  });
}

void NestCounter::countLoad(const NestBlock &block, NodeId id, double trips) {
  const Node &node = problem[id];
  if (trips == 0)
    return;
  cost.loadedBytes += trips * getMovedBytes(block, node);
  if (trips == 1 && !hasRing(block) && isTheSameForAll(id))
    counts.keptBytes += getMovedBytes(block, node);
  double whole = getActual(block, node.axes) * getBits(node.element) / 8.0;
  counts.wholeBytes += trips * whole;
  if (isInPieces(block, node))
    counts.slowBytes += trips * whole * kReopened;
  insert(counts.moved, id);
}

/// Registers hold all of what a reduction, which is not a product of fragments,
/// reduces at once.
void NestCounter::countReducedTile(double elements, const Node &reduced) {
  constexpr double kRegisterBits = 32;
  double registers = std::max(1.0, getBits(reduced.element) / kRegisterBits);
  cost.largestTile = std::max(cost.largestTile, elements * registers);
}

/// Threads with many sums of exponentials go around their products with factors
/// of 1, see --cleave-skip-rescaling.
bool NestCounter::isSkipped(const NestBlock &block, NodeId id) const {
  constexpr double kManyValues = 128, kLanes = 32;
  // As it is, guarded, or copied.
  auto isState = [&](const Result &result) {
    std::vector<NodeId> nodes = {result.node};
    for (size_t i = 0; i < nodes.size(); ++i) {
      const Node &node = problem[nodes[i]];
      if (node.kind == NodeKind::FoldState)
        return true;
      if (node.kind == NodeKind::Pointwise &&
          (node.op == Pointwise::Select || node.op == Pointwise::Cast))
        nodes.insert(nodes.end(), node.operands.begin(), node.operands.end());
    }
    return false;
  };
  return uses.rebased[id] &&
         getTileSize(block, id) >=
             kManyValues * kLanes * static_cast<double>(chosen.warps) &&
         llvm::none_of(problem.results, isState);
}

double NestCounter::countStep(const NestBlock &block, const Step &step,
                              double trips) {
  NodeId id = step.node;
  const Node &node = problem[id];
  double threads = static_cast<double>(chosen.warps) * 32;
  double tile =
      std::max(getTileSize(block, id) * getCopies(block, node), threads);
  double bytes = std::max(1u, getBits(node.element) / 8) * tile;
  llvm::ArrayRef<NodeId> body = getBody(problem, id);
  double share = 1;
  if (node.kind == NodeKind::Argument) {
    if (isInvariant(block, id)) {
      countLoad(block, id, outsideTrips * pieces);
      return 0;
    }
    share = getNewShare(block, id);
    countLoad(block, id, trips * share);
  } else if (isContraction(problem, id)) {
    AxisSet all = unite(problem[body[0]].axes, problem[body[1]].axes);
    double macs = trips * getPadded(block, all);
    macs *= static_cast<double>(chosen.warps) / getBusyWarps(block, id);
    if (!isProduct(problem, id))
      countReducedTile(getPadded(block, all), problem[body[0]]);
    bool tensor = isTensor(problem[body[0]].element);
    (tensor ? cost.tensorMacs : cost.scalarOps) += macs;
    // With several stages operands are made of fragments of the ring's tiles.
    // What two contractions of a step share is there once.
    if (tensor)
      countFragments(block, id, trips);
    if (chosen.stages == 1 || !block.parent)
      for (NodeId operand : body)
        if (insert(sharedOperands, operand))
          cost.sharedBytes += getSharedBytes(block, problem[operand]);
  } else if (!problem.getReducedAxes(id).empty()) {
    double elements = getTileSize(block, body[0]);
    cost.scalarOps += trips * elements;
    countReducedTile(elements, problem[body[0]]);
    if (hasRing(block))
      cost.sharedTraffic += trips * getRingBytes(block, body[0]);
    if (!block.tiles[body[0]])
      countExpression(block, body[0], trips * elements);
    if (!isLate(id))
      countExchange(block, id, trips);
  } else {
    if (!isSkipped(block, id))
      countExpression(block, id, trips * getTileSize(block, id));
    if (!uses.madeOfLoads[id] && hasRing(block))
      cost.sharedTraffic += trips * getRingBytes(block, id);
  }
  // Tiles on their way to later steps lie in a ring.
  bool inRing = node.kind == NodeKind::Argument && hasRing(block);
  if (inRing) {
    counts.ringBytes += static_cast<int64_t>(bytes * slots * share);
    cost.sharedTraffic += trips * bytes * share;
    constexpr double kCopyBytes = 16;
    cost.scalarOps += trips * bytes * share / kCopyBytes;
  }
  // An accumulator takes no registers beside those that the loop carries. What
  // is made on fragments is there for a slice only. A state on its way to newer
  // references is where the old one was.
  bool onFragments = node.kind == NodeKind::Pointwise && chosen.stages > 1 &&
                     block.parent && uses.madeOfLoads[id];
  bool isFree =
      inRing || onFragments || uses.rebased[id] || step.kind != Step::Evaluate;
  return isFree ? 0 : bytes;
}

static LiveTiles::iterator findTile(LiveTiles &live, NodeId id) {
  return llvm::find_if(live, [&](auto &tile) { return tile.first == id; });
}

/// As --cleave-stage-tiles does it: what only the contractions of a loop read,
/// from outside, lies in shared memory if it would take too many registers.
void NestCounter::moveResidents(const NestBlock &block, const Loop &loop,
                                LiveTiles &live) {
  constexpr double kFreeBytes = 4 * 192;
  double bytes = 0;
  for (NodeId id : loop.carried)
    bytes += getTileSize(block, id) * getBits(problem[id].element) / 8;
  NodeList found, computed;
  auto add = [&](const NestBlock &body, const Step &step, double parts) {
    if (!isContraction(problem, step.node))
      return;
    if (step.kind == Step::Evaluate)
      bytes += getTileSize(body, step.node) *
               getBits(problem[step.node].element) / 8;
    auto isArgument = [&](NodeId operand) {
      return problem[operand].kind == NodeKind::Argument;
    };
    if (llvm::none_of(getBody(problem, step.node), isArgument))
      return;
    Division division = divide(body, step.node);
    // Warps that share rows or columns have copies.
    const std::pair<NodeId, double> sides[] = {
        {division.lhs, division.share.n * division.share.idle},
        {division.rhs, division.share.m * division.share.idle}};
    for (auto [operand, copies] : sides) {
      const Node &node = problem[operand];
      if (!isArgument(operand)) {
        // What has been computed changes its layout while the ring is filled.
        if (findTile(live, operand) != live.end() && insert(computed, operand))
          counts.nearlyResident +=
              static_cast<double>(getSharedBytes(body, node));
        continue;
      }
      if (isInvariant(body, operand) && findTile(live, operand) == live.end())
        live.emplace_back(operand, getPadded(body, node.axes) *
                                       getBits(node.element) / 8 * parts);
      if (auto *it = findTile(live, operand);
          it != live.end() && insert(found, operand))
        bytes += it->second * copies;
    }
  };
  for (const Step &step : loop.body.steps) {
    if (step.kind != Step::Nest) {
      add(loop.body, step, 1);
      continue;
    }
    for (const Step &inner : step.loop->body.steps)
      add(step.loop->body, inner,
          isWrittenOut(problem, *step.loop)
              ? getWrittenTiles(*step.loop)
              : getTrips(loop.body, *step.loop).mean);
  }
  if (!hasRing(loop.body))
    return;
  if (bytes <= kFreeBytes * static_cast<double>(chosen.warps) * 32) {
    for (NodeId id : found)
      counts.nearlyResident += findTile(live, id)->second;
    return;
  }
  for (NodeId id : found) {
    auto *tile = findTile(live, id);
    cost.sharedBytes += static_cast<int64_t>(tile->second);
    live.erase(tile);
    insert(residents, id);
  }
}

static double getBytes(const LiveTiles &tiles) {
  double sum = 0;
  for (auto [id, bytes] : tiles)
    sum += bytes;
  return sum;
}

/// The tiles of a loop that is written out, as memory: what is left of the axis
/// at its end takes whole fragments.
double NestCounter::getWrittenTiles(const Loop &loop) const {
  constexpr int64_t kFragment = 16;
  int64_t tile = loop.range.tile, rest = problem.axes[loop.range.axis].extent;
  int64_t whole = rest / tile;
  rest %= tile;
  if (rest > 0)
    rest =
        std::max<int64_t>(llvm::PowerOf2Ceil(rest), std::min(kFragment, tile));
  return static_cast<double>(whole * tile + rest) / static_cast<double>(tile);
}

/// The steps of a loop of `block`; whether that waits for what they load.
bool NestCounter::countLoop(const NestBlock &block, const Loop &loop,
                            double trips) {
  auto [steps, spread] = getTrips(block, loop);
  if (steps > 0)
    counts.spread = std::max(counts.spread, spread / steps);
  if (isWrittenOut(problem, loop)) {
    auto around = std::make_pair(pieces, slots);
    pieces *= steps;
    slots *= getWrittenTiles(loop);
    bool loads = countBlock(loop.body, trips * steps);
    std::tie(pieces, slots) = around;
    return loads;
  }
  std::vector<MemoryPlace> before = std::exchange(loaded, {});
  // What a step takes that loads nothing, in barriers.
  constexpr double kBareStep = 0.4;
  if (countBlock(loop.body, trips * steps)) {
    cost.loadSteps += trips * steps;
    cost.rings += trips;
  } else {
    cost.exchanges += kBareStep * trips * steps;
  }
  loaded = std::move(before);
  return false;
}

/// A tile may take the place of one that is read for the last time.
bool NestCounter::countBlock(const NestBlock &block, double trips) {
  const double before = liveSum;
  // What is loaded behind loops and reductions comes in pieces.
  constexpr double kPieces = 4;
  LiveTiles live;
  bool loads = false, isBehind = false;
  // Rings of loops one behind the other take the same memory.
  int64_t mostRing = 0;
  for (const Step &step : block.steps) {
    LiveTiles made;
    if (step.kind != Step::Nest) {
      bool isLoad = problem[step.node].kind == NodeKind::Argument;
      if (double bytes = countStep(block, step, trips))
        made.emplace_back(step.node,
                          bytes / (isLoad && isBehind ? kPieces : 1));
      loads |= isLoad;
      isBehind |= !block.parent && !problem.getReducedAxes(step.node).empty();
    } else {
      const Loop &loop = *step.loop;
      auto around = std::make_pair(outside, outsideTrips);
      if (!isWrittenOut(problem, loop)) {
        outside = &block;
        outsideTrips = trips;
        moveResidents(block, loop, live);
      }
      if (!loop.continued)
        for (NodeId id : loop.carried)
          made.emplace_back(id, getTileSize(block, id) *
                                    getBits(problem[id].element) / 8);
      liveSum = before + getBytes(live) + getBytes(made);
      int64_t ring = counts.ringBytes;
      loads |= countLoop(block, loop, trips);
      if (!isWrittenOut(problem, loop)) {
        mostRing = std::max(mostRing, counts.ringBytes - ring);
        counts.ringBytes = ring;
      }
      std::tie(outside, outsideTrips) = around;
      isBehind |= !block.parent;
      // What the loop alone reads, in all its iterations.
      llvm::erase_if(
          live, [&](const auto &tile) { return !block.homes[tile.first]; });
    }
    for (NodeId id : step.lastUses)
      if (auto *tile = findTile(live, id); tile != live.end())
        live.erase(tile);
    for (const auto &tile : made)
      if (findTile(live, tile.first) == live.end())
        live.push_back(tile);
    liveSum = before + getBytes(live);
    counts.liveBytes = std::max(counts.liveBytes, liveSum);
  }
  counts.ringBytes += mostRing;
  if (loads && trips > 1 && holdsLoop(block))
    cost.exposedSteps += trips;
  liveSum = before;
  return loads;
}

void NestCounter::count(const LoopNest &kernel) {
  if (countBlock(*kernel.root, 1))
    ++cost.loadSteps;
  cost.sharedBytes += sumBytes;
  // What has to fit to the last bytes is counted with what may be there.
  if (cost.exchangesRows)
    cost.sharedBytes +=
        static_cast<int64_t>(std::exchange(counts.nearlyResident, 0));
  for (const Result &result : problem.results) {
    Node stored = problem[result.node];
    stored.storage = result.storage;
    cost.storedBytes += getMovedBytes(*kernel.root, stored);
  }
}

NestCounts schedule::countNest(const Problem &problem, const Schedule &schedule,
                               const LoopNest &nest) {
  NestCounts counts;
  NestCounter(problem, schedule, nest.uses, counts).count(nest);
  if (counts.spread > 0)
    counts.lengthening = getLengtheningAxes(problem, nest);
  return counts;
}
