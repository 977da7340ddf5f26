// A whole layer with its cache: one sweep over the keys, three results.
// RUN: cleave-opt %examples/transformer_layer.mlir --cleave-algebra="k=8 split=false" | FileCheck %s
// RUN: cleave-opt %s --cleave-algebra="k=8 check=full split=false" | FileCheck %s

// CHECK: %{{.*}}:3 = cleave.alternatives
// CHECK: cleave.insert
// CHECK: cleave.insert
// CHECK: %[[F:.*]]:3 = cleave.fold over [T]
// CHECK: %[[R:.*]] = cleave.recip0 %[[F]]#
// CHECK-NEXT: cleave.mul {{.*}}%[[F]]#
// CHECK-NOT: over [T]
// CHECK: }, {

// The same, written and stored in another order.
#B_D_G_R_S = #cleave.axes<B, D, G, R, S>
#B_D_G_S = #cleave.axes<B, D, G, S>
#B_D_G_T = #cleave.axes<B, D, G, T>
#B_D_H_S = #cleave.axes<B, D, H, S>
#B_E_G_R_S = #cleave.axes<B, E, G, R, S>
#B_E_G_S = #cleave.axes<B, E, G, S>
#B_E_G_T = #cleave.axes<B, E, G, T>
#B_E_H_S = #cleave.axes<B, E, H, S>
#B_F_S = #cleave.axes<B, F, S>
#B_G_I_J_S = #cleave.axes<B, G, I, J, S>
#B_G_I_S = #cleave.axes<B, G, I, S>
#B_G_R_S_T = #cleave.axes<B, G, R, S, T>
#B_G_T_D = #cleave.axes<B, G, T, D>
#B_G_T_E = #cleave.axes<B, G, T, E>
#B_H_I_J_S = #cleave.axes<B, H, I, J, S>
#B_H_I_S = #cleave.axes<B, H, I, S>
#B_K_S = #cleave.axes<B, K, S>
#B_S_K = #cleave.axes<B, S, K>
#D_G_K = #cleave.axes<D, G, K>
#D_H_K = #cleave.axes<D, H, K>
#D_T_G_B = #cleave.axes<D, T, G, B>
#E_H_K = #cleave.axes<E, H, K>
#E_T_G_B = #cleave.axes<E, T, G, B>
#F_K = #cleave.axes<F, K>
#I_S = #cleave.axes<I, S>
#K = #cleave.axes<K>
#K_D_P = #cleave.axes<K, D, P>
#K_F_J = #cleave.axes<K, F, J>
#K_S_B = #cleave.axes<K, S, B>
#S = #cleave.axes<S>
#S_T = #cleave.axes<S, T>
#T = #cleave.axes<T>
#scalar = #cleave.axes<>

func.func @transformer_layer(%arg0: tensor<4096x?x?xf16, #K_S_B> {cleave.name = "X", cleave.range = 3.000000e+02 : f32}, %arg1: tensor<4096x128x48xf16, #K_D_P> {cleave.name = "Wqkv", cleave.range = 1.250000e-01 : f32}, %arg2: tensor<128x32x4096xf16, #E_H_K> {cleave.name = "Wo", cleave.range = 1.250000e-01 : f32}, %arg3: tensor<4096x14336x2xf16, #K_F_J> {cleave.name = "Wgu", cleave.range = 1.250000e-01 : f32}, %arg4: tensor<14336x4096xf16, #F_K> {cleave.name = "Wd", cleave.range = 1.250000e-01 : f32}, %arg5: tensor<4096xf16, #K> {cleave.name = "g1", cleave.range = 2.000000e+00 : f32}, %arg6: tensor<4096xf16, #K> {cleave.name = "g2", cleave.range = 2.000000e+00 : f32}, %arg7: tensor<64x?xf16, #I_S> {cleave.name = "cos", cleave.range = 1.000000e+00 : f32}, %arg8: tensor<64x?xf16, #I_S> {cleave.name = "sin", cleave.range = 1.000000e+00 : f32}, %arg9: tensor<128x?x8x?xf16, #D_T_G_B> {cleave.name = "Kc", cleave.range = 8.000000e+00 : f32}, %arg10: tensor<128x?x8x?xf16, #E_T_G_B> {cleave.name = "Vc", cleave.range = 8.000000e+00 : f32}, %arg11: tensor<i32, #scalar> {cleave.name = "pos"}) -> (tensor<?x?x4096xf16, #B_S_K> {cleave.name = "Y"}, tensor<?x8x?x128xf16, #B_G_T_D> {cleave.name = "Kn"}, tensor<?x8x?x128xf16, #B_G_T_E> {cleave.name = "Vn"}) attributes {cleave.symbols = #cleave.symbols<B: dynamic like 16, S: dynamic like 1 | 2048, T: dynamic like 4096 | 2048, H = G * R>} {
  %0 = cleave.slice %arg1 P at 0 as H : tensor<4096x128x48xf16, #K_D_P> to tensor<128x32x4096xf16, #D_H_K>
  %1 = cleave.iota T : tensor<?xf32, #T>
  %2 = cleave.slice %arg3 J at 0  : tensor<4096x14336x2xf16, #K_F_J> to tensor<14336x4096xf16, #F_K>
  %3 = cleave.cast %arg11 : tensor<i32, #scalar> to tensor<f32, #scalar>
  %4 = cleave.constant 0.088388347648318447 : tensor<f32, #scalar>
  %5 = cleave.constant 0xFFF0000000000000 : tensor<f32, #scalar>
  %6 = cleave.iota S : tensor<?xf32, #S>
  %7 = cleave.slice %arg1 P at 32 as G : tensor<4096x128x48xf16, #K_D_P> to tensor<128x8x4096xf16, #D_G_K>
  %8 = cleave.slice %arg3 J at 1  : tensor<4096x14336x2xf16, #K_F_J> to tensor<14336x4096xf16, #F_K>
  %9 = cleave.rms_norm %arg0, %arg5 over [K] eps 9.9999999999999995E-7 : (tensor<4096x?x?xf16, #K_S_B>, tensor<4096xf16, #K>) -> tensor<?x4096x?xf32, #B_K_S>
  %10 = cleave.contract %0, %9 over [K] : (tensor<128x32x4096xf16, #D_H_K>, tensor<?x4096x?xf32, #B_K_S>) -> tensor<?x128x32x?xf32, #B_D_H_S>
  %11 = cleave.contract %7, %9 over [K] : (tensor<128x8x4096xf16, #D_G_K>, tensor<?x4096x?xf32, #B_K_S>) -> tensor<?x128x8x?xf32, #B_D_G_S>
  %12 = cleave.add %3, %6 : (tensor<f32, #scalar>, tensor<?xf32, #S>) -> tensor<?xf32, #S>
  %13 = cleave.split %11 D into(J, I) : tensor<?x128x8x?xf32, #B_D_G_S> to tensor<?x8x64x2x?xf32, #B_G_I_J_S>
  %14 = cleave.slice %13 J at 0  : tensor<?x8x64x2x?xf32, #B_G_I_J_S> to tensor<?x8x64x?xf32, #B_G_I_S>
  %15 = cleave.slice %13 J at 1  : tensor<?x8x64x2x?xf32, #B_G_I_J_S> to tensor<?x8x64x?xf32, #B_G_I_S>
  %16 = cleave.mul %arg8, %15 : (tensor<64x?xf16, #I_S>, tensor<?x8x64x?xf32, #B_G_I_S>) -> tensor<?x8x64x?xf32, #B_G_I_S>
  %17 = cleave.cmp  le %1, %12 : (tensor<?xf32, #T>, tensor<?xf32, #S>) -> tensor<?x?xi1, #S_T>
  %18 = cleave.slice %arg1 P at 40 as G : tensor<4096x128x48xf16, #K_D_P> to tensor<128x8x4096xf16, #D_G_K>
  %19 = cleave.mul %arg7, %15 : (tensor<64x?xf16, #I_S>, tensor<?x8x64x?xf32, #B_G_I_S>) -> tensor<?x8x64x?xf32, #B_G_I_S>
  %20 = cleave.mul %arg8, %14 : (tensor<64x?xf16, #I_S>, tensor<?x8x64x?xf32, #B_G_I_S>) -> tensor<?x8x64x?xf32, #B_G_I_S>
  %21 = cleave.split %10 D into(J, I) : tensor<?x128x32x?xf32, #B_D_H_S> to tensor<?x32x64x2x?xf32, #B_H_I_J_S>
  %22 = cleave.mul %arg7, %14 : (tensor<64x?xf16, #I_S>, tensor<?x8x64x?xf32, #B_G_I_S>) -> tensor<?x8x64x?xf32, #B_G_I_S>
  %23 = cleave.add %20, %19 : (tensor<?x8x64x?xf32, #B_G_I_S>, tensor<?x8x64x?xf32, #B_G_I_S>) -> tensor<?x8x64x?xf32, #B_G_I_S>
  %24 = cleave.slice %21 J at 0  : tensor<?x32x64x2x?xf32, #B_H_I_J_S> to tensor<?x32x64x?xf32, #B_H_I_S>
  %25 = cleave.sub %22, %16 : (tensor<?x8x64x?xf32, #B_G_I_S>, tensor<?x8x64x?xf32, #B_G_I_S>) -> tensor<?x8x64x?xf32, #B_G_I_S>
  %26 = cleave.stack %25, %23 as J : (tensor<?x8x64x?xf32, #B_G_I_S>, tensor<?x8x64x?xf32, #B_G_I_S>) -> tensor<?x8x64x2x?xf32, #B_G_I_J_S>
  %27 = cleave.contract %18, %9 over [K] : (tensor<128x8x4096xf16, #D_G_K>, tensor<?x4096x?xf32, #B_K_S>) -> tensor<?x128x8x?xf32, #B_D_G_S>
  %28 = cleave.merge %26(J, I) into D : tensor<?x8x64x2x?xf32, #B_G_I_J_S> to tensor<?x128x8x?xf32, #B_D_G_S>
  %29 = cleave.slice %21 J at 1  : tensor<?x32x64x2x?xf32, #B_H_I_J_S> to tensor<?x32x64x?xf32, #B_H_I_S>
  %30 = cleave.mul %arg8, %24 : (tensor<64x?xf16, #I_S>, tensor<?x32x64x?xf32, #B_H_I_S>) -> tensor<?x32x64x?xf32, #B_H_I_S>
  %31 = cleave.cast %28 : tensor<?x128x8x?xf32, #B_D_G_S> to tensor<?x128x8x?xf16, #B_D_G_S>
  %32 = cleave.mul %arg8, %29 : (tensor<64x?xf16, #I_S>, tensor<?x32x64x?xf32, #B_H_I_S>) -> tensor<?x32x64x?xf32, #B_H_I_S>
  %33 = cleave.cast %27 : tensor<?x128x8x?xf32, #B_D_G_S> to tensor<?x128x8x?xf16, #B_D_G_S>
  %34 = cleave.mul %arg7, %29 : (tensor<64x?xf16, #I_S>, tensor<?x32x64x?xf32, #B_H_I_S>) -> tensor<?x32x64x?xf32, #B_H_I_S>
  %35 = cleave.mul %arg7, %24 : (tensor<64x?xf16, #I_S>, tensor<?x32x64x?xf32, #B_H_I_S>) -> tensor<?x32x64x?xf32, #B_H_I_S>
  %36 = cleave.rename %33 [D] to [E] : (tensor<?x128x8x?xf16, #B_D_G_S>) -> tensor<?x128x8x?xf16, #B_E_G_S>
  %37 = cleave.insert %36 S into %arg10 T at %arg11 : (tensor<?x128x8x?xf16, #B_E_G_S>, tensor<128x?x8x?xf16, #E_T_G_B>, tensor<i32, #scalar>) -> tensor<?x128x8x?xf16, #B_E_G_T>
  %38 = cleave.relayout %37 : tensor<?x128x8x?xf16, #B_E_G_T> to tensor<?x8x?x128xf16, #B_G_T_E>
  %39 = cleave.insert %31 S into %arg9 T at %arg11 : (tensor<?x128x8x?xf16, #B_D_G_S>, tensor<128x?x8x?xf16, #D_T_G_B>, tensor<i32, #scalar>) -> tensor<?x128x8x?xf16, #B_D_G_T>
  %40 = cleave.sub %35, %32 : (tensor<?x32x64x?xf32, #B_H_I_S>, tensor<?x32x64x?xf32, #B_H_I_S>) -> tensor<?x32x64x?xf32, #B_H_I_S>
  %41 = cleave.relayout %39 : tensor<?x128x8x?xf16, #B_D_G_T> to tensor<?x8x?x128xf16, #B_G_T_D>
  %42 = cleave.add %30, %34 : (tensor<?x32x64x?xf32, #B_H_I_S>, tensor<?x32x64x?xf32, #B_H_I_S>) -> tensor<?x32x64x?xf32, #B_H_I_S>
  %43 = cleave.stack %40, %42 as J : (tensor<?x32x64x?xf32, #B_H_I_S>, tensor<?x32x64x?xf32, #B_H_I_S>) -> tensor<?x32x64x2x?xf32, #B_H_I_J_S>
  %44 = cleave.merge %43(J, I) into D : tensor<?x32x64x2x?xf32, #B_H_I_J_S> to tensor<?x128x32x?xf32, #B_D_H_S>
  %45 = cleave.split %44 H into(G, R) : tensor<?x128x32x?xf32, #B_D_H_S> to tensor<?x128x8x4x?xf32, #B_D_G_R_S>
  %46 = cleave.contract %39, %45 over [D] : (tensor<?x128x8x?xf16, #B_D_G_T>, tensor<?x128x8x4x?xf32, #B_D_G_R_S>) -> tensor<?x8x4x?x?xf32, #B_G_R_S_T>
  %47 = cleave.mul %4, %46 : (tensor<f32, #scalar>, tensor<?x8x4x?x?xf32, #B_G_R_S_T>) -> tensor<?x8x4x?x?xf32, #B_G_R_S_T>
  %48 = cleave.select %17, %47, %5 : (tensor<?x?xi1, #S_T>, tensor<?x8x4x?x?xf32, #B_G_R_S_T>, tensor<f32, #scalar>) -> tensor<?x8x4x?x?xf32, #B_G_R_S_T>
  %49 = cleave.softmax %48 over [T] : (tensor<?x8x4x?x?xf32, #B_G_R_S_T>) -> tensor<?x8x4x?x?xf32, #B_G_R_S_T>
  %50 = cleave.contract %37, %49 over [T] : (tensor<?x128x8x?xf16, #B_E_G_T>, tensor<?x8x4x?x?xf32, #B_G_R_S_T>) -> tensor<?x128x8x4x?xf32, #B_E_G_R_S>
  %51 = cleave.merge %50(G, R) into H : tensor<?x128x8x4x?xf32, #B_E_G_R_S> to tensor<?x128x32x?xf32, #B_E_H_S>
  %52 = cleave.contract %arg2, %51 over [E, H] : (tensor<128x32x4096xf16, #E_H_K>, tensor<?x128x32x?xf32, #B_E_H_S>) -> tensor<?x4096x?xf32, #B_K_S>
  %53 = cleave.add %52, %arg0 : (tensor<?x4096x?xf32, #B_K_S>, tensor<4096x?x?xf16, #K_S_B>) -> tensor<?x4096x?xf32, #B_K_S>
  %54 = cleave.rms_norm %53, %arg6 over [K] eps 9.9999999999999995E-7 : (tensor<?x4096x?xf32, #B_K_S>, tensor<4096xf16, #K>) -> tensor<?x4096x?xf32, #B_K_S>
  %55 = cleave.contract %2, %54 over [K] : (tensor<14336x4096xf16, #F_K>, tensor<?x4096x?xf32, #B_K_S>) -> tensor<?x14336x?xf32, #B_F_S>
  %56 = cleave.silu %55 : (tensor<?x14336x?xf32, #B_F_S>) -> tensor<?x14336x?xf32, #B_F_S>
  %57 = cleave.contract %8, %54 over [K] : (tensor<14336x4096xf16, #F_K>, tensor<?x4096x?xf32, #B_K_S>) -> tensor<?x14336x?xf32, #B_F_S>
  %58 = cleave.mul %57, %56 : (tensor<?x14336x?xf32, #B_F_S>, tensor<?x14336x?xf32, #B_F_S>) -> tensor<?x14336x?xf32, #B_F_S>
  %59 = cleave.contract %arg4, %58 over [F] : (tensor<14336x4096xf16, #F_K>, tensor<?x14336x?xf32, #B_F_S>) -> tensor<?x4096x?xf32, #B_K_S>
  %60 = cleave.add %59, %53 : (tensor<?x4096x?xf32, #B_K_S>, tensor<?x4096x?xf32, #B_K_S>) -> tensor<?x4096x?xf32, #B_K_S>
  %61 = cleave.cast %60 : tensor<?x4096x?xf32, #B_K_S> to tensor<?x4096x?xf16, #B_K_S>
  %62 = cleave.relayout %61 : tensor<?x4096x?xf16, #B_K_S> to tensor<?x?x4096xf16, #B_S_K>
  return %62, %41, %38 : tensor<?x?x4096xf16, #B_S_K>, tensor<?x8x?x128xf16, #B_G_T_D>, tensor<?x8x?x128xf16, #B_G_T_E>
}
