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
  /// By axis. Of an axis whose parts are multiples of `by` positions: the
  /// number of these.
  SmallVector<OpFoldResult> extents;
  /// By the number of the argument.
  std::map<unsigned, Value> arguments;
};

/// `cuts`, or whole dimensions for `storage`.
SmallVector<schedule::Cut, 4> getCuts(ArrayRef<schedule::AxisId> storage,
                                      ArrayRef<schedule::Cut> cuts);

/// Writes a kernel and returns what it stores, of the given types. It may join
/// kernel `front`.
SmallVector<Value>
emitKernel(OpBuilder &b, Location loc, const schedule::ScheduledKernel &kernel,
           const schedule::ScheduledKernel *front, const Surroundings &around,
           const schedule::LoopNest &nest, ArrayRef<RankedTensorType> types);

} // namespace mlir::cleave

#endif // CLEAVE_LIB_CONVERSION_CLEAVETOLINALG_KERNELEMITTER_H
