// Cases that broke comparable tools, compiled for the CPU: odd extents, rows
// without keys, first tiles all -inf, NaN where a mask hides it, empty axes.

// RUN: rm -rf %t && mkdir %t
// RUN: cleave-run %s --entry=attention --bind 'S=7,T=5,E=3;S=1,T=1,E=1;S=2,T=131,E=5;S=3,T=0,E=2;S=0,T=4,E=2' --check --seed 2 | FileCheck %s --check-prefix=ATTENTION
// ATTENTION-COUNT-5: O[{{.*}}L2 {{.*}}: ok

// RUN: python3 %S/Inputs/npy.py %t/mask.npy b1 2,3 0 0 0 1 0 1
// RUN: python3 %S/Inputs/npy.py %t/nan.npy f4 2,3 nan nan nan 1 nan 3
// RUN: python3 %S/Inputs/npy.py %t/v.npy f4 3,1 1 2 3
// RUN: cleave-run %s --entry=attention --input P=%t/mask.npy --input S=%t/nan.npy --input V=%t/v.npy --print --check | FileCheck %s --check-prefix=MASKED
// MASKED: O: 1x2xf32 = 0 2.76159
// MASKED: O: relative L2 {{.*}}: ok

// 200 keys, of which only the last counts: the first tiles are all -inf.
// RUN: python3 %S/Inputs/npy.py %t/late.npy f4 1,200 199*-inf 3
// RUN: cleave-run %s --entry=softmax --input S=%t/late.npy --print --check | FileCheck %s --check-prefix=LATE
// LATE: result0: 200x1xf32 = 0 {{(0 )*}}1{{$}}
// LATE: result0: relative L2 0.00e+00{{.*}}: ok
// RUN: python3 %S/Inputs/npy.py %t/none.npy f4 1,200 -inf
// RUN: cleave-run %s --entry=softmax --input S=%t/none.npy --check | FileCheck %s --check-prefix=NOKEY
// NOKEY: result0: absolute L2 0.00e+00{{.*}}: ok
// RUN: cleave-run %s --entry=softmax --bind 'S=7,T=5;S=1,T=1;S=3,T=0;S=2,T=131' --check | FileCheck %s --check-prefix=SOFTMAX
// SOFTMAX-COUNT-4: result0[{{.*}}L2 {{.*}}: ok
// RUN: python3 %S/Inputs/npy.py %t/low.npy f4 1,2 -60000 -60001
// RUN: cleave-run %s --entry=softmax --input S=%t/low.npy --print | FileCheck %s --check-prefix=LOW
// LOW: result0: 2x1xf32 = 0.731059 0.268941

// RUN: cleave-run %s --entry=reductions --bind 'S=2,T=0;S=0,T=3;S=3,T=67' --check --print | FileCheck %s --check-prefix=REDUCTIONS
// REDUCTIONS: result0[S=2,T=0]: 2xf32 = 0 0
// REDUCTIONS: result1[S=2,T=0]: 2xf32 = -inf -inf
// REDUCTIONS: result1[S=2,T=0]: absolute L2 0.00e+00{{.*}}: ok
// REDUCTIONS: result1[S=3,T=67]: relative L2 {{.*}}: ok

#S_T = #cleave.axes<S, T>
#T_E = #cleave.axes<T, E>
#E_S = #cleave.axes<E, S>
#T_S = #cleave.axes<T, S>
#S = #cleave.axes<S>
#scalar = #cleave.axes<>

func.func @attention(%p: tensor<?x?xi1, #S_T> {cleave.name = "P"}, %s: tensor<?x?xf32, #S_T> {cleave.name = "S"},
                     %v: tensor<?x?xf32, #T_E> {cleave.name = "V"}) -> (tensor<?x?xf32, #E_S> {cleave.name = "O"}) {
  %low = cleave.constant 0xFFF0000000000000 : tensor<f32, #scalar>
  %z = cleave.select %p, %s, %low : (tensor<?x?xi1, #S_T>, tensor<?x?xf32, #S_T>, tensor<f32, #scalar>) -> tensor<?x?xf32, #S_T>
  %a = cleave.softmax %z over [T] : (tensor<?x?xf32, #S_T>) -> tensor<?x?xf32, #S_T>
  %o = cleave.contract %a, %v over [T] : (tensor<?x?xf32, #S_T>, tensor<?x?xf32, #T_E>) -> tensor<?x?xf32, #E_S>
  return %o : tensor<?x?xf32, #E_S>
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
