//===- ContractionCosts.cpp - What products and reductions move -----------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How warps divide a contraction, the fragments that each of them reads, and
// what they tell each other.
//
//===----------------------------------------------------------------------===//

#include "NestCounter.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <tuple>

using namespace mlir::cleave;
using namespace mlir::cleave::schedule;

/// Warps that have fragments of their own: others compute the same ones.
double NestCounter::getBusyWarps(const NestBlock &block,
                                 NodeId contraction) const {
  auto warps = static_cast<double>(chosen.warps);
  double fragments = getTileSize(block, contraction) / 128;
  return std::min(warps, std::max(fragments, 1.0));
}

/// A tile in shared memory. Its rows are padded by 16 bytes against bank
/// conflicts; which axis a row runs along is not known here, so the shortest.
int64_t NestCounter::getSharedBytes(const NestBlock &block,
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

/// Whether each warp has rows of its own of a left side that is not cheap: it
/// makes them of the ring's tiles, where it multiplies them.
bool NestCounter::isMadeByRows(const NestBlock &block,
                               NodeId contraction) const {
  llvm::ArrayRef<NodeId> body = getBody(problem, contraction);
  const Node &lhs = problem[body[0]], &rhs = problem[body[1]];
  return chosen.stages > 1 && isTensor(lhs.element) &&
         !hasRows(block, contraction) && !block.cheap[body[0]] &&
         getPadded(block, subtract(lhs.axes, rhs.axes)) >=
             16 * static_cast<double>(chosen.warps);
}

/// Whether rows of the contraction's result are used as a whole where it is
/// made. What a loop only sums up is used behind the loop; an axis of both
/// sides is neither row nor column.
bool NestCounter::hasRows(const NestBlock &block, NodeId id) const {
  const Node &node = problem[id];
  auto row = uses.rows.find(id);
  if (row == uses.rows.end())
    return false;
  llvm::ArrayRef<NodeId> body = getBody(problem, id);
  const AxisSet &lhs = problem[body[0]].axes, &rhs = problem[body[1]].axes;
  if (subtract(row->second, subtract(lhs, subtract(lhs, rhs))).empty())
    return false;
  auto isSum = [&] {
    if (node.kind == NodeKind::FoldState) {
      const FoldState &state = problem.folds[node.fold].states[node.state];
      if (state.rebased != state.old)
        return false;
    }
    return outside && &getIteration(block) == &block &&
           llvm::any_of(block.steps, [&](const Step &step) {
             return step.kind == Step::Accumulate && step.node == id;
           });
  };
  return !isSum();
}

Division NestCounter::divide(const NestBlock &block, NodeId id) {
  for (const auto &[number, contraction, division] : divisions)
    if (number == block.number && contraction == id)
      return division;
  Division division = computeDivision(block, id);
  divisions.emplace_back(block.number, id, division);
  return division;
}

Division NestCounter::computeDivision(const NestBlock &block, NodeId id) const {
  NodeId lhs = getBody(problem, id)[0], rhs = getBody(problem, id)[1];
  // Whole rows for each warp: the columns are the right side's.
  bool rows = hasRows(block, id);
  if (rows && !subtract(uses.rows.at(id), problem[rhs].axes).empty())
    std::swap(lhs, rhs);
  const AxisSet &left = problem[lhs].axes, &right = problem[rhs].axes;
  double m = getPadded(block, subtract(left, right));
  double n = getPadded(block, subtract(right, left));
  double k = getPadded(block, left) / m;
  auto warps = static_cast<double>(chosen.warps);
  bool wholeRows = rows && m >= 16 * warps;
  Division division{lhs, rhs, m, n, k, {}, wholeRows};
  // Rows that are reduced have as few warps as can be. Once they are exchanged
  // the next product is divided like any other.
  if (wholeRows || (rows && !uses.madeOfRows[id])) {
    double along = std::clamp(m / 16, 1.0, warps);
    double across = std::clamp(n / 8, 1.0, warps / along);
    division.share = {along, across, 1, warps / (along * across)};
  } else {
    division.share = shareWork(m, n, k, warps);
  }
  if (isMadeByRows(block, id))
    division.share = {warps, 1, 1, 1};
  return division;
}

/// Each warp reads its rows and columns of the operands from shared memory, one
/// slice of 16 along the reduced axis while it multiplies another.
void NestCounter::countFragments(const NestBlock &block, NodeId id,
                                 double trips) {
  const auto [lhs, rhs, m, n, k, share, wholeRows] = divide(block, id);
  auto warps = static_cast<double>(chosen.warps);
  bool madeByRows = isMadeByRows(block, id);
  // What is not cheap moves through shared memory, but for an accumulator that
  // becomes an operand in the same warp.
  auto isExchanged = [&, lhs = lhs, wholeRows = wholeRows](NodeId operand) {
    return !wholeRows && !(madeByRows && operand == lhs) &&
           block.homes[operand] == &block &&
           (!block.cheap[operand] || (uses.madeOfRows[id] && operand == lhs));
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
      cost.exchangesRows |=
          uses.madeOfRows[id] && chosen.stages > 1 && !holdsLoop(block);
    }
  // What comes from outside of the loop is in registers already.
  auto isRead = [&](NodeId operand) {
    return llvm::is_contained(residents, operand) || isExchanged(operand) ||
           (uses.madeOfLoads[operand] && block.homes[operand] == &block);
  };
  // Fragments that another contraction has read are in registers as well.
  auto getLines = [&](NodeId operand, double count) {
    bool isNew = isRead(operand) &&
                 fragments.insert({block.number, operand, count}).second;
    return isNew ? count : 0;
  };
  double lines =
      (getLines(lhs, m / share.m) + getLines(rhs, n / share.n)) / share.k;
  // Each warp along the other side makes the operand's fragments again.
  const std::pair<NodeId, double> makers[] = {{lhs, share.n * share.idle},
                                              {rhs, share.m * share.idle}};
  for (auto [operand, times] : makers)
    if (problem[operand].kind == NodeKind::Pointwise &&
        block.homes[operand] == &block && block.cheap[operand])
      countExpression(block, operand,
                      trips * (times - 1) * getTileSize(block, operand),
                      /*isAgain=*/true);
  counts.overlapped = share.k == 1 && k >= 32 && !hasRows(block, id);
  // Sums of warps that split K meet there behind the loop, one after the other
  // unless the loop is in another: each warp stores its own and reads all. The
  // first do while the last multiply, which hides half.
  if (share.k > 1 && chosen.stages > 1) {
    constexpr double kPadding = 16;
    double bytes = m * share.k * (n * sizeof(float) + kPadding);
    if (outside && outside->parent)
      cost.sharedBytes += static_cast<int64_t>(bytes);
    else
      sumBytes = std::max(sumBytes, static_cast<int64_t>(bytes));
    counts.lateTraffic += outsideTrips * bytes * (1 + share.k * share.idle) / 2;
  }
  // Two slices if one is read ahead, else what a few products need.
  constexpr double kBytes = 2;
  double slices = counts.overlapped ? 2 * 16 : 8;
  cost.sharedTraffic += trips * k * kBytes * lines * warps;
  // A side that is made by rows is there as a whole.
  double made = madeByRows ? kBytes * m * k : 0;
  counts.liveBytes = std::max(counts.liveBytes,
                              liveSum + made + slices * kBytes * lines * warps);
}

/// Each thread keeps a part of the state up to the end of the loop. It cannot
/// where a step moves the state to other references, or others read it.
bool NestCounter::isLate(NodeId id) const {
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
void NestCounter::countExchange(const NestBlock &block, NodeId id,
                                double trips) {
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
