// RMSNorm + linear in the vector form: layouts, then what a thread does.
// RUN: cleave-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(cleave-assign-layouts)))' \
// RUN:   | FileCheck %s --check-prefix=LAYOUT
// RUN: cleave-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(cleave-assign-layouts,cleave-distribute,canonicalize,cse,cleave-insert-barriers)))' \
// RUN:   | FileCheck %s --check-prefix=THREAD

// Each lane of a quad holds two neighbours of a row; the four warps split k and
// have sums of their own.
// LAYOUT-DAG: #[[ACC:layout[0-9]*]] = #cleave_tile.layout<[16, 64] reg = [(0,1), (8,0), (0,8), (0,16), (0,32)], lane = [(0,2), (0,4), (1,0), (2,0), (4,0)], warp = [(0,0), (0,0)]>
// 16 bytes a thread.
// LAYOUT-DAG: #[[X:layout[0-9]*]] = #cleave_tile.layout<[16, 64] reg = [(0,1), (0,2), (0,4)], lane = [(0,8), (0,16), (0,32), (1,0), (2,0)], warp = [(4,0), (8,0)]>
// LAYOUT-DAG: #[[SQ:layout[0-9]*]] = #cleave_tile.layout<[16] reg = [], lane = [(0), (0), (0), (1), (2)], warp = [(4), (8)]>
// LAYOUT-DAG: #[[ROW:layout[0-9]*]] = #cleave_tile.layout<[16] reg = [(8)], lane = [(0), (0), (1), (2), (4)], warp = [(0), (0)]>
// LAYOUT: scf.for
// LAYOUT: vector.transfer_read %{{.*}} {cleave_tile.layout = #[[X]],
// LAYOUT: vector.multi_reduction <add>, %{{.*}} {cleave_tile.layout = #[[SQ]]}
// The product is rounded first, then converted: half the bytes.
// LAYOUT: %[[XG:.*]] = arith.truncf
// LAYOUT: %[[A:.*]] = cleave_tile.convert_layout %[[XG]] from #[[X]]
// LAYOUT: vector.contract {{.*}} %[[A]], {{.*}}cleave_tile.layout = #[[ACC]]
// The row's scale is made where its sum is, and changes its layout behind the
// loop, as 16 numbers.
// LAYOUT: } {cleave_tile.layout = [#[[SQ]], #[[ACC]]]}
// LAYOUT: cleave_tile.convert_layout %{{.*}} from #[[SQ]] to #[[ROW]] : vector<16xf32>

// THREAD: gpu.func @rmsnorm_linear
// THREAD-SAME: workgroup(%{{.*}} : memref<{{[0-9]+}}xi8, #gpu.address_space<workgroup>> {llvm.align = 16 : i64})
// THREAD: scf.for {{.*}} -> (vector<1xf32>, vector<32xf32>)
// Rows past the end are not read.
// THREAD: scf.if
// THREAD-NEXT: vector.load %{{.*}} {alignment = 16 : i64} : memref<?xf16>, vector<8xf16>
// One barrier keeps the stores behind the last iteration, one the loads behind
// the stores of both operands.
// THREAD-COUNT-2: gpu.barrier
// THREAD-NOT: gpu.barrier
// THREAD: nvgpu.ldmatrix
// THREAD-NOT: gpu.barrier
// THREAD-COUNT-8: nvvm.mma.sync
// Behind the loop buffers share bytes.
// THREAD: scf.yield
// THREAD-COUNT-6: gpu.barrier
// THREAD-NOT: gpu.barrier
// THREAD: vector.store %{{.*}} {alignment = 16 : i64} : memref<?xf16>, vector<8xf16>

#tail = affine_map<(d0)[s0] -> (16, -d0 + s0)>
gpu.module @rmsnorm_linear_kernels {
  gpu.func @rmsnorm_linear(%x: memref<?x4096xf16>, %g: memref<4096xf16>, %w: memref<4096x4096xf16>,
                           %y: memref<?x4096xf16>) kernel
      attributes {cleave.warps = 4 : i64, known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %c4096 = arith.constant 4096 : index
    %h0 = arith.constant 0.0 : f16
    %inv = arith.constant dense<2.44140625e-4> : vector<16xf32>
    %eps = arith.constant dense<1.0e-6> : vector<16xf32>
    %sq0 = arith.constant dense<0.0> : vector<16xf32>
    %acc0 = arith.constant dense<0.0> : vector<16x64xf32>
    %bi = gpu.block_id x
    %bj = gpu.block_id y
    %i = arith.muli %bi, %c16 : index
    %j = arith.muli %bj, %c64 : index
    %m = memref.dim %x, %c0 : memref<?x4096xf16>
    %tm = affine.min #tail(%i)[%m]
    %mask = vector.create_mask %tm, %c64 : vector<16x64xi1>
    %r:2 = scf.for %k = %c0 to %c4096 step %c64 iter_args(%sq = %sq0, %acc = %acc0) -> (vector<16xf32>, vector<16x64xf32>) {
      %xt = vector.transfer_read %x[%i, %k], %h0, %mask {in_bounds = [true, true]} : memref<?x4096xf16>, vector<16x64xf16>
      %gt = vector.transfer_read %g[%k], %h0 {in_bounds = [true]} : memref<4096xf16>, vector<64xf16>
      %wt = vector.transfer_read %w[%k, %j], %h0 {in_bounds = [true, true]} : memref<4096x4096xf16>, vector<64x64xf16>
      %xf = arith.extf %xt : vector<16x64xf16> to vector<16x64xf32>
      %xx = arith.mulf %xf, %xf : vector<16x64xf32>
      %sq1 = vector.multi_reduction <add>, %xx, %sq [1] : vector<16x64xf32> to vector<16xf32>
      %gb = vector.broadcast %gt : vector<64xf16> to vector<16x64xf16>
      %gf = arith.extf %gb : vector<16x64xf16> to vector<16x64xf32>
      %p = arith.mulf %xf, %gf : vector<16x64xf32>
      %xg = arith.truncf %p : vector<16x64xf32> to vector<16x64xf16>
      %acc1 = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                                                affine_map<(m, n, k) -> (m, n)>],
                               iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
          %xg, %wt, %acc : vector<16x64xf16>, vector<64x64xf16> into vector<16x64xf32>
      scf.yield %sq1, %acc1 : vector<16xf32>, vector<16x64xf32>
    }
    %mean = arith.mulf %r#0, %inv : vector<16xf32>
    %e = arith.addf %mean, %eps : vector<16xf32>
    %q = math.rsqrt %e : vector<16xf32>
    %qb = vector.broadcast %q : vector<16xf32> to vector<64x16xf32>
    %qt = vector.transpose %qb, [1, 0] : vector<64x16xf32> to vector<16x64xf32>
    %o = arith.mulf %r#1, %qt : vector<16x64xf32>
    %oh = arith.truncf %o : vector<16x64xf32> to vector<16x64xf16>
    vector.transfer_write %oh, %y[%i, %j], %mask {in_bounds = [true, true]} : vector<16x64xf16>, memref<?x4096xf16>
    gpu.return
  }
}
