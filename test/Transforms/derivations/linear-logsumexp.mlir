// One sweep over the vocabulary.
// RUN: cleave-opt %examples/linear_logsumexp.mlir --cleave-algebra="k=8 split=false" | FileCheck %s
// RUN: cleave-opt %s --cleave-algebra="k=8 check=full split=false" | FileCheck %s

// CHECK: cleave.alternatives
// CHECK: %[[X:.*]] = cleave.contract
// CHECK: %[[F:.*]]:2 = cleave.fold over [V] ins(%[[X]]
// CHECK: cleave.log %[[F]]#1
// CHECK-NOT: over [V]
// CHECK: }, {

// The same, written and stored in another order.
#K_M = #cleave.axes<K, M>
#M = #cleave.axes<M>
#M_V = #cleave.axes<M, V>
#V_K = #cleave.axes<V, K>

func.func @linear_logsumexp(%arg0: tensor<4096x?xf16, #K_M> {cleave.name = "X"}, %arg1: tensor<32000x4096xf16, #V_K> {cleave.name = "W"}) -> (tensor<?xf32, #M> {cleave.name = "z"}) attributes {cleave.symbols = #cleave.symbols<M: dynamic like 128 | 2048>} {
  %0 = cleave.contract %arg1, %arg0 over [K] : (tensor<32000x4096xf16, #V_K>, tensor<4096x?xf16, #K_M>) -> tensor<?x32000xf32, #M_V>
  %1 = cleave.logsumexp %0 over [V] : (tensor<?x32000xf32, #M_V>) -> tensor<?xf32, #M>
  return %1 : tensor<?xf32, #M>
}
