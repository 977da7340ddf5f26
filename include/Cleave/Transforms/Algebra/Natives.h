//===- Natives.h - What rules may ask and compute ---------------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The native constraints and rewrites of PDLL rules. Constraints ask the facts
// of e-classes, never their syntax. A constraint may have several answers (the
// ways to cut a product in two): each one is a match.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_TRANSFORMS_ALGEBRA_NATIVES_H
#define CLEAVE_TRANSFORMS_ALGEBRA_NATIVES_H

#include "Cleave/Transforms/Algebra/AlgebraGraph.h"

namespace mlir::cleave {

/// What a PDL value stands for: an attribute, one or several e-classes, or an
/// operation: its class, and what it is without its operands.
struct Binding {
  SmallVector<egraph::ClassId, 4> classes;
  Attribute attribute;
  std::optional<std::pair<egraph::SymbolId, egraph::PayloadId>> operation = {};
};

/// Called with the results of one answer.
using Answer = function_ref<void(ArrayRef<Binding>)>;
using RunConstraint = void (*)(const AlgebraGraph &graph,
                               ArrayRef<Binding> arguments, Answer answer);

struct NativeConstraint {
  StringRef name;
  unsigned numArguments;
  unsigned numResults;
  RunConstraint run;
  /// For tests: the same without what it asks, where it has results. Null where
  /// any of its answers would do (the ways to cut a product in two).
  RunConstraint runWeakened = nullptr;

  /// A guard keeps out what cannot pay; both sides of the rule are equal
  /// without it. All other constraints are conditions.
  bool isGuard() const { return name.starts_with("Worth"); }
  bool isCondition() const {
    return !isGuard() && (numResults == 0 || runWeakened);
  }
};

struct NativeRewrite {
  StringRef name;
  unsigned numArguments;
  /// Empty where there is no such value.
  std::optional<Binding> (*run)(AlgebraGraph &graph,
                                ArrayRef<Binding> arguments);
};

/// Null for an unknown name.
const NativeConstraint *lookupConstraint(StringRef name);
const NativeRewrite *lookupRewrite(StringRef name);

} // namespace mlir::cleave

#endif // CLEAVE_TRANSFORMS_ALGEBRA_NATIVES_H
