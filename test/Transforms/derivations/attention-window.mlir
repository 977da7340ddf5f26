// A window of keys, in one sweep.
// RUN: cleave-opt %examples/sliding_window_attention.mlir --cleave-algebra="k=8 split=false" | FileCheck %s
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

func.func @sliding_window_attention(%arg0: tensor<128x?x32x?xf16, #D_S_H_B> {cleave.name = "Q"}, %arg1: tensor<128x?x32x?xf16, #D_T_H_B> {cleave.name = "K"}, %arg2: tensor<128x?x32x?xf16, #E_T_H_B> {cleave.name = "V"}) -> (tensor<?x32x?x128xf16, #B_H_S_E> {cleave.name = "O"}) attributes {cleave.symbols = #cleave.symbols<B: dynamic like 4, S: dynamic like 4096, T: dynamic like 4096>} {
  %0 = cleave.constant 1.024000e+03 : tensor<f32, #scalar>
  %1 = cleave.constant 0xFFF0000000000000 : tensor<f32, #scalar>
  %2 = cleave.extent S : tensor<f32, #scalar>
  %3 = cleave.constant 0.088388347648318447 : tensor<f32, #scalar>
  %4 = cleave.extent T : tensor<f32, #scalar>
  %5 = cleave.contract %arg1, %arg0 over [D] : (tensor<128x?x32x?xf16, #D_T_H_B>, tensor<128x?x32x?xf16, #D_S_H_B>) -> tensor<?x32x?x?xf32, #B_H_S_T>
  %6 = cleave.mul %3, %5 : (tensor<f32, #scalar>, tensor<?x32x?x?xf32, #B_H_S_T>) -> tensor<?x32x?x?xf32, #B_H_S_T>
  %7 = cleave.iota S : tensor<?xf32, #S>
  %8 = cleave.iota T : tensor<?xf32, #T>
  %9 = cleave.sub %4, %2 : (tensor<f32, #scalar>, tensor<f32, #scalar>) -> tensor<f32, #scalar>
  %10 = cleave.add %9, %7 : (tensor<f32, #scalar>, tensor<?xf32, #S>) -> tensor<?xf32, #S>
  %11 = cleave.cmp  le %8, %10 : (tensor<?xf32, #T>, tensor<?xf32, #S>) -> tensor<?x?xi1, #S_T>
  %12 = cleave.select %11, %6, %1 : (tensor<?x?xi1, #S_T>, tensor<?x32x?x?xf32, #B_H_S_T>, tensor<f32, #scalar>) -> tensor<?x32x?x?xf32, #B_H_S_T>
  %13 = cleave.sub %10, %0 : (tensor<?xf32, #S>, tensor<f32, #scalar>) -> tensor<?xf32, #S>
  %14 = cleave.cmp  gt %8, %13 : (tensor<?xf32, #T>, tensor<?xf32, #S>) -> tensor<?x?xi1, #S_T>
  %15 = cleave.select %14, %12, %1 : (tensor<?x?xi1, #S_T>, tensor<?x32x?x?xf32, #B_H_S_T>, tensor<f32, #scalar>) -> tensor<?x32x?x?xf32, #B_H_S_T>
  %16 = cleave.softmax %15 over [T] : (tensor<?x32x?x?xf32, #B_H_S_T>) -> tensor<?x32x?x?xf32, #B_H_S_T>
  %17 = cleave.contract %arg2, %16 over [T] : (tensor<128x?x32x?xf16, #E_T_H_B>, tensor<?x32x?x?xf32, #B_H_S_T>) -> tensor<?x128x32x?xf32, #B_E_H_S>
  %18 = cleave.cast %17 : tensor<?x128x32x?xf32, #B_E_H_S> to tensor<?x128x32x?xf16, #B_E_H_S>
  %19 = cleave.relayout %18 : tensor<?x128x32x?xf16, #B_E_H_S> to tensor<?x32x?x128xf16, #B_H_S_E>
  return %19 : tensor<?x32x?x128xf16, #B_H_S_E>
}
