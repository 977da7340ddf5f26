// RUN: cleave-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(cleave-assign-layouts)))' --split-input-file | FileCheck %s

// Attention's two contractions: warps split rows only, so that the probabilities
// go to the second one without leaving their threads, and row maxima stay in a
// warp.
// CHECK-DAG: #[[S:layout[0-9]*]] = #cleave_tile.layout<[64, 32] reg = [(0,1), (8,0), (0,8), (0,16)], lane = [(0,2), (0,4), (1,0), (2,0), (4,0)], warp = [(16,0), (32,0)]>
// CHECK-DAG: #[[ROW:layout[0-9]*]] = #cleave_tile.layout<[64] reg = [(8)], lane = [(0), (0), (1), (2), (4)], warp = [(16), (32)]>
// CHECK-LABEL: @attention
gpu.module @m {
  gpu.func @attention(%qs: memref<64x16xf16>, %ks: memref<32x16xf16>, %vs: memref<32x16xf16>, %os: memref<64x16xf32>) kernel attributes {cleave.warps = 4 : i64} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f16
    %q = vector.transfer_read %qs[%c0, %c0], %zero {in_bounds = [true, true]} : memref<64x16xf16>, vector<64x16xf16>
    %k = vector.transfer_read %ks[%c0, %c0], %zero {in_bounds = [true, true]} : memref<32x16xf16>, vector<32x16xf16>
    %v = vector.transfer_read %vs[%c0, %c0], %zero {in_bounds = [true, true]} : memref<32x16xf16>, vector<32x16xf16>
    %s0 = arith.constant dense<0.0> : vector<64x32xf32>
    %o0 = arith.constant dense<0.0> : vector<64x16xf32>
    %m0 = arith.constant dense<0xFF800000> : vector<64xf32>
    // CHECK: %[[SCORES:.*]] = vector.contract {{.*}}cleave_tile.layout = #[[S]]
    %s = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
        iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
        %q, %k, %s0 : vector<64x16xf16>, vector<32x16xf16> into vector<64x32xf32>
    // CHECK-NEXT: vector.multi_reduction <maximumf>, %[[SCORES]], %{{.*}} {cleave_tile.layout = #[[ROW]]}
    %m = vector.multi_reduction <maximumf>, %s, %m0 [1] : vector<64x32xf32> to vector<64xf32>
    %mb = vector.broadcast %m : vector<64xf32> to vector<32x64xf32>
    %mt = vector.transpose %mb, [1, 0] : vector<32x64xf32> to vector<64x32xf32>
    %d = arith.subf %s, %mt : vector<64x32xf32>
    %e = math.exp %d : vector<64x32xf32>
    // CHECK: %[[PROBS:.*]] = arith.truncf
    // CHECK-NOT: convert_layout %[[PROBS]]
    // CHECK: vector.contract {{.*}} %[[PROBS]],
    %p = arith.truncf %e : vector<64x32xf32> to vector<64x32xf16>
    %o = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
        iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
        %p, %v, %o0 : vector<64x32xf16>, vector<32x16xf16> into vector<64x16xf32>
    vector.transfer_write %o, %os[%c0, %c0] {in_bounds = [true, true]} : vector<64x16xf32>, memref<64x16xf32>
    gpu.return
  }
}

// -----

// A conversion stands above the cast that makes the value larger, and a small
// load is made again where it is needed.
// CHECK-LABEL: @hoist
gpu.module @m {
  gpu.func @hoist(%xs: memref<16x64xf16>, %as: memref<16x16xf16>, %bs: memref<16x64xf16>, %gs: memref<64xf32>, %ys: memref<16x64xf32>) kernel attributes {cleave.warps = 1 : i64} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f16
    %fzero = arith.constant 0.0 : f32
    %acc = arith.constant dense<0.0> : vector<16x64xf32>
    // CHECK: %[[X:.*]] = vector.transfer_read
    // CHECK: cleave_tile.convert_layout %[[X]] {{.*}} : vector<16x64xf16>
    // CHECK-COUNT-2: vector.transfer_read %{{.*}} : memref<64xf32>
    // CHECK-NOT: convert_layout {{.*}}xf32>
    // CHECK: vector.contract
    %x = vector.transfer_read %xs[%c0, %c0], %zero {in_bounds = [true, true]} : memref<16x64xf16>, vector<16x64xf16>
    %xf = arith.extf %x : vector<16x64xf16> to vector<16x64xf32>
    %g = vector.transfer_read %gs[%c0], %fzero {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
    %gb = vector.broadcast %g : vector<64xf32> to vector<16x64xf32>
    %xg = arith.mulf %xf, %gb : vector<16x64xf32>
    vector.transfer_write %xg, %ys[%c0, %c0] {in_bounds = [true, true]} : vector<16x64xf32>, memref<16x64xf32>
    %a = vector.transfer_read %as[%c0, %c0], %zero {in_bounds = [true, true]} : memref<16x16xf16>, vector<16x16xf16>
    %b = vector.transfer_read %bs[%c0, %c0], %zero {in_bounds = [true, true]} : memref<16x64xf16>, vector<16x64xf16>
    %c = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
        iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
        %a, %b, %acc : vector<16x16xf16>, vector<16x64xf16> into vector<16x64xf32>
    %r = arith.addf %c, %xg : vector<16x64xf32>
    vector.transfer_write %r, %ys[%c0, %c0] {in_bounds = [true, true]} : vector<16x64xf32>, memref<16x64xf32>
    gpu.return
  }
}

// -----

// A row that is a block's only tile is read once, and so are the f32 weights
// beside it: in its layout, of 8 neighbours a thread, not in that of their own
// accesses.
// CHECK-DAG: #[[LINE:layout[0-9]*]] = #cleave_tile.layout<[1024] reg = [(1), (2), (4)],
// CHECK-LABEL: @row
// CHECK: %[[X:.*]] = vector.transfer_read {{.*}}cleave_tile.layout = #[[LINE]]{{.*}} : memref<1024xf16>
// CHECK-NEXT: vector.transfer_read {{.*}}cleave_tile.layout = #[[LINE]]{{.*}} : memref<1024xf32>
// CHECK-NOT: vector.transfer_read
// CHECK-NOT: convert_layout
// CHECK: vector.transfer_write
gpu.module @m {
  gpu.func @row(%ws: memref<1024xf32>, %xs: memref<1024xf16>, %ys: memref<1024xf16>) kernel attributes {cleave.warps = 4 : i64} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f16
    %fzero = arith.constant 0.0 : f32
    %none = arith.constant dense<0.0> : vector<1xf32>
    %x = vector.transfer_read %xs[%c0], %zero {in_bounds = [true]} : memref<1024xf16>, vector<1024xf16>
    %w = vector.transfer_read %ws[%c0], %fzero {in_bounds = [true]} : memref<1024xf32>, vector<1024xf32>
    %xf = arith.extf %x : vector<1024xf16> to vector<1024xf32>
    %rows = vector.broadcast %xf : vector<1024xf32> to vector<1x1024xf32>
    %s = vector.multi_reduction <add>, %rows, %none [1] : vector<1x1024xf32> to vector<1xf32>
    %t = vector.extract %s[0] : f32 from vector<1xf32>
    %tb = vector.broadcast %t : f32 to vector<1024xf32>
    %d = arith.mulf %xf, %tb : vector<1024xf32>
    %y = arith.mulf %d, %w : vector<1024xf32>
    %yh = arith.truncf %y : vector<1024xf32> to vector<1024xf16>
    vector.transfer_write %yh, %ys[%c0] {in_bounds = [true]} : vector<1024xf16>, memref<1024xf16>
    gpu.return
  }
}
