// RUN: cleave-opt %s --cleave-expand | FileCheck %s --implicit-check-not=softmax --implicit-check-not=rms_norm --implicit-check-not=silu

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
