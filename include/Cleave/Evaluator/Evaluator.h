//===- Evaluator.h - The reference evaluator --------------------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs a cleave function on host arrays, before or after the algebra. All else
// is tested against it; docs/numerics.md is the contract that it follows.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_EVALUATOR_EVALUATOR_H
#define CLEAVE_EVALUATOR_EVALUATOR_H

#include "Cleave/Evaluator/Signature.h"

namespace mlir::cleave {

/// Some indices of one axis instead of all; see findSampledAxes.
struct SampledAxis {
  std::string name;
  std::vector<int64_t> indices;
};

struct EvaluatorOptions {
  /// Round to f32 after each operation, at casts, and the operands of
  /// contractions to their operand type. Else everything is f64.
  bool rounds = false;
  /// Which region of `cleave.alternatives` runs.
  unsigned alternative = 0;
  /// 0 evaluates folds by their definition, over the whole axes. Else in tiles
  /// of this extent along the first folded axis, combined one by one, in
  /// `foldParts` parts that are merged at the end.
  int64_t foldTile = 0;
  int64_t foldParts = 1;
  /// Computes the results only at these indices.
  std::vector<SampledAxis> samples;
  /// The arguments are given at these indices only; then `symbols` binds all
  /// axes.
  bool samplesArguments = true;
};

/// The results, in storage order: f64 instead of each float type, unless
/// `rounds`. The extents of axes follow from the arrays and from `symbols`.
/// Emits an error and fails for what the function's types do not allow.
FailureOr<std::vector<HostArray>>
evaluate(FunctionOpInterface function, ArrayRef<HostArray> arguments,
         const Bindings &symbols = {}, const EvaluatorOptions &options = {});

/// Floating point operations of the function's contractions and reductions and
/// pointwise operations, with region `alternative` of alternatives.
double estimateFlops(FunctionOpInterface function, const Bindings &extents,
                     unsigned alternative = 0);

/// The axes, longer than `count`, such that every result at one of their
/// indices depends on the arguments at that index only: nothing reduces,
/// reshapes, renames or measures them.
std::vector<std::string> findSampledAxes(FunctionOpInterface function,
                                         const Bindings &extents,
                                         int64_t count);

/// The first of these in the first result that all results carry.
std::optional<std::string> findSampledAxis(FunctionOpInterface function,
                                           const Signature &signature,
                                           const Bindings &extents,
                                           int64_t count);

/// `count` increasing indices below `extent`, the first and last among them.
std::vector<int64_t> chooseSamples(int64_t extent, int64_t count,
                                   uint64_t seed);

/// The array at these indices of a dimension.
HostArray gather(const HostArray &array, unsigned dimension,
                 ArrayRef<int64_t> indices);

/// The type that a contraction's operands are rounded to where it declares
/// none: the narrowest float type of the arguments that feed `operands` (of
/// equally narrow ones the first argument's).
Type getDefaultOperandType(FunctionOpInterface function, ValueRange operands);

} // namespace mlir::cleave

#endif // CLEAVE_EVALUATOR_EVALUATOR_H
