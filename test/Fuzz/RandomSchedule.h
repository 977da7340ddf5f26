//===- RandomSchedule.h - Legal schedules nobody chose ----------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every field of the attribute is random: the conditions, the region, numbers
// of parts, which values are stored, which results share a kernel and which
// kernels a launch, orders and tiles of grid and loop, warps, stages.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_TEST_FUZZ_RANDOMSCHEDULE_H
#define CLEAVE_TEST_FUZZ_RANDOMSCHEDULE_H

#include "Cleave/Conversion/CleaveToLinalg.h"
#include <random>

namespace mlir::cleave {

/// Gives `function`, which has been through the algebra or has been expanded,
/// one or several legal schedules. Fails if it has none.
FailureOr<std::vector<ScheduledGraph>> addRandomSchedules(func::FuncOp function,
                                                          std::mt19937 &random);

} // namespace mlir::cleave

#endif // CLEAVE_TEST_FUZZ_RANDOMSCHEDULE_H
