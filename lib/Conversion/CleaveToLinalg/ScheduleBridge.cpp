//===- ScheduleBridge.cpp - The schedule attribute as plain data ----------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: scheduling. Axis names become numbers and back.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Conversion/CleaveToLinalg.h"
#include "Cleave/Transforms/Schedule/Products.h"

using namespace mlir;
using namespace mlir::cleave;
using namespace mlir::cleave::schedule;

/// Starts an error about one schedule.
using EmitError = function_ref<InFlightDiagnostic()>;

/// A product of axes that a tile is for is made one.
static LogicalResult addTiles(Problem &problem, EmitError emitError,
                              ArrayRef<StringAttr> axes,
                              ArrayRef<int64_t> tiles,
                              SmallVectorImpl<AxisTile> &result) {
  for (auto [name, tile] : llvm::zip_equal(axes, tiles)) {
    int axis = findOrMultiply(problem, name.getValue());
    if (axis < 0)
      return emitError() << "unknown axis '" << name.getValue() << "'";
    result.push_back({static_cast<AxisId>(axis), tile});
  }
  return success();
}

/// Tiles and the rest as they stand in `attr`.
static FailureOr<Schedule> getSchedule(KernelAttr attr, Problem &problem,
                                       EmitError emitError) {
  Schedule schedule;
  schedule.warps = attr.getWarps();
  schedule.stages = attr.getStages();
  if (failed(addTiles(problem, emitError, attr.getGridAxes(),
                      attr.getGridTiles(), schedule.grid)) ||
      failed(addTiles(problem, emitError, attr.getLoopAxes(),
                      attr.getLoopTiles(), schedule.loop)))
    return failure();
  return schedule;
}

static LogicalResult check(llvm::Error error, EmitError emitError,
                           const Twine &place = "") {
  if (!error)
    return success();
  return emitError() << place << llvm::toString(std::move(error));
}

/// One list of tiles serves kernels that need parts of it.
static void restrictTo(SmallVectorImpl<AxisTile> &tiles,
                       ArrayRef<AxisId> axes) {
  llvm::erase_if(tiles, [&](const AxisTile &range) {
    return !contains(axes, range.axis);
  });
}

/// The fields alone: all results, those with equal axes in a kernel.
static LogicalResult addFusedKernels(ScheduledGraph &graph, KernelAttr attr,
                                     EmitError emitError) {
  Partition partition = getFusedPartition(graph.problem);
  // One kernel may have products of axes; several share the axes' tiles.
  Problem alone = extractKernel(graph.problem, partition.front(), {});
  Problem &whole = partition.size() == 1 ? alone : graph.problem;
  FailureOr<Schedule> schedule = getSchedule(attr, whole, emitError);
  if (failed(schedule) ||
      failed(check(checkSchedule(whole, *schedule), emitError)))
    return failure();
  if (partition.size() == 1) {
    graph.kernels.push_back({partition.front(), std::move(alone), *schedule});
    return success();
  }
  Stores known;
  for (const Stores &stores : partition) {
    ScheduledKernel kernel{stores, extractKernel(graph.problem, stores, known),
                           *schedule};
    restrictTo(kernel.schedule.grid, getResultAxes(kernel.problem));
    restrictTo(kernel.schedule.loop, getReducedAxes(kernel.problem));
    llvm::append_range(known, stores);
    graph.kernels.push_back(std::move(kernel));
  }
  return success();
}

static LogicalResult addKernels(ScheduledGraph &graph,
                                ArrayRef<KernelAttr> attrs,
                                EmitError emitError) {
  Partition partition;
  for (KernelAttr attr : attrs) {
    Stores &stores = partition.emplace_back();
    for (StringAttr name : attr.getStores()) {
      std::optional<NodeId> id = findStore(graph.problem, name.getValue());
      if (!id)
        return emitError() << "expected a value that can be stored but got '"
                           << name.getValue() << "'";
      stores.push_back(*id);
    }
  }
  if (failed(check(checkPartition(graph.problem, partition), emitError)))
    return failure();
  Stores known;
  for (auto [number, attr] : llvm::enumerate(attrs)) {
    ScheduledKernel kernel;
    kernel.stores = partition[number];
    kernel.beside = attr.getBeside();
    kernel.join = attr.getJoin();
    kernel.problem = extractKernel(graph.problem, kernel.stores, known);
    FailureOr<Schedule> schedule = getSchedule(attr, kernel.problem, emitError);
    if (failed(schedule) ||
        failed(check(checkSchedule(kernel.problem, *schedule), emitError,
                     "kernel " + Twine(number) + ": ")))
      return failure();
    kernel.schedule = *schedule;
    llvm::append_range(known, kernel.stores);
    graph.kernels.push_back(std::move(kernel));
  }
  return success();
}

static KernelAttr getKernelAttr(MLIRContext *context, const Problem &problem,
                                const ScheduledKernel &kernel, bool alone) {
  SmallVector<StringAttr> stores, gridAxes, loopAxes;
  SmallVector<int64_t> gridTiles, loopTiles;
  auto getName = [&](AxisId axis) {
    return StringAttr::get(context, kernel.problem.axes[axis].name);
  };
  for (NodeId id : kernel.stores)
    stores.push_back(StringAttr::get(context, getStoreName(problem, id)));
  for (const AxisTile &range : kernel.schedule.grid) {
    gridAxes.push_back(getName(range.axis));
    gridTiles.push_back(range.tile);
  }
  for (const AxisTile &range : kernel.schedule.loop) {
    loopAxes.push_back(getName(range.axis));
    loopTiles.push_back(range.tile);
  }
  return KernelAttr::get(
      context, alone ? ArrayRef<StringAttr>() : ArrayRef<StringAttr>(stores),
      gridAxes, gridTiles, loopAxes, loopTiles, kernel.schedule.warps,
      kernel.schedule.stages, kernel.beside, kernel.join);
}

ScheduleAttr cleave::getScheduleAttr(MLIRContext *context,
                                     const ScheduledGraph &graph) {
  Partition fused = getFusedPartition(graph.problem);
  bool alone = graph.kernels.size() == 1 && fused.size() == 1 &&
               graph.kernels.front().stores == fused.front();
  SmallVector<KernelAttr> kernels;
  for (const ScheduledKernel &kernel : graph.kernels)
    kernels.push_back(getKernelAttr(context, graph.problem, kernel, alone));
  SmallVector<StringAttr> splitAxes;
  SmallVector<int64_t> splitCounts;
  for (const auto &[axis, count] : graph.splits) {
    splitAxes.push_back(StringAttr::get(context, axis));
    splitCounts.push_back(count);
  }
  SmallVector<StringAttr> whenAxes;
  SmallVector<int64_t> whenBounds;
  for (const auto &[axis, bound] : graph.when) {
    whenAxes.push_back(StringAttr::get(context, axis));
    whenBounds.push_back(bound);
  }
  return ScheduleAttr::get(context, whenAxes, whenBounds, graph.region,
                           splitAxes, splitCounts, kernels);
}

bool cleave::hasNamedAxes(func::FuncOp function) {
  return !function.isExternal() &&
         (llvm::any_of(function.getArgumentTypes(), isCleaveTensor) ||
          llvm::any_of(function.getResultTypes(), isCleaveTensor));
}

/// A launcher reads the extents in conditions from arguments.
static LogicalResult addConditions(ScheduledGraph &graph, ScheduleAttr attr,
                                   func::FuncOp function, const AxisTable &axes,
                                   EmitError emitError) {
  for (auto [axis, bound] :
       llvm::zip_equal(attr.getWhenAxes(), attr.getWhenBounds())) {
    const AxisInfo *info = axes.lookup(axis.getValue());
    if (!info || info->kind != AxisKind::Dynamic)
      return emitError() << "expected a dynamic axis in 'when' but got '"
                         << axis.getValue() << "'";
    if (llvm::none_of(function.getArgumentTypes(), [&](Type type) {
          return isCleaveTensor(type) && getAxes(type).contains(axis);
        }))
      return emitError() << "expected an argument with axis '"
                         << axis.getValue() << "', which is in 'when'";
    graph.when.emplace_back(axis.getValue().str(), bound);
  }
  return success();
}

static FailureOr<ScheduledGraph> getScheduledGraph(func::FuncOp function,
                                                   ScheduleAttr attr,
                                                   const AxisTable &axes,
                                                   EmitError emitError) {
  ScheduledGraph graph;
  if (failed(addConditions(graph, attr, function, axes, emitError)))
    return failure();
  graph.region = attr.getRegion();
  for (auto [axis, count] :
       llvm::zip_equal(attr.getSplitAxes(), attr.getSplitCounts())) {
    const AxisInfo *info = axes.lookup(axis.getValue());
    if (!info || info->kind != AxisKind::Bound)
      return emitError() << "expected a bound axis in 'split' but got '"
                         << axis.getValue() << "'";
    graph.splits[axis.getValue().str()] = count;
  }
  FailureOr<Problem> problem = buildProblem(function, graph.region, axes,
                                            axes.representative(graph.splits));
  if (failed(problem))
    return failure();
  graph.problem = std::move(*problem);
  ArrayRef<KernelAttr> kernels = attr.getKernels();
  bool alone = kernels.front().getStores().empty();
  if (failed(alone ? addFusedKernels(graph, kernels.front(), emitError)
                   : addKernels(graph, kernels, emitError)) ||
      failed(check(checkOrder(graph.problem, graph.kernels), emitError)))
    return failure();
  return graph;
}

FailureOr<std::vector<ScheduledGraph>>
cleave::getScheduledGraphs(func::FuncOp function) {
  Attribute attr = function->getAttr(CleaveDialect::kScheduleAttrName);
  if (!attr)
    return function.emitOpError("expected the attribute '")
           << CleaveDialect::kScheduleAttrName
           << "' (made by --cleave-assign-schedule)";
  FailureOr<AxisTable> axes = AxisTable::get(function);
  if (failed(axes))
    return failure();
  SmallVector<ScheduleAttr> schedules;
  if (auto several = dyn_cast<SchedulesAttr>(attr))
    llvm::append_range(schedules, several.getSchedules());
  else
    schedules.push_back(cast<ScheduleAttr>(attr));
  std::vector<ScheduledGraph> graphs;
  for (auto [number, schedule] : llvm::enumerate(schedules)) {
    auto emitError = [&, number = number] {
      InFlightDiagnostic error = function.emitError("illegal schedule: ");
      if (schedules.size() > 1)
        error << "number " << number << ": ";
      return error;
    };
    FailureOr<ScheduledGraph> graph =
        getScheduledGraph(function, schedule, *axes, emitError);
    if (failed(graph))
      return failure();
    graphs.push_back(std::move(*graph));
  }
  return graphs;
}

FailureOr<std::vector<LoopNest>> cleave::planKernels(func::FuncOp function,
                                                     ScheduledGraph &graph,
                                                     bool horizontal) {
  std::vector<LoopNest> nests;
  for (ScheduledKernel &kernel : graph.kernels) {
    kernel.schedule.horizontal = horizontal;
    llvm::Expected<LoopNest> nest =
        planLoopNest(kernel.problem, kernel.schedule);
    if (!nest) {
      function.emitError("illegal schedule: ")
          << llvm::toString(nest.takeError());
      return failure();
    }
    nests.push_back(std::move(*nest));
  }
  return nests;
}
