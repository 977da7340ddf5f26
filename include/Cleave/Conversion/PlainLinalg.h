//===- PlainLinalg.h - Cleave functions for other compilers -----*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a graph means as linalg on tensors without named axes: an operation
// becomes a linalg.generic, nothing is tiled or fused. With it the algebra
// serves compilers that know nothing of Cleave.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_CONVERSION_PLAINLINALG_H
#define CLEAVE_CONVERSION_PLAINLINALG_H

#include "Cleave/Dialect/SymbolicDim.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace mlir::cleave {

struct PlainLinalgOptions {
  /// The region of `cleave.alternatives`.
  unsigned variant = 0;
  /// Extents of axes that no argument carries; others, and names that the
  /// function lacks, are for other functions.
  Bindings symbols;
};

/// `function`, which must have no sugar, on plain tensors; in no module yet.
/// Emits an error at the operation that is not supported.
FailureOr<OwningOpRef<func::FuncOp>>
convertToPlainLinalg(func::FuncOp function, const PlainLinalgOptions &options);

} // namespace mlir::cleave

#endif // CLEAVE_CONVERSION_PLAINLINALG_H
