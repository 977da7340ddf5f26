//===- Extract.cpp - The k best selections --------------------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cleave/Transforms/EGraph/Extract.h"
#include "DenseGraph.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::cleave::egraph;

namespace {

struct Candidate {
  Choice choice;
  Evaluation evaluation;
};

/// The best selection of each skeleton seen so far.
class Pool {
public:
  /// Keeps a selection if its skeleton is new or it is the skeleton's best.
  void offer(const Choice &choice, const Evaluation &evaluation) {
    auto it = best.find(evaluation.skeleton);
    if (it == best.end() || evaluation < it->second.candidate.evaluation)
      best[evaluation.skeleton] = {{choice, evaluation}, false};
  }

  /// The cheapest that was not handed out before, or null.
  const Candidate *next() {
    Slot *found = nullptr;
    for (auto &[skeleton, slot] : best)
      if (!slot.expanded &&
          (!found || slot.candidate.evaluation < found->candidate.evaluation))
        found = &slot;
    if (!found)
      return nullptr;
    found->expanded = true;
    return &found->candidate;
  }

  std::vector<Candidate> take(unsigned k) {
    std::vector<Candidate> result;
    for (auto &[skeleton, slot] : best)
      result.push_back(std::move(slot.candidate));
    llvm::sort(result, [](const Candidate &a, const Candidate &b) {
      return a.evaluation < b.evaluation;
    });
    if (result.size() > k)
      result.resize(k);
    return result;
  }

private:
  struct Slot {
    Candidate candidate;
    bool expanded = false;
  };
  std::map<uint64_t, Slot> best;
};

/// Per class the node whose tree is cheapest: a fixpoint from the leaves up.
/// Every node adds to the last term, so that a class never pays less than its
/// children, and a cycle is never chosen.
class GreedyChoice {
public:
  GreedyChoice(const DenseGraph &graph, std::optional<uint32_t> banned = {})
      : graph(graph), levels(graph.size() * graph.getNumAxes()),
        weights(graph.size()), terms(graph.size()), choice(graph.size(), -1) {
    // Children have larger numbers more often than not. Levels are compared by
    // their sum, which need not converge.
    for (size_t round = 0; round < graph.size() + 2; ++round) {
      bool changed = false;
      for (uint32_t id = graph.size(); id-- > 0;)
        if (id != banned)
          changed |= improve(id);
      if (!changed)
        break;
    }
  }

  Choice take() { return std::move(choice); }

private:
  bool improve(uint32_t id);

  const DenseGraph &graph;
  /// Of the trees chosen so far.
  std::vector<uint16_t> levels;
  std::vector<double> weights;
  std::vector<Cost> terms;
  Choice choice;
};

class Extractor {
public:
  Extractor(const EGraph &graph, llvm::ArrayRef<ClassId> roots,
            CostModel &model, const ExtractOptions &options)
      : table(graph, model), graph(graph, roots, table), options(options) {}

  Extraction run(llvm::ArrayRef<Selection> seeds);

private:
  bool enumerate(Choice &choice, std::vector<uint32_t> open);
  void search(llvm::ArrayRef<Selection> seeds);
  void changeOneNode(const Choice &from, llvm::ArrayRef<uint32_t> order);
  void avoidOneClass(const Choice &from, llvm::ArrayRef<uint32_t> order);
  const Choice &getGreedyWithout(uint32_t banned);
  void offer(const Choice &choice) {
    ++looked;
    if (auto evaluation = graph.evaluate(choice))
      pool.offer(choice, *evaluation);
  }
  bool isExhausted() const { return looked > options.maxLocal; }

  CostTable table;
  DenseGraph graph;
  const ExtractOptions &options;
  Pool pool;
  /// What stands for classes that a change brings in: the cheapest trees, and
  /// those of the seeds.
  std::vector<Choice> fillings;
  std::map<uint32_t, Choice> greedyWithout;
  unsigned looked = 0;
};

} // namespace

bool GreedyChoice::improve(uint32_t id) {
  bool changed = false;
  unsigned numAxes = graph.getNumAxes();
  llvm::SmallVector<uint16_t, 16> nodeLevels(numAxes);
  for (auto [number, node] : llvm::enumerate(graph.getNodes(id))) {
    if (llvm::any_of(node.children,
                     [&](uint32_t child) { return choice[child] < 0; }))
      continue;
    const CostModel &model = graph.getModel();
    Cost cost(model.getNumWorkTerms() + 3, 0);
    llvm::fill(nodeLevels, 0);
    for (auto [i, child] : llvm::enumerate(node.children)) {
      for (unsigned axis = 0; axis < numAxes; ++axis)
        nodeLevels[axis] =
            std::max(nodeLevels[axis], levels[child * numAxes + axis]);
      if (!llvm::is_contained(llvm::ArrayRef(node.children).take_front(i),
                              child))
        for (size_t term = 1; term < cost.size(); ++term)
          cost[term] += terms[child][term];
    }
    node.cost->sweeps.forEach([&](unsigned axis) { ++nodeLevels[axis]; });
    for (uint16_t level : nodeLevels)
      cost[0] += level;
    cost[1] += node.cost->bytes;
    for (auto [term, work] : llvm::enumerate(node.cost->work))
      cost[2 + term] += work;
    cost.back() += 1;
    double weight = model.weigh(cost);
    if (choice[id] >= 0 &&
        !(std::tie(weight, cost) < std::tie(weights[id], terms[id])))
      continue;
    weights[id] = weight;
    terms[id] = std::move(cost);
    llvm::copy(nodeLevels, levels.begin() + id * numAxes);
    choice[id] = number;
    changed = true;
  }
  return changed;
}

/// Looks at each selection; false when there are too many.
bool Extractor::enumerate(Choice &choice, std::vector<uint32_t> open) {
  while (!open.empty() && choice[open.back()] >= 0)
    open.pop_back();
  if (open.empty()) {
    offer(choice);
    return looked <= options.maxExact;
  }
  uint32_t id = open.back();
  open.pop_back();
  for (auto [number, node] : llvm::enumerate(graph.getNodes(id))) {
    choice[id] = number;
    std::vector<uint32_t> next = open;
    next.insert(next.end(), node.children.rbegin(), node.children.rend());
    if (!enumerate(choice, std::move(next)))
      return false;
  }
  choice[id] = -1;
  return true;
}

/// Takes from `filling` what `choice` does not have.
static Choice fill(Choice choice, const Choice &filling) {
  for (auto [chosen, other] : llvm::zip_equal(choice, filling))
    if (chosen < 0)
      chosen = other;
  return choice;
}

/// What the roots need of a choice, and no more.
static Choice restrict(const Choice &choice, llvm::ArrayRef<uint32_t> needed) {
  Choice result(choice.size(), -1);
  for (uint32_t id : needed)
    result[id] = choice[id];
  return result;
}

void Extractor::changeOneNode(const Choice &from,
                              llvm::ArrayRef<uint32_t> order) {
  for (uint32_t id : order)
    for (int i = 0, e = graph.getNodes(id).size(); i < e; ++i)
      for (const Choice &filling : fillings) {
        if (i == from[id])
          continue;
        if (isExhausted())
          return;
        Choice changed = from;
        changed[id] = i;
        offer(fill(std::move(changed), filling));
      }
}

const Choice &Extractor::getGreedyWithout(uint32_t banned) {
  auto [it, isNew] = greedyWithout.try_emplace(banned);
  if (isNew)
    it->second = GreedyChoice(graph, banned).take();
  return it->second;
}

/// All users of a class change at once: what one of them gains alone may be
/// less than the class costs the others.
void Extractor::avoidOneClass(const Choice &from,
                              llvm::ArrayRef<uint32_t> order) {
  std::vector<unsigned> users(graph.size());
  for (uint32_t id : order)
    for (uint32_t child : graph.getNode(from, id).children)
      ++users[child];
  for (uint32_t avoided : order) {
    if (users[avoided] < 2 || graph.getNode(from, avoided).children.empty())
      continue;
    if (isExhausted())
      return;
    std::vector<bool> reaches(graph.size());
    reaches[avoided] = true;
    Choice changed = from;
    changed[avoided] = -1;
    const Choice &greedy = getGreedyWithout(avoided);
    for (uint32_t id : order) {
      if (llvm::none_of(graph.getNode(from, id).children,
                        [&](uint32_t child) { return reaches[child]; }))
        continue;
      reaches[id] = true;
      changed[id] = greedy[id];
    }
    offer(fill(std::move(changed), greedy));
  }
}

/// From the cheapest skeleton on, what differs from it in one respect.
void Extractor::search(llvm::ArrayRef<Selection> seeds) {
  Choice greedy = GreedyChoice(graph).take();
  offer(greedy);
  fillings.push_back(greedy);
  for (const Selection &seed : seeds) {
    Choice choice = fill(graph.fromSelection(seed), greedy);
    offer(choice);
    fillings.push_back(std::move(choice));
  }
  while (const Candidate *candidate = pool.next()) {
    auto order = graph.sort(candidate->choice);
    Choice from = restrict(candidate->choice, *order);
    avoidOneClass(from, *order);
    changeOneNode(from, *order);
    if (isExhausted())
      break;
  }
}

Extraction Extractor::run(llvm::ArrayRef<Selection> seeds) {
  Extraction result;
  Choice choice(graph.size(), -1);
  llvm::ArrayRef<uint32_t> roots = graph.getRoots();
  result.exact =
      enumerate(choice, std::vector<uint32_t>(roots.rbegin(), roots.rend()));
  if (!result.exact) {
    looked = 0;
    search(seeds);
  }
  for (Candidate &candidate : pool.take(options.k))
    result.best.push_back(
        {graph.toSelection(candidate.choice), std::move(candidate.evaluation)});
  return result;
}

Extraction mlir::cleave::egraph::extract(const EGraph &graph,
                                         llvm::ArrayRef<ClassId> roots,
                                         CostModel &model,
                                         const ExtractOptions &options,
                                         llvm::ArrayRef<Selection> seeds) {
  return Extractor(graph, roots, model, options).run(seeds);
}
