// Each ablation changes the loops, and no number.

// RUN: cleave-opt %s --cleave-algebra=split=true -o %t.forms.mlir

// RUN: cleave-opt %t.forms.mlir --cleave-print-loop-nest -o /dev/null 2>&1 | FileCheck %s --check-prefix=ALL
// RUN: cleave-opt %t.forms.mlir --cleave-print-loop-nest=no-algebra -o /dev/null 2>&1 | FileCheck %s --check-prefix=ALGEBRA
// RUN: cleave-opt %t.forms.mlir "--cleave-print-loop-nest=no-horizontal no-split" -o /dev/null 2>&1 | FileCheck %s --check-prefix=HORIZONTAL
// RUN: cleave-opt %t.forms.mlir --cleave-print-loop-nest=no-split -o /dev/null 2>&1 | FileCheck %s --check-prefix=SPLIT
// RUN: cleave-opt %t.forms.mlir --cleave-print-loop-nest=no-iterative-tiling -o /dev/null 2>&1 | FileCheck %s --check-prefix=ITERATIVE

// RUN: cleave-opt %t.forms.mlir --cleave-to-loops=no-algebra -o %t.algebra.mlir
// RUN: cleave-opt %t.forms.mlir --cleave-to-loops=no-horizontal -o %t.horizontal.mlir
// RUN: cleave-opt %t.forms.mlir --cleave-to-loops=no-split -o %t.split.mlir
// RUN: cleave-opt %t.forms.mlir --cleave-to-loops=no-iterative-tiling -o %t.iterative.mlir
// RUN: cleave-run %t.algebra.mlir --source %s --entry=norm_linear --check --bind 'M=3;M=1;M=0' | FileCheck %s
// RUN: cleave-run %t.horizontal.mlir --source %s --entry=norm_linear --check --bind 'M=3;M=1;M=0' | FileCheck %s
// RUN: cleave-run %t.split.mlir --source %s --entry=norm_linear --check --bind 'M=3;M=1;M=0' | FileCheck %s
// RUN: cleave-run %t.iterative.mlir --source %s --entry=norm_linear --check --bind 'M=3;M=1;M=0' | FileCheck %s
// RUN: cleave-run %t.algebra.mlir --source %s --entry=attention --check --bind 'S=3,T=67;S=1,T=1;S=2,T=0' | FileCheck %s
// RUN: cleave-run %t.horizontal.mlir --source %s --entry=attention --check --bind 'S=3,T=67;S=1,T=1;S=2,T=0' | FileCheck %s
// RUN: cleave-run %t.split.mlir --source %s --entry=attention --check --bind 'S=3,T=67;S=1,T=1;S=2,T=0' | FileCheck %s
// RUN: cleave-run %t.iterative.mlir --source %s --entry=attention --check --bind 'S=3,T=67;S=1,T=1;S=2,T=0' | FileCheck %s
// CHECK-COUNT-3: : ok

// Every example without the loops (the others: examples-compiled.test).
// RUN: %python %S/Inputs/examples_compiled.py cleave-opt cleave-run %examples %t.examples cleave-to-loops=no-iterative-tiling | FileCheck %s --check-prefix=EXAMPLES
// EXAMPLES-NOT: WRONG
// EXAMPLES: all right

#K = #cleave.axes<K>
#M_K = #cleave.axes<M, K>
#K_M = #cleave.axes<K, M>
#K_N = #cleave.axes<K, N>
#M_N = #cleave.axes<M, N>
#S_D = #cleave.axes<S, D>
#T_D = #cleave.axes<T, D>
#T_E = #cleave.axes<T, E>
#E_S = #cleave.axes<E, S>
#S_E = #cleave.axes<S, E>
#S_T = #cleave.axes<S, T>

// One loop over K, or a kernel for the norm; none where a tile has all of K, or
// of a part.
// ALL-LABEL: @norm_linear, region 0
// ALL-COUNT-1: for K in 1024 step
// ALL-NOT: for K
// ALL-NOT: kernel 1
// ALL: store Y
// ALGEBRA-LABEL: @norm_linear, region 1
// ALGEBRA: kernel 1
// ALGEBRA: for K in 1024 step
// ALGEBRA: store Y
// HORIZONTAL-LABEL: @norm_linear, region
// HORIZONTAL: kernel 1
// HORIZONTAL: store Y
// ITERATIVE-LABEL: @norm_linear, region
// ITERATIVE-NOT: for K{{(.i)?}} in
// ITERATIVE: load X[
// ITERATIVE-NOT: for K{{(.i)?}} in
// ITERATIVE: store Y
func.func @norm_linear(
    %x: tensor<?x1024xf16, #M_K> {cleave.name = "X", cleave.range = 300.0 : f32},
    %g: tensor<1024xf16, #K> {cleave.name = "g", cleave.range = 8.0 : f32},
    %w: tensor<1024x2048xf16, #K_N> {cleave.name = "W"})
    -> (tensor<?x2048xf32, #M_N> {cleave.name = "Y"})
    attributes {cleave.symbols = #cleave.symbols<M: dynamic like 256>} {
  %n = cleave.rms_norm %x, %g over [K] eps 1.0e-6
     : (tensor<?x1024xf16, #M_K>, tensor<1024xf16, #K>) -> tensor<1024x?xf32, #K_M>
  %y = cleave.contract %n, %w over [K]
     : (tensor<1024x?xf32, #K_M>, tensor<1024x2048xf16, #K_N>) -> tensor<?x2048xf32, #M_N>
  return %y : tensor<?x2048xf32, #M_N>
}

// One query and many keys: in parts, unless there are none. A dynamic axis keeps
// a loop, for extents that are longer than the one that it was chosen for: the
// parts of 131072 keys.
// ALL-LABEL: @attention, region
// ALL: kernel 0: {{.*}}T.s step 1,
// ALL: for T.i in |T.i| step
// ALGEBRA-LABEL: @attention, region
// ALGEBRA-NOT: T.s
// ALGEBRA: store O
// SPLIT-LABEL: @attention, region
// SPLIT-NOT: T.s
// SPLIT: store O
// ITERATIVE-LABEL: @attention, region
// ITERATIVE: kernel 0: {{.*}}T.s step 1,
// ITERATIVE: load Q[S: {{[0-9]+}}, D.i: 64]
// ITERATIVE: for T.i in |T.i| step [[#%u,PART:]]:
// ITERATIVE: kernel 1
// ITERATIVE: load v{{[0-9.]+}}[S: 1, T.s: [[#%u,div(131072,PART)]]]
func.func @attention(%q: tensor<?x64xf16, #S_D> {cleave.name = "Q"}, %k: tensor<?x64xf16, #T_D> {cleave.name = "K"},
                     %v: tensor<?x64xf16, #T_E> {cleave.name = "V"})
    -> (tensor<?x64xf32, #S_E> {cleave.name = "O"})
    attributes {cleave.symbols = #cleave.symbols<S: dynamic like 1, T: dynamic like 131072>} {
  %s = cleave.contract %q, %k over [D]
     : (tensor<?x64xf16, #S_D>, tensor<?x64xf16, #T_D>) -> tensor<?x?xf32, #S_T>
  %p = cleave.softmax %s over [T] : (tensor<?x?xf32, #S_T>) -> tensor<?x?xf32, #S_T>
  %o = cleave.contract %p, %v over [T]
     : (tensor<?x?xf32, #S_T>, tensor<?x64xf16, #T_E>) -> tensor<64x?xf32, #E_S>
  %r = cleave.relayout %o : tensor<64x?xf32, #E_S> to tensor<?x64xf32, #S_E>
  return %r : tensor<?x64xf32, #S_E>
}
