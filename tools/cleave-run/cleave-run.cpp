//===- cleave-run.cpp - Runs a Cleave function ----------------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Binds extents and inputs, runs on a device, checks, times. Every fault of
// the input is one line on stderr and exit code 1.
//
//===----------------------------------------------------------------------===//

#include "DryRun.h"
#include "Executor.h"
#include "Report.h"
#include "Tune.h"

#include "Cleave/InitAll.h"
#include "Cleave/InitUpstream.h"
#include "Cleave/Runtime/Npy.h"
#include "Cleave/Runtime/Random.h"
#include "Cleave/Transforms/Explain.h"
#include "Cleave/Transforms/Passes.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <set>

using namespace mlir;
using namespace mlir::cleave;

namespace {

/// Times on the device.
class DeviceTimer final : public ScheduleTimer {
public:
  using Measure = std::function<FailureOr<double>(ModuleOp, const Bindings &)>;

  explicit DeviceTimer(Measure measureAt) : measureAt(std::move(measureAt)) {}

  FailureOr<double> measure(ModuleOp module, const TunePoint &point,
                            size_t /*number*/) override {
    return measureAt(module, point.extents);
  }

private:
  Measure measureAt;
};

class Session {
public:
  Session(MLIRContext &context, const RunOptions &options)
      : context(context), options(options) {}

  LogicalResult run();

private:
  LogicalResult error(const Twine &message) {
    return emitError(UnknownLoc::get(&context)) << message;
  }
  FailureOr<OwningOpRef<ModuleOp>> load(StringRef path);
  LogicalResult findEntry();
  LogicalResult loadInputs();
  LogicalResult checkNames();
  FailureOr<std::unique_ptr<Executor>> createExecutor();
  FailureOr<Bindings> getExtents(const Bindings &given);
  double getScale(const Port &port);
  FailureOr<RunRecord> makeRecord(const Bindings &given);
  LogicalResult runOne(Executor &executor, const Bindings &given);
  LogicalResult runDry();
  LogicalResult explain();
  FailureOr<std::string> getChip();
  FailureOr<double> timePinned(ModuleOp pinned, const Bindings &given);
  LogicalResult tune();

  MLIRContext &context;
  const RunOptions &options;
  OwningOpRef<ModuleOp> module;
  /// The module of --source, or the same.
  OwningOpRef<ModuleOp> sourceModule;
  func::FuncOp source;
  Signature signature;
  std::optional<AxisTable> table;
  /// By argument; null where random.
  std::vector<std::optional<HostArray>> inputs;
  std::vector<std::pair<Bindings, RunTime>> times;
};

FailureOr<OwningOpRef<ModuleOp>> Session::load(StringRef path) {
  auto manager = std::make_shared<llvm::SourceMgr>();
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(path);
  if (!buffer)
    return error("cannot read '" + path + "': " + buffer.getError().message());
  manager->AddNewSourceBuffer(std::move(*buffer), SMLoc());
  OwningOpRef<ModuleOp> result = parseSourceFile<ModuleOp>(manager, &context);
  if (!result)
    return failure();
  return result;
}

LogicalResult Session::findEntry() {
  if (!options.entry.empty()) {
    source = sourceModule->lookupSymbol<func::FuncOp>(options.entry);
    if (!source)
      return error("expected a function named '" + options.entry + "'");
  } else {
    for (func::FuncOp function : sourceModule->getOps<func::FuncOp>()) {
      if (source)
        return error("expected --entry=NAME, there being several functions");
      source = function;
    }
    if (!source)
      return error("expected a function in the file");
  }
  if (source.isDeclaration())
    return error("expected a body for '" + source.getName() + "'");
  if (!isCleaveFunction(source) && source.getNumArguments())
    return error("expected --source=FILE.mlir with the cleave function that '" +
                 source.getName() + "' was compiled from");
  if (failed(verifyCleaveFunction(source)))
    return failure();
  FailureOr<Signature> got = Signature::get(source);
  FailureOr<AxisTable> axes = AxisTable::get(source);
  if (failed(got) || failed(axes))
    return failure();
  signature = std::move(*got);
  table = std::move(*axes);
  return success();
}

LogicalResult Session::checkNames() {
  auto isArgument = [&](const std::string &name) {
    return llvm::any_of(signature.arguments,
                        [&](const Port &port) { return port.name == name; });
  };
  for (const auto &[name, file] : options.inputs)
    if (!isArgument(name))
      return error("unknown argument '" + name + "' in --input");
  for (const auto &[name, scale] : options.scales)
    if (!name.empty() && !isArgument(name))
      return error("unknown argument '" + name + "' in --scale");
  SmallVector<StringRef> extents;
  StringRef(options.representative)
      .split(extents, ',', -1, /*KeepEmpty=*/false);
  for (StringRef extent : extents)
    if (StringRef name = extent.split('=').first.trim(); !table->lookup(name))
      return error("unknown axis '" + name + "' in --representative");
  return success();
}

/// Rewrites assume the declared range; what lies beyond is a fault of the data.
static void warnBeyondRange(const Port &port, const HostArray &array) {
  if (!port.range)
    return;
  std::vector<double> values(array.size());
  array.copyTo(values);
  int64_t beyond = llvm::count_if(
      values, [&](double value) { return !(std::abs(value) <= *port.range); });
  if (beyond)
    printWarning(Twine(beyond) + " of " + Twine(array.size()) +
                 " elements of '" + port.name + "' lie beyond cleave.range");
}

LogicalResult Session::loadInputs() {
  for (const Port &port : signature.arguments) {
    inputs.emplace_back();
    auto it = options.inputs.find(port.name);
    if (it == options.inputs.end())
      continue;
    llvm::Expected<HostArray> array = readNpy(it->second.path);
    if (!array)
      return error(llvm::toString(array.takeError()));
    if (it->second.kind) {
      if (array->getKind() != ElementKind::U16)
        return error("expected uint16 elements for '" + port.name +
                     ":bf16' but got " + array->describe());
      array->reinterpretAs(ElementKind::BF16);
    }
    if (array->getKind() != port.kind)
      return error("expected '" + port.name + "' to have elements of type " +
                   elementName(port.kind) + " but got " + array->describe());
    warnBeyondRange(port, *array);
    inputs.back() = std::move(*array);
  }
  return success();
}

FailureOr<std::unique_ptr<Executor>> Session::createExecutor() {
  StringRef entry = source.getName();
  auto function = module->lookupSymbol<func::FuncOp>(entry);
  // A function on its way through the algebra runs as it is, and is checked
  // against what it came from.
  if (options.device == "evaluator")
    return createEvaluatorExecutor(
        function && isCleaveFunction(function) ? function : source, options);
  if (!function)
    return error("expected function '" + entry + "' in '" + options.file + "'");
  if (options.device == "cuda" || options.device == "emulator")
    return createCudaExecutor(*module, entry, options);
#ifdef CLEAVE_STATIC
  return error("device cpu is not in a static cleave-run; use evaluator or "
               "cuda");
#else
  return createCpuExecutor(*module, entry, options);
#endif
}

FailureOr<Bindings> Session::getExtents(const Bindings &given) {
  Bindings all = given;
  // Symbols that only the schedule chooses: any value gives the same results.
  for (const auto &[name, info] : table->axes())
    if (info.kind == AxisKind::Bound && !info.representatives.empty())
      all.try_emplace(name, info.representatives.front());
  SmallVector<const HostArray *> arrays;
  for (const std::optional<HostArray> &input : inputs)
    arrays.push_back(input ? &*input : nullptr);
  return bindExtents(source, *table, signature, arrays, all);
}

double Session::getScale(const Port &port) {
  double largest = std::numeric_limits<double>::infinity();
  if (port.range)
    largest = isFloat(port.kind) ? *port.range / randomBound : *port.range;
  for (const std::string &name : {port.name, std::string()}) {
    auto it = options.scales.find(name);
    if (it != options.scales.end())
      return std::min(it->second, largest);
  }
  return port.range ? largest : 1.0;
}

FailureOr<RunRecord> Session::makeRecord(const Bindings &given) {
  FailureOr<Bindings> extents = getExtents(given);
  if (failed(extents))
    return failure();
  // More than this is a mistyped extent, not an array.
  constexpr int64_t limit = int64_t(1) << 40;
  RunRecord record{given, *extents, {}, {}};
  auto getCheckedShape = [&](const Port &port) -> FailureOr<HostArray> {
    int64_t count = 1;
    SmallVector<int64_t> shape = getShape(port, *extents);
    for (int64_t extent : shape)
      if (llvm::MulOverflow(count, std::max<int64_t>(extent, 1), count) ||
          count > limit)
        return error("'" + port.name + "' is too large");
    return HostArray(port.kind, shape);
  };
  for (auto [port, input] : llvm::zip_equal(signature.arguments, inputs)) {
    if (input) {
      record.arguments.push_back(*input);
      continue;
    }
    FailureOr<HostArray> array = getCheckedShape(port);
    if (failed(array))
      return failure();
    record.arguments.push_back(makeRandom(
        port.kind, array->getShape(), options.seed, port.name, getScale(port)));
  }
  for (const Port &port : signature.results) {
    FailureOr<HostArray> array = getCheckedShape(port);
    if (failed(array))
      return failure();
    array->poison();
    record.results.push_back(std::move(*array));
  }
  return record;
}

LogicalResult Session::runOne(Executor &executor, const Bindings &given) {
  FailureOr<RunRecord> record = makeRecord(given);
  if (failed(record) ||
      failed(executor.run(record->arguments, record->results, record->extents)))
    return failure();
  printResults(signature, *record, options);
  if (!options.outputDir.empty() &&
      failed(writeResults(source, signature, *record, options)))
    return failure();
  bool good = true;
  if (options.check)
    good = succeeded(checkResults(source, signature, *record, options));
  if (options.bench) {
    FailureOr<RunTime> time =
        executor.time(record->arguments, record->results, record->extents);
    if (failed(time))
      return failure();
    printTime(*record, *time);
    times.emplace_back(given, *time);
  }
  return success(good);
}

LogicalResult Session::runDry() {
  FailureOr<std::unique_ptr<DryRun>> dry =
      DryRun::create(*module, source.getName(), options);
  if (failed(dry))
    return failure();
  for (const Bindings &given : options.runs)
    if (FailureOr<Bindings> extents = getExtents(given);
        failed(extents) || failed((*dry)->add(signature, *extents)))
      return failure();
  return options.json.empty() ? success() : (*dry)->write(options.json);
}

LogicalResult Session::explain() {
  auto function = module->lookupSymbol<func::FuncOp>(source.getName());
  if (!function || !isCleaveFunction(function))
    return error("expected a cleave function with --explain");
  if (failed(runPipeline(*module, "func.func(cleave-algebra{derivations})")))
    return failure();
  CleaveExplainPassOptions choice;
  choice.representative = options.representative;
  if (!options.chip.empty())
    choice.target = options.chip;
  choice.tuningTable = options.tuningTable;
  return explainSchedule(function, choice, llvm::outs());
}

/// What to tune for: as for cubins, where nothing is said the device's.
FailureOr<std::string> Session::getChip() {
  if (!options.chip.empty())
    return options.chip;
  if (options.dryRun)
    return error("expected --chip with --dry-run");
  if (options.device == "cuda" && options.tuneTimes.empty())
    return findDeviceChip(module->getLoc());
  return CleaveExplainPassOptions().target;
}

/// How long a function that has its schedule takes, if its results are right.
FailureOr<double> Session::timePinned(ModuleOp pinned, const Bindings &given) {
  FailureOr<RunRecord> record = makeRecord(given);
  if (failed(record))
    return failure();
  FailureOr<std::unique_ptr<Executor>> executor =
      createCudaExecutor(pinned, source.getName(), options);
  if (failed(executor) ||
      failed((*executor)->run(record->arguments, record->results,
                              record->extents)))
    return failure();
  if (options.check &&
      failed(checkResults(source, signature, *record, options)))
    return failure();
  FailureOr<RunTime> time =
      (*executor)->time(record->arguments, record->results, record->extents);
  if (failed(time))
    return failure();
  return time->medianMicroseconds;
}

LogicalResult Session::tune() {
  FailureOr<std::string> chip = getChip();
  if (failed(chip))
    return failure();
  FailureOr<Tuner> tuner =
      Tuner::create(*module, source.getName(), options, *chip);
  if (failed(tuner))
    return failure();
  if (options.dryRun)
    return tuner->writePrograms(
        signature, [&](const Bindings &given) { return getExtents(given); });
  // Before anything is measured for a file that cannot be.
  if (!options.tuneFile.empty() && failed(tuner->readTable(options.tuneFile)))
    return failure();
  std::unique_ptr<ScheduleTimer> timer = std::make_unique<DeviceTimer>(
      [&](ModuleOp pinned, const Bindings &given) {
        return timePinned(pinned, given);
      });
  if (!options.tuneTimes.empty()) {
    FailureOr<std::unique_ptr<ScheduleTimer>> read =
        readTimes(options.tuneTimes, &context);
    if (failed(read))
      return failure();
    timer = std::move(*read);
  }
  if (failed(tuner->measure(*timer)))
    return failure();
  if (options.tuneFile.empty())
    return success();
  return tuner->writeTable(options.tuneFile);
}

LogicalResult Session::run() {
  FailureOr<OwningOpRef<ModuleOp>> loaded = load(options.file);
  if (failed(loaded))
    return failure();
  module = std::move(*loaded);
  if (options.source.empty()) {
    // Compilation changes the module; the reference keeps the original.
    sourceModule = module->clone();
  } else {
    FailureOr<OwningOpRef<ModuleOp>> original = load(options.source);
    if (failed(original))
      return failure();
    sourceModule = std::move(*original);
  }
  if (failed(findEntry()) || failed(checkNames()) || failed(loadInputs()))
    return failure();
  if (options.explain)
    return explain();
  if (options.tune)
    return tune();
  // Extents are checked before anything is compiled.
  for (const Bindings &given : options.runs)
    if (failed(getExtents(given)))
      return failure();
  if (options.dryRun)
    return runDry();
  FailureOr<std::unique_ptr<Executor>> executor = createExecutor();
  if (failed(executor))
    return failure();
  bool good = true;
  for (const Bindings &given : options.runs)
    good &= succeeded(runOne(**executor, given));
  if (!options.json.empty() && failed(writeTimes(source, options, times)))
    return failure();
  return success(good);
}

/// One line an error: no source excerpt, no notes.
LogicalResult printDiagnostic(Diagnostic &diagnostic) {
  if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
    return success();
  llvm::errs() << "cleave-run: error: ";
  if (auto location =
          diagnostic.getLocation()->findInstanceOf<FileLineColLoc>())
    llvm::errs() << location.getFilename().getValue() << ":"
                 << location.getLine() << ":" << location.getColumn() << ": ";
  llvm::errs() << diagnostic.str() << "\n";
  return success();
}

} // namespace

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  llvm::Expected<RunOptions> options = parseOptions(argc, argv);
  if (!options) {
    llvm::errs() << "cleave-run: error: " << llvm::toString(options.takeError())
                 << "\n";
    return 1;
  }
  DialectRegistry registry;
  registerUpstreamDialects(registry);
  mlir::cleave::registerAllDialects(registry);
  registerUpstreamPasses();
  mlir::cleave::registerAllPasses();
  MLIRContext context(registry);
  context.getDiagEngine().registerHandler(printDiagnostic);
  return succeeded(Session(context, *options).run()) ? 0 : 1;
}
