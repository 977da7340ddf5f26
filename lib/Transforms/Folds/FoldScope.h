//===- FoldScope.h - What fold formation knows of a block -------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For one block and one set of axes: the reductions over these axes, on which
// of them a value depends, which values are equal, and sums of products as
// which a value can be read. Everything is computed on demand, so that it
// holds for operations that formation adds.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_LIB_TRANSFORMS_FOLDS_FOLDSCOPE_H
#define CLEAVE_LIB_TRANSFORMS_FOLDS_FOLDSCOPE_H

#include "Cleave/Dialect/CleaveDialect.h"
#include "llvm/ADT/SmallBitVector.h"
#include <map>
#include <memory>

namespace mlir::cleave::folds {

/// A set of reductions of the scope, by index.
using ReductionSet = llvm::SmallBitVector;

/// A factor of a term: a value or its reciprocal.
struct Factor {
  Value value;
  bool inverted = false;
};

/// coefficient * product of factors.
struct Term {
  double coefficient = 1;
  SmallVector<Factor, 2> factors;
};
using Terms = std::vector<Term>;

class FoldScope {
public:
  /// `hasCounts`: the axes' extents are the numbers of positions along them,
  /// which those of a split's parts are not.
  FoldScope(Block &block, AxesAttr axes, bool hasCounts);

  Block &getBlock() const { return block; }
  AxesAttr getAxes() const { return axes; }
  bool hasCounts() const { return counts; }
  /// Whether `op` is the extent of an axis that a count can take the place of.
  bool isCount(Operation *op) const;
  ArrayRef<Operation *> getReductions() const { return reductions; }
  /// The index of the reduction that defines `value`, or -1.
  int64_t indexOf(Value value) const;
  /// Makes `op` stand for reduction `index` as well.
  void addAlias(Operation *op, int64_t index) { indices[op] = index; }

  /// Whether `value` varies along the axes.
  bool varies(Value value) const;
  /// The reductions that `value` depends on, through any operations.
  const ReductionSet &getReductions(Value value);
  /// Equal for values that are equal by construction.
  unsigned getNumber(Value value);

  /// `value` as a sum of products, multiplied out as far as that is short.
  /// Remembered: holds until an operand of an operation is replaced.
  const Terms &getTerms(Value value);
  /// Adds `factor` times `from` to `to`, and unites equal products.
  void addTo(Terms &to, double factor, const Terms &from);
  bool areEqual(const Term &a, const Term &b);

private:
  Block &block;
  AxesAttr axes;
  bool counts;
  SmallVector<Operation *> reductions;
  llvm::DenseMap<Operation *, int64_t> indices;
  llvm::DenseMap<Value, ReductionSet> reductionSets;
  llvm::DenseMap<Value, unsigned> numbers;
  std::map<std::vector<uintptr_t>, unsigned> expressions;
  unsigned nextNumber = 0;
  llvm::DenseMap<Value, std::unique_ptr<Terms>> termsOf;

  std::vector<uintptr_t> getExpression(Operation *op);
  Terms computeTerms(Value value);
  void sortFactors(Term &term);
  Terms getProduct(Value value, ArrayRef<Value> operands);
};

/// Whether each element of the result follows from one element of each operand.
bool isPointwise(Operation *op);
/// Whether `op` is a maximum or a minimum over axes.
bool isExtremum(Operation *op);
/// What `reduction` gives for no positions.
double getUnit(Operation *reduction);
/// Whether `value` is a splat constant; its value.
std::optional<double> getConstant(Value value);
/// `value` without casts to a type that holds all values of its own.
Value skipWidening(Value value);
/// Whether `op` is a cast that rounds.
bool isRounding(Operation *op);
/// The axes of a reduction or contraction, else null.
AxesAttr getReducedAxes(Operation *op);

} // namespace mlir::cleave::folds

#endif // CLEAVE_LIB_TRANSFORMS_FOLDS_FOLDSCOPE_H
