//===- VerifyRules.h - Testing rules on small instances ---------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_TRANSFORMS_ALGEBRA_VERIFYRULES_H
#define CLEAVE_TRANSFORMS_ALGEBRA_VERIFYRULES_H

#include "Cleave/Transforms/Algebra/Rules.h"
#include <memory>

namespace mlir::cleave {

struct VerifyOptions {
  /// Instances that the rule applies to: as many, if they are found, and at
  /// least so many.
  unsigned instances = 160, minInstances = 8;
  /// Instances tried to find these.
  unsigned attempts = 100000;
  unsigned seed = 1;
};

/// Evaluates both sides of a rule on random axis sets, extents (0, 1 and
/// primes), signs and values. Emits an error with the axes and values of a
/// counterexample, or if the rule applied too rarely to be tested.
LogicalResult verifyRule(const RulePattern &pattern,
                         const VerifyOptions &options);

/// The rules that ship and those of files. `verify`: a rule of a file that
/// fails its verification is an error.
FailureOr<std::shared_ptr<const RuleSet>>
loadRules(MLIRContext *context, ArrayRef<std::string> paths, bool verify);

} // namespace mlir::cleave

#endif // CLEAVE_TRANSFORMS_ALGEBRA_VERIFYRULES_H
