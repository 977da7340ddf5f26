//===- Compare.h - Distance of a result from its reference ------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_RUNTIME_COMPARE_H
#define CLEAVE_RUNTIME_COMPARE_H

#include "Cleave/Runtime/HostArray.h"

namespace mlir::cleave {

struct Comparison {
  /// The norm of the difference, divided by the reference's norm unless that
  /// is 0 (then `isAbsolute`). Over the elements that are finite in both.
  double l2 = 0;
  bool isAbsolute = false;
  double maxError = 0;
  /// Elements of the result that are infinite or NaN, rightly or not.
  int64_t nonFinite = 0;
  /// Elements that are infinite or NaN on one side only, or differently.
  int64_t nonFiniteMismatches = 0;
  /// Those of them that are NaN in the reference and finite in the result.
  int64_t finiteForNaN = 0;
  /// The row-major index of the first mismatch.
  int64_t firstMismatch = -1;

  bool isWithin(double tolerance) const {
    return nonFiniteMismatches == 0 && l2 <= tolerance;
  }
};

/// Compares with a reference of the same shape in f64 (or of the same integer
/// type). What is finite in f64 but overflows the result's type, or would
/// within `tolerance`, may be infinite in the result.
Comparison compare(const HostArray &actual, const HostArray &reference,
                   double tolerance);

} // namespace mlir::cleave

#endif // CLEAVE_RUNTIME_COMPARE_H
