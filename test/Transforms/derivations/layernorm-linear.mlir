// Mean, variance and contraction in one sweep, centred; the row terms come after
// it.
// RUN: cleave-opt %examples/layernorm_linear.mlir --cleave-algebra="k=8 split=false" | FileCheck %s
// RUN: cleave-opt %s --cleave-algebra="k=8 check=full split=false" | FileCheck %s

// CHECK: cleave.alternatives
// CHECK: %[[BW:.*]] = cleave.reduce_sum
// CHECK: %[[F:.*]]:6 = cleave.fold over [K] ins(%arg0, %arg1, %arg3
// CHECK: contract body
// CHECK: %[[R:.*]] = cleave.rsqrt
// CHECK: %[[S:.*]] = cleave.mul {{.*}}%[[F]]#
// CHECK: cleave.add {{.*}}%[[BW]]
// CHECK-NOT: over [K]
// CHECK: }, {

// The same, written and stored in another order.
#K = #cleave.axes<K>
#K_M = #cleave.axes<K, M>
#M_N = #cleave.axes<M, N>
#N_K = #cleave.axes<N, K>

func.func @layernorm_linear(%arg0: tensor<4096x?xf16, #K_M> {cleave.name = "X", cleave.range = 3.000000e+02 : f32}, %arg1: tensor<4096xf16, #K> {cleave.name = "g", cleave.range = 8.000000e+00 : f32}, %arg2: tensor<4096xf16, #K> {cleave.name = "b", cleave.range = 8.000000e+00 : f32}, %arg3: tensor<4096x4096xf16, #N_K> {cleave.name = "W"}) -> (tensor<?x4096xf16, #M_N> {cleave.name = "Y"}) attributes {cleave.symbols = #cleave.symbols<M: dynamic like 16 | 2048>} {
  %0 = cleave.layer_norm %arg0, %arg1, %arg2 over [K] eps 1.000000e-05 : (tensor<4096x?xf16, #K_M>, tensor<4096xf16, #K>, tensor<4096xf16, #K>) -> tensor<4096x?xf32, #K_M>
  %1 = cleave.contract %arg3, %0 over [K] : (tensor<4096x4096xf16, #N_K>, tensor<4096x?xf32, #K_M>) -> tensor<?x4096xf32, #M_N>
  %2 = cleave.cast %1 : tensor<?x4096xf32, #M_N> to tensor<?x4096xf16, #M_N>
  return %2 : tensor<?x4096xf16, #M_N>
}
