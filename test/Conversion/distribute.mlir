// RUN: cleave-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(cleave-assign-layouts,cleave-distribute,canonicalize,cse)))' --split-input-file | FileCheck %s
// RUN: cleave-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(cleave-distribute)))' --split-input-file --verify-diagnostics

// Types without tensor cores: multiply-add on the thread's own elements.
// CHECK-LABEL: gpu.func @f32
// CHECK-COUNT-8: math.fma {{.*}} : f32
gpu.module @m {
  gpu.func @f32(%a: memref<8x8xf32>, %b: memref<8x8xf32>, %c: memref<8x8xf32>) kernel attributes {cleave.warps = 1 : i64} {
    %c0 = arith.constant 0 : index
    %f0 = arith.constant 0.0 : f32
    // expected-error @below {{expected a layout for each tile; run cleave-assign-layouts first}}
    %acc = arith.constant dense<0.0> : vector<8x8xf32>
    %x = vector.transfer_read %a[%c0, %c0], %f0 {in_bounds = [true, true]} : memref<8x8xf32>, vector<8x8xf32>
    %y = vector.transfer_read %b[%c0, %c0], %f0 {in_bounds = [true, true]} : memref<8x8xf32>, vector<8x8xf32>
    %r = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
        iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %x, %y, %acc : vector<8x8xf32>, vector<8x8xf32> into vector<8x8xf32>
    vector.transfer_write %r, %c[%c0, %c0] {in_bounds = [true, true]} : vector<8x8xf32>, memref<8x8xf32>
    gpu.return
  }
}

// -----

// A row length that is no multiple of 16 bytes allows 8 only; an unknown one,
// single elements. One warp of the two stores what both hold.
// CHECK-LABEL: gpu.func @alignment
gpu.module @m {
  gpu.func @alignment(%x: memref<?x12xf16>, %y: memref<?x?xf16>) kernel attributes {cleave.warps = 2 : i64} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %h0 = arith.constant 0.0 : f16
    %b = gpu.block_id x
    %i = arith.muli %b, %c4 : index
    // expected-error @below {{expected a layout for each tile; run cleave-assign-layouts first}}
    %a = vector.transfer_read %x[%i, %c4], %h0 {in_bounds = [true, true]} : memref<?x12xf16>, vector<4x8xf16>
    // CHECK: vector.load {{.*}} {alignment = 8 : i64} : memref<?xf16>, vector<4xf16>
    // CHECK: scf.if
    // CHECK-COUNT-1: vector.store {{.*}} {alignment = 2 : i64} : memref<?xf16>, vector<1xf16>
    // CHECK-NOT: vector.store
    vector.transfer_write %a, %y[%i, %c0] {in_bounds = [true, true]} : vector<4x8xf16>, memref<?x?xf16>
    gpu.return
  }
}

// -----

// A bit of a memref is a byte of memory: no packed vectors.
// CHECK-LABEL: gpu.func @bits
gpu.module @m {
  gpu.func @bits(%x: memref<64xi1>, %y: memref<64xi1>) kernel attributes {cleave.warps = 1 : i64} {
    %c0 = arith.constant 0 : index
    %false = arith.constant false
    // expected-error @below {{expected a layout for each tile; run cleave-assign-layouts first}}
    %a = vector.transfer_read %x[%c0], %false {in_bounds = [true]} : memref<64xi1>, vector<64xi1>
    // CHECK-COUNT-2: memref.load %{{.*}} : memref<64xi1>
    // CHECK-COUNT-2: memref.store %{{.*}} : memref<64xi1>
    vector.transfer_write %a, %y[%c0] {in_bounds = [true]} : vector<64xi1>, memref<64xi1>
    gpu.return
  }
}

// -----

// A reduction of a tile that gets a unit dimension needs no shared memory for
// the tile, but for one value a warp.
// CHECK-LABEL: gpu.func @unit
// CHECK-SAME: workgroup(%{{.*}} : memref<{{16|32}}xi8
gpu.module @m {
  gpu.func @unit(%x: memref<?x?xf32>, %y: memref<1xf32>) kernel attributes {cleave.warps = 4 : i64} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    // expected-error @below {{expected a layout for each tile; run cleave-assign-layouts first}}
    %init = arith.constant dense<0.0> : vector<1xf32>
    %a = vector.transfer_read %x[%c0, %c0], %zero {in_bounds = [true, true]} : memref<?x?xf32>, vector<32x32xf32>
    %b = vector.broadcast %a : vector<32x32xf32> to vector<1x32x32xf32>
    %r = vector.multi_reduction <add>, %b, %init [1, 2] : vector<1x32x32xf32> to vector<1xf32>
    vector.transfer_write %r, %y[%c0] {in_bounds = [true]} : vector<1xf32>, memref<1xf32>
    gpu.return
  }
}
