// What is said of folds is said of regions that stay.

// RUN: cleave-opt %s --cleave-algebra="k=1 split=false" --remarks-filter=cleave-form-folds 2>&1 | FileCheck %s --check-prefix=ONE --implicit-check-not=one-pass
// ONE: cleave.alternatives ["input"]
// RUN: cleave-opt %s --cleave-algebra=split=false --remarks-filter=cleave-form-folds 2>&1 | FileCheck %s
// CHECK: [Passed] one-pass
// CHECK: cleave.alternatives [{{.*}}"input, folded", "input"]
// CHECK: cleave.fold over [K]

#M = #cleave.axes<M>
!x = tensor<8x?xf32, #cleave.axes<K, M>>
func.func @softmax_sum(%x: !x) -> tensor<?xf32, #M> {
  %m = cleave.reduce_max %x over [K] : (!x) -> tensor<?xf32, #M>
  %d = cleave.sub %x, %m : (!x, tensor<?xf32, #M>) -> !x
  %e = cleave.exp %d : (!x) -> !x
  %l = cleave.reduce_sum %e over [K] : (!x) -> tensor<?xf32, #M>
  return %l : tensor<?xf32, #M>
}
