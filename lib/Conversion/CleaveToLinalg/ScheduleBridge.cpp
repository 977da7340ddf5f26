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

using namespace mlir;
using namespace mlir::cleave;
using namespace mlir::cleave::schedule;

/// Starts an error about one schedule.
using EmitError = function_ref<InFlightDiagnostic()>;

static LogicalResult addTiles(const Problem &problem, EmitError emitError,
                              ArrayRef<StringAttr> axes,
                              ArrayRef<int64_t> tiles,
                              SmallVectorImpl<AxisTile> &result) {
  for (auto [name, tile] : llvm::zip_equal(axes, tiles)) {
    int axis = problem.findAxis(name.getValue());
    if (axis < 0)
      return emitError() << "unknown axis '" << name.getValue() << "'";
    result.push_back({static_cast<AxisId>(axis), tile});
  }
  return success();
}

/// Tiles and the rest as they stand in `attr`.
static FailureOr<Schedule> getSchedule(KernelAttr attr, const Problem &problem,
                                       EmitError emitError) {
  Schedule schedule;
  schedule.warps = attr.getWarps();
  schedule.stages = attr.getStages();
  schedule.join = attr.getJoin();
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
  FailureOr<Schedule> schedule = getSchedule(attr, graph.problem, emitError);
  if (failed(schedule) ||
      failed(check(checkSchedule(graph.problem, *schedule), emitError)))
    return failure();
  Stores known;
  for (const Stores &stores : getFusedPartition(graph.problem)) {
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
    kernel.problem = extractKernel(graph.problem, kernel.stores, known);
    FailureOr<Schedule> schedule = getSchedule(attr, graph.problem, emitError);
    if (failed(schedule) ||
        failed(check(checkSchedule(kernel.problem, *schedule), emitError,
                     "kernel " + Twine(number) + ": ")))
      return failure();
    kernel.schedule = *schedule;
    if (attr.getJoin() &&
        failed(check(checkJoin(graph.problem, graph.kernels.back(), kernel),
                     emitError, "kernel " + Twine(number) + ": ")))
      return failure();
    llvm::append_range(known, kernel.stores);
    graph.kernels.push_back(std::move(kernel));
  }
  return success();
}

Bindings cleave::getFixedCounts(const PartCounts &parts) {
  Bindings counts;
  for (const auto &[axis, part] : parts)
    if (part.count)
      counts[axis] = part.count;
  return counts;
}

/// How long a part of a dynamic number of parts is depends on its multiple, so
/// nothing may ask.
static LogicalResult checkParts(const ScheduledGraph &graph,
                                EmitError emitError) {
  for (NodeId id = 0; id < graph.problem.size(); ++id) {
    const Node &node = graph.problem[id];
    bool asks =
        node.kind == NodeKind::Extent ||
        (node.kind == NodeKind::Pointwise && node.op == Pointwise::Iota);
    for (AxisId axis : unite(node.axes, node.reduced)) {
      const Axis &info = graph.problem.axes[axis];
      const Axis &outer =
          graph.problem.axes[info.part ? info.part->outer : axis];
      auto it = graph.splits.find(outer.name);
      if (asks && it != graph.splits.end() && it->second.fill)
        return emitError() << "expected a number of parts in 'split' for '"
                           << outer.name
                           << "', since the extent or positions of '"
                           << info.name << "' are used";
    }
  }
  return success();
}

static KernelAttr getKernelAttr(MLIRContext *context, const Problem &problem,
                                const ScheduledKernel &kernel, bool alone) {
  SmallVector<StringAttr> stores, gridAxes, loopAxes;
  SmallVector<int64_t> gridTiles, loopTiles;
  for (NodeId id : kernel.stores)
    stores.push_back(StringAttr::get(context, getStoreName(problem, id)));
  for (const AxisTile &range : kernel.schedule.grid) {
    gridAxes.push_back(StringAttr::get(context, problem.axes[range.axis].name));
    gridTiles.push_back(range.tile);
  }
  for (const AxisTile &range : kernel.schedule.loop) {
    loopAxes.push_back(StringAttr::get(context, problem.axes[range.axis].name));
    loopTiles.push_back(range.tile);
  }
  return KernelAttr::get(
      context, alone ? ArrayRef<StringAttr>() : ArrayRef<StringAttr>(stores),
      gridAxes, gridTiles, loopAxes, loopTiles, kernel.schedule.warps,
      kernel.schedule.stages, kernel.schedule.join);
}

ScheduleAttr cleave::getScheduleAttr(MLIRContext *context,
                                     const ScheduledGraph &graph) {
  bool alone =
      graph.kernels.size() == 1 && getFusedPartition(graph.problem).size() == 1;
  SmallVector<KernelAttr> kernels;
  for (const ScheduledKernel &kernel : graph.kernels)
    kernels.push_back(getKernelAttr(context, graph.problem, kernel, alone));
  SmallVector<PartsAttr> splits;
  for (const auto &[axis, parts] : graph.splits)
    splits.push_back(PartsAttr::get(context, StringAttr::get(context, axis),
                                    parts.count, parts.fill, parts.by));
  SmallVector<StringAttr> whenAxes;
  SmallVector<int64_t> whenBounds;
  for (const auto &[axis, bound] : graph.when) {
    whenAxes.push_back(StringAttr::get(context, axis));
    whenBounds.push_back(bound);
  }
  return ScheduleAttr::get(context, whenAxes, whenBounds, graph.region, splits,
                           kernels);
}

bool cleave::hasNamedAxes(func::FuncOp function) {
  return !function.isExternal() &&
         (llvm::any_of(function.getArgumentTypes(), isCleaveTensor) ||
          llvm::any_of(function.getResultTypes(), isCleaveTensor));
}

FailureOr<Bindings> cleave::parseExtents(StringRef text, Location location) {
  Bindings extents;
  SmallVector<StringRef> entries;
  text.split(entries, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef entry : entries) {
    auto [name, number] = entry.split('=');
    int64_t extent;
    if (name.trim().empty() || number.trim().getAsInteger(10, extent) ||
        extent < 0)
      return emitError(location)
             << "expected extents like M=16,K=4096 but got '" << entry << "'";
    extents[name.trim().str()] = extent;
  }
  return extents;
}

FailureOr<Bindings> cleave::parseRepresentative(StringRef text,
                                                const AxisTable &axes,
                                                Location location,
                                                const Bindings &splits) {
  FailureOr<Bindings> given = parseExtents(text, location);
  if (failed(given))
    return failure();
  Bindings known = splits;
  for (const auto &[name, extent] : *given)
    if (axes.lookup(name))
      known[name] = extent;
  return axes.representative(known);
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
  for (PartsAttr parts : attr.getSplits()) {
    StringRef axis = parts.getAxis().getValue();
    const AxisInfo *info = axes.lookup(axis);
    if (!info || info->kind != AxisKind::Bound)
      return emitError() << "expected a bound axis in 'split' but got '" << axis
                         << "'";
    graph.splits[axis.str()] = {parts.getCount(), parts.getFill(),
                                parts.getBy()};
  }
  FailureOr<Problem> problem = buildProblem(
      function, graph.region, axes,
      axes.representative(getFixedCounts(graph.splits)), graph.splits);
  if (failed(problem))
    return failure();
  graph.problem = std::move(*problem);
  if (failed(checkParts(graph, emitError)))
    return failure();
  ArrayRef<KernelAttr> kernels = attr.getKernels();
  bool alone = kernels.front().getStores().empty();
  if (failed(alone ? addFusedKernels(graph, kernels.front(), emitError)
                   : addKernels(graph, kernels, emitError)))
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
