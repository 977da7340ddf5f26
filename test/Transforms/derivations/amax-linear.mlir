// The scale leaves the contraction, which is then one sweep with the maximum.
// RUN: cleave-opt %examples/amax_scaled_linear.mlir --cleave-algebra="k=8 split=false" | FileCheck %s
// RUN: cleave-opt %s --cleave-algebra="k=8 check=full split=false" | FileCheck %s

// CHECK: cleave.alternatives
// CHECK: %[[A:.*]] = cleave.reduce_max {{.*}} over [K]
// CHECK: cleave.contract %arg0, %arg1 over [K] {operand_type = f16}
// CHECK-NOT: over [K]
// CHECK: }, {

// The same, written and stored in another order.
#K_M = #cleave.axes<K, M>
#M = #cleave.axes<M>
#M_N = #cleave.axes<M, N>
#N_K = #cleave.axes<N, K>
#scalar = #cleave.axes<>

func.func @amax_scaled_linear(%arg0: tensor<4096x?xf16, #K_M> {cleave.name = "X", cleave.range = 3.000000e+02 : f32}, %arg1: tensor<4096x4096xf16, #N_K> {cleave.name = "W"}) -> (tensor<?x4096xf16, #M_N> {cleave.name = "Y"}) attributes {cleave.symbols = #cleave.symbols<M: dynamic like 16 | 2048>} {
  %0 = cleave.constant 4.480000e+02 : tensor<f32, #scalar>
  %1 = cleave.abs %arg0 : (tensor<4096x?xf16, #K_M>) -> tensor<4096x?xf32, #K_M>
  %2 = cleave.reduce_max %1 over [K] : (tensor<4096x?xf32, #K_M>) -> tensor<?xf32, #M>
  %3 = cleave.div %2, %0 : (tensor<?xf32, #M>, tensor<f32, #scalar>) -> tensor<?xf32, #M>
  %4 = cleave.recip0 %2 : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %5 = cleave.mul %4, %0 : (tensor<?xf32, #M>, tensor<f32, #scalar>) -> tensor<?xf32, #M>
  %6 = cleave.mul %5, %arg0 : (tensor<?xf32, #M>, tensor<4096x?xf16, #K_M>) -> tensor<4096x?xf32, #K_M>
  %7 = cleave.contract %arg1, %6 over [K] : (tensor<4096x4096xf16, #N_K>, tensor<4096x?xf32, #K_M>) -> tensor<?x4096xf32, #M_N>
  %8 = cleave.mul %3, %7 : (tensor<?xf32, #M>, tensor<?x4096xf32, #M_N>) -> tensor<?x4096xf32, #M_N>
  %9 = cleave.cast %8 : tensor<?x4096xf32, #M_N> to tensor<?x4096xf16, #M_N>
  return %9 : tensor<?x4096xf16, #M_N>
}
