// Both contractions lose the scale of the row and share one operand.
// RUN: cleave-opt %examples/rmsnorm_gated_mlp.mlir --cleave-algebra="k=8 split=false" | FileCheck %s
// RUN: cleave-opt %s --cleave-algebra="k=8 check=full split=false" | FileCheck %s

// CHECK: cleave.alternatives
// CHECK: %[[R:.*]] = cleave.rsqrt
// CHECK: %[[G:.*]] = cleave.mul %arg0, %arg1
// CHECK: cleave.contract %[[G]], %{{.*}} over [K] {operand_type = f16}
// CHECK: cleave.contract %[[G]], %{{.*}} over [K] {operand_type = f16}
// CHECK-NOT: over [K]
// CHECK: }, {

// The same, written and stored in another order.
#K = #cleave.axes<K>
#K_M = #cleave.axes<K, M>
#M_N = #cleave.axes<M, N>
#N_K = #cleave.axes<N, K>

func.func @rmsnorm_gated_mlp(%arg0: tensor<4096x?xf16, #K_M> {cleave.name = "X", cleave.range = 3.000000e+02 : f32}, %arg1: tensor<4096xf16, #K> {cleave.name = "g", cleave.range = 8.000000e+00 : f32}, %arg2: tensor<14336x4096xf16, #N_K> {cleave.name = "W1", cleave.range = 2.500000e-01 : f32}, %arg3: tensor<14336x4096xf16, #N_K> {cleave.name = "W2", cleave.range = 2.500000e-01 : f32}) -> (tensor<?x14336xf16, #M_N> {cleave.name = "Y"}) attributes {cleave.symbols = #cleave.symbols<M: dynamic like 16 | 2048>} {
  %0 = cleave.rms_norm %arg0, %arg1 over [K] eps 9.9999999999999995E-7 : (tensor<4096x?xf16, #K_M>, tensor<4096xf16, #K>) -> tensor<4096x?xf32, #K_M>
  %1 = cleave.contract %arg3, %0 over [K] : (tensor<14336x4096xf16, #N_K>, tensor<4096x?xf32, #K_M>) -> tensor<?x14336xf32, #M_N>
  %2 = cleave.contract %arg2, %0 over [K] : (tensor<14336x4096xf16, #N_K>, tensor<4096x?xf32, #K_M>) -> tensor<?x14336xf32, #M_N>
  %3 = cleave.silu %2 : (tensor<?x14336xf32, #M_N>) -> tensor<?x14336xf32, #M_N>
  %4 = cleave.mul %1, %3 : (tensor<?x14336xf32, #M_N>, tensor<?x14336xf32, #M_N>) -> tensor<?x14336xf32, #M_N>
  %5 = cleave.cast %4 : tensor<?x14336xf32, #M_N> to tensor<?x14336xf16, #M_N>
  return %5 : tensor<?x14336xf16, #M_N>
}
