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

/// What a PDL value stands for: an attribute, or one or several e-classes.
struct Binding {
  SmallVector<egraph::ClassId, 4> classes;
  Attribute attribute;
};

/// Called with the results of one answer.
using Answer = function_ref<void(ArrayRef<Binding>)>;

struct NativeConstraint {
  StringRef name;
  unsigned numArguments;
  unsigned numResults;
  void (*run)(const AlgebraGraph &graph, ArrayRef<Binding> arguments,
              Answer answer);
};

struct NativeRewrite {
  StringRef name;
  unsigned numArguments;
  Binding (*run)(AlgebraGraph &graph, ArrayRef<Binding> arguments);
};

/// Null for an unknown name.
const NativeConstraint *lookupConstraint(StringRef name);
const NativeRewrite *lookupRewrite(StringRef name);

} // namespace mlir::cleave

#endif // CLEAVE_TRANSFORMS_ALGEBRA_NATIVES_H
