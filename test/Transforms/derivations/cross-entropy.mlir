// One sweep over the vocabulary, and the label's logit from its own row of weights:
// no logits have to be stored.
// RUN: cleave-opt %examples/cross_entropy.mlir --cleave-algebra="k=8 split=false" | FileCheck %s
// RUN: cleave-opt %s --cleave-algebra="k=8 check=full split=false" | FileCheck %s

// CHECK: cleave.alternatives
// CHECK: cleave.gather %arg1 V at %arg2
// CHECK: %[[F:.*]]:2 = cleave.fold over [V]
// CHECK: cleave.log %[[F]]#1
// CHECK-NOT: over [V]
// CHECK: }, {

// The same, written and stored in another order.
#K_M = #cleave.axes<K, M>
#M = #cleave.axes<M>
#M_V = #cleave.axes<M, V>
#V_K = #cleave.axes<V, K>

func.func @cross_entropy(%arg0: tensor<4096x?xf16, #K_M> {cleave.name = "X"}, %arg1: tensor<32000x4096xf16, #V_K> {cleave.name = "W"}, %arg2: tensor<?xi32, #M> {cleave.name = "label", cleave.range = 3.199900e+04 : f32}) -> (tensor<?xf32, #M> {cleave.name = "loss"}) attributes {cleave.symbols = #cleave.symbols<M: dynamic like 128 | 2048>} {
  %0 = cleave.contract %arg1, %arg0 over [K] : (tensor<32000x4096xf16, #V_K>, tensor<4096x?xf16, #K_M>) -> tensor<?x32000xf32, #M_V>
  %1 = cleave.logsumexp %0 over [V] : (tensor<?x32000xf32, #M_V>) -> tensor<?xf32, #M>
  %2 = cleave.gather %0 V at %arg2 : (tensor<?x32000xf32, #M_V>, tensor<?xi32, #M>) -> tensor<?xf32, #M>
  %3 = cleave.sub %1, %2 : (tensor<?xf32, #M>, tensor<?xf32, #M>) -> tensor<?xf32, #M>
  return %3 : tensor<?xf32, #M>
}
