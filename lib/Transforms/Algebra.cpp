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

#include "Cleave/Transforms/Algebra/Report.h"
#include "Cleave/Transforms/Algebra/VerifyRules.h"
#include "Cleave/Transforms/CheckAlternatives.h"
#include "Cleave/Transforms/Explain.h"
#include "Cleave/Transforms/FormFolds.h"
#include "Cleave/Transforms/Passes.h"
#include "Cleave/Transforms/SplitReductions.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
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
    if (!report.empty())
      reportFile = std::make_shared<ReportFile>(report);
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
    options.explain = explain || derivations;
    FailureOr<OptimizedFunction> result = optimize(function, *ruleSet, options);
    if (failed(result))
      return signalPassFailure();
    remarkOn(function, *result);
    bool mayBeEmpty = findRefusals(function, options, *result);
    auto formFoldsIn = [&](Block &block) {
      return formFolds(function, block, options.numerics);
    };
    FailureOr<SmallVector<RegionOrigin>> regions = [&] {
      PhaseTimer timer(result->times.folds);
      return emitAlternatives(function, *result, options.k, mayBeEmpty,
                              formFoldsIn);
    }();
    if (failed(regions) ||
        (split && failed(addSplitAlternatives(function, kMaxRegions))))
      return signalPassFailure();
    if (explain)
      printExplanations(function, *result, *regions);
    if (failed(checkRegions(function, options, *result, *regions)))
      signalPassFailure();
    else if (derivations)
      leaveDerivations(function, *result, *regions);
    if (reportFile)
      if (llvm::Error error =
              reportFile->add(function.getName(), toJSON(*result, *regions))) {
        function.emitError() << llvm::toString(std::move(error));
        signalPassFailure();
      }
  }

private:
  static bool isCleaveFunction(func::FuncOp function) {
    return llvm::any_of(function.getArgumentTypes(), isCleaveTensor) ||
           llvm::any_of(function.getResultTypes(), isCleaveTensor);
  }

  static remark::RemarkOpts getRemark(StringRef name) {
    return remark::RemarkOpts::name(name).category("cleave-algebra");
  }

  static void remarkOn(func::FuncOp function, const OptimizedFunction &result);
  bool findRefusals(func::FuncOp function, const AlgebraOptions &options,
                    OptimizedFunction &result);
  LogicalResult checkRegions(func::FuncOp function,
                             const AlgebraOptions &options,
                             OptimizedFunction &result,
                             ArrayRef<RegionOrigin> regions);
  static void printExplanations(func::FuncOp function,
                                OptimizedFunction &result,
                                ArrayRef<RegionOrigin> regions);

  static void leaveDerivations(func::FuncOp function, OptimizedFunction &result,
                               ArrayRef<RegionOrigin> regions);

  /// Read only once loaded, so that clones share it.
  std::shared_ptr<const RuleSet> ruleSet;
  /// Null where none is asked for; clones share it too.
  std::shared_ptr<ReportFile> reportFile;
};

} // namespace

void CleaveAlgebraPass::remarkOn(func::FuncOp function,
                                 const OptimizedFunction &result) {
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
  if (!text.empty())
    remark::analysis(function.getLoc(), getRemark("rules")) << text;
}

/// Says what strict numerics cost; true if axes that may be empty are to blame.
bool CleaveAlgebraPass::findRefusals(func::FuncOp function,
                                     const AlgebraOptions &options,
                                     OptimizedFunction &result) {
  if (options.numerics != Numerics::Strict)
    return false;
  PhaseTimer timer(result.times.refusals);
  // A saturation of its own, so only where somebody listens.
  if (getContext().getRemarkEngine())
    if (auto refusal = explainRefusal(function, *ruleSet, options, result))
      remark::missed(function.getLoc(), getRemark("refused")) << *refusal;
  return !findAxesNotToBeEmpty(function, *ruleSet, options, result).empty();
}

/// Drops the regions that do not compute what the input does, with an error
/// for each.
LogicalResult CleaveAlgebraPass::checkRegions(func::FuncOp function,
                                              const AlgebraOptions &options,
                                              OptimizedFunction &result,
                                              ArrayRef<RegionOrigin> regions) {
  PhaseTimer timer(result.times.check);
  auto found = function.getOps<AlternativesOp>();
  if (check == CheckLevel::None || found.empty())
    return success();
  AlternativesOp alternatives = *found.begin();
  unsigned count = alternatives.getAlternatives().size();
  unsigned input = llvm::find_if(regions,
                                 [](const RegionOrigin &region) {
                                   return region.isInput();
                                 }) -
                   regions.begin();
  if (count == 1)
    return success();
  SmallVector<std::string> notes;
  std::vector<CheckInstance> instances =
      makeInstances(function, input, check, notes, numerics);
  SmallVector<CheckFailure> failures =
      checkAlternatives(function, alternatives, input, instances, notes);
  for (const std::string &note : notes)
    remark::missed(function.getLoc(), getRemark("check")) << note;
  SmallVector<unsigned> kept = llvm::to_vector(llvm::seq(count));
  for (const CheckFailure &failure : failures) {
    llvm::erase(kept, failure.region);
    auto label = cast<StringAttr>((*alternatives.getLabels())[failure.region]);
    InFlightDiagnostic error =
        function.emitError("alternative '")
        << label.getValue()
        << "' does not compute what the input does and is dropped: "
        << failure.difference;
    if (failure.region >= regions.size() || !regions[failure.region].extracted)
      continue;
    auto source = cloneInput(function, alternatives, input);
    error.attachNote() << findWrongRule(*source, *ruleSet, options,
                                        *regions[failure.region].extracted,
                                        instances[failure.instance]);
  }
  if (kept.size() < count)
    keepAlternatives(alternatives, kept);
  return success(failures.empty());
}

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

void CleaveAlgebraPass::leaveDerivations(func::FuncOp function,
                                         OptimizedFunction &result,
                                         ArrayRef<RegionOrigin> regions) {
  Builder builder(function.getContext());
  SmallVector<Attribute> all;
  for (const RegionOrigin &region : regions) {
    SmallVector<Attribute> names;
    if (region.extracted)
      for (const ExplanationStep &step : explainForm(result, *region.extracted))
        names.push_back(builder.getStringAttr(
            step.name + (step.isReversed ? " reversed" : "")));
    all.push_back(builder.getArrayAttr(names));
  }
  function->setAttr(kDerivationsAttrName, builder.getArrayAttr(all));
}
