// A reduction in one part is the whole reduction: the same loops, whose axis has
// another name.

// RUN: cleave-opt %s --mlir-disable-threading --cleave-expand --cleave-form-folds --cleave-print-loop-nest -o /dev/null 2> %t.whole
// RUN: cleave-opt %s --mlir-disable-threading --cleave-expand --cleave-form-folds --cleave-split-reductions --cleave-print-loop-nest -o /dev/null 2> %t.parts
// The merge of a fold's only part stays behind its loop.
// RUN: sed -e 's/K\.i/K/g' -e '/@fold/,$d' %t.parts > %t.parts-renamed
// RUN: sed '/@fold/,$d' %t.whole | diff - %t.parts-renamed
// RUN: FileCheck %s --input-file=%t.parts
// CHECK: for K.i in

// RUN: cleave-opt %s --cleave-expand --cleave-form-folds --cleave-split-reductions --cleave-to-loops=no-algebra -o %t.loops.mlir
// RUN: cleave-run %t.loops.mlir --source %s --entry=sums --bind 'M=3,K=11,N=5;M=1,K=1,N=1' --check | FileCheck %s --check-prefix=NUMBERS
// RUN: cleave-run %t.loops.mlir --source %s --entry=fold --bind 'M=3,K=11,N=5;M=2,K=0,N=3' --check | FileCheck %s --check-prefix=NUMBERS
// NUMBERS-COUNT-2: result0[{{.*}} L2 {{.*}}: ok

#M_K = #cleave.axes<M, K>
#K_N = #cleave.axes<K, N>
#M_N = #cleave.axes<M, N>
#K_M = #cleave.axes<K, M>
#M = #cleave.axes<M>
!x = tensor<?x?xf16, #M_K>
!w = tensor<?x?xf16, #K_N>
!y = tensor<?x?xf32, #M_N>
!p = tensor<?x?xf32, #K_M>

func.func @sums(%x: !x, %w: !w) -> !y {
  %q = cleave.mul %x, %x : (!x, !x) -> !p
  %s = cleave.reduce_sum %q over [K] : (!p) -> tensor<?xf32, #M>
  %c = cleave.contract %x, %w over [K] : (!x, !w) -> !y
  %r = cleave.rsqrt %s : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %y = cleave.mul %c, %r : (!y, tensor<?xf32, #M>) -> !y
  return %y : !y
}

func.func @fold(%x: !x, %w: !w) -> !y {
  %s = cleave.softmax %x over [K] : (!x) -> !p
  %y = cleave.contract %s, %w over [K] : (!p, !w) -> !y
  return %y : !y
}
