// An error is not followed by the operation, unless the user wants it.
// RUN: not cleave-opt %s --convert-cleave-to-linalg=variant=9 2>&1 | FileCheck %s --implicit-check-not="see current"
// RUN: not cleave-opt %s --convert-cleave-to-linalg=variant=9 --mlir-print-op-on-diagnostic 2>&1 | FileCheck %s --check-prefix=ALL

#K = #cleave.axes<K>

// CHECK: error: {{.*}}expected a variant below 1 but got 9
// ALL: note: see current operation
func.func @f(%x: tensor<?xf32, #K>) -> tensor<?xf32, #K> {
  %y = cleave.alternatives ["input"] {
    cleave.yield %x : tensor<?xf32, #K>
  } : tensor<?xf32, #K>
  return %y : tensor<?xf32, #K>
}
