// A region that has no schedule is dropped; the others stand.

// RUN: not cleave-opt %s --cleave-assign-schedule --split-input-file --remarks-filter=cleave-schedule --remark-format=emitRemark 2>&1 | FileCheck %s
// CHECK: remark: [Missed] schedule | {{.*}}Function=dropped{{.*}}no schedule for region 0: a reduction inside a fold's body is not supported
// CHECK: remark: [Passed] schedule | {{.*}}Function=dropped{{.*}}region 1 (input)
// CHECK: remark: [Analysis] schedule | {{.*}}Function=dropped{{.*}}kernel 0: {{.*}} us, {{[0-9]+}} blocks a multiprocessor
// Where none is left, the first reason is an error.
// CHECK: error: no schedule for region 0: a reduction inside a fold's body is not supported
// CHECK-NEXT: func.func @none_left
// CHECK: func.func @dropped
// CHECK-SAME: #cleave.schedule<region = 1

#M = #cleave.axes<M>
#K_M_N = #cleave.axes<K, M, N>
#K_M = #cleave.axes<K, M>

func.func @dropped(%x: tensor<?x?x?xf32, #K_M_N>) -> tensor<?xf32, #M> {
  %0 = cleave.alternatives ["folded", "input"] {
    %f:2 = cleave.fold over [K] ins(%x : tensor<?x?x?xf32, #K_M_N>)
      reduce_max body {
    ^bb0(%a: tensor<?x?x?xf32, #K_M_N>):
      %m = cleave.reduce_max %a over [N] : (tensor<?x?x?xf32, #K_M_N>) -> tensor<?x?xf32, #K_M>
      cleave.yield %m : tensor<?x?xf32, #K_M>
    } rebase {
    }
      reduce_sum body {
    ^bb0(%a: tensor<?x?x?xf32, #K_M_N>, %ref: tensor<?xf32, #M>):
      %d = cleave.sub %a, %ref : (tensor<?x?x?xf32, #K_M_N>, tensor<?xf32, #M>) -> tensor<?x?x?xf32, #K_M_N>
      %m = cleave.reduce_max %d over [N] : (tensor<?x?x?xf32, #K_M_N>) -> tensor<?x?xf32, #K_M>
      cleave.yield %m : tensor<?x?xf32, #K_M>
    } rebase {
    ^bb0(%old: tensor<?xf32, #M>, %own: tensor<?xf32, #M>, %new: tensor<?xf32, #M>):
      cleave.yield %own : tensor<?xf32, #M>
    } -> (tensor<?xf32, #M>, tensor<?xf32, #M>)
    cleave.yield %f#1 : tensor<?xf32, #M>
  }, {
    %m = cleave.reduce_max %x over [K, N] : (tensor<?x?x?xf32, #K_M_N>) -> tensor<?xf32, #M>
    cleave.yield %m : tensor<?xf32, #M>
  } : tensor<?xf32, #M>
  return %0 : tensor<?xf32, #M>
}

// -----

#M = #cleave.axes<M>
#K_M_N = #cleave.axes<K, M, N>
#K_M = #cleave.axes<K, M>

func.func @none_left(%x: tensor<?x?x?xf32, #K_M_N>) -> tensor<?xf32, #M> {
  %f:2 = cleave.fold over [K] ins(%x : tensor<?x?x?xf32, #K_M_N>)
    reduce_max body {
  ^bb0(%a: tensor<?x?x?xf32, #K_M_N>):
    %m = cleave.reduce_max %a over [N] : (tensor<?x?x?xf32, #K_M_N>) -> tensor<?x?xf32, #K_M>
    cleave.yield %m : tensor<?x?xf32, #K_M>
  } rebase {
  }
    reduce_sum body {
  ^bb0(%a: tensor<?x?x?xf32, #K_M_N>, %ref: tensor<?xf32, #M>):
    %d = cleave.sub %a, %ref : (tensor<?x?x?xf32, #K_M_N>, tensor<?xf32, #M>) -> tensor<?x?x?xf32, #K_M_N>
    %m = cleave.reduce_max %d over [N] : (tensor<?x?x?xf32, #K_M_N>) -> tensor<?x?xf32, #K_M>
    cleave.yield %m : tensor<?x?xf32, #K_M>
  } rebase {
  ^bb0(%old: tensor<?xf32, #M>, %own: tensor<?xf32, #M>, %new: tensor<?xf32, #M>):
    cleave.yield %own : tensor<?xf32, #M>
  } -> (tensor<?xf32, #M>, tensor<?xf32, #M>)
  return %f#1 : tensor<?xf32, #M>
}
