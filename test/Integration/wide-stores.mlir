// What a wide tile of products becomes leaves the block by lines of 16 bytes a
// thread, through the memory that the ring had: fragments of 16 bits would write
// each sector of 32 bytes twice. Those of 32 bits fill sectors as they are.

// RUN: cleave-opt %s --mlir-disable-threading --cleave-to-gpu=chip=sm_90a --mlir-print-ir-after=cleave-assign-layouts -o /dev/null 2>&1 | FileCheck %s --check-prefix=TILES
// RUN: cleave-run %s --entry=narrow --device=emulator --chip=sm_90a --check --bind 'M=129,K=72;M=1,K=1;M=128,K=0' | FileCheck %s
// RUN: cleave-run %s --entry=wide --device=emulator --chip=sm_90a --check --bind 'M=129,K=72;M=1,K=1;M=128,K=0' | FileCheck %s
// CHECK-COUNT-3: : ok

// TILES-LABEL: gpu.func @narrow
// TILES:         scf.for
// TILES:         memref.dealloc
// TILES:         memref.dealloc
// TILES:         cleave_tile.convert_layout {{.*}} : vector<128x256xf16>
// TILES:         vector.transfer_write
// TILES-LABEL: gpu.func @wide
// TILES-NOT:     cleave_tile.convert_layout {{.*}} : vector<128x256xf32>
// TILES:         gpu.return

#K_N = #cleave.axes<K, N>
#M_K = #cleave.axes<M, K>
#M_N = #cleave.axes<M, N>

func.func @narrow(%x: tensor<?x?xf16, #M_K> {cleave.name = "X"}, %w: tensor<?x256xf16, #K_N> {cleave.name = "W"})
    -> (tensor<?x256xf16, #M_N> {cleave.name = "Y"})
    attributes {cleave.symbols = #cleave.symbols<M: dynamic like 2048, K: dynamic like 4096>,
                cleave.schedule = #cleave.schedule<region = 0, grid = [M: 128, N: 256], loop = [K: 32], warps = 8, stages = 3>} {
  %y = cleave.contract %x, %w over [K] : (tensor<?x?xf16, #M_K>, tensor<?x256xf16, #K_N>) -> tensor<?x256xf32, #M_N>
  %z = cleave.cast %y : tensor<?x256xf32, #M_N> to tensor<?x256xf16, #M_N>
  return %z : tensor<?x256xf16, #M_N>
}

func.func @wide(%x: tensor<?x?xf16, #M_K> {cleave.name = "X"}, %w: tensor<?x256xf16, #K_N> {cleave.name = "W"})
    -> (tensor<?x256xf32, #M_N> {cleave.name = "Y"})
    attributes {cleave.symbols = #cleave.symbols<M: dynamic like 2048, K: dynamic like 4096>,
                cleave.schedule = #cleave.schedule<region = 0, grid = [M: 128, N: 256], loop = [K: 32], warps = 8, stages = 3>} {
  %y = cleave.contract %x, %w over [K] : (tensor<?x?xf16, #M_K>, tensor<?x256xf16, #K_N>) -> tensor<?x256xf32, #M_N>
  return %y : tensor<?x256xf32, #M_N>
}
