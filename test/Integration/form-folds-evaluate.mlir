// Formed folds, rounding as a device does, against the graph as it was written
// in f64: in tiles and parts that divide the axis and that do not.
// RUN: cleave-opt %s --cleave-expand --cleave-form-folds -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: cleave-run %t.mlir --source %s --entry attention --device=evaluator --check --bind 'S=5,T=11;S=1,T=1;S=2,T=0;S=3,T=64' --fold-tile=3
// RUN: cleave-run %t.mlir --source %s --entry attention --device=evaluator --check --bind 'S=5,T=11;S=3,T=64' --fold-tile=4 --fold-parts=3
// RUN: cleave-run %t.mlir --source %s --entry attention --device=evaluator --check --bind 'S=5,T=11;S=3,T=64' --fold-tile=1 --fold-parts=7
// RUN: cleave-run %t.mlir --source %s --entry layer_norm_linear --device=evaluator --check --bind 'M=5' --fold-tile=3
// RUN: cleave-run %t.mlir --source %s --entry layer_norm_linear --device=evaluator --check --bind 'M=5' --fold-tile=16 --fold-parts=2
// RUN: cleave-run %t.mlir --source %s --entry layer_norm_linear --device=evaluator --check --bind 'M=5' --fold-tile=1 --fold-parts=7

#S_D = #cleave.axes<S, D>
#T_D = #cleave.axes<T, D>
#T_E = #cleave.axes<T, E>
#E_S = #cleave.axes<E, S>
#S_T = #cleave.axes<S, T>
#M_K = #cleave.axes<M, K>
#K_M = #cleave.axes<K, M>
#K_N = #cleave.axes<K, N>
#M_N = #cleave.axes<M, N>
#K = #cleave.axes<K>
#M = #cleave.axes<M>
!s = tensor<f32, #cleave.axes<>>
!m = tensor<?xf32, #M>
!x = tensor<50x?xf32, #K_M>

// CHECK-LABEL: func.func @attention
// CHECK: cleave.fold over [T]
func.func @attention(%q: tensor<?x8xf16, #S_D>, %k: tensor<?x8xf16, #T_D>, %v: tensor<?x4xf16, #T_E>)
    -> tensor<4x?xf32, #E_S> {
  %s = cleave.contract %q, %k over [D] : (tensor<?x8xf16, #S_D>, tensor<?x8xf16, #T_D>) -> tensor<?x?xf32, #S_T>
  %p = cleave.softmax %s over [T] : (tensor<?x?xf32, #S_T>) -> tensor<?x?xf32, #S_T>
  %o = cleave.contract %p, %v over [T] : (tensor<?x?xf32, #S_T>, tensor<?x4xf16, #T_E>) -> tensor<4x?xf32, #E_S>
  return %o : tensor<4x?xf32, #E_S>
}

// CHECK-LABEL: func.func @layer_norm_linear
// CHECK: cleave.fold over [K]
func.func @layer_norm_linear(%x: tensor<?x50xf16, #M_K> {cleave.range = 100.0 : f32},
                             %g: tensor<50xf16, #K> {cleave.range = 8.0 : f32}, %w: tensor<50x4xf16, #K_N>)
    -> tensor<?x4xf32, #M_N> {
  %n = cleave.extent K : !s
  %r = cleave.recip %n : (!s) -> !s
  %s = cleave.reduce_sum %x over [K] : (tensor<?x50xf16, #M_K>) -> !m
  %mu = cleave.mul %s, %r : (!m, !s) -> !m
  %d = cleave.sub %x, %mu : (tensor<?x50xf16, #M_K>, !m) -> !x
  %q = cleave.mul %d, %d : (!x, !x) -> !x
  %t = cleave.reduce_sum %q over [K] : (!x) -> !m
  %v = cleave.mul %t, %r : (!m, !s) -> !m
  %i = cleave.rsqrt %v : (!m) -> !m
  %h = cleave.mul %d, %i, %g : (!x, !m, tensor<50xf16, #K>) -> !x
  %y = cleave.contract %h, %w over [K] : (!x, tensor<50x4xf16, #K_N>) -> tensor<?x4xf32, #M_N>
  return %y : tensor<?x4xf32, #M_N>
}
