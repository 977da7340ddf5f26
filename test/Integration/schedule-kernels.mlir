// Several kernels, pinned: what crosses them is stored.

// RUN: cleave-opt %s --mlir-disable-threading --cleave-print-loop-nest -o /dev/null 2>&1 | FileCheck %s --check-prefix=NEST
// RUN: cleave-opt %s --cleave-schedule -o %t.mlir
// RUN: FileCheck %s --check-prefix=FORM < %t.mlir
// RUN: cleave-run %t.mlir --source %s --entry=two --check --bind 'M=37;M=1;M=0' | FileCheck %s --check-prefix=TWO
// RUN: cleave-run %t.mlir --source %s --entry=softmax --check --bind 'M=5,K=67;M=1,K=1;M=0,K=7' | FileCheck %s --check-prefix=SOFTMAX
// RUN: cleave-run %t.mlir --source %s --entry=shared --check --bind 'M=33;M=0' | FileCheck %s --check-prefix=SHARED
// RUN: cleave-run %t.mlir --source %s --entry=two --device=cuda --chip=sm_90a --dry-run --bind 'M=37;M=0' | FileCheck %s --check-prefix=LAUNCH
// RUN: cleave-run %t.mlir --source %s --entry=shared --device=cuda --chip=sm_90a --dry-run --bind 'M=37' | FileCheck %s --check-prefix=ONE

#M_K = #cleave.axes<M, K>
#K_M = #cleave.axes<K, M>
#K_N = #cleave.axes<K, N>
#N_P = #cleave.axes<N, P>
#M_N = #cleave.axes<M, N>
#M_P = #cleave.axes<M, P>
#M = #cleave.axes<M>

// The rounded value is the smaller one to store; the contraction that reads it
// needs no cast of its own.
// NEST-LABEL: @two
// NEST: kernel 0: parallel M step 16, N step 8, warps 4, stages 1:
// NEST: store v1.f16[M: 16, N: 8] =
// NEST: kernel 1: parallel M step 4, P step 16, warps 2, stages 2:
// NEST-NEXT: for N in 24 step 16:
// NEST-NEXT: load v1.f16[M: 4, N: 16]
// FORM-LABEL: func.func @two
// FORM: %[[Y:.*]] = scf.forall {{.*}} -> (tensor<?x24xf16>)
// FORM: scf.forall
// FORM: tensor.extract_slice %[[Y]]
// TWO: result0[M=37]: {{.*}} ok
// TWO: result0[M=1]: {{.*}} ok
// TWO: result0[M=0]: {{.*}} ok
// LAUNCH: launches[K=40,M=37,N=24,P=17]: 2
// LAUNCH: launches[K=40,M=0,N=24,P=17]: 0
func.func @two(%x: tensor<?x40xf16, #M_K> {cleave.name = "X"}, %w: tensor<40x24xf16, #K_N>, %v: tensor<24x17xf16, #N_P>) -> tensor<?x17xf32, #M_P>
    attributes {cleave.schedule = #cleave.schedule<region = 0, kernels = [
      <store = [v1.f16], grid = [M: 16, N: 8], loop = [K: 16], warps = 4, stages = 1>,
      <store = [result0], grid = [M: 4, P: 16], loop = [N: 16], warps = 2, stages = 2>]>} {
  %y = cleave.contract %x, %w over [K] : (tensor<?x40xf16, #M_K>, tensor<40x24xf16, #K_N>) -> tensor<?x24xf32, #M_N>
  %z = cleave.tanh %y : (tensor<?x24xf32, #M_N>) -> tensor<?x24xf32, #M_N>
  %r = cleave.contract %z, %v over [N] : (tensor<?x24xf32, #M_N>, tensor<24x17xf16, #N_P>) -> tensor<?x17xf32, #M_P>
  return %r : tensor<?x17xf32, #M_P>
}

// One kernel an operation; the numerator is read twice.
// NEST-LABEL: @softmax
// NEST: store v0[M: 4]
// NEST: store v2[M: 4, K: 16]
// NEST: store v3[M: 8]
// NEST: store result0[M: 2, K: 64]
// SOFTMAX: result0[K=67,M=5]: {{.*}} ok
// SOFTMAX: result0[K=1,M=1]: {{.*}} ok
// SOFTMAX: result0[K=7,M=0]: {{.*}} ok
func.func @softmax(%x: tensor<?x?xf16, #M_K> {cleave.name = "X"}) -> tensor<?x?xf32, #M_K>
    attributes {cleave.schedule = #cleave.schedule<region = 0, kernels = [
      <store = [v0], grid = [M: 4], loop = [K: 32], warps = 4, stages = 1>,
      <store = [v2], grid = [M: 4, K: 16], loop = [], warps = 1, stages = 1>,
      <store = [v3], grid = [M: 8], loop = [K: 16], warps = 4, stages = 1>,
      <store = [result0], grid = [M: 2, K: 64], loop = [], warps = 2, stages = 1>]>} {
  %m = cleave.reduce_max %x over [K] : (tensor<?x?xf16, #M_K>) -> tensor<?xf32, #M>
  %d = cleave.sub %x, %m : (tensor<?x?xf16, #M_K>, tensor<?xf32, #M>) -> tensor<?x?xf32, #K_M>
  %e = cleave.exp %d : (tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  %s = cleave.reduce_sum %e over [K] : (tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M>
  %q = cleave.div %e, %s : (tensor<?x?xf32, #K_M>, tensor<?xf32, #M>) -> tensor<?x?xf32, #K_M>
  %r = cleave.relayout %q : tensor<?x?xf32, #K_M> to tensor<?x?xf32, #M_K>
  return %r : tensor<?x?xf32, #M_K>
}

// One kernel stores both: each block of columns writes the rows' sums.
// NEST-LABEL: @shared
// NEST: kernel 0: parallel M step 16, N step 16
// NEST: store Y[M: 16, N: 16]
// NEST-NEXT: store S[M: 16]
// NEST-NOT: kernel
// SHARED: Y[M=33]: {{.*}} ok
// SHARED: S[M=33]: {{.*}} ok
// SHARED: Y[M=0]: {{.*}} ok
// ONE: launches[K=40,M=37,N=24]: 1
func.func @shared(%x: tensor<?x40xf16, #M_K> {cleave.name = "X"}, %w: tensor<40x24xf16, #K_N>) -> (tensor<?x24xf32, #M_N> {cleave.name = "Y"}, tensor<?xf32, #M> {cleave.name = "S"})
    attributes {cleave.schedule = #cleave.schedule<region = 0, kernels = [
      <store = [result0, result1], grid = [M: 16, N: 16], loop = [K: 16], warps = 4, stages = 1>]>} {
  %y = cleave.contract %x, %w over [K] : (tensor<?x40xf16, #M_K>, tensor<40x24xf16, #K_N>) -> tensor<?x24xf32, #M_N>
  %s = cleave.reduce_sum %x over [K] : (tensor<?x40xf16, #M_K>) -> tensor<?xf32, #M>
  return %y, %s : tensor<?x24xf32, #M_N>, tensor<?xf32, #M>
}
