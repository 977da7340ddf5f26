//===- CostModel.cpp - How long a loop nest takes -------------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel's time is that of the busiest multiprocessor: the slower of what its
// blocks load and what they compute together, or the chain of dependent loads
// of one block after the other; never less than what device memory needs for
// what waves of blocks do not share.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Transforms/Schedule/CostModel.h"
#include "NestCounter.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

using namespace mlir::cleave;
using namespace mlir::cleave::schedule;

/// Times within about two percent are equal: the model is not better.
static double getRank(double time) {
  return std::floor(std::log(std::max(time, 1e-6)) / std::log(1.02));
}

bool Cost::operator<(const Cost &other) const {
  // Ranks are logarithms: most costs are told apart without.
  if (excess != other.excess)
    return excess < other.excess;
  return std::make_tuple(getRank(time), loadedBytes, time) <
         std::make_tuple(getRank(other.time), other.loadedBytes, other.time);
}

double schedule::getWeight(size_t kernels, bool hasParts) {
  constexpr double kWorth = 1.02, kParts = 1.01;
  constexpr size_t kFew = 3;
  return std::pow(kWorth, static_cast<double>(std::min(kernels, kFew))) *
         (hasParts ? kParts : 1);
}

/// Shared memory of a block in bytes.
static int64_t getSharedBytes(const NestCounts &counts,
                              const Schedule &schedule) {
  return counts.cost.sharedBytes + schedule.stages * counts.ringBytes;
}

static int64_t getRegisters(const NestCounts &counts,
                            const Schedule &schedule) {
  double threads = static_cast<double>(schedule.warps) * 32;
  return static_cast<int64_t>(std::ceil(counts.liveBytes / 4 / threads)) + 32;
}

/// What could overlap never does all of the time.
static double overlap(double first, double second) {
  constexpr double kApart = 0.05;
  return std::max(first, second) + kApart * std::min(first, second);
}

namespace {
/// From what a block does to how long the kernel takes.
class TimeModel {
public:
  TimeModel(const Problem &problem, const Schedule &schedule,
            const NestCounts &counts, const Target &target, bool isOrdered)
      : problem(problem), chosen(schedule), counts(counts), target(target),
        isOrdered(isOrdered), cost(counts.cost) {}

  KernelCost run();

private:
  double getExtent(AxisId axis) const {
    return static_cast<double>(problem.axes[axis].representative);
  }
  /// Blocks of the busiest multiprocessor.
  double getBlocks() const {
    return std::ceil(cost.blocks / static_cast<double>(target.multiprocessors));
  }
  /// Whether a block loads all that it needs at one time.
  bool isLoadedOnce() const {
    return cost.loadSteps <= 1 && cost.rings == 0 && counts.ringBytes == 0;
  }
  bool isSteady() const;
  double getResident() const;
  double getExchangeFactor() const;
  double getCompute(double blocks) const;
  double getAlone(double loads, double barriers, double compute,
                  double ends) const;
  /// Bytes of the arguments that `blocks` consecutive blocks load.
  double getWaveBytes(llvm::ArrayRef<AxisTile> grid, double blocks) const;
  /// What device memory loads.
  double getMovedBytes(llvm::ArrayRef<AxisTile> grid, double concurrent) const;
  double getTail(llvm::ArrayRef<AxisTile> grid, double concurrent) const;
  void orderGrid(double concurrent);

  const Problem &problem;
  const Schedule &chosen;
  const NestCounts &counts;
  const Target &target;
  /// Whether blocks run in the order in which the schedule has their axes.
  const bool isOrdered;
  KernelCost cost;
};
} // namespace

double TimeModel::getWaveBytes(llvm::ArrayRef<AxisTile> grid,
                               double blocks) const {
  llvm::SmallVector<double, 16> covered;
  for (const Axis &axis : problem.axes)
    covered.push_back(static_cast<double>(axis.representative));
  for (const AxisTile &range : llvm::reverse(grid)) {
    double extent = std::max(getExtent(range.axis), 1.0);
    double tile = static_cast<double>(range.tile);
    double count = std::min(std::ceil(extent / tile), blocks);
    covered[range.axis] = std::min(extent, count * tile);
    blocks = std::max(1.0, blocks / count);
  }
  double sum = 0;
  for (NodeId id : counts.moved) {
    double bytes = getBits(problem[id].element) / 8.0;
    for (AxisId axis : problem[id].axes)
      bytes *= covered[axis];
    sum += bytes;
  }
  return sum;
}

/// Consecutive blocks run at one time. What they share is loaded once; what a
/// wave shares with the one before is still in the cache only if all is small,
/// and so is what the loops of a block load again.
double TimeModel::getMovedBytes(llvm::ArrayRef<AxisTile> grid,
                                double concurrent) const {
  double once = getWaveBytes(grid, cost.blocks);
  if (once <= target.cachedBytes)
    return once;
  double waves = std::max(1.0, cost.blocks / concurrent);
  double wave = getWaveBytes(grid, concurrent);
  double again = std::max(0.0, counts.wholeBytes / getWaveBytes(grid, 1) - 1);
  double lost = std::max(0.0, 1 - target.cachedBytes / wave);
  return std::max(once, waves * wave) * (1 + again * lost);
}

/// How long multiprocessors wait for the last ones, half of them on average:
/// those that start last are the shorter, the less of their axis is among them.
double TimeModel::getTail(llvm::ArrayRef<AxisTile> grid,
                          double concurrent) const {
  if (cost.blocks <= concurrent)
    return 0;
  double inside = 1;
  for (const AxisTile &range : llvm::reverse(grid)) {
    inside *= std::ceil(std::max(getExtent(range.axis), 1.0) /
                        static_cast<double>(range.tile));
    if (contains(counts.lengthening, range.axis))
      return 0.5 * std::min(1.0, concurrent / inside) * counts.spread *
             cost.time * concurrent / cost.blocks;
  }
  return 0;
}

/// Orders the blocks for the cache, or, where some are longer, for both: then
/// the time of the kernel is what counts.
void TimeModel::orderGrid(double concurrent) {
  constexpr size_t kMostAxes = 4;
  bool uneven = !counts.lengthening.empty();
  // What fits the cache is there for the next wave, in whatever order.
  auto getPrice = [&](llvm::ArrayRef<AxisTile> grid) {
    if (!uneven)
      return std::max(getWaveBytes(grid, concurrent), target.cachedBytes);
    return overlap(cost.time + getTail(grid, concurrent),
                   getMovedBytes(grid, concurrent) / target.memoryBytes);
  };
  llvm::SmallVector<AxisTile, 4> order(chosen.grid);
  cost.grid = order;
  double least = getPrice(order);
  // Those with one tile may stand anywhere.
  llvm::SmallVector<unsigned, 4> places;
  for (auto [i, range] : llvm::enumerate(chosen.grid))
    if (getExtent(range.axis) > static_cast<double>(range.tile))
      places.push_back(i);
  llvm::SmallVector<unsigned, 4> from(places);
  // All blocks at one time share the same in any order.
  while (!isOrdered && cost.blocks > concurrent && places.size() <= kMostAxes &&
         std::next_permutation(from.begin(), from.end())) {
    for (auto [to, place] : llvm::zip_equal(places, from))
      order[to] = chosen.grid[place];
    double price = getPrice(order);
    // For less than that the order stays as it was written.
    if (price > (uneven ? 0.99 : 0.9) * least)
      continue;
    least = price;
    cost.grid = order;
  }
  cost.movedBytes = getMovedBytes(cost.grid, concurrent);
  cost.time += getTail(cost.grid, concurrent);
  if (counts.wholeBytes)
    cost.movedBytes *=
        (cost.loadedBytes + counts.slowBytes) / counts.wholeBytes;
  for (const Result &result : problem.results) {
    double bytes = getBits(problem[result.node].element) / 8.0;
    for (AxisId axis : problem[result.node].axes)
      bytes *= getExtent(axis);
    cost.movedBytes += bytes;
  }
}

/// Whether a multiprocessor has products to compute all the time, of blocks
/// that are at different places. A warp alone in its block waits for itself.
bool TimeModel::isSteady() const {
  constexpr double kManyBlocks = 8;
  return cost.tensorMacs > 0 && chosen.warps > 1 && cost.resident > 1 &&
         getBlocks() >= kManyBlocks;
}

/// In a loop warps that wait for each other are at different places; where rows
/// are only reduced all come at one time.
double TimeModel::getExchangeFactor() const {
  if (isLoadedOnce())
    return cost.tensorMacs > 0 ? 2 : 0.25;
  return std::max(1.0, static_cast<double>(chosen.warps) / 4);
}

/// How long a block computes while so many blocks are running. Few do not keep
/// the units busy: products need less of each other than other instructions do.
/// With more of them the one hides behind the other. Fragments move while other
/// warps compute.
double TimeModel::getCompute(double blocks) const {
  double running = blocks * static_cast<double>(chosen.warps);
  double units = static_cast<double>(target.multiprocessors);
  double tensor = cost.tensorMacs / (target.tensorMacs / units);
  double shared = cost.sharedTraffic / (target.sharedTraffic / units);
  double scalar = cost.scalarOps / (target.scalarOps / units);
  double special = cost.specialOps / (target.specialOps / units);
  auto getShare = [&](double enough) {
    return std::min(1.0, running / enough);
  };
  double products = tensor / getShare(4);
  // Rows that are only reduced are long chains of instructions, and all blocks
  // are at the same ones.
  bool isChain = cost.tensorMacs == 0 && blocks > 1;
  double enough = isChain ? 20 : isLoadedOnce() ? 8 : 4;
  double others = scalar / getShare(enough) + special / getShare(4);
  double hidden = 0.3;
  if (isSteady()) {
    // Large tiles are many independent instructions a warp; those that load
    // fragments take turns with them, and moves do where registers get short.
    constexpr double kSmallTiles = 96, kMany = 192, kLoads = 0.3;
    double registers = static_cast<double>(cost.registersPerThread);
    double depth = std::clamp(registers / kSmallTiles, 1.0, 2.0);
    others = scalar / getShare(16 / depth) + special / getShare(4 / depth);
    others *= 1 + std::max(0.0, registers - kMany) / 128;
    others += kLoads * shared;
    hidden = 0.7;
  }
  return std::max(shared / getShare(4),
                  std::max(products, others) +
                      (1 - hidden * getShare(8)) * std::min(products, others));
}

/// How long a block takes that no other one disturbs. A step waits for its
/// loads before it computes, unless they come through a ring: then only for
/// each other, and for the first tile. Many warps wait longer for the last one.
double TimeModel::getAlone(double loads, double barriers, double compute,
                           double ends) const {
  double warps = static_cast<double>(chosen.warps);
  double steps = cost.loadSteps + 1;
  double waiting = barriers * std::max(1.0, warps / 6);
  // Without a loop it waits once, however many stages there are.
  if (isLoadedOnce())
    return target.latency + (barriers + waiting) / 2 + loads + compute;
  if (chosen.stages == 1)
    return steps * target.latency + barriers + loads + compute;
  double alone =
      target.latency + ends +
      std::max({loads, waiting * (counts.overlapped ? 0.7 : 1.0) + compute,
                (steps * target.latency + loads) /
                    static_cast<double>(chosen.stages - 1)}) +
      (cost.exposedSteps + 2 * std::max(0.0, cost.rings - 1)) * target.latency;
  // A warp alone does not compute while it asks for loads.
  return alone + (chosen.warps == 1 ? 0.5 * std::min(loads, compute) : 0);
}

/// Blocks that a multiprocessor holds at once. Each takes some shared memory
/// for the system.
double TimeModel::getResident() const {
  constexpr double kReservedBytes = 1024, kMost = 16;
  auto warps = static_cast<double>(chosen.warps);
  double registers = static_cast<double>(cost.registersPerThread) * 32 * warps;
  double shared = static_cast<double>(cost.sharedBytes) +
                  counts.nearlyResident + kReservedBytes;
  return std::max(
      1.0, std::floor(std::min(
               {static_cast<double>(target.warps) / warps,
                static_cast<double>(target.registers) / registers,
                static_cast<double>(target.sharedBytes) / shared, kMost})));
}

KernelCost TimeModel::run() {
  cost.registersPerThread = getRegisters(counts, chosen);
  cost.sharedBytes = getSharedBytes(counts, chosen);
  double resident = getResident();
  cost.resident = static_cast<int64_t>(resident);
  double units = static_cast<double>(target.multiprocessors);
  cost.blocks = 1;
  for (const AxisTile &range : chosen.grid)
    cost.blocks *= std::ceil(std::max(getExtent(range.axis), 1.0) /
                             static_cast<double>(range.tile));
  cost.waves = std::ceil(cost.blocks / (units * resident));

  // What all blocks read is with the multiprocessor after the first.
  double kept = counts.keptBytes * (1 - 1 / getBlocks());
  double stores = cost.storedBytes / (target.cacheBytes / units);
  double loads =
      (cost.loadedBytes - kept) / (target.cacheBytes / units) + stores;
  double compute = getCompute(1);
  double steps = cost.loadSteps + 1;
  double barriers =
      (steps + cost.exchanges * getExchangeFactor()) * target.barrier;
  // The first tile comes before anything is computed, and the last one is
  // computed when nothing comes any more.
  double ends = std::min(loads, barriers + compute) / steps +
                counts.lateTraffic / (target.sharedTraffic / units);
  // A block without a loop ends when it has asked for its stores.
  double alone = getAlone(isLoadedOnce() ? loads - stores : loads, barriers,
                          compute, ends);
  // The busiest multiprocessor works on several blocks at a time, one after the
  // other. What one waits the others hide, but not all of it: without a ring a
  // step has two barriers, in front of its stores and behind them.
  double blocks = getBlocks();
  double together = std::min(resident, std::max(blocks, 1.0));
  bool once = isLoadedOnce();
  bool waitsTwice = chosen.stages == 1 && !once;
  double waits = together > 1 ? barriers * (waitsTwice ? 2 : 1) / together : 0;
  if (isSteady())
    waits -= steps * target.barrier / together / 2;
  // Blocks without loops take each other's places at different times.
  double rounds = blocks / together;
  cost.time = std::max(blocks * std::max(loads, getCompute(together) + waits),
                       (once ? rounds : std::ceil(rounds)) * alone);

  // Memory has nothing to do while all blocks begin or end; with several on a
  // multiprocessor others load then, and after some rounds blocks do not begin
  // together any more. They start one after the other.
  constexpr double kStart = 1.1, kRounds = 4;
  double idle = 2 * target.latency + (once ? compute : ends);
  if (waitsTwice)
    idle += steps * target.latency;
  orderGrid(units * resident);
  cost.memory = cost.movedBytes / target.memoryBytes +
                std::clamp(blocks / (together * together), 1.0, kRounds) * idle;
  // Where each has a ring to fill, memory waits for the last one to start.
  if (!once)
    cost.memory += (together - 1) * kStart * target.barrier;
  cost.time = std::max(cost.time, blocks * kStart * target.barrier + idle);
  // The same if other blocks follow as soon as one ends.
  cost.busy = cost.blocks / units *
              std::max({loads, getCompute(resident) + waits, alone / resident});
  cost.time = overlap(cost.time, cost.memory) + target.launch;
  return cost;
}

/// As long as the longest of them, or as all of their work takes. Where one
/// leaves places on the multiprocessors, but not for all of the next, the rest
/// comes when it is done: a few blocks find a place where another ends early,
/// and the first of the others wait while the last in front compute.
double schedule::getSharedTime(llvm::ArrayRef<KernelCost> kernels,
                               const Target &target) {
  double longest = 0, busy = 0, memory = 0, inTurn = 0, waves = 0;
  for (const KernelCost &kernel : kernels) {
    double time = kernel.time - target.launch;
    longest = std::max(longest, time);
    busy += kernel.busy;
    memory += kernel.memory;
    double own = kernel.blocks /
                 static_cast<double>(target.multiprocessors * kernel.resident);
    if (waves == 0)
      inTurn = time;
    else if (waves < 1)
      inTurn += std::max(0.0, time - 2.5 * target.latency) *
                std::clamp(2 * (waves + own - 1), 0.0, 1.0);
    waves += own;
  }
  return std::max({longest, busy, memory, inTurn}) + target.launch;
}

/// The last blocks end when all of the kernel in front does.
double schedule::getJoinedTime(const KernelCost &front,
                               const KernelCost &joined, const Target &target) {
  return front.time + target.arrival + joined.time - target.launch;
}

/// What device memory moves and what is computed if tiles fit and nothing is
/// read or computed again. Masks may leave out any part of what is loaded, and
/// of the arithmetic.
double schedule::getLeastTime(const Problem &kernel, const Target &target) {
  auto getSize = [&](llvm::ArrayRef<AxisId> axes) {
    double size = 1;
    for (AxisId axis : axes)
      size *= static_cast<double>(kernel.axes[axis].representative);
    return size;
  };
  auto getBytes = [&](const Node &node) {
    return getSize(node.axes) * getBits(node.element) / 8;
  };
  double bytes = 0, tensor = 0, scalar = 0, special = 0;
  bool masked = false;
  // Parts of an argument may be the same memory.
  std::map<unsigned, double> arguments;
  for (NodeId id = 0; id < kernel.size(); ++id) {
    const Node &node = kernel[id];
    llvm::ArrayRef<NodeId> body = getBody(kernel, id);
    if (node.kind == NodeKind::Argument) {
      double &most = arguments[node.argument];
      most = std::max(most, getBytes(node));
    } else if (isContraction(kernel, id)) {
      Element element = kernel[body[0]].element;
      bool isTensor = element == Element::F16 || element == Element::BF16;
      (isTensor ? tensor : scalar) +=
          getSize(unite(kernel[body[0]].axes, kernel[body[1]].axes));
    } else if (!kernel.getReducedAxes(id).empty()) {
      scalar += getSize(kernel[body[0]].axes);
    } else if (node.kind == NodeKind::Pointwise && !kernel.isScalar(id)) {
      scalar += getSize(node.axes) *
                std::max<double>(1, static_cast<double>(body.size()) - 1);
      special += isSpecial(node.op) ? getSize(node.axes) : 0;
      masked |= node.element == Element::I1;
    }
  }
  for (auto [argument, most] : arguments)
    bytes += masked ? 0 : most;
  for (const Result &result : kernel.results)
    bytes += getBytes(kernel[result.node]);
  double products = tensor / target.tensorMacs;
  double others = scalar / target.scalarOps + special / target.specialOps;
  // Sums are rounded in another order.
  constexpr double kRounding = 1 - 1e-9;
  return kRounding * std::max({bytes / target.memoryBytes + target.latency,
                               masked ? 0 : std::max(products, others)}) +
         target.launch;
}

double schedule::getExcess(const NestCounts &counts, const Schedule &schedule,
                           const Target &target) {
  // Tiles of more are refused when they become vectors.
  constexpr double kMostThreadElements = 128;
  auto registers = static_cast<double>(getRegisters(counts, schedule));
  double threads = static_cast<double>(schedule.warps) * 32;
  // Beyond nine tenths of its registers a thread starts to spill; sooner where
  // rows are elements, not fragments: each has an address and a mask.
  double usable = counts.cost.tensorMacs > 0 ? 0.9 : 0.85;
  auto shared = static_cast<double>(getSharedBytes(counts, schedule));
  auto most = static_cast<double>(target.sharedBytesPerBlock);
  return std::max(
      {1.0,
       registers / (usable * static_cast<double>(target.registersPerThread)),
       registers * threads / static_cast<double>(target.registers),
       counts.cost.largestTile / (kMostThreadElements * threads),
       // Conversions between layouts take some that is not counted, but for
       // rows that warps exchange.
       shared / ((counts.cost.exchangesRows ? 0.995 : 0.9) * most),
       (shared + counts.nearlyResident) / (0.995 * most)});
}

Cost schedule::computeCost(const Problem &problem, const Schedule &schedule,
                           const NestCounts &counts, const Target &target,
                           bool isOrdered) {
  Cost cost;
  cost.excess = getExcess(counts, schedule, target);
  cost.kernels.push_back(
      TimeModel(problem, schedule, counts, target, isOrdered).run());
  const KernelCost &one = cost.kernels.front();
  cost.time = one.time;
  cost.loadedBytes = one.blocks * one.loadedBytes;
  return cost;
}

Cost schedule::computeCost(const Problem &problem, const Schedule &schedule,
                           const LoopNest &nest, const Target &target) {
  return computeCost(problem, schedule, countNest(problem, schedule, nest),
                     target, /*isOrdered=*/true);
}

Cost &Cost::operator+=(const Cost &other) {
  excess = std::max(excess, other.excess);
  time += other.time;
  loadedBytes += other.loadedBytes;
  kernels.insert(kernels.end(), other.kernels.begin(), other.kernels.end());
  return *this;
}
