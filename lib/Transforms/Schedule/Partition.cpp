//===- Partition.cpp - Which kernels compute a graph ----------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What may be stored, by which name, and the graph of one kernel.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Transforms/Schedule/Partition.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <set>

using namespace mlir::cleave;
using namespace mlir::cleave::schedule;

bool schedule::isResult(const Problem &problem, NodeId id) {
  return llvm::any_of(problem.results,
                      [&](const Result &result) { return result.node == id; });
}

/// A result is a copy in its storage order.
static bool isCopy(const Problem &problem, NodeId id) {
  const Node &node = problem[id];
  return isResult(problem, id) && node.kind == NodeKind::Pointwise &&
         node.op == Pointwise::Cast &&
         problem[node.operands[0]].element == node.element;
}

/// Whoever reads a result has its value.
static NodeId getStoredValue(const Problem &problem, NodeId id) {
  return isCopy(problem, id) ? problem[id].operands[0] : id;
}

bool schedule::canStore(const Problem &problem, NodeId id) {
  const Node &node = problem[id];
  if (isResult(problem, id))
    return true;
  bool computed = node.kind == NodeKind::Pointwise || node.isReduction() ||
                  node.kind == NodeKind::FoldState;
  // A truth value has no storage, and results hold their values already.
  // Parts may be short, which memory has no shape for.
  computed &= llvm::none_of(node.axes, [&](AxisId axis) {
    return problem.axes[axis].part.has_value();
  });
  return computed && node.element != Element::I1 && !problem.isScalar(id) &&
         problem.getFoldLeaves(id).empty() &&
         llvm::none_of(problem.results, [&](const Result &result) {
           return getStoredValue(problem, result.node) == id;
         });
}

AxisSet schedule::getWrittenAxes(const Problem &problem, NodeId id) {
  auto update = problem.updates.find(id);
  return problem[update == problem.updates.end() ? id : update->second.source]
      .axes;
}

static bool writeSameRows(const Problem &problem, const Stores &stores) {
  auto getPlace = [&](NodeId id) -> const Place * {
    auto update = problem.updates.find(id);
    return update == problem.updates.end() ? nullptr : &update->second.place;
  };
  const Place *first = getPlace(stores.front());
  return llvm::all_of(stores, [&](NodeId id) {
    const Place *place = getPlace(id);
    return first && place ? first->sameRows(*place) : first == place;
  });
}

bool schedule::canShareKernel(const Problem &problem, const Stores &stores) {
  AxisSet all;
  for (NodeId id : stores)
    if (AxisSet axes = getWrittenAxes(problem, id); axes.size() > all.size())
      all = axes;
  return writeSameRows(problem, stores) && llvm::all_of(stores, [&](NodeId id) {
           AxisSet axes = getWrittenAxes(problem, id);
           return subtract(axes, all).empty() &&
                  llvm::all_of(subtract(all, axes), [&](AxisId axis) {
                    return problem.axes[axis].extent > 0;
                  });
         });
}

Partition schedule::getFusedPartition(const Problem &problem) {
  Partition partition;
  for (const Result &result : problem.results) {
    auto it = llvm::find_if(partition, [&](const Stores &stores) {
      return getWrittenAxes(problem, stores.front()) ==
                 getWrittenAxes(problem, result.node) &&
             writeSameRows(problem, {stores.front(), result.node});
    });
    if (it == partition.end())
      partition.push_back({result.node});
    else if (!llvm::is_contained(*it, result.node))
      it->push_back(result.node);
  }
  return partition;
}

llvm::Error schedule::checkPartition(const Problem &problem,
                                     const Partition &partition) {
  std::set<NodeId> stored;
  for (const Stores &stores : partition) {
    for (NodeId id : stores)
      if (!stored.insert(id).second)
        return llvm::createStringError("expected '" +
                                       getStoreName(problem, id) +
                                       "' in one 'store' but got two");
    if (!canShareKernel(problem, stores))
      return llvm::createStringError(
          "expected the values that one kernel stores to have the axes of one "
          "of them, and what others lack to be static but got '" +
          llvm::join(
              llvm::map_range(
                  stores, [&](NodeId id) { return getStoreName(problem, id); }),
              "', '") +
          "'");
  }
  for (auto [number, result] : llvm::enumerate(problem.results))
    if (!stored.count(result.node))
      return llvm::createStringError("expected a kernel that stores 'result" +
                                     llvm::Twine(number) + "'");
  return llvm::Error::success();
}

std::string schedule::getStoreName(const Problem &problem, NodeId id) {
  for (auto [number, result] : llvm::enumerate(problem.results))
    if (result.node == id)
      return "result" + std::to_string(number);
  auto it = problem.nodeNames.find(id);
  return it == problem.nodeNames.end() ? "n" + std::to_string(id) : it->second;
}

std::optional<NodeId> schedule::findStore(const Problem &problem,
                                          llvm::StringRef name) {
  for (NodeId id = 0; id < problem.size(); ++id)
    if (canStore(problem, id) && getStoreName(problem, id) == name)
      return id;
  // Several results may be one value.
  for (auto [number, result] : llvm::enumerate(problem.results))
    if (name == "result" + std::to_string(number))
      return result.node;
  return std::nullopt;
}

/// The axis along which the first argument that `id` is computed from and that
/// shares one with `axes` has its rows.
static std::optional<AxisId> findRow(const Problem &problem, NodeId id,
                                     const AxisSet &axes,
                                     std::vector<bool> &seen) {
  if (seen[id])
    return std::nullopt;
  seen[id] = true;
  const Node &node = problem[id];
  if (node.kind == NodeKind::Argument && !node.storage.empty() &&
      contains(axes, node.storage.back()))
    return node.storage.back();
  for (NodeId operand : problem.getDependencies(id))
    if (std::optional<AxisId> axis = findRow(problem, operand, axes, seen))
      return axis;
  return std::nullopt;
}

/// A dimension that two axes make up becomes two; `dims` are those of memory.
static void expandDimensions(llvm::SmallVectorImpl<AxisId> &storage,
                             llvm::SmallVectorImpl<Cut> &cuts,
                             Dimensions &dims) {
  if (llvm::none_of(cuts, [](const Cut &cut) { return cut.full; }))
    return;
  llvm::SmallVector<AxisId, 4> axes;
  llvm::SmallVector<Cut, 4> expanded;
  const AxisId *axis = storage.begin();
  for (const Cut &cut : cuts) {
    dims.emplace_back();
    if (cut.full) {
      dims.back() = {cut.outer, *axis};
      axes.push_back(cut.outer);
      expanded.append(2, Cut());
    } else {
      if (cut.kept)
        dims.back() = {*axis};
      expanded.push_back(cut);
    }
    if (cut.kept)
      axes.push_back(*axis++);
  }
  storage.assign(axes.begin(), axes.end());
  cuts.assign(expanded.begin(), expanded.end());
}

/// Whether `outer` is before `inner` in some tensor in memory.
static bool isOuter(const Problem &problem, AxisId outer, AxisId inner) {
  auto check = [&](llvm::ArrayRef<AxisId> storage, llvm::ArrayRef<Cut> cuts) {
    Dimensions dims;
    llvm::SmallVector<AxisId, 4> order(storage.begin(), storage.end());
    llvm::SmallVector<Cut, 4> expanded(cuts.begin(), cuts.end());
    expandDimensions(order, expanded, dims);
    auto *first = llvm::find(order, outer);
    return first != order.end() &&
           std::find(first, order.end(), inner) != order.end();
  };
  for (const Result &result : problem.results)
    if (check(result.storage, result.cuts))
      return true;
  for (NodeId id = 0; id < problem.size(); ++id)
    if (problem[id].kind == NodeKind::Argument &&
        check(problem[id].storage, problem[id].cuts))
      return true;
  return false;
}

/// The axes of `id` that the first contraction sums over whose operand it is,
/// or is computed from by operations on elements.
static AxisSet findContracted(const Problem &problem, NodeId id) {
  std::set<NodeId> same{id};
  auto getSummed = [&](NodeId lhs, NodeId rhs, const AxisSet &over) {
    AxisSet axes;
    if (same.count(lhs) || same.count(rhs))
      for (AxisId axis : over)
        if (contains(problem[id].axes, axis))
          axes.push_back(axis);
    return axes;
  };
  for (NodeId user = id + 1; user < problem.size(); ++user) {
    const Node &node = problem[user];
    if (node.kind == NodeKind::Pointwise &&
        llvm::any_of(node.operands,
                     [&](NodeId operand) { return same.count(operand); }))
      same.insert(user);
    AxisSet axes;
    if (node.kind == NodeKind::Contract)
      axes = getSummed(node.operands[0], node.operands[1], node.reduced);
    if (node.kind == NodeKind::FoldState) {
      const FoldState &state = problem.folds[node.fold].states[node.state];
      if (state.contraction)
        axes = getSummed(state.body[0], state.body[1],
                         problem.folds[node.fold].axes);
    }
    if (!axes.empty())
      return axes;
  }
  return {};
}

/// Rows run along what a reader sums, as it lies in memory elsewhere, or along
/// what rows of arguments run along; the rest is in order.
llvm::SmallVector<AxisId, 4> schedule::getStorage(const Problem &problem,
                                                  NodeId id) {
  for (const Result &result : problem.results)
    if (result.node == id)
      return result.storage;
  const Node &node = problem[id];
  AxisSet contracted = findContracted(problem, id);
  if (!contracted.empty()) {
    llvm::SmallVector<AxisId, 4> storage = subtract(node.axes, contracted);
    size_t begin = storage.size();
    for (AxisId axis : contracted) {
      auto *place = storage.begin() + begin;
      while (place != storage.end() && !isOuter(problem, axis, *place))
        ++place;
      storage.insert(place, axis);
    }
    return storage;
  }
  llvm::SmallVector<AxisId, 4> storage(node.axes.begin(), node.axes.end());
  std::vector<bool> seen(problem.size());
  if (std::optional<AxisId> row = findRow(problem, id, node.axes, seen)) {
    llvm::erase(storage, *row);
    storage.push_back(*row);
  }
  return storage;
}

/// How the dimensions of what is stored are read and written.
static llvm::SmallVector<Cut, 4> getCuts(const Problem &problem, NodeId id) {
  for (const Result &result : problem.results)
    if (result.node == id)
      return result.cuts;
  return {};
}

//===----------------------------------------------------------------------===//
// Extraction
//===----------------------------------------------------------------------===//

namespace {
/// Goes down from what a kernel stores to what it reads.
class Finder {
public:
  Finder(const Problem &problem, llvm::ArrayRef<NodeId> known)
      : problem(problem) {
    for (NodeId id : known)
      stored[id] = stored[getStoredValue(problem, id)] = id;
  }

  void visit(const Stores &stores);

  /// By value, what holds it.
  std::map<NodeId, NodeId> stored;
  /// The states of each fold that the kernel needs: those that values are
  /// computed from, and those that these refer to.
  std::map<unsigned, std::set<unsigned>> states;
  KernelReads reads;

private:
  void visit(NodeId id);

  const Problem &problem;
  std::set<NodeId> seen;
};

class Extractor {
public:
  Extractor(const Problem &problem, llvm::ArrayRef<NodeId> known)
      : problem(problem), finder(problem, known) {
    kernel.axes = problem.axes;
    for (Axis &axis : kernel.axes)
      axis.unit = false;
    kernel.argumentNames = problem.argumentNames;
    kernel.argumentNames.resize(problem.argumentNames.size() + problem.size());
  }

  void addResults(const Stores &stores);
  Problem kernel;

private:
  NodeId addStored(NodeId id);
  NodeId addArgument(unsigned number, Element element,
                     llvm::SmallVector<AxisId, 4> storage,
                     llvm::SmallVector<Cut, 4> cuts);
  void addResult(Result result, NodeId value, llvm::StringRef name);
  NodeId copy(NodeId id);
  void addUnits(const AxisSet &axes, llvm::ArrayRef<Cut> cuts);
  void copyFold(unsigned fold);
  void addUpdate(NodeId id, const Update &update);

  const Problem &problem;
  Finder finder;
  std::map<NodeId, NodeId> copies;
};
} // namespace

void Finder::visit(NodeId id) {
  if (!seen.insert(id).second)
    return;
  if (auto it = stored.find(id); it != stored.end()) {
    reads.stored.insert(it->second);
    return;
  }
  const Node &node = problem[id];
  if (node.kind == NodeKind::Argument)
    reads.arguments.insert(node.argument);
  bool isState = node.kind == NodeKind::FoldState ||
                 node.kind == NodeKind::FoldRef ||
                 node.kind == NodeKind::FoldOld;
  if (isState && states[node.fold].insert(node.state).second) {
    const FoldState &state = problem.folds[node.fold].states[node.state];
    for (NodeId body : state.body)
      visit(body);
    visit(state.rebased);
  }
  for (NodeId operand : node.operands)
    visit(operand);
}

void Finder::visit(const Stores &stores) {
  for (NodeId id : stores) {
    auto update = problem.updates.find(id);
    visit(update != problem.updates.end() ? update->second.source : id);
  }
}

KernelReads schedule::findReads(const Problem &problem, const Stores &stores,
                                llvm::ArrayRef<NodeId> known) {
  Finder finder(problem, known);
  finder.visit(stores);
  return std::move(finder.reads);
}

NodeId Extractor::addStored(NodeId id) {
  unsigned number = problem.argumentNames.size() + id;
  kernel.argumentNames[number] = getStoreName(problem, id);
  return addArgument(number, problem[id].element, getStorage(problem, id),
                     getCuts(problem, id));
}

NodeId Extractor::addArgument(unsigned number, Element element,
                              llvm::SmallVector<AxisId, 4> storage,
                              llvm::SmallVector<Cut, 4> cuts) {
  Dimensions dims;
  expandDimensions(storage, cuts, dims);
  addUnits({}, cuts);
  return kernel.addArgument(number, element, storage, cuts, std::move(dims));
}

NodeId Extractor::copy(NodeId id) {
  if (auto it = copies.find(id); it != copies.end())
    return it->second;
  if (auto it = finder.stored.find(id); it != finder.stored.end())
    return copies[id] = addStored(it->second);
  Node node = problem[id];
  if (node.kind == NodeKind::FoldState) {
    copyFold(node.fold);
    return copies.at(id);
  }
  if (node.kind == NodeKind::Argument)
    return copies[id] = addArgument(node.argument, node.element, node.storage,
                                    node.cuts);
  for (NodeId &operand : node.operands)
    operand = copy(operand);
  addUnits(node.axes, {});
  return copies[id] = kernel.add(std::move(node));
}

/// Marks the axes that have tiles of one position in this kernel.
void Extractor::addUnits(const AxisSet &axes, llvm::ArrayRef<Cut> cuts) {
  for (const Cut &cut : cuts)
    if (cut.stride)
      kernel.axes[cut.outer].unit = true;
  for (AxisId axis : axes)
    if (const std::optional<PartOf> &part = kernel.axes[axis].part)
      kernel.axes[part->outer].unit = true;
}

void Extractor::copyFold(unsigned number) {
  const Fold &fold = problem.folds[number];
  unsigned copied = kernel.folds.size();
  kernel.folds.emplace_back();
  Fold result;
  result.axes = fold.axes;
  for (unsigned index : finder.states[number]) {
    const FoldState &state = fold.states[index];
    FoldState &mine = result.states.emplace_back(state);
    for (auto [from, to] : {std::pair(state.ref, &mine.ref),
                            {state.old, &mine.old},
                            {state.result, &mine.result}}) {
      Node node = problem[from];
      node.fold = copied;
      node.state = result.states.size() - 1;
      *to = kernel.add(std::move(node));
      // A state that an earlier kernel stored is read outside of the fold.
      if (!finder.stored.count(from))
        copies[from] = *to;
    }
  }
  for (FoldState &state : result.states) {
    for (NodeId &body : state.body)
      body = copy(body);
    state.rebased = copy(state.rebased);
  }
  kernel.folds[copied] = std::move(result);
}

/// A copy of its own, written in the result's storage order.
void Extractor::addResult(Result result, NodeId value, llvm::StringRef name) {
  expandDimensions(result.storage, result.cuts, result.dims);
  addUnits({}, result.cuts);
  Node copy;
  copy.kind = NodeKind::Pointwise;
  copy.element = kernel[value].element;
  copy.axes = kernel[value].axes;
  copy.operands = {value};
  copy.storage = result.storage;
  result.node = kernel.add(std::move(copy));
  kernel.results.push_back(std::move(result));
  kernel.resultNames.push_back(name.str());
}

/// The new positions alone.
void Extractor::addUpdate(NodeId id, const Update &update) {
  const Place &place = update.place;
  for (auto [result, name] :
       llvm::zip_equal(problem.results, problem.resultNames)) {
    if (result.node != id)
      continue;
    Result written{0, result.storage, result.cuts, {}, place};
    llvm::replace(written.storage, place.along, place.axis);
    addResult(std::move(written), copy(update.source), name);
  }
  kernel.axes[place.axis].clipped = true;
  for (AxisId axis : place.positionAxes)
    kernel.axes[axis].unit = true;
}

void Extractor::addResults(const Stores &stores) {
  finder.visit(stores);
  for (NodeId id : stores) {
    if (auto update = problem.updates.find(id);
        update != problem.updates.end()) {
      addUpdate(id, update->second);
      continue;
    }
    if (!isResult(problem, id)) {
      addResult({0, getStorage(problem, id), {}, {}, {}}, copy(id),
                getStoreName(problem, id));
      continue;
    }
    // The value itself is copied anew, in the storage order of each.
    NodeId value = copy(isCopy(problem, id) ? problem[id].operands[0] : id);
    for (auto [result, name] :
         llvm::zip_equal(problem.results, problem.resultNames))
      if (result.node == id)
        addResult({0, result.storage, result.cuts, {}, {}}, value, name);
  }
}

Problem schedule::extractKernel(const Problem &problem, const Stores &stores,
                                llvm::ArrayRef<NodeId> known) {
  Extractor extractor(problem, known);
  extractor.addResults(stores);
  return std::move(extractor.kernel);
}
