// exp2(x * log2(e) - y * log2(e)) has the rounding of y * log2(e), which at 1e6 is
// 0.06. The sums of all iterations have the same, however y rises.

// RUN: %python %S/Inputs/large_scores.py %t.npy
// RUN: cleave-run %s --device=emulator --chip=sm_90a --check --tolerance=1e-5 --input X=%t.npy | FileCheck %s
// CHECK: : ok

#M_K = #cleave.axes<M, K>
#K_M = #cleave.axes<K, M>
#K_N = #cleave.axes<K, N>
#M_N = #cleave.axes<M, N>
#N_M = #cleave.axes<N, M>
#K = #cleave.axes<K>
#M = #cleave.axes<M>
#N = #cleave.axes<N>
#s = #cleave.axes<>

func.func @mean(%x: tensor<?x?xf32, #M_K> {cleave.name = "X"}, %v: tensor<?x128xf32, #K_N> {cleave.name = "V"})
    -> (tensor<?x128xf32, #M_N> {cleave.name = "Y"})
    attributes {cleave.symbols = #cleave.symbols<M: dynamic like 64, K: dynamic like 1024>,
                cleave.schedule = #cleave.schedule<region = 0, grid = [M: 32, N: 128], loop = [K: 32], warps = 2, stages = 2>} {
  %0 = cleave.constant 0.0 : tensor<f32, #s>
  %mm = cleave.reduce_max %x over [K] : (tensor<?x?xf32, #M_K>) -> tensor<?xf32, #M>
  %f = cleave.is_finite %mm : (tensor<?xf32, #M>) -> tensor<?xi1, #M>
  %m = cleave.select %f, %mm, %0 : (tensor<?xi1, #M>, tensor<?xf32, #M>, tensor<f32, #s>) -> tensor<?xf32, #M>
  %d = cleave.sub %x, %m : (tensor<?x?xf32, #M_K>, tensor<?xf32, #M>) -> tensor<?x?xf32, #K_M>
  %e = cleave.exp %d : (tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  %l = cleave.reduce_sum %e over [K] : (tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M>
  %o = cleave.contract %e, %v over [K] : (tensor<?x?xf32, #K_M>, tensor<?x128xf32, #K_N>) -> tensor<?x128xf32, #M_N>
  %y = cleave.div %o, %l : (tensor<?x128xf32, #M_N>, tensor<?xf32, #M>) -> tensor<?x128xf32, #M_N>
  return %y : tensor<?x128xf32, #M_N>
}
