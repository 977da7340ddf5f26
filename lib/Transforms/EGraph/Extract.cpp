//===- Extract.cpp - The k best selections --------------------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cleave/Transforms/EGraph/Extract.h"
#include "llvm/ADT/STLExtras.h"

#include <array>

using namespace mlir::cleave::egraph;

namespace {

/// The best selection of each skeleton seen so far.
class Pool {
public:
  /// Keeps a selection if its skeleton is new or it is the skeleton's best.
  void offer(Selection selection, Evaluation evaluation) {
    auto it = best.find(evaluation.skeleton);
    if (it != best.end() && !(evaluation < it->second.entry.evaluation))
      return;
    best[evaluation.skeleton] = {{std::move(selection), evaluation}, false};
  }

  /// The cheapest that was not handed out before, or null.
  const Extracted *next() {
    Slot *found = nullptr;
    for (auto &[skeleton, slot] : best)
      if (!slot.expanded &&
          (!found || slot.entry.evaluation < found->entry.evaluation))
        found = &slot;
    if (!found)
      return nullptr;
    found->expanded = true;
    return &found->entry;
  }

  std::vector<Extracted> take(unsigned k) {
    std::vector<Extracted> result;
    for (auto &[skeleton, slot] : best)
      result.push_back(std::move(slot.entry));
    llvm::sort(result, [](const Extracted &a, const Extracted &b) {
      return a.evaluation < b.evaluation;
    });
    if (result.size() > k)
      result.resize(k);
    return result;
  }

private:
  struct Slot {
    Extracted entry;
    bool expanded = false;
  };
  std::map<std::string, Slot> best;
};

/// Per class the node whose tree is cheapest: a fixpoint from the leaves up.
/// Every node adds to the last term, so that a class never pays less than its
/// children, and a cycle is never chosen.
class GreedyChoice {
public:
  GreedyChoice(const EGraph &graph, const CostTable &table)
      : graph(graph), table(table) {
    std::vector<ClassId> ids = graph.getClassIds();
    // Levels are compared by their sum, which need not converge.
    for (size_t round = 0; round < ids.size() + 2; ++round) {
      bool changed = false;
      for (ClassId id : ids)
        changed |= improve(id);
      if (!changed)
        break;
    }
  }

  const Selection &get() const { return choice; }

private:
  struct TreeCost {
    std::array<uint16_t, AxisSet::kMaxAxes> levels = {};
    Cost terms;
  };

  std::optional<TreeCost> getTreeCost(const Node &node, const NodeCost &cost) {
    TreeCost result;
    result.terms.assign(table.getNumWorkTerms() + 3, 0);
    ClassId previous = ~0u;
    for (ClassId child : node.children) {
      auto below = trees.find(child);
      if (below == trees.end())
        return std::nullopt;
      for (auto [level, other] : llvm::zip(result.levels, below->second.levels))
        level = std::max(level, other);
      if (child != previous)
        for (size_t i = 1; i < result.terms.size(); ++i)
          result.terms[i] += below->second.terms[i];
      previous = child;
    }
    cost.sweeps.forEach([&](unsigned axis) { ++result.levels[axis]; });
    for (uint16_t level : result.levels)
      result.terms[0] += level;
    result.terms[1] += cost.bytes;
    for (auto [i, term] : llvm::enumerate(cost.work))
      result.terms[2 + i] += term;
    result.terms.back() += 1;
    return result;
  }

  bool improve(ClassId id) {
    bool changed = false;
    for (auto [index, node] : llvm::enumerate(graph.getClass(id).nodes)) {
      const std::optional<NodeCost> &cost = table.get(id, index);
      if (!cost || llvm::is_contained(node.children, id))
        continue;
      std::optional<TreeCost> tree = getTreeCost(node, *cost);
      auto it = trees.find(id);
      if (!tree || (it != trees.end() && !(tree->terms < it->second.terms)))
        continue;
      trees[id] = *tree;
      choice[id] = index;
      changed = true;
    }
    return changed;
  }

  const EGraph &graph;
  const CostTable &table;
  std::map<ClassId, TreeCost> trees;
  Selection choice;
};

class Extractor {
public:
  Extractor(const EGraph &graph, llvm::ArrayRef<ClassId> roots,
            CostModel &model, const ExtractOptions &options)
      : graph(graph), table(graph, model), options(options) {
    for (ClassId root : roots)
      this->roots.push_back(graph.find(root));
  }

  Extraction run(llvm::ArrayRef<Selection> seeds);

private:
  bool enumerate(Selection &selection, std::vector<ClassId> open);
  void expand(const Selection &from);
  void offer(const Selection &selection) {
    if (auto evaluation = evaluate(graph, roots, selection, table))
      pool.offer(selection, *evaluation);
  }
  Selection complete(const Selection &partial) const;

  const EGraph &graph;
  CostTable table;
  const ExtractOptions &options;
  llvm::SmallVector<ClassId, 4> roots;
  Pool pool;
  Selection greedy;
  unsigned looked = 0;
};

} // namespace

/// Looks at each selection; false when there are too many.
bool Extractor::enumerate(Selection &selection, std::vector<ClassId> open) {
  while (!open.empty() && selection.count(open.back()))
    open.pop_back();
  if (open.empty()) {
    offer(selection);
    return ++looked <= options.maxExact;
  }
  ClassId id = open.back();
  open.pop_back();
  for (auto [index, node] : llvm::enumerate(graph.getClass(id).nodes)) {
    if (!table.get(id, index) || llvm::is_contained(node.children, id))
      continue;
    selection[id] = index;
    std::vector<ClassId> next = open;
    next.insert(next.end(), node.children.rbegin(), node.children.rend());
    if (!enumerate(selection, std::move(next)))
      return false;
    selection.erase(id);
  }
  return true;
}

/// Drops what the roots do not need and fills in what is missing.
Selection Extractor::complete(const Selection &partial) const {
  Selection result;
  std::vector<ClassId> stack(roots.begin(), roots.end());
  while (!stack.empty()) {
    ClassId id = stack.back();
    stack.pop_back();
    if (result.count(id))
      continue;
    auto it = partial.find(id);
    if (it == partial.end() && (it = greedy.find(id)) == greedy.end())
      continue;
    result[id] = it->second;
    const Node &node = graph.getClass(id).nodes[it->second];
    stack.insert(stack.end(), node.children.begin(), node.children.end());
  }
  return result;
}

/// Offers every selection that differs from `from` in one class.
void Extractor::expand(const Selection &from) {
  for (auto [id, current] : from) {
    for (unsigned i = 0, e = graph.getClass(id).nodes.size(); i < e; ++i) {
      if (i == current || !table.get(id, i))
        continue;
      if (++looked > options.maxLocal)
        return;
      Selection changed = from;
      changed[id] = i;
      offer(complete(changed));
    }
  }
}

Extraction Extractor::run(llvm::ArrayRef<Selection> seeds) {
  Extraction result;
  Selection selection;
  std::vector<ClassId> open(roots.rbegin(), roots.rend());
  result.exact = enumerate(selection, open);
  if (!result.exact) {
    looked = 0;
    greedy = GreedyChoice(graph, table).get();
    offer(complete({}));
    for (const Selection &seed : seeds)
      offer(complete(seed));
    while (const Extracted *entry = pool.next()) {
      Selection from = entry->selection;
      expand(from);
      if (looked > options.maxLocal)
        break;
    }
  }
  result.best = pool.take(options.k);
  return result;
}

Extraction mlir::cleave::egraph::extract(const EGraph &graph,
                                         llvm::ArrayRef<ClassId> roots,
                                         CostModel &model,
                                         const ExtractOptions &options,
                                         llvm::ArrayRef<Selection> seeds) {
  return Extractor(graph, roots, model, options).run(seeds);
}
