//===- RuleInstance.h - The left side of a rule, at random ------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An instance is the left side of a rule over random arguments. What the facts
// say of an argument (sign, finiteness, an axis that cannot be empty) is random
// too, and its values go to the limits of that: a side condition that is
// missing shows as two sides that differ.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_LIB_TRANSFORMS_ALGEBRA_RULEINSTANCE_H
#define CLEAVE_LIB_TRANSFORMS_ALGEBRA_RULEINSTANCE_H

#include "Cleave/Transforms/Algebra/Rules.h"
#include "TermEvaluator.h"
#include <random>

namespace mlir::cleave {

/// std's distributions differ between libraries; the generator does not.
class Random {
public:
  explicit Random(unsigned seed) : engine(seed) {}
  unsigned below(unsigned n) { return engine() % n; }
  bool flip() { return below(2); }
  uint64_t bits() { return uint64_t(engine()) << 32 | engine(); }

private:
  std::mt19937 engine;
};

/// What an argument may be.
struct ArgumentKind {
  double lo, hi;
  bool finite = true;
  Type elementType = {};

  bool isConstant() const { return lo == hi; }
};

class RuleInstance {
public:
  /// Argument numbers from here on stand for results of inner operations.
  static constexpr unsigned kFirstAlias = 1000;

  /// `wide`: values as large and small as f32 has them, instead of such that
  /// show each difference in f64.
  RuleInstance(const RulePattern &pattern, unsigned seed, bool wide);

  /// Empty if the pattern cannot be built from what was drawn.
  std::optional<egraph::ClassId> build();
  AlgebraGraph &getGraph() { return graph; }

  /// Draws extents that suit both sides; false if there seem to be none.
  bool drawExtents();
  const Extents &getExtents() const { return extents; }

  size_t getNumArguments() const { return argumentClasses.size(); }
  egraph::AxisSet getArgumentAxes(unsigned index) const {
    return graph.getGraph().getFacts(argumentClasses[index]).axes;
  }
  std::vector<double> drawValues(unsigned index);
  std::vector<FieldDomain::Value> drawResidues(unsigned index);

private:
  void addAxes();
  egraph::ClassId addArgument(ArgumentKind kind);
  egraph::ClassId addFloatArgument();
  egraph::ClassId addAlias(egraph::ClassId id);
  std::optional<egraph::ClassId> buildOperation(pdl::OperationOp op);
  std::optional<SmallVector<egraph::ClassId>>
  buildOperand(Value value, StringRef user, unsigned position);
  std::string drawName(size_t numOperands);
  Attribute drawAxis(egraph::AxisSet among);
  Attribute drawAttribute(StringRef name, ArrayRef<egraph::ClassId> operands,
                          StringRef opName);
  bool setDerivedExtents();
  double drawValue(const ArgumentKind &kind);

  const RulePattern &pattern;
  Random random;
  bool wide;
  AlgebraGraph graph;
  std::vector<egraph::ClassId> argumentClasses;
  std::vector<ArgumentKind> argumentKinds;
  std::vector<std::pair<egraph::ClassId, egraph::ClassId>> aliases;
  llvm::DenseMap<Value, SmallVector<egraph::ClassId>> operands;
  llvm::DenseMap<Value, Attribute> attributes;
  /// What stands in multisets so far.
  SmallVector<egraph::ClassId> factors;
  std::string lastName;
  std::optional<ArgumentKind> lastKind;
  egraph::AxisSet lastAxes;
  bool wasDrawn = false;
  double lastValue = 1;
  /// In this round, the magnitude of values that cancel; 0 for none.
  double opposite = 0;
  Extents extents;
};

} // namespace mlir::cleave

#endif // CLEAVE_LIB_TRANSFORMS_ALGEBRA_RULEINSTANCE_H
