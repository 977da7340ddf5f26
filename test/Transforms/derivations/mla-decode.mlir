// The latent is key and value of one sweep.
// RUN: cleave-opt %examples/mla_decode.mlir --cleave-algebra="k=8 split=false" | FileCheck %s
// RUN: cleave-opt %s --cleave-algebra="k=8 check=full split=false" | FileCheck %s

// CHECK: cleave.alternatives
// CHECK: %[[V:.*]] = cleave.slice %[[C:.*]] C at 0 as L
// CHECK: %[[F:.*]]:3 = cleave.fold over [T] ins({{.*}}%[[V]]
// CHECK: %[[R:.*]] = cleave.recip0 %[[F]]#
// CHECK-NEXT: cleave.mul {{.*}}%[[F]]#
// CHECK: }, {

// The same, written and stored in another order.
#B_H_L = #cleave.axes<B, H, L>
#B_H_T = #cleave.axes<B, H, T>
#B_L_T = #cleave.axes<B, L, T>
#C_H_B = #cleave.axes<C, H, B>
#C_T_B = #cleave.axes<C, T, B>
#scalar = #cleave.axes<>

func.func @mla_decode(%arg0: tensor<576x128x?xf16, #C_H_B> {cleave.name = "Q"}, %arg1: tensor<576x?x?xf16, #C_T_B> {cleave.name = "C"}) -> (tensor<?x128x512xf16, #B_H_L> {cleave.name = "O"}) attributes {cleave.symbols = #cleave.symbols<B: dynamic like 16, T: dynamic like 4096>} {
  %0 = cleave.slice %arg1 C at 0 as L : tensor<576x?x?xf16, #C_T_B> to tensor<?x512x?xf16, #B_L_T>
  %1 = cleave.constant 0.072168783648703216 : tensor<f32, #scalar>
  %2 = cleave.contract %arg1, %arg0 over [C] : (tensor<576x?x?xf16, #C_T_B>, tensor<576x128x?xf16, #C_H_B>) -> tensor<?x128x?xf32, #B_H_T>
  %3 = cleave.mul %1, %2 : (tensor<f32, #scalar>, tensor<?x128x?xf32, #B_H_T>) -> tensor<?x128x?xf32, #B_H_T>
  %4 = cleave.softmax %3 over [T] : (tensor<?x128x?xf32, #B_H_T>) -> tensor<?x128x?xf32, #B_H_T>
  %5 = cleave.contract %0, %4 over [T] : (tensor<?x512x?xf16, #B_L_T>, tensor<?x128x?xf32, #B_H_T>) -> tensor<?x128x512xf32, #B_H_L>
  %6 = cleave.cast %5 : tensor<?x128x512xf32, #B_H_L> to tensor<?x128x512xf16, #B_H_L>
  return %6 : tensor<?x128x512xf16, #B_H_L>
}
