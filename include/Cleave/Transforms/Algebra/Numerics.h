//===- Numerics.h - How careful the algebra is ------------------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_TRANSFORMS_ALGEBRA_NUMERICS_H
#define CLEAVE_TRANSFORMS_ALGEBRA_NUMERICS_H

namespace mlir::cleave {

/// What a rewrite may rest on; docs/numerics.md has the contract.
enum class Numerics {
  /// Arguments are finite and within their declared or default range, and no
  /// rewrite makes safe numbers unsafe.
  Strict,
  /// Real numbers.
  Real
};

/// How the algebra's results are compared with its input.
enum class CheckLevel {
  None,
  /// On small extents.
  Small,
  /// And at some positions of the results at the original extents.
  Full
};

} // namespace mlir::cleave

#endif // CLEAVE_TRANSFORMS_ALGEBRA_NUMERICS_H
