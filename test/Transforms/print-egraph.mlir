// RUN: cleave-opt %s --cleave-print-egraph -o %t.mlir 2> %t.1
// RUN: FileCheck %s < %t.1
// RUN: cleave-opt %s --cleave-print-egraph -o /dev/null 2> %t.2
// RUN: cmp %t.1 %t.2
// The function stays as it is.
// RUN: FileCheck %s --check-prefix=SAME < %t.mlir

#K = #cleave.axes<K>
#K_M = #cleave.axes<K, M>
#M = #cleave.axes<M>

// A class has its axes, and each way to compute it with the rule it comes from.
// CHECK: digraph egraph {
// CHECK: label="[[#]] [K, M]"
// CHECK: n[[#ROOT:]]_0 [label="cleave.reduce_sum\naxes = #cleave.axes<K>
// CHECK: n[[#ROOT]]_1 [label="cleave.mul\nby Sum_PullFactors"]
// CHECK: n[[#ROOT]]_1 -> n
// CHECK-NOT: @add
// SAME: cleave.silu
func.func @f(%x: tensor<?x?xf32, #K_M>, %s: tensor<?xf32, #M>) -> tensor<?xf32, #M> {
  %p = cleave.mul %x, %s : (tensor<?x?xf32, #K_M>, tensor<?xf32, #M>) -> tensor<?x?xf32, #K_M>
  %y = cleave.reduce_sum %p over [K] : (tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M>
  %z = cleave.silu %y : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  return %z : tensor<?xf32, #M>
}

// What is not Cleave's has no e-graph.
func.func @add(%x: f32) -> f32 {
  %y = arith.addf %x, %x : f32
  return %y : f32
}
