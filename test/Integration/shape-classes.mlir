// Several schedules of one function, pinned: one program has them all, and the
// extents of a call choose.

// RUN: cleave-opt %s --mlir-disable-threading --cleave-print-loop-nest -o /dev/null 2>&1 | FileCheck %s --check-prefix=NEST
// RUN: cleave-run %s --check --entry=linear --bind 'M=0;M=1;M=7;M=8;M=45;M=46;M=101' | FileCheck %s --check-prefix=LINEAR
// RUN: cleave-run %s --check --entry=sums --bind 'M=16,K=64;M=17,K=64;M=16,K=65;M=0,K=65;M=16,K=0;M=17,K=1' | FileCheck %s --check-prefix=SUMS
// RUN: cleave-opt %s --cleave-to-cubin=chip=sm_90a -o %t.mlir
// RUN: cleave-run %t.mlir --source %s --entry=linear --device=cuda --dry-run --bind 'M=0;M=7;M=8;M=45;M=46' | FileCheck %s --check-prefix=LAUNCH

#M_K = #cleave.axes<M, K>
#K_N = #cleave.axes<K, N>
#M_N = #cleave.axes<M, N>
#M = #cleave.axes<M>

// NEST-LABEL: @linear when M upto 7, region 0
// NEST-NEXT: kernel 0: parallel M step 16, N step 16, warps 1
// NEST: kernel 1:
// NEST-LABEL: @linear when M upto 45, region 0
// NEST-NEXT: kernel 0: parallel M step 16, N step 16, warps 4, stages 2:
// NEST-LABEL: @linear otherwise, region 0
// NEST-NEXT: kernel 0: parallel M step 64
// LINEAR-COUNT-7: Y[M={{.*}}]: {{.*}}: ok
// LAUNCH: launches[{{.*}}M=0{{.*}}]: 0
// LAUNCH: launches[{{.*}}M=7{{.*}}]: 2
// LAUNCH-NEXT: linear_M_upto_7_0 grid 4x1x1
// LAUNCH-NEXT: linear_M_upto_7_1 grid 4x1x1
// LAUNCH: launches[{{.*}}M=8{{.*}}]: 1
// LAUNCH-NEXT: linear_M_upto_45_0 grid 4x1x1
// LAUNCH: launches[{{.*}}M=45{{.*}}]: 1
// LAUNCH-NEXT: linear_M_upto_45_0 grid 12x1x1
// LAUNCH: launches[{{.*}}M=46{{.*}}]: 1
// LAUNCH-NEXT: linear_0 grid 1x1x1
func.func @linear(%x: tensor<?x96xf16, #M_K> {cleave.name = "X"}, %w: tensor<96x64xf16, #K_N> {cleave.name = "W"})
    -> (tensor<?x64xf16, #M_N> {cleave.name = "Y"})
    attributes {cleave.schedule = #cleave.schedules<[
      <when = [M upto 7], region = 0, kernels = [
        <store = [v0], grid = [M: 16, N: 16], loop = [K: 32], warps = 1, stages = 1>,
        <store = [result0], grid = [M: 16, N: 16], loop = [], warps = 1, stages = 1>]>,
      <when = [M upto 45], region = 0, grid = [M: 16, N: 16], loop = [K: 32], warps = 4, stages = 2>,
      <region = 0, grid = [M: 64, N: 64], loop = [K: 32], warps = 4, stages = 1>]>} {
  %y = cleave.contract %x, %w over [K] : (tensor<?x96xf16, #M_K>, tensor<96x64xf16, #K_N>) -> tensor<?x64xf32, #M_N>
  %h = cleave.cast %y : tensor<?x64xf32, #M_N> to tensor<?x64xf16, #M_N>
  return %h : tensor<?x64xf16, #M_N>
}

// NEST-LABEL: @sums when K upto 64, M upto 16, region 0
// NEST-LABEL: @sums when M upto 16, region 0
// NEST-LABEL: @sums otherwise, region 0
// SUMS-COUNT-6: S[K={{.*}}]: {{.*}}: ok
func.func @sums(%x: tensor<?x?xf16, #M_K> {cleave.name = "X"})
    -> (tensor<?xf32, #M> {cleave.name = "S"}, tensor<?xf32, #M> {cleave.name = "L"})
    attributes {cleave.schedule = #cleave.schedules<[
      <when = [K upto 64, M upto 16], region = 0, grid = [M: 1], loop = [K: 64], warps = 1, stages = 1>,
      <when = [M upto 16], region = 0, kernels = [
        <store = [result1], grid = [M: 2], loop = [K: 32], warps = 1, stages = 1>,
        <store = [result0], grid = [M: 4], loop = [K: 64], warps = 2, stages = 1>]>,
      <region = 0, grid = [M: 8], loop = [K: 32], warps = 1, stages = 1>]>} {
  %s = cleave.reduce_sum %x over [K] : (tensor<?x?xf16, #M_K>) -> tensor<?xf32, #M>
  %l = cleave.reduce_max %x over [K] : (tensor<?x?xf16, #M_K>) -> tensor<?xf32, #M>
  return %s, %l : tensor<?xf32, #M>, tensor<?xf32, #M>
}
