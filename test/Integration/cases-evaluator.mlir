// Small inputs for faults that users of comparable tools reported, on the
// evaluator and compiled for the CPU; the right answers follow from docs/numerics.md. More of them, with
// folds in tiles, are in test/Unit/Evaluator.

// RUN: rm -rf %t && mkdir %t

// iree#24175, pytorch#103749: a row whose mask hides every key gives 0.
// RUN: python3 %S/Inputs/npy.py %t/mask.npy b1 2,3 0 0 0 1 0 1
// RUN: python3 %S/Inputs/npy.py %t/s.npy f4 2,3 1 2 3
// RUN: python3 %S/Inputs/npy.py %t/v.npy f4 3,1 1 2 3
// RUN: cleave-run %s --entry=masked --device=evaluator --input P=%t/mask.npy --input S=%t/s.npy --input V=%t/v.npy --print | FileCheck %s --check-prefix=MASKED
// RUN: cleave-run %s --entry=masked --input P=%t/mask.npy --input S=%t/s.npy --input V=%t/v.npy --print | FileCheck %s --check-prefix=MASKED
// MASKED: O: 1x2xf32 = 0 2.76159

// Wan2GP PR 1628: a NaN score in a slot that the mask hides.
// RUN: python3 %S/Inputs/npy.py %t/nan.npy f4 2,3 nan nan nan 1 nan 3
// RUN: cleave-run %s --entry=masked --device=evaluator --input P=%t/mask.npy --input S=%t/nan.npy --input V=%t/v.npy --print | FileCheck %s --check-prefix=MASKED
// RUN: cleave-run %s --entry=masked --input P=%t/mask.npy --input S=%t/nan.npy --input V=%t/v.npy --print | FileCheck %s --check-prefix=MASKED

// Written out without guards, the formula keeps IEEE's NaN.
// RUN: cleave-run %s --entry=raw --device=evaluator --input P=%t/mask.npy --input S=%t/s.npy --print | FileCheck %s --check-prefix=RAW
// RUN: cleave-run %s --entry=raw --input P=%t/mask.npy --input S=%t/s.npy --print | FileCheck %s --check-prefix=RAW
// RAW: result0: 3x2xf32 = {{-?}}nan 0.119203 {{-?}}nan 0 {{-?}}nan 0.880797

// FlagGems PR 330: the first block is all -inf.
// RUN: python3 %S/Inputs/npy.py %t/block.npy f4 1,4 -inf -inf 0 1
// RUN: cleave-run %s --entry=softmax --device=evaluator --input S=%t/block.npy --print | FileCheck %s --check-prefix=BLOCK
// RUN: cleave-run %s --entry=softmax --input S=%t/block.npy --print | FileCheck %s --check-prefix=BLOCK
// BLOCK: result0: 4x1xf32 = 0 0 0.268941 0.731059

// flashinfer#4267: scores below what some take for minus infinity.
// RUN: python3 %S/Inputs/npy.py %t/low.npy f4 1,2 -60000 -60001
// RUN: cleave-run %s --entry=softmax --device=evaluator --input S=%t/low.npy --print | FileCheck %s --check-prefix=LOW
// RUN: cleave-run %s --entry=softmax --input S=%t/low.npy --print | FileCheck %s --check-prefix=LOW
// LOW: result0: 2x1xf32 = 0.731059 0.268941

// tvm#19578, pytorch#197095: reductions over nothing.
// RUN: cleave-run %s --entry=reductions --device=evaluator --bind 'S=2,T=0' --bind S=0,T=3 --scale 0 --print | FileCheck %s --check-prefix=EMPTY
// RUN: cleave-run %s --entry=reductions --bind 'S=2,T=0' --bind S=0,T=3 --scale 0 --print | FileCheck %s --check-prefix=EMPTY
// EMPTY: result0[S=2,T=0]: 2xf32 = 0 0
// EMPTY-NEXT: result1[S=2,T=0]: 2xf32 = -inf -inf
// EMPTY-NEXT: result0[S=0,T=3]: 0xf32 =
// EMPTY-NEXT: result1[S=0,T=3]: 0xf32 =

// mirage#658: every element of a result must be written and right.
// RUN: python3 %S/Inputs/npy.py %t/one.npy f2 2,256 1
// RUN: python3 %S/Inputs/npy.py %t/w.npy f2 256,3 0.015625
// RUN: cleave-run %s --entry=norm --device=evaluator --input X=%t/one.npy --input W=%t/w.npy --print --check | FileCheck %s --check-prefix=NORM
// RUN: cleave-run %s --entry=norm --input X=%t/one.npy --input W=%t/w.npy --print --check | FileCheck %s --check-prefix=NORM
// NORM: Y: 2x3xf16 = 4 4 4 4 4 4
// NORM: Y: relative L2 {{.*}}: ok

// burn#5607, onnxruntime#21935, tensorflow#118701: a variance about the mean, of
// values far from 0.
// RUN: python3 %S/Inputs/npy.py %t/near.npy f4 1,16 0 0.001 0.002 0.003 0.004 0.005 0.006 0.007 0.008 0.009 0.01 0.011 0.012 0.013 0.014 0.015
// RUN: cleave-run %s --entry=centred --device=evaluator --input X=%t/near.npy --print | FileCheck %s --check-prefix=NEAR
// RUN: cleave-run %s --entry=centred --input X=%t/near.npy --print | FileCheck %s --check-prefix=NEAR
// NEAR: Y: 16x1xf32 = -1.34164
// RUN: python3 %S/Inputs/npy.py %t/far.npy f4 1,16 100.000 100.001 100.002 100.003 100.004 100.005 100.006 100.007 100.008 100.009 100.010 100.011 100.012 100.013 100.014 100.015
// RUN: cleave-run %s --entry=centred --device=evaluator --input X=%t/far.npy --print | FileCheck %s --check-prefix=FAR
// RUN: cleave-run %s --entry=centred --input X=%t/far.npy --print | FileCheck %s --check-prefix=FAR
// FAR: Y: 16x1xf32 = -1.34
// RUN: python3 %S/Inputs/npy.py %t/equal.npy f4 1,5 1234
// RUN: cleave-run %s --entry=centred --device=evaluator --input X=%t/equal.npy --print | FileCheck %s --check-prefix=EQUAL
// RUN: cleave-run %s --entry=centred --input X=%t/equal.npy --print | FileCheck %s --check-prefix=EQUAL
// EQUAL: Y: 5x1xf32 = 0 0 0 0 0

// mirage#377: there is always a schedule, if only operation by operation.
// RUN: cleave-run %s --entry=mlp --bind 'M=8,K=67,N=129,P=33;M=1,K=1,N=1,P=1;M=0,K=2,N=2,P=2' --check | FileCheck %s --check-prefix=MLP
// MLP-COUNT-3: Y[{{.*}}: ok

// modular#7165, triton#2630: partial sums of a split are no bf16; triton#2183:
// nor do they add to what the result held, in a second run either.
// RUN: python3 %S/Inputs/npy.py %t/terms.npy bf 1,4 256 1 -256 1
// RUN: python3 %S/Inputs/npy.py %t/ones.npy bf 4,1 1
// RUN: cleave-opt %s --cleave-algebra=split=true -o %t/parts.mlir
// RUN: sed -e '/@sum/s/attributes {/attributes {cleave.schedule = #cleave.schedule<region = 1, split = [K.s: 2], grid = [M: 2, N: 2], loop = [K.s: 1, K.i: 2], warps = 4, stages = 1>, /' %t/parts.mlir > %t/two.mlir
// RUN: cleave-run %t/two.mlir --source %s --entry=sum --input X:bf16=%t/terms.npy --input W:bf16=%t/ones.npy --print | FileCheck %s --check-prefix=SUM
// SUM: Y: 1x1xbf16 = 2
// RUN: cleave-run %t/two.mlir --source %s --entry=sum --bind 'M=3,K=8,N=2;M=3,K=8,N=2;M=1,K=1,N=1' --tolerance 1e-2 --check | FileCheck %s --check-prefix=TWICE
// TWICE-COUNT-3: Y[{{.*}}: ok

#S_T = #cleave.axes<S, T>
#T_E = #cleave.axes<T, E>
#E_S = #cleave.axes<E, S>
#T_S = #cleave.axes<T, S>
#S = #cleave.axes<S>
#M_K = #cleave.axes<M, K>
#K_M = #cleave.axes<K, M>
#K_N = #cleave.axes<K, N>
#M_N = #cleave.axes<M, N>
#M_P = #cleave.axes<M, P>
#N_P = #cleave.axes<N, P>
#scalar = #cleave.axes<>

func.func @masked(%p: tensor<?x?xi1, #S_T> {cleave.name = "P"}, %s: tensor<?x?xf32, #S_T> {cleave.name = "S"},
                  %v: tensor<?x?xf32, #T_E> {cleave.name = "V"}) -> (tensor<?x?xf32, #E_S> {cleave.name = "O"}) {
  %low = cleave.constant 0xFFF0000000000000 : tensor<f32, #scalar>
  %z = cleave.select %p, %s, %low : (tensor<?x?xi1, #S_T>, tensor<?x?xf32, #S_T>, tensor<f32, #scalar>) -> tensor<?x?xf32, #S_T>
  %a = cleave.softmax %z over [T] : (tensor<?x?xf32, #S_T>) -> tensor<?x?xf32, #S_T>
  %o = cleave.contract %a, %v over [T] : (tensor<?x?xf32, #S_T>, tensor<?x?xf32, #T_E>) -> tensor<?x?xf32, #E_S>
  return %o : tensor<?x?xf32, #E_S>
}

func.func @raw(%p: tensor<?x?xi1, #S_T> {cleave.name = "P"}, %s: tensor<?x?xf32, #S_T> {cleave.name = "S"})
    -> tensor<?x?xf32, #T_S> {
  %low = cleave.constant 0xFFF0000000000000 : tensor<f32, #scalar>
  %z = cleave.select %p, %s, %low : (tensor<?x?xi1, #S_T>, tensor<?x?xf32, #S_T>, tensor<f32, #scalar>) -> tensor<?x?xf32, #S_T>
  %m = cleave.reduce_max %z over [T] : (tensor<?x?xf32, #S_T>) -> tensor<?xf32, #S>
  %d = cleave.sub %z, %m : (tensor<?x?xf32, #S_T>, tensor<?xf32, #S>) -> tensor<?x?xf32, #S_T>
  %e = cleave.exp %d : (tensor<?x?xf32, #S_T>) -> tensor<?x?xf32, #S_T>
  %l = cleave.reduce_sum %e over [T] : (tensor<?x?xf32, #S_T>) -> tensor<?xf32, #S>
  %a = cleave.div %e, %l : (tensor<?x?xf32, #S_T>, tensor<?xf32, #S>) -> tensor<?x?xf32, #S_T>
  %r = cleave.relayout %a : tensor<?x?xf32, #S_T> to tensor<?x?xf32, #T_S>
  return %r : tensor<?x?xf32, #T_S>
}

func.func @softmax(%s: tensor<?x?xf32, #S_T> {cleave.name = "S"}) -> tensor<?x?xf32, #T_S> {
  %a = cleave.softmax %s over [T] : (tensor<?x?xf32, #S_T>) -> tensor<?x?xf32, #S_T>
  %r = cleave.relayout %a : tensor<?x?xf32, #S_T> to tensor<?x?xf32, #T_S>
  return %r : tensor<?x?xf32, #T_S>
}

func.func @reductions(%s: tensor<?x?xf32, #S_T>) -> (tensor<?xf32, #S>, tensor<?xf32, #S>) {
  %a = cleave.reduce_sum %s over [T] : (tensor<?x?xf32, #S_T>) -> tensor<?xf32, #S>
  %b = cleave.reduce_max %s over [T] : (tensor<?x?xf32, #S_T>) -> tensor<?xf32, #S>
  return %a, %b : tensor<?xf32, #S>, tensor<?xf32, #S>
}

func.func @norm(%x: tensor<?x?xf16, #M_K> {cleave.name = "X"}, %w: tensor<?x?xf16, #K_N> {cleave.name = "W"})
    -> (tensor<?x?xf16, #M_N> {cleave.name = "Y"}) {
  %n = cleave.rms_norm %x over [K] eps 1.0e-6 : (tensor<?x?xf16, #M_K>) -> tensor<?x?xf32, #K_M>
  %y = cleave.contract %n, %w over [K] : (tensor<?x?xf32, #K_M>, tensor<?x?xf16, #K_N>) -> tensor<?x?xf32, #M_N>
  %h = cleave.cast %y : tensor<?x?xf32, #M_N> to tensor<?x?xf16, #M_N>
  return %h : tensor<?x?xf16, #M_N>
}

func.func @mlp(%x: tensor<?x?xf16, #M_K> {cleave.name = "X"}, %w1: tensor<?x?xf16, #K_N>, %w2: tensor<?x?xf16, #K_N>,
               %w3: tensor<?x?xf16, #N_P>) -> (tensor<?x?xf16, #M_P> {cleave.name = "Y"}) {
  %g = cleave.contract %x, %w1 over [K] : (tensor<?x?xf16, #M_K>, tensor<?x?xf16, #K_N>) -> tensor<?x?xf32, #M_N>
  %u = cleave.contract %x, %w2 over [K] : (tensor<?x?xf16, #M_K>, tensor<?x?xf16, #K_N>) -> tensor<?x?xf32, #M_N>
  %a = cleave.silu %g : (tensor<?x?xf32, #M_N>) -> tensor<?x?xf32, #M_N>
  %h = cleave.mul %a, %u : (tensor<?x?xf32, #M_N>, tensor<?x?xf32, #M_N>) -> tensor<?x?xf32, #M_N>
  %y = cleave.contract %h, %w3 over [N] : (tensor<?x?xf32, #M_N>, tensor<?x?xf16, #N_P>) -> tensor<?x?xf32, #M_P>
  %r = cleave.cast %y : tensor<?x?xf32, #M_P> to tensor<?x?xf16, #M_P>
  return %r : tensor<?x?xf16, #M_P>
}

func.func @sum(%x: tensor<?x?xbf16, #M_K> {cleave.name = "X"}, %w: tensor<?x?xbf16, #K_N> {cleave.name = "W"})
    -> (tensor<?x?xbf16, #M_N> {cleave.name = "Y"}) {
  %y = cleave.contract %x, %w over [K] : (tensor<?x?xbf16, #M_K>, tensor<?x?xbf16, #K_N>) -> tensor<?x?xf32, #M_N>
  %r = cleave.cast %y : tensor<?x?xf32, #M_N> to tensor<?x?xbf16, #M_N>
  return %r : tensor<?x?xbf16, #M_N>
}

func.func @centred(%x: tensor<?x?xf32, #M_K> {cleave.name = "X"}) -> (tensor<?x?xf32, #K_M> {cleave.name = "Y"}) {
  %y = cleave.layer_norm %x over [K] eps 1.0e-5 : (tensor<?x?xf32, #M_K>) -> tensor<?x?xf32, #K_M>
  return %y : tensor<?x?xf32, #K_M>
}
