// A cast to an integer cuts off: what was above 0 may be 0 then.
// RUN: cleave-opt %s --cleave-algebra -o %t.mlir && FileCheck %s --input-file=%t.mlir
// RUN: cleave-run %t.mlir --source=%s --device=evaluator --check

#K = #cleave.axes<K>

// CHECK: cleave.alternatives ["input"]
func.func @f(%x: tensor<3xf32, #K> {cleave.range = 1.0 : f32}) -> tensor<3xf32, #K> {
  %e = cleave.exp %x : (tensor<3xf32, #K>) -> tensor<3xf32, #K>
  %i = cleave.cast %e : tensor<3xf32, #K> to tensor<3xi32, #K>
  %y = cleave.cast %i : tensor<3xi32, #K> to tensor<3xf32, #K>
  %q = cleave.div %y, %y : (tensor<3xf32, #K>, tensor<3xf32, #K>) -> tensor<3xf32, #K>
  return %q : tensor<3xf32, #K>
}
