//===- Tune.cpp - Measuring schedules -------------------------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Candidates come from --cleave-assign-schedule; each is pinned to a copy of
// the function, which the ordinary pipelines then compile.
//
//===----------------------------------------------------------------------===//

#include "Tune.h"

#include "DryRun.h"
#include "Executor.h"

#include "Cleave/Transforms/ReadJSON.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::cleave;
namespace json = llvm::json;
using llvm::format;
using llvm::outs;

std::optional<size_t> TunePoint::getBest() const {
  std::optional<size_t> best;
  for (auto [number, candidate] : llvm::enumerate(candidates))
    if (candidate.measured &&
        (!best || *candidate.measured < *candidates[*best].measured))
      best = number;
  return best;
}

//===----------------------------------------------------------------------===//
// Times from a file
//===----------------------------------------------------------------------===//

namespace {

struct PointTimes {
  Bindings extents;
  std::vector<std::optional<double>> times;
};

struct Times {
  std::vector<PointTimes> points;
};

// Found by the arguments' namespace.
bool fromJSON(const json::Value &value, PointTimes &times, json::Path path) {
  json::ObjectMapper mapper(value, path);
  return mapper && mapper.map("extents", times.extents) &&
         mapper.map("us", times.times);
}

bool fromJSON(const json::Value &value, Times &times, json::Path path) {
  json::ObjectMapper mapper(value, path);
  return mapper && mapper.map("points", times.points);
}

class FileTimer final : public ScheduleTimer {
public:
  FileTimer(Times times, StringRef path)
      : times(std::move(times)), path(path) {}

  FailureOr<double> measure(ModuleOp module, const TunePoint &point,
                            size_t number) override {
    for (const PointTimes &each : times.points)
      if (each.extents == point.extents && number < each.times.size() &&
          each.times[number])
        return *each.times[number];
    return emitError(module.getLoc()) << "no time in '" << path << "'";
  }

private:
  Times times;
  std::string path;
};

} // namespace

FailureOr<std::unique_ptr<ScheduleTimer>>
mlir::cleave::readTimes(StringRef path, MLIRContext *context) {
  FailureOr<Times> times = readJSON<Times>(path, "times", context);
  if (failed(times))
    return failure();
  return std::unique_ptr<ScheduleTimer>(
      std::make_unique<FileTimer>(std::move(*times), path));
}

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

FailureOr<Tuner> Tuner::create(ModuleOp module, StringRef entry,
                               const RunOptions &options, StringRef chip) {
  Tuner tuner(module, entry, options, chip);
  if (failed(tuner.findCandidates()))
    return failure();
  return tuner;
}

LogicalResult Tuner::findCandidates() {
  auto function = module->lookupSymbol<func::FuncOp>(entry);
  if (!function || !isCleaveFunction(function) ||
      function->hasAttr(CleaveDialect::kScheduleAttrName))
    return emitError(function ? function.getLoc() : module->getLoc())
           << "expected a cleave function without a schedule with --tune";
  if (failed(runPipeline(*module, "func.func(cleave-algebra)")))
    return failure();
  graph = hashGraph(function);
  OwningOpRef<ModuleOp> copy = module->clone();
  std::string pipeline = "func.func(cleave-assign-schedule{candidates=" +
                         std::to_string(options.tuneCount) + " target=" + chip;
  if (!options.representative.empty())
    pipeline += " representative=" + options.representative;
  if (failed(runPipeline(*copy, pipeline + "})")))
    return failure();
  auto all = copy->lookupSymbol<func::FuncOp>(entry)->getAttrOfType<ArrayAttr>(
      kCandidatesAttrName);
  for (auto at : all.getAsRange<DictionaryAttr>()) {
    TunePoint &point = points.emplace_back();
    for (NamedAttribute extent : at.getAs<DictionaryAttr>("extents"))
      point.extents[extent.getName().str()] =
          cast<IntegerAttr>(extent.getValue()).getInt();
    for (auto [schedule, time] : llvm::zip_equal(
             at.getAs<ArrayAttr>("schedules"), at.getAs<ArrayAttr>("model_us")))
      point.candidates.push_back({cast<ScheduleAttr>(schedule),
                                  cast<FloatAttr>(time).getValueAsDouble(),
                                  std::nullopt,
                                  {}});
  }
  return success();
}

/// A copy of the module whose function has the schedule.
OwningOpRef<ModuleOp> Tuner::pin(ScheduleAttr schedule) {
  OwningOpRef<ModuleOp> copy = module->clone();
  copy->lookupSymbol<func::FuncOp>(entry)->setAttr(
      CleaveDialect::kScheduleAttrName, schedule);
  return copy;
}

/// What `action` emits becomes its fault.
template <typename T>
static FailureOr<T> catchErrors(MLIRContext *context, std::string &fault,
                                function_ref<FailureOr<T>()> action) {
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error && fault.empty())
      fault = diagnostic.str();
    return success();
  });
  FailureOr<T> result = action();
  if (failed(result) && fault.empty())
    fault = "wrong";
  return result;
}

//===----------------------------------------------------------------------===//
// Measuring
//===----------------------------------------------------------------------===//

static std::string getLabel(const TunePoint &point) {
  std::string extents = toString(point.extents);
  return extents.empty() ? "tune" : "tune[" + extents + "]";
}

void Tuner::print(const TunePoint &point) {
  outs() << getLabel(point) << ": " << point.candidates.size()
         << (point.candidates.size() == 1 ? " schedule" : " schedules")
         << " on " << chip << "\n";
  for (auto [number, candidate] : llvm::enumerate(point.candidates)) {
    outs() << "  " << number << ": model "
           << format("%.1f", candidate.modelMicroseconds) << " us, ";
    if (candidate.measured)
      outs() << "measured " << format("%.2f", *candidate.measured) << " us: ";
    else
      outs() << "not measured (" << candidate.fault << "): ";
    outs() << Attribute(candidate.schedule) << "\n";
  }
  if (std::optional<size_t> best = point.getBest())
    outs() << "  fastest: " << *best << "\n";
}

LogicalResult Tuner::measure(ScheduleTimer &timer) {
  for (TunePoint &point : points) {
    for (auto [number, candidate] : llvm::enumerate(point.candidates)) {
      OwningOpRef<ModuleOp> pinned = pin(candidate.schedule);
      FailureOr<double> time = catchErrors<double>(
          module->getContext(), candidate.fault, [&, number = number] {
            return timer.measure(*pinned, point, number);
          });
      if (succeeded(time))
        candidate.measured = *time;
    }
    print(point);
    if (!point.getBest())
      return emitError(module->lookupSymbol(entry)->getLoc())
             << "expected a time of some schedule in " << getLabel(point);
  }
  return success();
}

LogicalResult Tuner::readTable(StringRef path) {
  if (!llvm::sys::fs::exists(path))
    return success();
  FailureOr<TuningTable> read = TuningTable::read(path, module->getContext());
  if (failed(read))
    return failure();
  table = std::move(*read);
  return success();
}

LogicalResult Tuner::writeTable(StringRef path) {
  for (const TunePoint &point : points)
    if (std::optional<size_t> best = point.getBest()) {
      const TuneCandidate &fastest = point.candidates[*best];
      table.set({graph, chip, point.extents},
                {entry, fastest.schedule, *fastest.measured});
    }
  return table.write(path, module->getContext());
}

//===----------------------------------------------------------------------===//
// Programs for another launcher
//===----------------------------------------------------------------------===//

LogicalResult Tuner::writePrograms(
    const Signature &signature,
    function_ref<FailureOr<Bindings>(const Bindings &)> getExtents) {
  json::Array all;
  for (const TunePoint &point : points) {
    FailureOr<Bindings> extents = getExtents(point.extents);
    if (failed(extents))
      return failure();
    json::Array candidates;
    for (const TuneCandidate &candidate : point.candidates) {
      std::string text, fault;
      llvm::raw_string_ostream os(text);
      Attribute(candidate.schedule).print(os);
      json::Object described{{"schedule", text},
                             {"model_us", candidate.modelMicroseconds}};
      OwningOpRef<ModuleOp> pinned = pin(candidate.schedule);
      FailureOr<json::Object> program = catchErrors<json::Object>(
          module->getContext(), fault, [&]() -> FailureOr<json::Object> {
            FailureOr<std::unique_ptr<DryRun>> dry =
                DryRun::create(*pinned, entry, options);
            if (failed(dry) || failed((*dry)->add(signature, *extents)))
              return failure();
            return (*dry)->take();
          });
      if (succeeded(program))
        described["program"] = std::move(*program);
      else
        described["error"] = fault;
      candidates.push_back(std::move(described));
    }
    json::Object at;
    for (const auto &[axis, extent] : point.extents)
      at[axis] = extent;
    all.push_back(json::Object{{"extents", std::move(at)},
                               {"candidates", std::move(candidates)}});
  }
  std::error_code status;
  llvm::raw_fd_ostream out(options.json, status);
  if (status)
    return emitError(module->getLoc())
           << "cannot write '" << options.json << "': " << status.message();
  out << llvm::formatv("{0}\n",
                       json::Value(json::Object{{"function", entry},
                                                {"graph", graph},
                                                {"chip", chip},
                                                {"points", std::move(all)}}));
  return success();
}
