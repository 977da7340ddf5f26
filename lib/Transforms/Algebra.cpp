//===- Algebra.cpp - Equality saturation of cleave functions --------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first phase: what to compute. Replaces the body of each cleave function
// by `cleave.alternatives`.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Transforms/Algebra/Optimize.h"
#include "Cleave/Transforms/Algebra/VerifyRules.h"
#include "Cleave/Transforms/FormFolds.h"
#include "Cleave/Transforms/Passes.h"
#include "Cleave/Transforms/SplitReductions.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace mlir::cleave {
#define GEN_PASS_DEF_CLEAVEALGEBRAPASS
#include "Cleave/Transforms/Passes.h.inc"
} // namespace mlir::cleave

using namespace mlir;
using namespace mlir::cleave;

/// Split copies of regions are made up to this many in all.
static constexpr unsigned kMaxRegions = 8;

namespace {

struct CleaveAlgebraPass
    : cleave::impl::CleaveAlgebraPassBase<CleaveAlgebraPass> {
  using CleaveAlgebraPassBase::CleaveAlgebraPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    auto loaded = loadRules(context, rules, /*verify=*/true);
    if (failed(loaded))
      return failure();
    ruleSet = *loaded;
    return success();
  }

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal() || !isCleaveFunction(function))
      return;
    RewritePatternSet patterns(&getContext());
    populateExpandPatterns(patterns);
    walkAndApplyPatterns(function, std::move(patterns));
    // What stands in alternatives or folds has been through here.
    WalkResult walk = function.walk([](Operation *op) {
      return isa<AlternativesOp, FoldOp>(op) ? WalkResult::interrupt()
                                             : WalkResult::advance();
    });
    if (walk.wasInterrupted())
      return;

    AlgebraOptions options;
    options.k = std::max(1u, unsigned(k));
    options.numerics = numerics;
    options.limits = {size_t(maxEnodes), unsigned(maxIterations)};
    FailureOr<OptimizedFunction> result = optimize(function, *ruleSet, options);
    if (failed(result))
      return signalPassFailure();
    report(function, *result);
    // A saturation of its own, so only where somebody listens.
    if (options.numerics == Numerics::Strict && getContext().getRemarkEngine())
      if (auto refusal = explainRefusal(function, *ruleSet, options, *result))
        remark::missed(function.getLoc(), getRemark("refused")) << *refusal;
    auto formFoldsIn = [&](Block &block) {
      return formFolds(function, block, options.numerics);
    };
    bool mayBeEmpty =
        options.numerics == Numerics::Strict &&
        !findAxesNotToBeEmpty(function, *ruleSet, options, *result).empty();
    if (failed(emitAlternatives(function, *result, options.k, mayBeEmpty,
                                formFoldsIn)) ||
        (split && failed(addSplitAlternatives(function, kMaxRegions))))
      return signalPassFailure();
  }

private:
  static bool isCleaveFunction(func::FuncOp function) {
    return llvm::any_of(function.getArgumentTypes(), isCleaveTensor) ||
           llvm::any_of(function.getResultTypes(), isCleaveTensor);
  }

  static remark::RemarkOpts getRemark(StringRef name) {
    return remark::RemarkOpts::name(name).category("cleave-algebra");
  }

  void report(func::FuncOp function, const OptimizedFunction &result) {
    std::string text;
    llvm::raw_string_ostream os(text);
    os << egraph::stringify(result.report.reason) << ", " << result.report.nodes
       << " nodes, " << result.report.classes << " classes, "
       << result.report.iterations << " iterations, extraction "
       << (result.extraction.exact ? "exact" : "by local search");
    remark::analysis(function.getLoc(), getRemark("saturation")) << text;
    if (!explain)
      return;
    for (auto [name, count] :
         llvm::zip_equal(result.ruleNames, result.report.firings))
      if (count > 0)
        emitRemark(function.getLoc())
            << "rule " << name << ": " << count
            << (count == 1 ? " equality" : " equalities");
  }

  /// Read only once loaded, so that clones share it.
  std::shared_ptr<const RuleSet> ruleSet;
};

} // namespace
