//===- GenericKind.h - What a linalg.generic computes -----------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: scheduled form to vector form. Sorts the linalg.generic ops that the
// scheduled form allows into pointwise ops, reductions and contractions.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_LIB_CONVERSION_TILESTOGPU_GENERICKIND_H
#define CLEAVE_LIB_CONVERSION_TILESTOGPU_GENERICKIND_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::cleave {

/// The iteration dimensions of a contraction by the operands that carry them.
struct ContractionRoles {
  SmallVector<unsigned> m, n, k;
};

struct GenericKind {
  enum Kind { Pointwise, Reduction, Contraction };
  Kind kind = Pointwise;
  /// A reduction's combiner of each output.
  SmallVector<Operation *> combiners;
  /// The value that each combiner adds to its output, in the body.
  SmallVector<Value> reduced;
  /// Set for contractions only.
  ContractionRoles roles;
};

/// Emits an error on `op` and fails for what the scheduled form does not allow.
FailureOr<GenericKind> classifyGeneric(linalg::GenericOp op);

} // namespace mlir::cleave

#endif // CLEAVE_LIB_CONVERSION_TILESTOGPU_GENERICKIND_H
