//===- Report.cpp - How the algebra went, as JSON -------------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cleave/Transforms/Algebra/Report.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::cleave;

llvm::json::Object mlir::cleave::toJSON(const OptimizedFunction &result,
                                        ArrayRef<RegionOrigin> regions) {
  llvm::json::Object rules;
  for (auto [name, count] :
       llvm::zip_equal(result.ruleNames, result.report.firings))
    if (count > 0)
      rules[name] = count;
  llvm::json::Array alternatives;
  for (const RegionOrigin &region : regions) {
    llvm::json::Object form{{"label", region.label}};
    const egraph::Evaluation *evaluation = region.extracted
                                               ? &region.extracted->evaluation
                                           : result.input ? &*result.input
                                                          : nullptr;
    if (evaluation) {
      form["cost"] = llvm::json::Array(evaluation->cost);
      form["weight"] = evaluation->weight;
    }
    alternatives.push_back(std::move(form));
  }
  return llvm::json::Object{
      {"stop", egraph::stringify(result.report.reason)},
      {"nodes", int64_t(result.report.nodes)},
      {"classes", int64_t(result.report.classes)},
      {"iterations", result.report.iterations},
      {"extraction", result.extraction.exact ? "exact" : "local search"},
      {"rules", std::move(rules)},
      {"alternatives", std::move(alternatives)},
      {"milliseconds",
       llvm::json::Object{{"saturation", result.times.saturation},
                          {"extraction", result.times.extraction},
                          {"refusals", result.times.refusals},
                          {"folds", result.times.folds},
                          {"check", result.times.check}}}};
}

llvm::Error ReportFile::add(StringRef function, llvm::json::Object report) {
  std::lock_guard<std::mutex> lock(mutex);
  functions[function.str()] = std::move(report);
  std::error_code error;
  llvm::raw_fd_ostream os(path, error);
  if (error)
    return llvm::createStringError(error, "cannot write '" + path +
                                              "': " + error.message());
  llvm::json::Object all;
  for (const auto &[name, entry] : functions)
    all[name] = llvm::json::Object(entry);
  os << llvm::formatv("{0:2}\n", llvm::json::Value(std::move(all)));
  return llvm::Error::success();
}
