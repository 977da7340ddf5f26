// RUN: cleave-opt %s --cleave-expand | FileCheck %s --implicit-check-not=softmax --implicit-check-not=rms_norm --implicit-check-not=silu --implicit-check-not=layer_norm --implicit-check-not=gelu --implicit-check-not=logsumexp --implicit-check-not=stack

#K = #cleave.axes<K>
#M_K = #cleave.axes<M, K>
#K_M = #cleave.axes<K, M>

// CHECK-LABEL: func.func @s
// CHECK-SAME: (%[[X:.*]]: tensor
func.func @s(%x: tensor<?x8xf16, #M_K>) -> tensor<8x?xf32, #K_M> {
  // CHECK-DAG: %[[MAX:.*]] = cleave.reduce_max %[[X]] over [K]
  // CHECK-DAG: %[[FINITE:.*]] = cleave.is_finite %[[MAX]]
  // CHECK-DAG: %[[ZERO:.*]] = cleave.constant 0.0
  // CHECK: %[[SHIFT:.*]] = cleave.select %[[FINITE]], %[[MAX]], %[[ZERO]]
  // CHECK: %[[D:.*]] = cleave.sub %[[X]], %[[SHIFT]]
  // CHECK: %[[E:.*]] = cleave.exp %[[D]]
  // CHECK: %[[SUM:.*]] = cleave.reduce_sum %[[E]] over [K]
  // CHECK: %[[R:.*]] = cleave.recip0 %[[SUM]]
  // CHECK: %[[Y:.*]] = cleave.mul %[[E]], %[[R]]
  // CHECK: return %[[Y]]
  %0 = cleave.softmax %x over [K] : (tensor<?x8xf16, #M_K>) -> tensor<8x?xf32, #K_M>
  return %0 : tensor<8x?xf32, #K_M>
}

// CHECK-LABEL: func.func @weighted
// CHECK-SAME: (%[[X:.*]]: {{.*}}, %[[G:.*]]: tensor
func.func @weighted(%x: tensor<?x8xf16, #M_K>, %g: tensor<8xf16, #K>) -> tensor<8x?xf32, #K_M> {
  // CHECK: %[[Q:.*]] = cleave.mul %[[X]], %[[X]]
  // CHECK: %[[S:.*]] = cleave.reduce_sum %[[Q]] over [K]
  // CHECK: %[[N:.*]] = cleave.extent K
  // CHECK: %[[I:.*]] = cleave.recip %[[N]]
  // CHECK: %[[MEAN:.*]] = cleave.mul %[[S]], %[[I]]
  // CHECK: %[[EPS:.*]] = cleave.constant 5.0{{0*}}e-01
  // CHECK: %[[B:.*]] = cleave.add %[[MEAN]], %[[EPS]]
  // CHECK: %[[R:.*]] = cleave.rsqrt %[[B]]
  // CHECK: %[[Y:.*]] = cleave.mul %[[X]], %[[R]], %[[G]]
  // CHECK: return %[[Y]]
  %0 = cleave.rms_norm %x, %g over [K] eps 0.5
     : (tensor<?x8xf16, #M_K>, tensor<8xf16, #K>) -> tensor<8x?xf32, #K_M>
  return %0 : tensor<8x?xf32, #K_M>
}

// CHECK-LABEL: func.func @two_axes
// CHECK-SAME: (%[[X:.*]]: tensor
func.func @two_axes(%x: tensor<?x8xf64, #M_K>) -> tensor<8x?xf64, #K_M> {
  // CHECK: %[[S:.*]] = cleave.reduce_sum %{{.*}} over [K, M]
  // CHECK-DAG: %[[N:.*]] = cleave.extent K
  // CHECK-DAG: %[[I:.*]] = cleave.recip %[[N]]
  // CHECK-DAG: %[[P:.*]] = cleave.extent M
  // CHECK-DAG: %[[J:.*]] = cleave.recip %[[P]]
  // CHECK: cleave.mul %[[S]], %[[I]], %[[J]]
  // CHECK: %[[R:.*]] = cleave.rsqrt
  // CHECK: cleave.mul %[[X]], %[[R]] : {{.*}} -> tensor<8x?xf64
  %0 = cleave.rms_norm %x over [K, M] eps 0.5 : (tensor<?x8xf64, #M_K>) -> tensor<8x?xf64, #K_M>
  return %0 : tensor<8x?xf64, #K_M>
}

// Sugar inside of regions goes as well.
// CHECK-LABEL: func.func @gate
// CHECK-SAME: (%[[X:.*]]: tensor
func.func @gate(%x: tensor<8xf16, #K>) -> tensor<8xf32, #K> {
  // CHECK: cleave.alternatives
  // CHECK-NEXT: %[[G:.*]] = cleave.sigmoid %[[X]]
  // CHECK-NEXT: cleave.mul %[[X]], %[[G]]
  %0 = cleave.alternatives {
    %1 = cleave.silu %x : (tensor<8xf16, #K>) -> tensor<8xf32, #K>
    cleave.yield %1 : tensor<8xf32, #K>
  } : tensor<8xf32, #K>
  return %0 : tensor<8xf32, #K>
}

// CHECK-LABEL: func.func @lse
// CHECK-SAME: (%[[X:.*]]: tensor
func.func @lse(%x: tensor<?x8xf16, #M_K>) -> tensor<?xf32, #cleave.axes<M>> {
  // CHECK: %[[SHIFT:.*]] = cleave.select
  // CHECK: %[[D:.*]] = cleave.sub %[[X]], %[[SHIFT]]
  // CHECK: %[[E:.*]] = cleave.exp %[[D]]
  // CHECK: %[[SUM:.*]] = cleave.reduce_sum %[[E]] over [K]
  // CHECK: %[[L:.*]] = cleave.log %[[SUM]]
  // CHECK: %[[Y:.*]] = cleave.add %[[L]], %[[SHIFT]]
  // CHECK: return %[[Y]]
  %0 = cleave.logsumexp %x over [K] : (tensor<?x8xf16, #M_K>) -> tensor<?xf32, #cleave.axes<M>>
  return %0 : tensor<?xf32, #cleave.axes<M>>
}

// CHECK-LABEL: func.func @centred
// CHECK-SAME: (%[[X:.*]]: {{.*}}, %[[G:.*]]: tensor<{{.*}}, %[[B:.*]]: tensor
func.func @centred(%x: tensor<?x8xf16, #M_K>, %g: tensor<8xf16, #K>, %b: tensor<8xf16, #K>)
    -> tensor<8x?xf32, #K_M> {
  // CHECK: %[[S:.*]] = cleave.reduce_sum %[[X]] over [K]
  // CHECK: %[[N:.*]] = cleave.extent K
  // CHECK: %[[I:.*]] = cleave.recip %[[N]]
  // CHECK: %[[MEAN:.*]] = cleave.mul %[[S]], %[[I]]
  // CHECK: %[[D:.*]] = cleave.sub %[[X]], %[[MEAN]]
  // CHECK: %[[Q:.*]] = cleave.mul %[[D]], %[[D]]
  // CHECK: cleave.reduce_sum %[[Q]] over [K]
  // CHECK: %[[R:.*]] = cleave.rsqrt
  // CHECK: %[[Y:.*]] = cleave.mul %[[D]], %[[R]], %[[G]]
  // CHECK: %[[Z:.*]] = cleave.add %[[Y]], %[[B]]
  // CHECK: return %[[Z]]
  %0 = cleave.layer_norm %x, %g, %b over [K] eps 0.5
     : (tensor<?x8xf16, #M_K>, tensor<8xf16, #K>, tensor<8xf16, #K>) -> tensor<8x?xf32, #K_M>
  return %0 : tensor<8x?xf32, #K_M>
}

// CHECK-LABEL: func.func @centred_only
// CHECK: %[[D:.*]] = cleave.sub
// CHECK: %[[R:.*]] = cleave.rsqrt
// CHECK: %[[Y:.*]] = cleave.mul %[[D]], %[[R]] :
// CHECK: return %[[Y]]
func.func @centred_only(%x: tensor<?x8xf16, #M_K>) -> tensor<8x?xf32, #K_M> {
  %0 = cleave.layer_norm %x over [K] eps 0.5 : (tensor<?x8xf16, #M_K>) -> tensor<8x?xf32, #K_M>
  return %0 : tensor<8x?xf32, #K_M>
}

// CHECK-LABEL: func.func @stacked
// CHECK-SAME: (%[[A:.*]]: {{.*}}, %[[B:.*]]: {{.*}}, %[[C:.*]]: tensor
func.func @stacked(%a: tensor<8xf16, #K>, %b: tensor<8xf16, #K>, %c: tensor<?x8xf16, #M_K>)
    -> tensor<3x8x?xf32, #cleave.axes<J, K, M>> {
  // CHECK: %[[J:.*]] = cleave.iota J : tensor<3xf32, #{{.*}}>
  // CHECK: %[[ONE:.*]] = cleave.constant 1.0{{0*}}e+00
  // CHECK: %[[IS1:.*]] = cleave.cmp eq %[[J]], %[[ONE]]
  // CHECK: %[[INNER:.*]] = cleave.select %[[IS1]], %[[B]], %[[C]]
  // CHECK: %[[ZERO:.*]] = cleave.constant 0.0
  // CHECK: %[[IS0:.*]] = cleave.cmp eq %[[J]], %[[ZERO]]
  // CHECK: %[[Y:.*]] = cleave.select %[[IS0]], %[[A]], %[[INNER]]
  // CHECK: return %[[Y]]
  %0 = cleave.stack %a, %b, %c as J
     : (tensor<8xf16, #K>, tensor<8xf16, #K>, tensor<?x8xf16, #M_K>) -> tensor<3x8x?xf32, #cleave.axes<J, K, M>>
  return %0 : tensor<3x8x?xf32, #cleave.axes<J, K, M>>
}

// CHECK-LABEL: func.func @stack_of_one
// CHECK-SAME: (%[[A:.*]]: tensor
// CHECK: cleave.select %{{.*}}, %[[A]], %[[A]]
func.func @stack_of_one(%a: tensor<8xf16, #K>) -> tensor<1x8xf32, #cleave.axes<J, K>> {
  %0 = cleave.stack %a as J : (tensor<8xf16, #K>) -> tensor<1x8xf32, #cleave.axes<J, K>>
  return %0 : tensor<1x8xf32, #cleave.axes<J, K>>
}

// CHECK-LABEL: func.func @erf
// CHECK-SAME: (%[[X:.*]]: tensor
func.func @erf(%x: tensor<8xf64, #K>) -> tensor<8xf64, #K> {
  // CHECK: %[[C:.*]] = cleave.constant 0.70710678118654757 : tensor<f64,
  // CHECK: %[[S:.*]] = cleave.mul %[[X]], %[[C]]
  // CHECK: %[[F:.*]] = cleave.erf %[[S]]
  // CHECK: %[[ONE:.*]] = cleave.constant 1.0
  // CHECK: %[[G:.*]] = cleave.add %[[F]], %[[ONE]]
  // CHECK: %[[HALF:.*]] = cleave.constant 5.0
  // CHECK: %[[Y:.*]] = cleave.mul %[[X]], %[[G]], %[[HALF]]
  // CHECK: return %[[Y]]
  %0 = cleave.gelu erf %x : (tensor<8xf64, #K>) -> tensor<8xf64, #K>
  return %0 : tensor<8xf64, #K>
}

// CHECK-LABEL: func.func @tanh
// CHECK-SAME: (%[[X:.*]]: tensor
// CHECK: cleave.mul %[[X]], %[[X]], %[[X]]
// CHECK: cleave.tanh
func.func @tanh(%x: tensor<8xf16, #K>) -> tensor<8xf32, #K> {
  %0 = cleave.gelu tanh %x : (tensor<8xf16, #K>) -> tensor<8xf32, #K>
  return %0 : tensor<8xf32, #K>
}
