//===- Extract.h - The k best selections ------------------------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the cheapest selection of each of the k cheapest skeletons, all roots
// together. Exact while there are few enough selections to look at each of
// them; beyond that it starts from a greedy fixpoint and improves one node at a
// time.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_TRANSFORMS_EGRAPH_EXTRACT_H
#define CLEAVE_TRANSFORMS_EGRAPH_EXTRACT_H

#include "Cleave/Transforms/EGraph/Cost.h"

namespace mlir::cleave::egraph {

struct ExtractOptions {
  /// How many skeletons.
  unsigned k = 1;
  /// Selections looked at before the search stops being exhaustive.
  unsigned maxExact = 4096;
  /// Selections looked at by the local improvement.
  unsigned maxLocal = 6000;
};

struct Extracted {
  Selection selection;
  Evaluation evaluation;
};

struct Extraction {
  /// Best first; fewer than k where there are fewer skeletons.
  std::vector<Extracted> best;
  /// Each selection was looked at.
  bool exact = false;
};

/// `seeds` are selections to start from besides the greedy one (the input).
Extraction extract(const EGraph &graph, llvm::ArrayRef<ClassId> roots,
                   CostModel &model, const ExtractOptions &options,
                   llvm::ArrayRef<Selection> seeds = {});

} // namespace mlir::cleave::egraph

#endif // CLEAVE_TRANSFORMS_EGRAPH_EXTRACT_H
