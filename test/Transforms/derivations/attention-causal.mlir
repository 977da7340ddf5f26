// The mask is part of the one sweep over the keys.
// RUN: cleave-opt %examples/attention_causal.mlir --cleave-algebra="k=8 split=false" | FileCheck %s
// RUN: cleave-opt %s --cleave-algebra="k=8 check=full split=false" | FileCheck %s

// CHECK: cleave.alternatives
// CHECK-NOT: over [T]
// CHECK: %[[F:.*]]:3 = cleave.fold over [T]
// CHECK: cleave.cmp
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
#S = #cleave.axes<S>
#S_T = #cleave.axes<S, T>
#T = #cleave.axes<T>
#scalar = #cleave.axes<>

func.func @attention_causal(%arg0: tensor<128x?x32x?xf16, #D_S_H_B> {cleave.name = "Q"}, %arg1: tensor<128x?x32x?xf16, #D_T_H_B> {cleave.name = "K"}, %arg2: tensor<128x?x32x?xf16, #E_T_H_B> {cleave.name = "V"}) -> (tensor<?x32x?x128xf16, #B_H_S_E> {cleave.name = "O"}) attributes {cleave.symbols = #cleave.symbols<B: dynamic like 4, S: dynamic like 2048, T: dynamic like 2048>} {
  %0 = cleave.iota T : tensor<?xf32, #T>
  %1 = cleave.constant 0.088388347648318447 : tensor<f32, #scalar>
  %2 = cleave.iota S : tensor<?xf32, #S>
  %3 = cleave.extent T : tensor<f32, #scalar>
  %4 = cleave.constant 0xFFF0000000000000 : tensor<f32, #scalar>
  %5 = cleave.contract %arg1, %arg0 over [D] : (tensor<128x?x32x?xf16, #D_T_H_B>, tensor<128x?x32x?xf16, #D_S_H_B>) -> tensor<?x32x?x?xf32, #B_H_S_T>
  %6 = cleave.mul %1, %5 : (tensor<f32, #scalar>, tensor<?x32x?x?xf32, #B_H_S_T>) -> tensor<?x32x?x?xf32, #B_H_S_T>
  %7 = cleave.extent S : tensor<f32, #scalar>
  %8 = cleave.sub %3, %7 : (tensor<f32, #scalar>, tensor<f32, #scalar>) -> tensor<f32, #scalar>
  %9 = cleave.add %8, %2 : (tensor<f32, #scalar>, tensor<?xf32, #S>) -> tensor<?xf32, #S>
  %10 = cleave.cmp  le %0, %9 : (tensor<?xf32, #T>, tensor<?xf32, #S>) -> tensor<?x?xi1, #S_T>
  %11 = cleave.select %10, %6, %4 : (tensor<?x?xi1, #S_T>, tensor<?x32x?x?xf32, #B_H_S_T>, tensor<f32, #scalar>) -> tensor<?x32x?x?xf32, #B_H_S_T>
  %12 = cleave.softmax %11 over [T] : (tensor<?x32x?x?xf32, #B_H_S_T>) -> tensor<?x32x?x?xf32, #B_H_S_T>
  %13 = cleave.contract %arg2, %12 over [T] : (tensor<128x?x32x?xf16, #E_T_H_B>, tensor<?x32x?x?xf32, #B_H_S_T>) -> tensor<?x128x32x?xf32, #B_E_H_S>
  %14 = cleave.cast %13 : tensor<?x128x32x?xf32, #B_E_H_S> to tensor<?x128x32x?xf16, #B_E_H_S>
  %15 = cleave.relayout %14 : tensor<?x128x32x?xf16, #B_E_H_S> to tensor<?x32x?x128xf16, #B_H_S_E>
  return %15 : tensor<?x32x?x128xf16, #B_H_S_E>
}
