// RUN: cleave-opt %s --cleave-to-gpu | FileCheck %s
// RUN: cleave-opt %s --cleave-to-gpu=representative=M=512 | FileCheck %s

// The tiles of both contractions of a step are in shared memory at once: the
// cost model has to count them all, or the chosen kernel does not fit.

// CHECK: gpu.module @gated_kernels
// CHECK-COUNT-2: nvvm.mma.sync

#M_K = #cleave.axes<M, K>
#K_N = #cleave.axes<K, N>
#M_N = #cleave.axes<M, N>

func.func @gated(%x: tensor<?x4096xf16, #M_K>,
                 %v: tensor<4096x4096xf16, #K_N>,
                 %w: tensor<4096x4096xf16, #K_N>) -> tensor<?x4096xf16, #M_N>
    attributes {cleave.symbols = #cleave.symbols<M: dynamic like 16>} {
  %a = cleave.contract %x, %v over [K]
     : (tensor<?x4096xf16, #M_K>, tensor<4096x4096xf16, #K_N>) -> tensor<?x4096xf32, #M_N>
  %b = cleave.contract %x, %w over [K]
     : (tensor<?x4096xf16, #M_K>, tensor<4096x4096xf16, #K_N>) -> tensor<?x4096xf32, #M_N>
  %s = cleave.silu %a : (tensor<?x4096xf32, #M_N>) -> tensor<?x4096xf32, #M_N>
  %p = cleave.mul %s, %b
     : (tensor<?x4096xf32, #M_N>, tensor<?x4096xf32, #M_N>) -> tensor<?x4096xf32, #M_N>
  %h = cleave.cast %p : tensor<?x4096xf32, #M_N> to tensor<?x4096xf16, #M_N>
  return %h : tensor<?x4096xf16, #M_N>
}
