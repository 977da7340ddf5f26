// The second norm of the residual leaves the contraction.
// RUN: cleave-opt %examples/ntrans_linear.mlir --cleave-algebra="k=8 split=false" | FileCheck %s
// RUN: cleave-opt %s --cleave-algebra="k=8 check=full split=false" | FileCheck %s

// CHECK: cleave.alternatives
// CHECK: %[[R:.*]] = cleave.rsqrt
// CHECK: %[[R2:.*]] = cleave.rsqrt
// CHECK: %[[Y:.*]] = cleave.contract %{{.*}} over [K] {operand_type = f16}
// CHECK: cleave.mul %[[R2]], %[[Y]]
// CHECK: }, {

// The same, written and stored in another order.
#K = #cleave.axes<K>
#K_M = #cleave.axes<K, M>
#M = #cleave.axes<M>
#M_N = #cleave.axes<M, N>
#N_K = #cleave.axes<N, K>
#scalar = #cleave.axes<>

func.func @ntrans_linear(%arg0: tensor<4096x?xf16, #K_M> {cleave.name = "h", cleave.range = 3.000000e+02 : f32}, %arg1: tensor<4096x?xf16, #K_M> {cleave.name = "f", cleave.range = 3.000000e+02 : f32}, %arg2: tensor<4096xf16, #K> {cleave.name = "alpha", cleave.range = 8.000000e+00 : f32}, %arg3: tensor<4096x4096xf16, #N_K> {cleave.name = "W"}) -> (tensor<?x4096xf16, #M_N> {cleave.name = "Y"}) attributes {cleave.symbols = #cleave.symbols<M: dynamic like 16 | 2048>} {
  %0 = cleave.constant 9.9999999999999992E-25 : tensor<f32, #scalar>
  %1 = cleave.mul %arg1, %arg1 : (tensor<4096x?xf16, #K_M>, tensor<4096x?xf16, #K_M>) -> tensor<4096x?xf32, #K_M>
  %2 = cleave.reduce_sum %1 over [K] : (tensor<4096x?xf32, #K_M>) -> tensor<?xf32, #M>
  %3 = cleave.max %0, %2 : (tensor<f32, #scalar>, tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %4 = cleave.rsqrt %3 : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %5 = cleave.mul %4, %arg1 : (tensor<?xf32, #M>, tensor<4096x?xf16, #K_M>) -> tensor<4096x?xf32, #K_M>
  %6 = cleave.sub %5, %arg0 : (tensor<4096x?xf32, #K_M>, tensor<4096x?xf16, #K_M>) -> tensor<4096x?xf32, #K_M>
  %7 = cleave.mul %6, %arg2 : (tensor<4096x?xf32, #K_M>, tensor<4096xf16, #K>) -> tensor<4096x?xf32, #K_M>
  %8 = cleave.add %7, %arg0 : (tensor<4096x?xf32, #K_M>, tensor<4096x?xf16, #K_M>) -> tensor<4096x?xf32, #K_M>
  %9 = cleave.mul %8, %8 : (tensor<4096x?xf32, #K_M>, tensor<4096x?xf32, #K_M>) -> tensor<4096x?xf32, #K_M>
  %10 = cleave.reduce_sum %9 over [K] : (tensor<4096x?xf32, #K_M>) -> tensor<?xf32, #M>
  %11 = cleave.max %0, %10 : (tensor<f32, #scalar>, tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %12 = cleave.rsqrt %11 : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %13 = cleave.mul %12, %8 : (tensor<?xf32, #M>, tensor<4096x?xf32, #K_M>) -> tensor<4096x?xf32, #K_M>
  %14 = cleave.contract %arg3, %13 over [K] : (tensor<4096x4096xf16, #N_K>, tensor<4096x?xf32, #K_M>) -> tensor<?x4096xf32, #M_N>
  %15 = cleave.cast %14 : tensor<?x4096xf32, #M_N> to tensor<?x4096xf16, #M_N>
  return %15 : tensor<?x4096xf16, #M_N>
}
