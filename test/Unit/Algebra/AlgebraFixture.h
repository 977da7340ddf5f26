//===- AlgebraFixture.h - Runs the algebra on functions in text -*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_TEST_UNIT_ALGEBRA_ALGEBRAFIXTURE_H
#define CLEAVE_TEST_UNIT_ALGEBRA_ALGEBRAFIXTURE_H

#include "../Evaluator/EvaluatorFixture.h"
#include "Cleave/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"

namespace mlir::cleave {

class AlgebraFixture : public EvaluatorFixture {
protected:
  /// The alternatives of the one function in `text`, or null on an error.
  AlternativesOp optimizeText(StringRef text,
                              Numerics numerics = Numerics::Strict) {
    func::FuncOp function = parse(text);
    if (!function)
      return nullptr;
    PassManager manager(&context);
    CleaveAlgebraPassOptions options;
    options.split = false;
    options.numerics = numerics;
    manager.addNestedPass<func::FuncOp>(createCleaveAlgebraPass(options));
    if (failed(manager.run(*module)))
      return nullptr;
    auto found = function.getOps<AlternativesOp>();
    return found.empty() ? nullptr : *found.begin();
  }
};

} // namespace mlir::cleave

#endif // CLEAVE_TEST_UNIT_ALGEBRA_ALGEBRAFIXTURE_H
