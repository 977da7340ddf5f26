//===- AssignSchedule.cpp - Choose how a function's graph runs ------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: scheduling, first step. Every region of the alternatives becomes a
// problem, the search finds its best schedule, the best of all wins.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Conversion/CleaveToLinalg.h"
#include "Cleave/Transforms/Passes.h"
#include "Cleave/Transforms/Schedule/PartitionSearch.h"
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
  FailureOr<std::vector<Candidate>> schedule(func::FuncOp function);
  void explain(func::FuncOp function, ArrayRef<Candidate> candidates,
               const Candidate &best);
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
  if (candidate.cost.excess > 1)
    os << ", " << llvm::format("%.1f", candidate.cost.excess)
       << " times the registers or shared memory of a block";
  return text;
}

/// Whether the region reduces in as many parts as a schedule would choose. In
/// the one part that can be scheduled, it is the region that it came from.
static bool hasParts(Region &region, const AxisTable &axes) {
  return llvm::any_of(region.getOps<SplitOp>(), [&](SplitOp split) {
    const AxisInfo *outer = axes.lookup(split.getOuter());
    return outer && outer->kind == AxisKind::Bound;
  });
}

/// Schedules every region, or the last (the graph as written) alone.
FailureOr<std::vector<Candidate>>
CleaveAssignSchedulePass::schedule(func::FuncOp function) {
  std::optional<Target> chip = getTarget(target);
  if (!chip)
    return function.emitError("expected target sm_80 or sm_90a but got '")
           << target << "'";
  FailureOr<AxisTable> axes = AxisTable::get(function);
  FailureOr<AlternativesOp> alternatives = getAlternatives(function);
  if (failed(axes) || failed(alternatives))
    return failure();
  FailureOr<Bindings> extents =
      parseRepresentative(representative, *axes, function.getLoc());
  if (failed(extents))
    return failure();
  unsigned regions =
      *alternatives ? (*alternatives).getAlternatives().size() : 1;
  bool anyWhole =
      !noAlgebra && *alternatives &&
      llvm::any_of((*alternatives).getAlternatives(),
                   [&](Region &region) { return !hasParts(region, *axes); });
  std::vector<Candidate> candidates;
  std::string reason;
  auto lose = [&](unsigned region, const Twine &why) {
    // Another region may have a schedule.
    std::string lost =
        ("no schedule for region " + Twine(region) + ": " + why).str();
    remark::missed(function.getLoc(), getRemarkOpts(function))
        << StringRef(lost);
    if (reason.empty())
      reason = lost;
  };
  for (unsigned region = 0; region < regions; ++region) {
    Candidate candidate;
    candidate.graph.region = region;
    if (*alternatives && (*alternatives).getLabels())
      candidate.label =
          cast<StringAttr>((*(*alternatives).getLabels())[region]).str();
    if (noAlgebra && regions > 1 && candidate.label != "input")
      continue;
    if (anyWhole &&
        hasParts((*alternatives).getAlternatives()[region], *axes)) {
      lose(region, "parts of an axis cannot be scheduled");
      continue;
    }
    std::string unsupported;
    FailureOr<Problem> problem = [&] {
      if (regions == 1)
        return buildProblem(function, region, *axes, *extents);
      ScopedDiagnosticHandler handler(&getContext(), [&](Diagnostic &error) {
        unsupported = error.str();
        return success();
      });
      return buildProblem(function, region, *axes, *extents);
    }();
    if (failed(problem) && regions > 1) {
      lose(region, unsupported);
      continue;
    }
    if (failed(problem))
      return failure();
    candidate.graph.problem = std::move(*problem);
    SearchOptions options;
    options.horizontal = !noHorizontal;
    llvm::Expected<PartitionResult> result =
        searchPartition(candidate.graph.problem, *chip, options);
    if (!result) {
      lose(region, llvm::toString(result.takeError()));
      continue;
    }
    candidate.graph.kernels = std::move(result->kernels);
    candidate.cost = std::move(result->cost);
    candidate.schedulesTried = result->candidates;
    candidate.converged = result->converged;
    candidates.push_back(std::move(candidate));
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
      describe(best) + ", " + std::to_string(best.schedulesTried) +
      " schedules tried, " +
      (best.converged ? "no neighbour is better" : "stopped at the limit");
  remark::passed(function.getLoc(), opts) << StringRef(chosen);
  for (const Candidate &candidate : candidates) {
    if (&candidate == &best)
      continue;
    std::string lost = describe(candidate) + ", slower than region " +
                       std::to_string(best.graph.region);
    remark::missed(function.getLoc(), opts) << StringRef(lost);
  }
}

LogicalResult CleaveAssignSchedulePass::assign(func::FuncOp function) {
  if (function->hasAttr(CleaveDialect::kScheduleAttrName))
    return success(succeeded(getScheduledGraph(function)));
  FailureOr<std::vector<Candidate>> candidates = schedule(function);
  if (failed(candidates))
    return failure();
  const Candidate *best = &candidates->front();
  for (const Candidate &candidate : *candidates)
    if (candidate.cost < best->cost)
      best = &candidate;
  explain(function, *candidates, *best);
  function->setAttr(CleaveDialect::kScheduleAttrName,
                    getScheduleAttr(&getContext(), best->graph));
  return success();
}
