// A thread with 128 sums of exponentials keeps the reference of its rows while
// the maximum is near, and goes around its products then. Scores that jump up
// and down, rows of which no position counts, infinite and undefined scores.

// RUN: cleave-opt %s --mlir-disable-threading --cleave-to-gpu=chip=sm_90a --mlir-print-ir-after=cleave-skip-rescaling -o /dev/null 2>&1 | FileCheck %s --check-prefix=TILES
// RUN: cleave-run %s --device=emulator --chip=sm_90a --check --bind 'M=37,K=131;M=1,K=1;M=33,K=64;M=5,K=0' --scale X=0.5 | FileCheck %s
// RUN: cleave-run %s --device=emulator --chip=sm_90a --check --bind 'M=37,K=131;M=67,K=257' --scale X=40 | FileCheck %s
// RUN: %python %S/Inputs/special_scores.py %t.npy
// RUN: cleave-run %s --device=emulator --chip=sm_90a --check --input X=%t.npy | FileCheck %s

// The logarithm of the sum has no reference any more either.
// RUN: cleave-opt %src/examples/attention_lse.mlir --mlir-disable-threading --cleave-to-gpu=chip=sm_90a --mlir-print-ir-after=cleave-skip-rescaling -o /dev/null 2>&1 | FileCheck %s --check-prefix=LSE
// RUN: cleave-run %src/examples/attention_lse.mlir --device=emulator --chip=sm_90a --check --bind 'B=1,S=37,T=131' --scale Q=4 | FileCheck %s
// LSE: cleave_tile.rescale
// LSE: math.log
// CHECK-NOT: wrong
// CHECK:     : ok

// TILES:      %[[MOST:.*]] = vector.multi_reduction <maximumf>, %{{.*}}, %[[OLD:.*]] [1]
// TILES-NEXT: %[[BEYOND:.*]] = arith.subf %[[MOST]], %[[OLD]]
// TILES:      %[[FAR:.*]] = arith.cmpf ugt, %[[BEYOND]]
// TILES-NEXT: arith.select %[[FAR]], %[[MOST]], %[[OLD]]
// TILES:      cleave_tile.rescale %{{.*}} : vector<32x128xf32>

#M_K = #cleave.axes<M, K>
#K_M = #cleave.axes<K, M>
#K_N = #cleave.axes<K, N>
#M_N = #cleave.axes<M, N>
#K = #cleave.axes<K>
#s = #cleave.axes<>

// The mean of V's rows by the softmax of X over its first L columns.
func.func @mean(%x: tensor<?x?xf16, #M_K> {cleave.name = "X"}, %v: tensor<?x128xf16, #K_N> {cleave.name = "V"})
    -> (tensor<?x128xf16, #M_N> {cleave.name = "Y"})
    attributes {cleave.symbols = #cleave.symbols<M: dynamic like 64, K: dynamic like 1024>,
                cleave.schedule = #cleave.schedule<region = 0, grid = [M: 32, N: 128], loop = [K: 32], warps = 1, stages = 2>} {
  %i = cleave.iota K : tensor<?xf32, #K>
  %l = cleave.constant 180.0 : tensor<f32, #s>
  %c = cleave.cmp lt %i, %l : (tensor<?xf32, #K>, tensor<f32, #s>) -> tensor<?xi1, #K>
  %ninf = cleave.constant 0xFFF0000000000000 : tensor<f32, #s>
  %m = cleave.select %c, %x, %ninf : (tensor<?xi1, #K>, tensor<?x?xf16, #M_K>, tensor<f32, #s>) -> tensor<?x?xf32, #K_M>
  %p = cleave.softmax %m over [K] : (tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  %y = cleave.contract %p, %v over [K] : (tensor<?x?xf32, #K_M>, tensor<?x128xf16, #K_N>) -> tensor<?x128xf32, #M_N>
  %y16 = cleave.cast %y : tensor<?x128xf32, #M_N> to tensor<?x128xf16, #M_N>
  return %y16 : tensor<?x128xf16, #M_N>
}
