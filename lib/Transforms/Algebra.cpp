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
    options.explain = explain;
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
    FailureOr<SmallVector<RegionOrigin>> regions =
        emitAlternatives(function, *result, options.k, mayBeEmpty, formFoldsIn);
    if (failed(regions) ||
        (split && failed(addSplitAlternatives(function, kMaxRegions))))
      return signalPassFailure();
    if (explain)
      printExplanations(function, *result, *regions);
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
    text.clear();
    for (auto [name, count] :
         llvm::zip_equal(result.ruleNames, result.report.firings))
      if (count > 0)
        os << (text.empty() ? "" : ", ") << name << " " << count;
    remark::analysis(function.getLoc(), getRemark("rules")) << text;
  }

  static void printExplanations(func::FuncOp function,
                                OptimizedFunction &result,
                                ArrayRef<RegionOrigin> regions);

  /// Read only once loaded, so that clones share it.
  std::shared_ptr<const RuleSet> ruleSet;
};

} // namespace

void CleaveAlgebraPass::printExplanations(func::FuncOp function,
                                          OptimizedFunction &result,
                                          ArrayRef<RegionOrigin> regions) {
  std::string text;
  llvm::raw_string_ostream os(text);
  auto print = [&](ArrayRef<egraph::ClassId> roots) {
    FunctionOpInterface terms = buildTerms(function, *result.graph, roots);
    terms->print(os, OpPrintingFlags().useLocalScope());
    os << "\n// -----\n";
    terms->erase();
  };
  for (auto [index, region] : llvm::enumerate(regions)) {
    if (!region.extracted)
      continue;
    os << "// @" << function.getName() << ", alternative " << index
       << "\n// step 0: the input\n";
    print(result.imported.roots);
    for (auto [number, step] :
         llvm::enumerate(explainForm(result, *region.extracted))) {
      os << "// step " << number + 1 << ": " << step.name
         << (step.isReversed ? " reversed" : "") << "\n";
      print(step.roots);
    }
  }
  // One write, so that functions explained in parallel do not mix.
  llvm::errs() << text;
}
