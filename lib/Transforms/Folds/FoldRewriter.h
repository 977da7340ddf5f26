//===- FoldRewriter.h - Accepted reductions as states of folds --*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two steps. First every accepted reduction is rewritten in place, so that its
// body holds what stays in the loop, and what leaves the loop stands behind it.
// Then reductions that refer to each other become the states of one fold.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_LIB_TRANSFORMS_FOLDS_FOLDREWRITER_H
#define CLEAVE_LIB_TRANSFORMS_FOLDS_FOLDREWRITER_H

#include "Cleave/Dialect/SymbolicDim.h"
#include "FoldVerdict.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::cleave::folds {

/// A reduction in the block that becomes a state of a fold.
struct State {
  Operation *op = nullptr;
  /// What the rebase adds to an exponent, and to a base; see BodyShape.
  Terms exponentShift, baseShift;
  bool shrinks = false, base2 = false, distance = false;
  /// The states of the lower powers of the base, from 0.
  SmallVector<Operation *> lowerMoments;
  /// The type that a contraction's operands are rounded to.
  Type operandType;

  bool hasRebase() const {
    return !exponentShift.empty() || !lowerMoments.empty();
  }
};

class FoldRewriter {
public:
  /// `sweep` are the reductions that run in one pass.
  FoldRewriter(FoldScope &scope, const AxisTable &axisTable,
               const ReductionSet &sweep)
      : scope(scope), axisTable(axisTable), sweep(sweep),
        builder(scope.getBlock().getParent()->getContext()) {}

  /// Rewrites reduction `index` of the sweep; in order of the indices.
  void rewrite(int64_t index, const BodyShape &shape);
  /// Makes folds of all that was rewritten.
  void formFolds();

private:
  FoldScope &scope;
  const AxisTable &axisTable;
  const ReductionSet &sweep;
  OpBuilder builder;
  /// All states in order, by the reduction that they belong to.
  std::vector<std::pair<int64_t, State>> states;
  Operation *count = nullptr;
  /// Which reductions a reduction refers to.
  std::map<int64_t, ReductionSet> references;
  llvm::DenseMap<std::pair<Value, unsigned>, Value> adapted;
  llvm::DenseMap<Value, Value> guarded;
  /// What stands for the results of reductions that were rewritten.
  llvm::DenseMap<Value, Value> replaced;
  /// The maxima and minima that the current reduction guards against their
  /// unit.
  llvm::SetVector<Value> guardedExtrema;
  /// The body of the current reduction.
  const BodyShape *shape = nullptr;

  /// The parts of a product: what stays in the loop, what leaves it (null for
  /// 1 each), and how often the base is a factor.
  struct Product {
    Value kept, removed;
    int bases = 0;
  };

  /// The parts of a sum, null for 0.
  struct Sum {
    Value kept, removed;
  };

  bool uses(Value value) { return scope.getReductions(value).anyCommon(sweep); }
  Value multiply(Location loc, ArrayRef<Value> factors);
  Product split(Value value);
  Product splitMul(MulOp mul);
  Product splitDiv(DivOp div);
  Product splitExp(Operation *exp);
  Value adaptBody(Value value, bool guard);
  Value adaptReference(Value value, bool guard);
  Value cloneReference(Value value, bool guard);
  Value guardExtremum(Value extremum);
  Value countFor(ExtentOp extent);
  Terms adaptTerms(const Terms &terms, bool guard);

  Sum splitSum(Value value);
  Value rewriteExtremum(Operation *extremum);
  Value rewriteSum(Operation *reduction, int64_t index);
  Operation *createSum(Operation *original, ArrayRef<Value> operands,
                       Type operandType);
  Operation *findEqual(Operation *op, int64_t user);
  AxesAttr getDomainAxes(Operation *original);
  Value splat(Operation *original, AxesAttr axes, double value);
  Value withAxes(Value value, Operation *original, AxesAttr axes);
  Value restoreNaN(Operation *original, Value value);
  Value applyScale(Operation *original, Value value, Value scale);
  Value isNonEmpty(Operation *original);
  bool isStaticallyNonEmpty();
  Value constant(Location loc, double value);
  Value exponential(Location loc, bool base2, Value exponent);

  FoldOp createFold(ArrayRef<State> members);
  void emitRebase(FoldOp fold, ArrayRef<State> members, size_t index);
  Value emitShift(ArrayRef<State> members, const State &state, Value own,
                  ValueRange old, ValueRange now, Location loc);
};

/// The value of a sum of products in terms of what `lookup` gives for factors.
Value emitTerms(OpBuilder &builder, Location loc, const Terms &terms,
                function_ref<Value(Value)> lookup);

} // namespace mlir::cleave::folds

#endif // CLEAVE_LIB_TRANSFORMS_FOLDS_FOLDREWRITER_H
