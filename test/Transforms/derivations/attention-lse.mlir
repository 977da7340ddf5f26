// The logarithm of the sum comes out of the same sweep.
// RUN: cleave-opt %examples/attention_lse.mlir --cleave-algebra="k=8 split=false" | FileCheck %s
// RUN: cleave-opt %s --cleave-algebra="k=8 check=full split=false" | FileCheck %s

// CHECK: cleave.alternatives
// CHECK-NOT: over [T]
// CHECK: %[[F:.*]]:3 = cleave.fold over [T]
// CHECK: contract body
// CHECK: %[[R:.*]] = cleave.recip0 %[[F]]#
// CHECK-NEXT: cleave.mul {{.*}}%[[F]]#
// CHECK-NOT: over [T]
// CHECK: cleave.log %[[F]]#
// CHECK-NOT: over [T]
// CHECK: }, {

// The same, written and stored in another order.
#B_E_H_S = #cleave.axes<B, E, H, S>
#B_H_S = #cleave.axes<B, H, S>
#B_H_S_E = #cleave.axes<B, H, S, E>
#B_H_S_T = #cleave.axes<B, H, S, T>
#D_S_H_B = #cleave.axes<D, S, H, B>
#D_T_H_B = #cleave.axes<D, T, H, B>
#E_T_H_B = #cleave.axes<E, T, H, B>
#scalar = #cleave.axes<>

func.func @attention_lse(%arg0: tensor<128x?x32x?xf16, #D_S_H_B> {cleave.name = "Q"}, %arg1: tensor<128x?x32x?xf16, #D_T_H_B> {cleave.name = "K"}, %arg2: tensor<128x?x32x?xf16, #E_T_H_B> {cleave.name = "V"}) -> (tensor<?x32x?x128xf16, #B_H_S_E> {cleave.name = "O"}, tensor<?x32x?xf32, #B_H_S> {cleave.name = "L"}) attributes {cleave.symbols = #cleave.symbols<B: dynamic like 4, S: dynamic like 2048, T: dynamic like 2048>} {
  %0 = cleave.contract %arg1, %arg0 over [D] : (tensor<128x?x32x?xf16, #D_T_H_B>, tensor<128x?x32x?xf16, #D_S_H_B>) -> tensor<?x32x?x?xf32, #B_H_S_T>
  %1 = cleave.constant 0.088388347648318447 : tensor<f32, #scalar>
  %2 = cleave.mul %1, %0 : (tensor<f32, #scalar>, tensor<?x32x?x?xf32, #B_H_S_T>) -> tensor<?x32x?x?xf32, #B_H_S_T>
  %3 = cleave.logsumexp %2 over [T] : (tensor<?x32x?x?xf32, #B_H_S_T>) -> tensor<?x32x?xf32, #B_H_S>
  %4 = cleave.softmax %2 over [T] : (tensor<?x32x?x?xf32, #B_H_S_T>) -> tensor<?x32x?x?xf32, #B_H_S_T>
  %5 = cleave.contract %arg2, %4 over [T] : (tensor<128x?x32x?xf16, #E_T_H_B>, tensor<?x32x?x?xf32, #B_H_S_T>) -> tensor<?x128x32x?xf32, #B_E_H_S>
  %6 = cleave.cast %5 : tensor<?x128x32x?xf32, #B_E_H_S> to tensor<?x128x32x?xf16, #B_E_H_S>
  %7 = cleave.relayout %6 : tensor<?x128x32x?xf16, #B_E_H_S> to tensor<?x32x?x128xf16, #B_H_S_E>
  return %7, %3 : tensor<?x32x?x128xf16, #B_H_S_E>, tensor<?x32x?xf32, #B_H_S>
}
