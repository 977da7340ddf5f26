// Keys and values are never made: one projection goes to the queries, one comes
// after the sum over keys.
// RUN: cleave-opt %examples/mla_attention.mlir --cleave-algebra="k=8 split=false" | FileCheck %s
// RUN: cleave-opt %s --cleave-algebra="k=8 check=full split=false" | FileCheck %s

// CHECK: cleave.alternatives
// CHECK: %[[QW:.*]] = cleave.contract %[[Q:arg0]], %arg4 over [D]
// CHECK: cleave.contract %[[QW]], %[[C:arg2]] over [L]
// CHECK: %[[F:.*]]:3 = cleave.fold over [T] ins({{.*}}%[[C]]
// CHECK: cleave.contract %{{.*}}, %arg5 over [L]
// CHECK: }, {

// The same, written and stored in another order.
#B_D_H_T = #cleave.axes<B, D, H, T>
#B_E_H_S = #cleave.axes<B, E, H, S>
#B_E_H_T = #cleave.axes<B, E, H, T>
#B_H_S_T = #cleave.axes<B, H, S, T>
#B_S_H_E = #cleave.axes<B, S, H, E>
#D_H_L = #cleave.axes<D, H, L>
#D_H_S_B = #cleave.axes<D, H, S, B>
#E_H_L = #cleave.axes<E, H, L>
#L_T_B = #cleave.axes<L, T, B>
#R_H_S_B = #cleave.axes<R, H, S, B>
#R_T_B = #cleave.axes<R, T, B>
#S = #cleave.axes<S>
#S_T = #cleave.axes<S, T>
#T = #cleave.axes<T>
#scalar = #cleave.axes<>

func.func @mla_attention(%arg0: tensor<128x128x?x?xf16, #D_H_S_B> {cleave.name = "Q", cleave.range = 4.000000e+00 : f32}, %arg1: tensor<64x128x?x?xf16, #R_H_S_B> {cleave.name = "Qr"}, %arg2: tensor<512x?x?xf16, #L_T_B> {cleave.name = "C", cleave.range = 4.000000e+00 : f32}, %arg3: tensor<64x?x?xf16, #R_T_B> {cleave.name = "Kr"}, %arg4: tensor<128x128x512xf16, #D_H_L> {cleave.name = "Wk", cleave.range = 2.500000e-01 : f32}, %arg5: tensor<128x128x512xf16, #E_H_L> {cleave.name = "Wv", cleave.range = 2.500000e-01 : f32}) -> (tensor<?x?x128x128xf16, #B_S_H_E> {cleave.name = "O"}) attributes {cleave.symbols = #cleave.symbols<B: dynamic like 16, S: dynamic like 1, T: dynamic like 4096>} {
  %0 = cleave.constant 0xFFF0000000000000 : tensor<f32, #scalar>
  %1 = cleave.contract %arg4, %arg2 over [L] : (tensor<128x128x512xf16, #D_H_L>, tensor<512x?x?xf16, #L_T_B>) -> tensor<?x128x128x?xf32, #B_D_H_T>
  %2 = cleave.contract %arg5, %arg2 over [L] : (tensor<128x128x512xf16, #E_H_L>, tensor<512x?x?xf16, #L_T_B>) -> tensor<?x128x128x?xf32, #B_E_H_T>
  %3 = cleave.extent S : tensor<f32, #scalar>
  %4 = cleave.iota T : tensor<?xf32, #T>
  %5 = cleave.iota S : tensor<?xf32, #S>
  %6 = cleave.contract %arg3, %arg1 over [R] : (tensor<64x?x?xf16, #R_T_B>, tensor<64x128x?x?xf16, #R_H_S_B>) -> tensor<?x128x?x?xf32, #B_H_S_T>
  %7 = cleave.contract %1, %arg0 over [D] : (tensor<?x128x128x?xf32, #B_D_H_T>, tensor<128x128x?x?xf16, #D_H_S_B>) -> tensor<?x128x?x?xf32, #B_H_S_T>
  %8 = cleave.add %6, %7 : (tensor<?x128x?x?xf32, #B_H_S_T>, tensor<?x128x?x?xf32, #B_H_S_T>) -> tensor<?x128x?x?xf32, #B_H_S_T>
  %9 = cleave.extent T : tensor<f32, #scalar>
  %10 = cleave.constant 0.072168783648703216 : tensor<f32, #scalar>
  %11 = cleave.mul %10, %8 : (tensor<f32, #scalar>, tensor<?x128x?x?xf32, #B_H_S_T>) -> tensor<?x128x?x?xf32, #B_H_S_T>
  %12 = cleave.sub %9, %3 : (tensor<f32, #scalar>, tensor<f32, #scalar>) -> tensor<f32, #scalar>
  %13 = cleave.add %12, %5 : (tensor<f32, #scalar>, tensor<?xf32, #S>) -> tensor<?xf32, #S>
  %14 = cleave.cmp  le %4, %13 : (tensor<?xf32, #T>, tensor<?xf32, #S>) -> tensor<?x?xi1, #S_T>
  %15 = cleave.select %14, %11, %0 : (tensor<?x?xi1, #S_T>, tensor<?x128x?x?xf32, #B_H_S_T>, tensor<f32, #scalar>) -> tensor<?x128x?x?xf32, #B_H_S_T>
  %16 = cleave.softmax %15 over [T] : (tensor<?x128x?x?xf32, #B_H_S_T>) -> tensor<?x128x?x?xf32, #B_H_S_T>
  %17 = cleave.contract %2, %16 over [T] : (tensor<?x128x128x?xf32, #B_E_H_T>, tensor<?x128x?x?xf32, #B_H_S_T>) -> tensor<?x128x128x?xf32, #B_E_H_S>
  %18 = cleave.cast %17 : tensor<?x128x128x?xf32, #B_E_H_S> to tensor<?x128x128x?xf16, #B_E_H_S>
  %19 = cleave.relayout %18 : tensor<?x128x128x?xf16, #B_E_H_S> to tensor<?x?x128x128xf16, #B_S_H_E>
  return %19 : tensor<?x?x128x128xf16, #B_S_H_E>
}
