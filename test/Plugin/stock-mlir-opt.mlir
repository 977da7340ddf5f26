// The packaged mlir-opt reads cleave functions and runs Cleave's passes from the
// plugin. A sanitized plugin wants a sanitized program.
// UNSUPPORTED: sanitizers

// RUN: %llvm_tools/mlir-opt %s --load-dialect-plugin=%plugin \
// RUN:   -pass-pipeline='builtin.module(cleave-expand)' | FileCheck %s

// Both options may name it.
// RUN: %llvm_tools/mlir-opt %s --load-dialect-plugin=%plugin --load-pass-plugin=%plugin \
// RUN:   -pass-pipeline='builtin.module(cleave-expand)' | FileCheck %s

// The pass option alone brings passes for what mlir-opt can read.
// RUN: echo 'func.func private @empty()' > %t.mlir
// RUN: %llvm_tools/mlir-opt %t.mlir --load-pass-plugin=%plugin \
// RUN:   -pass-pipeline='builtin.module(cleave-expand)' \
// RUN:   | FileCheck %s --check-prefix=EMPTY
// EMPTY: @empty

// Without the plugin there is neither.
// RUN: not %llvm_tools/mlir-opt %s 2>&1 | FileCheck %s --check-prefix=NODIALECT
// NODIALECT: attribute created with unregistered dialect
// RUN: not %llvm_tools/mlir-opt %t.mlir \
// RUN:   -pass-pipeline='builtin.module(cleave-expand)' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NOPASS
// NOPASS: 'cleave-expand' does not refer to a registered pass

#K = #cleave.axes<K>

// CHECK-LABEL: func.func @silu
// CHECK: %[[S:.*]] = cleave.sigmoid %[[X:[^ ]*]]
// CHECK: cleave.mul %[[X]], %[[S]]
func.func @silu(%x: tensor<?xf16, #K>) -> tensor<?xf32, #K>
    attributes {cleave.symbols = #cleave.symbols<K: dynamic like 8>} {
  %y = cleave.silu %x : (tensor<?xf16, #K>) -> tensor<?xf32, #K>
  return %y : tensor<?xf32, #K>
}

// The whole way to a cubin, the example as it stands.
// RUN: %llvm_tools/mlir-opt %examples/rmsnorm_linear.mlir \
// RUN:   --load-dialect-plugin=%plugin \
// RUN:   -pass-pipeline='builtin.module(cleave-to-cubin{chip=sm_90a})' \
// RUN:   | FileCheck %s --check-prefix=CUBIN
// CUBIN: gpu.binary
// CUBIN-SAME: "\7FELF
