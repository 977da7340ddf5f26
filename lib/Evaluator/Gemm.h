//===- Gemm.h - A blocked matrix product in double --------------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the evaluator: the loop that all contractions end in.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_LIB_EVALUATOR_GEMM_H
#define CLEAVE_LIB_EVALUATOR_GEMM_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>

namespace mlir::cleave {

/// A matrix whose rows and columns are products of axes: element (i, j) is at
/// data[rows[i] + columns[j]].
struct GatheredMatrix {
  const double *data;
  llvm::ArrayRef<int64_t> rows;
  llvm::ArrayRef<int64_t> columns;
};

/// Adds lhs (m x k) times rhs (k x n) to the row-major `out` (m x n).
void multiplyAdd(const GatheredMatrix &lhs, const GatheredMatrix &rhs,
                 double *out);

} // namespace mlir::cleave

#endif // CLEAVE_LIB_EVALUATOR_GEMM_H
