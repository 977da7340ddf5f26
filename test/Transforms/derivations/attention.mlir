// One sweep over the keys; the division comes after the second contraction.
// RUN: cleave-opt %examples/attention_prefill.mlir --cleave-algebra="k=8 split=false" | FileCheck %s
// RUN: cleave-opt %s --cleave-algebra="k=8 check=full split=false" | FileCheck %s

// CHECK: cleave.alternatives
// CHECK-NOT: over [T]
// CHECK: %[[F:.*]]:3 = cleave.fold over [T]
// CHECK: contract body
// CHECK: %[[R:.*]] = cleave.recip0 %[[F]]#
// CHECK-NEXT: cleave.mul {{.*}}%[[F]]#
// CHECK-NOT: over [T]
// CHECK: }, {

// The same, written and stored in another order.
#B_E_H_S = #cleave.axes<B, E, H, S>
#B_H_S_E = #cleave.axes<B, H, S, E>
#B_H_S_T = #cleave.axes<B, H, S, T>
#D_S_H_B = #cleave.axes<D, S, H, B>
#D_T_H_B = #cleave.axes<D, T, H, B>
#E_T_H_B = #cleave.axes<E, T, H, B>
#scalar = #cleave.axes<>

func.func @attention_prefill(%arg0: tensor<128x?x32x?xf16, #D_S_H_B> {cleave.name = "Q"}, %arg1: tensor<128x?x32x?xf16, #D_T_H_B> {cleave.name = "K"}, %arg2: tensor<128x?x32x?xf16, #E_T_H_B> {cleave.name = "V"}) -> (tensor<?x32x?x128xf16, #B_H_S_E> {cleave.name = "O"}) attributes {cleave.symbols = #cleave.symbols<B: dynamic like 4, S: dynamic like 2048, T: dynamic like 2048>} {
  %0 = cleave.contract %arg1, %arg0 over [D] : (tensor<128x?x32x?xf16, #D_T_H_B>, tensor<128x?x32x?xf16, #D_S_H_B>) -> tensor<?x32x?x?xf32, #B_H_S_T>
  %1 = cleave.constant 0.088388347648318447 : tensor<f32, #scalar>
  %2 = cleave.mul %1, %0 : (tensor<f32, #scalar>, tensor<?x32x?x?xf32, #B_H_S_T>) -> tensor<?x32x?x?xf32, #B_H_S_T>
  %3 = cleave.softmax %2 over [T] : (tensor<?x32x?x?xf32, #B_H_S_T>) -> tensor<?x32x?x?xf32, #B_H_S_T>
  %4 = cleave.contract %arg2, %3 over [T] : (tensor<128x?x32x?xf16, #E_T_H_B>, tensor<?x32x?x?xf32, #B_H_S_T>) -> tensor<?x128x32x?xf32, #B_E_H_S>
  %5 = cleave.cast %4 : tensor<?x128x32x?xf32, #B_E_H_S> to tensor<?x128x32x?xf16, #B_E_H_S>
  %6 = cleave.relayout %5 : tensor<?x128x32x?xf16, #B_E_H_S> to tensor<?x32x?x128xf16, #B_H_S_E>
  return %6 : tensor<?x32x?x128xf16, #B_H_S_E>
}
