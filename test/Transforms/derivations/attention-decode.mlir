// Groups of queries that share keys, in one sweep.
// RUN: cleave-opt %examples/gqa_decode.mlir --cleave-algebra="k=8 split=false" | FileCheck %s
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
#B_E_G_R = #cleave.axes<B, E, G, R>
#B_G_R_E = #cleave.axes<B, G, R, E>
#B_G_R_T = #cleave.axes<B, G, R, T>
#D_R_G_B = #cleave.axes<D, R, G, B>
#D_T_G_B = #cleave.axes<D, T, G, B>
#E_T_G_B = #cleave.axes<E, T, G, B>
#scalar = #cleave.axes<>

func.func @gqa_decode(%arg0: tensor<128x4x8x?xf16, #D_R_G_B> {cleave.name = "Q"}, %arg1: tensor<128x?x8x?xf16, #D_T_G_B> {cleave.name = "K"}, %arg2: tensor<128x?x8x?xf16, #E_T_G_B> {cleave.name = "V"}) -> (tensor<?x8x4x128xf16, #B_G_R_E> {cleave.name = "O"}) attributes {cleave.symbols = #cleave.symbols<B: dynamic like 8, T: dynamic like 8192>} {
  %0 = cleave.contract %arg1, %arg0 over [D] : (tensor<128x?x8x?xf16, #D_T_G_B>, tensor<128x4x8x?xf16, #D_R_G_B>) -> tensor<?x8x4x?xf32, #B_G_R_T>
  %1 = cleave.constant 0.088388347648318447 : tensor<f32, #scalar>
  %2 = cleave.mul %1, %0 : (tensor<f32, #scalar>, tensor<?x8x4x?xf32, #B_G_R_T>) -> tensor<?x8x4x?xf32, #B_G_R_T>
  %3 = cleave.softmax %2 over [T] : (tensor<?x8x4x?xf32, #B_G_R_T>) -> tensor<?x8x4x?xf32, #B_G_R_T>
  %4 = cleave.contract %arg2, %3 over [T] : (tensor<128x?x8x?xf16, #E_T_G_B>, tensor<?x8x4x?xf32, #B_G_R_T>) -> tensor<?x128x8x4xf32, #B_E_G_R>
  %5 = cleave.cast %4 : tensor<?x128x8x4xf32, #B_E_G_R> to tensor<?x128x8x4xf16, #B_E_G_R>
  %6 = cleave.relayout %5 : tensor<?x128x8x4xf16, #B_E_G_R> to tensor<?x8x4x128xf16, #B_G_R_E>
  return %6 : tensor<?x8x4x128xf16, #B_G_R_E>
}
