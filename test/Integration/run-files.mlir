// Arguments come from files, results go to files that are arguments again.

// RUN: rm -rf %t && mkdir %t
// RUN: python3 %S/Inputs/npy.py %t/x.npy f2 2,3 1 2 3 4 -inf 0.5
// RUN: cleave-run %s --entry=twice --device=evaluator --input X=%t/x.npy --print --output-dir %t/out | FileCheck %s --check-prefix=TWICE
// The result's storage order is its type's, not the argument's.
// TWICE: Y: 3x2xf16 = 2 8 4 -inf 6 1
// RUN: cleave-run %s --entry=back --device=evaluator --input Y=%t/out/Y.npy --print | FileCheck %s --check-prefix=BACK
// BACK: result0: 2x3xf16 = 2 4 6 8 -inf 1

// RUN: python3 %S/Inputs/npy.py %t/b.npy bf 2 1 -3
// RUN: cleave-run %s --entry=bf16 --device=evaluator --input arg0:bf16=%t/b.npy --print --output-dir %t/out | FileCheck %s --check-prefix=BF16
// BF16: result0: 2xbf16 = 2 -6
// RUN: cleave-run %s --entry=bf16 --device=evaluator --input arg0:bf16=%t/out/result0.npy --print | FileCheck %s --check-prefix=AGAIN
// AGAIN: result0: 2xbf16 = 4 -12

// Several bindings are several runs, each with a folder.
// RUN: cleave-run %s --entry=twice --device=evaluator --bind 'M=1;M=2' --bind M=0 --seed 3 --output-dir %t/runs | FileCheck %s --check-prefix=RUNS
// RUNS: Y[M=1]: 3x1xf16
// RUNS-NEXT: Y[M=2]: 3x2xf16
// RUNS-NEXT: Y[M=0]: 3x0xf16
// RUN: cleave-run %s --entry=back --device=evaluator --input Y=%t/runs/M=0/Y.npy | FileCheck %s --check-prefix=EMPTY
// EMPTY: result0: 0x3xf16

// Equal seeds give equal inputs, other seeds others.
// RUN: cleave-run %s --entry=twice --device=evaluator --bind M=2 --seed 1 --print > %t/a
// RUN: cleave-run %s --entry=twice --device=evaluator --bind M=2 --seed 1 --print > %t/b
// RUN: cleave-run %s --entry=twice --device=evaluator --bind M=2 --seed 2 --print > %t/c
// RUN: cmp %t/a %t/b
// RUN: not cmp %t/a %t/c

#M_K = #cleave.axes<M, K>
#K_M = #cleave.axes<K, M>
#K = #cleave.axes<K>

func.func @twice(%x: tensor<?x3xf16, #M_K> {cleave.name = "X"}) -> (tensor<3x?xf16, #K_M> {cleave.name = "Y"}) {
  %y = cleave.add %x, %x : (tensor<?x3xf16, #M_K>, tensor<?x3xf16, #M_K>) -> tensor<3x?xf32, #K_M>
  %h = cleave.cast %y : tensor<3x?xf32, #K_M> to tensor<3x?xf16, #K_M>
  return %h : tensor<3x?xf16, #K_M>
}

func.func @back(%y: tensor<3x?xf16, #K_M> {cleave.name = "Y"}) -> tensor<?x3xf16, #M_K> {
  %x = cleave.relayout %y : tensor<3x?xf16, #K_M> to tensor<?x3xf16, #M_K>
  return %x : tensor<?x3xf16, #M_K>
}

func.func @bf16(%x: tensor<?xbf16, #K>) -> tensor<?xbf16, #K> {
  %y = cleave.add %x, %x : (tensor<?xbf16, #K>, tensor<?xbf16, #K>) -> tensor<?xf32, #K>
  %h = cleave.cast %y : tensor<?xf32, #K> to tensor<?xbf16, #K>
  return %h : tensor<?xbf16, #K>
}
