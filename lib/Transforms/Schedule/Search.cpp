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
#include "NestCounter.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>

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
  constexpr int64_t kMost = 32768;
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

/// The largest tile of a side of a contraction, or of what it reduces: more of
/// an axis that is short enough to be held as a whole, or nearly so.
static int64_t getMostContracted(const Axis &axis) {
  constexpr int64_t kMost = 256, kShort = 1024;
  return axis.extent != kDynamic && axis.extent <= kShort ? 2 * kMost : kMost;
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
    return getPowers(axis, kMinContractM, getMostContracted(axis));
  return getPowers(axis, 1, use.reduced ? 4096 : 1024);
}

llvm::SmallVector<int64_t, 8> schedule::getLoopTiles(const Problem &problem,
                                                     AxisId id) {
  const Axis &axis = problem.axes[id];
  AxisUse use = getUse(problem, id);
  if (axis.unit || use.batch || use.minor)
    return {1};
  if (use.contracted || use.free)
    return getPowers(axis, kMinContractK, getMostContracted(axis));
  // Tiles of several reduced axes multiply.
  return getPowers(axis, getReducedAxes(problem).size() > 1 ? 1 : 32, 4096);
}

/// A tile that has all of the axis, if tiles may have more than a position.
static int64_t getWholeTile(const Axis &axis, llvm::ArrayRef<int64_t> tiles) {
  if (tiles.back() == 1)
    return 1;
  int64_t extent = axis.extent == kDynamic ? axis.representative : axis.extent;
  auto whole =
      static_cast<int64_t>(llvm::PowerOf2Ceil(std::max<int64_t>(extent, 1)));
  return std::max(tiles.front(), whole);
}

static bool hasContraction(const Problem &problem) {
  for (NodeId id = 0; id < problem.size(); ++id)
    if (problem[id].kind == NodeKind::Contract)
      return true;
  return llvm::any_of(problem.folds, [](const Fold &fold) {
    return llvm::any_of(
        fold.states, [](const FoldState &state) { return state.contraction; });
  });
}

namespace {
/// The fields of a schedule as numbers.
using Fields = llvm::SmallVector<int64_t, 12>;

/// What the search knows of a schedule with any number of stages, or with one.
struct Tried {
  /// None if there is no such schedule.
  std::optional<NestCounts> counts;
  /// Their costs, without those of the kernel, by stages.
  llvm::SmallVector<std::pair<int64_t, Cost>, 2> costs;
};

class Search {
public:
  Search(const Problem &problem, const Target &target,
         const SearchOptions &options)
      : problem(problem), target(target), options(options),
        nests(options.nests ? *options.nests : own),
        compared(getComparedAxes(problem)) {}

  llvm::Expected<SearchResult> run();

private:
  struct Field {
    std::function<int64_t &(Schedule &)> get;
    llvm::SmallVector<int64_t, 8> choices;
  };

  void addFields(Schedule &schedule);
  static llvm::SmallVector<int64_t, 2> getNextChoices(Field &field,
                                                      Schedule schedule);
  const LoopNest *getNest(const Schedule &schedule);
  std::vector<CostedSchedule> getOthers(const CostedSchedule &chosen);
  Tried &getTried(const Schedule &schedule);
  const Cost &getCost(Tried &tried, const Schedule &schedule);
  CostedSchedule getWhole(const Schedule &schedule);
  /// With its grid in the order that its cost is of.
  CostedSchedule getOrdered(const Schedule &schedule);
  bool tryCandidate(const Schedule &schedule);
  bool improve();
  bool improvePairs();
  void descend(Schedule start);

  const Problem &problem;
  const Target &target;
  const SearchOptions &options;
  std::vector<Field> fields;
  PlannedNests own, &nests;
  const AxisSet compared;
  SearchResult best;
  /// By the fields, with two stages for all beyond: descents meet the same
  /// schedules.
  std::map<Fields, Tried> known;
  /// Legal schedules by their fields, where others are asked for.
  std::map<Fields, Schedule> legal;
  bool found = false;
  std::string error;
};
} // namespace

void Search::addFields(Schedule &schedule) {
  for (AxisId axis : getResultAxes(problem)) {
    size_t index = schedule.grid.size();
    schedule.grid.push_back({axis, 1});
    llvm::SmallVector<int64_t, 8> tiles = getGridTiles(problem, axis);
    if (int64_t given = getTile(options.grid, axis))
      tiles = {given};
    fields.push_back(
        {[index](Schedule &s) -> int64_t & { return s.grid[index].tile; },
         std::move(tiles)});
  }
  // Axes in parts after the numbers of their parts.
  AxisSet reduced = getReducedAxes(problem);
  std::stable_partition(reduced.begin(), reduced.end(),
                        [&](AxisId axis) { return !problem.axes[axis].part; });
  for (AxisId axis : reduced) {
    size_t index = schedule.loop.size();
    schedule.loop.push_back({axis, 1});
    llvm::SmallVector<int64_t, 8> tiles = getLoopTiles(problem, axis);
    if (!options.iterative)
      tiles = {getWholeTile(problem.axes[axis], tiles)};
    fields.push_back(
        {[index](Schedule &s) -> int64_t & { return s.loop[index].tile; },
         std::move(tiles)});
  }
  llvm::SmallVector<int64_t, 8> warps = {1, 2, 4, 8};
  // Long rows are held by many threads.
  if (!hasContraction(problem))
    warps.append({16, 32});
  if (options.warps)
    warps = {options.warps};
  fields.push_back(
      {[](Schedule &s) -> int64_t & { return s.warps; }, std::move(warps)});
  if (!schedule.loop.empty())
    fields.push_back({[](Schedule &s) -> int64_t & { return s.stages; },
                      {1, 2, 3, 4, 6, 8}});
}

/// The loops of `schedule`, or null. Only sizes differ between most schedules.
const LoopNest *Search::getNest(const Schedule &schedule) {
  auto [it, isNew] = nests.try_emplace(getPlanKey(problem, schedule, compared));
  if (it->second) {
    setTiles(*it->second, schedule);
    return it->second.get();
  }
  // Another kernel's reason may have other names.
  if (!isNew && !error.empty())
    return nullptr;
  llvm::Expected<LoopNest> nest = planLoopNest(problem, schedule);
  if (nest) {
    it->second = std::make_unique<LoopNest>(std::move(*nest));
    return it->second.get();
  }
  std::string reason = llvm::toString(nest.takeError());
  if (error.empty())
    error = reason;
  return nullptr;
}

static Fields getFields(const Schedule &schedule) {
  Fields fields = {schedule.warps, schedule.stages};
  for (const AxisTile &range : schedule.grid)
    fields.push_back(range.tile);
  for (const AxisTile &range : schedule.loop)
    fields.push_back(range.tile);
  return fields;
}

/// Chooses, one after the other, what differs in the most fields from all that
/// are chosen, and of these the best.
std::vector<CostedSchedule> Search::getOthers(const CostedSchedule &chosen) {
  constexpr double kSlack = 1.25;
  std::vector<Fields> taken = {getFields(chosen.schedule)};
  std::vector<CostedSchedule> others;
  auto getDistance = [&](const Fields &fields) {
    unsigned least = fields.size();
    for (const Fields &other : taken) {
      unsigned distance = 0;
      for (auto [a, b] : llvm::zip_equal(fields, other))
        distance += a != b;
      least = std::min(least, distance);
    }
    return least;
  };
  while (others.size() < options.others) {
    const Schedule *best = nullptr;
    unsigned most = 0;
    auto getCostOf = [&](const Schedule &schedule) -> const Cost & {
      return getCost(getTried(schedule), schedule);
    };
    for (const auto &[fields, each] : legal) {
      const Cost &cost = getCostOf(each);
      if (cost.excess > chosen.cost.excess ||
          cost.time > chosen.cost.time * kSlack)
        continue;
      unsigned distance = getDistance(fields);
      if (distance > most ||
          (best && distance == most && cost < getCostOf(*best))) {
        best = &each;
        most = distance;
      }
    }
    if (!best)
      break;
    taken.push_back(getFields(*best));
    if (llvm::Error illegal = checkSchedule(problem, *best))
      llvm::consumeError(std::move(illegal));
    else
      others.push_back(getOrdered(*best));
  }
  return others;
}

/// What a block does is the same for all numbers of stages beyond the first.
Tried &Search::getTried(const Schedule &schedule) {
  Fields fields = getFields(schedule);
  fields[1] = std::min<int64_t>(schedule.stages, 2);
  auto [it, isNew] = known.try_emplace(std::move(fields));
  if (isNew)
    if (const LoopNest *nest = getNest(schedule))
      it->second.counts = countNest(problem, schedule, *nest);
  return it->second;
}

const Cost &Search::getCost(Tried &tried, const Schedule &schedule) {
  for (const auto &[stages, cost] : tried.costs)
    if (stages == schedule.stages)
      return cost;
  Cost cost = computeCost(problem, schedule, *tried.counts, target);
  cost.kernels.clear();
  return tried.costs.emplace_back(schedule.stages, std::move(cost)).second;
}

/// The schedule with all of its cost.
CostedSchedule Search::getWhole(const Schedule &schedule) {
  return {schedule,
          computeCost(problem, schedule, *getTried(schedule).counts, target)};
}

CostedSchedule Search::getOrdered(const Schedule &schedule) {
  CostedSchedule ordered = getWhole(schedule);
  ordered.schedule.grid = ordered.cost.kernels.front().grid;
  return ordered;
}

/// Whether `schedule` is better than the best of this descent, which it then
/// becomes.
bool Search::tryCandidate(const Schedule &schedule) {
  ++best.candidates;
  Tried &tried = getTried(schedule);
  if (!tried.counts)
    return false;
  if (options.others)
    legal.try_emplace(getFields(schedule), schedule);
  // Whether it fits is known before how long it takes, and comes first.
  if (found && getExcess(*tried.counts, schedule, target) > best.cost.excess)
    return false;
  const Cost &cost = getCost(tried, schedule);
  if (found && !(cost < best.cost))
    return false;
  best.schedule = schedule;
  best.cost = cost;
  found = true;
  return true;
}

/// Tries every choice of one field; whether one was better.
bool Search::improve() {
  bool changed = false;
  for (Field &field : fields)
    for (int64_t choice : field.choices) {
      Schedule candidate = best.schedule;
      if (field.get(candidate) == choice)
        continue;
      field.get(candidate) = choice;
      changed |= tryCandidate(candidate);
    }
  return changed;
}

/// The choices next to the one that `schedule` has.
llvm::SmallVector<int64_t, 2> Search::getNextChoices(Field &field,
                                                     Schedule schedule) {
  llvm::SmallVector<int64_t, 2> next;
  auto *place = llvm::find(field.choices, field.get(schedule));
  if (place != field.choices.begin())
    next.push_back(place[-1]);
  if (place + 1 < field.choices.end())
    next.push_back(place[1]);
  return next;
}

/// Moves two fields at a time by one choice; whether that was better.
bool Search::improvePairs() {
  bool changed = false;
  for (size_t first = 0; first < fields.size(); ++first)
    for (size_t second = first + 1; second < fields.size(); ++second) {
      Schedule base = best.schedule;
      for (int64_t one : getNextChoices(fields[first], base))
        for (int64_t other : getNextChoices(fields[second], base)) {
          Schedule candidate = base;
          fields[first].get(candidate) = one;
          fields[second].get(candidate) = other;
          changed |= tryCandidate(candidate);
        }
    }
  return changed;
}

void Search::descend(Schedule start) {
  best.converged = true;
  found = false;
  tryCandidate(start);
  if (!found)
    return;
  while (improve() || (options.pairs && improvePairs()))
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
  if (options.start) {
    // Which axes have tiles at all depends on the extents.
    Schedule start = *options.start;
    // The grid that was chosen is in an order of its own.
    start.grid = schedule.grid;
    for (AxisTile &range : start.grid)
      range.tile = getTile(options.start->grid, range.axis);
    for (Field &field : fields)
      if (!llvm::is_contained(field.choices, field.get(start)))
        field.get(start) = field.choices.front();
    descend(start);
    if (found)
      result = best;
  }
  // The smallest tiles, middling ones for few warps and for many, and whole
  // axes.
  struct Start {
    unsigned half;
    int64_t warps, stages;
  };
  for (Start start : {Start{0, 4, 2}, {1, 4, 2}, {1, 8, 3}, {2, 8, 1}}) {
    // What is best for other extents is near, and middling.
    if (options.start && start.half == 1 && start.warps == 4)
      continue;
    for (Field &field : fields)
      field.get(schedule) =
          field.choices[start.half * (field.choices.size() - 1) / 2];
    schedule.warps = options.warps ? options.warps : start.warps;
    schedule.stages = schedule.loop.empty() ? 1 : start.stages;
    descend(schedule);
    if (found && (!result || best.cost < result->cost))
      result = best;
  }
  if (!result)
    return llvm::createStringError(error);
  static_cast<CostedSchedule &>(*result) = getOrdered(result->schedule);
  if (llvm::Error illegal = checkSchedule(problem, result->schedule))
    return illegal;
  result->candidates = best.candidates;
  result->others = getOthers(*result);
  return *result;
}

llvm::Expected<SearchResult>
schedule::searchSchedule(const Problem &problem, const Target &target,
                         const SearchOptions &options) {
  return Search(problem, target, options).run();
}
