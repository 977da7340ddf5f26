//===- Optimize.h - Equality saturation of one function ---------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_TRANSFORMS_ALGEBRA_OPTIMIZE_H
#define CLEAVE_TRANSFORMS_ALGEBRA_OPTIMIZE_H

#include "Cleave/Transforms/Algebra/Extraction.h"
#include "Cleave/Transforms/Algebra/Rules.h"

#include <chrono>

namespace mlir::cleave {

struct AlgebraOptions {
  unsigned k = 4;
  Numerics numerics = Numerics::Strict;
  egraph::Limits limits;
  /// What is asked about, not what holds: more than 0 is for explanations.
  int64_t minExtent = 0;
  /// Keep what explanations need.
  bool explain = false;
};

/// Where the time went, in milliseconds.
struct PhaseTimes {
  double saturation = 0;
  double extraction = 0;
  /// To find out what strict numerics cost.
  double refusals = 0;
  double folds = 0;
  double check = 0;
};

/// Adds the time until it goes to `sum`.
class PhaseTimer {
public:
  explicit PhaseTimer(double &sum)
      : sum(sum), start(std::chrono::steady_clock::now()) {}
  ~PhaseTimer() {
    sum += std::chrono::duration<double, std::milli>(
               std::chrono::steady_clock::now() - start)
               .count();
  }

private:
  double &sum;
  std::chrono::steady_clock::time_point start;
};

/// A saturated function and its best forms.
struct OptimizedFunction {
  std::unique_ptr<AlgebraGraph> graph;
  ImportedFunction imported;
  egraph::RunReport report;
  /// The rules in the order of `report.firings`.
  std::vector<std::string> ruleNames;
  egraph::Extraction extraction;
  egraph::Selection inputSelection;
  /// Empty where the input cannot be evaluated (two of its values are equal in
  /// a way that makes its nodes a cycle).
  std::optional<egraph::Evaluation> input;
  PhaseTimes times;
};

/// Imports `function`, which has no sugar, saturates and extracts. Emits
/// errors.
FailureOr<OptimizedFunction> optimize(FunctionOpInterface function,
                                      const RuleSet &rules,
                                      const AlgebraOptions &options);

/// Forms folds in one region of the alternatives. Yields whether a reduction
/// now shares the pass of one that it uses.
using FormFolds = function_ref<FailureOr<bool>(Block &)>;

/// Where a region of the alternatives comes from: a form, or the input where it
/// is null.
struct RegionOrigin {
  const egraph::Extracted *extracted = nullptr;
  std::string label;

  /// Whether this is the function as it was written, without folds.
  bool isInput() const;
};

/// Replaces the body of `function` by alternatives: the forms found and the
/// input, at most k, best first. Folds are formed in each but the input; the
/// input with folds, where there are some, is a form of its own; with
/// `keepShared`, so is the input with a reduction moved into an earlier pass.
/// Yields where each region comes from.
FailureOr<SmallVector<RegionOrigin>>
emitAlternatives(FunctionOpInterface function, const OptimizedFunction &result,
                 unsigned k, bool keepShared, FormFolds formFolds);

/// Drops the other regions of labelled alternatives.
void keepAlternatives(AlternativesOp op, ArrayRef<unsigned> kept);

/// One rewrite on the way from the input to a form.
struct ExplanationStep {
  /// A rule, or that something was brought into its normal form.
  std::string name;
  /// The rule leads from this step's function to the one before.
  bool isReversed = false;
  /// The terms that the function returns after the step.
  std::vector<egraph::ClassId> roots;
};

/// The rewrites from the input to an extracted form, in a graph that was asked
/// to keep explanations.
std::vector<ExplanationStep> explainForm(OptimizedFunction &result,
                                         const egraph::Extracted &form);

/// A function like `function` that returns these terms; the caller's to erase.
FunctionOpInterface buildTerms(FunctionOpInterface function,
                               const AlgebraGraph &graph,
                               ArrayRef<egraph::ClassId> roots);

/// The dynamic axes that the function asks the extents of, quoted, if a much
/// better form is refused only because axes may be empty. Fold formation may
/// find that form, and guards it.
SmallVector<std::string> findAxesNotToBeEmpty(FunctionOpInterface function,
                                              const RuleSet &rules,
                                              AlgebraOptions options,
                                              const OptimizedFunction &strict);

/// Why a better form was refused, naming the arguments to declare a range for.
/// Empty where strict numerics cost nothing.
std::optional<std::string> explainRefusal(FunctionOpInterface function,
                                          const RuleSet &rules,
                                          const AlgebraOptions &options,
                                          const OptimizedFunction &strict);

} // namespace mlir::cleave

#endif // CLEAVE_TRANSFORMS_ALGEBRA_OPTIMIZE_H
