// RUN: cleave-opt %s --cleave-apply-schedule --split-input-file | FileCheck %s

#K_M = #cleave.axes<K, M>
#M_K = #cleave.axes<M, K>
#N_K = #cleave.axes<N, K>
#M_N = #cleave.axes<M, N>
#N_M = #cleave.axes<N, M>

// Storage orders of the arguments and the result are kept.
// CHECK-LABEL: func @linear
// CHECK-SAME: (%[[X:.*]]: tensor<?x100xf16> {cleave.name = "X"}, %[[W:.*]]: tensor<33x100xf16>) -> tensor<33x?xf32>
// CHECK: %[[Y:.*]] = scf.forall (%[[I:.*]], %[[J:.*]]) = (0, 0) to (33, %{{.*}}) step (8, 16) shared_outs(%[[OUT:.*]] =
// CHECK-DAG: %[[TN:.*]] = affine.min {{.*}}(%[[I]])
// CHECK-DAG: %[[TM:.*]] = affine.min {{.*}}(%[[J]])
// CHECK: scf.for %[[K:.*]] = {{.*}} iter_args
// CHECK: %[[TK:.*]] = affine.min {{.*}}(%[[K]])
// CHECK-DAG: tensor.extract_slice %[[X]][%[[J]], %[[K]]] [%[[TM]], %[[TK]]]
// CHECK-DAG: tensor.extract_slice %[[W]][%[[I]], %[[K]]] [%[[TN]], %[[TK]]]
// CHECK: arith.mulf
// CHECK: tensor.parallel_insert_slice {{.*}} into %[[OUT]][%[[I]], %[[J]]] [%[[TN]], %[[TM]]]
// CHECK: cleave.stages = 1 : i64, cleave.warps = 2 : i64
// CHECK: return %[[Y]]
func.func @linear(%x: tensor<?x100xf16, #M_K> {cleave.name = "X", cleave.range = 2.0 : f32},
                  %w: tensor<33x100xf16, #N_K>) -> tensor<33x?xf32, #N_M>
    attributes {cleave.schedule = #cleave.schedule<region = 0, grid = [N: 8, M: 16], loop = [K: 16], warps = 2, stages = 1>} {
  %y = cleave.contract %x, %w over [K] : (tensor<?x100xf16, #M_K>, tensor<33x100xf16, #N_K>) -> tensor<?x33xf32, #M_N>
  %r = cleave.relayout %y : tensor<?x33xf32, #M_N> to tensor<33x?xf32, #N_M>
  return %r : tensor<33x?xf32, #N_M>
}

// -----

#S = #cleave.axes<S>
#S_T = #cleave.axes<S, T>
#S_E = #cleave.axes<S, E>
#T_E = #cleave.axes<T, E>
#E_S = #cleave.axes<E, S>

// One loop over T carries all three states; the running sum and product are
// moved to the new maximum, the product accumulates in place.
// CHECK-LABEL: func @softmax_v
// CHECK: scf.for {{.*}} iter_args(%[[M0:.*]] = %{{.*}}, %[[L0:.*]] = %{{.*}}, %[[O0:.*]] = %{{.*}})
// CHECK: %[[M1:.*]] = linalg.generic {{.*}} outs(%[[M0]]
// CHECK: arith.maximumf
// CHECK: %[[F:.*]] = linalg.generic {{.*}}ins(%[[M0]], %[[M1]] :
// CHECK: math.exp
// CHECK: %[[L1:.*]] = linalg.generic {{.*}}ins(%[[L0]], {{.*}}%[[F]]
// CHECK: %[[P:.*]] = linalg.generic
// CHECK: math.exp
// CHECK-NOT: math.exp
// CHECK: %[[L2:.*]] = linalg.generic {{.*}}ins(%[[P]] :{{.*}} outs(%[[L1]]
// CHECK: %[[O1:.*]] = linalg.generic {{.*}}ins(%[[O0]], {{.*}}%[[F]]
// CHECK: %[[O2:.*]] = linalg.generic {{.*}} outs(%[[O1]]
// CHECK: scf.yield %[[M1]], %[[L2]], %[[O2]]
// CHECK-NOT: scf.for %
func.func @softmax_v(%z: tensor<?x?xf32, #S_T>, %v: tensor<?x?xf16, #T_E>) -> tensor<?x?xf32, #S_E>
    attributes {cleave.schedule = #cleave.schedule<region = 0, grid = [S: 16, E: 16], loop = [T: 32], warps = 4, stages = 1>} {
  %m, %l, %o = cleave.fold over [T] ins(%z, %v : tensor<?x?xf32, #S_T>, tensor<?x?xf16, #T_E>)
    reduce_max body {
    ^bb0(%a: tensor<?x?xf32, #S_T>, %b: tensor<?x?xf16, #T_E>):
      cleave.yield %a : tensor<?x?xf32, #S_T>
    } rebase {
    }
    reduce_sum body {
    ^bb0(%a: tensor<?x?xf32, #S_T>, %b: tensor<?x?xf16, #T_E>, %m: tensor<?xf32, #S>):
      %d = cleave.sub %a, %m : (tensor<?x?xf32, #S_T>, tensor<?xf32, #S>) -> tensor<?x?xf32, #S_T>
      %p = cleave.exp %d : (tensor<?x?xf32, #S_T>) -> tensor<?x?xf32, #S_T>
      cleave.yield %p : tensor<?x?xf32, #S_T>
    } rebase {
    ^bb0(%m0: tensor<?xf32, #S>, %l: tensor<?xf32, #S>, %m1: tensor<?xf32, #S>):
      %d = cleave.sub %m0, %m1 : (tensor<?xf32, #S>, tensor<?xf32, #S>) -> tensor<?xf32, #S>
      %f = cleave.exp %d : (tensor<?xf32, #S>) -> tensor<?xf32, #S>
      %r = cleave.mul %l, %f : (tensor<?xf32, #S>, tensor<?xf32, #S>) -> tensor<?xf32, #S>
      cleave.yield %r : tensor<?xf32, #S>
    }
    contract body {
    ^bb0(%a: tensor<?x?xf32, #S_T>, %b: tensor<?x?xf16, #T_E>, %m: tensor<?xf32, #S>, %l: tensor<?xf32, #S>):
      %d = cleave.sub %a, %m : (tensor<?x?xf32, #S_T>, tensor<?xf32, #S>) -> tensor<?x?xf32, #S_T>
      %p = cleave.exp %d : (tensor<?x?xf32, #S_T>) -> tensor<?x?xf32, #S_T>
      cleave.yield %p, %b : tensor<?x?xf32, #S_T>, tensor<?x?xf16, #T_E>
    } rebase {
    ^bb0(%m0: tensor<?xf32, #S>, %l0: tensor<?xf32, #S>, %o: tensor<?x?xf32, #E_S>, %m1: tensor<?xf32, #S>, %l1: tensor<?xf32, #S>):
      %d = cleave.sub %m0, %m1 : (tensor<?xf32, #S>, tensor<?xf32, #S>) -> tensor<?xf32, #S>
      %f = cleave.exp %d : (tensor<?xf32, #S>) -> tensor<?xf32, #S>
      %r = cleave.mul %o, %f : (tensor<?x?xf32, #E_S>, tensor<?xf32, #S>) -> tensor<?x?xf32, #E_S>
      cleave.yield %r : tensor<?x?xf32, #E_S>
    } -> (tensor<?xf32, #S>, tensor<?xf32, #S>, tensor<?x?xf32, #E_S>)
  %i = cleave.recip0 %l : (tensor<?xf32, #S>) -> tensor<?xf32, #S>
  %r = cleave.mul %o, %i : (tensor<?x?xf32, #E_S>, tensor<?xf32, #S>) -> tensor<?x?xf32, #E_S>
  %y = cleave.relayout %r : tensor<?x?xf32, #E_S> to tensor<?x?xf32, #S_E>
  return %y : tensor<?x?xf32, #S_E>
}

// -----

#M_K = #cleave.axes<M, K>
#M = #cleave.axes<M>

// Extents choose between kernels; they are read once.
// CHECK-LABEL: func @classes
// CHECK: %[[K:.*]] = tensor.dim %arg0, %c1
// CHECK: %[[M:.*]] = tensor.dim %arg0, %c0
// CHECK-NOT: tensor.dim
// CHECK-DAG: %[[SMALL_M:.*]] = arith.cmpi sle, %[[M]], %c16
// CHECK-DAG: %[[SMALL_K:.*]] = arith.cmpi sle, %[[K]], %c64
// CHECK: %[[BOTH:.*]] = arith.andi %[[SMALL_K]], %[[SMALL_M]]
// CHECK: %[[Y:.*]] = scf.if %[[BOTH]] -> (tensor<?xf32>)
// CHECK: scf.forall {{.*}} step (8)
// CHECK: } else {
// CHECK: %[[AGAIN:.*]] = arith.cmpi sle, %[[M]], %c16
// CHECK: %[[REST:.*]] = scf.if %[[AGAIN]]
// CHECK: scf.forall {{.*}} step (2)
// CHECK: } else {
// CHECK: scf.forall {{.*}} step (4)
// CHECK: } {cleave.when = "M upto 16"}
// CHECK: scf.yield %[[REST]]
// CHECK: } {cleave.when = "K upto 64, M upto 16"}
// CHECK: return %[[Y]]
func.func @classes(%x: tensor<?x?xf32, #M_K>) -> tensor<?xf32, #M>
    attributes {cleave.schedule = #cleave.schedules<[
      <when = [K upto 64, M upto 16], region = 0, grid = [M: 8], loop = [K: 64], warps = 1, stages = 1>,
      <when = [M upto 16], region = 0, grid = [M: 2], loop = [K: 64], warps = 1, stages = 1>,
      <region = 0, grid = [M: 4], loop = [K: 64], warps = 1, stages = 1>]>} {
  %y = cleave.reduce_sum %x over [K] : (tensor<?x?xf32, #M_K>) -> tensor<?xf32, #M>
  return %y : tensor<?xf32, #M>
}
