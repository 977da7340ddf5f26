//===- SplitReductions.cpp - The pass cleave-split-reductions -------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the split phase alone, for tests.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Transforms/SplitReductions.h"
#include "Cleave/Dialect/SymbolicDim.h"
#include "Cleave/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::cleave {
#define GEN_PASS_DEF_CLEAVESPLITREDUCTIONSPASS
#include "Cleave/Transforms/Passes.h.inc"
} // namespace mlir::cleave

using namespace mlir;
using namespace mlir::cleave;

namespace {

struct CleaveSplitReductionsPass
    : cleave::impl::CleaveSplitReductionsPassBase<CleaveSplitReductionsPass> {
  using CleaveSplitReductionsPassBase::CleaveSplitReductionsPassBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    SmallVector<std::string> chosen(axes.begin(), axes.end());
    if (failed(verifyCleaveFunction(function)) ||
        failed(splitReductions(function, chosen)))
      signalPassFailure();
  }
};

} // namespace
