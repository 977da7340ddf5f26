//===- AssignSchedule.cpp - Choose how a function's graph runs ------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: scheduling, first step. Every region of the alternatives becomes a
// problem, the search finds its best schedule, the best of all wins. With
// several representative extents that is done for each, and bounds between them
// are chosen.
//
//===----------------------------------------------------------------------===//

#include "GraphScheduler.h"
#include "ShapeClasses.h"
#include "TargetDescription.h"

#include "Cleave/Transforms/Passes.h"
#include "Cleave/Transforms/TuningTable.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::cleave {
#define GEN_PASS_DEF_CLEAVEASSIGNSCHEDULEPASS
#include "Cleave/Transforms/Passes.h.inc"
} // namespace mlir::cleave

using namespace mlir;
using namespace mlir::cleave;
using namespace mlir::cleave::schedule;

namespace {

struct CleaveAssignSchedulePass
    : cleave::impl::CleaveAssignSchedulePassBase<CleaveAssignSchedulePass> {
  using CleaveAssignSchedulePassBase::CleaveAssignSchedulePassBase;

  LogicalResult initialize(MLIRContext *context) override {
    if (tuningTable.empty())
      return success();
    FailureOr<TuningTable> read = TuningTable::read(tuningTable, context);
    if (failed(read))
      return failure();
    table = std::make_shared<const TuningTable>(std::move(*read));
    return success();
  }

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (hasNamedAxes(function) && failed(assign(function)))
      signalPassFailure();
  }

private:
  LogicalResult assign(func::FuncOp function);
  std::optional<GraphSchedule> lookUp(func::FuncOp function,
                                      const AxisTable &axes,
                                      const Bindings &point,
                                      const Target &described);
  FailureOr<GraphSchedule> scheduleAt(GraphScheduler &scheduler,
                                      func::FuncOp function,
                                      const Bindings &point);
  void explain(func::FuncOp function, const FoundSchedules &found);
  ScheduleAttr makeClass(func::FuncOp function, ArrayRef<Bindings> points,
                         GraphSchedule &chosen, const ClassOfExtents &extents);

  /// Read only once loaded, so that clones share it. Null where there is none.
  std::shared_ptr<const TuningTable> table;
  /// The graph's name in it.
  std::string graphName;
  /// What a schedule is being chosen for, as a remark says it.
  std::string place;
  /// By point, what is to be measured.
  SmallVector<Attribute> toMeasure;
};

} // namespace

static remark::RemarkOpts getRemarkOpts(func::FuncOp function) {
  return remark::RemarkOpts::name("schedule")
      .category("cleave-schedule")
      .function(function.getName());
}

static std::string describe(size_t number, StringRef when,
                            const KernelCost &kernel) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "kernel " << number;
  if (!when.empty())
    os << " when " << when;
  os << ": " << llvm::format("%.1f", kernel.time) << " us, " << kernel.resident
     << " blocks a multiprocessor, " << kernel.sharedBytes
     << " bytes of shared memory, " << kernel.registersPerThread
     << " registers a thread";
  return text;
}

void CleaveAssignSchedulePass::explain(func::FuncOp function,
                                       const FoundSchedules &found) {
  remark::RemarkOpts opts = getRemarkOpts(function);
  auto miss = [&](const std::string &text) {
    remark::missed(function.getLoc(), opts) << StringRef(text);
  };
  for (const LostRegion &lost : found.lost)
    miss(place + "no schedule for region " + std::to_string(lost.region) +
         ": " + lost.reason);
  const GraphSchedule &best = found.regions[found.best];
  std::string chosen =
      place + describe(best) + ", " + std::to_string(best.schedulesTried) +
      " schedules tried, " +
      (best.converged ? "no neighbour is better" : "stopped at the limit");
  remark::passed(function.getLoc(), opts) << StringRef(chosen);
  for (const GraphSchedule &other : found.regions)
    if (&other != &best)
      miss(place + describe(other) +
           (other.cost < best.cost
                ? ", not worth its kernels or parts beside region "
                : ", slower than region ") +
           std::to_string(best.graph.region));
}

/// What the table has for the graph at the point; a remark says why nothing.
std::optional<GraphSchedule>
CleaveAssignSchedulePass::lookUp(func::FuncOp function, const AxisTable &axes,
                                 const Bindings &point,
                                 const Target &described) {
  // What is left out is left out of the model's choice.
  if (!table || candidates || noHorizontal || noAlgebra || noSplit ||
      noIterativeTiling)
    return std::nullopt;
  remark::RemarkOpts opts = getRemarkOpts(function);
  std::string reason;
  std::optional<GraphSchedule> found = lookUpSchedule(
      *table, graphName, function, axes, point, described, reason);
  if (!found) {
    std::string text = place + reason;
    remark::missed(function.getLoc(), opts) << StringRef(text);
    return std::nullopt;
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  os << place << describe(*found) << ", measured "
     << llvm::format("%.2f", *found->measured) << " us";
  remark::passed(function.getLoc(), opts) << StringRef(text);
  return found;
}

/// The candidates at a point as an attribute.
static Attribute getCandidatesAttr(MLIRContext *context,
                                   const Bindings &extents,
                                   const FoundSchedules &found,
                                   unsigned count) {
  Builder builder(context);
  SmallVector<NamedAttribute> at;
  for (const auto &[axis, extent] : extents)
    at.push_back(builder.getNamedAttr(axis, builder.getI64IntegerAttr(extent)));
  SmallVector<Attribute> schedules;
  SmallVector<double> times;
  for (const GraphSchedule *each : chooseCandidates(context, found, count)) {
    schedules.push_back(getScheduleAttr(context, each->graph));
    times.push_back(each->cost.time);
  }
  return builder.getDictionaryAttr(
      {builder.getNamedAttr("extents", builder.getDictionaryAttr(at)),
       builder.getNamedAttr("model_us", builder.getF64ArrayAttr(times)),
       builder.getNamedAttr("schedules", builder.getArrayAttr(schedules))});
}

/// The best schedule at the point.
FailureOr<GraphSchedule> CleaveAssignSchedulePass::scheduleAt(
    GraphScheduler &scheduler, func::FuncOp function, const Bindings &point) {
  FailureOr<FoundSchedules> found = scheduler.schedule(point);
  if (failed(found))
    return failure();
  explain(function, *found);
  if (candidates)
    toMeasure.push_back(getCandidatesAttr(
        &getContext(), getDynamicExtents(scheduler.getAxes(), point), *found,
        candidates));
  return std::move(found->regions[found->best]);
}

/// The schedule of one class; remarks say where it comes from and what its
/// kernels take.
ScheduleAttr CleaveAssignSchedulePass::makeClass(
    func::FuncOp function, ArrayRef<Bindings> points, GraphSchedule &chosen,
    const ClassOfExtents &extents) {
  chosen.graph.when = extents.when;
  ScheduleAttr attr = getScheduleAttr(&getContext(), chosen.graph);
  std::string when = attr.describeWhen();
  remark::RemarkOpts opts = getRemarkOpts(function);
  if (points.size() > 1) {
    std::string text = (when.empty() ? "otherwise" : "when " + when) +
                       ": as at " +
                       describePoint(points[extents.point], points);
    remark::passed(function.getLoc(), opts) << StringRef(text);
  }
  for (auto [i, kernel] : llvm::enumerate(chosen.cost.kernels))
    remark::analysis(function.getLoc(), opts)
        << StringRef(describe(i, when, kernel));
  return attr;
}

LogicalResult CleaveAssignSchedulePass::assign(func::FuncOp function) {
  if (function->hasAttr(CleaveDialect::kScheduleAttrName))
    return success(succeeded(getScheduledGraphs(function)));
  FailureOr<Target> described = findTarget(function, target);
  if (failed(described))
    return failure();
  FailureOr<AxisTable> axes = AxisTable::get(function);
  if (failed(axes))
    return failure();
  FailureOr<std::vector<Bindings>> points =
      getRepresentatives(representative, *axes, function.getLoc());
  if (failed(points))
    return failure();
  if (table)
    graphName = hashGraph(function);
  SchedulerOptions options{!noHorizontal, !noAlgebra, !noSplit,
                           !noIterativeTiling, candidates};
  GraphScheduler scheduler(function, *axes, *described, options);
  toMeasure.clear();
  std::vector<GraphSchedule> chosen;
  for (const Bindings &point : *points) {
    std::string text = describePoint(point, *points);
    place = text.empty() ? "" : "at " + text + ": ";
    if (std::optional<GraphSchedule> known =
            lookUp(function, *axes, point, *described)) {
      chosen.push_back(std::move(*known));
      continue;
    }
    FailureOr<GraphSchedule> best = scheduleAt(scheduler, function, point);
    if (failed(best))
      return failure();
    chosen.push_back(std::move(*best));
  }
  std::vector<ClassOfExtents> classes(1);
  if (points->size() > 1)
    classes = chooseShapeClasses(function, *axes, *points, chosen, *described);
  SmallVector<ScheduleAttr> schedules;
  for (const ClassOfExtents &extents : classes)
    schedules.push_back(
        makeClass(function, *points, chosen[extents.point], extents));
  Attribute attr = schedules.front();
  if (schedules.size() > 1)
    attr = SchedulesAttr::get(&getContext(), schedules);
  function->setAttr(CleaveDialect::kScheduleAttrName, attr);
  if (candidates)
    function->setAttr(kCandidatesAttrName,
                      ArrayAttr::get(&getContext(), toMeasure));
  return success();
}
