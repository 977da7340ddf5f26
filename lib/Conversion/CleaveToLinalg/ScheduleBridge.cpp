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

static LogicalResult addTiles(const Problem &problem, Location location,
                              ArrayRef<StringAttr> axes,
                              ArrayRef<int64_t> tiles,
                              SmallVectorImpl<AxisTile> &result) {
  for (auto [name, tile] : llvm::zip_equal(axes, tiles)) {
    int axis = problem.findAxis(name.getValue());
    if (axis < 0)
      return emitError(location)
             << "illegal schedule: unknown axis '" << name.getValue() << "'";
    result.push_back({static_cast<AxisId>(axis), tile});
  }
  return success();
}

FailureOr<Schedule> cleave::getSchedule(ScheduleAttr attr,
                                        const Problem &problem,
                                        Location location) {
  Schedule schedule;
  schedule.region = attr.getRegion();
  schedule.warps = attr.getWarps();
  schedule.stages = attr.getStages();
  if (failed(addTiles(problem, location, attr.getGridAxes(),
                      attr.getGridTiles(), schedule.grid)) ||
      failed(addTiles(problem, location, attr.getLoopAxes(),
                      attr.getLoopTiles(), schedule.loop)))
    return failure();
  if (llvm::Error error = checkSchedule(problem, schedule))
    return emitError(location)
           << "illegal schedule: " << llvm::toString(std::move(error));
  return schedule;
}

ScheduleAttr cleave::getScheduleAttr(MLIRContext *context,
                                     const Problem &problem,
                                     const Schedule &schedule) {
  SmallVector<StringAttr> gridAxes, loopAxes;
  SmallVector<int64_t> gridTiles, loopTiles;
  for (const AxisTile &range : schedule.grid) {
    gridAxes.push_back(StringAttr::get(context, problem.axes[range.axis].name));
    gridTiles.push_back(range.tile);
  }
  for (const AxisTile &range : schedule.loop) {
    loopAxes.push_back(StringAttr::get(context, problem.axes[range.axis].name));
    loopTiles.push_back(range.tile);
  }
  return ScheduleAttr::get(context, schedule.region, gridAxes, gridTiles,
                           loopAxes, loopTiles, schedule.warps,
                           schedule.stages);
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
                                                Location location) {
  FailureOr<Bindings> given = parseExtents(text, location);
  if (failed(given))
    return failure();
  Bindings known;
  for (const auto &[name, extent] : *given)
    if (axes.lookup(name))
      known[name] = extent;
  return axes.representative(known);
}

FailureOr<ScheduledGraph> cleave::getScheduledGraph(func::FuncOp function) {
  auto attr =
      function->getAttrOfType<ScheduleAttr>(CleaveDialect::kScheduleAttrName);
  if (!attr)
    return function.emitOpError("expected the attribute '")
           << CleaveDialect::kScheduleAttrName
           << "' (made by --cleave-assign-schedule)";
  FailureOr<AxisTable> axes = AxisTable::get(function);
  if (failed(axes))
    return failure();
  ScheduledGraph graph;
  FailureOr<Problem> problem =
      buildProblem(function, attr.getRegion(), *axes, axes->representative({}));
  if (failed(problem))
    return failure();
  graph.problem = std::move(*problem);
  FailureOr<Schedule> schedule =
      getSchedule(attr, graph.problem, function.getLoc());
  if (failed(schedule))
    return failure();
  graph.schedule = *schedule;
  return graph;
}
