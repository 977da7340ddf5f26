// Positions as values, and values as positions: as plain linalg, and scheduled.

// RUN: cleave-opt %s --convert-cleave-to-linalg -o %t.plain.mlir
// RUN: cleave-opt %s --cleave-to-loops=no-algebra -o %t.loops.mlir
// RUN: cleave-run %t.plain.mlir --source %s --entry=causal --bind 'S=5,T=7;S=7,T=3;S=1,T=1;S=0,T=3;S=2,T=0' --check | FileCheck %s --check-prefix=CAUSAL
// RUN: cleave-run %t.loops.mlir --source %s --entry=causal --bind 'S=5,T=7;S=7,T=3;S=1,T=1;S=0,T=3;S=2,T=0' --check | FileCheck %s --check-prefix=CAUSAL
// CAUSAL-COUNT-5: result0[{{.*}} L2 {{.*}}: ok
// RUN: cleave-run %t.plain.mlir --source %s --entry=pieces --bind 'M=3;M=1;M=0' --check | FileCheck %s --check-prefix=PIECES
// RUN: cleave-run %t.loops.mlir --source %s --entry=pieces --bind 'M=3;M=1;M=0' --check | FileCheck %s --check-prefix=PIECES
// PIECES-COUNT-6: result{{[01]}}[{{.*}} L2 0.00e+00{{.*}}: ok

// RUN: %python %S/Inputs/npy.py %t.i.npy i4 5 2 -1 0 3 1
// RUN: cleave-run %t.plain.mlir --source %s --entry=labels --input I=%t.i.npy --bind V=3 --check | FileCheck %s --check-prefix=LABELS
// RUN: cleave-run %t.loops.mlir --source %s --entry=labels --input I=%t.i.npy --bind V=3 --check | FileCheck %s --check-prefix=LABELS
// RUN: cleave-run %t.plain.mlir --source %s --entry=labels --input I=%t.i.npy --bind V=0 --check | FileCheck %s --check-prefix=LABELS
// RUN: cleave-run %t.loops.mlir --source %s --entry=labels --input I=%t.i.npy --bind V=0 --check | FileCheck %s --check-prefix=LABELS
// LABELS: result0{{.*}} L2 {{.*}}: ok
// RUN: %python %S/Inputs/npy.py %t.p.npy i4 4 2 -1 4 7
// RUN: cleave-run %t.plain.mlir --source %s --entry=cache --input P=%t.p.npy --bind 'S=2,T=5,D=3' --check | FileCheck %s --check-prefix=CACHE
// RUN: cleave-run %t.loops.mlir --source %s --entry=cache --input P=%t.p.npy --bind 'S=2,T=5,D=3' --check | FileCheck %s --check-prefix=CACHE
// RUN: cleave-run %t.plain.mlir --source %s --entry=cache --input P=%t.p.npy --bind 'S=0,T=5,D=3' --check | FileCheck %s --check-prefix=CACHE
// RUN: cleave-run %t.loops.mlir --source %s --entry=cache --input P=%t.p.npy --bind 'S=0,T=5,D=3' --check | FileCheck %s --check-prefix=CACHE
// CACHE: result0{{.*}} L2 {{.*}}: ok
// RUN: cleave-run %t.plain.mlir --source %s --entry=functions --bind 'M=3,K=7;M=1,K=0' --check | FileCheck %s --check-prefix=FUNCTIONS
// RUN: cleave-run %t.loops.mlir --source %s --entry=functions --bind 'M=3,K=7;M=1,K=0' --check | FileCheck %s --check-prefix=FUNCTIONS
// FUNCTIONS-COUNT-6: result{{[0-2]}}[{{.*}} L2 {{.*}}: ok

#S = #cleave.axes<S>
#T = #cleave.axes<T>
#S_T = #cleave.axes<S, T>
#M_J = #cleave.axes<M, J>
#L_M = #cleave.axes<L, M>
#M = #cleave.axes<M>
#M_K = #cleave.axes<M, K>
#K_M = #cleave.axes<K, M>
#M_V = #cleave.axes<M, V>
#B = #cleave.axes<B>
#B_S_D = #cleave.axes<B, S, D>
#B_T_D = #cleave.axes<B, T, D>
#B_D_T = #cleave.axes<B, D, T>
#s = #cleave.axes<>
!s = tensor<f32, #s>

func.func @causal(%x: tensor<?x?xf32, #S_T>) -> tensor<?x?xf32, #S_T> {
  %low = cleave.constant 0xFFF0000000000000 : !s
  %ns = cleave.extent S : !s
  %nt = cleave.extent T : !s
  %s = cleave.iota S : tensor<?xf32, #S>
  %t = cleave.iota T : tensor<?xf32, #T>
  %d = cleave.sub %nt, %ns : (!s, !s) -> !s
  %e = cleave.add %s, %d : (tensor<?xf32, #S>, !s) -> tensor<?xf32, #S>
  %m = cleave.cmp le %t, %e : (tensor<?xf32, #T>, tensor<?xf32, #S>) -> tensor<?x?xi1, #S_T>
  %z = cleave.select %m, %x, %low : (tensor<?x?xi1, #S_T>, tensor<?x?xf32, #S_T>, !s) -> tensor<?x?xf32, #S_T>
  %p = cleave.softmax %z over [T] : (tensor<?x?xf32, #S_T>) -> tensor<?x?xf32, #S_T>
  return %p : tensor<?x?xf32, #S_T>
}

func.func @pieces(%x: tensor<?x7xf16, #M_J>) -> (tensor<2x?xf16, #L_M>, tensor<?xf16, #M>) {
  %a = cleave.slice %x J at 3 as L : tensor<?x7xf16, #M_J> to tensor<2x?xf16, #L_M>
  %b = cleave.slice %x J at 6 : tensor<?x7xf16, #M_J> to tensor<?xf16, #M>
  return %a, %b : tensor<2x?xf16, #L_M>, tensor<?xf16, #M>
}

func.func @labels(%x: tensor<?x?xf32, #M_V>, %i: tensor<?xi32, #M> {cleave.name = "I"}) -> tensor<?xf32, #M> {
  %y = cleave.gather %x V at %i : (tensor<?x?xf32, #M_V>, tensor<?xi32, #M>) -> tensor<?xf32, #M>
  return %y : tensor<?xf32, #M>
}

func.func @cache(%k: tensor<?x?x?xf16, #B_S_D>, %c: tensor<?x?x?xf16, #B_T_D>, %p: tensor<?xi32, #B> {cleave.name = "P"}) -> tensor<?x?x?xf16, #B_D_T> {
  %n = cleave.insert %k S into %c T at %p : (tensor<?x?x?xf16, #B_S_D>, tensor<?x?x?xf16, #B_T_D>, tensor<?xi32, #B>) -> tensor<?x?x?xf16, #B_D_T>
  return %n : tensor<?x?x?xf16, #B_D_T>
}

func.func @functions(%x: tensor<?x?xf32, #M_K>) -> (tensor<?x?xf32, #K_M>, tensor<?xf32, #M>, tensor<?xf32, #M>) {
  %a = cleave.abs %x : (tensor<?x?xf32, #M_K>) -> tensor<?x?xf32, #K_M>
  %b = cleave.exp2 %a : (tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  %c = cleave.log %b : (tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  %d = cleave.tanh %c : (tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  %e = cleave.erf %d : (tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  %f = cleave.reduce_min %e over [K] : (tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M>
  %g = cleave.reduce_prod %e over [K] : (tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M>
  return %e, %f, %g : tensor<?x?xf32, #K_M>, tensor<?xf32, #M>, tensor<?xf32, #M>
}
