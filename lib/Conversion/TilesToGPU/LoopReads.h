//===- LoopReads.h - Reads that can run ahead of their loop -----*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tile loads of a loop in the vector form that depend on its induction
// variable alone, and what computes their operands: both can be made again for
// a later iteration.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_LIB_CONVERSION_TILESTOGPU_LOOPREADS_H
#define CLEAVE_LIB_CONVERSION_TILESTOGPU_LOOPREADS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::cleave {

/// Loops of `func` without loops inside: what an outer one loads is used for
/// longer.
SmallVector<scf::ForOp> getInnermostLoops(gpu::GPUFuncOp func);

/// How many iterations ahead `loop` of a kernel loads, itself included: 1 for
/// none.
int64_t getStages(scf::ForOp loop);

class LoopReads {
public:
  explicit LoopReads(scf::ForOp loop) : loop(loop) {}

  /// Finds the reads that `filter` accepts; false if there is none.
  bool analyze(function_ref<bool(vector::TransferReadOp)> filter);
  ArrayRef<vector::TransferReadOp> getReads() const { return reads; }
  /// Computes the reads' operands for the iteration at `iv`.
  IRMapping cloneOperands(OpBuilder &b, Value iv);

private:
  bool collect(Value value);
  bool collectRead(vector::TransferReadOp read);

  scf::ForOp loop;
  SmallVector<vector::TransferReadOp> reads;
  /// What the reads' operands are computed by, in the loop; in order.
  SetVector<Operation *> producers;
};

} // namespace mlir::cleave

#endif // CLEAVE_LIB_CONVERSION_TILESTOGPU_LOOPREADS_H
