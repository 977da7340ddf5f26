// Scheduled loops against the evaluator, compiled for the CPU: extents that are
// 0, 1, prime and no multiple of a tile; other storage orders; batches; nested,
// dependent and shared reductions; an axis that is both reduced and in a result.

// RUN: cleave-run %s --entry=linear --bind M=1,K=37,N=5 --check | FileCheck %s
// RUN: cleave-run %s --entry=linear --bind M=17,K=0,N=19 --check | FileCheck %s
// RUN: cleave-run %s --entry=linear --bind M=0,K=3,N=3 --check | FileCheck %s
// RUN: cleave-run %s --entry=linear --bind M=65,K=129,N=33 --check | FileCheck %s
// RUN: cleave-run %s --entry=batched --bind B=3,M=5,K=7,N=9 --check | FileCheck %s
// RUN: cleave-run %s --entry=batched --bind B=2,M=17,K=0,N=1 --check | FileCheck %s
// RUN: cleave-run %s --entry=softmax --bind M=3,N=1 --check | FileCheck %s
// RUN: cleave-run %s --entry=softmax --bind M=5,N=1031 --check | FileCheck %s
// RUN: cleave-run %s --entry=softmax --bind M=1,N=0 --check | FileCheck %s
// RUN: cleave-run %s --entry=softmax_static --bind M=3 --check | FileCheck %s
// RUN: cleave-run %s --entry=softmax_static --bind M=0 --check | FileCheck %s
// RUN: cleave-run %s --entry=rms --bind M=3,K=1 --check | FileCheck %s
// RUN: cleave-run %s --entry=rms --bind M=5,K=1031 --check | FileCheck %s
// RUN: cleave-run %s --entry=rms --bind M=1,K=0 --check | FileCheck %s
// RUN: cleave-run %s --entry=l2_linear --bind M=1,K=37,N=5 --check | FileCheck %s
// RUN: cleave-run %s --entry=l2_linear --bind M=17,K=0,N=19 --check | FileCheck %s
// RUN: cleave-run %s --entry=l2_linear --bind M=7,K=257,N=33 --check | FileCheck %s
// RUN: cleave-run %s --entry=attention --bind S=1,T=1 --check | FileCheck %s
// RUN: cleave-run %s --entry=attention --bind S=17,T=67 --check | FileCheck %s
// RUN: cleave-run %s --entry=attention --bind S=3,T=0 --check | FileCheck %s
// RUN: cleave-run %s --entry=attention --bind S=0,T=5 --check | FileCheck %s
// RUN: cleave-run %s --entry=total --bind M=3,K=5 --check | FileCheck %s
// RUN: cleave-run %s --entry=total --bind M=1,K=0 --check | FileCheck %s
// RUN: cleave-run %s --entry=total --bind M=0,K=4 --check | FileCheck %s
// RUN: cleave-run %s --entry=total --bind M=67,K=31 --check | FileCheck %s
// RUN: cleave-run %s --entry=gram --bind M=33,K=67,N=33 --check | FileCheck %s
// RUN: cleave-run %s --entry=chain --bind M=3,K=5,L=7 --check | FileCheck %s
// RUN: cleave-run %s --entry=chain --bind M=17,K=33,L=65 --check | FileCheck %s
// RUN: cleave-run %s --entry=chain --bind M=1,K=0,L=3 --check | FileCheck %s
// RUN: cleave-run %s --entry=pointwise --bind K=1 --check | FileCheck %s
// RUN: cleave-run %s --entry=pointwise --bind K=37 --check | FileCheck %s
// RUN: cleave-run %s --entry=pointwise --bind K=0 --check | FileCheck %s
// RUN: cleave-run %s --entry=fold --bind S=1,T=1,D=3,E=1 --check | FileCheck %s
// RUN: cleave-run %s --entry=fold --bind S=17,T=67,D=32,E=24 --check | FileCheck %s
// RUN: cleave-run %s --entry=fold --bind S=3,T=0,D=1,E=2 --check | FileCheck %s
// RUN: cleave-run %s --entry=fold --bind S=5,T=9,D=0,E=9 --check | FileCheck %s

// CHECK: ok

#scalar = #cleave.axes<>
#K = #cleave.axes<K>
#M = #cleave.axes<M>
#K_M = #cleave.axes<K, M>
#M_K = #cleave.axes<M, K>
#K_N = #cleave.axes<K, N>
#N_K = #cleave.axes<N, K>
#M_N = #cleave.axes<M, N>
#N_M = #cleave.axes<N, M>
#B_K_M = #cleave.axes<B, K, M>
#B_M_K = #cleave.axes<B, M, K>
#B_K_N = #cleave.axes<B, K, N>
#B_M_N = #cleave.axes<B, M, N>
#M_B_N = #cleave.axes<M, B, N>
#S_D = #cleave.axes<S, D>
#T_D = #cleave.axes<T, D>
#T_E = #cleave.axes<T, E>
#S_T = #cleave.axes<S, T>
#S_E = #cleave.axes<S, E>
#E_S = #cleave.axes<E, S>
#L = #cleave.axes<L>
#K_L = #cleave.axes<K, L>
#S = #cleave.axes<S>

func.func @linear(%x: tensor<?x?xf16, #M_K>, %w: tensor<?x?xf16, #N_K>) -> tensor<?x?xf32, #N_M> {
  %y = cleave.contract %x, %w over [K] : (tensor<?x?xf16, #M_K>, tensor<?x?xf16, #N_K>) -> tensor<?x?xf32, #M_N>
  %r = cleave.relayout %y : tensor<?x?xf32, #M_N> to tensor<?x?xf32, #N_M>
  return %r : tensor<?x?xf32, #N_M>
}
func.func @batched(%x: tensor<?x?x?xf16, #B_M_K>, %w: tensor<?x?x?xf16, #B_K_N>) -> tensor<?x?x?xf16, #M_B_N> {
  %y = cleave.contract %x, %w over [K] : (tensor<?x?x?xf16, #B_M_K>, tensor<?x?x?xf16, #B_K_N>) -> tensor<?x?x?xf32, #B_M_N>
  %c = cleave.cast %y : tensor<?x?x?xf32, #B_M_N> to tensor<?x?x?xf16, #B_M_N>
  %r = cleave.relayout %c : tensor<?x?x?xf16, #B_M_N> to tensor<?x?x?xf16, #M_B_N>
  return %r : tensor<?x?x?xf16, #M_B_N>
}
func.func @softmax(%x: tensor<?x?xf16, #M_N>) -> tensor<?x?xf16, #M_N> {
  %y = cleave.softmax %x over [N] : (tensor<?x?xf16, #M_N>) -> tensor<?x?xf32, #M_N>
  %c = cleave.cast %y : tensor<?x?xf32, #M_N> to tensor<?x?xf16, #M_N>
  return %c : tensor<?x?xf16, #M_N>
}
func.func @softmax_static(%x: tensor<?x100xf16, #M_N>) -> tensor<?x100xf16, #M_N> {
  %y = cleave.softmax %x over [N] : (tensor<?x100xf16, #M_N>) -> tensor<?x100xf32, #M_N>
  %c = cleave.cast %y : tensor<?x100xf32, #M_N> to tensor<?x100xf16, #M_N>
  return %c : tensor<?x100xf16, #M_N>
}
func.func @rms(%x: tensor<?x?xf16, #M_K>, %g: tensor<?xf32, #K>) -> tensor<?x?xf16, #K_M> {
  %y = cleave.rms_norm %x, %g over [K] eps 1.0e-5 : (tensor<?x?xf16, #M_K>, tensor<?xf32, #K>) -> tensor<?x?xf32, #K_M>
  %c = cleave.cast %y : tensor<?x?xf32, #K_M> to tensor<?x?xf16, #K_M>
  return %c : tensor<?x?xf16, #K_M>
}
func.func @l2_linear(%x: tensor<?x?xf16, #M_K> {cleave.range = 300.0 : f32}, %w: tensor<?x?xf16, #K_N>) -> tensor<?x?xf16, #M_N> {
  %xx = cleave.mul %x, %x : (tensor<?x?xf16, #M_K>, tensor<?x?xf16, #M_K>) -> tensor<?x?xf32, #K_M>
  %s = cleave.reduce_sum %xx over [K] : (tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M>
  %e = cleave.constant 1.0e-6 : tensor<f32, #scalar>
  %b = cleave.add %s, %e : (tensor<?xf32, #M>, tensor<f32, #scalar>) -> tensor<?xf32, #M>
  %q = cleave.rsqrt %b : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %n = cleave.mul %x, %q : (tensor<?x?xf16, #M_K>, tensor<?xf32, #M>) -> tensor<?x?xf32, #K_M>
  %y = cleave.contract %n, %w over [K] : (tensor<?x?xf32, #K_M>, tensor<?x?xf16, #K_N>) -> tensor<?x?xf32, #M_N>
  %h = cleave.cast %y : tensor<?x?xf32, #M_N> to tensor<?x?xf16, #M_N>
  return %h : tensor<?x?xf16, #M_N>
}
func.func @attention(%q: tensor<?x32xf16, #S_D>, %k: tensor<?x32xf16, #T_D>, %v: tensor<?x24xf16, #T_E>) -> tensor<?x24xf16, #S_E> {
  %s = cleave.contract %q, %k over [D] : (tensor<?x32xf16, #S_D>, tensor<?x32xf16, #T_D>) -> tensor<?x?xf32, #S_T>
  %c = cleave.constant 0.17677669 : tensor<f32, #scalar>
  %z = cleave.mul %s, %c : (tensor<?x?xf32, #S_T>, tensor<f32, #scalar>) -> tensor<?x?xf32, #S_T>
  %p = cleave.softmax %z over [T] : (tensor<?x?xf32, #S_T>) -> tensor<?x?xf32, #S_T>
  %o = cleave.contract %p, %v over [T] : (tensor<?x?xf32, #S_T>, tensor<?x24xf16, #T_E>) -> tensor<24x?xf32, #E_S>
  %h = cleave.cast %o : tensor<24x?xf32, #E_S> to tensor<24x?xf16, #E_S>
  %r = cleave.relayout %h : tensor<24x?xf16, #E_S> to tensor<?x24xf16, #S_E>
  return %r : tensor<?x24xf16, #S_E>
}
func.func @total(%x: tensor<?x?xf32, #M_K>, %y: tensor<?xf32, #M>) -> (tensor<f32, #scalar>, tensor<?xf32, #M>) {
  %s = cleave.reduce_sum %x over [K, M] : (tensor<?x?xf32, #M_K>) -> tensor<f32, #scalar>
  %m = cleave.reduce_max %x over [K] : (tensor<?x?xf32, #M_K>) -> tensor<?xf32, #M>
  %n = cleave.extent K : tensor<f32, #scalar>
  %a = cleave.mul %m, %y, %n, %s : (tensor<?xf32, #M>, tensor<?xf32, #M>, tensor<f32, #scalar>, tensor<f32, #scalar>) -> tensor<?xf32, #M>
  return %s, %a : tensor<f32, #scalar>, tensor<?xf32, #M>
}
func.func @gram(%x: tensor<?x?xf16, #M_K>) -> tensor<?x?xf32, #M_N> {
  %r = cleave.rename %x [M] to [N] : (tensor<?x?xf16, #M_K>) -> tensor<?x?xf16, #K_N>
  %y = cleave.contract %x, %r over [K] : (tensor<?x?xf16, #M_K>, tensor<?x?xf16, #K_N>) -> tensor<?x?xf32, #M_N>
  return %y : tensor<?x?xf32, #M_N>
}
func.func @chain(%x: tensor<?x?xf16, #M_K>, %w: tensor<?x?xf16, #K_L>, %b: tensor<?xf32, #L>) -> tensor<?x?xf32, #M_K> {
  // MLP back to K, with an activation: K is in the result and reduced.
  %h = cleave.contract %x, %w over [K] : (tensor<?x?xf16, #M_K>, tensor<?x?xf16, #K_L>) -> tensor<?x?xf32, #cleave.axes<L, M>>
  %t = cleave.add %h, %b : (tensor<?x?xf32, #cleave.axes<L, M>>, tensor<?xf32, #L>) -> tensor<?x?xf32, #cleave.axes<L, M>>
  %a = cleave.silu %t : (tensor<?x?xf32, #cleave.axes<L, M>>) -> tensor<?x?xf32, #cleave.axes<L, M>>
  %y = cleave.contract %a, %w over [L] : (tensor<?x?xf32, #cleave.axes<L, M>>, tensor<?x?xf16, #K_L>) -> tensor<?x?xf32, #K_M>
  %r = cleave.relayout %y : tensor<?x?xf32, #K_M> to tensor<?x?xf32, #M_K>
  return %r : tensor<?x?xf32, #M_K>
}

!s = tensor<?xf32, #S>
!z = tensor<?x?xf32, #S_T>
!v = tensor<?x?xf16, #T_E>
!o = tensor<?x?xf32, #E_S>
func.func @fold(%q: tensor<?x?xf16, #S_D>, %k: tensor<?x?xf16, #T_D>, %v: !v) -> tensor<?x?xf32, #S_E> attributes {cleave.schedule = #cleave.schedule<region = 0, grid = [S: 4, E: 8], loop = [T: 8, D: 16], warps = 4, stages = 1>} {
  %z = cleave.contract %q, %k over [D] : (tensor<?x?xf16, #S_D>, tensor<?x?xf16, #T_D>) -> !z
  %m, %l, %o = cleave.fold over [T] ins(%z, %v : !z, !v)
    reduce_max body {
    ^bb0(%a: !z, %b: !v):
      cleave.yield %a : !z
    } rebase {
    }
    reduce_sum body {
    ^bb0(%a: !z, %b: !v, %m: !s):
      %fin = cleave.is_finite %m : (!s) -> tensor<?xi1, #S>
      %zero = cleave.constant 0.0 : tensor<f32, #scalar>
      %sh = cleave.select %fin, %m, %zero : (tensor<?xi1, #S>, !s, tensor<f32, #scalar>) -> !s
      %d = cleave.sub %a, %sh : (!z, !s) -> !z
      %p = cleave.exp %d : (!z) -> !z
      cleave.yield %p : !z
    } rebase {
    ^bb0(%m0: !s, %l: !s, %m1: !s):
      %zero = cleave.constant 0.0 : tensor<f32, #scalar>
      %f0 = cleave.is_finite %m0 : (!s) -> tensor<?xi1, #S>
      %s0 = cleave.select %f0, %m0, %zero : (tensor<?xi1, #S>, !s, tensor<f32, #scalar>) -> !s
      %f1 = cleave.is_finite %m1 : (!s) -> tensor<?xi1, #S>
      %s1 = cleave.select %f1, %m1, %zero : (tensor<?xi1, #S>, !s, tensor<f32, #scalar>) -> !s
      %d = cleave.sub %s0, %s1 : (!s, !s) -> !s
      %c = cleave.min %d, %zero : (!s, tensor<f32, #scalar>) -> !s
      %f = cleave.exp %c : (!s) -> !s
      %r = cleave.mul %l, %f : (!s, !s) -> !s
      cleave.yield %r : !s
    }
    contract body {
    ^bb0(%a: !z, %b: !v, %m: !s, %l: !s):
      %fin = cleave.is_finite %m : (!s) -> tensor<?xi1, #S>
      %zero = cleave.constant 0.0 : tensor<f32, #scalar>
      %sh = cleave.select %fin, %m, %zero : (tensor<?xi1, #S>, !s, tensor<f32, #scalar>) -> !s
      %d = cleave.sub %a, %sh : (!z, !s) -> !z
      %p = cleave.exp %d : (!z) -> !z
      cleave.yield %p, %b : !z, !v
    } rebase {
    ^bb0(%m0: !s, %l0: !s, %o: !o, %m1: !s, %l1: !s):
      %zero = cleave.constant 0.0 : tensor<f32, #scalar>
      %f0 = cleave.is_finite %m0 : (!s) -> tensor<?xi1, #S>
      %s0 = cleave.select %f0, %m0, %zero : (tensor<?xi1, #S>, !s, tensor<f32, #scalar>) -> !s
      %f1 = cleave.is_finite %m1 : (!s) -> tensor<?xi1, #S>
      %s1 = cleave.select %f1, %m1, %zero : (tensor<?xi1, #S>, !s, tensor<f32, #scalar>) -> !s
      %d = cleave.sub %s0, %s1 : (!s, !s) -> !s
      %c = cleave.min %d, %zero : (!s, tensor<f32, #scalar>) -> !s
      %f = cleave.exp %c : (!s) -> !s
      %r = cleave.mul %o, %f : (!o, !s) -> !o
      cleave.yield %r : !o
    } -> (!s, !s, !o)
  %i = cleave.recip0 %l : (!s) -> !s
  %r = cleave.mul %o, %i : (!o, !s) -> !o
  %y = cleave.relayout %r : !o to tensor<?x?xf32, #S_E>
  return %y : tensor<?x?xf32, #S_E>
}

// Every pointwise operation; x includes negative numbers and 0 / 0.
func.func @pointwise(%x: tensor<?xf16, #K>, %y: tensor<?xbf16, #K>, %z: tensor<?xf64, #K>, %i: tensor<?xi32, #K>)
    -> (tensor<?xf32, #K>, tensor<?xf64, #K>, tensor<?xbf16, #K>) {
  %zero = cleave.sub %x, %x : (tensor<?xf16, #K>, tensor<?xf16, #K>) -> tensor<?xf32, #K>
  %r0 = cleave.recip0 %zero : (tensor<?xf32, #K>) -> tensor<?xf32, #K>
  %a = cleave.add %x, %y, %r0 : (tensor<?xf16, #K>, tensor<?xbf16, #K>, tensor<?xf32, #K>) -> tensor<?xf32, #K>
  %m = cleave.max %a, %y : (tensor<?xf32, #K>, tensor<?xbf16, #K>) -> tensor<?xf32, #K>
  %n = cleave.min %a, %m, %x : (tensor<?xf32, #K>, tensor<?xf32, #K>, tensor<?xf16, #K>) -> tensor<?xf32, #K>
  %s = cleave.sigmoid %n : (tensor<?xf32, #K>) -> tensor<?xf32, #K>
  %e = cleave.exp %s : (tensor<?xf32, #K>) -> tensor<?xf32, #K>
  %q = cleave.sqrt %e : (tensor<?xf32, #K>) -> tensor<?xf32, #K>
  %rq = cleave.rsqrt %q : (tensor<?xf32, #K>) -> tensor<?xf32, #K>
  %g = cleave.neg %rq : (tensor<?xf32, #K>) -> tensor<?xf32, #K>
  %d = cleave.div %g, %e : (tensor<?xf32, #K>, tensor<?xf32, #K>) -> tensor<?xf32, #K>
  %r = cleave.recip %d : (tensor<?xf32, #K>) -> tensor<?xf32, #K>
  %p = cleave.pow %e, %r : (tensor<?xf32, #K>, tensor<?xf32, #K>) -> tensor<?xf32, #K>
  %c = cleave.cmp lt %x, %y : (tensor<?xf16, #K>, tensor<?xbf16, #K>) -> tensor<?xi1, #K>
  %f = cleave.is_finite %p : (tensor<?xf32, #K>) -> tensor<?xi1, #K>
  %t = cleave.select %c, %p, %n : (tensor<?xi1, #K>, tensor<?xf32, #K>, tensor<?xf32, #K>) -> tensor<?xf32, #K>
  %u = cleave.select %f, %t, %x : (tensor<?xi1, #K>, tensor<?xf32, #K>, tensor<?xf16, #K>) -> tensor<?xf32, #K>
  %v = cleave.cast %i : tensor<?xi32, #K> to tensor<?xf32, #K>
  %w = cleave.mul %u, %z, %v : (tensor<?xf32, #K>, tensor<?xf64, #K>, tensor<?xf32, #K>) -> tensor<?xf64, #K>
  %b = cleave.cast %u : tensor<?xf32, #K> to tensor<?xbf16, #K>
  return %u, %w, %b : tensor<?xf32, #K>, tensor<?xf64, #K>, tensor<?xbf16, #K>
}
