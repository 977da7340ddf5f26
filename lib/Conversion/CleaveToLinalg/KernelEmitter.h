//===- KernelEmitter.h - One planned kernel as IR ---------------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the writer of a function and the writer of its kernels share. Private to
// this library.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_LIB_CONVERSION_CLEAVETOLINALG_KERNELEMITTER_H
#define CLEAVE_LIB_CONVERSION_CLEAVETOLINALG_KERNELEMITTER_H

#include "Cleave/Conversion/CleaveToLinalg.h"
#include "mlir/IR/Builders.h"
#include <map>

namespace mlir::cleave {

/// What kernels share.
struct Surroundings {
  /// By axis.
  SmallVector<OpFoldResult> extents;
  /// By the number of the argument.
  std::map<unsigned, Value> arguments;
  /// The kernel in front, if there is one.
  const schedule::ScheduledKernel *front = nullptr;
  /// Whether a kernel in front has begun a launch that others may share.
  bool inLaunch = false;
};

/// `cuts`, or whole dimensions for `storage`.
SmallVector<schedule::Cut, 4> getCuts(ArrayRef<schedule::AxisId> storage,
                                      ArrayRef<schedule::Cut> cuts);

/// The axes that each dimension of a tensor with `storage` is made of.
schedule::Dimensions getDimensions(const schedule::Problem &problem,
                                   ArrayRef<schedule::AxisId> storage,
                                   ArrayRef<schedule::Cut> cuts);

/// How many positions `axes` have together.
OpFoldResult getProduct(OpBuilder &b, Location loc,
                        ArrayRef<OpFoldResult> extents,
                        ArrayRef<schedule::AxisId> axes);

/// `tensor`, whose dimensions are made of the axes `from`, with dimensions made
/// of the same axes in the same order as `to` says.
Value reshape(OpBuilder &b, Location loc, ArrayRef<OpFoldResult> extents,
              Value tensor, const schedule::Dimensions &from,
              const schedule::Dimensions &to);

/// Whether nothing is written of a kernel, since a static axis of its grid has
/// no positions.
bool hasNoBlocks(const schedule::Problem &kernel,
                 const schedule::LoopNest &nest);

/// Writes a kernel and returns what it stores, of the given types.
SmallVector<Value> emitKernel(OpBuilder &b, Location loc,
                              const schedule::ScheduledKernel &kernel,
                              const Surroundings &around,
                              const schedule::LoopNest &nest,
                              ArrayRef<RankedTensorType> types);

} // namespace mlir::cleave

#endif // CLEAVE_LIB_CONVERSION_CLEAVETOLINALG_KERNELEMITTER_H
