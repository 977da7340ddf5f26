//===- Explain.h - Why a function runs as it does ---------------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_TRANSFORMS_EXPLAIN_H
#define CLEAVE_TRANSFORMS_EXPLAIN_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace mlir::cleave {

struct CleaveExplainPassOptions;

/// The attribute in which --cleave-algebra=derivations leaves the rules that
/// lead from the input to each region.
constexpr llvm::StringLiteral kDerivationsAttrName = "cleave.derivations";

/// What --cleave-explain prints of one function, which has no sugar.
LogicalResult explainSchedule(func::FuncOp function,
                              const CleaveExplainPassOptions &options,
                              llvm::raw_ostream &os);

} // namespace mlir::cleave

#endif // CLEAVE_TRANSFORMS_EXPLAIN_H
