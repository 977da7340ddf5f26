// Softmax times a matrix: one sweep.
// RUN: cleave-opt %examples/softmax_matmul.mlir --cleave-algebra="k=8 split=false" | FileCheck %s
// RUN: cleave-opt %s --cleave-algebra="k=8 check=full split=false" | FileCheck %s

// CHECK: cleave.alternatives
// CHECK-NOT: over [K]
// CHECK: %[[F:.*]]:3 = cleave.fold over [K]
// CHECK: contract body
// CHECK: %[[R:.*]] = cleave.recip0 %[[F]]#
// CHECK-NEXT: cleave.mul {{.*}}%[[F]]#
// CHECK-NOT: over [K]
// CHECK: }, {

// The same, written and stored in another order.
#K_M = #cleave.axes<K, M>
#M_N = #cleave.axes<M, N>
#N_K = #cleave.axes<N, K>

func.func @softmax_matmul(%arg0: tensor<?x?xf16, #K_M> {cleave.name = "X"}, %arg1: tensor<128x?xf16, #N_K> {cleave.name = "V"}) -> (tensor<?x128xf16, #M_N> {cleave.name = "Y"}) attributes {cleave.symbols = #cleave.symbols<M: dynamic like 128 | 2048, K: dynamic like 4096>} {
  %0 = cleave.softmax %arg0 over [K] : (tensor<?x?xf16, #K_M>) -> tensor<?x?xf32, #K_M>
  %1 = cleave.contract %arg1, %0 over [K] : (tensor<128x?xf16, #N_K>, tensor<?x?xf32, #K_M>) -> tensor<?x128xf32, #M_N>
  %2 = cleave.cast %1 : tensor<?x128xf32, #M_N> to tensor<?x128xf16, #M_N>
  return %2 : tensor<?x128xf16, #M_N>
}
