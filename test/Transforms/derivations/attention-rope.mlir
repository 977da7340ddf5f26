// Rotations stay in front of the one sweep.
// RUN: cleave-opt %examples/rope_attention.mlir --cleave-algebra="k=8 split=false" | FileCheck %s
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
#B_D_H_S = #cleave.axes<B, D, H, S>
#B_D_H_T = #cleave.axes<B, D, H, T>
#B_E_H_S = #cleave.axes<B, E, H, S>
#B_H_I_J_S = #cleave.axes<B, H, I, J, S>
#B_H_I_J_T = #cleave.axes<B, H, I, J, T>
#B_H_I_S = #cleave.axes<B, H, I, S>
#B_H_I_T = #cleave.axes<B, H, I, T>
#B_H_S_E = #cleave.axes<B, H, S, E>
#B_H_S_T = #cleave.axes<B, H, S, T>
#D_S_H_B = #cleave.axes<D, S, H, B>
#D_T_H_B = #cleave.axes<D, T, H, B>
#E_T_H_B = #cleave.axes<E, T, H, B>
#I_S = #cleave.axes<I, S>
#I_T = #cleave.axes<I, T>
#S = #cleave.axes<S>
#S_T = #cleave.axes<S, T>
#T = #cleave.axes<T>
#scalar = #cleave.axes<>

func.func @rope_attention(%arg0: tensor<128x?x32x?xf16, #D_S_H_B> {cleave.name = "Q"}, %arg1: tensor<128x?x32x?xf16, #D_T_H_B> {cleave.name = "K"}, %arg2: tensor<128x?x32x?xf16, #E_T_H_B> {cleave.name = "V"}, %arg3: tensor<64x?xf16, #I_S> {cleave.name = "cq", cleave.range = 1.000000e+00 : f32}, %arg4: tensor<64x?xf16, #I_S> {cleave.name = "sq", cleave.range = 1.000000e+00 : f32}, %arg5: tensor<64x?xf16, #I_T> {cleave.name = "ck", cleave.range = 1.000000e+00 : f32}, %arg6: tensor<64x?xf16, #I_T> {cleave.name = "sk", cleave.range = 1.000000e+00 : f32}) -> (tensor<?x32x?x128xf16, #B_H_S_E> {cleave.name = "O"}) attributes {cleave.symbols = #cleave.symbols<B: dynamic like 4, S: dynamic like 2048, T: dynamic like 2048>} {
  %0 = cleave.extent T : tensor<f32, #scalar>
  %1 = cleave.extent S : tensor<f32, #scalar>
  %2 = cleave.constant 0xFFF0000000000000 : tensor<f32, #scalar>
  %3 = cleave.iota S : tensor<?xf32, #S>
  %4 = cleave.constant 0.088388347648318447 : tensor<f32, #scalar>
  %5 = cleave.split %arg0 D into(J, I) : tensor<128x?x32x?xf16, #D_S_H_B> to tensor<?x32x64x2x?xf16, #B_H_I_J_S>
  %6 = cleave.slice %5 J at 0  : tensor<?x32x64x2x?xf16, #B_H_I_J_S> to tensor<?x32x64x?xf16, #B_H_I_S>
  %7 = cleave.split %arg1 D into(J, I) : tensor<128x?x32x?xf16, #D_T_H_B> to tensor<?x32x64x2x?xf16, #B_H_I_J_T>
  %8 = cleave.slice %7 J at 1  : tensor<?x32x64x2x?xf16, #B_H_I_J_T> to tensor<?x32x64x?xf16, #B_H_I_T>
  %9 = cleave.mul %arg6, %8 : (tensor<64x?xf16, #I_T>, tensor<?x32x64x?xf16, #B_H_I_T>) -> tensor<?x32x64x?xf32, #B_H_I_T>
  %10 = cleave.mul %arg4, %6 : (tensor<64x?xf16, #I_S>, tensor<?x32x64x?xf16, #B_H_I_S>) -> tensor<?x32x64x?xf32, #B_H_I_S>
  %11 = cleave.slice %5 J at 1  : tensor<?x32x64x2x?xf16, #B_H_I_J_S> to tensor<?x32x64x?xf16, #B_H_I_S>
  %12 = cleave.iota T : tensor<?xf32, #T>
  %13 = cleave.mul %arg3, %11 : (tensor<64x?xf16, #I_S>, tensor<?x32x64x?xf16, #B_H_I_S>) -> tensor<?x32x64x?xf32, #B_H_I_S>
  %14 = cleave.sub %0, %1 : (tensor<f32, #scalar>, tensor<f32, #scalar>) -> tensor<f32, #scalar>
  %15 = cleave.mul %arg5, %8 : (tensor<64x?xf16, #I_T>, tensor<?x32x64x?xf16, #B_H_I_T>) -> tensor<?x32x64x?xf32, #B_H_I_T>
  %16 = cleave.slice %7 J at 0  : tensor<?x32x64x2x?xf16, #B_H_I_J_T> to tensor<?x32x64x?xf16, #B_H_I_T>
  %17 = cleave.add %10, %13 : (tensor<?x32x64x?xf32, #B_H_I_S>, tensor<?x32x64x?xf32, #B_H_I_S>) -> tensor<?x32x64x?xf32, #B_H_I_S>
  %18 = cleave.mul %arg5, %16 : (tensor<64x?xf16, #I_T>, tensor<?x32x64x?xf16, #B_H_I_T>) -> tensor<?x32x64x?xf32, #B_H_I_T>
  %19 = cleave.sub %18, %9 : (tensor<?x32x64x?xf32, #B_H_I_T>, tensor<?x32x64x?xf32, #B_H_I_T>) -> tensor<?x32x64x?xf32, #B_H_I_T>
  %20 = cleave.mul %arg4, %11 : (tensor<64x?xf16, #I_S>, tensor<?x32x64x?xf16, #B_H_I_S>) -> tensor<?x32x64x?xf32, #B_H_I_S>
  %21 = cleave.mul %arg3, %6 : (tensor<64x?xf16, #I_S>, tensor<?x32x64x?xf16, #B_H_I_S>) -> tensor<?x32x64x?xf32, #B_H_I_S>
  %22 = cleave.add %14, %3 : (tensor<f32, #scalar>, tensor<?xf32, #S>) -> tensor<?xf32, #S>
  %23 = cleave.sub %21, %20 : (tensor<?x32x64x?xf32, #B_H_I_S>, tensor<?x32x64x?xf32, #B_H_I_S>) -> tensor<?x32x64x?xf32, #B_H_I_S>
  %24 = cleave.cmp  le %12, %22 : (tensor<?xf32, #T>, tensor<?xf32, #S>) -> tensor<?x?xi1, #S_T>
  %25 = cleave.stack %23, %17 as J : (tensor<?x32x64x?xf32, #B_H_I_S>, tensor<?x32x64x?xf32, #B_H_I_S>) -> tensor<?x32x64x2x?xf32, #B_H_I_J_S>
  %26 = cleave.mul %arg6, %16 : (tensor<64x?xf16, #I_T>, tensor<?x32x64x?xf16, #B_H_I_T>) -> tensor<?x32x64x?xf32, #B_H_I_T>
  %27 = cleave.add %26, %15 : (tensor<?x32x64x?xf32, #B_H_I_T>, tensor<?x32x64x?xf32, #B_H_I_T>) -> tensor<?x32x64x?xf32, #B_H_I_T>
  %28 = cleave.stack %19, %27 as J : (tensor<?x32x64x?xf32, #B_H_I_T>, tensor<?x32x64x?xf32, #B_H_I_T>) -> tensor<?x32x64x2x?xf32, #B_H_I_J_T>
  %29 = cleave.merge %28(J, I) into D : tensor<?x32x64x2x?xf32, #B_H_I_J_T> to tensor<?x128x32x?xf32, #B_D_H_T>
  %30 = cleave.merge %25(J, I) into D : tensor<?x32x64x2x?xf32, #B_H_I_J_S> to tensor<?x128x32x?xf32, #B_D_H_S>
  %31 = cleave.contract %29, %30 over [D] : (tensor<?x128x32x?xf32, #B_D_H_T>, tensor<?x128x32x?xf32, #B_D_H_S>) -> tensor<?x32x?x?xf32, #B_H_S_T>
  %32 = cleave.mul %4, %31 : (tensor<f32, #scalar>, tensor<?x32x?x?xf32, #B_H_S_T>) -> tensor<?x32x?x?xf32, #B_H_S_T>
  %33 = cleave.select %24, %32, %2 : (tensor<?x?xi1, #S_T>, tensor<?x32x?x?xf32, #B_H_S_T>, tensor<f32, #scalar>) -> tensor<?x32x?x?xf32, #B_H_S_T>
  %34 = cleave.softmax %33 over [T] : (tensor<?x32x?x?xf32, #B_H_S_T>) -> tensor<?x32x?x?xf32, #B_H_S_T>
  %35 = cleave.contract %arg2, %34 over [T] : (tensor<128x?x32x?xf16, #E_T_H_B>, tensor<?x32x?x?xf32, #B_H_S_T>) -> tensor<?x128x32x?xf32, #B_E_H_S>
  %36 = cleave.cast %35 : tensor<?x128x32x?xf32, #B_E_H_S> to tensor<?x128x32x?xf16, #B_E_H_S>
  %37 = cleave.relayout %36 : tensor<?x128x32x?xf16, #B_E_H_S> to tensor<?x32x?x128xf16, #B_H_S_E>
  return %37 : tensor<?x32x?x128xf16, #B_H_S_E>
}
