//===- Passes.td - Conversion passes -----------------------*- tablegen -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_CONVERSION_PASSES_TD
#define CLEAVE_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def VectorizeTilesPass
    : Pass<"cleave-vectorize-tiles", "::mlir::ModuleOp"> {
  let summary = "Outline kernels of the scheduled form and vectorize them";
  let description = [{
    Input: functions in the scheduled form (docs/scheduled-form.md). Functions
    without a top-level `scf.forall` are left alone.

    Each top-level `scf.forall` becomes a kernel `gpu.func`, the function
    becomes the host form. In the kernel every tile tensor is one vector, each
    dimension rounded up to a power of two; where a tile may be smaller than
    its vector, loads and stores are masked, and reductions select their unit.

    ```mlir
    %xt = tensor.extract_slice %x[%i, %k] [%tm, 64] [1, 1]
        : tensor<?x4096xf16> to tensor<?x64xf16>
    // becomes
    %mask = vector.create_mask %tm, %c64 : vector<16x64xi1>
    %xt = vector.transfer_read %x[%i, %k], %zero, %mask
        {in_bounds = [true, true]} : memref<?x4096xf16>, vector<16x64xf16>
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::gpu::GPUDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

#endif // CLEAVE_CONVERSION_PASSES_TD
