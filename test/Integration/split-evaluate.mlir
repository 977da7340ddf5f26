// Everything in parts, rounding as a device does, against the graph as it was
// written in f64: for numbers of parts that divide an axis, that do not, and
// that leave parts empty; for extents 0, 1 and primes; folds in tiles.
// RUN: cleave-opt %s --cleave-expand --cleave-form-folds --cleave-split-reductions -o %t.1.mlir
// RUN: FileCheck %s --input-file=%t.1.mlir
// RUN: sed 's/bound like 1/bound like 2/g' %t.1.mlir > %t.2.mlir
// RUN: sed 's/bound like 1/bound like 3/g' %t.1.mlir > %t.3.mlir
// RUN: sed 's/bound like 1/bound like 7/g' %t.1.mlir > %t.7.mlir
// RUN: sed 's/bound like 1/bound like 40/g' %t.1.mlir > %t.40.mlir

// DEFINE: %{entry} =
// DEFINE: %{bind} =
// DEFINE: %{run} = cleave-run %t.1.mlir --source %s --entry %{entry} --device=evaluator --check --bind %{bind} \
// DEFINE:   && cleave-run %t.2.mlir --source %s --entry %{entry} --device=evaluator --check --bind %{bind} \
// DEFINE:   && cleave-run %t.3.mlir --source %s --entry %{entry} --device=evaluator --check --bind %{bind} --fold-tile=2 \
// DEFINE:   && cleave-run %t.7.mlir --source %s --entry %{entry} --device=evaluator --check --bind %{bind} --fold-tile=1 --fold-parts=3 \
// DEFINE:   && cleave-run %t.40.mlir --source %s --entry %{entry} --device=evaluator --check --bind %{bind} --fold-tile=3

// REDEFINE: %{entry} = attention
// REDEFINE: %{bind} = 'S=5,T=11,D=8,E=3;S=1,T=1,D=1,E=1;S=2,T=0,D=3,E=2;S=3,T=32,D=0,E=2;S=1,T=2,D=7,E=5'
// RUN: %{run}
// REDEFINE: %{entry} = qk_norm_attention
// REDEFINE: %{bind} = 'S=5,T=11,D=8,E=3;S=1,T=1,D=1,E=1;S=3,T=32,D=5,E=2'
// RUN: %{run}
// REDEFINE: %{entry} = linears
// REDEFINE: %{bind} = 'M=3,K=31,N=5,R=2;M=1,K=1,N=1,R=1;M=2,K=8,N=3,R=0;M=1,K=7,N=7,R=7'
// RUN: %{run}
// REDEFINE: %{entry} = norms
// REDEFINE: %{bind} = 'M=3,K=31,N=5;M=1,K=2,N=1;M=2,K=8,N=3;M=1,K=7,N=7'
// RUN: %{run}
// REDEFINE: %{entry} = losses
// REDEFINE: %{bind} = 'M=3,K=5,V=31;M=1,K=1,V=1;M=2,K=8,V=2;M=3,K=0,V=7;M=3,K=2,V=0'
// RUN: %{run}

#S_D = #cleave.axes<S, D>
#T_D = #cleave.axes<T, D>
#T_E = #cleave.axes<T, E>
#S = #cleave.axes<S>
#T = #cleave.axes<T>
#E_S = #cleave.axes<E, S>
#S_T = #cleave.axes<S, T>
#M_K = #cleave.axes<M, K>
#K_M = #cleave.axes<K, M>
#K_N = #cleave.axes<K, N>
#K_R = #cleave.axes<K, R>
#K_V = #cleave.axes<K, V>
#R_N = #cleave.axes<R, N>
#M_N = #cleave.axes<M, N>
#M_R = #cleave.axes<M, R>
#M_V = #cleave.axes<M, V>
#K = #cleave.axes<K>
#M = #cleave.axes<M>
!c = tensor<f32, #cleave.axes<>>
!q = tensor<?x?xf16, #S_D>
!k = tensor<?x?xf16, #T_D>
!v = tensor<?x?xf16, #T_E>
!s = tensor<?xf32, #S>
!t = tensor<?xf32, #T>
!st = tensor<?x?xf32, #S_T>
!o = tensor<?x?xf32, #E_S>
!x = tensor<?x?xf16, #M_K>
!x32 = tensor<?x?xf32, #K_M>
!w = tensor<?x?xf16, #K_N>
!y = tensor<?x?xf32, #M_N>
!m = tensor<?xf32, #M>

// The scores in parts of D, one sweep over T in parts, and its merge.
// CHECK-LABEL: func.func @attention
// CHECK: cleave.contract {{.*}} over [D.i]
// CHECK: cleave.reduce_sum {{.*}} over [D.s]
// CHECK: cleave.fold over [T.i]
// CHECK-COUNT-1: cleave.fold over [T.s]
// CHECK-NOT: T.s1
func.func @attention(%q: !q, %k: !k, %v: !v) -> (!o, !s) {
  %s = cleave.contract %q, %k over [D] : (!q, !k) -> !st
  %p = cleave.softmax %s over [T] : (!st) -> !st
  %o = cleave.contract %p, %v over [T] : (!st, !v) -> !o
  %l = cleave.logsumexp %s over [T] : (!st) -> !s
  return %o, %l : !o, !s
}

// CHECK-LABEL: func.func @qk_norm_attention
// CHECK: cleave.fold over [T.i]
// CHECK: cleave.fold over [T.s]
func.func @qk_norm_attention(%q: !q, %k: !k, %v: !v) -> !o {
  %qq = cleave.mul %q, %q : (!q, !q) -> tensor<?x?xf32, #cleave.axes<D, S>>
  %kk = cleave.mul %k, %k : (!k, !k) -> tensor<?x?xf32, #cleave.axes<D, T>>
  %eps = cleave.constant 1.0e-3 : !c
  %a = cleave.reduce_sum %qq over [D] : (tensor<?x?xf32, #cleave.axes<D, S>>) -> !s
  %b = cleave.reduce_sum %kk over [D] : (tensor<?x?xf32, #cleave.axes<D, T>>) -> !t
  %ae = cleave.add %a, %eps : (!s, !c) -> !s
  %be = cleave.add %b, %eps : (!t, !c) -> !t
  %ra = cleave.rsqrt %ae : (!s) -> !s
  %rb = cleave.rsqrt %be : (!t) -> !t
  %d = cleave.contract %q, %k over [D] : (!q, !k) -> !st
  %s = cleave.mul %d, %ra, %rb : (!st, !s, !t) -> !st
  %p = cleave.softmax %s over [T] : (!st) -> !st
  %o = cleave.contract %p, %v over [T] : (!st, !v) -> !o
  return %o : !o
}

// A gated MLP over one read of x, LoRA, and RMSNorm in front of a matrix.
// CHECK-LABEL: func.func @linears
// CHECK-NOT: over [K]
func.func @linears(%x: !x, %w: !w, %u: !w, %a: tensor<?x?xf16, #K_R>, %b: tensor<?x?xf16, #R_N>) -> (!y, !y, !y) {
  %0 = cleave.contract %x, %w over [K] : (!x, !w) -> !y
  %1 = cleave.contract %x, %u over [K] : (!x, !w) -> !y
  %2 = cleave.silu %0 : (!y) -> !y
  %3 = cleave.mul %2, %1 : (!y, !y) -> !y
  %4 = cleave.contract %x, %a over [K] : (!x, tensor<?x?xf16, #K_R>) -> tensor<?x?xf32, #M_R>
  %5 = cleave.contract %4, %b over [R] {operand_type = f32} : (tensor<?x?xf32, #M_R>, tensor<?x?xf16, #R_N>) -> !y
  %6 = cleave.add %0, %5 : (!y, !y) -> !y
  %7 = cleave.rms_norm %x over [K] eps 1.0e-3 : (!x) -> !x32
  %8 = cleave.contract %7, %w over [K] : (!x32, !w) -> !y
  return %3, %6, %8 : !y, !y, !y
}

// LayerNorm alone and in front of a matrix: the running mean needs a count of
// the positions in each part.
// CHECK-LABEL: func.func @norms
// CHECK: cleave.fold over [K.i]
// CHECK: cleave.constant 1.0{{0*}}e+00 : tensor<?x?xf32, #
// CHECK: cleave.fold over [K.s]
func.func @norms(%x: !x {cleave.range = 100.0 : f32}, %g: tensor<?xf16, #K> {cleave.range = 8.0 : f32},
                 %w: !w {cleave.range = 100.0 : f32}) -> (!x32, !y) {
  %n = cleave.layer_norm %x, %g over [K] eps 1.0e-3 : (!x, tensor<?xf16, #K>) -> !x32
  %y = cleave.contract %n, %w over [K] : (!x32, !w) -> !y
  return %n, %y : !x32, !y
}

// Linear + logsumexp, and what a cross-entropy needs beside it, in one sweep
// over the vocabulary.
// CHECK-LABEL: func.func @losses
// CHECK: cleave.fold over [V.i]
// CHECK: cleave.fold over [V.s]
// CHECK-NOT: V.s1
func.func @losses(%x: !x, %w: tensor<?x?xf16, #K_V>, %target: tensor<?x?xf16, #M_V>) -> (!m, !m) {
  %z = cleave.contract %x, %w over [K] : (!x, tensor<?x?xf16, #K_V>) -> tensor<?x?xf32, #M_V>
  %l = cleave.logsumexp %z over [V] : (tensor<?x?xf32, #M_V>) -> !m
  %h = cleave.mul %z, %target : (tensor<?x?xf32, #M_V>, tensor<?x?xf16, #M_V>) -> tensor<?x?xf32, #M_V>
  %c = cleave.reduce_sum %h over [V] : (tensor<?x?xf32, #M_V>) -> !m
  return %l, %c : !m, !m
}
