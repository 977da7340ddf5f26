//===- Report.h - How the algebra went, as JSON -----------------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One file for all functions of a run. Times stand here and nowhere else, so
// that all other output is the same each time.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_TRANSFORMS_ALGEBRA_REPORT_H
#define CLEAVE_TRANSFORMS_ALGEBRA_REPORT_H

#include "Cleave/Transforms/Algebra/Optimize.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <mutex>

namespace mlir::cleave {

/// What is said of one function.
llvm::json::Object toJSON(const OptimizedFunction &result,
                          ArrayRef<RegionOrigin> regions);

/// A file that functions are added to, by several threads.
class ReportFile {
public:
  explicit ReportFile(std::string path) : path(std::move(path)) {}

  /// Writes the file anew, functions in the order of their names.
  llvm::Error add(StringRef function, llvm::json::Object report);

private:
  std::string path;
  std::mutex mutex;
  std::map<std::string, llvm::json::Object> functions;
};

} // namespace mlir::cleave

#endif // CLEAVE_TRANSFORMS_ALGEBRA_REPORT_H
