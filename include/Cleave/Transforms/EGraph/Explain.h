//===- Explain.h - From one term to another, rule by rule -------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Explanations as in egg: the path between two terms in the forest of recorded
// equalities, a congruence on it replaced by explanations of the children.
//
// Several roots are one expression with shared parts. It is rewritten from the
// roots down: a class gets the shape that the selection chose, then its
// children theirs, each once for all its uses.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_TRANSFORMS_EGRAPH_EXPLAIN_H
#define CLEAVE_TRANSFORMS_EGRAPH_EXPLAIN_H

#include "Cleave/Transforms/EGraph/Cost.h"

namespace mlir::cleave::egraph {

/// One rewrite of the whole expression.
struct ExplainedStep {
  /// A rule or kNormalForm.
  Origin origin;
  /// The rule leads from the terms after the step to those before.
  bool isReversed = false;
  /// The terms of the roots after the step.
  std::vector<ClassId> roots;
};

/// The steps from the terms `roots` to those of a selection. The graph, which
/// records proofs and is rebuilt, gets the terms on the way.
std::vector<ExplainedStep> explain(EGraph &graph, llvm::ArrayRef<ClassId> roots,
                                   const Selection &selection);

} // namespace mlir::cleave::egraph

#endif // CLEAVE_TRANSFORMS_EGRAPH_EXPLAIN_H
