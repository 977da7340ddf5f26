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
  /// The numbers of parts that the cost is for.
  Bindings parts;
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
                                    const Bindings &parts,
                                    const Candidate *like, bool rough,
                                    std::string &reason);
  std::optional<Candidate> scheduleParts(func::FuncOp function, unsigned region,
                                         const AxisTable &axes,
                                         ArrayRef<std::string> symbols,
                                         std::string &reason);
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
  if (candidate.graph.kernels.size() > 1)
    os << " in " << candidate.graph.kernels.size() << " kernels";
  for (const auto &[symbol, parts] : candidate.parts)
    if (parts > 1)
      os << ", " << symbol << " = " << parts;
  if (candidate.cost.excess > 1)
    os << ", " << llvm::format("%.1f", candidate.cost.excess)
       << " times the registers or shared memory of a block";
  return text;
}

static std::string describe(size_t number, const KernelCost &kernel) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "kernel " << number << ": " << llvm::format("%.1f", kernel.time)
     << " us, " << kernel.resident << " blocks a multiprocessor, "
     << kernel.sharedBytes << " bytes of shared memory, "
     << kernel.registersPerThread << " registers a thread";
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

/// Whether some extent is only known at run time.
static bool isDynamic(const AxisTable &axes) {
  return llvm::any_of(axes.axes(), [](const auto &axis) {
    return axis.second.kind == AxisKind::Dynamic;
  });
}

/// The best schedule of the region in so many parts, on from the kernels that
/// `like` has if it is not null. `rough` looks at fewer schedules. `reason`
/// says why there is none.
std::optional<Candidate>
CleaveAssignSchedulePass::schedule(func::FuncOp function, unsigned region,
                                   const AxisTable &axes, const Bindings &parts,
                                   const Candidate *like, bool rough,
                                   std::string &reason) {
  Candidate candidate;
  candidate.graph.region = region;
  candidate.parts = parts;
  for (const auto &[symbol, count] : parts)
    candidate.graph.splits[symbol] = count > 1 && isDynamic(axes)
                                         ? PartCount{0, 1, 1}
                                         : PartCount{count, 0, 1};
  FailureOr<Bindings> extents =
      parseRepresentative(representative, axes, function.getLoc(), parts);
  if (failed(extents))
    return std::nullopt;
  FailureOr<Problem> problem = [&] {
    ScopedDiagnosticHandler handler(&getContext(), [&](Diagnostic &error) {
      reason = error.str();
      return success();
    });
    return buildProblem(function, region, axes, *extents,
                        candidate.graph.splits);
  }();
  if (failed(problem))
    return std::nullopt;
  candidate.graph.problem = std::move(*problem);
  SearchOptions options;
  options.horizontal = !noHorizontal;
  if (rough) {
    options.pairs = false;
    options.maxKernels /= 8;
    options.maxWork /= 8;
  }
  Partition start;
  if (like)
    for (const ScheduledKernel &kernel : like->graph.kernels)
      start.push_back(kernel.stores);
  llvm::Expected<PartitionResult> result =
      searchPartition(candidate.graph.problem, *getTarget(target), options,
                      like ? &start : nullptr);
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

/// How many tiles `axis` has at the representative extents.
static int64_t countTiles(const Problem &problem, const AxisTile &range) {
  return llvm::divideCeil(
      std::max<int64_t>(problem.axes[range.axis].representative, 1),
      range.tile);
}

/// A number of parts that was chosen for representative extents becomes one
/// that fills as many blocks at all, in parts of whole tiles.
static void generalizeParts(Candidate &candidate) {
  for (auto &[symbol, parts] : candidate.graph.splits) {
    if (!parts.fill)
      continue;
    parts.fill = candidate.parts[symbol];
    for (const ScheduledKernel &kernel : candidate.graph.kernels) {
      AxisId outer = kernel.problem.findAxis(symbol);
      if (!getTile(kernel.schedule.grid, outer))
        continue;
      for (const AxisTile &range : kernel.schedule.grid)
        if (range.axis != outer)
          parts.fill *= countTiles(kernel.problem, range);
      for (const AxisTile &range : kernel.schedule.loop)
        if (const auto &part = kernel.problem.axes[range.axis].part;
            part && part->outer == outer)
          parts.by = std::max(parts.by, range.tile);
      break;
    }
  }
}

/// As above, with the best numbers of parts: one symbol after the other, twice
/// as many while that helps.
std::optional<Candidate> CleaveAssignSchedulePass::scheduleParts(
    func::FuncOp function, unsigned region, const AxisTable &axes,
    ArrayRef<std::string> symbols, std::string &reason) {
  constexpr int64_t kMostParts = 256;
  Bindings parts;
  for (const std::string &symbol : symbols)
    parts[symbol] = 1;
  std::optional<Candidate> best =
      schedule(function, region, axes, parts, nullptr, /*rough=*/false, reason);
  if (noSplit)
    return best;
  for (const std::string &symbol : symbols) {
    // The kernels for one number are a good start for the next.
    std::optional<Candidate> last;
    for (int64_t count = 2, worse = 0; count <= kMostParts && worse < 2;
         count *= 2) {
      Bindings more = best ? best->parts : parts;
      more[symbol] = count;
      std::optional<Candidate> candidate =
          schedule(function, region, axes, more, last ? &*last : nullptr,
                   /*rough=*/last.has_value(), reason);
      if (!candidate || (best && !(candidate->cost < best->cost))) {
        ++worse;
        if (candidate)
          last = std::move(candidate);
        continue;
      }
      candidate->schedulesTried += best ? best->schedulesTried : 0;
      last = best = std::move(candidate);
    }
  }
  if (!best)
    return best;
  if (best->parts != parts)
    if (std::optional<Candidate> thorough =
            schedule(function, region, axes, best->parts, &*best,
                     /*rough=*/false, reason)) {
      thorough->schedulesTried += best->schedulesTried;
      best = std::move(thorough);
    }
  generalizeParts(*best);
  return best;
}

/// Schedules every region, or the last (the graph as written) alone.
FailureOr<std::vector<Candidate>>
CleaveAssignSchedulePass::schedule(func::FuncOp function) {
  if (!getTarget(target))
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
    std::string label;
    if (*alternatives && (*alternatives).getLabels())
      label = cast<StringAttr>((*(*alternatives).getLabels())[region]).str();
    if (noAlgebra && regions > 1 && label != "input")
      continue;
    Region &body = *alternatives ? (*alternatives).getAlternatives()[region]
                                 : function.getBody();
    std::string why;
    std::optional<Candidate> found =
        scheduleParts(function, region, *axes, getSymbols(body, *axes), why);
    if (found) {
      found->label = label;
      candidates.push_back(std::move(*found));
      continue;
    }
    // Nothing else may be better: an error is shown where it is.
    if (regions == 1 && failed(buildProblem(function, region, *axes, *extents)))
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
      describe(best) + ", " + std::to_string(best.schedulesTried) +
      " schedules tried, " +
      (best.converged ? "no neighbour is better" : "stopped at the limit");
  remark::passed(function.getLoc(), opts) << StringRef(chosen);
  for (auto [i, kernel] : llvm::enumerate(best.cost.kernels))
    remark::analysis(function.getLoc(), opts) << StringRef(describe(i, kernel));
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
    return success(succeeded(getScheduledGraphs(function)));
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
