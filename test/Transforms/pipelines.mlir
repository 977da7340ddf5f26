// RUN: cleave-opt %S/../../examples/rmsnorm_linear.mlir --cleave-to-loops=representative=M=8 | FileCheck %s --check-prefix=LOOPS
// RUN: cleave-opt %S/../../examples/rmsnorm_linear.mlir --cleave-to-loops --cleave-loops-to-llvm | FileCheck %s --check-prefix=LLVM
// RUN: cleave-opt %S/../../examples/rmsnorm_linear.mlir --cleave-to-gpu=chip=sm_80 | FileCheck %s --check-prefix=GPU
// RUN: cleave-opt %S/../../examples/rmsnorm_linear.mlir --cleave-to-cubin="chip=sm_90a format=isa" | FileCheck %s --check-prefix=PTX
// RUN: not cleave-opt %S/../../examples/rmsnorm_linear.mlir --cleave-to-loops=representative=M 2>&1 | FileCheck %s --check-prefix=BAD

// Loads, products and sums of both reductions are in one loop over K.
// LOOPS: func.func @rmsnorm_linear({{.*}}%[[Y:.*]]: memref<?x4096xf16> {cleave.name = "Y", cleave.result = 0 : i64})
// LOOPS-NOT: {{tensor|linalg|cleave\.(mul|contract)}}
// LOOPS: memref.subview %[[Y]]

// LLVM: llvm.func @_mlir_ciface_rmsnorm_linear
// LLVM-NOT: scf.for

// GPU: gpu.module @rmsnorm_linear_kernels [#nvvm.target<{{.*}}chip = "sm_80"
// GPU: llvm.func @rmsnorm_linear_0

// PTX: gpu.binary @rmsnorm_linear_kernels
// PTX-SAME: mma.sync

// BAD: error: expected extents like M=16,K=4096 but got 'M'
