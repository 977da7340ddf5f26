//===- FormFolds.cpp - The pass cleave-form-folds -------------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs fold formation on the graphs that the algebra extracted.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Transforms/FormFolds.h"
#include "Cleave/Dialect/SymbolicDim.h"
#include "Cleave/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::cleave {
#define GEN_PASS_DEF_CLEAVEFORMFOLDSPASS
#include "Cleave/Transforms/Passes.h.inc"
} // namespace mlir::cleave

using namespace mlir;
using namespace mlir::cleave;

namespace {

struct CleaveFormFoldsPass
    : cleave::impl::CleaveFormFoldsPassBase<CleaveFormFoldsPass> {
  using CleaveFormFoldsPassBase::CleaveFormFoldsPassBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (failed(verifyCleaveFunction(function)) ||
        failed(formFolds(function, numerics)))
      signalPassFailure();
  }
};

} // namespace
