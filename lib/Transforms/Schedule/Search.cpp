//===- Search.cpp - Choosing a schedule -----------------------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Coordinate descent: each axis' tile and the warps in turn, until a round
// changes nothing.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Transforms/Schedule/Search.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <functional>

using namespace mlir::cleave;
using namespace mlir::cleave::schedule;

namespace {
/// How the contractions of a graph use an axis.
struct AxisUse {
  /// Free in one operand of a contraction: a row or column of an accumulator.
  bool free = false;
  /// Reduced by a contraction.
  bool contracted = false;
  /// In both operands and the result of a contraction.
  bool batch = false;
  /// Reduced by something.
  bool reduced = false;
  /// Some contraction has a longer axis in the same place. A fragment's
  /// dimension is one axis, so this one gets a tile of one position.
  bool minor = false;
};
} // namespace

static AxisUse getUse(const Problem &problem, AxisId axis) {
  AxisUse use;
  auto compare = [&](const AxisSet &samePlace) {
    auto length = [&](AxisId id) {
      return std::make_pair(problem.axes[id].representative, id);
    };
    for (AxisId other : samePlace)
      use.minor |= length(other) > length(axis);
  };
  auto addContraction = [&](NodeId lhs, NodeId rhs, const AxisSet &over) {
    const AxisSet &left = problem[lhs].axes, &right = problem[rhs].axes;
    bool inLhs = contains(left, axis), inRhs = contains(right, axis);
    if (contains(over, axis)) {
      use.contracted = true;
      compare(over);
    } else if (inLhs && inRhs) {
      use.batch = true;
    } else if (inLhs || inRhs) {
      use.free = true;
      compare(inLhs ? subtract(subtract(left, right), over)
                    : subtract(subtract(right, left), over));
    }
  };
  for (NodeId id = 0; id < problem.size(); ++id) {
    const Node &node = problem[id];
    use.reduced |= contains(problem.getReducedAxes(id), axis);
    if (node.kind == NodeKind::Contract)
      addContraction(node.operands[0], node.operands[1], node.reduced);
  }
  for (const Fold &fold : problem.folds)
    for (const FoldState &state : fold.states)
      if (state.contraction)
        addContraction(state.body[0], state.body[1], fold.axes);
  return use;
}

/// Powers of two from `low` to `high`, none larger than the axis needs.
static llvm::SmallVector<int64_t, 8> getPowers(const Axis &axis, int64_t low,
                                               int64_t high) {
  int64_t enough = high;
  if (axis.extent != kDynamic)
    enough = llvm::PowerOf2Ceil(std::max<int64_t>(axis.extent, 1));
  llvm::SmallVector<int64_t, 8> tiles;
  for (int64_t tile = low; tile <= high; tile *= 2) {
    tiles.push_back(tile);
    if (tile >= enough)
      break;
  }
  return tiles;
}

/// A block that holds the whole of a reduced axis need not read it again; as a
/// side of an accumulator it would be too large. Several such axes multiply:
/// the last ones of the results go first.
static bool isHeldWhole(const Problem &problem, AxisId id) {
  constexpr int64_t kMost = 16384;
  int64_t size = 1;
  llvm::SmallVector<AxisId, 4> results = getResultAxes(problem);
  for (AxisId axis : llvm::reverse(results)) {
    AxisUse use = getUse(problem, axis);
    int64_t extent = problem.axes[axis].extent;
    bool whole = use.reduced && !use.free && extent != kDynamic &&
                 extent <= kMost && !problem.axes[axis].unit;
    if (whole) {
      int64_t padded = llvm::PowerOf2Ceil(std::max<int64_t>(extent, 1));
      whole = size * padded <= kMost;
      if (whole)
        size *= padded;
    }
    if (axis == id)
      return whole;
  }
  return false;
}

llvm::SmallVector<int64_t, 8> schedule::getGridTiles(const Problem &problem,
                                                     AxisId id) {
  const Axis &axis = problem.axes[id];
  AxisUse use = getUse(problem, id);
  if (axis.unit)
    return {1};
  if (isHeldWhole(problem, id))
    return {static_cast<int64_t>(
        llvm::PowerOf2Ceil(std::max<int64_t>(axis.extent, 1)))};
  if (use.batch || use.minor)
    return {1};
  if (use.free)
    return getPowers(axis, kMinContractM, 256);
  return getPowers(axis, 1, use.reduced ? 4096 : 1024);
}

llvm::SmallVector<int64_t, 8> schedule::getLoopTiles(const Problem &problem,
                                                     AxisId id) {
  const Axis &axis = problem.axes[id];
  AxisUse use = getUse(problem, id);
  if (axis.unit || use.batch || use.minor)
    return {1};
  if (use.contracted || use.free)
    return getPowers(axis, kMinContractK, 256);
  // Tiles of several reduced axes multiply.
  return getPowers(axis, getReducedAxes(problem).size() > 1 ? 1 : 32, 4096);
}

namespace {
class Search {
public:
  Search(const Problem &problem, const Target &target,
         const SearchOptions &options)
      : problem(problem), target(target), options(options) {}

  llvm::Expected<SearchResult> run();

private:
  struct Field {
    std::function<int64_t &(Schedule &)> get;
    llvm::SmallVector<int64_t, 8> choices;
  };

  void addFields(Schedule &schedule);
  bool tryCandidate(const Schedule &schedule);
  bool improve(bool pairs);
  void descend(Schedule start);

  const Problem &problem;
  const Target &target;
  const SearchOptions &options;
  std::vector<Field> fields;
  SearchResult best;
  bool found = false;
  std::string error;
};
} // namespace

void Search::addFields(Schedule &schedule) {
  for (AxisId axis : getResultAxes(problem)) {
    size_t index = schedule.grid.size();
    schedule.grid.push_back({axis, 1});
    fields.push_back(
        {[index](Schedule &s) -> int64_t & { return s.grid[index].tile; },
         getGridTiles(problem, axis)});
  }
  // Axes in parts after the numbers of their parts.
  AxisSet reduced = getReducedAxes(problem);
  std::stable_partition(reduced.begin(), reduced.end(),
                        [&](AxisId axis) { return !problem.axes[axis].part; });
  for (AxisId axis : reduced) {
    size_t index = schedule.loop.size();
    schedule.loop.push_back({axis, 1});
    fields.push_back(
        {[index](Schedule &s) -> int64_t & { return s.loop[index].tile; },
         getLoopTiles(problem, axis)});
  }
  fields.push_back(
      {[](Schedule &s) -> int64_t & { return s.warps; }, {1, 2, 4, 8}});
  if (!schedule.loop.empty())
    fields.push_back({[](Schedule &s) -> int64_t & { return s.stages; },
                      {1, 2, 3, 4, 6, 8}});
}

/// Whether `schedule` is better than the best of this descent, which it then
/// becomes.
bool Search::tryCandidate(const Schedule &schedule) {
  ++best.candidates;
  llvm::Expected<LoopNest> nest = planLoopNest(problem, schedule);
  if (!nest) {
    std::string reason = llvm::toString(nest.takeError());
    if (error.empty())
      error = reason;
    return false;
  }
  Cost cost = computeCost(problem, schedule, *nest, target);
  if (found && !(cost < best.cost))
    return false;
  best.schedule = schedule;
  best.cost = std::move(cost);
  found = true;
  return true;
}

/// Tries every choice of one field, or of two fields at a time; whether one was
/// better.
bool Search::improve(bool pairs) {
  bool changed = false;
  auto tryWith = [&](Field &field, int64_t choice, const Schedule &base) {
    Schedule candidate = base;
    field.get(candidate) = choice;
    return tryCandidate(candidate);
  };
  for (size_t first = 0; first < fields.size(); ++first)
    for (int64_t choice : fields[first].choices) {
      Schedule base = best.schedule;
      if (fields[first].get(base) == choice)
        continue;
      if (!pairs) {
        changed |= tryWith(fields[first], choice, base);
        continue;
      }
      fields[first].get(base) = choice;
      for (size_t second = first + 1; second < fields.size(); ++second)
        for (int64_t other : fields[second].choices)
          if (fields[second].get(base) != other)
            changed |= tryWith(fields[second], other, base);
    }
  return changed;
}

void Search::descend(Schedule start) {
  best.converged = true;
  found = false;
  tryCandidate(start);
  if (!found)
    return;
  while (improve(/*pairs=*/false) || (options.pairs && improve(/*pairs=*/true)))
    if (best.candidates >= options.maxCandidates) {
      best.converged = false;
      return;
    }
}

llvm::Expected<SearchResult> Search::run() {
  Schedule schedule;
  schedule.horizontal = options.horizontal;
  addFields(schedule);
  std::optional<SearchResult> result;
  // The smallest tiles, middling ones, and whole axes.
  for (unsigned third : {0, 1, 2}) {
    for (Field &field : fields)
      field.get(schedule) =
          field.choices[third * (field.choices.size() - 1) / 2];
    schedule.warps = third == 2 ? 8 : 4;
    schedule.stages = schedule.loop.empty() || third == 2 ? 1 : 2;
    descend(schedule);
    if (found && (!result || best.cost < result->cost))
      result = best;
  }
  if (!result)
    return llvm::createStringError(error);
  result->schedule.grid = result->cost.kernels.front().grid;
  if (llvm::Error illegal = checkSchedule(problem, result->schedule))
    return illegal;
  result->candidates = best.candidates;
  return *result;
}

llvm::Expected<SearchResult>
schedule::searchSchedule(const Problem &problem, const Target &target,
                         const SearchOptions &options) {
  return Search(problem, target, options).run();
}
