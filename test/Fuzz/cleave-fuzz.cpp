//===- cleave-fuzz.cpp - Random graphs and random schedules ---------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Without a file: random graphs go through algebra, schedule and the CPU, and
// are compared with the evaluator. With files: their functions do, under random
// legal schedules. A failure is made small and written down.
//
//===----------------------------------------------------------------------===//

#include "GraphPlan.h"
#include "RandomSchedule.h"
#include "Trial.h"

#include "Cleave/InitAll.h"
#include "Cleave/InitUpstream.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/PrettyStackTrace.h"
#include "llvm/Support/raw_ostream.h"
#include <set>

using namespace mlir;
using namespace mlir::cleave;

static llvm::cl::OptionCategory category("Fuzzing");
static llvm::cl::list<std::string>
    files(llvm::cl::Positional, llvm::cl::desc("[FILE.mlir:BINDINGS ...]"),
          llvm::cl::cat(category));
static llvm::cl::opt<unsigned> firstSeed("seed", llvm::cl::desc("The first"),
                                         llvm::cl::init(1),
                                         llvm::cl::cat(category));
static llvm::cl::opt<unsigned>
    count("count", llvm::cl::desc("How many graphs, or schedules of all files"),
          llvm::cl::init(100), llvm::cl::cat(category));
static llvm::cl::opt<std::string>
    scratch("scratch", llvm::cl::desc("A folder for what fails"),
            llvm::cl::init("."), llvm::cl::cat(category));
static llvm::cl::opt<bool>
    randomSchedules("random-schedules",
                    llvm::cl::desc("Graphs under random schedules"),
                    llvm::cl::cat(category));
static llvm::cl::opt<bool>
    keep("keep",
         llvm::cl::desc("Write every graph, and what it is compiled as"),
         llvm::cl::cat(category));
static llvm::cl::opt<bool>
    asFound("as-found", llvm::cl::desc("Do not make failing graphs smaller"),
            llvm::cl::cat(category));

//===----------------------------------------------------------------------===//
// What schedules look like
//===----------------------------------------------------------------------===//

namespace {
struct Report {
  unsigned graphs = 0, tell = 0, folded = 0, split = 0, sharing = 0, fused = 0;
  unsigned kernels = 0, launches = 0, joined = 0, failed = 0, single = 0,
           classes = 0;
};
} // namespace

/// Whether two reductions or folds of the problem share an axis.
static bool hasSharedAxis(const schedule::Problem &problem) {
  std::map<schedule::AxisId, std::set<std::pair<bool, unsigned>>> reductions;
  for (schedule::NodeId id = 0; id < problem.size(); ++id) {
    bool isFold = problem[id].kind == schedule::NodeKind::FoldState;
    for (schedule::AxisId axis : problem.getReducedAxes(id))
      reductions[axis].insert({isFold, isFold ? problem[id].fold : id});
  }
  return llvm::any_of(
      reductions, [](const auto &entry) { return entry.second.size() > 1; });
}

/// A fold is several reductions that were fused.
static bool isFused(const ScheduledGraph &graph) {
  if (!hasSharedAxis(graph.problem))
    return true;
  return llvm::any_of(graph.kernels, [](const auto &kernel) {
    return hasSharedAxis(kernel.problem) || !kernel.problem.folds.empty();
  });
}

static void addToReport(ArrayRef<ScheduledGraph> graphs, bool shares,
                        Report &report) {
  for (const ScheduledGraph &graph : graphs)
    for (const schedule::ScheduledKernel &kernel : graph.kernels) {
      ++report.kernels;
      report.launches += !kernel.sharesLaunch();
      report.joined += kernel.join;
    }
  report.classes += graphs.size() > 1;
  report.single += graphs.back().kernels.size() == 1;
  report.folded += !graphs.back().problem.folds.empty();
  report.split += llvm::any_of(
      graphs.back().splits, [](const auto &entry) { return entry.second > 1; });
  report.sharing += shares;
  report.fused += shares && isFused(graphs.back());
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

namespace {
/// How a graph is compiled; part of what a seed means.
struct Choices {
  bool formsFolds = false;
  bool noHorizontal = false;
  std::string algebra, schedule;

  static Choices get(unsigned seed);
};
} // namespace

Choices Choices::get(unsigned seed) {
  Choices choices;
  std::mt19937 random(seed * 40503u + 1);
  auto below = [&](unsigned bound) { return (random() >> 8) % bound; };
  choices.formsFolds = below(5) == 0;
  choices.noHorizontal = below(8) == 0;
  // Large extents make schedules with loops and parts.
  constexpr const char *kRepresentatives[] = {"", "16", "2048", "100000"};
  std::string representative = kRepresentatives[below(4)];
  choices.algebra = "func.func(cleave-algebra{check=none split=" +
                    std::string(below(4) ? "false" : "true") + "})";
  choices.schedule =
      "func.func(cleave-assign-schedule{target=" +
      std::string(below(4) ? "sm_90a" : "sm_80") +
      " no-split=" + (below(8) ? "false" : "true") +
      " no-horizontal=" + (choices.noHorizontal ? "true" : "false");
  if (below(8) == 0)
    choices.algebra = "cleave-expand";
  if (!representative.empty())
    choices.schedule += " representative=@" + representative;
  choices.schedule += "})";
  return choices;
}

/// `@N` stands for all dynamic axes with the extent N.
static std::string bindAll(std::string pipeline, const GraphPlan &plan) {
  size_t at = pipeline.find("representative=@");
  if (at == std::string::npos)
    return pipeline;
  size_t begin = pipeline.find('@', at), end = pipeline.find('}', begin);
  std::string extent = pipeline.substr(begin + 1, end - begin - 1), list;
  for (const auto &[name, axis] : plan.axes)
    if (axis.isDynamic)
      list += (list.empty() ? "" : ",") + name + "=" + extent;
  return list.empty() ? pipeline.erase(at, end - at)
                      : pipeline.replace(begin, end - begin, list);
}

static func::FuncOp getFunction(ModuleOp module) {
  return *module.getOps<func::FuncOp>().begin();
}

/// Whether the graph as it was written has reductions over one axis.
static bool sharesAxis(ModuleOp source) {
  OwningOpRef<ModuleOp> expanded = source.clone();
  std::string reason;
  if (failed(runQuietly(*expanded, "cleave-expand", reason)))
    return false;
  func::FuncOp function = getFunction(*expanded);
  ScopedDiagnosticHandler handler(source.getContext(),
                                  [](Diagnostic &) { return success(); });
  FailureOr<AxisTable> axes = AxisTable::get(function);
  FailureOr<schedule::Problem> problem =
      buildProblem(function, 0, *axes, axes->representative({}));
  return succeeded(problem) &&
         (hasSharedAxis(*problem) || !problem->folds.empty());
}

static Outcome refuse(std::string reason) {
  Outcome outcome;
  outcome.kind = Outcome::Refused;
  outcome.reason = std::move(reason);
  return outcome;
}

/// Gives the function schedules: the chosen ones, or random ones.
static FailureOr<std::vector<ScheduledGraph>>
addSchedules(ModuleOp module, const std::string &pipeline, unsigned seed,
             std::string &reason) {
  func::FuncOp function = getFunction(module);
  if (randomSchedules) {
    std::mt19937 random(seed * 69069u + 5);
    return addRandomSchedules(function, random);
  }
  if (failed(runQuietly(module, pipeline, reason)))
    return failure();
  return getScheduledGraphs(function);
}

namespace {
/// A graph as it was written, and with a schedule.
struct Prepared {
  OwningOpRef<ModuleOp> source, module;
  std::vector<ScheduledGraph> graphs;
};
} // namespace

static std::optional<Prepared> prepare(MLIRContext &context,
                                       const GraphPlan &plan,
                                       const Choices &choices, unsigned seed,
                                       std::string &reason) {
  Prepared prepared;
  prepared.source = plan.build(context);
  if (!prepared.source) {
    reason = "not a valid graph";
    return std::nullopt;
  }
  if (choices.formsFolds &&
      failed(runQuietly(*prepared.source,
                        "cleave-expand,func.func(cleave-form-folds)", reason)))
    return std::nullopt;
  prepared.module = prepared.source->clone();
  if (failed(runQuietly(*prepared.module, choices.algebra, reason)))
    return std::nullopt;
  FailureOr<std::vector<ScheduledGraph>> graphs = addSchedules(
      *prepared.module, bindAll(choices.schedule, plan), seed, reason);
  if (failed(graphs))
    return std::nullopt;
  prepared.graphs = std::move(*graphs);
  return prepared;
}

/// One graph through everything. `report` may be null.
static Outcome tryGraph(MLIRContext &context, const GraphPlan &plan,
                        const Choices &choices, unsigned seed, Report *report) {
  std::string reason;
  std::optional<Prepared> prepared =
      prepare(context, plan, choices, seed, reason);
  if (!prepared)
    return refuse(reason);
  std::vector<Bindings> runs;
  for (size_t run = 0; run < plan.countRuns(); ++run)
    runs.push_back(plan.getExtents(run));
  FailureOr<std::vector<Expectation>> expectations =
      evaluateSource(getFunction(*prepared->source), runs, seed);
  if (failed(expectations))
    return refuse("not evaluated");
  Outcome outcome =
      compileAndRun(*prepared->module, *expectations, choices.noHorizontal);
  if (report) {
    addToReport(prepared->graphs, sharesAxis(*prepared->source), *report);
    report->tell += outcome.tells;
  }
  return outcome;
}

static std::string write(Operation *module, const Twine &name) {
  std::string path = (scratch + "/" + name + ".mlir").str();
  std::error_code error;
  llvm::raw_fd_ostream stream(path, error);
  if (!error)
    stream << *module << "\n";
  return path;
}

/// Makes a failing graph small and says where it is.
static void reportFailure(MLIRContext &context, GraphPlan plan,
                          const Choices &choices, unsigned seed,
                          Outcome outcome) {
  auto stage = [](const Outcome &outcome) {
    return std::make_pair(outcome.kind,
                          outcome.kind == Outcome::Wrong ? "" : outcome.reason);
  };
  if (!asFound)
    plan = shrink(plan, [&](const GraphPlan &smaller) {
      return stage(tryGraph(context, smaller, choices, seed, nullptr)) ==
             stage(outcome);
    });
  outcome = tryGraph(context, plan, choices, seed, nullptr);
  std::string reason, name = "graph" + std::to_string(seed);
  OwningOpRef<ModuleOp> source = plan.build(context);
  llvm::outs() << "graph " << seed
               << (outcome.kind == Outcome::Wrong ? " is wrong: "
                                                  : " is refused: ")
               << outcome.reason << "\n  " << write(*source, name) << "\n";
  if (std::optional<Prepared> prepared =
          prepare(context, plan, choices, seed, reason))
    llvm::outs() << "  " << write(*prepared->module, name + ".scheduled")
                 << "\n";
  llvm::outs() << "  " << (choices.formsFolds ? "with folds, " : "")
               << choices.algebra << ", " << bindAll(choices.schedule, plan)
               << "\n";
  llvm::outs().flush();
}

static void runGraphs(MLIRContext &context, Report &report) {
  for (unsigned seed = firstSeed; seed < firstSeed + count; ++seed) {
    llvm::PrettyStackTraceFormat trace("graph %u", seed);
    GraphPlan plan = makeRandomGraph(context, seed);
    Choices choices = Choices::get(seed);
    std::string reason;
    if (keep)
      write(*plan.build(context), "graph" + Twine(seed));
    if (std::optional<Prepared> prepared =
            keep ? prepare(context, plan, choices, seed, reason) : std::nullopt)
      write(*prepared->module, "graph" + Twine(seed) + ".scheduled");
    ++report.graphs;
    Outcome outcome = tryGraph(context, plan, choices, seed, &report);
    if (outcome.kind == Outcome::Right)
      continue;
    ++report.failed;
    reportFailure(context, plan, choices, seed, outcome);
  }
  llvm::outs() << report.graphs - report.failed << " of " << count
               << " graphs are right, " << report.tell << " have numbers\n"
               << report.kernels << " kernels in " << report.launches
               << " launches (" << report.joined << " joined), "
               << report.single << " graphs in one; " << report.folded
               << " folded, " << report.split << " split, " << report.classes
               << " of several schedules\n"
               << report.fused << " of " << report.sharing
               << " graphs with two reductions over an axis are fused: "
               << 100 * report.fused / std::max(report.sharing, 1u) << " %\n";
}

//===----------------------------------------------------------------------===//
// Schedules
//===----------------------------------------------------------------------===//

namespace {
/// A function of a file after the algebra, and what it should give.
struct Subject {
  std::string name;
  OwningOpRef<ModuleOp> module;
  std::vector<Expectation> expectations;
};
} // namespace

/// "M=1,K=2;M=3,K=4" for the dynamic axes that the function has.
static std::vector<Bindings> parseRuns(StringRef text, func::FuncOp function) {
  std::vector<Bindings> runs;
  FailureOr<AxisTable> axes = AxisTable::get(function);
  for (StringRef run : llvm::split(text, ';')) {
    FailureOr<Bindings> extents = parseExtents(run, function.getLoc());
    if (failed(axes) || failed(extents))
      return {};
    Bindings &known = runs.emplace_back();
    for (const auto &[name, extent] : *extents)
      if (const AxisInfo *info = axes->lookup(name);
          info && ShapedType::isDynamic(info->extent))
        known[name] = extent;
  }
  return runs;
}

static LogicalResult addSubject(func::FuncOp source, StringRef bindings,
                                std::vector<Subject> &subjects) {
  Subject subject;
  subject.name = source.getName().str();
  FailureOr<std::vector<Expectation>> expectations =
      evaluateSource(source, parseRuns(bindings, source), /*seed=*/1);
  if (failed(expectations))
    return failure();
  subject.expectations = std::move(*expectations);
  subject.module = ModuleOp::create(source.getLoc());
  subject.module->push_back(source.clone());
  // What is pinned would stay.
  getFunction(*subject.module)->removeAttr(CleaveDialect::kScheduleAttrName);
  std::string reason;
  if (failed(runQuietly(*subject.module,
                        "func.func(cleave-algebra{split=true})", reason)))
    return source.emitError(reason);
  subjects.push_back(std::move(subject));
  return success();
}

static LogicalResult load(MLIRContext &context, StringRef argument,
                          std::vector<Subject> &subjects) {
  auto [path, bindings] = argument.rsplit(':');
  OwningOpRef<ModuleOp> source = parseSourceFile<ModuleOp>(path, &context);
  if (!source)
    return failure();
  for (func::FuncOp function : source->getOps<func::FuncOp>())
    if (failed(addSubject(function, bindings, subjects)))
      return failure();
  return success();
}

static void runSchedule(Subject &subject, unsigned seed, Report &report) {
  llvm::PrettyStackTraceFormat trace("schedule %u of %s", seed,
                                     subject.name.c_str());
  std::mt19937 random(seed * 69069u + 5);
  OwningOpRef<ModuleOp> module = subject.module->clone();
  func::FuncOp function = getFunction(*module);
  FailureOr<std::vector<ScheduledGraph>> graphs =
      addRandomSchedules(function, random);
  Outcome outcome;
  if (failed(graphs)) {
    outcome = refuse("no schedule");
  } else {
    addToReport(*graphs, false, report);
    OwningOpRef<ModuleOp> compiled = module->clone();
    outcome = compileAndRun(*compiled, subject.expectations,
                            (random() >> 8) % 8 == 0);
  }
  ++report.graphs;
  report.tell += outcome.tells;
  if (outcome.kind == Outcome::Right)
    return;
  ++report.failed;
  llvm::outs() << "schedule " << seed << " of " << subject.name
               << (outcome.kind == Outcome::Wrong ? " is wrong: "
                                                  : " is refused: ")
               << outcome.reason << "\n  "
               << write(*module, "schedule" + Twine(seed)) << "\n";
  llvm::outs().flush();
}

static bool runSchedules(MLIRContext &context, Report &report) {
  std::vector<Subject> subjects;
  for (const std::string &file : files)
    if (failed(load(context, file, subjects)))
      return false;
  for (unsigned i = 0; i < count; ++i)
    runSchedule(subjects[(firstSeed + i) % subjects.size()], firstSeed + i,
                report);
  llvm::outs() << report.graphs - report.failed << " of " << count
               << " schedules are right, " << report.tell << " have numbers\n"
               << report.kernels << " kernels in " << report.launches
               << " launches (" << report.joined << " joined), "
               << report.single << " schedules with one; " << report.folded
               << " folded, " << report.split << " split, " << report.classes
               << " of several schedules\n";
  return true;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  llvm::cl::HideUnrelatedOptions(category);
  llvm::cl::ParseCommandLineOptions(argc, argv,
                                    "Random graphs and schedules\n");
  DialectRegistry registry;
  registerUpstreamDialects(registry);
  mlir::cleave::registerAllDialects(registry);
  registerUpstreamPasses();
  mlir::cleave::registerAllPasses();
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadDialect<CleaveDialect, func::FuncDialect>();
  Report report;
  if (files.empty())
    runGraphs(context, report);
  else if (!runSchedules(context, report))
    return 1;
  return report.failed ? 1 : 0;
}
