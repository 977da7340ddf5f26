// A contraction whose second side lacks the axis is a reduction on the GPU: its
// tile was as large as one of tensor cores' fragments may be, and was refused.

// RUN: cleave-opt %s --cleave-expand --cleave-schedule=representative=K=2048,T=2048 --cleave-tiles-to-gpu=chip=sm_90a -o %t
// RUN: cleave-run --device=emulator --source=%s %t --check --bind 'K=7,T=6;K=1,T=1;K=0,T=3' | FileCheck %s
// CHECK-COUNT-3: Y{{.*}}: ok

#C = #cleave.axes<C>
#C_T = #cleave.axes<C, T>
#K_T = #cleave.axes<K, T>

func.func @outer(%x: tensor<?x?xf16, #K_T> {cleave.name = "X"}, %s: tensor<33xf16, #C> {cleave.name = "S"})
    -> (tensor<33x?xf32, #C_T> {cleave.name = "Y"}) {
  %y = cleave.contract %x, %s over [K]
     : (tensor<?x?xf16, #K_T>, tensor<33xf16, #C>) -> tensor<33x?xf32, #C_T>
  return %y : tensor<33x?xf32, #C_T>
}
