//===- Cost.cpp - The lexicographic cost of a selection -------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cleave/Transforms/EGraph/Cost.h"
#include "llvm/ADT/STLExtras.h"

#include <array>
#include <set>

using namespace mlir::cleave::egraph;

uint64_t mlir::cleave::egraph::mixHash(uint64_t seed, uint64_t value) {
  uint64_t x = seed * 0x9e3779b97f4a7c15ull + value + 0x632be59bd9b4e019ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

CostTable::CostTable(const EGraph &graph, CostModel &model)
    : numWorkTerms(model.getNumWorkTerms()) {
  for (ClassId id : graph.getClassIds())
    for (const Node &node : graph.getClass(id).nodes)
      costs[id].push_back(model.getCost(graph, id, node));
}

std::optional<std::vector<ClassId>>
mlir::cleave::egraph::sortSelection(const EGraph &graph,
                                    llvm::ArrayRef<ClassId> roots,
                                    const Selection &selection) {
  enum State { Open, Done };
  std::map<ClassId, State> states;
  std::vector<ClassId> order;
  // A class is pushed once to be opened and stays until it is closed.
  std::vector<ClassId> stack;
  for (ClassId root : llvm::reverse(roots))
    stack.push_back(graph.find(root));
  while (!stack.empty()) {
    ClassId id = stack.back();
    auto [it, isNew] = states.try_emplace(id, Open);
    if (!isNew) {
      stack.pop_back();
      if (it->second == Open) {
        it->second = Done;
        order.push_back(id);
      }
      continue;
    }
    auto chosen = selection.find(id);
    if (chosen == selection.end())
      return std::nullopt;
    const Node &node = graph.getClass(id).nodes[chosen->second];
    for (ClassId child : llvm::reverse(node.children)) {
      auto state = states.find(child);
      if (state == states.end())
        stack.push_back(child);
      else if (state->second == Open)
        return std::nullopt;
    }
  }
  return order;
}

namespace {
/// What flows up the DAG while it is evaluated.
struct ClassState {
  std::array<uint16_t, AxisSet::kMaxAxes> levels = {};
  /// What a sweep on top of this class would read.
  std::set<uint32_t> storages;
  std::set<uint64_t> sweeps;
  uint64_t form = 0;
};

class DagEvaluator {
public:
  DagEvaluator(const EGraph &graph, const Selection &selection,
               const CostTable &table)
      : graph(graph), selection(selection), table(table) {}

  /// False if a node is refused.
  bool visit(ClassId id);
  Evaluation finish(llvm::ArrayRef<ClassId> roots);

private:
  void read(uint32_t storage, AxisSet axes, unsigned level) {
    reads.insert({storage, axes.getBits(), level});
  }
  void startSweep(ClassState &state, const NodeCost &cost);

  const EGraph &graph;
  const Selection &selection;
  const CostTable &table;
  std::map<ClassId, ClassState> states;
  std::set<std::tuple<uint32_t, uint64_t, unsigned>> reads;
  std::map<uint32_t, double> bytes;
  std::vector<uint64_t> skeleton;
  Cost work;
};
} // namespace

bool DagEvaluator::visit(ClassId id) {
  unsigned index = selection.at(id);
  const std::optional<NodeCost> &cost = table.get(id, index);
  if (!cost)
    return false;
  const Node &node = graph.getClass(id).nodes[index];
  ClassState &state = states[id];
  llvm::SmallVector<uint64_t, 4> forms;
  for (ClassId child : node.children) {
    const ClassState &below = states.at(graph.find(child));
    for (auto [level, other] : llvm::zip(state.levels, below.levels))
      level = std::max(level, other);
    state.storages.insert(below.storages.begin(), below.storages.end());
    state.sweeps.insert(below.sweeps.begin(), below.sweeps.end());
    forms.push_back(below.form);
  }
  if (graph.isMultiset(node.symbol))
    llvm::sort(forms);
  state.form = mixHash(cost->identity, forms.size());
  for (uint64_t form : forms)
    state.form = mixHash(state.form, form);
  if (cost->storage) {
    state.storages.insert(*cost->storage);
    bytes[*cost->storage] = cost->bytes;
  }
  if (!cost->sweeps.empty())
    startSweep(state, *cost);
  work.resize(table.getNumWorkTerms());
  for (auto [sum, term] : llvm::zip(work, cost->work))
    sum += term;
  return true;
}

void DagEvaluator::startSweep(ClassState &state, const NodeCost &cost) {
  unsigned level = 0;
  cost.sweeps.forEach([&](unsigned axis) { level += ++state.levels[axis]; });
  uint64_t hash = mixHash(cost.kind, cost.sweeps.getBits());
  for (uint32_t storage : state.storages) {
    read(storage, cost.sweeps, level);
    hash = mixHash(hash, storage);
  }
  hash = mixHash(hash, state.storages.size());
  for (uint64_t below : state.sweeps)
    hash = mixHash(hash, below);
  state.storages.clear();
  state.sweeps = {hash};
  skeleton.push_back(hash);
}

Evaluation DagEvaluator::finish(llvm::ArrayRef<ClassId> roots) {
  Evaluation result;
  std::array<uint16_t, AxisSet::kMaxAxes> levels = {};
  for (ClassId root : roots) {
    const ClassState &state = states.at(graph.find(root));
    for (auto [level, other] : llvm::zip(levels, state.levels))
      level = std::max(level, other);
    for (uint32_t storage : state.storages)
      read(storage, {}, 0);
    result.form = mixHash(result.form, state.form);
  }
  double sweeps = 0, traffic = 0;
  for (uint16_t level : levels)
    sweeps += level;
  for (const auto &[storage, axes, level] : reads)
    traffic += bytes[storage];
  result.cost = {sweeps, traffic};
  llvm::append_range(result.cost, work);
  llvm::sort(skeleton);
  for (uint64_t hash : skeleton)
    result.skeleton += std::to_string(hash) + ";";
  return result;
}

std::optional<Evaluation> mlir::cleave::egraph::evaluate(
    const EGraph &graph, llvm::ArrayRef<ClassId> roots,
    const Selection &selection, const CostTable &table) {
  auto order = sortSelection(graph, roots, selection);
  if (!order)
    return std::nullopt;
  DagEvaluator evaluator(graph, selection, table);
  for (ClassId id : *order)
    if (!evaluator.visit(id))
      return std::nullopt;
  return evaluator.finish(roots);
}
