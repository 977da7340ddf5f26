// RUN: cleave-opt %s | cleave-opt | FileCheck %s
// RUN: cleave-opt %s --mlir-print-op-generic | cleave-opt | FileCheck %s

#scalar = #cleave.axes<>
#B = #cleave.axes<B>
#M = #cleave.axes<M>
#K = #cleave.axes<K>
#M_K = #cleave.axes<M, K>
#M_V = #cleave.axes<M, V>
#B_S = #cleave.axes<B, S>
#B_T = #cleave.axes<B, T>

// CHECK-LABEL: func.func @iota
func.func @iota() {
  // CHECK: cleave.iota K : tensor<?xf32, #{{.*}}>
  %0 = cleave.iota K : tensor<?xf32, #K>
  // The largest that f32 counts.
  // CHECK: cleave.iota M : tensor<16777216xf32, #{{.*}}>
  %1 = cleave.iota M : tensor<16777216xf32, #M>
  // CHECK: cleave.iota B : tensor<?xf64, #{{.*}}>
  %2 = cleave.iota B : tensor<?xf64, #B>
  return
}

// CHECK-LABEL: func.func @slice
func.func @slice(%x: tensor<?x8xf16, #M_K>, %b: tensor<?x2xi1, #M_K>) {
  // CHECK: cleave.slice %{{.*}} K at 4 as L : tensor<?x8xf16, #{{.*}}> to tensor<4x?xf16, #{{.*}}>
  %0 = cleave.slice %x K at 4 as L : tensor<?x8xf16, #M_K> to tensor<4x?xf16, #cleave.axes<L, M>>
  // CHECK: cleave.slice %{{.*}} K at 1 : tensor<?x2xi1, #{{.*}}> to tensor<?xi1, #{{.*}}>
  %1 = cleave.slice %b K at 1 : tensor<?x2xi1, #M_K> to tensor<?xi1, #M>
  // Nothing from the end.
  // CHECK: cleave.slice %{{.*}} K at 8 as E :
  %2 = cleave.slice %x K at 8 as E : tensor<?x8xf16, #M_K> to tensor<0x?xf16, #cleave.axes<E, M>>
  return
}

// CHECK-LABEL: func.func @concat
func.func @concat(%a: tensor<?x8xf16, #M_K>, %b: tensor<3xf16, #B>) {
  // CHECK: cleave.concat %{{.*}}, %{{.*}} along [K, B] as N : (tensor<?x8xf16, #{{.*}}>, tensor<3xf16, #{{.*}}>) -> tensor<?x11xf16, #{{.*}}>
  %0 = cleave.concat %a, %b along [K, B] as N
     : (tensor<?x8xf16, #M_K>, tensor<3xf16, #B>) -> tensor<?x11xf16, #cleave.axes<M, N>>
  // CHECK: cleave.concat %{{.*}}, %{{.*}}, %{{.*}} along [K, K, K] as O :
  %1 = cleave.concat %a, %a, %a along [K, K, K] as O
     : (tensor<?x8xf16, #M_K>, tensor<?x8xf16, #M_K>, tensor<?x8xf16, #M_K>)
    -> tensor<?x24xf16, #cleave.axes<M, O>>
  // CHECK: cleave.concat %{{.*}}, %{{.*}} along [M, B] as P : {{.*}} -> tensor<8x?xf16, #{{.*}}>
  %2 = cleave.concat %a, %b along [M, B] as P
     : (tensor<?x8xf16, #M_K>, tensor<3xf16, #B>) -> tensor<8x?xf16, #cleave.axes<K, P>>
  return
}

// CHECK-LABEL: func.func @gather
func.func @gather(%x: tensor<?x32000xf16, #M_V>, %label: tensor<?xi32, #M>, %token: tensor<2x3xi64, #B_S>) {
  // CHECK: cleave.gather %{{.*}} V at %{{.*}} : (tensor<?x32000xf16, #{{.*}}>, tensor<?xi32, #{{.*}}>) -> tensor<?xf16, #{{.*}}>
  %0 = cleave.gather %x V at %label : (tensor<?x32000xf16, #M_V>, tensor<?xi32, #M>) -> tensor<?xf16, #M>
  // CHECK: cleave.gather %{{.*}} V at %{{.*}} : {{.*}} -> tensor<2x?x3xf16, #{{.*}}>
  %1 = cleave.gather %x V at %token
     : (tensor<?x32000xf16, #M_V>, tensor<2x3xi64, #B_S>) -> tensor<2x?x3xf16, #cleave.axes<B, M, S>>
  return
}

// CHECK-LABEL: func.func @insert
func.func @insert(%k: tensor<?x1xf16, #B_S>, %cache: tensor<?x?xf16, #B_T>, %p: tensor<?xi32, #B>,
                  %q: tensor<i64, #scalar>) {
  // CHECK: cleave.insert %{{.*}} S into %{{.*}} T at %{{.*}} : (tensor<?x1xf16, #{{.*}}>, tensor<?x?xf16, #{{.*}}>, tensor<?xi32, #{{.*}}>) -> tensor<?x?xf16, #{{.*}}>
  %0 = cleave.insert %k S into %cache T at %p
     : (tensor<?x1xf16, #B_S>, tensor<?x?xf16, #B_T>, tensor<?xi32, #B>) -> tensor<?x?xf16, #B_T>
  // CHECK: cleave.insert %{{.*}} S into %{{.*}} T at %{{.*}} : {{.*}}, tensor<i64, #{{.*}}>) ->
  %1 = cleave.insert %k S into %cache T at %q
     : (tensor<?x1xf16, #B_S>, tensor<?x?xf16, #B_T>, tensor<i64, #scalar>) -> tensor<?x?xf16, #B_T>
  return
}

// CHECK-LABEL: func.func @reductions
func.func @reductions(%x: tensor<?x8xf16, #M_K>) {
  // CHECK: cleave.reduce_min %{{.*}} over [K] :
  %0 = cleave.reduce_min %x over [K] : (tensor<?x8xf16, #M_K>) -> tensor<?xf32, #M>
  // CHECK: cleave.reduce_prod %{{.*}} over [K, M] :
  %1 = cleave.reduce_prod %x over [M, K] : (tensor<?x8xf16, #M_K>) -> tensor<f32, #scalar>
  // CHECK: reduce_min body
  %2 = cleave.fold over [K] ins(%x : tensor<?x8xf16, #M_K>)
    reduce_min body {
    ^bb0(%a: tensor<?x8xf16, #M_K>):
      cleave.yield %a : tensor<?x8xf16, #M_K>
    } rebase {
    } -> (tensor<?xf32, #M>)
  return
}

// CHECK-LABEL: func.func @unary
func.func @unary(%x: tensor<?xf16, #K>) {
  // CHECK: cleave.abs
  %0 = cleave.abs %x : (tensor<?xf16, #K>) -> tensor<?xf32, #K>
  // CHECK: cleave.exp2
  %1 = cleave.exp2 %x : (tensor<?xf16, #K>) -> tensor<?xf32, #K>
  // CHECK: cleave.log
  %2 = cleave.log %x : (tensor<?xf16, #K>) -> tensor<?xf32, #K>
  // CHECK: cleave.tanh
  %3 = cleave.tanh %x : (tensor<?xf16, #K>) -> tensor<?xf32, #K>
  // CHECK: cleave.erf
  %4 = cleave.erf %x : (tensor<?xf16, #K>) -> tensor<?xf32, #K>
  return
}

// CHECK-LABEL: func.func @sugar
func.func @sugar(%x: tensor<?x8xf16, #M_K>, %g: tensor<8xf16, #K>, %m: tensor<?xf16, #M>) {
  // CHECK: cleave.stack %{{.*}}, %{{.*}} as J : {{.*}} -> tensor<2x8x?xf32, #{{.*}}>
  %0 = cleave.stack %x, %g as J : (tensor<?x8xf16, #M_K>, tensor<8xf16, #K>) -> tensor<2x8x?xf32, #cleave.axes<J, K, M>>
  // CHECK: cleave.layer_norm %{{[a-z0-9]+}} over [K] eps
  %1 = cleave.layer_norm %x over [K] eps 0.5 : (tensor<?x8xf16, #M_K>) -> tensor<8x?xf32, #cleave.axes<K, M>>
  // CHECK: cleave.layer_norm %{{[a-z0-9]+}}, %{{[a-z0-9]+}} over [K] eps
  %2 = cleave.layer_norm %x, %g over [K] eps 0.5
     : (tensor<?x8xf16, #M_K>, tensor<8xf16, #K>) -> tensor<8x?xf32, #cleave.axes<K, M>>
  // CHECK: cleave.layer_norm %{{[a-z0-9]+}}, %{{[a-z0-9]+}}, %{{[a-z0-9]+}} over [K] eps
  %3 = cleave.layer_norm %x, %g, %m over [K] eps 0.5
     : (tensor<?x8xf16, #M_K>, tensor<8xf16, #K>, tensor<?xf16, #M>) -> tensor<8x?xf32, #cleave.axes<K, M>>
  // CHECK: cleave.gelu tanh
  %4 = cleave.gelu tanh %x : (tensor<?x8xf16, #M_K>) -> tensor<8x?xf32, #cleave.axes<K, M>>
  // CHECK: cleave.gelu erf
  %5 = cleave.gelu erf %x : (tensor<?x8xf16, #M_K>) -> tensor<8x?xf32, #cleave.axes<K, M>>
  // CHECK: cleave.logsumexp %{{.*}} over [K] :
  %6 = cleave.logsumexp %x over [K] : (tensor<?x8xf16, #M_K>) -> tensor<?xf32, #M>
  return
}

// CHECK-LABEL: func.func @sums
// CHECK-SAME: #cleave.symbols<A: dynamic, B: 3, N = A + B, O = A + A + B>
func.func @sums() attributes {cleave.symbols = #cleave.symbols<A: dynamic, B: 3, N = A + B, O = A + A + B>} {
  return
}
