// A product of what another made: the other one has as rows what this one
// keeps, so that each warp goes on with its own fragments and nothing moves from
// warp to warp in the loop.
// RUN: cleave-opt %s --pass-pipeline='builtin.module(func.func( \
// RUN:   cleave-apply-schedule),cleave-tiles-to-gpu)' \
// RUN:   --mlir-print-ir-after=cleave-assign-layouts -o /dev/null 2>&1 \
// RUN:   | FileCheck %s
// RUN: cleave-run %s --device=emulator --bind=M=16 --check \
// RUN:   | FileCheck %s --check-prefix=OK
// RUN: cleave-run %s --device=emulator --bind=M=37 --check \
// RUN:   | FileCheck %s --check-prefix=OK
// RUN: cleave-run %s --device=emulator --bind=M=1 --check \
// RUN:   | FileCheck %s --check-prefix=OK
// RUN: cleave-run %s --device=emulator --bind=M=0 --check \
// RUN:   | FileCheck %s --check-prefix=OK

// OK: ok

//       CHECK: gpu.func @adapted_0
//       CHECK:   scf.for
//   CHECK-NOT:   convert_layout
//       CHECK:   %[[AB:.*]] = vector.contract {{.*}} into vector<64x128xf32>
//   CHECK-NOT:   convert_layout
//       CHECK:   vector.contract
//   CHECK-NOT:   convert_layout
//       CHECK:   scf.yield

#K_N = #cleave.axes<K, N>
#K_R = #cleave.axes<K, R>
#M_K = #cleave.axes<M, K>
#M_N = #cleave.axes<M, N>
#R_N = #cleave.axes<R, N>

func.func @adapted(
    %x: tensor<?x200xf16, #M_K> {cleave.name = "X"},
    %w: tensor<200x100xf16, #K_N> {cleave.name = "W"},
    %a: tensor<200x16xf16, #K_R> {cleave.name = "A"},
    %b: tensor<16x100xf16, #R_N> {cleave.name = "B"})
    -> (tensor<?x100xf16, #M_N> {cleave.name = "Y"})
    attributes {cleave.symbols = #cleave.symbols<M: dynamic like 16>,
      cleave.schedule = #cleave.schedule<region = 0, grid = [M: 16, N: 64],
        loop = [K: 128, R: 16], warps = 4, stages = 3>} {
  %ab = cleave.contract %a, %b over [R]
     : (tensor<200x16xf16, #K_R>, tensor<16x100xf16, #R_N>) -> tensor<200x100xf32, #K_N>
  %sum = cleave.add %w, %ab
     : (tensor<200x100xf16, #K_N>, tensor<200x100xf32, #K_N>) -> tensor<200x100xf32, #K_N>
  %y = cleave.contract %x, %sum over [K]
     : (tensor<?x200xf16, #M_K>, tensor<200x100xf32, #K_N>) -> tensor<?x100xf32, #M_N>
  %r = cleave.cast %y : tensor<?x100xf32, #M_N> to tensor<?x100xf16, #M_N>
  return %r : tensor<?x100xf16, #M_N>
}
