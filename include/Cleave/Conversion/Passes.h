//===- Passes.h - Conversion passes -----------------------------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The passes that lead from the scheduled form to GPU code; Passes.td is
// their manual.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_CONVERSION_PASSES_H
#define CLEAVE_CONVERSION_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir {
class ModuleOp;
namespace gpu {
class GPUModuleOp;
} // namespace gpu
} // namespace mlir

namespace mlir::cleave {

#define GEN_PASS_DECL
#include "Cleave/Conversion/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "Cleave/Conversion/Passes.h.inc"

} // namespace mlir::cleave

#endif // CLEAVE_CONVERSION_PASSES_H
