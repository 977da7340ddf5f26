//===- PartitionSearch.cpp - Choosing the kernels of a graph --------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Steepest descent over partitions. A kernel's schedule depends on what it
// stores and reads alone, so each such pair is searched once, first roughly;
// the kernels that win are searched thoroughly.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Transforms/Schedule/PartitionSearch.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <set>

using namespace mlir::cleave;
using namespace mlir::cleave::schedule;

namespace {

/// A kernel's stores, and the stored values that it reads.
using KernelKey = std::pair<Stores, std::vector<NodeId>>;

/// A partition in order, with what each kernel reads.
struct Plan {
  Partition partition;
  std::vector<std::vector<NodeId>> reads;
  Cost cost;
};

class Searcher {
public:
  Searcher(const Problem &problem, const Target &target,
           const SearchOptions &options);

  llvm::Expected<PartitionResult> run();

private:
  Partition getFinestPartition();
  NodeId getStoreOf(NodeId id);
  std::vector<NodeId> getUsers(NodeId id);

  std::optional<Plan> evaluate(Partition partition);
  llvm::Expected<SearchResult> search(const Problem &kernel);
  bool order(Plan &plan);
  const Cost *getCost(const Stores &stores, llvm::ArrayRef<NodeId> reads);
  bool descend(Plan &plan);
  std::vector<Partition> getNeighbours(const Plan &plan);
  void addMerges(const Plan &plan, std::vector<Partition> &neighbours);
  llvm::Expected<PartitionResult> finish(const Plan &plan);

  const Problem &problem;
  const Target &target;
  const SearchOptions &options;
  /// What may be stored and is computed by a reduction, and operands of
  /// contractions that each block would compute again.
  std::vector<NodeId> cuts, operands;
  std::vector<std::vector<NodeId>> users;
  /// No cost if a kernel has no schedule.
  std::map<KernelKey, std::optional<Cost>> costs;
  /// Kernels that may be looked at.
  size_t limit = 0;
  /// As in the options; what stands at the start is looked at in any case.
  double work = 0;
  bool isStart = true;
  unsigned candidates = 0;
  bool converged = true;
  std::string error;
};

} // namespace

Searcher::Searcher(const Problem &problem, const Target &target,
                   const SearchOptions &options)
    : problem(problem), target(target), options(options) {
  users.resize(problem.size());
  std::set<NodeId> seen;
  std::vector<NodeId> stack;
  for (const Result &result : problem.results)
    stack.push_back(result.node);
  while (!stack.empty()) {
    NodeId id = stack.back();
    stack.pop_back();
    if (!seen.insert(id).second)
      continue;
    for (NodeId operand : problem.getDependencies(id)) {
      if (!llvm::is_contained(users[operand], id))
        users[operand].push_back(id);
      stack.push_back(operand);
    }
  }
  for (NodeId id : seen)
    if (!problem.getReducedAxes(id).empty() &&
        problem.getFoldLeaves(id).empty())
      cuts.push_back(id);
  for (NodeId id : seen)
    if (problem[id].kind == NodeKind::Contract)
      for (NodeId operand : problem[id].operands)
        if (problem[operand].kind == NodeKind::Pointwise &&
            canStore(problem, operand) &&
            !llvm::is_contained(operands, operand))
          operands.push_back(operand);
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
    if (canStore(problem, end) &&
        getBits(problem[end].element) <= getBits(problem[store].element))
      store = end;
  }
  if (canStore(problem, store))
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
    if (!canStore(problem, store) || !stored.insert(store).second)
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
// Costs
//===----------------------------------------------------------------------===//

/// The stored values that a kernel reads.
static std::vector<NodeId> getReads(const Problem &problem,
                                    const Problem &kernel) {
  std::vector<NodeId> reads;
  unsigned arguments = problem.argumentNames.size();
  for (NodeId id = 0; id < kernel.size(); ++id)
    if (kernel[id].kind == NodeKind::Argument &&
        kernel[id].argument >= arguments)
      reads.push_back(kernel[id].argument - arguments);
  llvm::sort(reads);
  reads.erase(std::unique(reads.begin(), reads.end()), reads.end());
  return reads;
}

/// Each kernel after those whose values it reads; false if there is no order.
bool Searcher::order(Plan &plan) {
  Partition rest = std::move(plan.partition);
  std::vector<std::vector<NodeId>> reads;
  for (const Stores &stores : rest) {
    Stores others;
    for (const Stores &other : rest)
      if (&other != &stores)
        llvm::append_range(others, other);
    reads.push_back(getReads(problem, extractKernel(problem, stores, others)));
  }
  plan.partition.clear();
  plan.reads.clear();
  std::set<NodeId> known;
  std::vector<bool> done(rest.size());
  while (plan.partition.size() < rest.size()) {
    std::optional<size_t> next;
    for (size_t i = 0; i < rest.size(); ++i)
      if (!done[i] &&
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

/// The best schedule of a kernel, with fewer candidates for a large one.
llvm::Expected<SearchResult> Searcher::search(const Problem &kernel) {
  double weight = double(kernel.size()) * double(kernel.size());
  SearchOptions bounded = options;
  bounded.maxCandidates = unsigned(std::clamp(
      options.maxWork / 2 / weight, 100.0, double(options.maxCandidates)));
  llvm::Expected<SearchResult> found = searchSchedule(kernel, target, bounded);
  if (found) {
    candidates += found->candidates;
    work += found->candidates * weight;
  }
  return found;
}

const Cost *Searcher::getCost(const Stores &stores,
                              llvm::ArrayRef<NodeId> reads) {
  auto [it, isNew] = costs.try_emplace({stores, reads.vec()});
  if (!isNew)
    return it->second ? &*it->second : nullptr;
  if (costs.size() > limit || (!isStart && work > options.maxWork)) {
    costs.erase(it);
    converged = false;
    return nullptr;
  }
  llvm::Expected<SearchResult> found =
      search(extractKernel(problem, stores, reads));
  if (!found) {
    std::string reason = llvm::toString(found.takeError());
    if (error.empty())
      error = reason;
    return nullptr;
  }
  it->second = std::move(found->cost);
  return &*it->second;
}

std::optional<Plan> Searcher::evaluate(Partition partition) {
  Plan plan;
  for (Stores &stores : partition)
    llvm::sort(stores);
  plan.partition = std::move(partition);
  if (!order(plan))
    return std::nullopt;
  for (auto [stores, reads] : llvm::zip_equal(plan.partition, plan.reads)) {
    const Cost *cost = getCost(stores, reads);
    if (!cost)
      return std::nullopt;
    plan.cost += *cost;
  }
  return plan;
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
  for (NodeId cut : cuts) {
    NodeId store = getStoreOf(cut);
    if (!canStore(problem, store) || stored.count(store))
      continue;
    neighbours.emplace_back(plan.partition).push_back({store});
  }
  for (NodeId operand : operands)
    if (!stored.count(operand))
      neighbours.emplace_back(plan.partition).push_back({operand});
  return neighbours;
}

/// Goes to the best neighbour; false if none is better.
bool Searcher::descend(Plan &plan) {
  std::optional<Plan> best;
  for (Partition &neighbour : getNeighbours(plan)) {
    std::optional<Plan> candidate = evaluate(std::move(neighbour));
    if (candidate && candidate->cost < (best ? best->cost : plan.cost))
      best = std::move(candidate);
  }
  if (best)
    plan = std::move(*best);
  return best.has_value();
}

llvm::Expected<PartitionResult> Searcher::finish(const Plan &plan) {
  PartitionResult result;
  for (auto [stores, reads] : llvm::zip_equal(plan.partition, plan.reads)) {
    ScheduledKernel kernel;
    kernel.stores = stores;
    kernel.problem = extractKernel(problem, stores, reads);
    llvm::Expected<SearchResult> found = search(kernel.problem);
    if (!found)
      return found.takeError();
    kernel.schedule = found->schedule;
    result.cost += found->cost;
    converged &= found->converged;
    result.kernels.push_back(std::move(kernel));
  }
  result.candidates = candidates;
  result.converged = converged;
  return result;
}

llvm::Expected<PartitionResult> Searcher::run() {
  std::optional<Plan> best;
  for (Partition start : {getFusedPartition(problem), getFinestPartition()}) {
    limit = costs.size() + start.size();
    isStart = true;
    std::optional<Plan> plan = evaluate(std::move(start));
    if (!plan)
      continue;
    isStart = false;
    limit = costs.size() + options.maxKernels / 2;
    while (descend(*plan))
      ;
    if (!best || plan->cost < best->cost)
      best = std::move(plan);
  }
  if (!best)
    return llvm::createStringError(error);
  return finish(*best);
}

llvm::Expected<PartitionResult>
schedule::searchPartition(const Problem &problem, const Target &target,
                          const SearchOptions &options) {
  return Searcher(problem, target, options).run();
}
