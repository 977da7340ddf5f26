//===- GraphScheduler.cpp - The best schedules of a function --------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: scheduling. Every region becomes a problem, the search finds its best
// schedule.
//
//===----------------------------------------------------------------------===//

#include "GraphScheduler.h"

#include "Cleave/Transforms/OwnDiagnostics.h"
#include "Cleave/Transforms/TuningTable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

using namespace mlir;
using namespace mlir::cleave;
using namespace mlir::cleave::schedule;

std::string cleave::describe(const GraphSchedule &schedule) {
  std::string text;
  llvm::raw_string_ostream os(text);
  const ScheduledGraph &graph = schedule.graph;
  os << "region " << graph.region;
  if (!schedule.label.empty())
    os << " (" << schedule.label << ")";
  os << ": " << llvm::format("%.1f", schedule.cost.time) << " us";
  if (graph.kernels.size() > 1)
    os << " in " << graph.kernels.size() << " kernels";
  auto shared =
      llvm::count_if(graph.kernels, [](const ScheduledKernel &kernel) {
        return kernel.sharesLaunch();
      });
  if (shared)
    os << " (" << graph.kernels.size() - shared << " launches)";
  for (const auto &[symbol, parts] : graph.splits)
    if (parts > 1)
      os << ", " << symbol << " = " << parts;
  if (schedule.cost.excess > 1)
    os << ", " << llvm::format("%.1f", schedule.cost.excess)
       << " times the registers or shared memory of a block";
  return text;
}

/// The symbols that a schedule of the region binds to a number of parts, those
/// of the longest axes first.
static std::vector<std::string>
getSymbols(Region &region, const AxisTable &axes, const Bindings &extents) {
  std::vector<std::pair<int64_t, std::string>> found;
  region.walk([&](SplitOp split) {
    const AxisInfo *outer = axes.lookup(split.getOuter());
    auto extent = extents.find(split.getAxis().str());
    if (outer && outer->kind == AxisKind::Bound)
      found.emplace_back(extent == extents.end() ? 0 : -extent->second,
                         split.getOuter().str());
  });
  llvm::sort(found);
  std::vector<std::string> symbols;
  for (const auto &[extent, symbol] : found)
    if (!llvm::is_contained(symbols, symbol))
      symbols.push_back(symbol);
  return symbols;
}

/// The best schedule of the region in so many parts. The search begins with the
/// kernels of `partition` where it is given, and ends there if they take longer
/// than `mostTime` microseconds. `reason` says why there is none.
std::optional<GraphSchedule>
GraphScheduler::scheduleRegion(unsigned region, const Bindings &splits,
                               std::string &reason, const Partition *partition,
                               double mostTime) {
  GraphSchedule result;
  result.graph.region = region;
  result.graph.splits = splits;
  Bindings given = splits;
  given.insert(point.begin(), point.end());
  FailureOr<Problem> problem = [&] {
    OwnDiagnostics handler(function.getContext(),
                           [&](Diagnostic &error) { reason = error.str(); });
    return buildProblem(function, region, axes, axes.representative(given));
  }();
  if (failed(problem))
    return std::nullopt;
  result.graph.problem = std::move(*problem);
  SearchOptions search;
  search.horizontal = options.horizontal;
  search.iterative = options.iterative;
  search.others = options.others;
  search.mostTime = mostTime;
  llvm::Expected<PartitionResult> found =
      searchPartition(result.graph.problem, target, search, &cache, partition);
  if (!found) {
    reason = llvm::toString(found.takeError());
    return std::nullopt;
  }
  for (PartitionResult &other : found->others) {
    GraphSchedule &added = others.emplace_back(result);
    added.graph.kernels = std::move(other.kernels);
    added.cost = std::move(other.cost);
  }
  result.graph.kernels = std::move(found->kernels);
  result.cost = std::move(found->cost);
  result.schedulesTried = found->candidates;
  result.converged = found->converged;
  if (options.others)
    others.push_back(result);
  return result;
}

static Partition getPartition(const ScheduledGraph &graph) {
  Partition partition;
  for (const ScheduledKernel &kernel : graph.kernels)
    partition.push_back(kernel.stores);
  return partition;
}

/// The most parts of an axis: none shorter than a few tiles.
int64_t GraphScheduler::getMostParts(const std::string &axis) const {
  constexpr int64_t kMostParts = 256, kLeastPart = 64;
  return std::min(kMostParts, axes.representative(point)[axis] / kLeastPart);
}

/// The axis that `symbol` is the number of parts of, or nothing.
std::string GraphScheduler::getAxisOf(const std::string &symbol) const {
  for (const SplitRelation &split : axes.splits())
    if (split.outer == symbol)
      return split.axis;
  return "";
}

static bool isSplit(const GraphSchedule &schedule) {
  return llvm::any_of(schedule.graph.splits,
                      [](const auto &parts) { return parts.second > 1; });
}

/// More kernels and parts have to be worth it, see getWeight.
static bool isBetter(const GraphSchedule &schedule, const GraphSchedule &best) {
  auto weigh = [](const GraphSchedule &each) {
    Cost cost;
    cost += each.cost;
    cost.time *= getWeight(each.graph.kernels.size(), isSplit(each));
    return cost;
  };
  return weigh(schedule) < weigh(best);
}

/// How many times the blocks of the smallest kernel fill the multiprocessors
/// twice; 1 if parts would not help.
int64_t GraphScheduler::getFill(const GraphSchedule &schedule) const {
  double fill = 1;
  for (const KernelCost &kernel : schedule.cost.kernels)
    fill = std::max(fill, 2 * static_cast<double>(target.multiprocessors) /
                              std::max(kernel.blocks, 1.0));
  return static_cast<int64_t>(std::ceil(fill));
}

/// Whether the second of two kernels takes so long that one of parts, which
/// stores less, may be faster.
static bool mayFuse(const GraphSchedule &schedule) {
  constexpr double kWorth = 0.03;
  ArrayRef<KernelCost> kernels = schedule.cost.kernels;
  return kernels.size() == 2 && std::min(kernels[0].time, kernels[1].time) >
                                    kWorth * schedule.cost.time;
}

/// As above, with the best numbers of parts: one symbol after the other, twice
/// or half as many while that helps, and then as many as are whole tiles. The
/// kernels of the first number are where the search begins for others, until
/// the best one is known. One part is tried if there is no best schedule
/// without parts, `whole`, from another region.
std::optional<GraphSchedule>
GraphScheduler::scheduleParts(unsigned region, ArrayRef<std::string> symbols,
                              const GraphSchedule *whole, std::string &reason) {
  Bindings splits;
  for (const std::string &symbol : symbols)
    splits[symbol] = 1;
  std::optional<GraphSchedule> best;
  if (!whole)
    best = scheduleRegion(region, splits, reason);
  if (!options.split || symbols.empty())
    return best;
  int64_t fill = whole ? getFill(*whole) : best ? getFill(*best) : 2;
  unsigned tried = 0;
  // Where the parts of one reduction over an axis are so far from the best,
  // those of another one are as well.
  constexpr double kFar = 2;
  double far = kFar * (whole ? whole->cost.time
                             : std::numeric_limits<double>::infinity());
  std::set<std::string> farAxes;
  for (const std::string &symbol : symbols) {
    std::string axis = getAxisOf(symbol);
    // Two parts of a short axis bring nothing.
    constexpr int64_t kFewParts = 4;
    int64_t most = axis.empty() ? 1 : getMostParts(axis);
    if (most < kFewParts || farAxes.count(axis))
      continue;
    // What is to become one kernel has no blocks but parts: of one tile each.
    constexpr int64_t kMostTile = 256;
    int64_t wanted = fill;
    if (fill < 2)
      wanted = static_cast<int64_t>(
          llvm::PowerOf2Ceil(axes.representative(point)[axis] / kMostTile));
    auto first = static_cast<int64_t>(llvm::bit_floor(
        static_cast<uint64_t>(std::clamp<int64_t>(wanted, 2, most))));
    std::optional<Partition> partition;
    auto tryParts = [&](int64_t parts) {
      // Of parts that bring nothing alone, others need none.
      bool keep = best && (!whole || isBetter(*best, *whole));
      Bindings more = keep ? best->graph.splits : splits;
      more[symbol] = parts;
      std::optional<GraphSchedule> candidate = scheduleRegion(
          region, more, reason, partition ? &*partition : nullptr, far);
      if (!candidate)
        return false;
      tried += candidate->schedulesTried;
      if (!partition)
        partition = getPartition(candidate->graph);
      if (best && !isBetter(*candidate, *best))
        return false;
      best = std::move(candidate);
      return true;
    };
    tryParts(first);
    bool fewer = false;
    for (int64_t parts = first / 2; parts > 1 && tryParts(parts); parts /= 2)
      fewer = true;
    for (int64_t parts = first * 2; !fewer && parts <= most && tryParts(parts);)
      parts *= 2;
    if (best && best->graph.splits[symbol] > 1) {
      auto extent = static_cast<uint64_t>(axes.representative(point)[axis]);
      auto parts = static_cast<uint64_t>(best->graph.splits[symbol]);
      uint64_t tile = llvm::PowerOf2Ceil(llvm::divideCeil(extent, parts));
      uint64_t even = llvm::divideCeil(extent, tile);
      if (even > 1 && even != parts)
        tryParts(static_cast<int64_t>(even));
    }
    if (best && best->cost.time > far)
      farAxes.insert(axis);
  }
  if (!best || !isSplit(*best))
    return best;
  std::optional<GraphSchedule> final =
      scheduleRegion(region, best->graph.splits, reason);
  if (final && final->cost < best->cost)
    best = std::move(final);
  best->schedulesTried += tried;
  return best;
}

FailureOr<FoundSchedules> GraphScheduler::schedule(const Bindings &at) {
  point = at;
  others.clear();
  FailureOr<AlternativesOp> alternatives = getAlternatives(function);
  if (failed(alternatives))
    return failure();
  unsigned regions =
      *alternatives ? (*alternatives).getAlternatives().size() : 1;
  FoundSchedules found;
  const Bindings extents = axes.representative(point);
  for (unsigned region = 0; region < regions; ++region) {
    std::string label;
    if (*alternatives && (*alternatives).getLabels())
      label = cast<StringAttr>((*(*alternatives).getLabels())[region]).str();
    if (!options.algebra && regions > 1 && label != "input")
      continue;
    Region &body = *alternatives ? (*alternatives).getAlternatives()[region]
                                 : function.getBody();
    std::string why;
    size_t before = others.size();
    std::vector<std::string> symbols = getSymbols(body, axes, extents);
    const GraphSchedule *whole = nullptr;
    if (!found.regions.empty() && !symbols.empty())
      whole = &found.regions[found.best];
    if (whole && (!options.split || (getFill(*whole) < 2 && !mayFuse(*whole))))
      continue;
    std::optional<GraphSchedule> best =
        scheduleParts(region, symbols, whole, why);
    for (size_t i = before; i < others.size(); ++i)
      others[i].label = label;
    if (best) {
      best->label = label;
      found.regions.push_back(std::move(*best));
      if (isBetter(found.regions.back(), found.regions[found.best]))
        found.best = found.regions.size() - 1;
      continue;
    }
    // Nothing else may be better: an error is shown where it is.
    if (regions == 1 && failed(buildProblem(function, region, axes,
                                            axes.representative(point))))
      return failure();
    // Another region may have a schedule. Without a reason it has no parts to
    // try.
    if (!why.empty())
      found.lost.push_back({region, why});
  }
  if (found.regions.empty() && !found.lost.empty())
    return function.emitError("no schedule for region ")
           << found.lost.front().region << ": " << found.lost.front().reason;
  if (found.regions.empty())
    return function.emitError("expected a region with label 'input' for "
                              "no-algebra");
  found.others = std::move(others);
  return found;
}

//===----------------------------------------------------------------------===//
// Schedules from elsewhere
//===----------------------------------------------------------------------===//

Cost cleave::computeGraphCost(ArrayRef<ScheduledKernel> kernels,
                              ArrayRef<LoopNest> nests, const Target &target) {
  Cost cost, launch;
  auto finish = [&] {
    if (launch.kernels.empty())
      return;
    cost += launch;
    launch = {};
  };
  for (auto [kernel, nest] : llvm::zip_equal(kernels, nests)) {
    if (!kernel.sharesLaunch())
      finish();
    launch += computeCost(kernel.problem, kernel.schedule, nest, target);
    launch.time = kernel.join ? getJoinedTime(launch.kernels.front(),
                                              launch.kernels.back(), target)
                              : getSharedTime(launch.kernels, target);
  }
  finish();
  return cost;
}

llvm::Expected<GraphSchedule> cleave::evaluateSchedule(func::FuncOp function,
                                                       ScheduleAttr attr,
                                                       const AxisTable &axes,
                                                       const Bindings &point,
                                                       const Target &target) {
  std::string reason;
  OwnDiagnostics handler(function.getContext(), [&](Diagnostic &error) {
    if (reason.empty())
      reason = error.str();
  });
  Attribute before = function->getAttr(CleaveDialect::kScheduleAttrName);
  function->setAttr(CleaveDialect::kScheduleAttrName, attr);
  FailureOr<std::vector<ScheduledGraph>> graphs = getScheduledGraphs(function);
  if (before)
    function->setAttr(CleaveDialect::kScheduleAttrName, before);
  else
    function->removeAttr(CleaveDialect::kScheduleAttrName);
  if (failed(graphs))
    return llvm::createStringError(reason);
  GraphSchedule result;
  result.graph = std::move(graphs->front());
  Bindings given = result.graph.splits;
  given.insert(point.begin(), point.end());
  Bindings extents = axes.representative(given);
  setRepresentative(result.graph.problem, extents);
  for (ScheduledKernel &kernel : result.graph.kernels)
    setRepresentative(kernel.problem, extents);
  FailureOr<std::vector<LoopNest>> nests =
      planKernels(function, result.graph, /*horizontal=*/true);
  if (failed(nests))
    return llvm::createStringError(reason);
  result.cost = computeGraphCost(result.graph.kernels, *nests, target);
  if (FailureOr<AlternativesOp> alternatives = getAlternatives(function);
      succeeded(alternatives) && *alternatives && (*alternatives).getLabels())
    result.label =
        cast<StringAttr>((*(*alternatives).getLabels())[result.graph.region])
            .str();
  return result;
}

Bindings cleave::getDynamicExtents(const AxisTable &axes,
                                   const Bindings &point) {
  Bindings extents;
  for (const auto &[name, extent] : point)
    if (const AxisInfo *info = axes.lookup(name);
        info && info->kind == AxisKind::Dynamic)
      extents[name] = extent;
  return extents;
}

std::optional<GraphSchedule>
cleave::lookUpSchedule(const TuningTable &table, StringRef graph,
                       func::FuncOp function, const AxisTable &axes,
                       const Bindings &point, const Target &target,
                       std::string &reason) {
  TuningKey key{graph.str(), target.chip, getDynamicExtents(axes, point)};
  const TuningEntry *entry = table.lookup(key);
  if (!entry) {
    reason = table.isStale(function.getName(), key)
                 ? "the tuning table is of another graph of this name"
                 : "not in the tuning table";
    return std::nullopt;
  }
  llvm::Expected<GraphSchedule> found =
      evaluateSchedule(function, entry->schedule, axes, point, target);
  if (!found) {
    reason = "no schedule of the graph, in the tuning table: " +
             llvm::toString(found.takeError());
    return std::nullopt;
  }
  found->measured = entry->microseconds;
  return std::move(*found);
}

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

/// What schedules of one kind have in common.
static std::string getKind(const GraphSchedule &schedule) {
  std::string kind;
  llvm::raw_string_ostream os(kind);
  os << schedule.graph.region;
  for (const auto &[symbol, parts] : schedule.graph.splits)
    os << " " << symbol << "=" << parts;
  for (const ScheduledKernel &kernel : schedule.graph.kernels) {
    os << ";";
    llvm::interleaveComma(kernel.stores, os);
  }
  return kind;
}

std::vector<const GraphSchedule *>
cleave::chooseCandidates(MLIRContext *context, const FoundSchedules &found,
                         unsigned count) {
  const GraphSchedule &best = found.regions[found.best];
  std::vector<const GraphSchedule *> all;
  for (const GraphSchedule &other : found.others)
    // What does not fit is not even compiled.
    if (other.cost.excess <= best.cost.excess)
      all.push_back(&other);
  llvm::stable_sort(all, [](const GraphSchedule *a, const GraphSchedule *b) {
    return a->cost < b->cost;
  });
  std::set<std::string> kinds = {getKind(best)};
  DenseSet<Attribute> attrs = {getScheduleAttr(context, best.graph)};
  std::vector<const GraphSchedule *> chosen = {&best};
  for (bool onlyNewKinds : {true, false}) {
    size_t limit = onlyNewKinds ? (count + 1) / 2 : count;
    for (const GraphSchedule *each : all) {
      if (chosen.size() >= limit)
        break;
      if (onlyNewKinds && !kinds.insert(getKind(*each)).second)
        continue;
      if (attrs.insert(getScheduleAttr(context, each->graph)).second)
        chosen.push_back(each);
    }
  }
  std::stable_sort(chosen.begin() + 1, chosen.end(),
                   [](const GraphSchedule *a, const GraphSchedule *b) {
                     return a->cost < b->cost;
                   });
  return chosen;
}
