//===- FoldVerdict.h - How a body depends on earlier reductions -*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the body of a reduction as a product (or, of a maximum, as a sum), and
// says how a running result follows its references, or why it cannot.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_LIB_TRANSFORMS_FOLDS_FOLDVERDICT_H
#define CLEAVE_LIB_TRANSFORMS_FOLDS_FOLDVERDICT_H

#include "Cleave/Transforms/Algebra/Numerics.h"
#include "FoldScope.h"
#include <string>

namespace mlir::cleave::folds {

/// How a body depends on reductions of the same sweep, its references.
struct BodyShape {
  /// Factors (of a maximum: summands) that do not vary along the axes and use
  /// references: they are applied behind the reduction.
  SmallVector<Value> scales;
  /// The body has the factor exp(u + H); these are the terms of u + H, and
  /// those of H that use references: a running result is multiplied by
  /// exp(H(new) - H(old)).
  Terms exponents, exponentShift;
  /// Terms of exponents that use references but need not stay in the loop: the
  /// exponential of their sum is one more scale.
  Terms removedExponents;
  /// Whether the exponents are of 2.
  bool base2 = false;
  /// Whether H(new) - H(old) is never positive.
  bool shrinks = false;
  /// The body has the factor (u + V)^power; the terms of V that use references.
  /// A running result of each power 0 .. power follows a new V.
  Terms baseShift;
  Value base;
  unsigned power = 0;
  /// Whether the base is the distance to a maximum or minimum.
  bool distance = false;

  bool hasScale() const { return !scales.empty() || !removedExponents.empty(); }
};

/// Decides for one reduction after the other.
class VerdictReader {
public:
  VerdictReader(FoldScope &scope, Numerics numerics)
      : scope(scope), numerics(numerics), shapes(scope.getReductions().size()) {
  }

  /// The shape of the body of reduction `index` if it can run in one pass with
  /// the earlier reductions `group` that it uses; else sets `reason`.
  std::optional<BodyShape> read(int64_t index, const ReductionSet &group,
                                std::string &reason);

private:
  FoldScope &scope;
  Numerics numerics;
  /// The shapes of the reductions that were accepted.
  std::vector<BodyShape> shapes;

  // The body that is being read.
  const ReductionSet *group = nullptr;
  BodyShape shape;
  bool hasExponent = false;
  unsigned operations = 0;
  /// The terms of single exponentials that use references.
  Terms exponentTerms;
  /// Conditions under which the body is not 0.
  SmallVector<Value> masks;
  /// A bound on u + H, at least 0, for powers of e.
  double largestExponent = 0;
  std::string reason;

  bool uses(Value value) {
    return scope.getReductions(value).anyCommon(*group);
  }
  bool refuse(const llvm::Twine &why);
  std::string name(Value value);
  bool readSummand(Value value, StringRef where);
  bool readFactor(Value value, double power, bool masked);
  bool readScale(Value scale, bool masked);
  bool readSelect(SelectOp select, double power);
  bool readExponent(Operation *exp, double power);
  bool readBase(Value value, double power);
  /// Puts the terms that use references into `shift`.
  bool readTerms(const Terms &terms, Terms &shift, const llvm::Twine &where);
  bool sortExponents();
  bool isReference(Value value);
  bool areReferences(const Terms &terms);
  bool cancel(Value value, const Terms &terms);
  bool checkStrict(Operation *reduction);
  void replaceExtremum(Terms &terms, const Term &term, int64_t index);
  bool checkExponent();
  bool checkMasks();
  bool isDistance();
  bool checkBase();
  bool checkOperands(Operation *reduction);
  int64_t getBoundingExtremum(const Term &term);
  int64_t getExtremum(Value value, bool minimum);
  std::vector<Terms> getAlternatives(Operation *extremum);
  bool refersToExtremum(Value value);
  bool refersToExtremum(const Term &term);
  bool isFiniteForParts(const Term &term);
};

} // namespace mlir::cleave::folds

#endif // CLEAVE_LIB_TRANSFORMS_FOLDS_FOLDVERDICT_H
