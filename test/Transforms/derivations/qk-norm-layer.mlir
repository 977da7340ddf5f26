// LayerNorm of queries and keys: mean and variance in one sweep each; the scale of
// the keys leaves the contraction, their bias is a sum of its own.
// RUN: cleave-opt %examples/qknorm_attention_layer.mlir --cleave-algebra="k=8 split=false" | FileCheck %s
// RUN: cleave-opt %s --cleave-algebra="k=8 check=full split=false" | FileCheck %s

// CHECK: cleave.alternatives
// CHECK-DAG: cleave.fold over [D] ins(%arg1
// CHECK-DAG: %[[K:.*]] = cleave.sub %arg1, %
// CHECK-DAG: %[[Z:.*]] = cleave.contract {{.*}}%[[K]]{{.*}} over [D] {operand_type = f16}
// CHECK-DAG: %[[B:.*]] = cleave.reduce_sum %{{.*}} over [D]
// CHECK: %[[F:.*]]:3 = cleave.fold over [T] ins({{.*}}%[[B]]
// CHECK: %[[R:.*]] = cleave.recip0 %[[F]]#
// CHECK: }, {

// The same, written and stored in another order.
#B_D_G_R_S = #cleave.axes<B, D, G, R, S>
#B_D_G_T = #cleave.axes<B, D, G, T>
#B_E_G_R_S = #cleave.axes<B, E, G, R, S>
#B_E_H_S = #cleave.axes<B, E, H, S>
#B_G_R_S_T = #cleave.axes<B, G, R, S, T>
#B_H_S_E = #cleave.axes<B, H, S, E>
#D = #cleave.axes<D>
#D_S_H_B = #cleave.axes<D, S, H, B>
#D_T_G_B = #cleave.axes<D, T, G, B>
#E_T_G_B = #cleave.axes<E, T, G, B>
#S = #cleave.axes<S>
#S_T = #cleave.axes<S, T>
#T = #cleave.axes<T>
#scalar = #cleave.axes<>

func.func @qknorm_attention_layer(%arg0: tensor<128x?x32x?xf16, #D_S_H_B> {cleave.name = "Q", cleave.range = 3.000000e+02 : f32}, %arg1: tensor<128x?x8x?xf16, #D_T_G_B> {cleave.name = "K", cleave.range = 3.000000e+02 : f32}, %arg2: tensor<128x?x8x?xf16, #E_T_G_B> {cleave.name = "V"}, %arg3: tensor<128xf16, #D> {cleave.name = "gq", cleave.range = 8.000000e+00 : f32}, %arg4: tensor<128xf16, #D> {cleave.name = "gk", cleave.range = 8.000000e+00 : f32}, %arg5: tensor<128xf16, #D> {cleave.name = "bq", cleave.range = 8.000000e+00 : f32}, %arg6: tensor<128xf16, #D> {cleave.name = "bk", cleave.range = 8.000000e+00 : f32}) -> (tensor<?x32x?x128xf16, #B_H_S_E> {cleave.name = "O"}) attributes {cleave.symbols = #cleave.symbols<B: dynamic like 8, S: dynamic like 1 | 2048, T: dynamic like 4096 | 2048, H = G * R>} {
  %0 = cleave.constant 0xFFF0000000000000 : tensor<f32, #scalar>
  %1 = cleave.extent S : tensor<f32, #scalar>
  %2 = cleave.extent T : tensor<f32, #scalar>
  %3 = cleave.sub %2, %1 : (tensor<f32, #scalar>, tensor<f32, #scalar>) -> tensor<f32, #scalar>
  %4 = cleave.iota T : tensor<?xf32, #T>
  %5 = cleave.split %arg0 H into(G, R) : tensor<128x?x32x?xf16, #D_S_H_B> to tensor<?x128x8x4x?xf16, #B_D_G_R_S>
  %6 = cleave.layer_norm %5, %arg3, %arg5 over [D] eps 1.000000e-05 : (tensor<?x128x8x4x?xf16, #B_D_G_R_S>, tensor<128xf16, #D>, tensor<128xf16, #D>) -> tensor<?x128x8x4x?xf32, #B_D_G_R_S>
  %7 = cleave.layer_norm %arg1, %arg4, %arg6 over [D] eps 1.000000e-05 : (tensor<128x?x8x?xf16, #D_T_G_B>, tensor<128xf16, #D>, tensor<128xf16, #D>) -> tensor<?x128x8x?xf32, #B_D_G_T>
  %8 = cleave.constant 0.088388347648318447 : tensor<f32, #scalar>
  %9 = cleave.iota S : tensor<?xf32, #S>
  %10 = cleave.add %3, %9 : (tensor<f32, #scalar>, tensor<?xf32, #S>) -> tensor<?xf32, #S>
  %11 = cleave.contract %7, %6 over [D] : (tensor<?x128x8x?xf32, #B_D_G_T>, tensor<?x128x8x4x?xf32, #B_D_G_R_S>) -> tensor<?x8x4x?x?xf32, #B_G_R_S_T>
  %12 = cleave.mul %8, %11 : (tensor<f32, #scalar>, tensor<?x8x4x?x?xf32, #B_G_R_S_T>) -> tensor<?x8x4x?x?xf32, #B_G_R_S_T>
  %13 = cleave.cmp  le %4, %10 : (tensor<?xf32, #T>, tensor<?xf32, #S>) -> tensor<?x?xi1, #S_T>
  %14 = cleave.select %13, %12, %0 : (tensor<?x?xi1, #S_T>, tensor<?x8x4x?x?xf32, #B_G_R_S_T>, tensor<f32, #scalar>) -> tensor<?x8x4x?x?xf32, #B_G_R_S_T>
  %15 = cleave.softmax %14 over [T] : (tensor<?x8x4x?x?xf32, #B_G_R_S_T>) -> tensor<?x8x4x?x?xf32, #B_G_R_S_T>
  %16 = cleave.contract %arg2, %15 over [T] : (tensor<128x?x8x?xf16, #E_T_G_B>, tensor<?x8x4x?x?xf32, #B_G_R_S_T>) -> tensor<?x128x8x4x?xf32, #B_E_G_R_S>
  %17 = cleave.merge %16(G, R) into H : tensor<?x128x8x4x?xf32, #B_E_G_R_S> to tensor<?x128x32x?xf32, #B_E_H_S>
  %18 = cleave.cast %17 : tensor<?x128x32x?xf32, #B_E_H_S> to tensor<?x128x32x?xf16, #B_E_H_S>
  %19 = cleave.relayout %18 : tensor<?x128x32x?xf16, #B_E_H_S> to tensor<?x32x?x128xf16, #B_H_S_E>
  return %19 : tensor<?x32x?x128xf16, #B_H_S_E>
}
