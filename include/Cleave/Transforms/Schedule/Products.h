//===- Products.h - Several axes as one -------------------------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A dimension of a fragment is one axis. Where two axes stand for the same
// dimension of a contraction (batch and sequence as rows, head and element as
// what is summed), always occur together and lie one inside of the other in
// memory, a kernel can have their product instead: no tile is wasted on a short
// axis, and one loop does for both.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_TRANSFORMS_SCHEDULE_PRODUCTS_H
#define CLEAVE_TRANSFORMS_SCHEDULE_PRODUCTS_H

#include "Cleave/Transforms/Schedule/Problem.h"

namespace mlir::cleave::schedule {

/// Whether `inner` stands directly inside of `outer` wherever one of them is.
bool canMultiply(const Problem &kernel, AxisId outer, AxisId inner);

/// Makes products of the axes that share a dimension of a contraction.
void multiplyAxes(Problem &kernel);

/// The axis called `name`. That of a product, its factors joined by dots, is
/// made where it can be. -1 if there is none.
int findOrMultiply(Problem &kernel, llvm::StringRef name);

/// The axis itself, or the factors of a product.
llvm::SmallVector<AxisId, 2> getFactors(const Problem &kernel, AxisId axis);

} // namespace mlir::cleave::schedule

#endif // CLEAVE_TRANSFORMS_SCHEDULE_PRODUCTS_H
