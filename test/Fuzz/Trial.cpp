//===- Trial.cpp - One function through the compiler ----------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random graphs lose digits where nobody would write them down so, which says
// nothing about the compiler: the evaluator that rounds says how many.
//
//===----------------------------------------------------------------------===//

#include "Trial.h"

#include "../../tools/cleave-run/Executor.h"
#include "Cleave/Runtime/Random.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace mlir;
using namespace mlir::cleave;

/// Relative errors that rounding explains: this much always, and so many times
/// what the evaluator lost.
constexpr double kTolerance = 2e-3, kSlack = 12;
/// A result that rounding alone changes by more says nothing.
constexpr double kNoise = 0.05;
/// Per element, where all cancels.
constexpr double kNegligible = 1e-6;

FailureOr<std::vector<Expectation>>
mlir::cleave::evaluateSource(func::FuncOp source, ArrayRef<Bindings> runs,
                             uint64_t seed) {
  FailureOr<Signature> signature = Signature::get(source);
  FailureOr<AxisTable> axes = AxisTable::get(source);
  if (failed(signature) || failed(axes))
    return failure();
  std::vector<Expectation> expectations;
  for (const Bindings &run : runs) {
    Expectation &expectation = expectations.emplace_back();
    std::vector<const HostArray *> none(signature->arguments.size());
    FailureOr<Bindings> extents =
        bindExtents(source, *axes, *signature, none, run);
    if (failed(extents))
      return failure();
    expectation.extents = *extents;
    for (const Port &port : signature->arguments)
      expectation.arguments.push_back(makeRandom(
          port.kind, getShape(port, *extents), seed, port.name, /*scale=*/1));
    EvaluatorOptions options;
    for (bool rounds : {false, true}) {
      options.rounds = rounds;
      FailureOr<std::vector<HostArray>> values =
          evaluate(source, expectation.arguments, *extents, options);
      if (failed(values))
        return failure();
      (rounds ? expectation.rounded : expectation.exact) = std::move(*values);
    }
  }
  return expectations;
}

namespace {
/// Distances of one result, over what is finite in all three.
struct Distance {
  double error = 0, noise = 0, norm = 0;
  int64_t counted = 0, misplaced = 0;
};
} // namespace

static Distance measure(const HostArray &actual, const HostArray &exact,
                        const HostArray &rounded) {
  std::vector<double> a(actual.size()), e(exact.size()), r(rounded.size());
  actual.copyTo(a);
  exact.copyTo(e);
  rounded.copyTo(r);
  Distance distance;
  for (size_t i = 0; i < a.size(); ++i) {
    // What overflows when it is rounded may overflow elsewhere as well.
    if (std::isfinite(e[i]) != std::isfinite(r[i]))
      continue;
    if (std::isfinite(a[i]) != std::isfinite(e[i])) {
      ++distance.misplaced;
      continue;
    }
    if (!std::isfinite(e[i]))
      continue;
    distance.error += (a[i] - e[i]) * (a[i] - e[i]);
    distance.noise += (r[i] - e[i]) * (r[i] - e[i]);
    distance.norm += e[i] * e[i];
    ++distance.counted;
  }
  return distance;
}

/// Compares one result; adds to the outcome what is wrong.
static void compareResult(const HostArray &actual, const HostArray &exact,
                          const HostArray &rounded, StringRef name,
                          Outcome &outcome) {
  auto fail = [&](const Twine &reason) {
    outcome.kind = Outcome::Wrong;
    outcome.reason = (name + ": " + reason).str();
  };
  if (int64_t count = actual.countPoison())
    return fail(Twine(count) + " elements are not written");
  Distance distance = measure(actual, exact, rounded);
  double norm = std::sqrt(distance.norm), error = std::sqrt(distance.error);
  double noise = std::sqrt(distance.noise);
  if (noise > kNoise * norm && norm > 0)
    return;
  if (distance.misplaced)
    return fail(Twine(distance.misplaced) + " elements are finite or not, " +
                "unlike the reference");
  double allowed = std::max(kTolerance * norm, kSlack * noise) +
                   kNegligible * std::sqrt(double(distance.counted));
  if (!(error <= allowed))
    return fail(llvm::formatv("error {0:e} of {1:e}, rounding explains {2:e}",
                              error, norm, noise)
                    .str());
  outcome.tells |= distance.counted > 0 && norm > 0;
}

static std::string describe(const Bindings &extents) {
  std::string text;
  for (const auto &[name, extent] : extents)
    text += (text.empty() ? "" : ",") + name + "=" + std::to_string(extent);
  return text;
}

LogicalResult mlir::cleave::runQuietly(ModuleOp module, StringRef pipeline,
                                       std::string &reason) {
  ScopedDiagnosticHandler handler(
      module.getContext(), [&](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == DiagnosticSeverity::Error &&
            reason.empty())
          reason = diagnostic.str();
        return success();
      });
  return runPipeline(module, pipeline);
}

Outcome mlir::cleave::compileAndRun(ModuleOp module,
                                    ArrayRef<Expectation> expectations,
                                    bool noHorizontal) {
  Outcome outcome;
  auto function = *module.getOps<func::FuncOp>().begin();
  std::string name = function.getName().str();
  FailureOr<Signature> signature = Signature::get(function);
  // The schedule is that of the graph as it is.
  std::string pipeline = noHorizontal
                             ? "cleave-to-loops{no-algebra no-horizontal}"
                             : "cleave-to-loops{no-algebra}";
  outcome.kind = Outcome::Refused;
  if (failed(runQuietly(module, pipeline, outcome.reason)))
    return outcome;
  RunOptions options;
  options.optLevel = 0;
  FailureOr<std::unique_ptr<Executor>> executor =
      createCpuExecutor(module, name, options);
  if (failed(executor)) {
    outcome.reason = "not compiled";
    return outcome;
  }
  outcome.kind = Outcome::Right;
  for (const Expectation &expectation : expectations) {
    std::vector<HostArray> results;
    for (const Port &port : signature->results) {
      results.emplace_back(port.kind, getShape(port, expectation.extents));
      results.back().poison();
    }
    if (failed((*executor)->run(expectation.arguments, results,
                                expectation.extents))) {
      outcome.kind = Outcome::Refused;
      outcome.reason = "does not run";
      return outcome;
    }
    for (size_t i = 0; i < results.size() && outcome.kind == Outcome::Right;
         ++i)
      compareResult(results[i], expectation.exact[i], expectation.rounded[i],
                    describe(expectation.extents) + " " +
                        signature->results[i].name,
                    outcome);
  }
  return outcome;
}
