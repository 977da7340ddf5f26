//===- EmitDomain.h - The range of a loop with a domain ---------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: scheduling.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_LIB_CONVERSION_CLEAVETOLINALG_EMITDOMAIN_H
#define CLEAVE_LIB_CONVERSION_CLEAVETOLINALG_EMITDOMAIN_H

#include "Cleave/Transforms/Schedule/LoopNest.h"
#include "mlir/IR/Builders.h"

namespace mlir::cleave {

/// What the terms of a domain are made of where the loop stands.
struct DomainLeaves {
  /// The first position that an axis has there, and how many.
  llvm::function_ref<std::pair<OpFoldResult, OpFoldResult>(schedule::AxisId)>
      getRange;
  /// The value of an extent or of an argument with one element.
  llvm::function_ref<Value(schedule::NodeId)> getNumber;
};

/// Where `loop` over an axis of `extent` positions begins, at a multiple of its
/// tile, and ends.
std::pair<Value, Value> emitLoopRange(OpBuilder &b, Location loc,
                                      const schedule::Problem &problem,
                                      const schedule::Loop &loop, Value extent,
                                      const DomainLeaves &leaves);

} // namespace mlir::cleave

#endif // CLEAVE_LIB_CONVERSION_CLEAVETOLINALG_EMITDOMAIN_H
