// A softmax over few rows with a wide weighted sum in one kernel: warps share
// rows, the axis of the scores is no power of two, and the first part of the
// keys is the value too.

// RUN: cleave-opt %s --mlir-disable-threading --cleave-expand --cleave-form-folds --cleave-print-loop-nest -o /dev/null 2>&1 | FileCheck %s --check-prefix=NEST
// RUN: cleave-opt %s --cleave-expand --cleave-form-folds --cleave-schedule -o %t.mlir
// RUN: FileCheck %s --check-prefix=FORM < %t.mlir
// RUN: cleave-opt %t.mlir --mlir-disable-threading --cleave-tiles-to-gpu=chip=sm_90a --mlir-print-ir-after=cleave-pipeline-fragments -o /dev/null 2>&1 | FileCheck %s --check-prefix=TILES
// RUN: cleave-opt %t.mlir --mlir-disable-threading --cleave-tiles-to-gpu=chip=sm_90a --mlir-print-ir-after=cleave-insert-barriers -o /dev/null 2>&1 | FileCheck %s --check-prefix=WAITS
// RUN: cleave-run %s --check --bind 'B=2,T=37;B=1,T=130;B=1,T=1;B=1,T=0' | FileCheck %s --check-prefix=RESULT
// RUN: cleave-run %s --device=emulator --chip=sm_90a --check --bind 'B=2,T=37;B=1,T=130;B=1,T=1;B=1,T=0' | FileCheck %s --check-prefix=RESULT

// NEST:      for T in |T| step 32:
// NEST-NEXT:   for C in 80 step 64, written out:
// NEST:      contract over [C]
// NEST:      contract over [T]

// The queries' parts stand before the loop.
// FORM:     tensor.extract_slice %{{.*}} [1, 32, 64] [1, 1, 1]
// FORM:     tensor.extract_slice %{{.*}} [1, 32, 16] [1, 1, 1]
// FORM:     scf.for %
// FORM-NOT: scf.for %
// FORM:     return

// Two tiles of an iteration serve three products; what one of them makes is the
// next one's left side in all warps.
// TILES-COUNT-2: cleave_tile.ring : memref<3x
// TILES-NOT:     cleave_tile.ring : memref<3x
// TILES:         scf.if
// TILES:           %[[P:.*]] = cleave_tile.ring : memref<1x32x32xf16
// TILES:           cleave_tile.write %{{.*}}, %[[P]]
// TILES:           cleave_tile.read %[[P]]{{.*}} {offsets = array<i64: 0, 0>}
// TILES:           vector.contract
// TILES:           cleave_tile.read %[[P]]{{.*}} {offsets = array<i64: 0, 16>}
// TILES:           vector.contract
// TILES:           memref.dealloc %[[P]]

// In each iteration warps wait for copies, for each other's maxima, and for the
// rows to multiply with the factors of the sums. The sums of rows meet behind
// the loop.
// WAITS:             nvvm.cp.async.wait.group 1
// WAITS-NEXT:        gpu.barrier
// WAITS:             scf.if {{.*}} -> (vector
// WAITS-COUNT-2:       gpu.barrier
// WAITS-NOT:           gpu.barrier
// WAITS:             } else {
// WAITS-COUNT-2:       gpu.barrier
// WAITS-NOT:           gpu.barrier
// WAITS:               scf.yield
// WAITS:             nvvm.cp.async.wait.group 0

// RESULT: O[B=2,T=37]: {{.*}} ok
// RESULT: O[B=1,T=130]: {{.*}} ok
// RESULT: O[B=1,T=1]: {{.*}} ok
// RESULT: O[B=1,T=0]: {{.*}} ok

#B_H_C = #cleave.axes<B, H, C>
#B_H_L = #cleave.axes<B, H, L>
#B_H_T = #cleave.axes<B, H, T>
#B_L_T = #cleave.axes<B, L, T>
#B_T_C = #cleave.axes<B, T, C>

func.func @latent(%q: tensor<?x32x80xf16, #B_H_C> {cleave.name = "Q"}, %c: tensor<?x?x80xf16, #B_T_C> {cleave.name = "C"})
    -> (tensor<?x32x64xf16, #B_H_L> {cleave.name = "O"})
    attributes {cleave.schedule = #cleave.schedule<region = 0, grid = [B: 1, H: 32, L: 64], loop = [C: 64, T: 32], warps = 4, stages = 3>} {
  %s = cleave.contract %q, %c over [C]
     : (tensor<?x32x80xf16, #B_H_C>, tensor<?x?x80xf16, #B_T_C>) -> tensor<?x32x?xf32, #B_H_T>
  %p = cleave.softmax %s over [T] : (tensor<?x32x?xf32, #B_H_T>) -> tensor<?x32x?xf32, #B_H_T>
  %v = cleave.slice %c C at 0 as L : tensor<?x?x80xf16, #B_T_C> to tensor<?x64x?xf16, #B_L_T>
  %o = cleave.contract %p, %v over [T]
     : (tensor<?x32x?xf32, #B_H_T>, tensor<?x64x?xf16, #B_L_T>) -> tensor<?x32x64xf32, #B_H_L>
  %y = cleave.cast %o : tensor<?x32x64xf32, #B_H_L> to tensor<?x32x64xf16, #B_H_L>
  return %y : tensor<?x32x64xf16, #B_H_L>
}
