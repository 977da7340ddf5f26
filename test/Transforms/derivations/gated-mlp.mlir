// Both contractions read the same rows, in one sweep, as written.
// RUN: cleave-opt %examples/gated_mlp.mlir --cleave-algebra="k=8 split=false" | FileCheck %s
// RUN: cleave-opt %s --cleave-algebra="k=8 check=full split=false" | FileCheck %s

// CHECK: cleave.alternatives ["input"]
// CHECK: cleave.contract {{.*}}%arg0
// CHECK: cleave.contract {{.*}}%arg0

// The same, written and stored in another order.
#K_M = #cleave.axes<K, M>
#M_N = #cleave.axes<M, N>
#N_K = #cleave.axes<N, K>

func.func @gated_mlp(%arg0: tensor<4096x?xf16, #K_M> {cleave.name = "X"}, %arg1: tensor<14336x4096xf16, #N_K> {cleave.name = "W1"}, %arg2: tensor<14336x4096xf16, #N_K> {cleave.name = "W2"}) -> (tensor<?x14336xf16, #M_N> {cleave.name = "Y"}) attributes {cleave.symbols = #cleave.symbols<M: dynamic like 16 | 2048>} {
  %0 = cleave.contract %arg1, %arg0 over [K] : (tensor<14336x4096xf16, #N_K>, tensor<4096x?xf16, #K_M>) -> tensor<?x14336xf32, #M_N>
  %1 = cleave.silu %0 : (tensor<?x14336xf32, #M_N>) -> tensor<?x14336xf32, #M_N>
  %2 = cleave.contract %arg2, %arg0 over [K] : (tensor<14336x4096xf16, #N_K>, tensor<4096x?xf16, #K_M>) -> tensor<?x14336xf32, #M_N>
  %3 = cleave.mul %2, %1 : (tensor<?x14336xf32, #M_N>, tensor<?x14336xf32, #M_N>) -> tensor<?x14336xf32, #M_N>
  %4 = cleave.cast %3 : tensor<?x14336xf32, #M_N> to tensor<?x14336xf16, #M_N>
  return %4 : tensor<?x14336xf16, #M_N>
}
