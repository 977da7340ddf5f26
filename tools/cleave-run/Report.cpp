//===- Report.cpp - Checking and printing results -------------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What cleave-run says about a run.
//
//===----------------------------------------------------------------------===//

#include "Report.h"

#include "Cleave/Runtime/Compare.h"
#include "Cleave/Runtime/Npy.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::cleave;
using llvm::format;
using llvm::outs;

/// "Y" or "Y[M=16]".
static std::string getLabel(const Port &port, const RunRecord &record) {
  std::string bindings = toString(record.bindings);
  return bindings.empty() ? port.name : port.name + "[" + bindings + "]";
}

void mlir::cleave::printWarning(const llvm::Twine &message) {
  outs().flush();
  llvm::errs() << "cleave-run: warning: " << message << "\n";
}

/// The region that is the graph as it was written, if it is kept.
static unsigned findInputAlternative(func::FuncOp source) {
  unsigned input = 0;
  source.walk([&](AlternativesOp op) {
    if (op.getLabels())
      for (auto [i, label] : llvm::enumerate(*op.getLabels()))
        if (cast<StringAttr>(label).getValue() == "input")
          input = i;
  });
  return input;
}

/// The reference, and the sampled axis where it is not in full.
static FailureOr<std::vector<HostArray>>
computeReference(func::FuncOp source, const Signature &signature,
                 const RunRecord &record, const RunOptions &options,
                 EvaluatorOptions &evaluatorOptions) {
  constexpr double fullFlops = 1e9;
  constexpr int64_t samples = 64;
  evaluatorOptions.alternative = findInputAlternative(source);
  double flops =
      estimateFlops(source, record.extents, evaluatorOptions.alternative);
  if (flops > fullFlops * double(std::max<size_t>(record.results.size(), 1)))
    if (std::optional<std::string> axis =
            findSampledAxis(source, signature, record.extents, samples))
      evaluatorOptions.samples.push_back(
          {*axis,
           chooseSamples(record.extents.at(*axis), samples, options.seed)});
  return evaluate(source, record.arguments, record.extents, evaluatorOptions);
}

/// Elements that nothing was written to. Small integers cannot tell.
static int64_t countUnwritten(const HostArray &result) {
  if (!isFloat(result.getKind()) && elementSize(result.getKind()) < 4 &&
      result.getKind() != ElementKind::I1)
    return 0;
  return result.countPoison();
}

static bool printComparison(const Port &port, const RunRecord &record,
                            const HostArray &result, const HostArray &reference,
                            const RunOptions &options,
                            ArrayRef<SampledAxis> samples) {
  HostArray part = result;
  std::string scope;
  for (const SampledAxis &sample : samples) {
    unsigned dimension = llvm::find(port.axes, sample.name) - port.axes.begin();
    part = gather(part, dimension, sample.indices);
    scope = " on " + std::to_string(sample.indices.size()) + " of " +
            std::to_string(record.extents.at(sample.name)) + " " + sample.name;
  }
  Comparison comparison = compare(part, reference, options.tolerance);
  int64_t unwritten = countUnwritten(result);
  bool good = unwritten == 0 && comparison.isWithin(options.tolerance);
  outs() << getLabel(port, record) << ": "
         << (comparison.isAbsolute ? "absolute" : "relative") << " L2 "
         << format("%.2e", comparison.l2) << ", max error "
         << format("%.2e", comparison.maxError) << scope
         << (good ? ": ok" : ": WRONG");
  if (unwritten)
    outs() << ", " << unwritten << " elements not written";
  if (comparison.nonFiniteMismatches)
    outs() << ", " << comparison.nonFiniteMismatches
           << " elements differ in being infinite or NaN, the first at "
           << comparison.firstMismatch;
  // A mask on one side of a product leaves it open whether NaN is seen.
  if (int64_t count = comparison.finiteForNaN;
      count && count == comparison.nonFiniteMismatches)
    outs() << ", all NaN in the reference alone (open where memory holds NaN "
              "that only one operand of a product masks: numerics.md, 18)";
  if (comparison.nonFinite)
    outs() << ", " << comparison.nonFinite << " of " << part.size()
           << " not finite";
  if (!good)
    outs() << format(" (tolerance %.2e)", options.tolerance);
  outs() << "\n";
  if (good && comparison.nonFinite == part.size() && part.size() > 0)
    printWarning("no number to compare in '" + getLabel(port, record) + "'");
  return good;
}

LogicalResult mlir::cleave::checkResults(func::FuncOp source,
                                         const Signature &signature,
                                         const RunRecord &record,
                                         const RunOptions &options) {
  EvaluatorOptions evaluatorOptions;
  FailureOr<std::vector<HostArray>> reference =
      computeReference(source, signature, record, options, evaluatorOptions);
  if (failed(reference))
    return failure();
  bool good = true;
  for (auto [port, result, right] :
       llvm::zip_equal(signature.results, record.results, *reference))
    good &= printComparison(port, record, result, right, options,
                            evaluatorOptions.samples);
  return success(good);
}

void mlir::cleave::printResults(const Signature &signature,
                                const RunRecord &record,
                                const RunOptions &options) {
  for (auto [port, result] :
       llvm::zip_equal(signature.results, record.results)) {
    if (!options.check || options.print)
      outs() << getLabel(port, record) << ": " << result.describe();
    if (options.print) {
      std::vector<double> values(result.size());
      result.copyTo(values);
      outs() << " =";
      for (double value : values)
        outs() << format(" %.6g", value);
    }
    if (!options.check || options.print)
      outs() << "\n";
  }
}

LogicalResult mlir::cleave::writeResults(func::FuncOp source,
                                         const Signature &signature,
                                         const RunRecord &record,
                                         const RunOptions &options) {
  SmallString<128> folder(options.outputDir);
  if (options.runs.size() > 1)
    llvm::sys::path::append(folder, toString(record.bindings));
  if (std::error_code status = llvm::sys::fs::create_directories(folder))
    return emitError(source.getLoc())
           << "cannot create '" << folder << "': " << status.message();
  for (auto [port, result] :
       llvm::zip_equal(signature.results, record.results)) {
    if (StringRef(port.name).contains('/'))
      return emitError(source.getLoc())
             << "expected a name that a file can have but got '" << port.name
             << "'";
    SmallString<128> path(folder);
    llvm::sys::path::append(path, port.name + ".npy");
    if (llvm::Error error = writeNpy(path, result))
      return emitError(source.getLoc()) << llvm::toString(std::move(error));
  }
  return success();
}

void mlir::cleave::printTime(const RunRecord &record, const RunTime &time) {
  std::string bindings = toString(record.bindings);
  outs() << "time" << (bindings.empty() ? "" : "[" + bindings + "]") << ": "
         << format("%.2f", time.medianMicroseconds) << " us a call (median, "
         << time.calls << " calls)\n";
}

LogicalResult
mlir::cleave::writeTimes(func::FuncOp source, const RunOptions &options,
                         ArrayRef<std::pair<Bindings, RunTime>> times) {
  std::error_code status;
  llvm::raw_fd_ostream out(options.json, status);
  if (status)
    return emitError(source.getLoc())
           << "cannot write '" << options.json << "': " << status.message();
  llvm::json::OStream json(out, /*IndentSize=*/1);
  json.object([&] {
    json.attribute("entry", source.getName());
    json.attribute("device", options.device);
    // The common case of one run needs no list.
    if (times.size() == 1)
      json.attribute("median_us", times.front().second.medianMicroseconds);
    json.attributeArray("runs", [&] {
      for (const auto &[bindings, time] : times)
        json.object([&, &bindings = bindings, &time = time] {
          json.attributeObject("bind", [&] {
            for (const auto &[name, extent] : bindings)
              json.attribute(name, extent);
          });
          json.attribute("median_us", time.medianMicroseconds);
          json.attribute("calls", time.calls);
        });
    });
  });
  out << "\n";
  return success();
}
