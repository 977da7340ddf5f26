// Mean and variance of a group in one sweep.
// RUN: cleave-opt %examples/group_norm_silu.mlir --cleave-algebra="k=8 split=false" | FileCheck %s
// RUN: cleave-opt %s --cleave-algebra="k=8 check=full split=false" | FileCheck %s

// CHECK: cleave.alternatives ["input, folded", "input"]
// CHECK: cleave.fold over
// CHECK-NOT: cleave.reduce_sum %
// CHECK-NOT: cleave.fold
// CHECK: }, {

// The same, written and stored in another order.
#C_G = #cleave.axes<C, G>
#C_G_M = #cleave.axes<C, G, M>
#M_G_C = #cleave.axes<M, G, C>

func.func @group_norm_silu(%arg0: tensor<128x32x?xf16, #C_G_M> {cleave.name = "X", cleave.range = 3.000000e+02 : f32}, %arg1: tensor<128x32xf16, #C_G> {cleave.name = "g", cleave.range = 8.000000e+00 : f32}, %arg2: tensor<128x32xf16, #C_G> {cleave.name = "b", cleave.range = 8.000000e+00 : f32}) -> (tensor<?x32x128xf16, #M_G_C> {cleave.name = "Y"}) attributes {cleave.symbols = #cleave.symbols<M: dynamic like 8192>} {
  %0 = cleave.layer_norm %arg0, %arg1, %arg2 over [C] eps 1.000000e-05 : (tensor<128x32x?xf16, #C_G_M>, tensor<128x32xf16, #C_G>, tensor<128x32xf16, #C_G>) -> tensor<128x32x?xf32, #C_G_M>
  %1 = cleave.silu %0 : (tensor<128x32x?xf32, #C_G_M>) -> tensor<128x32x?xf32, #C_G_M>
  %2 = cleave.cast %1 : tensor<128x32x?xf32, #C_G_M> to tensor<128x32x?xf16, #C_G_M>
  %3 = cleave.relayout %2 : tensor<128x32x?xf16, #C_G_M> to tensor<?x32x128xf16, #M_G_C>
  return %3 : tensor<?x32x128xf16, #M_G_C>
}
