// A kernel beside one that stores what nobody reads: without that one it
// shared the launch of a kernel that it depends on.

// RUN: cleave-opt %s --cleave-apply-schedule -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: cleave-run %t.mlir --source %s --check --device=emulator --emulator-last-block-first --bind 'M=5;M=1;M=0' | FileCheck %s --check-prefix=NUMBERS

// CHECK-COUNT-2: scf.forall (
// CHECK-NOT: cleave.beside
// NUMBERS-COUNT-3: ok

#M_K = #cleave.axes<M, K>
#K_M = #cleave.axes<K, M>
#M = #cleave.axes<M>

func.func @unread(%x: tensor<?x40xf32, #M_K>) -> tensor<40x?xf32, #K_M>
    attributes {cleave.schedule = #cleave.schedule<region = 0, kernels = [
      <store = [v1], grid = [M: 1], loop = [K: 64], warps = 4, stages = 1>,
      <store = [v0], grid = [M: 4], loop = [K: 64], warps = 4, stages = 1>,
      <store = [result0], beside, grid = [K: 8, M: 1], loop = [], warps = 4, stages = 1>]>} {
  %a = cleave.reduce_sum %x over [K] : (tensor<?x40xf32, #M_K>) -> tensor<?xf32, #M>
  %b = cleave.neg %a : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %y = cleave.add %x, %b : (tensor<?x40xf32, #M_K>, tensor<?xf32, #M>) -> tensor<40x?xf32, #K_M>
  return %y : tensor<40x?xf32, #K_M>
}
