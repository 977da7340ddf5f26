//===- RandomSchedule.cpp - Legal schedules nobody chose ------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Draws fields until the scheduler's own checks accept them. Where a choice of
// stored values has no loop nest, others are tried: all results alone, most
// values.
//
//===----------------------------------------------------------------------===//

#include "RandomSchedule.h"

#include "Cleave/Dialect/CleaveDialect.h"
#include "Cleave/Transforms/Schedule/LoopNest.h"
#include "Cleave/Transforms/Schedule/Partition.h"
#include "Cleave/Transforms/Schedule/Products.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::cleave;
using namespace mlir::cleave::schedule;

namespace {

class RandomSchedule {
public:
  RandomSchedule(func::FuncOp function, std::mt19937 &random)
      : function(function), random(random) {}

  FailureOr<ScheduledGraph> run();

private:
  unsigned below(unsigned bound) { return (random() >> 8) % bound; }
  template <typename List> void shuffle(List &list) {
    for (size_t i = list.size(); i > 1; --i)
      std::swap(list[i - 1], list[below(i)]);
  }
  LogicalResult chooseRegion();
  bool findRegion();
  Partition choosePartition(unsigned storeOneIn);
  bool chooseKernels(const Partition &partition);
  static void shareLaunch(ScheduledKernel &kernel, const ScheduledKernel &front,
                          bool join);
  void chooseLaunches();
  bool chooseFields(ScheduledKernel &kernel);
  bool accept(llvm::Error error);
  template <typename Axes> SmallVector<AxisTile, 4> chooseTiles(Axes axes);

  func::FuncOp function;
  std::mt19937 &random;
  ScheduledGraph graph;
  /// Why the last try was none.
  std::string refusal;
};

} // namespace

bool RandomSchedule::accept(llvm::Error error) {
  if (!error)
    return true;
  refusal = llvm::toString(std::move(error));
  return false;
}

/// A region and numbers of parts; fails where scheduling does not support it.
LogicalResult RandomSchedule::chooseRegion() {
  FailureOr<AxisTable> axes = AxisTable::get(function);
  FailureOr<AlternativesOp> alternatives = getAlternatives(function);
  if (failed(axes) || failed(alternatives))
    return failure();
  size_t regions = *alternatives ? (*alternatives).getAlternatives().size() : 1;
  graph.region = below(regions);
  constexpr int64_t kParts[] = {1, 2, 3, 4, 7};
  for (const auto &[name, info] : axes->axes())
    if (info.kind == AxisKind::Bound)
      graph.splits[name] = kParts[below(std::size(kParts))];
  FailureOr<Problem> problem = buildProblem(function, graph.region, *axes,
                                            axes->representative(graph.splits));
  if (failed(problem))
    return failure();
  graph.problem = std::move(*problem);
  return success();
}

/// All results and some other values, each in a kernel of its own or together
/// with others.
Partition RandomSchedule::choosePartition(unsigned storeOneIn) {
  const Problem &problem = graph.problem;
  Partition partition;
  for (NodeId id = 0; id < problem.size(); ++id)
    if (isResult(problem, id) ||
        (storeOneIn && below(storeOneIn) == 0 && canStore(problem, id)))
      partition.push_back({id});
  if (below(4) == 0)
    shuffle(partition);
  for (size_t i = 0; i < partition.size(); ++i)
    for (size_t j = i + 1; j < partition.size(); ++j) {
      Stores both = partition[i];
      llvm::append_range(both, partition[j]);
      if (below(2) == 0 || !canShareKernel(problem, both))
        continue;
      partition[i] = both;
      partition.erase(partition.begin() + j--);
    }
  return partition;
}

template <typename Axes>
SmallVector<AxisTile, 4> RandomSchedule::chooseTiles(Axes axes) {
  shuffle(axes);
  SmallVector<AxisTile, 4> tiles;
  for (AxisId axis : axes)
    tiles.push_back({axis, int64_t(1) << below(8)});
  return tiles;
}

bool RandomSchedule::chooseFields(ScheduledKernel &kernel) {
  for (unsigned tries = 0; tries < 200; ++tries) {
    Schedule &fields = kernel.schedule;
    fields.grid = chooseTiles(getResultAxes(kernel.problem));
    fields.loop = chooseTiles(getReducedAxes(kernel.problem));
    for (auto *tiles : {&fields.grid, &fields.loop})
      for (AxisTile &range : *tiles)
        if (kernel.problem.axes[range.axis].unit)
          range.tile = 1;
    fields.warps = int64_t(1) << below(6);
    fields.stages = 1 + below(6);
    if (accept(checkSchedule(kernel.problem, fields)))
      return accept(planLoopNest(kernel.problem, fields).takeError());
  }
  return false;
}

/// The kernel joins the one in front, whose tiles it takes, or runs beside it.
void RandomSchedule::shareLaunch(ScheduledKernel &kernel,
                                 const ScheduledKernel &front, bool join) {
  kernel.join = join;
  kernel.beside = !join;
  kernel.schedule.warps = front.schedule.warps;
  if (!join)
    return;
  for (AxisTile &range : kernel.schedule.grid)
    if (auto dim = findInGrid(front, kernel.problem, range.axis))
      range.tile = front.schedule.grid[*dim].tile;
}

/// Kernels share the launches of those in front of them, half of those that
/// could.
void RandomSchedule::chooseLaunches() {
  for (size_t number = 1; number < graph.kernels.size(); ++number) {
    ScheduledKernel &kernel = graph.kernels[number];
    for (bool join : {true, false}) {
      if (below(2))
        continue;
      ScheduledKernel alone = kernel;
      shareLaunch(kernel, graph.kernels[number - 1], join);
      if (accept(checkOrder(graph.problem, graph.kernels)) &&
          accept(checkSchedule(kernel.problem, kernel.schedule)) &&
          accept(planLoopNest(kernel.problem, kernel.schedule).takeError()))
        break;
      kernel = std::move(alone);
    }
  }
}

bool RandomSchedule::chooseKernels(const Partition &partition) {
  if (!accept(checkPartition(graph.problem, partition)))
    return false;
  graph.kernels.clear();
  Stores known;
  for (const Stores &stores : partition) {
    ScheduledKernel kernel{stores, extractKernel(graph.problem, stores, known),
                           Schedule()};
    if (below(2))
      multiplyAxes(kernel.problem);
    if (!chooseFields(kernel))
      return false;
    llvm::append_range(known, stores);
    graph.kernels.push_back(std::move(kernel));
  }
  if (!accept(checkOrder(graph.problem, graph.kernels)))
    return false;
  chooseLaunches();
  return true;
}

/// A region that scheduling supports with these parts.
bool RandomSchedule::findRegion() {
  ScopedDiagnosticHandler handler(function.getContext(),
                                  [](Diagnostic &) { return success(); });
  for (unsigned tries = 0; tries < 40; ++tries)
    if (succeeded(chooseRegion()))
      return true;
  return false;
}

FailureOr<ScheduledGraph> RandomSchedule::run() {
  constexpr unsigned kStoreOneIn[] = {0, 2, 4, 10};
  // Few partitions of some regions have loop nests.
  for (unsigned regions = 0; regions < 5; ++regions) {
    if (!findRegion())
      return function.emitError("scheduling supports no region");
    unsigned first = kStoreOneIn[below(std::size(kStoreOneIn))];
    for (unsigned tries = 0; tries < 60; ++tries)
      if (chooseKernels(choosePartition(tries < 30 ? first : tries % 3)))
        return std::move(graph);
  }
  return function.emitError("no legal schedule found for region ")
         << graph.region << ": " << refusal;
}

/// The dynamic axes of arguments, on which conditions may rest.
static std::vector<std::string> getDynamicAxes(func::FuncOp function) {
  std::vector<std::string> names;
  for (Type type : function.getArgumentTypes())
    for (auto [extent, name] : llvm::zip_equal(
             cast<RankedTensorType>(type).getShape(), getAxes(type).getNames()))
      if (ShapedType::isDynamic(extent))
        names.push_back(name.getValue().str());
  return names;
}

FailureOr<std::vector<ScheduledGraph>>
mlir::cleave::addRandomSchedules(func::FuncOp function, std::mt19937 &random) {
  auto below = [&](unsigned bound) { return (random() >> 8) % bound; };
  std::vector<std::string> axes = getDynamicAxes(function);
  unsigned classes = axes.empty() || below(3) ? 1 : 2 + below(2);
  std::string axis = classes > 1 ? axes[below(axes.size())] : "";
  int64_t bound = below(8);
  std::vector<ScheduledGraph> graphs;
  SmallVector<ScheduleAttr> attributes;
  for (unsigned number = 0; number < classes; ++number) {
    FailureOr<ScheduledGraph> graph = RandomSchedule(function, random).run();
    if (failed(graph))
      return failure();
    if (number + 1 < classes)
      graph->when.emplace_back(axis, bound);
    bound += 1 + below(8);
    attributes.push_back(getScheduleAttr(function.getContext(), *graph));
    graphs.push_back(std::move(*graph));
  }
  Attribute all = attributes.front();
  if (classes > 1)
    all = SchedulesAttr::get(function.getContext(), attributes);
  function->setAttr(CleaveDialect::kScheduleAttrName, all);
  return graphs;
}
