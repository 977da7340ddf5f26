// RUN: cleave-opt %s --canonicalize | FileCheck %s

#K = #cleave.axes<K>
#scalar = #cleave.axes<>
!s = tensor<f32, #scalar>
!d = tensor<f64, #scalar>
!k = tensor<8xf32, #K>
!h = tensor<8xf16, #K>

//===----------------------------------------------------------------------===//
// What folds
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @flatten
// CHECK-SAME: (%[[A:.*]]: {{.*}}, %[[B:.*]]: {{.*}}, %[[C:.*]]: tensor
func.func @flatten(%a: !k, %b: !k, %c: !k) -> (!k, !k) {
  // CHECK: %[[X:.*]] = cleave.add %[[A]], %[[B]], %[[C]] :
  %0 = cleave.add %b, %c : (!k, !k) -> !k
  %1 = cleave.add %a, %0 : (!k, !k) -> !k
  // CHECK: %[[Y:.*]] = cleave.mul %[[A]], %[[B]], %[[C]] :
  %2 = cleave.mul %a, %b : (!k, !k) -> !k
  %3 = cleave.mul %2, %c : (!k, !k) -> !k
  // CHECK: return %[[X]], %[[Y]]
  return %1, %3 : !k, !k
}

// CHECK-LABEL: func.func @units
// CHECK-SAME: (%[[A:.*]]: tensor
func.func @units(%a: !k) -> (!k, !k, !k) {
  %zero = cleave.constant 0.0 : !s
  %one = cleave.constant 1.0 : !s
  %0 = cleave.add %a, %zero : (!k, !s) -> !k
  %1 = cleave.mul %one, %a : (!s, !k) -> !k
  %2 = cleave.neg %a : (!k) -> !k
  %3 = cleave.neg %2 : (!k) -> !k
  // CHECK: return %[[A]], %[[A]], %[[A]]
  return %0, %1, %3 : !k, !k, !k
}

// CHECK-LABEL: func.func @numbers
func.func @numbers() -> (!s, !s, !s, !s) {
  %two = cleave.constant 2.0 : !s
  %zero = cleave.constant 0.0 : !s
  %nan = cleave.constant 0x7FF8000000000000 : !s
  // CHECK-DAG: %[[NAN:.*]] = cleave.constant 0x7FF8000000000000
  // CHECK-DAG: %[[ZERO:.*]] = cleave.constant 0.0
  // CHECK-DAG: %[[INF:.*]] = cleave.constant 0x7FF0000000000000
  // CHECK-DAG: %[[R:.*]] = cleave.constant 2.5
  %0 = cleave.recip %two : (!s) -> !s
  %1 = cleave.add %0, %two : (!s, !s) -> !s
  %2 = cleave.recip0 %zero : (!s) -> !s
  %3 = cleave.recip %zero : (!s) -> !s
  %4 = cleave.max %two, %nan : (!s, !s) -> !s
  // CHECK: return %[[R]], %[[ZERO]], %[[INF]], %[[NAN]]
  return %1, %2, %3, %4 : !s, !s, !s, !s
}

// CHECK-LABEL: func.func @functions
func.func @functions() -> (!s, !s, !s, !s, !s) {
  %zero = cleave.constant 0.0 : !s
  %two = cleave.constant -2.0 : !s
  // CHECK-DAG: %[[ABS:.*]] = cleave.constant 2.000000e+00
  // CHECK-DAG: %[[EXP2:.*]] = cleave.constant 2.500000e-01
  // CHECK-DAG: %[[LOG:.*]] = cleave.constant 0xFFF0000000000000
  // CHECK-DAG: %[[TANH:.*]] = cleave.constant -0.964027583
  // CHECK-DAG: %[[ERF:.*]] = cleave.constant -0.995322287
  %0 = cleave.abs %two : (!s) -> !s
  %1 = cleave.exp2 %two : (!s) -> !s
  %2 = cleave.log %zero : (!s) -> !s
  %3 = cleave.tanh %two : (!s) -> !s
  %4 = cleave.erf %two : (!s) -> !s
  // CHECK: return %[[ABS]], %[[EXP2]], %[[LOG]], %[[TANH]], %[[ERF]]
  return %0, %1, %2, %3, %4 : !s, !s, !s, !s, !s
}

// A constant is the number its type can hold: 0.1 in f32 is not 0.1 in f64.
// CHECK-LABEL: func.func @rounded_constant
func.func @rounded_constant() -> (!d, !s) {
  // CHECK-DAG: %[[C:.*]] = cleave.constant 0.10000000149011612 : tensor<f64
  // CHECK-DAG: %[[B:.*]] = cleave.constant 0x7FF0000000000000 : tensor<f32
  %0 = cleave.constant 0.1 : !s
  %1 = cleave.cast %0 : !s to !d
  %2 = cleave.constant 70000.0 : tensor<f16, #scalar>
  %3 = cleave.cast %2 : tensor<f16, #scalar> to !s
  // CHECK: return %[[C]], %[[B]]
  return %1, %3 : !d, !s
}

// CHECK-LABEL: func.func @views
// CHECK-SAME: (%[[A:.*]]: tensor
func.func @views(%a: tensor<?x4xf16, #cleave.axes<K, N>>)
    -> (tensor<?x4xf16, #cleave.axes<K, N>>, tensor<?x4xf16, #cleave.axes<K, N>>) {
  %0 = cleave.relayout %a : tensor<?x4xf16, #cleave.axes<K, N>> to tensor<4x?xf16, #cleave.axes<N, K>>
  %1 = cleave.relayout %0 : tensor<4x?xf16, #cleave.axes<N, K>> to tensor<?x4xf16, #cleave.axes<K, N>>
  %2 = cleave.split %a K into (S, Ki)
     : tensor<?x4xf16, #cleave.axes<K, N>> to tensor<?x4x?xf16, #cleave.axes<Ki, N, S>>
  %3 = cleave.merge %2 (S, Ki) into K
     : tensor<?x4x?xf16, #cleave.axes<Ki, N, S>> to tensor<?x4xf16, #cleave.axes<K, N>>
  // CHECK: return %[[A]], %[[A]]
  return %1, %3 : tensor<?x4xf16, #cleave.axes<K, N>>, tensor<?x4xf16, #cleave.axes<K, N>>
}

// Every region of alternatives keeps its own constants.
// CHECK-LABEL: func.func @regions
func.func @regions(%x: !k) -> !k {
  // CHECK: cleave.alternatives {
  // CHECK-NEXT: cleave.constant 5.0
  %0 = cleave.alternatives {
    %two = cleave.constant 2.0 : !s
    %three = cleave.constant 3.0 : !s
    %five = cleave.add %two, %three : (!s, !s) -> !s
    %1 = cleave.mul %x, %five : (!k, !s) -> !k
    cleave.yield %1 : !k
  } : !k
  return %0 : !k
}

//===----------------------------------------------------------------------===//
// What must not fold
//===----------------------------------------------------------------------===//

// x * 0 and x - x are NaN for an infinite x.
// CHECK-LABEL: func.func @ieee
func.func @ieee(%x: !k) -> (!k, !k, !k) {
  // CHECK: %[[ZERO:.*]] = cleave.constant 0.0
  // CHECK: %[[A:.*]] = cleave.mul %{{.*}}, %[[ZERO]]
  // CHECK: %[[B:.*]] = cleave.sub
  // CHECK: %[[C:.*]] = cleave.div
  // CHECK: return %[[A]], %[[B]], %[[C]]
  %zero = cleave.constant 0.0 : !s
  %0 = cleave.mul %x, %zero : (!k, !s) -> !k
  %1 = cleave.sub %x, %x : (!k, !k) -> !k
  %2 = cleave.div %x, %x : (!k, !k) -> !k
  return %0, %1, %2 : !k, !k, !k
}

// A rounding is neither dropped nor added.
// CHECK-LABEL: func.func @roundings
func.func @roundings(%x: !k, %h: !h) -> (!k, !k, !k) {
  // CHECK: %[[C:.*]] = cleave.cast
  // CHECK: %[[A:.*]] = cleave.cast %[[C]]
  // CHECK: %[[B:.*]] = cleave.add %{{.*}} : (tensor<8xf16, {{.*}}>) -> tensor<8xf32
  // CHECK: %[[N:.*]] = cleave.neg
  // CHECK: %[[M:.*]] = cleave.neg %[[N]]
  // CHECK: return %[[A]], %[[B]], %[[M]]
  %0 = cleave.cast %x : !k to !h
  %1 = cleave.cast %0 : !h to !k
  %2 = cleave.add %h : (!h) -> !k
  %3 = cleave.neg %h : (!h) -> !k
  %4 = cleave.neg %3 : (!k) -> !k
  return %1, %2, %4 : !k, !k, !k
}

// A unit that alone gives the result an axis or its type stays.
// CHECK-LABEL: func.func @needed_units
func.func @needed_units(%x: !s) -> (!k, !d) {
  // CHECK: %[[A:.*]] = cleave.add %{{.*}}, %{{.*}} -> tensor<8xf32
  // CHECK: %[[B:.*]] = cleave.mul %{{.*}}, %{{.*}} -> tensor<f64
  // CHECK: return %[[A]], %[[B]]
  %zero = cleave.constant 0.0 : !k
  %one = cleave.constant 1.0 : !d
  %0 = cleave.add %x, %zero : (!s, !k) -> !k
  %1 = cleave.mul %x, %one : (!s, !d) -> !d
  return %0, %1 : !k, !d
}

// A sum with two uses is computed once; f32 sums stay apart from f64 ones.
// CHECK-LABEL: func.func @no_flattening
func.func @no_flattening(%a: !k, %b: !k, %d: !d) -> (!k, !k, tensor<8xf64, #K>) {
  // CHECK: %[[S:.*]] = cleave.add
  // CHECK: cleave.add %[[S]], %{{[a-z0-9]+}} :
  // CHECK: %[[T:.*]] = cleave.add
  // CHECK: cleave.add %[[T]], %{{[a-z0-9]+}} : {{.*}} -> tensor<8xf64
  %0 = cleave.add %a, %b : (!k, !k) -> !k
  %1 = cleave.add %0, %a : (!k, !k) -> !k
  %2 = cleave.add %b, %b : (!k, !k) -> !k
  %3 = cleave.add %2, %d : (!k, !d) -> tensor<8xf64, #K>
  return %0, %1, %3 : !k, !k, tensor<8xf64, #K>
}
