// The packaged mlir-opt runs Cleave's passes from the plugin, whichever of its
// two options (or both) names it.

// A sanitized plugin wants a sanitized program.
// UNSUPPORTED: sanitizers

// RUN: %llvm_tools/mlir-opt %s --load-pass-plugin=%plugin \
// RUN:   -pass-pipeline='builtin.module(cleave-vectorize-tiles)' | FileCheck %s
// RUN: %llvm_tools/mlir-opt %s --load-dialect-plugin=%plugin \
// RUN:   -pass-pipeline='builtin.module(cleave-vectorize-tiles)' | FileCheck %s
// RUN: %llvm_tools/mlir-opt %s --load-dialect-plugin=%plugin --load-pass-plugin=%plugin \
// RUN:   -pass-pipeline='builtin.module(cleave-vectorize-tiles)' | FileCheck %s

// Without it there is no such pass.
// RUN: not %llvm_tools/mlir-opt %s \
// RUN:   -pass-pipeline='builtin.module(cleave-vectorize-tiles)' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NONE

// CHECK: func.func @empty
// NONE: 'cleave-vectorize-tiles' does not refer to a registered pass
func.func @empty() {
  return
}
