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
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

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

namespace {

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

class Counter {
public:
  Counter(const Problem &problem, const Schedule &schedule,
          const NodeUses &uses, const Target &target)
      : problem(problem), chosen(schedule), uses(uses), target(target),
        sizes(uses.blocks * uses.shapes.size(), 0) {}

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

} // namespace

/// Whether `id` was not there yet.
static bool insert(NodeList &nodes, NodeId id) {
  if (llvm::is_contained(nodes, id))
    return false;
  nodes.push_back(id);
  return true;
}

static bool isSpecial(Pointwise op) {
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

static bool isTensor(Element element) {
  return element == Element::F16 || element == Element::BF16;
}

double Counter::getPadded(const NestBlock &block,
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

double Counter::getTileSize(const NestBlock &block, NodeId id) const {
  double &size = sizes[block.number * uses.shapes.size() + uses.shapeOf[id]];
  if (size == 0)
    size = getPadded(block, problem[id].axes);
  return size;
}

double Counter::getActual(const NestBlock &block,
                          llvm::ArrayRef<AxisId> axes) const {
  double size = 1;
  for (AxisId axis : axes)
    size *= std::min(static_cast<double>(block.bindings.at(axis).tile),
                     std::max(getExtent(axis), 1.0));
  return size;
}

/// Memory is read in lines: short runs of the last axis cost as much as whole
/// ones, and 64 bytes more than half of 128.
double Counter::getMovedBytes(const NestBlock &block,
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
bool Counter::isInPieces(const NestBlock &block, const Node &tensor) const {
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

/// The operations of `id` and of what is fused into it.
void Counter::countExpression(const NestBlock &block, NodeId id,
                              double elements) {
  const Node &node = problem[id];
  if (node.kind != NodeKind::Pointwise)
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
      countExpression(block, operand, elements);
    else if (getBits(problem[operand].element) == 16 &&
             node.op != Pointwise::Mul)
      cost.scalarOps += elements;
  }
}

//===----------------------------------------------------------------------===//
// What a step computes from
//===----------------------------------------------------------------------===//

static bool isContraction(const Problem &problem, NodeId id) {
  const Node &node = problem[id];
  if (node.kind == NodeKind::FoldState)
    return problem.folds[node.fold].states[node.state].contraction;
  return node.kind == NodeKind::Contract;
}

/// Warps that have fragments of their own: others compute the same ones.
double Counter::getBusyWarps(const NestBlock &block, NodeId contraction) const {
  auto warps = static_cast<double>(chosen.warps);
  double fragments = getTileSize(block, contraction) / 128;
  return std::min(warps, std::max(fragments, 1.0));
}

/// A tile in shared memory. Its rows are padded by 16 bytes against bank
/// conflicts; which axis a row runs along is not known here, so the shortest.
int64_t Counter::getSharedBytes(const NestBlock &block,
                                const Node &node) const {
  double elements = getPadded(block, node.axes), row = elements;
  for (AxisId axis : node.axes)
    if (double length = getPadded(block, {axis}); length > 1)
      row = std::min(row, length);
  double bytes = elements * getBits(node.element) / 8;
  return static_cast<int64_t>(bytes + elements / std::max(row, 1.0) * 16);
}

/// As chooseMmaWarps does it: none idle, then few bytes. Warps that a small
/// result leaves split what is reduced.
static WarpShare shareWork(double m, double n, double k, double warps) {
  constexpr double kMostSplit = 1024;
  WarpShare best;
  double fewest = 0;
  for (double wm = 1; wm <= warps && (wm == 1 || wm * 16 <= m); wm *= 2)
    for (double wn = 1; wm * wn <= warps && (wn == 1 || wn * 8 <= n); wn *= 2) {
      WarpShare share{wm, wn, 1, warps / (wm * wn)};
      if ((m / wm) * (n / wn) <= kMostSplit)
        share.k = std::max(1.0, std::min(share.idle, k / 16));
      share.idle /= share.k;
      double cost = share.idle * (m * n + m + n) + (m / wm + n / wn) / share.k;
      if (fewest && cost >= fewest)
        continue;
      fewest = cost;
      best = share;
    }
  return best;
}

/// From a value to its use in another warp, in barriers: stores, a barrier and
/// loads, one after the other.
static constexpr double kExchangeTime = 3;
/// The same for rows of a product, which are in registers.
static constexpr double kRowExchangeTime = 0.5;

/// Whether each warp makes its own fragments of the tile. Others are made once
/// and move through shared memory.
bool Counter::isCheap(const NestBlock &block, NodeId id) const {
  const Node &node = problem[id];
  if (node.kind != NodeKind::Pointwise || block.homes[id] != &block)
    return true;
  return !isSpecial(node.op) &&
         llvm::all_of(node.operands, [&](NodeId operand) {
           return problem.isScalar(operand) || isCheap(block, operand);
         });
}

/// Whether each warp has rows of its own of a left side that is not cheap: it
/// makes them of the ring's tiles, where it multiplies them.
bool Counter::isMadeByRows(const NestBlock &block, NodeId contraction) const {
  llvm::ArrayRef<NodeId> body = getBody(problem, contraction);
  const Node &lhs = problem[body[0]], &rhs = problem[body[1]];
  return chosen.stages > 1 && isTensor(lhs.element) &&
         !uses.rows.count(contraction) && !isCheap(block, body[0]) &&
         getPadded(block, subtract(lhs.axes, rhs.axes)) >=
             16 * static_cast<double>(chosen.warps);
}

Division Counter::divide(const NestBlock &block, NodeId id) const {
  NodeId lhs = getBody(problem, id)[0], rhs = getBody(problem, id)[1];
  // Whole rows for each warp: the columns are the right side's.
  auto row = uses.rows.find(id);
  if (row != uses.rows.end() &&
      !subtract(row->second, problem[rhs].axes).empty())
    std::swap(lhs, rhs);
  const AxisSet &left = problem[lhs].axes, &right = problem[rhs].axes;
  double m = getPadded(block, subtract(left, right));
  double n = getPadded(block, subtract(right, left));
  double k = getPadded(block, left) / m;
  auto warps = static_cast<double>(chosen.warps);
  bool wholeRows = row != uses.rows.end() && m >= 16 * warps;
  Division division{lhs, rhs, m, n, k, {}, wholeRows};
  // Rows that are reduced have as few warps as can be. Once they are exchanged
  // the next product is divided like any other.
  if (wholeRows || (row != uses.rows.end() && !uses.madeOfRows[id])) {
    double rows = std::clamp(m / 16, 1.0, warps);
    double columns = std::clamp(n / 8, 1.0, warps / rows);
    division.share = {rows, columns, 1, warps / (rows * columns)};
  } else {
    division.share = shareWork(m, n, k, warps);
  }
  if (isMadeByRows(block, id))
    division.share = {warps, 1, 1, 1};
  return division;
}

/// Each warp reads its rows and columns of the operands from shared memory, one
/// slice of 16 along the reduced axis while it multiplies another.
void Counter::countFragments(const NestBlock &block, NodeId id, double trips) {
  const auto [lhs, rhs, m, n, k, share, wholeRows] = divide(block, id);
  auto warps = static_cast<double>(chosen.warps);
  bool madeByRows = isMadeByRows(block, id);
  // What is not cheap moves through shared memory, but for an accumulator that
  // becomes an operand in the same warp.
  auto isExchanged = [&, lhs = lhs, wholeRows = wholeRows](NodeId operand) {
    return !wholeRows && !(madeByRows && operand == lhs) &&
           block.homes[operand] == &block &&
           (!isCheap(block, operand) ||
            (uses.madeOfRows[id] && operand == lhs));
  };
  for (NodeId operand : {lhs, rhs})
    if (isExchanged(operand)) {
      constexpr double kBytes = 2;
      cost.sharedTraffic += trips * kBytes * getTileSize(block, operand);
      cost.exchanges +=
          trips * (uses.madeOfRows[id] ? kRowExchangeTime : kExchangeTime);
      if (insert(sharedOperands, operand))
        cost.sharedBytes += getSharedBytes(block, problem[operand]);
      // What no ring holds is converted as well, which is not counted.
      cost.exchangesRows |= uses.madeOfRows[id] && chosen.stages > 1 &&
                            !holdsLoop(problem, block);
    }
  // What comes from outside of the loop is in registers already.
  auto isRead = [&](NodeId operand) {
    return llvm::is_contained(residents, operand) || isExchanged(operand) ||
           (uses.madeOfLoads[operand] && block.homes[operand] == &block);
  };
  double lines =
      ((isRead(lhs) ? m / share.m : 0) + (isRead(rhs) ? n / share.n : 0)) /
      share.k;
  // Each warp along the other side makes the operand's fragments again.
  const std::pair<NodeId, double> makers[] = {{lhs, share.n * share.idle},
                                              {rhs, share.m * share.idle}};
  for (auto [operand, times] : makers)
    if (problem[operand].kind == NodeKind::Pointwise &&
        block.homes[operand] == &block && isCheap(block, operand))
      countExpression(block, operand,
                      trips * (times - 1) * getTileSize(block, operand));
  overlapped = share.k == 1 && k >= 32 && !uses.rows.count(id);
  // Sums of warps that split K meet there.
  if (share.k > 1 && chosen.stages > 1)
    cost.sharedBytes += static_cast<int64_t>(m * n * share.k * sizeof(float));
  // Two slices if one is read ahead, else what a few products need.
  constexpr double kBytes = 2;
  double slices = overlapped ? 2 * 16 : 8;
  cost.sharedTraffic += trips * k * kBytes * lines * warps;
  liveBytes = std::max(liveBytes, liveSum + slices * kBytes * lines * warps);
}

double Counter::getTrips(const NestBlock &block, const Loop &loop,
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

double Counter::getTrips(const NestBlock &block, const Loop &loop) const {
  if (isWrittenOut(problem, loop))
    return getExtent(loop.range.axis) / static_cast<double>(loop.range.tile);
  if (loop.domain.empty())
    return std::ceil(getExtent(loop.range.axis) /
                     static_cast<double>(loop.range.tile));
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
  double &trips = it->second;
  if (!isNew)
    return trips;
  // Tiles are where they are with equal chances: a few places will do.
  int samples = differ ? 64 : 1;
  for (int sample = 0; sample < samples; ++sample)
    trips += getTrips(block, loop, (sample + 0.5) / samples);
  return trips /= samples;
}

/// Each thread keeps a part of the state up to the end of the loop. It cannot
/// where a step moves the state to other references, or others read it.
bool Counter::isLate(NodeId id) const {
  const Node &node = problem[id];
  if (node.kind != NodeKind::FoldState)
    return true;
  const Fold &fold = problem.folds[node.fold];
  const FoldState &state = fold.states[node.state];
  // Parts of a sum times one factor stay parts of it.
  const Node &rebased = problem[state.rebased];
  bool isScaled = rebased.kind == NodeKind::Pointwise &&
                  rebased.op == Pointwise::Mul &&
                  state.combiner == Combiner::Sum &&
                  llvm::is_contained(rebased.operands, state.old);
  return (state.rebased == state.old || isScaled) &&
         !uses.references[state.ref];
}

/// What threads that share a row tell each other in each step. A row lies on
/// consecutive lanes, 16 bytes each, and on several warps if it is longer.
void Counter::countExchange(const NestBlock &block, NodeId id, double trips) {
  constexpr double kRun = 8, kLanes = 32, kShuffleBytes = 128;
  // Of a shuffle to its use, in barriers.
  constexpr double kShuffleTime = 0.25;
  double warps = static_cast<double>(chosen.warps);
  double kept = getTileSize(block, id);
  NodeId body = getBody(problem, id)[0];
  double length = getTileSize(block, body) / kept;
  // Reduced where a product's left side is made of the same tile.
  bool inWarp =
      uses.madeOfRows[id] || llvm::any_of(block.steps, [&](const Step &step) {
        return step.kind != Step::Nest && isContraction(problem, step.node) &&
               isMadeByRows(block, step.node) &&
               uses.shapeOf[getBody(problem, step.node)[0]] ==
                   uses.shapeOf[body];
      });
  double lanes = inWarp ? 4 : std::min(std::max(length / kRun, 1.0), kLanes);
  double across =
      inWarp ? std::clamp(16 * warps / std::max(kept, 16.0), 1.0,
                          std::max(length / 8, 1.0))
             : std::min(std::max(length / (kRun * kLanes), 1.0), warps);
  if (across > 1)
    cost.sharedBytes += static_cast<int64_t>(kept * across * sizeof(float));
  double rows = std::max(1.0, kept / (kLanes / lanes * warps / across));
  double rounds = std::log2(lanes);
  cost.sharedTraffic += trips * warps * rows * rounds * kShuffleBytes;
  cost.scalarOps += trips * warps * kLanes * rows * rounds * 2;
  double exchange = inWarp ? kRowExchangeTime : kExchangeTime;
  cost.exchanges +=
      trips * (rounds * kShuffleTime + (across > 1 ? exchange : 0));
}

/// The body of the loop that is being counted, around what it has written out.
const NestBlock &Counter::getIteration(const NestBlock &block) const {
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
bool Counter::isInvariant(const NestBlock &block, NodeId id) const {
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
double Counter::getNewShare(const NestBlock &block, NodeId id) {
  if (!outside)
    return 1;
  const Node &node = problem[id];
  const NestBlock &iteration = getIteration(block);
  llvm::SmallVector<Cut, 4> cuts = node.cuts;
  if (cuts.empty())
    cuts.resize(node.storage.size());
  // Of each piece: the argument, then where it is along each dimension.
  std::vector<std::vector<int64_t>> places = {{node.argument}};
  auto add = [&](std::initializer_list<int64_t> where) {
    for (std::vector<int64_t> &place : places)
      place.insert(place.end(), where);
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
    std::vector<std::vector<int64_t>> pieces;
    for (int64_t begin = 0; begin < axis.extent; begin += binding.tile)
      for (std::vector<int64_t> place : places) {
        place.insert(place.end(),
                     {0, cut.offset + begin,
                      std::min(binding.tile, axis.extent - begin)});
        pieces.push_back(std::move(place));
      }
    places = std::move(pieces);
  }
  double sum = 0, isNew = 0;
  for (std::vector<int64_t> &place : places) {
    auto size = static_cast<double>(place.back());
    sum += size;
    isNew += loaded.insert(std::move(place)).second ? size : 0;
  }
  return isNew / std::max(sum, 1.0);
}

/// What the expression of `id` reads of the tiles that the block loads through
/// a ring.
double Counter::getRingBytes(const NestBlock &block, NodeId id) const {
  if (chosen.stages == 1 || !block.parent || holdsLoop(problem, block))
    return 0;
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

void Counter::countLoad(const NestBlock &block, NodeId id, double trips) {
  const Node &node = problem[id];
  if (trips == 0)
    return;
  cost.loadedBytes += trips * getMovedBytes(block, node);
  double whole = getActual(block, node.axes) * getBits(node.element) / 8.0;
  wholeBytes += trips * whole;
  if (isInPieces(block, node))
    slowBytes += trips * whole * kReopened;
  insert(moved, id);
}

double Counter::countStep(const NestBlock &block, const Step &step,
                          double trips) {
  NodeId id = step.node;
  const Node &node = problem[id];
  double threads = static_cast<double>(chosen.warps) * 32;
  double tile = std::max(getTileSize(block, id), threads);
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
    bool tensor = isTensor(problem[body[0]].element);
    (tensor ? cost.tensorMacs : cost.scalarOps) += macs;
    // With several stages operands are made of fragments of the ring's tiles.
    // What two contractions of a step share is there once.
    if (tensor)
      countFragments(block, id, trips);
    if (chosen.stages == 1)
      for (NodeId operand : body)
        if (insert(sharedOperands, operand))
          cost.sharedBytes += getSharedBytes(block, problem[operand]);
  } else if (!problem.getReducedAxes(id).empty()) {
    double elements = getTileSize(block, body[0]);
    cost.scalarOps += trips * elements;
    cost.largestTile = std::max(cost.largestTile, elements);
    cost.sharedTraffic += trips * getRingBytes(block, body[0]);
    if (!block.tiles[body[0]])
      countExpression(block, body[0], trips * elements);
    if (!isLate(id))
      countExchange(block, id, trips);
  } else {
    countExpression(block, id, trips * getTileSize(block, id));
    if (!uses.madeOfLoads[id])
      cost.sharedTraffic += trips * getRingBytes(block, id);
  }
  // Tiles on their way to later steps lie in a ring.
  bool inRing = node.kind == NodeKind::Argument && block.parent &&
                chosen.stages > 1 && !holdsLoop(problem, block);
  if (inRing) {
    cost.sharedBytes +=
        chosen.stages * static_cast<int64_t>(bytes * pieces * share);
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
void Counter::moveResidents(const NestBlock &block, const Loop &loop,
                            LiveTiles &live) {
  constexpr double kFreeBytes = 4 * 192;
  double bytes = 0;
  for (NodeId id : loop.carried)
    bytes += getTileSize(block, id) * getBits(problem[id].element) / 8;
  NodeList found;
  auto add = [&](const NestBlock &body, const Step &step, double parts) {
    if (!isContraction(problem, step.node))
      return;
    if (step.kind == Step::Evaluate)
      bytes += getTileSize(body, step.node) *
               getBits(problem[step.node].element) / 8;
    Division division = divide(body, step.node);
    // Warps that share rows or columns have copies.
    const std::pair<NodeId, double> sides[] = {
        {division.lhs, division.share.n * division.share.idle},
        {division.rhs, division.share.m * division.share.idle}};
    for (auto [operand, copies] : sides) {
      const Node &node = problem[operand];
      if (node.kind != NodeKind::Argument)
        continue;
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
      add(step.loop->body, inner, getTrips(loop.body, *step.loop));
  }
  if (chosen.stages == 1 || holdsLoop(problem, loop.body))
    return;
  if (bytes <= kFreeBytes * static_cast<double>(chosen.warps) * 32) {
    for (NodeId id : found)
      nearlyResident += findTile(live, id)->second;
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

/// The steps of a loop of `block`; whether that waits for what they load.
bool Counter::countLoop(const NestBlock &block, const Loop &loop,
                        double trips) {
  double steps = getTrips(block, loop);
  if (isWrittenOut(problem, loop)) {
    pieces *= steps;
    bool loads = countBlock(loop.body, trips * steps);
    pieces /= steps;
    return loads;
  }
  std::set<std::vector<int64_t>> before = std::exchange(loaded, {});
  if (countBlock(loop.body, trips * steps))
    cost.loadSteps += trips * steps;
  loaded = std::move(before);
  return false;
}

/// A tile may take the place of one that is read for the last time.
bool Counter::countBlock(const NestBlock &block, double trips) {
  const double before = liveSum;
  LiveTiles live;
  bool loads = false;
  for (const Step &step : block.steps) {
    LiveTiles made;
    if (step.kind != Step::Nest) {
      if (double bytes = countStep(block, step, trips))
        made.emplace_back(step.node, bytes);
      loads |= problem[step.node].kind == NodeKind::Argument;
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
      loads |= countLoop(block, loop, trips);
      std::tie(outside, outsideTrips) = around;
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
    liveBytes = std::max(liveBytes, liveSum);
  }
  if (loads && trips > 1 && holdsLoop(problem, block))
    cost.exposedSteps += trips;
  liveSum = before;
  return loads;
}

double Counter::getWaveBytes(llvm::ArrayRef<AxisTile> grid,
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
  for (NodeId id : moved) {
    double bytes = getBits(problem[id].element) / 8.0;
    for (AxisId axis : problem[id].axes)
      bytes *= covered[axis];
    sum += bytes;
  }
  return sum;
}

/// Consecutive blocks run at one time. What they share is loaded once; what a
/// wave shares with the one before is still in the cache only if all is small.
void Counter::orderGrid(const LoopNest &kernel, double concurrent) {
  constexpr size_t kMostAxes = 4;
  llvm::SmallVector<AxisTile, 4> order(kernel.grid);
  cost.grid = order;
  double fewest = getWaveBytes(order, concurrent);
  llvm::SmallVector<unsigned, 4> places =
      llvm::to_vector<4>(llvm::seq<unsigned>(0, order.size()));
  while (order.size() <= kMostAxes &&
         std::next_permutation(places.begin(), places.end())) {
    for (auto [i, place] : llvm::enumerate(places))
      order[i] = kernel.grid[place];
    double bytes = getWaveBytes(order, concurrent);
    // For less than that the order stays as it was written.
    if (bytes > 0.9 * fewest)
      continue;
    fewest = bytes;
    cost.grid = order;
  }
  double once = getWaveBytes(cost.grid, cost.blocks);
  double waves = std::max(1.0, cost.blocks / concurrent);
  cost.movedBytes =
      once <= target.cachedBytes ? once : std::max(once, waves * fewest);
  if (wholeBytes)
    cost.movedBytes *= (cost.loadedBytes + slowBytes) / wholeBytes;
  for (const Result &result : problem.results) {
    double bytes = getBits(problem[result.node].element) / 8.0;
    for (AxisId axis : problem[result.node].axes)
      bytes *= getExtent(axis);
    cost.movedBytes += bytes;
  }
}

void Counter::finish(const LoopNest &kernel) {
  double threads = static_cast<double>(chosen.warps) * 32;
  cost.registersPerThread =
      static_cast<int64_t>(std::ceil(liveBytes / 4 / threads)) + 32;
  // Blocks that a multiprocessor holds at once.
  double resident = std::min(
      {static_cast<double>(target.warps) / static_cast<double>(chosen.warps),
       static_cast<double>(target.registers) /
           (static_cast<double>(cost.registersPerThread) * threads),
       static_cast<double>(target.sharedBytes) /
           static_cast<double>(std::max<int64_t>(cost.sharedBytes, 1)),
       16.0});
  resident = std::max(1.0, std::floor(resident));
  cost.resident = static_cast<int64_t>(resident);
  double units = static_cast<double>(target.multiprocessors);
  cost.blocks = 1;
  for (const AxisTile &range : kernel.grid)
    cost.blocks *= std::ceil(std::max(getExtent(range.axis), 1.0) /
                             static_cast<double>(range.tile));
  cost.waves = std::ceil(cost.blocks / (units * resident));

  double loads =
      (cost.loadedBytes + cost.storedBytes) / (target.cacheBytes / units);
  double tensor = cost.tensorMacs / (target.tensorMacs / units);
  double shared = cost.sharedTraffic / (target.sharedTraffic / units);
  double scalar = cost.scalarOps / (target.scalarOps / units);
  double special = cost.specialOps / (target.specialOps / units);
  // Fragments move while other warps compute. Few warps do not keep the units
  // busy: products need less of each other than other instructions do. With
  // more of them the one hides behind the other.
  double warps = static_cast<double>(chosen.warps);
  auto getCompute = [&](double running) {
    auto getShare = [&](double enough) {
      return std::min(1.0, running / enough);
    };
    double products = tensor / getShare(6);
    double others = scalar / getShare(16) + special / getShare(4);
    return std::max(shared,
                    std::max(products, others) +
                        (1 - 0.7 * getShare(8)) * std::min(products, others));
  };
  double compute = getCompute(warps);
  // Within a block a step waits for its loads before it computes, unless they
  // come through a ring: then only for each other, and for the first tile. More
  // warps wait longer for the last one.
  double steps = cost.loadSteps + 1;
  double barriers = (steps + cost.exchanges) * target.barrier;
  // The first tile comes before anything is computed, and the last one is
  // computed when nothing comes any more.
  double ends = std::min(loads, barriers + compute) / steps;
  // Of memory that many wait for.
  double busyLatency = 1.5 * target.latency;
  double alone = steps * busyLatency + barriers + loads + compute;
  if (chosen.stages > 1)
    alone = target.latency + ends +
            std::max({loads,
                      barriers * std::max(1.0, warps / 4) *
                              (overlapped ? 0.4 : 1.0) +
                          compute,
                      (steps * busyLatency + loads) /
                          static_cast<double>(chosen.stages - 1)}) +
            cost.exposedSteps * target.latency;
  // The busiest multiprocessor works on several blocks at a time, one after the
  // other. What one waits the others hide, but not all of it: without a ring a
  // step has two barriers, in front of its stores and behind them.
  double blocks = std::ceil(cost.blocks / units);
  double together = std::min(resident, std::max(blocks, 1.0));
  double waits =
      together > 1 ? barriers * (chosen.stages > 1 ? 1 : 2) / together : 0;
  cost.time =
      std::max(blocks * std::max(loads, getCompute(together * warps) + waits),
               std::ceil(blocks / together) * alone);

  // Memory has nothing to do while all blocks begin or end; with several on a
  // multiprocessor others load then. Blocks start one after the other.
  constexpr double kStart = 0.7;
  double idle = 2 * target.latency + ends;
  if (chosen.stages == 1)
    idle += steps * busyLatency;
  orderGrid(kernel, units * resident);
  cost.memory = cost.movedBytes / target.memoryBytes +
                std::max(1.0, blocks / (together * together)) * idle;
  cost.time = std::max(cost.time, blocks * kStart * target.barrier + idle);
  cost.busy = cost.blocks / units *
              std::max({(cost.loadedBytes + cost.storedBytes) /
                            (target.cacheBytes / units),
                        cost.tensorMacs / (target.tensorMacs / units),
                        cost.scalarOps / (target.scalarOps / units) +
                            cost.specialOps / (target.specialOps / units)});
  // What could overlap never does all of the time.
  constexpr double kApart = 0.05;
  cost.time = std::max(cost.time, cost.memory) +
              kApart * std::min(cost.time, cost.memory) + target.launch;
}

/// As long as the longest of them, or as all of their work takes.
double schedule::getSharedTime(llvm::ArrayRef<KernelCost> kernels,
                               const Target &target) {
  double longest = 0, busy = 0, memory = 0;
  for (const KernelCost &kernel : kernels) {
    longest = std::max(longest, kernel.time - target.launch);
    busy += kernel.busy;
    memory += kernel.memory;
  }
  return std::max({longest, busy, memory}) + target.launch;
}

/// What device memory moves and what is computed if tiles fit and nothing is
/// read or computed again. Masks may leave out any part of the arithmetic.
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
    bytes += most;
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

KernelCost Counter::count(const LoopNest &kernel) {
  if (countBlock(*kernel.root, 1))
    ++cost.loadSteps;
  // What has to fit to the last bytes is counted with what may be there.
  if (cost.exchangesRows)
    cost.sharedBytes += static_cast<int64_t>(nearlyResident);
  for (const Result &result : problem.results) {
    Node stored = problem[result.node];
    stored.storage = result.storage;
    cost.storedBytes += getMovedBytes(*kernel.root, stored);
  }
  finish(kernel);
  return cost;
}

Cost schedule::computeCost(const Problem &problem, const Schedule &schedule,
                           const LoopNest &nest, const Target &target) {
  KernelCost one = Counter(problem, schedule, nest.uses, target).count(nest);
  Cost cost;
  // Tiles of more are refused when they become vectors.
  constexpr double kMostThreadElements = 128;
  // Beyond nine tenths of its registers a thread starts to spill.
  cost.excess =
      std::max({1.0,
                static_cast<double>(one.registersPerThread) /
                    (0.9 * static_cast<double>(target.registersPerThread)),
                static_cast<double>(one.registersPerThread) *
                    static_cast<double>(schedule.warps * 32) /
                    static_cast<double>(target.registers),
                one.largestTile / (kMostThreadElements *
                                   static_cast<double>(schedule.warps) * 32),
                // Conversions between layouts take some that is not counted,
                // but for rows that warps exchange.
                static_cast<double>(one.sharedBytes) /
                    ((one.exchangesRows ? 0.995 : 0.9) *
                     static_cast<double>(target.sharedBytesPerBlock))});
  cost.time = one.time;
  cost.loadedBytes = one.blocks * one.loadedBytes;
  cost.kernels.push_back(one);
  return cost;
}

Cost &Cost::operator+=(const Cost &other) {
  excess = std::max(excess, other.excess);
  time += other.time;
  loadedBytes += other.loadedBytes;
  kernels.insert(kernels.end(), other.kernels.begin(), other.kernels.end());
  return *this;
}
