//===- Passes.h - Transforms on cleave functions ----------------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_TRANSFORMS_PASSES_H
#define CLEAVE_TRANSFORMS_PASSES_H

#include "Cleave/Dialect/CleaveDialect.h"
#include "Cleave/Transforms/Algebra/Numerics.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/PDL/IR/PDL.h"
#include "mlir/Pass/Pass.h"

namespace mlir {
class RewritePatternSet;
} // namespace mlir

namespace mlir::cleave {

#define GEN_PASS_DECL
#include "Cleave/Transforms/Passes.h.inc"

/// Adds the patterns that replace sugar by its definition.
void populateExpandPatterns(RewritePatternSet &patterns);

#define GEN_PASS_REGISTRATION
#include "Cleave/Transforms/Passes.h.inc"

} // namespace mlir::cleave

#endif // CLEAVE_TRANSFORMS_PASSES_H
