// RUN: cleave-opt --pass-pipeline="builtin.module(gpu.module(gpu.func(cleave-stage-tiles)))" %s | FileCheck %s
// RUN: cleave-opt --pass-pipeline="builtin.module(gpu.module(gpu.func(cleave-stage-tiles,canonicalize,cse,cleave-assign-layouts,cleave-distribute,canonicalize,cse,cleave-insert-barriers)))" %s | FileCheck %s --check-prefix=THREADS

gpu.module @m {
  // CHECK-LABEL: gpu.func @three_slots
  // CHECK-DAG:   %[[RX:.*]] = cleave_tile.ring : memref<3x16x64xf16, #gpu.address_space<workgroup>>
  // CHECK-DAG:   %[[RW:.*]] = cleave_tile.ring : memref<3x64x16xf16, #gpu.address_space<workgroup>>
  // CHECK:       cleave_tile.fetch %{{.*}}, %[[RX]][%{{.*}}] phase 0
  // CHECK:       nvvm.cp.async.commit.group
  // CHECK:       cleave_tile.fetch %{{.*}}, %[[RX]][%{{.*}}] phase 1
  // CHECK:       nvvm.cp.async.commit.group
  // CHECK:       scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[SLOT:.*]] = %{{.*}})
  // CHECK-NEXT:    nvvm.cp.async.wait.group 1
  // CHECK-NEXT:    gpu.barrier
  // CHECK:         scf.if
  // CHECK:           cleave_tile.fetch %{{.*}}, %[[RX]][%{{.*}}] phase 2
  // CHECK:         nvvm.cp.async.commit.group
  // CHECK:         cleave_tile.read %[[RX]][%[[SLOT]]]
  // CHECK:         cleave_tile.read %[[RW]][%[[SLOT]]]
  // CHECK:       nvvm.cp.async.wait.group 0
  // CHECK:       memref.dealloc %[[RX]]

  // One barrier an iteration is enough; no part of a tile goes through
  // registers on its way to shared memory.
  // THREADS-LABEL: gpu.func @three_slots
  // THREADS:         scf.for
  // THREADS-NEXT:      nvvm.cp.async.wait.group 1
  // THREADS-NEXT:      gpu.barrier
  // THREADS-NOT:       gpu.barrier
  // THREADS-NOT:       vector.store
  // THREADS:           nvgpu.device_async_copy {{.*}}bypassL1
  // THREADS-NOT:       gpu.barrier
  // THREADS-NOT:       vector.store
  // THREADS:           nvgpu.ldmatrix {{.*}}transpose = false
  // THREADS:           nvgpu.ldmatrix {{.*}}transpose = true
  // THREADS-NOT:       gpu.barrier
  // THREADS:           nvvm.mma.sync
  // THREADS-NOT:       gpu.barrier
  // THREADS:           scf.yield
  gpu.func @three_slots(%n: index, %x: memref<?x4096xf16>, %w: memref<4096x16xf16>, %y: memref<16x16xf32>) kernel attributes {cleave.stages = 3 : i64, cleave.warps = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c4096 = arith.constant 4096 : index
    %zero = arith.constant 0.0 : f16
    %acc0 = arith.constant dense<0.0> : vector<16x16xf32>
    %mask = vector.create_mask %n, %c64 : vector<16x64xi1>
    %r = scf.for %k = %c0 to %c4096 step %c64 iter_args(%acc = %acc0) -> (vector<16x16xf32>) {
      %a = vector.transfer_read %x[%c0, %k], %zero, %mask {in_bounds = [true, true]} : memref<?x4096xf16>, vector<16x64xf16>
      %b = vector.transfer_read %w[%k, %c0], %zero {in_bounds = [true, true]} : memref<4096x16xf16>, vector<64x16xf16>
      %d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
          iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %a, %b, %acc : vector<16x64xf16>, vector<64x16xf16> into vector<16x16xf32>
      scf.yield %d : vector<16x16xf32>
    }
    vector.transfer_write %r, %y[%c0, %c0] {in_bounds = [true, true]} : vector<16x16xf32>, memref<16x16xf32>
    gpu.return
  }

  // Rows of unknown length are not aligned, a padding of 1 is not zeros, and one
  // stage asks for nothing.
  // CHECK-LABEL: gpu.func @stays
  // CHECK-NOT:   cleave_tile
  gpu.func @stays(%n: index, %x: memref<?x?xf16>, %g: memref<4096xf32>, %y: memref<64xf32>) kernel attributes {cleave.stages = 2 : i64, cleave.warps = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c4096 = arith.constant 4096 : index
    %zero = arith.constant 0.0 : f16
    %one = arith.constant 1.0 : f32
    %acc0 = arith.constant dense<0.0> : vector<64xf32>
    %mask = vector.create_mask %n : vector<64xi1>
    %r = scf.for %k = %c0 to %c4096 step %c64 iter_args(%acc = %acc0) -> (vector<64xf32>) {
      %a = vector.transfer_read %x[%c0, %k], %zero {in_bounds = [true]} : memref<?x?xf16>, vector<64xf16>
      %b = vector.transfer_read %g[%k], %one, %mask {in_bounds = [true]} : memref<4096xf32>, vector<64xf32>
      %e = arith.extf %a : vector<64xf16> to vector<64xf32>
      %f = arith.addf %e, %b : vector<64xf32>
      %d = arith.addf %acc, %f : vector<64xf32>
      scf.yield %d : vector<64xf32>
    }
    vector.transfer_write %r, %y[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @one_stage
  // CHECK-NOT:   cleave_tile
  gpu.func @one_stage(%g: memref<4096xf32>, %y: memref<64xf32>) kernel attributes {cleave.stages = 1 : i64, cleave.warps = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c4096 = arith.constant 4096 : index
    %zero = arith.constant 0.0 : f32
    %acc0 = arith.constant dense<0.0> : vector<64xf32>
    %r = scf.for %k = %c0 to %c4096 step %c64 iter_args(%acc = %acc0) -> (vector<64xf32>) {
      %b = vector.transfer_read %g[%k], %zero {in_bounds = [true]} : memref<4096xf32>, vector<64xf32>
      %d = arith.addf %acc, %b : vector<64xf32>
      scf.yield %d : vector<64xf32>
    }
    vector.transfer_write %r, %y[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
    gpu.return
  }

  // What the loop's contraction reads from one place, and would take a third of
  // the registers beside the loop's states, has a slot of its own.
  // CHECK-LABEL: gpu.func @resident
  // CHECK:       %[[RB:.*]] = cleave_tile.ring : memref<2x64x64xf16
  // CHECK:       %[[RA:.*]] = cleave_tile.ring : memref<1x64x64xf16
  // CHECK:       cleave_tile.fetch %{{.*}}, %[[RA]][%{{.*}}] phase 0
  // CHECK:       cleave_tile.fetch %{{.*}}, %[[RB]][%{{.*}}] phase 0
  // CHECK:       nvvm.cp.async.commit.group
  // CHECK:       scf.for
  // CHECK:         %[[B:.*]] = cleave_tile.read %[[RB]]
  // CHECK:         %[[A:.*]] = cleave_tile.read %[[RA]]
  // CHECK:         vector.contract {{.*}} %[[A]], %[[B]]
  // CHECK:       memref.dealloc %[[RB]]
  // CHECK:       memref.dealloc %[[RA]]
  // THREADS-LABEL: gpu.func @resident
  // THREADS:         scf.for
  // THREADS-NEXT:      nvvm.cp.async.wait.group 0
  // THREADS-NEXT:      gpu.barrier
  // THREADS-NOT:       gpu.barrier
  // THREADS:           scf.yield
  gpu.func @resident(%n: index, %q: memref<64x64xf16>, %k: memref<?x64xf16>, %y: memref<64x64xf32>) kernel attributes {cleave.stages = 2 : i64, cleave.warps = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0.0 : f16
    %zeros = arith.constant dense<0.0> : vector<64x64xf32>
    %half = arith.constant dense<0.5> : vector<64x64xf32>
    %a = vector.transfer_read %q[%c0, %c0], %zero {in_bounds = [true, true]} : memref<64x64xf16>, vector<64x64xf16>
    %r = scf.for %t = %c0 to %n step %c64 iter_args(%acc = %zeros) -> (vector<64x64xf32>) {
      %size = affine.min affine_map<(d0)[s0] -> (64, s0 - d0)>(%t)[%n]
      %mask = vector.create_mask %size, %c64 : vector<64x64xi1>
      %b = vector.transfer_read %k[%t, %c0], %zero, %mask {in_bounds = [true, true]} : memref<?x64xf16>, vector<64x64xf16>
      %s = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
          iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %a, %b, %zeros : vector<64x64xf16>, vector<64x64xf16> into vector<64x64xf32>
      %h = arith.mulf %acc, %half : vector<64x64xf32>
      %d = arith.addf %h, %s : vector<64x64xf32>
      scf.yield %d : vector<64x64xf32>
    }
    vector.transfer_write %r, %y[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x64xf32>
    gpu.return
  }
}
