//===- DenseGraph.cpp - An e-graph laid out for extraction ----------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DenseGraph.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <set>

using namespace mlir::cleave::egraph;

DenseGraph::DenseGraph(const EGraph &graph, llvm::ArrayRef<ClassId> roots,
                       const CostTable &table)
    : model(table.getModel()) {
  auto getPosition = [&](ClassId id) {
    id = graph.find(id);
    auto [it, isNew] = positions.try_emplace(id, ids.size());
    if (isNew)
      ids.push_back(id);
    return it->second;
  };
  for (ClassId root : roots)
    this->roots.push_back(getPosition(root));
  for (uint32_t next = 0; next < ids.size(); ++next) {
    ClassId id = ids[next];
    std::vector<DenseNode> nodes;
    for (auto [index, node] : llvm::enumerate(graph.getClass(id).nodes)) {
      const std::optional<NodeCost> &cost = table.get(id, index);
      if (!cost || llvm::is_contained(node.children, id))
        continue;
      DenseNode dense{
          &*cost, {}, unsigned(index), graph.isUnordered(node.symbol)};
      for (ClassId child : node.children)
        dense.children.push_back(getPosition(child));
      cost->sweeps.forEach(
          [&](unsigned axis) { numAxes = std::max(numAxes, axis + 1); });
      nodes.push_back(std::move(dense));
    }
    classes.push_back(std::move(nodes));
  }
}

Choice DenseGraph::fromSelection(const Selection &selection) const {
  Choice choice(size(), -1);
  for (auto [id, index] : selection) {
    auto it = positions.find(id);
    if (it == positions.end())
      continue;
    for (auto [number, node] : llvm::enumerate(classes[it->second]))
      if (node.index == index)
        choice[it->second] = number;
  }
  return choice;
}

Selection DenseGraph::toSelection(const Choice &choice) const {
  Selection selection;
  if (auto order = sort(choice))
    for (uint32_t id : *order)
      selection[ids[id]] = getNode(choice, id).index;
  return selection;
}

std::optional<std::vector<uint32_t>>
DenseGraph::sort(const Choice &choice) const {
  enum State : uint8_t { New, Open, Done };
  std::vector<State> states(size(), New);
  std::vector<uint32_t> order;
  // A class is pushed once to be opened and stays until it is closed.
  std::vector<uint32_t> stack(roots.rbegin(), roots.rend());
  while (!stack.empty()) {
    uint32_t id = stack.back();
    if (states[id] != New) {
      stack.pop_back();
      if (states[id] == Open) {
        states[id] = Done;
        order.push_back(id);
      }
      continue;
    }
    states[id] = Open;
    if (choice[id] < 0)
      return std::nullopt;
    for (uint32_t child : llvm::reverse(getNode(choice, id).children)) {
      if (states[child] == New)
        stack.push_back(child);
      else if (states[child] == Open)
        return std::nullopt;
    }
  }
  return order;
}

namespace {

/// A storage that is read on some path.
struct Read {
  uint32_t storage;
  /// The longest axis swept so far, and the first and last level at which that
  /// sweep can be; 0 for none.
  uint8_t axis = 0;
  uint8_t first = 0;
  uint16_t last = 0;
  /// Axes that the storage had and that are not swept yet.
  uint64_t left;

  Read(uint32_t storage, AxisSet left)
      : storage(storage), left(left.getBits()) {}

  /// Reads that differ in `left` only are beside each other.
  std::pair<uint64_t, uint64_t> getKey() const {
    return {uint64_t(storage) << 32 | uint64_t(axis) << 24 |
                uint64_t(first) << 16 | last,
            left};
  }
  bool operator<(const Read &o) const { return getKey() < o.getKey(); }
  bool operator==(const Read &o) const { return getKey() == o.getKey(); }
};

struct ClassState {
  llvm::SmallVector<Read, 4> reads;
  /// What a sweep on top of this class would read first, and the sweeps below
  /// it; in order.
  llvm::SmallVector<uint32_t, 4> storages;
  llvm::SmallVector<uint64_t, 4> sweeps;
  uint64_t form = 0;
};

class DagEvaluator {
public:
  DagEvaluator(const DenseGraph &graph, const Choice &choice)
      : graph(graph), choice(choice), states(graph.size()),
        levels(graph.size() * graph.getNumAxes()),
        limits(graph.size() * graph.getNumAxes(), ~uint16_t(0)),
        highest(graph.getNumAxes()), work(graph.getModel().getNumWorkTerms()) {}

  Evaluation run(llvm::ArrayRef<uint32_t> order);

private:
  void computeLevels(uint32_t id);
  void computeLimits(uint32_t id);
  void visit(uint32_t id);
  void startSweep(uint32_t id, const NodeCost &cost);
  void sweepReads(uint32_t id, const NodeCost &cost);
  uint16_t *getLevels(uint32_t id) {
    return levels.data() + id * graph.getNumAxes();
  }
  void raiseLevels(uint16_t *to, uint32_t from) {
    for (unsigned axis = 0; axis < graph.getNumAxes(); ++axis)
      to[axis] = std::max(to[axis], getLevels(from)[axis]);
  }
  uint16_t *getLimits(uint32_t id) {
    return limits.data() + id * graph.getNumAxes();
  }
  double countTraffic() const;

  const DenseGraph &graph;
  const Choice &choice;
  std::vector<ClassState> states;
  /// The level of the last sweep below a class, for each axis, and that at
  /// which it must be at the latest.
  std::vector<uint16_t> levels, limits;
  std::vector<uint16_t> highest;
  std::map<uint32_t, double> bytes;
  std::vector<uint64_t> skeleton;
  Cost work;
};

} // namespace

/// Both are in order and without repetition.
template <typename T>
static void addAll(llvm::SmallVectorImpl<T> &to, llvm::ArrayRef<T> from) {
  if (to.empty()) {
    to.assign(from.begin(), from.end());
    return;
  }
  size_t middle = to.size();
  to.append(from.begin(), from.end());
  std::inplace_merge(to.begin(), to.begin() + middle, to.end());
  to.erase(std::unique(to.begin(), to.end()), to.end());
}

void DagEvaluator::computeLevels(uint32_t id) {
  const DenseNode &node = graph.getNode(choice, id);
  for (uint32_t child : node.children)
    raiseLevels(getLevels(id), child);
  node.cost->sweeps.forEach([&](unsigned axis) { ++getLevels(id)[axis]; });
}

/// Of the children, the class's own being known.
void DagEvaluator::computeLimits(uint32_t id) {
  const DenseNode &node = graph.getNode(choice, id);
  for (uint32_t child : node.children)
    for (unsigned axis = 0; axis < graph.getNumAxes(); ++axis) {
      uint16_t limit = getLimits(id)[axis] - node.cost->sweeps.contains(axis);
      getLimits(child)[axis] = std::min(getLimits(child)[axis], limit);
    }
}

void DagEvaluator::visit(uint32_t id) {
  const DenseNode &node = graph.getNode(choice, id);
  ClassState &state = states[id];
  llvm::SmallVector<uint64_t, 4> forms;
  for (uint32_t child : node.children) {
    const ClassState &below = states[child];
    addAll<Read>(state.reads, below.reads);
    addAll<uint32_t>(state.storages, below.storages);
    addAll<uint64_t>(state.sweeps, below.sweeps);
    forms.push_back(below.form);
  }
  if (node.isUnordered)
    llvm::sort(forms);
  state.form = mixHash(node.cost->identity, forms.size());
  for (uint64_t form : forms)
    state.form = mixHash(state.form, form);
  if (node.cost->storage) {
    state.reads = {Read(*node.cost->storage, node.cost->storageAxes)};
    state.storages = {*node.cost->storage};
    bytes[*node.cost->storage] = node.cost->bytes;
  }
  if (!node.cost->sweeps.empty())
    startSweep(id, *node.cost);
  if (!node.cost->sweeps.empty() || !node.cost->renamed.empty())
    sweepReads(id, *node.cost);
  for (auto [sum, term] : llvm::zip(work, node.cost->work))
    sum += term;
}

void DagEvaluator::startSweep(uint32_t id, const NodeCost &cost) {
  ClassState &state = states[id];
  uint64_t hash = mixHash(cost.kind, cost.sweeps.getBits());
  for (uint32_t storage : state.storages)
    hash = mixHash(hash, storage);
  hash = mixHash(hash, state.storages.size());
  for (uint64_t below : state.sweeps)
    hash = mixHash(hash, below);
  state.storages.clear();
  state.sweeps = {hash};
  skeleton.push_back(hash);
}

/// Notes on what is read below which of its axes are swept here.
void DagEvaluator::sweepReads(uint32_t id, const NodeCost &cost) {
  const CostModel &model = graph.getModel();
  llvm::SmallVector<Read, 4> below = std::move(states[id].reads);
  states[id].reads.clear();
  for (Read read : below) {
    for (auto [from, to] : cost.renamed)
      if (AxisSet left = AxisSet::fromBits(read.left); left.intersects(from))
        read.left = ((left - from) | to).getBits();
    AxisSet swept = AxisSet::fromBits(read.left) & cost.sweeps;
    swept.forEach([&](unsigned axis) {
      if (read.first != 0 &&
          model.getExtent(axis) <= model.getExtent(read.axis))
        return;
      read.axis = axis;
      read.first = getLevels(id)[axis];
      read.last = getLimits(id)[axis];
    });
    read.left &= ~swept.getBits();
    states[id].reads.push_back(read);
  }
  llvm::sort(states[id].reads);
  states[id].reads.erase(
      std::unique(states[id].reads.begin(), states[id].reads.end()),
      states[id].reads.end());
}

/// As few passes over each storage as its reads can share.
double DagEvaluator::countTraffic() const {
  std::map<std::pair<uint32_t, unsigned>,
           std::set<std::pair<unsigned, unsigned>>>
      passes;
  for (uint32_t root : graph.getRoots())
    for (const Read &read : states[root].reads)
      passes[{read.storage, read.axis}].insert({read.last, read.first});
  double traffic = 0;
  for (const auto &[key, intervals] : passes) {
    std::optional<unsigned> pass;
    for (auto [last, first] : intervals) {
      if (pass && first <= *pass)
        continue;
      pass = last;
      traffic += bytes.at(key.first);
    }
  }
  return traffic;
}

Evaluation DagEvaluator::run(llvm::ArrayRef<uint32_t> order) {
  for (uint32_t id : order)
    computeLevels(id);
  for (uint32_t root : graph.getRoots())
    raiseLevels(highest.data(), root);
  for (uint32_t root : graph.getRoots())
    std::copy(highest.begin(), highest.end(), getLimits(root));
  for (uint32_t id : llvm::reverse(order))
    computeLimits(id);
  for (uint32_t id : order)
    visit(id);

  Evaluation result;
  for (uint32_t root : graph.getRoots())
    result.form = mixHash(result.form, states[root].form);
  double sweeps = 0;
  for (uint16_t level : highest)
    sweeps += level;
  result.cost = {sweeps, countTraffic()};
  llvm::append_range(result.cost, work);
  result.weight = graph.getModel().weigh(result.cost);
  llvm::sort(skeleton);
  for (uint64_t hash : skeleton)
    result.skeleton = mixHash(result.skeleton, hash);
  return result;
}

std::optional<Evaluation> DenseGraph::evaluate(const Choice &choice) const {
  auto order = sort(choice);
  if (!order)
    return std::nullopt;
  return DagEvaluator(*this, choice).run(*order);
}

std::optional<Evaluation> mlir::cleave::egraph::evaluate(
    const EGraph &graph, llvm::ArrayRef<ClassId> roots,
    const Selection &selection, const CostTable &table) {
  DenseGraph dense(graph, roots, table);
  return dense.evaluate(dense.fromSelection(selection));
}
