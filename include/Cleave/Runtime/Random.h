//===- Random.h - Reproducible random arrays --------------------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Inputs of tests and benchmarks. Each element is a function of the seed, the
// array's name and its own index, so no order of generation matters.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_RUNTIME_RANDOM_H
#define CLEAVE_RUNTIME_RANDOM_H

#include "Cleave/Runtime/HostArray.h"

namespace mlir::cleave {

/// No element of makeRandom is farther from 0 than this many deviations.
constexpr double randomBound = 3.4641016151377544;

/// Roughly normal floats with mean 0 and standard deviation `scale`; bools by
/// a fair coin, integers from 0 to `scale` (rounded down).
HostArray makeRandom(ElementKind kind, llvm::ArrayRef<int64_t> shape,
                     uint64_t seed, llvm::StringRef name, double scale);

} // namespace mlir::cleave

#endif // CLEAVE_RUNTIME_RANDOM_H
