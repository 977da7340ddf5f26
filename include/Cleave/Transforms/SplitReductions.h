//===- SplitReductions.h - Reductions in parts that merge -------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The second phase of the algebra, on graphs whose folds were formed: what is
// reduced over an axis is reduced over parts of it, and the partial results
// over the parts. How many parts there are is a symbol that scheduling binds.
// docs/folds.md says how the merge of a fold follows from the fold.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_TRANSFORMS_SPLITREDUCTIONS_H
#define CLEAVE_TRANSFORMS_SPLITREDUCTIONS_H

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::cleave {

/// Splits the reductions in the body and in every region of alternatives, over
/// `axes` (all if there are none). Parts of a split are not split again.
LogicalResult splitReductions(FunctionOpInterface function,
                              ArrayRef<std::string> axes = {});

/// Adds to each alternatives a split copy of each region in which something can
/// be split, up to `maxRegions` in all.
LogicalResult addSplitAlternatives(FunctionOpInterface function,
                                   unsigned maxRegions);

} // namespace mlir::cleave

#endif // CLEAVE_TRANSFORMS_SPLITREDUCTIONS_H
