//===- EvaluatorFixture.h - Evaluation of functions in text -----*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_TEST_UNIT_EVALUATOR_EVALUATORFIXTURE_H
#define CLEAVE_TEST_UNIT_EVALUATOR_EVALUATORFIXTURE_H

#include "Cleave/Evaluator/Evaluator.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"
#include <cmath>
#include <limits>

namespace mlir::cleave {

constexpr double infinity = std::numeric_limits<double>::infinity();

inline HostArray makeHost(ElementKind kind, ArrayRef<int64_t> shape,
                          std::vector<double> values) {
  HostArray array(kind, shape);
  array.assign(values);
  return array;
}

inline std::vector<double> valuesOf(const HostArray &array) {
  std::vector<double> values(array.size());
  array.copyTo(values);
  return values;
}

class EvaluatorFixture : public testing::Test {
protected:
  EvaluatorFixture() {
    context.loadDialect<CleaveDialect, func::FuncDialect>();
    context.getDiagEngine().registerHandler([this](Diagnostic &diagnostic) {
      message = diagnostic.str();
      return success();
    });
  }

  /// Parses one function; the aliases !x_... and #... are its own.
  func::FuncOp parse(StringRef text) {
    module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(bool(module)) << message;
    return module ? *module->getOps<func::FuncOp>().begin() : func::FuncOp();
  }

  std::vector<HostArray> run(StringRef text, ArrayRef<HostArray> arguments,
                             const Bindings &symbols = {},
                             const EvaluatorOptions &options = {}) {
    func::FuncOp function = parse(text);
    if (!function)
      return {};
    FailureOr<std::vector<HostArray>> results =
        evaluate(function, arguments, symbols, options);
    EXPECT_TRUE(succeeded(results)) << message;
    return succeeded(results) ? *results : std::vector<HostArray>();
  }

  /// The first result's values.
  std::vector<double> values(StringRef text, ArrayRef<HostArray> arguments,
                             const EvaluatorOptions &options = {}) {
    std::vector<HostArray> results = run(text, arguments, {}, options);
    return results.empty() ? std::vector<double>() : valuesOf(results.front());
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  std::string message;
};

} // namespace mlir::cleave

#endif // CLEAVE_TEST_UNIT_EVALUATOR_EVALUATORFIXTURE_H
