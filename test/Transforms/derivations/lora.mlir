// X W + (X A) B, as written or with operands swapped, and X (W + A B).
// RUN: cleave-opt %examples/lora_linear.mlir --cleave-algebra="k=8 split=false" | FileCheck %s
// RUN: cleave-opt %s --cleave-algebra="k=8 check=full split=false" | FileCheck %s

// CHECK: cleave.alternatives ["input", "{{.*}}Sum_Merge
// CHECK-COUNT-3: cleave.contract
// CHECK: }, {
// CHECK: %[[AB:.*]] = cleave.contract {{%arg2, %arg3|%arg3, %arg2}} over [R]
// CHECK: %[[W:.*]] = cleave.add {{%arg1, %.*|%.*, %arg1}}
// CHECK: cleave.contract {{.*}}%[[W]]
// CHECK-NOT: cleave.contract
// CHECK: }, {

// The same, written and stored in another order.
#K_M = #cleave.axes<K, M>
#M_N = #cleave.axes<M, N>
#M_R = #cleave.axes<M, R>
#N_K = #cleave.axes<N, K>
#N_R = #cleave.axes<N, R>
#R_K = #cleave.axes<R, K>

func.func @lora_linear(%arg0: tensor<4096x?xf16, #K_M> {cleave.name = "X"}, %arg1: tensor<4096x4096xf16, #N_K> {cleave.name = "W", cleave.range = 8.000000e+00 : f32}, %arg2: tensor<16x4096xf16, #R_K> {cleave.name = "A", cleave.range = 8.000000e+00 : f32}, %arg3: tensor<4096x16xf16, #N_R> {cleave.name = "B", cleave.range = 8.000000e+00 : f32}) -> (tensor<?x4096xf16, #M_N> {cleave.name = "Y"}) attributes {cleave.symbols = #cleave.symbols<M: dynamic like 16 | 2048>} {
  %0 = cleave.contract %arg2, %arg0 over [K] : (tensor<16x4096xf16, #R_K>, tensor<4096x?xf16, #K_M>) -> tensor<?x16xf32, #M_R>
  %1 = cleave.contract %arg3, %0 over [R] : (tensor<4096x16xf16, #N_R>, tensor<?x16xf32, #M_R>) -> tensor<?x4096xf32, #M_N>
  %2 = cleave.contract %arg1, %arg0 over [K] : (tensor<4096x4096xf16, #N_K>, tensor<4096x?xf16, #K_M>) -> tensor<?x4096xf32, #M_N>
  %3 = cleave.add %1, %2 : (tensor<?x4096xf32, #M_N>, tensor<?x4096xf32, #M_N>) -> tensor<?x4096xf32, #M_N>
  %4 = cleave.cast %3 : tensor<?x4096xf32, #M_N> to tensor<?x4096xf16, #M_N>
  return %4 : tensor<?x4096xf16, #M_N>
}
