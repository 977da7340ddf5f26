// Small inputs for faults that users of comparable attention kernels reported, on
// the evaluator and compiled for the CPU. The right answers follow from the formulas; a row without keys
// gives 0, and -inf as its logarithm of the sum.

// RUN: rm -rf %t && mkdir %t
// RUN: python3 %S/Inputs/npy.py %t/seven.npy f4 1,1 7
// RUN: python3 %S/Inputs/npy.py %t/one.npy f4 1,1 1

// flashinfer#4452: more queries than keys, aligned at the bottom right.
// RUN: python3 %S/Inputs/npy.py %t/q3.npy f4 3,1 0
// RUN: cleave-run %s --entry=causal --device=evaluator --input Q=%t/q3.npy --input K=%t/one.npy --input V=%t/seven.npy --print | FileCheck %s --check-prefix=CAUSAL
// RUN: cleave-run %s --entry=causal --input Q=%t/q3.npy --input K=%t/one.npy --input V=%t/seven.npy --print | FileCheck %s --check-prefix=CAUSAL
// CAUSAL: O: 3x1xf32 = 0 0 7
// CAUSAL-NEXT: L2: 3xf32 = -inf -inf 0

// flashinfer PR 440, flash-attention PR 978: a query without keys.
// RUN: python3 %S/Inputs/npy.py %t/none.npy f4 0,1 0
// RUN: cleave-run %s --entry=causal --device=evaluator --input Q=%t/q3.npy --input K=%t/none.npy --input V=%t/none.npy --print | FileCheck %s --check-prefix=NOKEYS
// RUN: cleave-run %s --entry=causal --input Q=%t/q3.npy --input K=%t/none.npy --input V=%t/none.npy --print | FileCheck %s --check-prefix=NOKEYS
// NOKEYS: O: 3x1xf32 = 0 0 0
// NOKEYS-NEXT: L2: 3xf32 = -inf -inf -inf

// flash-attention#28, pytorch#133321: a head dimension that is no power of two.
// RUN: python3 %S/Inputs/npy.py %t/q63.npy f4 1,63 1
// RUN: python3 %S/Inputs/npy.py %t/k63.npy f4 2,63 1
// RUN: python3 %S/Inputs/npy.py %t/v01.npy f4 2,1 0 1
// RUN: cleave-run %s --entry=causal --device=evaluator --input Q=%t/q63.npy --input K=%t/k63.npy --input V=%t/v01.npy --print | FileCheck %s --check-prefix=HEAD
// RUN: cleave-run %s --entry=causal --input Q=%t/q63.npy --input K=%t/k63.npy --input V=%t/v01.npy --print | FileCheck %s --check-prefix=HEAD
// HEAD: O: 1x1xf32 = 0.5
// HEAD-NEXT: L2: 1xf32 = 91.8898

// tilelang#1213: 80 and 96 as well.
// RUN: python3 %S/Inputs/npy.py %t/q96.npy f4 1,96 1
// RUN: python3 %S/Inputs/npy.py %t/k96.npy f4 2,96 1
// RUN: cleave-run %s --entry=causal --input Q=%t/q96.npy --input K=%t/k96.npy --input V=%t/v01.npy --print | FileCheck %s --check-prefix=HEAD96
// HEAD96: O: 1x1xf32 = 0.5
// HEAD96-NEXT: L2: 1xf32 = 139.49{{[89]}}
// RUN: cleave-run %s --entry=causal --bind S=3,T=5,D=80,E=80 --check

// triton-lang/kernels#6: one query, 20 keys.
// RUN: cleave-run %examples/attention_prefill.mlir --bind B=4,S=1,T=20 --check

// FlagGems#5896, pytorch PR 187506: the values lie in memory as columns.
// RUN: python3 %S/Inputs/npy.py %t/columns.npy f4 3,2 1 5 2 6 3 7
// RUN: python3 %S/Inputs/npy.py %t/zeros.npy f4 1,2 0
// RUN: cleave-run %s --entry=columns --input Z=%t/zeros.npy --input V=%t/columns.npy --print | FileCheck %s --check-prefix=COLUMNS
// COLUMNS: O: 1x3xf32 = 3 4 5

// flashinfer#4267: scores below what some take for minus infinity.
// RUN: python3 %S/Inputs/npy.py %t/low.npy f4 1,2 -60000 -60001
// RUN: python3 %S/Inputs/npy.py %t/v13.npy f4 2,1 1 3
// RUN: cleave-run %s --entry=scores --device=evaluator --input Z=%t/low.npy --input V=%t/v13.npy --print | FileCheck %s --check-prefix=LOW
// RUN: cleave-run %s --entry=scores --input Z=%t/low.npy --input V=%t/v13.npy --print | FileCheck %s --check-prefix=LOW
// LOW: O: 1x1xf32 = 1.53788
// LOW: L2: 1xf32 = -86561.{{[23]}}
// RUN: python3 %S/Inputs/npy.py %t/onekey.npy f4 1,1 -46340.9
// RUN: cleave-run %s --entry=scores --device=evaluator --input Z=%t/onekey.npy --input V=%t/one.npy --print | FileCheck %s --check-prefix=ONEKEY
// RUN: cleave-run %s --entry=scores --input Z=%t/onekey.npy --input V=%t/one.npy --print | FileCheck %s --check-prefix=ONEKEY
// ONEKEY: O: 1x1xf32 = 1
// ONEKEY: L2: 1xf32 = -66855.8

// tilelang#1213, jax#27224: no padded key enters the sum.
// RUN: python3 %S/Inputs/npy.py %t/five.npy f4 1,3 -5
// RUN: python3 %S/Inputs/npy.py %t/v111.npy f4 3,1 1
// RUN: cleave-run %s --entry=scores --device=evaluator --input Z=%t/five.npy --input V=%t/v111.npy --print | FileCheck %s --check-prefix=TAIL
// RUN: cleave-run %s --entry=scores --input Z=%t/five.npy --input V=%t/v111.npy --print | FileCheck %s --check-prefix=TAIL
// TAIL: O: 1x1xf32 = 1
// TAIL: L: 1xf32 = -3.90139

// flash-attention#1930: one finite logit far from the first tile.
// RUN: python3 %S/Inputs/npy.py %t/logits.npy f4 1,8 5*-inf 10 2*-inf
// RUN: python3 %S/Inputs/npy.py %t/label.npy i4 1 5
// RUN: cleave-run %s --entry=loss --device=evaluator --input X=%t/logits.npy --input label=%t/label.npy --print | FileCheck %s --check-prefix=LOSS
// RUN: cleave-run %s --entry=loss --input X=%t/logits.npy --input label=%t/label.npy --print | FileCheck %s --check-prefix=LOSS
// LOSS: lse: 1xf32 = 10
// LOSS-NEXT: loss: 1xf32 = 0

// flash-attention#1745, flashinfer#941: dead slots of a cache hold NaN.
// RUN: python3 %S/Inputs/npy.py %t/q1.npy f4 1,1 0
// RUN: python3 %S/Inputs/npy.py %t/kdead.npy f4 1,4,1 0 3*nan
// RUN: python3 %S/Inputs/npy.py %t/vdead.npy f4 1,4,1 2 3*nan
// RUN: python3 %S/Inputs/npy.py %t/len1.npy i4 1 1
// RUN: cleave-run %s --entry=decode --device=evaluator --input Q=%t/q1.npy --input K=%t/kdead.npy --input V=%t/vdead.npy --input len=%t/len1.npy --print | FileCheck %s --check-prefix=DEAD
// RUN: cleave-run %s --entry=decode --input Q=%t/q1.npy --input K=%t/kdead.npy --input V=%t/vdead.npy --input len=%t/len1.npy --print | FileCheck %s --check-prefix=DEAD
// DEAD: O: 1x1xf32 = 2
// DEAD-NEXT: L: 1xf32 = 0

// vllm PR 37442: a sequence of length 0 in a batch.
// RUN: python3 %S/Inputs/npy.py %t/q2.npy f4 2,1 0
// RUN: python3 %S/Inputs/npy.py %t/kv2.npy f4 2,1,1 3
// RUN: python3 %S/Inputs/npy.py %t/len01.npy i4 2 0 1
// RUN: cleave-run %s --entry=decode --device=evaluator --input Q=%t/q2.npy --input K=%t/kv2.npy --input V=%t/kv2.npy --input len=%t/len01.npy --print | FileCheck %s --check-prefix=LENGTHS
// RUN: cleave-run %s --entry=decode --input Q=%t/q2.npy --input K=%t/kv2.npy --input V=%t/kv2.npy --input len=%t/len01.npy --print | FileCheck %s --check-prefix=LENGTHS
// LENGTHS: O: 2x1xf32 = 0 3
// LENGTHS-NEXT: L: 2xf32 = -inf 0

// torchtitan#3235: one short sequence beside a long one.
// RUN: python3 %S/Inputs/npy.py %t/k1000.npy f4 2,1000,1 0
// RUN: python3 %S/Inputs/npy.py %t/v1000.npy f4 2,1000,1 1
// RUN: python3 %S/Inputs/npy.py %t/len1000.npy i4 2 1 1000
// RUN: cleave-run %s --entry=decode --device=evaluator --input Q=%t/q2.npy --input K=%t/k1000.npy --input V=%t/v1000.npy --input len=%t/len1000.npy --print | FileCheck %s --check-prefix=SHORT
// RUN: cleave-run %s --entry=decode --input Q=%t/q2.npy --input K=%t/k1000.npy --input V=%t/v1000.npy --input len=%t/len1000.npy --print | FileCheck %s --check-prefix=SHORT
// SHORT: O: 2x1xf32 = 1 {{1|0.9999[0-9]*}}

// sglang PR 35045, attention-gym PR 205: partial results merge with weights of
// one base. Without parts, or with empty ones only, there is nothing.
// RUN: python3 %S/Inputs/npy.py %t/o.npy f4 2,1 0 1
// RUN: python3 %S/Inputs/npy.py %t/l.npy f4 2 3 5
// RUN: cleave-run %s --entry=merge --device=evaluator --input O=%t/o.npy --input L2=%t/l.npy --print | FileCheck %s --check-prefix=MERGE
// RUN: cleave-run %s --entry=merge --input O=%t/o.npy --input L2=%t/l.npy --print | FileCheck %s --check-prefix=MERGE
// MERGE: O_all: 1xf32 = 0.8
// MERGE-NEXT: L2_all: f32 = 5.32193
// RUN: python3 %S/Inputs/npy.py %t/empty.npy f4 2 -inf
// RUN: cleave-run %s --entry=merge --device=evaluator --input O=%t/o.npy --input L2=%t/empty.npy --print | FileCheck %s --check-prefix=NOTHING
// RUN: cleave-run %s --entry=merge --input O=%t/o.npy --input L2=%t/empty.npy --print | FileCheck %s --check-prefix=NOTHING
// RUN: python3 %S/Inputs/npy.py %t/half.npy f4 2 -inf 5
// RUN: cleave-run %s --entry=merge --device=evaluator --input O=%t/o.npy --input L2=%t/half.npy --print | FileCheck %s --check-prefix=HALF
// RUN: cleave-run %s --entry=merge --input O=%t/o.npy --input L2=%t/half.npy --print | FileCheck %s --check-prefix=HALF
// HALF: O_all: 1xf32 = 1
// HALF-NEXT: L2_all: f32 = 5
// NOTHING: O_all: 1xf32 = 0
// NOTHING-NEXT: L2_all: f32 = -inf

// tvm#19578, pytorch#197095: a contraction over nothing.
// RUN: cleave-run %s --entry=dot --device=evaluator --bind M=2,K=0,N=3 --print | FileCheck %s --check-prefix=DOT
// RUN: cleave-run %s --entry=dot --bind M=2,K=0,N=3 --print | FileCheck %s --check-prefix=DOT
// DOT: Y[K=0,M=2,N=3]: 2x3xf32 = 0 0 0 0 0 0

#B = #cleave.axes<B>
#B_D = #cleave.axes<B, D>
#B_E = #cleave.axes<B, E>
#B_E_T = #cleave.axes<B, E, T>
#B_T = #cleave.axes<B, T>
#B_T_D = #cleave.axes<B, T, D>
#B_T_E = #cleave.axes<B, T, E>
#E = #cleave.axes<E>
#E_S = #cleave.axes<E, S>
#E_T = #cleave.axes<E, T>
#K_N = #cleave.axes<K, N>
#M = #cleave.axes<M>
#M_K = #cleave.axes<M, K>
#M_N = #cleave.axes<M, N>
#M_V = #cleave.axes<M, V>
#P = #cleave.axes<P>
#P_E = #cleave.axes<P, E>
#S = #cleave.axes<S>
#S_D = #cleave.axes<S, D>
#S_E = #cleave.axes<S, E>
#S_T = #cleave.axes<S, T>
#T = #cleave.axes<T>
#T_D = #cleave.axes<T, D>
#T_E = #cleave.axes<T, E>
#scalar = #cleave.axes<>

func.func @causal(%q: tensor<?x?xf32, #S_D> {cleave.name = "Q"},
                  %k: tensor<?x?xf32, #T_D> {cleave.name = "K"},
                  %v: tensor<?x?xf32, #T_E> {cleave.name = "V"})
    -> (tensor<?x?xf32, #S_E> {cleave.name = "O"}, tensor<?xf32, #S> {cleave.name = "L2"}) {
  %z = cleave.contract %q, %k over [D] : (tensor<?x?xf32, #S_D>, tensor<?x?xf32, #T_D>) -> tensor<?x?xf32, #S_T>
  %s = cleave.iota S : tensor<?xf32, #S>
  %t = cleave.iota T : tensor<?xf32, #T>
  %nt = cleave.extent T : tensor<f32, #scalar>
  %ns = cleave.extent S : tensor<f32, #scalar>
  %first = cleave.sub %nt, %ns : (tensor<f32, #scalar>, tensor<f32, #scalar>) -> tensor<f32, #scalar>
  %last = cleave.add %s, %first : (tensor<?xf32, #S>, tensor<f32, #scalar>) -> tensor<?xf32, #S>
  %visible = cleave.cmp le %t, %last : (tensor<?xf32, #T>, tensor<?xf32, #S>) -> tensor<?x?xi1, #S_T>
  %low = cleave.constant 0xFFF0000000000000 : tensor<f32, #scalar>
  %masked = cleave.select %visible, %z, %low
     : (tensor<?x?xi1, #S_T>, tensor<?x?xf32, #S_T>, tensor<f32, #scalar>) -> tensor<?x?xf32, #S_T>
  %p = cleave.softmax %masked over [T] : (tensor<?x?xf32, #S_T>) -> tensor<?x?xf32, #S_T>
  %o = cleave.contract %p, %v over [T] : (tensor<?x?xf32, #S_T>, tensor<?x?xf32, #T_E>) -> tensor<?x?xf32, #E_S>
  %l = cleave.logsumexp %masked over [T] : (tensor<?x?xf32, #S_T>) -> tensor<?xf32, #S>
  %log2e = cleave.constant 1.4426950408889634 : tensor<f32, #scalar>
  %l2 = cleave.mul %l, %log2e : (tensor<?xf32, #S>, tensor<f32, #scalar>) -> tensor<?xf32, #S>
  %r = cleave.relayout %o : tensor<?x?xf32, #E_S> to tensor<?x?xf32, #S_E>
  return %r, %l2 : tensor<?x?xf32, #S_E>, tensor<?xf32, #S>
}

func.func @scores(%z: tensor<?x?xf32, #S_T> {cleave.name = "Z"}, %v: tensor<?x?xf32, #T_E> {cleave.name = "V"})
    -> (tensor<?x?xf32, #S_E> {cleave.name = "O"},
        tensor<?xf32, #S> {cleave.name = "L"}, tensor<?xf32, #S> {cleave.name = "L2"}) {
  %p = cleave.softmax %z over [T] : (tensor<?x?xf32, #S_T>) -> tensor<?x?xf32, #S_T>
  %o = cleave.contract %p, %v over [T] : (tensor<?x?xf32, #S_T>, tensor<?x?xf32, #T_E>) -> tensor<?x?xf32, #E_S>
  %l = cleave.logsumexp %z over [T] : (tensor<?x?xf32, #S_T>) -> tensor<?xf32, #S>
  %log2e = cleave.constant 1.4426950408889634 : tensor<f32, #scalar>
  %l2 = cleave.mul %l, %log2e : (tensor<?xf32, #S>, tensor<f32, #scalar>) -> tensor<?xf32, #S>
  %r = cleave.relayout %o : tensor<?x?xf32, #E_S> to tensor<?x?xf32, #S_E>
  return %r, %l, %l2 : tensor<?x?xf32, #S_E>, tensor<?xf32, #S>, tensor<?xf32, #S>
}

func.func @columns(%z: tensor<?x?xf32, #S_T> {cleave.name = "Z"}, %v: tensor<?x?xf32, #E_T> {cleave.name = "V"})
    -> (tensor<?x?xf32, #S_E> {cleave.name = "O"}) {
  %p = cleave.softmax %z over [T] : (tensor<?x?xf32, #S_T>) -> tensor<?x?xf32, #S_T>
  %o = cleave.contract %p, %v over [T] : (tensor<?x?xf32, #S_T>, tensor<?x?xf32, #E_T>) -> tensor<?x?xf32, #E_S>
  %r = cleave.relayout %o : tensor<?x?xf32, #E_S> to tensor<?x?xf32, #S_E>
  return %r : tensor<?x?xf32, #S_E>
}

func.func @loss(%x: tensor<?x?xf32, #M_V> {cleave.name = "X"}, %label: tensor<?xi32, #M> {cleave.name = "label"})
    -> (tensor<?xf32, #M> {cleave.name = "lse"}, tensor<?xf32, #M> {cleave.name = "loss"}) {
  %z = cleave.logsumexp %x over [V] : (tensor<?x?xf32, #M_V>) -> tensor<?xf32, #M>
  %chosen = cleave.gather %x V at %label : (tensor<?x?xf32, #M_V>, tensor<?xi32, #M>) -> tensor<?xf32, #M>
  %loss = cleave.sub %z, %chosen : (tensor<?xf32, #M>, tensor<?xf32, #M>) -> tensor<?xf32, #M>
  return %z, %loss : tensor<?xf32, #M>, tensor<?xf32, #M>
}

func.func @decode(%q: tensor<?x?xf32, #B_D> {cleave.name = "Q"},
                  %k: tensor<?x?x?xf32, #B_T_D> {cleave.name = "K"},
                  %v: tensor<?x?x?xf32, #B_T_E> {cleave.name = "V"},
                  %n: tensor<?xi32, #B> {cleave.name = "len"})
    -> (tensor<?x?xf32, #B_E> {cleave.name = "O"}, tensor<?xf32, #B> {cleave.name = "L"}) {
  %t = cleave.iota T : tensor<?xf32, #T>
  %nf = cleave.cast %n : tensor<?xi32, #B> to tensor<?xf32, #B>
  %live = cleave.cmp lt %t, %nf : (tensor<?xf32, #T>, tensor<?xf32, #B>) -> tensor<?x?xi1, #B_T>
  %zero = cleave.constant 0.0 : tensor<f32, #scalar>
  %low = cleave.constant 0xFFF0000000000000 : tensor<f32, #scalar>
  %z = cleave.contract %q, %k over [D] : (tensor<?x?xf32, #B_D>, tensor<?x?x?xf32, #B_T_D>) -> tensor<?x?xf32, #B_T>
  %masked = cleave.select %live, %z, %low
     : (tensor<?x?xi1, #B_T>, tensor<?x?xf32, #B_T>, tensor<f32, #scalar>) -> tensor<?x?xf32, #B_T>
  %p = cleave.softmax %masked over [T] : (tensor<?x?xf32, #B_T>) -> tensor<?x?xf32, #B_T>
  // 0 * NaN is NaN: what is dead in V is selected away as well
  %values = cleave.select %live, %v, %zero
     : (tensor<?x?xi1, #B_T>, tensor<?x?x?xf32, #B_T_E>, tensor<f32, #scalar>) -> tensor<?x?x?xf32, #B_E_T>
  %o = cleave.contract %p, %values over [T]
     : (tensor<?x?xf32, #B_T>, tensor<?x?x?xf32, #B_E_T>) -> tensor<?x?xf32, #B_E>
  %l = cleave.logsumexp %masked over [T] : (tensor<?x?xf32, #B_T>) -> tensor<?xf32, #B>
  return %o, %l : tensor<?x?xf32, #B_E>, tensor<?xf32, #B>
}

func.func @merge(%o: tensor<?x?xf32, #P_E> {cleave.name = "O"}, %l2: tensor<?xf32, #P> {cleave.name = "L2"})
    -> (tensor<?xf32, #E> {cleave.name = "O_all"}, tensor<f32, #scalar> {cleave.name = "L2_all"}) {
  %m = cleave.reduce_max %l2 over [P] : (tensor<?xf32, #P>) -> tensor<f32, #scalar>
  %finite = cleave.is_finite %m : (tensor<f32, #scalar>) -> tensor<i1, #scalar>
  %zero = cleave.constant 0.0 : tensor<f32, #scalar>
  %shift = cleave.select %finite, %m, %zero
     : (tensor<i1, #scalar>, tensor<f32, #scalar>, tensor<f32, #scalar>) -> tensor<f32, #scalar>
  %d = cleave.sub %l2, %shift : (tensor<?xf32, #P>, tensor<f32, #scalar>) -> tensor<?xf32, #P>
  %e = cleave.exp2 %d : (tensor<?xf32, #P>) -> tensor<?xf32, #P>
  %s = cleave.reduce_sum %e over [P] : (tensor<?xf32, #P>) -> tensor<f32, #scalar>
  %r = cleave.recip0 %s : (tensor<f32, #scalar>) -> tensor<f32, #scalar>
  %w = cleave.mul %e, %r : (tensor<?xf32, #P>, tensor<f32, #scalar>) -> tensor<?xf32, #P>
  %y = cleave.contract %w, %o over [P] : (tensor<?xf32, #P>, tensor<?x?xf32, #P_E>) -> tensor<?xf32, #E>
  %log = cleave.log %s : (tensor<f32, #scalar>) -> tensor<f32, #scalar>
  %log2e = cleave.constant 1.4426950408889634 : tensor<f32, #scalar>
  %log2 = cleave.mul %log, %log2e : (tensor<f32, #scalar>, tensor<f32, #scalar>) -> tensor<f32, #scalar>
  %total = cleave.add %log2, %shift : (tensor<f32, #scalar>, tensor<f32, #scalar>) -> tensor<f32, #scalar>
  return %y, %total : tensor<?xf32, #E>, tensor<f32, #scalar>
}

func.func @dot(%a: tensor<?x?xf32, #M_K> {cleave.name = "A"}, %b: tensor<?x?xf32, #K_N> {cleave.name = "B"})
    -> (tensor<?x?xf32, #M_N> {cleave.name = "Y"}) {
  %y = cleave.contract %a, %b over [K] : (tensor<?x?xf32, #M_K>, tensor<?x?xf32, #K_N>) -> tensor<?x?xf32, #M_N>
  return %y : tensor<?x?xf32, #M_N>
}
