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

#include "TargetDescription.h"

#include "Cleave/Conversion/CleaveToLinalg.h"
#include "Cleave/Transforms/Passes.h"
#include "Cleave/Transforms/Schedule/PartitionSearch.h"
#include "ShapeClasses.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/Format.h"

namespace mlir::cleave {
#define GEN_PASS_DEF_CLEAVEASSIGNSCHEDULEPASS
#include "Cleave/Transforms/Passes.h.inc"
} // namespace mlir::cleave

using namespace mlir;
using namespace mlir::cleave;
using namespace mlir::cleave::schedule;

namespace {

/// One region with its best schedule.
struct Candidate {
  std::string label;
  ScheduledGraph graph;
  Cost cost;
  unsigned schedulesTried = 0;
  bool converged = true;
};

struct CleaveAssignSchedulePass
    : cleave::impl::CleaveAssignSchedulePassBase<CleaveAssignSchedulePass> {
  using CleaveAssignSchedulePassBase::CleaveAssignSchedulePassBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (hasNamedAxes(function) && failed(assign(function)))
      signalPassFailure();
  }

private:
  LogicalResult assign(func::FuncOp function);
  std::optional<Candidate> schedule(func::FuncOp function, unsigned region,
                                    const AxisTable &axes,
                                    const Bindings &splits,
                                    std::string &reason);
  std::optional<Candidate> scheduleParts(func::FuncOp function, unsigned region,
                                         const AxisTable &axes,
                                         ArrayRef<std::string> symbols,
                                         std::string &reason);
  FailureOr<std::vector<Candidate>> schedule(func::FuncOp function,
                                             const AxisTable &axes);
  FailureOr<Candidate> scheduleBest(func::FuncOp function,
                                    const AxisTable &axes);
  void explain(func::FuncOp function, ArrayRef<Candidate> candidates,
               const Candidate &best);
  ScheduleAttr makeClass(func::FuncOp function, ArrayRef<Bindings> points,
                         Candidate &chosen, const ClassOfExtents &extents);

  /// What a schedule is being chosen for, and as a remark says it.
  Bindings point;
  std::string place;
  /// The GPU, while a function is scheduled.
  FailureOr<Target> described = failure();
  /// What regions and classes of a function have in common.
  SearchCache cache;
};

} // namespace

static remark::RemarkOpts getRemarkOpts(func::FuncOp function) {
  return remark::RemarkOpts::name("schedule")
      .category("cleave-schedule")
      .function(function.getName());
}

static std::string describe(const Candidate &candidate) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "region " << candidate.graph.region;
  if (!candidate.label.empty())
    os << " (" << candidate.label << ")";
  os << ": " << llvm::format("%.1f", candidate.cost.time) << " us";
  if (candidate.graph.kernels.size() > 1)
    os << " in " << candidate.graph.kernels.size() << " kernels";
  auto beside = llvm::count_if(
      candidate.graph.kernels,
      [](const ScheduledKernel &kernel) { return kernel.beside; });
  if (beside)
    os << " (" << candidate.graph.kernels.size() - beside << " launches)";
  for (const auto &[symbol, parts] : candidate.graph.splits)
    if (parts > 1)
      os << ", " << symbol << " = " << parts;
  if (candidate.cost.excess > 1)
    os << ", " << llvm::format("%.1f", candidate.cost.excess)
       << " times the registers or shared memory of a block";
  return text;
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

/// The symbols that a schedule of the region binds to a number of parts.
static std::vector<std::string> getSymbols(Region &region,
                                           const AxisTable &axes) {
  std::vector<std::string> symbols;
  region.walk([&](SplitOp split) {
    const AxisInfo *outer = axes.lookup(split.getOuter());
    if (outer && outer->kind == AxisKind::Bound &&
        !llvm::is_contained(symbols, split.getOuter()))
      symbols.push_back(split.getOuter().str());
  });
  llvm::sort(symbols);
  return symbols;
}

/// The best schedule of the region in so many parts. `reason` says why there is
/// none.
std::optional<Candidate> CleaveAssignSchedulePass::schedule(
    func::FuncOp function, unsigned region, const AxisTable &axes,
    const Bindings &splits, std::string &reason) {
  Candidate candidate;
  candidate.graph.region = region;
  candidate.graph.splits = splits;
  Bindings given = splits;
  given.insert(point.begin(), point.end());
  FailureOr<Problem> problem = [&] {
    ScopedDiagnosticHandler handler(&getContext(), [&](Diagnostic &error) {
      reason = error.str();
      return success();
    });
    return buildProblem(function, region, axes, axes.representative(given));
  }();
  if (failed(problem))
    return std::nullopt;
  candidate.graph.problem = std::move(*problem);
  SearchOptions options;
  options.horizontal = !noHorizontal;
  llvm::Expected<PartitionResult> result =
      searchPartition(candidate.graph.problem, *described, options, &cache);
  if (!result) {
    reason = llvm::toString(result.takeError());
    return std::nullopt;
  }
  candidate.graph.kernels = std::move(result->kernels);
  candidate.cost = std::move(result->cost);
  candidate.schedulesTried = result->candidates;
  candidate.converged = result->converged;
  return candidate;
}

/// As above, with the best numbers of parts: one symbol after the other, twice
/// as many while that helps.
std::optional<Candidate> CleaveAssignSchedulePass::scheduleParts(
    func::FuncOp function, unsigned region, const AxisTable &axes,
    ArrayRef<std::string> symbols, std::string &reason) {
  constexpr int64_t kMostParts = 256;
  Bindings splits;
  for (const std::string &symbol : symbols)
    splits[symbol] = 1;
  std::optional<Candidate> best =
      schedule(function, region, axes, splits, reason);
  if (noSplit)
    return best;
  for (const std::string &symbol : symbols)
    for (int64_t parts = 2, worse = 0; parts <= kMostParts && worse < 2;
         parts *= 2) {
      Bindings more = best ? best->graph.splits : splits;
      more[symbol] = parts;
      std::optional<Candidate> candidate =
          schedule(function, region, axes, more, reason);
      if (!candidate || (best && !(candidate->cost < best->cost))) {
        ++worse;
        continue;
      }
      candidate->schedulesTried += best ? best->schedulesTried : 0;
      best = std::move(candidate);
    }
  return best;
}

/// Schedules every region, or the last (the graph as written) alone.
FailureOr<std::vector<Candidate>>
CleaveAssignSchedulePass::schedule(func::FuncOp function,
                                   const AxisTable &axes) {
  FailureOr<AlternativesOp> alternatives = getAlternatives(function);
  if (failed(alternatives))
    return failure();
  unsigned regions =
      *alternatives ? (*alternatives).getAlternatives().size() : 1;
  std::vector<Candidate> candidates;
  std::string reason;
  auto lose = [&](unsigned region, const Twine &why) {
    // Another region may have a schedule.
    std::string lost =
        (place + "no schedule for region " + Twine(region) + ": " + why).str();
    remark::missed(function.getLoc(), getRemarkOpts(function))
        << StringRef(lost);
    if (reason.empty())
      reason = lost;
  };
  for (unsigned region = 0; region < regions; ++region) {
    std::string label;
    if (*alternatives && (*alternatives).getLabels())
      label = cast<StringAttr>((*(*alternatives).getLabels())[region]).str();
    if (noAlgebra && regions > 1 && label != "input")
      continue;
    Region &body = *alternatives ? (*alternatives).getAlternatives()[region]
                                 : function.getBody();
    std::string why;
    std::optional<Candidate> found =
        scheduleParts(function, region, axes, getSymbols(body, axes), why);
    if (found) {
      found->label = label;
      candidates.push_back(std::move(*found));
      continue;
    }
    // Nothing else may be better: an error is shown where it is.
    if (regions == 1 && failed(buildProblem(function, region, axes,
                                            axes.representative(point))))
      return failure();
    lose(region, why);
  }
  if (candidates.empty() && !reason.empty())
    return function.emitError() << reason;
  if (candidates.empty())
    return function.emitError("expected a region with label 'input' for "
                              "no-algebra");
  return candidates;
}

void CleaveAssignSchedulePass::explain(func::FuncOp function,
                                       ArrayRef<Candidate> candidates,
                                       const Candidate &best) {
  remark::RemarkOpts opts = getRemarkOpts(function);
  std::string chosen =
      place + describe(best) + ", " + std::to_string(best.schedulesTried) +
      " schedules tried, " +
      (best.converged ? "no neighbour is better" : "stopped at the limit");
  remark::passed(function.getLoc(), opts) << StringRef(chosen);
  for (const Candidate &candidate : candidates) {
    if (&candidate == &best)
      continue;
    std::string lost = place + describe(candidate) + ", slower than region " +
                       std::to_string(best.graph.region);
    remark::missed(function.getLoc(), opts) << StringRef(lost);
  }
}

/// The best region at the point.
FailureOr<Candidate>
CleaveAssignSchedulePass::scheduleBest(func::FuncOp function,
                                       const AxisTable &axes) {
  FailureOr<std::vector<Candidate>> candidates = schedule(function, axes);
  if (failed(candidates))
    return failure();
  Candidate *best = &candidates->front();
  for (Candidate &candidate : *candidates)
    if (candidate.cost < best->cost)
      best = &candidate;
  explain(function, *candidates, *best);
  return std::move(*best);
}

/// The schedule of one class; remarks say where it comes from and what its
/// kernels take.
ScheduleAttr CleaveAssignSchedulePass::makeClass(
    func::FuncOp function, ArrayRef<Bindings> points, Candidate &chosen,
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
  cache = {};
  described = findTarget(function, target);
  if (failed(described))
    return failure();
  FailureOr<AxisTable> axes = AxisTable::get(function);
  if (failed(axes))
    return failure();
  FailureOr<std::vector<Bindings>> points =
      getRepresentatives(representative, *axes, function.getLoc());
  if (failed(points))
    return failure();
  std::vector<Candidate> chosen;
  for (const Bindings &each : *points) {
    point = each;
    std::string text = describePoint(each, *points);
    place = text.empty() ? "" : "at " + text + ": ";
    FailureOr<Candidate> best = scheduleBest(function, *axes);
    if (failed(best))
      return failure();
    chosen.push_back(std::move(*best));
  }
  std::vector<ClassOfExtents> classes(1);
  if (points->size() > 1) {
    SmallVector<const ScheduledGraph *> graphs;
    for (const Candidate &each : chosen)
      graphs.push_back(&each.graph);
    classes = chooseShapeClasses(function, *axes, *points, graphs, *described);
  }
  SmallVector<ScheduleAttr> schedules;
  for (const ClassOfExtents &extents : classes)
    schedules.push_back(
        makeClass(function, *points, chosen[extents.point], extents));
  Attribute attr = schedules.front();
  if (schedules.size() > 1)
    attr = SchedulesAttr::get(&getContext(), schedules);
  function->setAttr(CleaveDialect::kScheduleAttrName, attr);
  return success();
}
