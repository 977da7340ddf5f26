//===- CheckAlternatives.h - Alternatives against their input ---*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The algebra does not trust itself: every region of its result is evaluated
// beside the input. On small extents, static ones made small where no operation
// depends on them, and, on request, at some positions of the results at the
// original extents.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_TRANSFORMS_CHECKALTERNATIVES_H
#define CLEAVE_TRANSFORMS_CHECKALTERNATIVES_H

#include "Cleave/Dialect/SymbolicDim.h"
#include "Cleave/Evaluator/Evaluator.h"
#include "Cleave/Transforms/Algebra/Optimize.h"

namespace mlir::cleave {

/// Functions of one signature on the same data.
class CheckInstance {
public:
  /// What `function` returns, computed in f64 or as its types say; none, and
  /// the reason in `note`, where it cannot be evaluated here.
  std::optional<std::vector<HostArray>> run(FunctionOpInterface function,
                                            unsigned alternative,
                                            std::string &note,
                                            bool rounds = false) const;

  /// How `results` differ from what `reference` is, or nothing. What is not
  /// finite in the reference may be infinite or NaN, over the real numbers
  /// anything. `rounded` is the reference with rounding errors, if known: what
  /// differs far less than that does is noise, as where all terms cancel.
  std::optional<std::string> compare(ArrayRef<HostArray> results,
                                     ArrayRef<HostArray> reference,
                                     ArrayRef<HostArray> rounded = {}) const;

  /// "K = 3, M = 5".
  std::string describe() const;

  /// Axes whose extent is no longer in types.
  std::set<std::string> freed;
  Bindings extents;
  std::vector<SampledAxis> samples;
  std::vector<HostArray> arguments;
  Numerics numerics = Numerics::Strict;
};

/// The instances that a level asks for. What is not checked, or not at its full
/// extent, is said in `notes`.
std::vector<CheckInstance> makeInstances(FunctionOpInterface function,
                                         unsigned input, CheckLevel level,
                                         SmallVectorImpl<std::string> &notes,
                                         Numerics numerics = Numerics::Strict);

struct CheckFailure {
  unsigned region;
  /// The number of the instance, and what differs there.
  unsigned instance;
  std::string difference;
};

/// Compares each region of the function's alternatives with region `input`.
SmallVector<CheckFailure>
checkAlternatives(FunctionOpInterface function, AlternativesOp alternatives,
                  unsigned input, ArrayRef<CheckInstance> instances,
                  SmallVectorImpl<std::string> &notes);

/// The function as it was before it had alternatives.
OwningOpRef<FunctionOpInterface> cloneInput(FunctionOpInterface function,
                                            AlternativesOp alternatives,
                                            unsigned input);

/// For a form of `source` that fails at an instance: the rules that lead to it,
/// and the first that changes the numbers.
std::string findWrongRule(FunctionOpInterface source, const RuleSet &rules,
                          AlgebraOptions options, const egraph::Extracted &form,
                          const CheckInstance &instance);

} // namespace mlir::cleave

#endif // CLEAVE_TRANSFORMS_CHECKALTERNATIVES_H
