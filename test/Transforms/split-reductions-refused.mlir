// RUN: cleave-opt %s --cleave-split-reductions --remarks-filter=cleave-split-reductions 2>&1 | FileCheck %s

// Folds that were written by hand, in ways that cannot be split.

#K_M = #cleave.axes<K, M>
#M = #cleave.axes<M>
!x = tensor<?x?xf32, #K_M>
!m = tensor<?xf32, #M>
!s = tensor<f32, #cleave.axes<>>

// CHECK: not split over K: 'cleave.reduce_max' in a body uses the axis
// CHECK: not split over K: a rebase does not use its state

// CHECK-LABEL: func.func @reduces_inside
// CHECK-NOT: cleave.split
// CHECK: cleave.fold over [K]
func.func @reduces_inside(%x: !x) -> !m {
  %0 = cleave.fold over [K] ins(%x : !x)
    reduce_sum body {
    ^bb0(%a: !x):
      %1 = cleave.reduce_max %a over [K] : (!x) -> !m
      %2 = cleave.sub %a, %1 : (!x, !m) -> !x
      cleave.yield %2 : !x
    } rebase {
    } -> (!m)
  return %0 : !m
}

// CHECK-LABEL: func.func @forgets_its_state
// CHECK-NOT: cleave.split
// CHECK: cleave.fold over [K]
func.func @forgets_its_state(%x: !x) -> !m {
  %0:2 = cleave.fold over [K] ins(%x : !x)
    reduce_max body {
    ^bb0(%a: !x):
      cleave.yield %a : !x
    } rebase {
    }
    reduce_max body {
    ^bb0(%a: !x, %r: !m):
      %1 = cleave.max %a, %r : (!x, !m) -> !x
      cleave.yield %1 : !x
    } rebase {
    ^bb0(%old: !m, %state: !m, %new: !m):
      cleave.yield %new : !m
    } -> (!m, !m)
  return %0#1 : !m
}
