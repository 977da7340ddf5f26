//===- Explain.cpp - Why a function runs as it does -----------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: between the steps of scheduling, for people. Both phases on one page:
// which graph won and what rules made it, which lost and by how much, and what
// the winner's kernels spend their time on. The function keeps no trace of it.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Transforms/Explain.h"
#include "GraphScheduler.h"
#include "ShapeClasses.h"
#include "TargetDescription.h"

#include "Cleave/Transforms/Passes.h"
#include "Cleave/Transforms/TuningTable.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>

namespace mlir::cleave {
#define GEN_PASS_DEF_CLEAVEEXPLAINPASS
#include "Cleave/Transforms/Passes.h.inc"
} // namespace mlir::cleave

using namespace mlir;
using namespace mlir::cleave;
using namespace mlir::cleave::schedule;
using llvm::format;

namespace {

struct CleaveExplainPass
    : cleave::impl::CleaveExplainPassBase<CleaveExplainPass> {
  using CleaveExplainPassBase::CleaveExplainPassBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (!hasNamedAxes(function))
      return;
    // One write, so that functions printed in parallel do not mix.
    std::string text;
    llvm::raw_string_ostream os(text);
    if (failed(explainSchedule(function,
                               {representative, target, noHorizontal, noAlgebra,
                                noSplit, noIterativeTiling, tuningTable},
                               os)))
      signalPassFailure();
    llvm::errs() << text;
  }
};

class Explainer {
public:
  Explainer(func::FuncOp function, const CleaveExplainPassOptions &options,
            llvm::raw_ostream &os)
      : function(function), options(options), os(os) {}

  LogicalResult run();

private:
  LogicalResult explainChoice();
  LogicalResult explainGiven(Attribute given);
  FailureOr<GraphSchedule> choose(GraphScheduler &scheduler,
                                  const TuningTable *table,
                                  const Bindings &point);
  void printWinner(const GraphSchedule &winner, StringRef how);
  void printDerivation(unsigned region);
  void printLosers(const FoundSchedules &found);
  LogicalResult printKernels(GraphSchedule &schedule);
  void printCost(size_t number, const KernelCost &cost,
                 const ScheduledKernel &kernel);
  void printClasses(ArrayRef<Bindings> points, ArrayRef<GraphSchedule> chosen);
  bool hasAblation() const {
    return options.noHorizontal || options.noAlgebra || options.noSplit ||
           options.noIterativeTiling;
  }

  func::FuncOp function;
  const CleaveExplainPassOptions &options;
  llvm::raw_ostream &os;
  AxisTable axes;
  Target target;
};

} // namespace

//===----------------------------------------------------------------------===//
// What bounds a kernel
//===----------------------------------------------------------------------===//

namespace {
/// How long one part of a kernel's work takes if the device does nothing else.
struct Part {
  StringRef name;
  double time;
};
} // namespace

static SmallVector<Part, 4> getParts(const KernelCost &cost,
                                     const Target &target) {
  double moved = cost.loadedBytes + cost.storedBytes;
  double arithmetic =
      cost.scalarOps / target.scalarOps + cost.specialOps / target.specialOps;
  return {{"memory", cost.memory},
          {"loads of all blocks", cost.blocks * moved / target.cacheBytes},
          {"tensor cores", cost.blocks * cost.tensorMacs / target.tensorMacs},
          {"arithmetic", cost.blocks * arithmetic}};
}

/// What most of the time goes to; waiting where no part is most of it.
static StringRef getBound(const KernelCost &cost, ArrayRef<Part> parts,
                          const Target &target) {
  constexpr double kMost = 0.6;
  double running = cost.time - target.launch;
  if (running < target.launch)
    return "the launch";
  const Part *longest = llvm::max_element(
      parts, [](const Part &a, const Part &b) { return a.time < b.time; });
  if (longest->time >= kMost * running)
    return longest->name;
  return "waiting for loads";
}

/// Why a multiprocessor holds no more blocks.
static StringRef getResidentLimit(const KernelCost &cost, int64_t warps,
                                  const Target &target) {
  int64_t more = cost.resident + 1;
  if (cost.blocks <= double(cost.resident * target.multiprocessors))
    return "there are no more";
  if (more * cost.sharedBytes > target.sharedBytes)
    return "shared memory";
  if (more * cost.registersPerThread * warps * 32 > target.registers)
    return "registers";
  return "warps";
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

void Explainer::printCost(size_t number, const KernelCost &cost,
                          const ScheduledKernel &kernel) {
  SmallVector<Part, 4> parts = getParts(cost, target);
  os << "  kernel " << number << ": " << format("%.1f", cost.time)
     << " us, bound by " << getBound(cost, parts, target);
  if (kernel.sharesLaunch())
    os << ", in the launch of the one before"
       << (kernel.join ? ", by its last blocks" : "");
  os << "\n    alone:";
  for (const Part &part : parts)
    os << " " << part.name << " " << format("%.1f", part.time) << ",";
  os << " launch " << format("%.1f", target.launch) << "\n    "
     << format("%.0f", cost.blocks) << " blocks, " << format("%.0f", cost.waves)
     << (cost.waves > 1 ? " waves" : " wave") << " of " << cost.resident
     << " a multiprocessor ("
     << getResidentLimit(cost, kernel.schedule.warps, target)
     << "); a block: " << format("%.0f", cost.loadedBytes)
     << " bytes loaded in " << format("%.0f", cost.loadSteps) << " steps, "
     << cost.sharedBytes << " bytes of shared memory, "
     << cost.registersPerThread << " registers a thread\n";
}

LogicalResult Explainer::printKernels(GraphSchedule &schedule) {
  FailureOr<std::vector<LoopNest>> nests =
      planKernels(function, schedule.graph, !options.noHorizontal);
  if (failed(nests))
    return failure();
  for (auto [number, nest] : llvm::enumerate(*nests)) {
    const ScheduledKernel &kernel = schedule.graph.kernels[number];
    printCost(number, schedule.cost.kernels[number], kernel);
    std::string text;
    llvm::raw_string_ostream lines(text);
    printLoopNest(kernel.problem, kernel.schedule, nest, "kernel", lines);
    // The first line says what kernel it is again.
    StringRef rest = StringRef(text).ltrim();
    rest = rest.split(": ").second;
    SmallVector<StringRef> each;
    rest.split(each, '\n', -1, /*KeepEmpty=*/false);
    for (StringRef line : each)
      os << "    " << line << "\n";
  }
  return success();
}

void Explainer::printDerivation(unsigned region) {
  auto all = function->getAttrOfType<ArrayAttr>(kDerivationsAttrName);
  if (!all || region >= all.size())
    return;
  auto rules = dyn_cast<ArrayAttr>(all[region]);
  if (!rules || rules.empty())
    return;
  os << "    from the input by ";
  llvm::interleaveComma(rules, os, [&](Attribute rule) {
    os << cast<StringAttr>(rule).getValue();
  });
  os << "\n";
}

void Explainer::printWinner(const GraphSchedule &winner, StringRef how) {
  os << "  " << describe(winner) << ", " << how;
  if (winner.measured)
    os << ", measured " << format("%.2f", *winner.measured) << " us";
  os << "\n";
  printDerivation(winner.graph.region);
}

void Explainer::printLosers(const FoundSchedules &found) {
  const GraphSchedule &best = found.regions[found.best];
  for (const GraphSchedule &other : found.regions) {
    if (&other == &best)
      continue;
    os << "  " << describe(other);
    if (other.cost.excess > best.cost.excess)
      os << ", which does not fit";
    else if (double more = other.cost.time / best.cost.time - 1; more >= 0)
      os << ", " << format("%.0f", 100 * more) << " % more";
    else
      os << ", " << format("%.0f", -100 * more)
         << " % less, which is not worth its kernels or parts";
    os << "\n";
    printDerivation(other.graph.region);
  }
  for (const LostRegion &lost : found.lost)
    os << "  region " << lost.region << ": no schedule, " << lost.reason
       << "\n";
}

void Explainer::printClasses(ArrayRef<Bindings> points,
                             ArrayRef<GraphSchedule> chosen) {
  os << "@" << function.getName() << " runs\n";
  for (const ClassOfExtents &extents :
       chooseShapeClasses(function, axes, points, chosen, target)) {
    os << "  ";
    if (extents.when.empty())
      os << "otherwise";
    else
      os << "when ";
    llvm::interleaveComma(extents.when, os, [&](const auto &condition) {
      os << condition.first << " upto " << condition.second;
    });
    os << ": as at " << describePoint(points[extents.point], points) << "\n";
  }
}

//===----------------------------------------------------------------------===//
// Choosing
//===----------------------------------------------------------------------===//

/// As --cleave-assign-schedule does, and prints why.
FailureOr<GraphSchedule> Explainer::choose(GraphScheduler &scheduler,
                                           const TuningTable *table,
                                           const Bindings &point) {
  FailureOr<FoundSchedules> found = scheduler.schedule(point);
  if (failed(found))
    return failure();
  GraphSchedule &best = found->regions[found->best];
  if (table) {
    std::string reason;
    if (std::optional<GraphSchedule> known =
            lookUpSchedule(*table, hashGraph(function), function, axes, point,
                           target, reason)) {
      printWinner(*known, "from the tuning table");
      os << "  by the model alone it would be\n";
      printWinner(best, "wins");
      printLosers(*found);
      return std::move(*known);
    }
    os << "  " << reason << "\n";
  }
  printWinner(best, "wins");
  printLosers(*found);
  return std::move(best);
}

LogicalResult Explainer::explainChoice() {
  std::optional<TuningTable> table;
  if (!options.tuningTable.empty() && !hasAblation()) {
    FailureOr<TuningTable> read =
        TuningTable::read(options.tuningTable, function.getContext());
    if (failed(read))
      return failure();
    table = std::move(*read);
  }
  FailureOr<std::vector<Bindings>> points =
      getRepresentatives(options.representative, axes, function.getLoc());
  if (failed(points))
    return failure();
  GraphScheduler scheduler(function, axes, target,
                           {!options.noHorizontal, !options.noAlgebra,
                            !options.noSplit, !options.noIterativeTiling});
  std::vector<GraphSchedule> chosen;
  for (const Bindings &point : *points) {
    os << "@" << function.getName() << " on " << target.chip;
    std::string text;
    for (const auto &[axis, extent] : getDynamicExtents(axes, point))
      text += (text.empty() ? " at " : ", ") + axis + " = " +
              std::to_string(extent);
    os << text << "\n";
    FailureOr<GraphSchedule> best =
        choose(scheduler, table ? &*table : nullptr, point);
    if (failed(best) || failed(printKernels(*best)))
      return failure();
    chosen.push_back(std::move(*best));
  }
  if (points->size() > 1)
    printClasses(*points, chosen);
  return success();
}

/// A schedule that the function has.
LogicalResult Explainer::explainGiven(Attribute given) {
  SmallVector<ScheduleAttr> schedules;
  if (auto several = dyn_cast<SchedulesAttr>(given))
    llvm::append_range(schedules, several.getSchedules());
  else
    schedules.push_back(cast<ScheduleAttr>(given));
  FailureOr<std::vector<Bindings>> points =
      getRepresentatives(options.representative, axes, function.getLoc());
  if (failed(points) || failed(getScheduledGraphs(function)))
    return failure();
  for (ScheduleAttr attr : schedules) {
    os << "@" << function.getName() << " on " << target.chip;
    if (!attr.getWhenAxes().empty())
      os << " when " << attr.describeWhen();
    else if (schedules.size() > 1)
      os << " otherwise";
    os << "\n";
    auto always = ScheduleAttr::get(function.getContext(), {}, {},
                                    attr.getRegion(), attr.getSplitAxes(),
                                    attr.getSplitCounts(), attr.getKernels());
    llvm::Expected<GraphSchedule> schedule =
        evaluateSchedule(function, always, axes, points->front(), target);
    if (!schedule)
      return function.emitError() << llvm::toString(schedule.takeError());
    printWinner(*schedule, "as the function says");
    if (failed(printKernels(*schedule)))
      return failure();
  }
  return success();
}

LogicalResult Explainer::run() {
  FailureOr<Target> described = findTarget(function, options.target);
  FailureOr<AxisTable> gathered = AxisTable::get(function);
  if (failed(described) || failed(gathered))
    return failure();
  target = std::move(*described);
  axes = std::move(*gathered);
  if (Attribute given = function->getAttr(CleaveDialect::kScheduleAttrName))
    return explainGiven(given);
  return explainChoice();
}

LogicalResult
mlir::cleave::explainSchedule(func::FuncOp function,
                              const CleaveExplainPassOptions &options,
                              llvm::raw_ostream &os) {
  return Explainer(function, options, os).run();
}
