//===- PartitionSearch.cpp - Choosing the kernels of a graph --------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Steepest descent over partitions. A kernel's schedule depends on what it
// stores and reads alone, so each such pair is searched once, and only if it
// may be a part of something better.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Transforms/Schedule/PartitionSearch.h"
#include "Cleave/Transforms/Schedule/Products.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <set>

using namespace mlir::cleave;
using namespace mlir::cleave::schedule;

namespace {

/// A kernel's stores, and the stored values that it reads.
using KernelKey = std::pair<Stores, std::vector<NodeId>>;

/// A kernel that may be a part of a partition.
struct Candidate {
  Problem problem;
  /// What is known of its cost: no schedule takes less.
  Cost least;
  bool searched = false;
  /// None if it has no schedule.
  std::optional<Cost> cost;
};

/// A partition in order, with what each kernel reads.
struct Plan {
  Partition partition;
  std::vector<std::vector<NodeId>> reads;
  std::vector<Candidate *> kernels;
  Cost cost;
};

/// A kernel as if it were alone.
struct PlannedKernel {
  ScheduledKernel kernel;
  Cost cost;
  /// Further schedules for it.
  std::vector<CostedSchedule> others;
};
using Launch = std::vector<PlannedKernel>;

class Searcher {
public:
  Searcher(const Problem &problem, const Target &target,
           const SearchOptions &options, SearchCache *cache);

  llvm::Expected<PartitionResult> run();
  llvm::Expected<PartitionResult> run(const Partition &start);

private:
  Partition getFinestPartition();
  bool getEnds(NodeId id, std::set<NodeId> &ends);
  Partition getContractionPartition();
  NodeId getStoreOf(NodeId id);
  std::vector<NodeId> getUsers(NodeId id);
  double getBytes(NodeId id) const;
  bool mayStore(NodeId id) const;

  std::optional<Plan> makePlan(Partition partition);
  bool evaluate(Plan &plan, llvm::function_ref<bool(const Cost &)> mayWin);
  llvm::Expected<SearchResult> search(const Problem &kernel, int64_t warps = 0,
                                      llvm::ArrayRef<AxisTile> grid = {});
  bool order(Plan &plan);
  Candidate *getKernel(const Stores &stores, llvm::ArrayRef<NodeId> reads);
  bool findCost(Candidate &kernel);
  bool descend(Plan &plan);
  std::vector<Partition> getNeighbours(const Plan &plan);
  void addMerges(const Plan &plan, std::vector<Partition> &neighbours);
  std::optional<std::pair<double, PlannedKernel>>
  shareLaunch(const Launch &launch, const PlannedKernel &kernel);
  std::vector<Launch> groupLaunches(std::vector<PlannedKernel> kernels);
  std::optional<PlannedKernel> joinFront(const PlannedKernel &front,
                                         const PlannedKernel &kernel);
  std::vector<Launch> joinLaunches(std::vector<Launch> launches);
  PartitionResult collect(llvm::ArrayRef<Launch> launches);
  void addOthers(std::vector<Launch> &launches,
                 std::vector<PartitionResult> &others);
  llvm::Expected<PartitionResult> finish(const Plan &plan);

  const Problem &problem;
  const Target &target;
  const SearchOptions &options;
  SearchCache *cache;
  /// What may be stored and is computed by a reduction, and operands of
  /// contractions that each block would compute again.
  std::vector<NodeId> cuts, operands;
  std::vector<std::vector<NodeId>> users;
  /// Of all arguments and results.
  double givenBytes = 0;
  /// By value, the result that holds it and is written in place.
  std::map<NodeId, NodeId> updated;
  std::map<KernelKey, Candidate> kernels;
  /// Kernels that were searched, and that may be.
  size_t searched = 0, limit = 0;
  /// As in the options; what stands at the start is looked at in any case.
  double work = 0;
  bool isStart = true;
  unsigned candidates = 0;
  bool converged = true;
  std::string error;
};

} // namespace

Searcher::Searcher(const Problem &problem, const Target &target,
                   const SearchOptions &options, SearchCache *cache)
    : problem(problem), target(target), options(options), cache(cache) {
  users.resize(problem.size());
  std::map<NodeId, NodeId> newRows;
  for (const auto &[result, update] : problem.updates) {
    NodeId value = problem[result].operands.front();
    newRows[result] = newRows[value] = update.source;
    updated[value] = updated[result] = result;
  }
  std::set<NodeId> seen;
  std::vector<NodeId> stack;
  for (const Result &result : problem.results)
    stack.push_back(result.node);
  while (!stack.empty()) {
    NodeId id = stack.back();
    stack.pop_back();
    if (!seen.insert(id).second)
      continue;
    // What is written in place is computed from its new rows.
    llvm::SmallVector<NodeId, 4> needed = problem.getDependencies(id);
    if (auto rows = newRows.find(id); rows != newRows.end())
      needed = {rows->second};
    for (NodeId operand : needed) {
      if (!llvm::is_contained(users[operand], id))
        users[operand].push_back(id);
      stack.push_back(operand);
    }
  }
  for (NodeId id : seen)
    if (!problem.getReducedAxes(id).empty() &&
        problem.getFoldLeaves(id).empty())
      cuts.push_back(id);
  std::set<unsigned> counted;
  for (NodeId id : seen)
    if (problem[id].kind == NodeKind::Argument &&
        counted.insert(problem[id].argument).second)
      givenBytes += getBytes(id);
  for (const Result &result : problem.results)
    givenBytes += getBytes(result.node);
  for (NodeId id : seen)
    if (problem[id].kind == NodeKind::Contract)
      for (NodeId operand : problem[id].operands)
        if (problem[operand].kind == NodeKind::Pointwise && mayStore(operand) &&
            !llvm::is_contained(operands, operand))
          operands.push_back(operand);
}

double Searcher::getBytes(NodeId id) const {
  double bytes = getBits(problem[id].element) / 8.0;
  for (AxisId axis : problem[id].axes)
    bytes *= static_cast<double>(problem.axes[axis].representative);
  return bytes;
}

/// Nobody expects a graph to take more memory than it is given: all scores of
/// an attention are not stored, whatever their cost.
bool Searcher::mayStore(NodeId id) const {
  return canStore(problem, id) &&
         (isResult(problem, id) || getBytes(id) <= givenBytes);
}

//===----------------------------------------------------------------------===//
// The finest partition
//===----------------------------------------------------------------------===//

/// What to store for reduction `id`: the end of a chain of operations on it
/// alone, if that is no larger, such as a cast.
NodeId Searcher::getStoreOf(NodeId id) {
  NodeId store = id;
  for (NodeId end = id; users[end].size() == 1;) {
    NodeId user = users[end].front();
    const Node &node = problem[user];
    if (node.kind != NodeKind::Pointwise || node.axes != problem[id].axes ||
        !problem.getFoldLeaves(user).empty())
      break;
    end = user;
    if (mayStore(end) &&
        getBits(problem[end].element) <= getBits(problem[store].element))
      store = end;
  }
  if (mayStore(store))
    return store;
  // A result has the value.
  for (NodeId user : users[store])
    if (isResult(problem, user))
      return user;
  return store;
}

/// One kernel a reduction or fold, and one for each result that is none.
Partition Searcher::getFinestPartition() {
  Partition partition;
  std::set<NodeId> stored;
  std::map<unsigned, size_t> kernelOf;
  for (NodeId cut : cuts) {
    NodeId store = getStoreOf(cut);
    if (!mayStore(store) || !stored.insert(store).second)
      continue;
    // The states of a fold share a kernel if they can.
    const Node &node = problem[cut];
    if (node.kind == NodeKind::FoldState) {
      auto [it, isNew] = kernelOf.try_emplace(node.fold, partition.size());
      if (!isNew) {
        Stores together = partition[it->second];
        together.push_back(store);
        llvm::sort(together);
        if (canShareKernel(problem, together)) {
          partition[it->second] = together;
          continue;
        }
      }
    }
    partition.push_back({store});
  }
  for (const Result &result : problem.results)
    if (stored.insert(result.node).second)
      partition.push_back({result.node});
  return partition;
}

//===----------------------------------------------------------------------===//
// A kernel a contraction
//===----------------------------------------------------------------------===//

/// The values that operations on elements make of `id` before a reduction reads
/// them or a result holds them; false if a fold's body does on the way.
bool Searcher::getEnds(NodeId id, std::set<NodeId> &ends) {
  for (NodeId user : users[id]) {
    if (auto result = updated.find(user); result != updated.end()) {
      ends.insert(result->second);
    } else if (!problem.getFoldLeaves(user).empty()) {
      return false;
    } else if (isResult(problem, user)) {
      ends.insert(user);
    } else if (problem[user].kind != NodeKind::Pointwise) {
      if (problem[user].kind == NodeKind::FoldState)
        return false;
      ends.insert(id);
    } else if (!getEnds(user, ends)) {
      return false;
    }
  }
  return true;
}

/// A kernel for what contractions are for: several that are put together on the
/// way are one, those that a fold's loop needs are in its kernel, and other
/// reductions are in the kernels that need them.
Partition Searcher::getContractionPartition() {
  Partition partition;
  std::set<NodeId> stored;
  auto add = [&](NodeId store) {
    if (canStore(problem, store) && stored.insert(store).second)
      partition.push_back({store});
  };
  for (NodeId cut : cuts) {
    std::set<NodeId> ends;
    bool inFold = !getEnds(cut, ends);
    if (problem[cut].kind == NodeKind::Reduce || inFold || ends.empty())
      continue;
    add(ends.size() == 1 ? *ends.begin() : getStoreOf(cut));
  }
  for (const Result &result : problem.results)
    add(result.node);
  return partition;
}

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

/// Each kernel after those whose values it reads; false if there is no order.
bool Searcher::order(Plan &plan) {
  Partition rest = std::move(plan.partition);
  std::vector<std::vector<NodeId>> reads;
  // By kernel, the updated results whose arguments it reads as they were.
  std::vector<std::set<NodeId>> olds(rest.size());
  for (auto [number, stores] : llvm::enumerate(rest)) {
    Stores others;
    for (const Stores &other : rest)
      if (&other != &stores)
        llvm::append_range(others, other);
    KernelReads kernel = findReads(problem, stores, others);
    reads.emplace_back(kernel.stored.begin(), kernel.stored.end());
    for (const auto &[id, update] : problem.updates)
      if (kernel.arguments.count(update.place.argument))
        olds[number].insert(id);
  }
  // Whoever reads what another writes in place comes first.
  auto mayChange = [&](size_t number, const std::vector<bool> &done) {
    for (NodeId id : rest[number])
      for (size_t other = 0; other < rest.size(); ++other)
        if ((other == number || !done[other]) && olds[other].count(id))
          return false;
    return true;
  };
  plan.partition.clear();
  plan.reads.clear();
  std::set<NodeId> known;
  std::vector<bool> done(rest.size());
  while (plan.partition.size() < rest.size()) {
    std::optional<size_t> next;
    for (size_t i = 0; i < rest.size(); ++i)
      if (!done[i] && mayChange(i, done) &&
          llvm::all_of(reads[i],
                       [&](NodeId id) { return known.count(id) != 0; }) &&
          (!next || rest[i].front() < rest[*next].front()))
        next = i;
    if (!next)
      return false;
    done[*next] = true;
    known.insert(rest[*next].begin(), rest[*next].end());
    plan.partition.push_back(rest[*next]);
    plan.reads.push_back(reads[*next]);
  }
  return true;
}

/// The kernel with the axes that it is searched for.
Candidate *Searcher::getKernel(const Stores &stores,
                               llvm::ArrayRef<NodeId> reads) {
  auto [it, isNew] = kernels.try_emplace({stores, reads.vec()});
  Candidate &kernel = it->second;
  if (isNew) {
    kernel.problem = extractKernel(problem, stores, reads);
    multiplyAxes(kernel.problem);
    kernel.least.time = getLeastTime(kernel.problem, target);
  }
  return &kernel;
}

/// The best schedule of a kernel, with fewer candidates for a large one.
llvm::Expected<SearchResult> Searcher::search(const Problem &kernel,
                                              int64_t warps,
                                              llvm::ArrayRef<AxisTile> grid) {
  double weight = double(kernel.size()) * double(kernel.size());
  SearchOptions bounded = options;
  bounded.warps = warps;
  bounded.grid = grid;
  bounded.maxCandidates = unsigned(std::clamp(
      options.maxWork / 3 / weight, 100.0, double(options.maxCandidates)));
  unsigned arguments = problem.argumentNames.size();
  std::vector<int64_t> given = {warps, options.horizontal};
  for (const AxisTile &range : grid)
    given.insert(given.end(), {range.axis, range.tile});
  std::vector<int64_t> key = kernel.getKey(arguments, Problem::KeyExtents::All);
  llvm::append_range(key, given);
  if (auto known = cache->results.find(key); known != cache->results.end())
    return known->second;
  std::vector<int64_t> plan =
      kernel.getKey(arguments, Problem::KeyExtents::None);
  plan.push_back(options.horizontal);
  bounded.nests = &cache->nests[plan];
  std::vector<int64_t> like =
      kernel.getKey(arguments, Problem::KeyExtents::Known);
  llvm::append_range(like, given);
  if (auto near = cache->schedules.find(like); near != cache->schedules.end())
    bounded.start = &near->second;
  llvm::Expected<SearchResult> found = searchSchedule(kernel, target, bounded);
  if (found) {
    cache->results[key] = *found;
    cache->schedules[like] = found->schedule;
    candidates += found->candidates;
    work += found->candidates * weight;
  }
  return found;
}

/// Searches the kernel once; whether it has a cost.
bool Searcher::findCost(Candidate &kernel) {
  if (kernel.searched)
    return kernel.cost.has_value();
  if (searched >= limit || (!isStart && work > options.maxWork)) {
    converged = false;
    return false;
  }
  kernel.searched = true;
  ++searched;
  llvm::Expected<SearchResult> found = search(kernel.problem);
  if (!found) {
    std::string reason = llvm::toString(found.takeError());
    if (error.empty())
      error = reason;
    return false;
  }
  assert(found->cost.time >= kernel.least.time && "expected a lower bound");
  kernel.cost = std::move(found->cost);
  kernel.least = *kernel.cost;
  kernel.least.kernels.clear();
  return true;
}

std::optional<Plan> Searcher::makePlan(Partition partition) {
  Plan plan;
  for (Stores &stores : partition)
    llvm::sort(stores);
  plan.partition = std::move(partition);
  if (!order(plan))
    return std::nullopt;
  for (auto [stores, reads] : llvm::zip_equal(plan.partition, plan.reads))
    plan.kernels.push_back(getKernel(stores, reads));
  return plan;
}

/// What is known of the plan's cost.
static Cost getLeast(const Plan &plan) {
  Cost least;
  for (const Candidate *kernel : plan.kernels)
    least += kernel->least;
  return least;
}

/// Finds the plan's cost, as long as it may win for all that is known of it;
/// whether it has one.
bool Searcher::evaluate(Plan &plan,
                        llvm::function_ref<bool(const Cost &)> mayWin) {
  for (Candidate *kernel : plan.kernels)
    if (!mayWin(getLeast(plan)) || !findCost(*kernel))
      return false;
  plan.cost = {};
  for (const Candidate *kernel : plan.kernels)
    plan.cost += *kernel->cost;
  return true;
}

//===----------------------------------------------------------------------===//
// Descent
//===----------------------------------------------------------------------===//

/// Two kernels as one, which stores what others read.
void Searcher::addMerges(const Plan &plan, std::vector<Partition> &neighbours) {
  size_t size = plan.partition.size();
  for (size_t first = 0; first < size; ++first)
    for (size_t second = first + 1; second < size; ++second) {
      Stores both = plan.partition[first];
      llvm::append_range(both, plan.partition[second]);
      Stores merged;
      for (NodeId id : both) {
        bool read = isResult(problem, id);
        for (size_t other = 0; other < size; ++other)
          read |= other != first && other != second &&
                  llvm::is_contained(plan.reads[other], id);
        if (read)
          merged.push_back(id);
      }
      if (merged.empty() || !canShareKernel(problem, merged))
        continue;
      Partition &neighbour = neighbours.emplace_back(plan.partition);
      neighbour[first] = merged;
      neighbour.erase(neighbour.begin() + second);
    }
}

std::vector<Partition> Searcher::getNeighbours(const Plan &plan) {
  std::vector<Partition> neighbours;
  addMerges(plan, neighbours);
  std::set<NodeId> stored;
  for (auto [number, stores] : llvm::enumerate(plan.partition))
    for (NodeId id : stores) {
      stored.insert(id);
      if (isResult(problem, id))
        continue;
      // All that read it compute it.
      Partition &neighbour = neighbours.emplace_back(plan.partition);
      llvm::erase(neighbour[number], id);
      if (neighbour[number].empty())
        neighbour.erase(neighbour.begin() + number);
    }
  std::set<NodeId> more;
  for (NodeId cut : cuts) {
    more.insert(getStoreOf(cut));
    getEnds(cut, more);
  }
  more.insert(operands.begin(), operands.end());
  for (NodeId store : more)
    if (mayStore(store) && !stored.count(store))
      neighbours.emplace_back(plan.partition).push_back({store});
  return neighbours;
}

/// Goes to the best neighbour, the first of equal ones; false if none is
/// better.
bool Searcher::descend(Plan &plan) {
  std::vector<std::pair<Plan, size_t>> neighbours;
  for (auto [number, neighbour] : llvm::enumerate(getNeighbours(plan)))
    if (std::optional<Plan> made = makePlan(std::move(neighbour))) {
      made->cost = getLeast(*made);
      neighbours.emplace_back(std::move(*made), number);
    }
  // The sooner a good one is found, the fewer others may be better.
  llvm::stable_sort(neighbours, [](const auto &a, const auto &b) {
    return a.first.cost < b.first.cost;
  });
  std::pair<Plan, size_t> *best = nullptr;
  for (auto &neighbour : neighbours) {
    auto mayWin = [&, number = neighbour.second](const Cost &least) {
      if (!(least < plan.cost))
        return false;
      return !best || least < best->first.cost ||
             (!(best->first.cost < least) && number < best->second);
    };
    if (evaluate(neighbour.first, mayWin) && mayWin(neighbour.first.cost))
      best = &neighbour;
  }
  if (best)
    plan = std::move(best->first);
  return best;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/// The kernel beside those of the launch, if that saves time: how much, and the
/// kernel with as many warps as the others.
std::optional<std::pair<double, PlannedKernel>>
Searcher::shareLaunch(const Launch &launch, const PlannedKernel &kernel) {
  PlannedKernel joined = kernel;
  int64_t warps = launch.front().kernel.schedule.warps;
  if (joined.kernel.schedule.warps != warps) {
    llvm::Expected<SearchResult> found = search(kernel.kernel.problem, warps);
    if (!found) {
      llvm::consumeError(found.takeError());
      return std::nullopt;
    }
    joined.kernel.schedule = found->schedule;
    joined.cost = found->cost;
  }
  if (joined.cost.excess > kernel.cost.excess)
    return std::nullopt;
  std::vector<KernelCost> costs;
  for (const PlannedKernel &other : launch)
    llvm::append_range(costs, other.cost.kernels);
  double apart = getSharedTime(costs, target) + kernel.cost.time;
  llvm::append_range(costs, joined.cost.kernels);
  double saved = apart - getSharedTime(costs, target);
  if (saved <= 0)
    return std::nullopt;
  return std::make_pair(saved, std::move(joined));
}

/// Kernels that do not depend on each other share launches.
std::vector<Launch>
Searcher::groupLaunches(std::vector<PlannedKernel> kernels) {
  std::vector<Launch> launches;
  for (PlannedKernel &kernel : kernels) {
    size_t first = launches.size();
    while (first > 0 &&
           llvm::none_of(launches[first - 1], [&](const PlannedKernel &other) {
             return dependsOn(problem, kernel.kernel, other.kernel);
           }))
      --first;
    std::optional<std::pair<double, PlannedKernel>> best;
    size_t place = 0;
    for (size_t i = first; i < launches.size(); ++i) {
      auto joined = shareLaunch(launches[i], kernel);
      if (joined && (!best || joined->first > best->first)) {
        best = std::move(joined);
        place = i;
      }
    }
    if (!best) {
      launches.push_back({std::move(kernel)});
      continue;
    }
    best->second.kernel.beside = true;
    launches[place].push_back(std::move(best->second));
  }
  return launches;
}

/// The kernel in the launch of the one in front, with its tiles and warps, if
/// that saves time.
std::optional<PlannedKernel> Searcher::joinFront(const PlannedKernel &front,
                                                 const PlannedKernel &kernel) {
  PlannedKernel joined{kernel.kernel, {}, {}};
  joined.kernel.join = true;
  llvm::SmallVector<AxisTile, 4> &grid = joined.kernel.schedule.grid;
  for (AxisTile &range : grid) {
    auto dim = findInGrid(front.kernel, kernel.kernel.problem, range.axis);
    if (!dim)
      return std::nullopt;
    range.tile = front.kernel.schedule.grid[*dim].tile;
  }
  int64_t warps = front.kernel.schedule.warps;
  joined.kernel.schedule.warps = warps;
  if (llvm::Error illegal =
          checkOrder(problem, {front.kernel, joined.kernel})) {
    llvm::consumeError(std::move(illegal));
    return std::nullopt;
  }
  llvm::Expected<SearchResult> found =
      search(kernel.kernel.problem, warps, grid);
  if (!found) {
    llvm::consumeError(found.takeError());
    return std::nullopt;
  }
  joined.kernel.schedule = found->schedule;
  joined.cost = found->cost;
  double time = getJoinedTime(front.cost.kernels.front(),
                              joined.cost.kernels.front(), target);
  if (joined.cost.excess > kernel.cost.excess ||
      time >= front.cost.time + kernel.cost.time)
    return std::nullopt;
  return joined;
}

/// Kernels that are alone in their launches join the ones in front. None is
/// faster with given tiles than with its own, so only a launch can be saved.
std::vector<Launch> Searcher::joinLaunches(std::vector<Launch> launches) {
  if (target.arrival >= target.launch)
    return launches;
  std::vector<Launch> result;
  for (Launch &launch : launches) {
    if (launch.size() == 1 && !result.empty() && result.back().size() == 1)
      if (auto joined = joinFront(result.back().front(), launch.front())) {
        result.back().push_back(std::move(*joined));
        continue;
      }
    result.push_back(std::move(launch));
  }
  return result;
}

/// The kernels of launches one after the other.
PartitionResult Searcher::collect(llvm::ArrayRef<Launch> launches) {
  PartitionResult result;
  for (const Launch &launch : launches) {
    Cost together;
    for (const PlannedKernel &kernel : launch) {
      together += kernel.cost;
      result.kernels.push_back(kernel.kernel);
    }
    together.time = launch.back().kernel.join
                        ? getJoinedTime(together.kernels.front(),
                                        together.kernels.back(), target)
                        : getSharedTime(together.kernels, target);
    result.cost += together;
  }
  return result;
}

/// The launches with other schedules of the kernel that takes longest.
void Searcher::addOthers(std::vector<Launch> &launches,
                         std::vector<PartitionResult> &others) {
  PlannedKernel *longest = nullptr;
  for (Launch &launch : launches)
    for (PlannedKernel &kernel : launch)
      if (!longest || kernel.cost.time > longest->cost.time)
        longest = &kernel;
  CostedSchedule chosen{longest->kernel.schedule, longest->cost};
  for (const CostedSchedule &other : longest->others) {
    longest->kernel.schedule = other.schedule;
    longest->cost = other.cost;
    PartitionResult result = collect(launches);
    // Kernels that share a launch have as many warps, and may need its tiles.
    if (llvm::Error illegal = checkOrder(problem, result.kernels))
      llvm::consumeError(std::move(illegal));
    else
      others.push_back(std::move(result));
  }
  longest->kernel.schedule = chosen.schedule;
  longest->cost = chosen.cost;
}

llvm::Expected<PartitionResult> Searcher::finish(const Plan &plan) {
  std::vector<PlannedKernel> kernels;
  for (auto [stores, candidate] :
       llvm::zip_equal(plan.partition, plan.kernels)) {
    ScheduledKernel kernel;
    kernel.stores = stores;
    kernel.problem = candidate->problem;
    llvm::Expected<SearchResult> found = search(kernel.problem);
    if (!found)
      return found.takeError();
    kernel.schedule = found->schedule;
    converged &= found->converged;
    kernels.push_back(
        {std::move(kernel), std::move(found->cost), std::move(found->others)});
  }
  std::vector<Launch> launches =
      joinLaunches(groupLaunches(std::move(kernels)));
  PartitionResult result = collect(launches);
  addOthers(launches, result.others);
  result.candidates = candidates;
  result.converged = converged;
  return result;
}

llvm::Expected<PartitionResult> Searcher::run() {
  // From a start that takes so many times as long nothing better comes.
  constexpr double kHopeless = 4;
  std::vector<Plan> starts, losers;
  for (Partition start : {getContractionPartition(), getFusedPartition(problem),
                          getFinestPartition()}) {
    limit = searched + start.size();
    std::optional<Plan> plan = makePlan(std::move(start));
    if (plan && evaluate(*plan, [](const Cost &) { return true; }))
      starts.push_back(std::move(*plan));
  }
  isStart = false;
  // Kernels that may be searched are used up below the best one.
  llvm::stable_sort(
      starts, [](const Plan &a, const Plan &b) { return a.cost < b.cost; });
  std::optional<Plan> best;
  std::set<Partition> visited;
  for (Plan &plan : starts) {
    limit = searched + options.maxKernels / 3;
    bool mayWin = !best || plan.cost.excess < best->cost.excess ||
                  plan.cost.time <= kHopeless * best->cost.time;
    // From where another start came by the way is the same.
    bool isNew = visited.insert(plan.partition).second;
    while (isNew && mayWin && descend(plan))
      isNew = visited.insert(plan.partition).second;
    if (!isNew)
      continue;
    if (best && !(plan.cost < best->cost)) {
      losers.push_back(std::move(plan));
      continue;
    }
    if (best)
      losers.push_back(std::move(*best));
    best = std::move(plan);
  }
  if (!best)
    return llvm::createStringError(error);
  llvm::Expected<PartitionResult> result = finish(*best);
  if (!result || !options.others)
    return result;
  for (const Plan &plan : losers) {
    if (plan.partition == best->partition)
      continue;
    llvm::Expected<PartitionResult> other = finish(plan);
    if (!other)
      return other.takeError();
    other->others.clear();
    result->others.push_back(std::move(*other));
  }
  return result;
}

llvm::Expected<PartitionResult> Searcher::run(const Partition &start) {
  limit = start.size();
  std::optional<Plan> plan = makePlan(start);
  if (!plan || !evaluate(*plan, [](const Cost &) { return true; }))
    return llvm::createStringError(error);
  isStart = false;
  limit = searched + options.maxKernels / 3;
  while (plan->cost.time <= options.mostTime && descend(*plan))
    ;
  return finish(*plan);
}

/// Another number of parts may leave other nodes: masks of a last part that is
/// shorter.
static bool isPartitionOf(const Problem &problem, const Partition &partition) {
  for (const Stores &stores : partition)
    for (NodeId id : stores)
      if (id >= problem.size() || !canStore(problem, id))
        return false;
  return !llvm::errorToBool(checkPartition(problem, partition));
}

llvm::Expected<PartitionResult>
schedule::searchPartition(const Problem &problem, const Target &target,
                          const SearchOptions &options, SearchCache *cache,
                          const Partition *start) {
  SearchCache own;
  Searcher searcher(problem, target, options, cache ? cache : &own);
  return start && isPartitionOf(problem, *start) ? searcher.run(*start)
                                                 : searcher.run();
}
