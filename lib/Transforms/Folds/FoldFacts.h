//===- FoldFacts.h - Bounds and values for fold formation -------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_LIB_TRANSFORMS_FOLDS_FOLDFACTS_H
#define CLEAVE_LIB_TRANSFORMS_FOLDS_FOLDFACTS_H

#include "FoldScope.h"

namespace mlir::cleave::folds {

/// The value of a pointwise expression of reductions over the scope's axes
/// where they saw no positions, or with `counted`, one position that adds
/// nothing. None if that does not follow.
std::optional<double> getValueAtUnit(FoldScope &scope, Value value,
                                     bool counted = false);

/// The exponent n such that repeating all positions r times multiplies `value`
/// by r^n. None if there is none.
std::optional<double> getDegree(FoldScope &scope, Value value);

/// The largest finite number of `type`.
double getLargest(FloatType type);

/// A bound on the magnitude of `value`, infinity if none is known. Arguments
/// are bounded by cleave.range, else by 65504.
class Bounds {
public:
  explicit Bounds(FoldScope &scope) : scope(scope) {}
  double get(Value value);
  /// Makes `bound` known.
  void set(Value value, double bound) { known[value] = bound; }

private:
  FoldScope &scope;
  llvm::DenseMap<Value, double> known;
  double compute(Value value);
  double computeProduct(MulOp mul);
};

/// The type that the operands of `contract` are rounded to: declared, or the
/// narrowest float type of the function's arguments that feed it.
Type getOperandType(ContractOp contract);

} // namespace mlir::cleave::folds

#endif // CLEAVE_LIB_TRANSFORMS_FOLDS_FOLDFACTS_H
