//===- ConvertCleaveToLinalg.cpp - Graphs for other compilers -------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: behind the algebra, instead of scheduling. Functions are replaced once
// all of them could be converted.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Conversion/CleaveToLinalg.h"
#include "Cleave/Conversion/PlainLinalg.h"
#include "Cleave/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace mlir::cleave {
#define GEN_PASS_DEF_CONVERTCLEAVETOLINALGPASS
#include "Cleave/Transforms/Passes.h.inc"
} // namespace mlir::cleave

using namespace mlir;
using namespace mlir::cleave;

namespace {
struct ConvertCleaveToLinalgPass
    : cleave::impl::ConvertCleaveToLinalgPassBase<ConvertCleaveToLinalgPass> {
  using ConvertCleaveToLinalgPassBase::ConvertCleaveToLinalgPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet patterns(context);
    populateExpandPatterns(patterns);
    expand = std::move(patterns);
    return success();
  }

  void runOnOperation() override {
    FailureOr<Bindings> given = parseExtents(symbols, getOperation().getLoc());
    if (failed(given))
      return signalPassFailure();
    PlainLinalgOptions options{variant, *given};
    Bindings unknown = *given;
    std::vector<std::pair<func::FuncOp, OwningOpRef<func::FuncOp>>> converted;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (llvm::none_of(function.getArgumentTypes(), isCleaveTensor) &&
          llvm::none_of(function.getResultTypes(), isCleaveTensor))
        continue;
      OwningOpRef<func::FuncOp> expanded = function.clone();
      walkAndApplyPatterns(*expanded, expand);
      if (failed(verifyCleaveFunction(*expanded)))
        return signalPassFailure();
      FailureOr<AxisTable> table = AxisTable::get(*expanded);
      for (const auto &[axis, info] : table->axes())
        unknown.erase(axis);
      FailureOr<OwningOpRef<func::FuncOp>> plain =
          convertToPlainLinalg(*expanded, options);
      if (failed(plain))
        return signalPassFailure();
      converted.emplace_back(function, std::move(*plain));
    }
    if (!unknown.empty()) {
      getOperation().emitError("expected axis '")
          << unknown.begin()->first << "' of `symbols` to occur in a function";
      return signalPassFailure();
    }
    for (auto &[function, plain] : converted) {
      OpBuilder(function).insert(plain.release());
      function.erase();
    }
  }

private:
  FrozenRewritePatternSet expand;
};
} // namespace
