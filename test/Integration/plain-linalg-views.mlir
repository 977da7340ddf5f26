// Views and domains as plain linalg: positions that a split leaves without an
// element hide from sums and maxima, at extents that the parts do not divide.

// RUN: cleave-opt %s --convert-cleave-to-linalg=symbols=S=4,A=2 -o %t.mlir
// RUN: cleave-run %t.mlir --source %s --entry=sums --bind 'S=4,K=13,M=3;S=4,K=3,M=2;S=4,K=1,M=1;S=4,K=0,M=2' --check | FileCheck %s --check-prefix=SUMS
// SUMS-COUNT-12: result{{[0-2]}}[{{.*}} L2 {{.*}}: ok
// RUN: cleave-run %t.mlir --source %s --entry=product --bind 'S=4,K=13,M=3,N=5;S=4,K=2,M=2,N=3;S=4,K=0,M=2,N=1' --check | FileCheck %s --check-prefix=PRODUCT
// PRODUCT-COUNT-6: result{{[01]}}[{{.*}} L2 {{.*}}: ok
// RUN: cleave-run %t.mlir --source %s --entry=back --bind 'S=4,K=13,M=3;S=4,K=5,M=1;S=4,K=0,M=2' --check | FileCheck %s --check-prefix=BACK
// BACK-COUNT-3: result0[{{.*}} L2 0.00e+00{{.*}}: ok
// RUN: cleave-run %t.mlir --source %s --entry=heads --bind 'G=3,R=5,D=7;G=1,R=1,D=1;G=2,R=0,D=3' --check | FileCheck %s --check-prefix=HEADS
// HEADS-COUNT-3: result0[{{.*}} L2 0.00e+00{{.*}}: ok
// RUN: cleave-run %t.mlir --source %s --entry=twice --bind 'S=4,A=2,K=24;S=4,A=2,K=8' --check | FileCheck %s --check-prefix=TWICE
// TWICE-COUNT-2: result0[{{.*}} L2 {{.*}}: ok
// RUN: cleave-run %t.mlir --source %s --entry=square --bind 'S=5;S=1;S=0' --check | FileCheck %s --check-prefix=SQUARE
// SQUARE-COUNT-3: result0[{{.*}} L2 {{.*}}: ok
// RUN: cleave-run %t.mlir --source %s --entry=constants --bind 'M=5,K=3;M=1,K=0' --check | FileCheck %s --check-prefix=CONSTANTS
// CONSTANTS-COUNT-6: result{{[0-2]}}[{{.*}} L2 0.00e+00{{.*}}: ok

// RUN: cleave-run %t.mlir --source %s --entry=joined --bind 'M=3,K=5,R=2;M=1,K=0,R=3;M=2,K=1,R=0' --check | FileCheck %s --check-prefix=JOINED
// JOINED-COUNT-3: result0[{{.*}} L2 0.00e+00{{.*}}: ok

#M_K = #cleave.axes<M, K>
#K_N = #cleave.axes<K, N>
#K = #cleave.axes<K>
#R = #cleave.axes<R>
#M = #cleave.axes<M>
#M_N = #cleave.axes<M, N>
#Ki_M_S = #cleave.axes<Ki, M, S>
#Ki_N_S = #cleave.axes<Ki, N, S>
#Ki_S = #cleave.axes<Ki, S>
#M_S = #cleave.axes<M, S>
#S_M = #cleave.axes<S, M>
#M_N_S = #cleave.axes<M, N, S>
#K_M = #cleave.axes<K, M>
#A_B_S = #cleave.axes<A, B, S>
#S = #cleave.axes<S>
#G_R_D = #cleave.axes<G, R, D>
#D_H = #cleave.axes<D, H>
#H_D = #cleave.axes<H, D>
#S_D = #cleave.axes<S, D>
#S_T = #cleave.axes<S, T>
#D_T = #cleave.axes<D, T>
#s = #cleave.axes<>

func.func @sums(%x: tensor<?x?xf32, #M_K>) -> (tensor<?xf32, #M>, tensor<?xf32, #M>, tensor<?x?xf32, #S_M>)
    attributes {cleave.symbols = #cleave.symbols<S: bound like 4>} {
  %v = cleave.split %x K into (S, Ki) : tensor<?x?xf32, #M_K> to tensor<?x?x?xf32, #Ki_M_S>
  %e = cleave.exp %v : (tensor<?x?x?xf32, #Ki_M_S>) -> tensor<?x?x?xf32, #Ki_M_S>
  %p = cleave.reduce_sum %e over [Ki] : (tensor<?x?x?xf32, #Ki_M_S>) -> tensor<?x?xf32, #M_S>
  %a = cleave.reduce_sum %p over [S] : (tensor<?x?xf32, #M_S>) -> tensor<?xf32, #M>
  %b = cleave.reduce_max %v over [Ki, S] : (tensor<?x?x?xf32, #Ki_M_S>) -> tensor<?xf32, #M>
  %r = cleave.relayout %p : tensor<?x?xf32, #M_S> to tensor<?x?xf32, #S_M>
  return %a, %b, %r : tensor<?xf32, #M>, tensor<?xf32, #M>, tensor<?x?xf32, #S_M>
}

func.func @product(%x: tensor<?x?xf32, #M_K>, %w: tensor<?x?xf32, #K_N>) -> (tensor<?x?x?xf32, #M_N_S>, tensor<?x?xf32, #M_N>)
    attributes {cleave.symbols = #cleave.symbols<S: bound like 4>} {
  %v = cleave.split %x K into (S, Ki) : tensor<?x?xf32, #M_K> to tensor<?x?x?xf32, #Ki_M_S>
  %u = cleave.split %w K into (S, Ki) : tensor<?x?xf32, #K_N> to tensor<?x?x?xf32, #Ki_N_S>
  %p = cleave.contract %v, %u over [Ki] : (tensor<?x?x?xf32, #Ki_M_S>, tensor<?x?x?xf32, #Ki_N_S>) -> tensor<?x?x?xf32, #M_N_S>
  %y = cleave.reduce_sum %p over [S] : (tensor<?x?x?xf32, #M_N_S>) -> tensor<?x?xf32, #M_N>
  return %p, %y : tensor<?x?x?xf32, #M_N_S>, tensor<?x?xf32, #M_N>
}

func.func @back(%x: tensor<?x?xf16, #M_K>) -> tensor<?x?xf16, #K_M> attributes {cleave.symbols = #cleave.symbols<S: bound like 4>} {
  %v = cleave.split %x K into (S, Ki) : tensor<?x?xf16, #M_K> to tensor<?x?x?xf16, #Ki_M_S>
  %y = cleave.merge %v (S, Ki) into K : tensor<?x?x?xf16, #Ki_M_S> to tensor<?x?xf16, #K_M>
  return %y : tensor<?x?xf16, #K_M>
}

func.func @heads(%x: tensor<?x?x?xf16, #G_R_D>) -> tensor<?x?xf16, #H_D> {
  %h = cleave.merge %x (G, R) into H : tensor<?x?x?xf16, #G_R_D> to tensor<?x?xf16, #D_H>
  %y = cleave.relayout %h : tensor<?x?xf16, #D_H> to tensor<?x?xf16, #H_D>
  return %y : tensor<?x?xf16, #H_D>
}

func.func @twice(%x: tensor<?xf32, #K>) -> tensor<?xf32, #S> attributes {cleave.symbols = #cleave.symbols<S: bound like 4, A: bound like 2>} {
  %v = cleave.split %x K into (S, Ki) : tensor<?xf32, #K> to tensor<?x?xf32, #Ki_S>
  %u = cleave.split %v Ki into (A, B) : tensor<?x?xf32, #Ki_S> to tensor<?x?x?xf32, #A_B_S>
  %y = cleave.reduce_sum %u over [A, B] : (tensor<?x?x?xf32, #A_B_S>) -> tensor<?xf32, #S>
  return %y : tensor<?xf32, #S>
}

func.func @square(%x: tensor<?x3xf16, #S_D>) -> tensor<?x?xf32, #S_T> {
  %t = cleave.rename %x [S] to [T] : (tensor<?x3xf16, #S_D>) -> tensor<3x?xf16, #D_T>
  %y = cleave.contract %x, %t over [D] : (tensor<?x3xf16, #S_D>, tensor<3x?xf16, #D_T>) -> tensor<?x?xf32, #S_T>
  return %y : tensor<?x?xf32, #S_T>
}

func.func @constants(%x: tensor<?x?xf32, #M_K>) -> (tensor<?xf32, #M>, tensor<f32, #s>, tensor<f32, #s>) {
  %c = cleave.constant 1.5 : tensor<?x?xf32, #K_M>
  %a = cleave.reduce_sum %c over [K] : (tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M>
  %n = cleave.extent K : tensor<f32, #s>
  %b = cleave.add %n, %n : (tensor<f32, #s>, tensor<f32, #s>) -> tensor<f32, #s>
  %m = cleave.reduce_max %c over [K, M] : (tensor<?x?xf32, #K_M>) -> tensor<f32, #s>
  return %a, %b, %m : tensor<?xf32, #M>, tensor<f32, #s>, tensor<f32, #s>
}

func.func @joined(%x: tensor<?x?xf16, #M_K>, %y: tensor<?xf16, #R>) -> tensor<?x?xf16, #M_N> {
  %n = cleave.concat %x, %y, %y along [K, R, R] as N
     : (tensor<?x?xf16, #M_K>, tensor<?xf16, #R>, tensor<?xf16, #R>) -> tensor<?x?xf16, #M_N>
  return %n : tensor<?x?xf16, #M_N>
}
