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

/// A result is a copy in its storage order; whoever reads it has the value.
static NodeId getStoredValue(const Problem &problem, NodeId id) {
  const Node &node = problem[id];
  bool copy = isResult(problem, id) && node.kind == NodeKind::Pointwise &&
              node.op == Pointwise::Cast &&
              problem[node.operands[0]].element == node.element;
  return copy ? node.operands[0] : id;
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

/// The one of `stores` with the most axes.
static NodeId getWidest(const Problem &problem, const Stores &stores) {
  return *llvm::max_element(stores, [&](NodeId a, NodeId b) {
    return problem[a].axes.size() < problem[b].axes.size();
  });
}

bool schedule::canShareKernel(const Problem &problem, const Stores &stores) {
  const AxisSet &all = problem[getWidest(problem, stores)].axes;
  return llvm::all_of(stores, [&](NodeId id) {
    const AxisSet &axes = problem[id].axes;
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
      return problem[stores.front()].axes == problem[result.node].axes;
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
                                     std::set<NodeId> &seen) {
  if (!seen.insert(id).second)
    return std::nullopt;
  const Node &node = problem[id];
  if (node.kind == NodeKind::Argument && !node.storage.empty() &&
      contains(axes, node.storage.back()))
    return node.storage.back();
  for (NodeId operand : problem.getDependencies(id))
    if (std::optional<AxisId> axis = findRow(problem, operand, axes, seen))
      return axis;
  return std::nullopt;
}

/// Rows run along what rows of arguments run along; the rest is in order.
llvm::SmallVector<AxisId, 4> schedule::getStorage(const Problem &problem,
                                                  NodeId id) {
  for (const Result &result : problem.results)
    if (result.node == id)
      return result.storage;
  const Node &node = problem[id];
  llvm::SmallVector<AxisId, 4> storage(node.axes.begin(), node.axes.end());
  std::set<NodeId> seen;
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
class Extractor {
public:
  Extractor(const Problem &problem, llvm::ArrayRef<NodeId> known)
      : problem(problem) {
    kernel.axes = problem.axes;
    for (Axis &axis : kernel.axes)
      axis.unit = false;
    kernel.argumentNames = problem.argumentNames;
    kernel.argumentNames.resize(problem.argumentNames.size() + problem.size());
    for (NodeId id : known)
      stored[id] = stored[getStoredValue(problem, id)] = id;
  }

  void addResults(const Stores &stores);
  Problem kernel;

private:
  NodeId addStored(NodeId id);
  NodeId copy(NodeId id);
  void addUnits(const AxisSet &axes, llvm::ArrayRef<Cut> cuts);
  void copyFold(unsigned fold);

  const Problem &problem;
  /// By value, what holds it.
  std::map<NodeId, NodeId> stored;
  std::map<NodeId, NodeId> copies;
};
} // namespace

NodeId Extractor::addStored(NodeId id) {
  unsigned number = problem.argumentNames.size() + id;
  kernel.argumentNames[number] = getStoreName(problem, id);
  addUnits({}, getCuts(problem, id));
  return kernel.addArgument(number, problem[id].element,
                            getStorage(problem, id), getCuts(problem, id));
}

NodeId Extractor::copy(NodeId id) {
  if (auto it = copies.find(id); it != copies.end())
    return it->second;
  if (auto it = stored.find(id); it != stored.end())
    return copies[id] = addStored(it->second);
  Node node = problem[id];
  if (node.kind == NodeKind::FoldState) {
    copyFold(node.fold);
    return copies.at(id);
  }
  for (NodeId &operand : node.operands)
    operand = copy(operand);
  addUnits(node.axes, node.cuts);
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
  for (const FoldState &state : fold.states) {
    FoldState &mine = result.states.emplace_back(state);
    for (auto [from, to] : {std::pair(state.ref, &mine.ref),
                            {state.old, &mine.old},
                            {state.result, &mine.result}}) {
      Node node = problem[from];
      node.fold = copied;
      *to = kernel.add(std::move(node));
      // A state that an earlier kernel stored is read outside of the fold.
      if (!stored.count(from))
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

void Extractor::addResults(const Stores &stores) {
  for (NodeId id : stores) {
    addUnits({}, getCuts(problem, id));
    auto add = [&](NodeId node, const std::string &name) {
      kernel.results.push_back(
          {node, getStorage(problem, id), getCuts(problem, id)});
      kernel.resultNames.push_back(name);
    };
    NodeId value = copy(id);
    if (!isResult(problem, id)) {
      // A copy of its own, written in its storage order.
      Node node;
      node.kind = NodeKind::Pointwise;
      node.element = kernel[value].element;
      node.axes = kernel[value].axes;
      node.operands = {value};
      node.storage = getStorage(problem, id);
      add(kernel.add(std::move(node)), getStoreName(problem, id));
      continue;
    }
    for (auto [result, name] :
         llvm::zip_equal(problem.results, problem.resultNames))
      if (result.node == id)
        add(value, name);
  }
}

Problem schedule::extractKernel(const Problem &problem, const Stores &stores,
                                llvm::ArrayRef<NodeId> known) {
  Extractor extractor(problem, known);
  extractor.addResults(stores);
  return std::move(extractor.kernel);
}

//===----------------------------------------------------------------------===//
// Joining
//===----------------------------------------------------------------------===//

/// Whether `kernel` reads what `front` stores, at other positions of its axis
/// `axis` than its block's own.
static bool readsElsewhere(const Problem &whole, const ScheduledKernel &front,
                           const ScheduledKernel &kernel,
                           const AxisTile &range) {
  const Problem &problem = kernel.problem;
  if (!contains(getReducedAxes(problem), range.axis) ||
      problem.axes[range.axis].isCoveredBy(range.tile))
    return false;
  for (NodeId id = 0; id < problem.size(); ++id)
    if (problem[id].kind == NodeKind::Argument &&
        contains(problem[id].axes, range.axis) &&
        llvm::any_of(front.stores, [&](NodeId stored) {
          return problem[id].argument == whole.argumentNames.size() + stored;
        }))
      return true;
  return false;
}

/// The tile of the axis that is called `name`, or 0.
static int64_t getTileOf(const ScheduledKernel &kernel, llvm::StringRef name) {
  int axis = kernel.problem.findAxis(name);
  return axis < 0 ? 0 : getTile(kernel.schedule.grid, axis);
}

llvm::Error schedule::checkJoin(const Problem &whole,
                                const ScheduledKernel &front,
                                const ScheduledKernel &kernel) {
  auto fail = [&](const llvm::Twine &reason) {
    return llvm::createStringError("cannot join: " + reason);
  };
  if (front.schedule.join)
    return fail("the kernel in front joins another one");
  if (front.schedule.warps != kernel.schedule.warps)
    return fail("expected " + llvm::Twine(front.schedule.warps) +
                " warps, as the kernel in front has, but got " +
                llvm::Twine(kernel.schedule.warps));
  for (const AxisTile &range : kernel.schedule.grid) {
    const std::string &name = kernel.problem.axes[range.axis].name;
    int64_t tile = getTileOf(front, name);
    if (!tile)
      return fail("the kernel in front has no axis '" + name + "' in its grid");
    if (tile != range.tile)
      return fail("expected a tile of " + llvm::Twine(tile) + " for axis '" +
                  name + "', as the kernel in front has, but got " +
                  llvm::Twine(range.tile));
    if (readsElsewhere(whole, front, kernel, range))
      return fail("other blocks store what is reduced over axis '" + name +
                  "'");
  }
  for (const AxisTile &range : front.schedule.grid) {
    const Axis &axis = front.problem.axes[range.axis];
    if (!getTileOf(kernel, axis.name) && axis.extent < 1 &&
        !front.problem.countsParts(range.axis))
      return fail("axis '" + axis.name +
                  "' of the kernel in front may be empty");
  }
  return llvm::Error::success();
}
