// Reductions over axes that are put together: one part after another, each read
// where it lies.

// RUN: cleave-opt %s --cleave-to-loops=no-algebra -o %t.mlir
// RUN: cleave-run %t.mlir --source %s --entry=weights --bind 'M=3,P=5;M=1,P=1;M=0,P=2' --check | FileCheck %s --check-prefix=ONE
// RUN: cleave-run %t.mlir --source %s --entry=twice --bind 'M=4;M=1;M=0' --check | FileCheck %s --check-prefix=ONE
// ONE-COUNT-3: result0[{{.*}} L2 {{.*}}: ok
// RUN: cleave-run %t.mlir --source %s --entry=last_dynamic --bind 'M=3,R=7;M=2,R=0;M=1,R=1' --check | FileCheck %s --check-prefix=TWO
// TWO-COUNT-6: result{{[01]}}[{{.*}} L2 {{.*}}: ok

#M_K = #cleave.axes<M, K>
#M_R = #cleave.axes<M, R>
#M_N = #cleave.axes<M, N>
#N_P = #cleave.axes<N, P>
#M_P = #cleave.axes<M, P>
#N = #cleave.axes<N>
#M = #cleave.axes<M>
#R = #cleave.axes<R>

// What is rounded follows from all parts: f16, as the first is.
func.func @weights(%x: tensor<?x13xf16, #M_K>, %y: tensor<?x3xf32, #M_R>, %w: tensor<16x?xf32, #N_P>) -> tensor<?x?xf32, #M_P> {
  %h = cleave.cast %y : tensor<?x3xf32, #M_R> to tensor<?x3xf16, #M_R>
  %n = cleave.concat %x, %h along [K, R] as N : (tensor<?x13xf16, #M_K>, tensor<?x3xf16, #M_R>) -> tensor<?x16xf16, #M_N>
  %z = cleave.contract %n, %w over [N] : (tensor<?x16xf16, #M_N>, tensor<16x?xf32, #N_P>) -> tensor<?x?xf32, #M_P>
  return %z : tensor<?x?xf32, #M_P>
}

func.func @last_dynamic(%x: tensor<?x5xf16, #M_K>, %y: tensor<?x?xf16, #M_R>) -> (tensor<?xf32, #M>, tensor<?xf32, #M>) {
  %n = cleave.concat %x, %y along [K, R] as N : (tensor<?x5xf16, #M_K>, tensor<?x?xf16, #M_R>) -> tensor<?x?xf16, #M_N>
  %i = cleave.iota N : tensor<?xf32, #N>
  %p = cleave.mul %n, %i : (tensor<?x?xf16, #M_N>, tensor<?xf32, #N>) -> tensor<?x?xf32, #M_N>
  %s = cleave.reduce_sum %p over [N] : (tensor<?x?xf32, #M_N>) -> tensor<?xf32, #M>
  %t = cleave.reduce_max %n over [N] : (tensor<?x?xf16, #M_N>) -> tensor<?xf32, #M>
  return %s, %t : tensor<?xf32, #M>, tensor<?xf32, #M>
}

// A slice within one part, and one part at both ends.
func.func @twice(%x: tensor<?x5xf16, #M_K>, %y: tensor<1xf16, #R>) -> tensor<?xf32, #M> {
  %n = cleave.concat %y, %x, %y along [R, K, R] as N : (tensor<1xf16, #R>, tensor<?x5xf16, #M_K>, tensor<1xf16, #R>) -> tensor<?x7xf16, #M_N>
  %a = cleave.slice %n N at 3 as L : tensor<?x7xf16, #M_N> to tensor<2x?xf16, #cleave.axes<L, M>>
  %b = cleave.reduce_max %a over [L] : (tensor<2x?xf16, #cleave.axes<L, M>>) -> tensor<?xf32, #M>
  %c = cleave.reduce_prod %n over [N] : (tensor<?x7xf16, #M_N>) -> tensor<?xf32, #M>
  %d = cleave.add %b, %c : (tensor<?xf32, #M>, tensor<?xf32, #M>) -> tensor<?xf32, #M>
  return %d : tensor<?xf32, #M>
}
