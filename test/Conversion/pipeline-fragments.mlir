// RUN: cleave-opt --pass-pipeline="builtin.module(gpu.module(gpu.func(cleave-stage-tiles,cleave-pipeline-fragments,canonicalize,cse)))" %s | FileCheck %s
// RUN: cleave-opt --pass-pipeline="builtin.module(gpu.module(gpu.func(cleave-stage-tiles,cleave-pipeline-fragments,canonicalize,cse,cleave-assign-layouts,cleave-distribute,canonicalize,cse,cleave-insert-barriers)))" %s | FileCheck %s --check-prefix=THREADS

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>

gpu.module @m {
  // Two slices: the first one's operands come from the iteration before. The row
  // sums read the whole tile, in front of the barrier.
  // CHECK-LABEL: gpu.func @ahead
  // CHECK:       nvvm.cp.async.wait.group 1
  // CHECK-NEXT:  gpu.barrier
  // CHECK:       %[[X0:.*]] = cleave_tile.read %[[RX:.*]][%c0] {offsets = array<i64: 0, 0>, phase = 0 : i64} : memref<3x16x32xf16, {{.*}}>, vector<16x16xf16>
  // CHECK:       %[[S0:.*]] = arith.mulf %[[X0]], %{{.*}} : vector<16x16xf16>
  // CHECK:       %[[W0:.*]] = cleave_tile.read %[[RW:.*]][%c0] {offsets = array<i64: 0, 0>, phase = 0 : i64} : memref<3x32x16xf16, {{.*}}>, vector<16x16xf16>
  // CHECK:       scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}}, %{{.*}} = %{{.*}}, %[[SLOT:.*]] = %{{.*}}, %[[A0:.*]] = %[[S0]], %[[B0:.*]] = %[[W0]])
  // CHECK:         cleave_tile.read %[[RX]][%[[SLOT]]] {offsets = array<i64: 0, 16>, phase = 0 : i64}
  // CHECK:         cleave_tile.read %[[RW]][%[[SLOT]]] {offsets = array<i64: 16, 0>, phase = 0 : i64}
  // CHECK:         %[[D:.*]] = vector.contract {{.*}} %[[A0]], %[[B0]], %[[ACC]]
  // CHECK:         cleave_tile.fetch
  // CHECK:         cleave_tile.read %[[RX]][%[[SLOT]]] : {{.*}} vector<16x32xf16>
  // CHECK:         vector.multi_reduction
  // CHECK:         nvvm.cp.async.wait.group 1
  // CHECK-NEXT:    gpu.barrier
  // CHECK:         cleave_tile.read %[[RX]][%[[NEXT:.*]]] {offsets = array<i64: 0, 0>, phase = 1 : i64}
  // CHECK:         cleave_tile.read %[[RW]][%[[NEXT]]] {offsets = array<i64: 0, 0>, phase = 1 : i64}
  // CHECK:         vector.contract {{.*}}, %[[D]]
  // CHECK:         scf.yield
  // CHECK:       nvvm.cp.async.wait.group 0

  // One barrier an iteration, and no conversion of a fragment.
  // THREADS-LABEL: gpu.func @ahead
  // THREADS:         gpu.barrier
  // THREADS:         scf.for
  // THREADS-NOT:       gpu.barrier
  // THREADS-NOT:       vector.store
  // THREADS:           nvvm.mma.sync
  // THREADS:           nvvm.cp.async.wait.group 1
  // THREADS-NEXT:      gpu.barrier
  // THREADS-NOT:       gpu.barrier
  // THREADS-NOT:       vector.store
  // THREADS:           nvgpu.ldmatrix
  // THREADS:           nvvm.mma.sync
  // THREADS-NOT:       gpu.barrier
  // THREADS:           scf.yield
  gpu.func @ahead(%n: index, %x: memref<?x4096xf16>, %w: memref<4096x16xf16>, %y: memref<16x16xf32>, %s: memref<16xf32>) kernel attributes {cleave.stages = 3 : i64, cleave.warps = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %c4096 = arith.constant 4096 : index
    %zero = arith.constant 0.0 : f16
    %two = arith.constant dense<2.0> : vector<16x32xf16>
    %acc0 = arith.constant dense<0.0> : vector<16x16xf32>
    %sum0 = arith.constant dense<0.0> : vector<16xf32>
    %mask = vector.create_mask %n, %c32 : vector<16x32xi1>
    %r:2 = scf.for %k = %c0 to %c4096 step %c32 iter_args(%acc = %acc0, %sum = %sum0) -> (vector<16x16xf32>, vector<16xf32>) {
      %a = vector.transfer_read %x[%c0, %k], %zero, %mask {in_bounds = [true, true]} : memref<?x4096xf16>, vector<16x32xf16>
      %b = vector.transfer_read %w[%k, %c0], %zero {in_bounds = [true, true]} : memref<4096x16xf16>, vector<32x16xf16>
      %scaled = arith.mulf %a, %two : vector<16x32xf16>
      %d = vector.contract {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
          %scaled, %b, %acc : vector<16x32xf16>, vector<32x16xf16> into vector<16x16xf32>
      %wide = arith.extf %a : vector<16x32xf16> to vector<16x32xf32>
      %t = vector.multi_reduction <add>, %wide, %sum [1] : vector<16x32xf32> to vector<16xf32>
      scf.yield %d, %t : vector<16x16xf32>, vector<16xf32>
    }
    vector.transfer_write %r#0, %y[%c0, %c0] {in_bounds = [true, true]} : vector<16x16xf32>, memref<16x16xf32>
    vector.transfer_write %r#1, %s[%c0] {in_bounds = [true]} : vector<16xf32>, memref<16xf32>
    gpu.return
  }

  // Four warps split K: their fragments are the whole of what they read.
  // CHECK-LABEL: gpu.func @split
  // CHECK:         scf.for
  // CHECK-NEXT:      nvvm.cp.async.wait.group 1
  // CHECK-NOT:       offsets
  // CHECK:           vector.contract
  // CHECK:           scf.yield
  gpu.func @split(%x: memref<16x4096xf16>, %w: memref<4096x16xf16>, %y: memref<16x16xf32>) kernel attributes {cleave.stages = 3 : i64, cleave.warps = 4 : i64} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c4096 = arith.constant 4096 : index
    %zero = arith.constant 0.0 : f16
    %acc0 = arith.constant dense<0.0> : vector<16x16xf32>
    %r = scf.for %k = %c0 to %c4096 step %c64 iter_args(%acc = %acc0) -> (vector<16x16xf32>) {
      %a = vector.transfer_read %x[%c0, %k], %zero {in_bounds = [true, true]} : memref<16x4096xf16>, vector<16x64xf16>
      %b = vector.transfer_read %w[%k, %c0], %zero {in_bounds = [true, true]} : memref<4096x16xf16>, vector<64x16xf16>
      %d = vector.contract {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
          %a, %b, %acc : vector<16x64xf16>, vector<64x16xf16> into vector<16x16xf32>
      scf.yield %d : vector<16x16xf32>
    }
    vector.transfer_write %r, %y[%c0, %c0] {in_bounds = [true, true]} : vector<16x16xf32>, memref<16x16xf32>
    gpu.return
  }

  // The exponentials are made once, for their sum and for the product, where the
  // product takes them: warps have whole rows, which are read as its fragments.
  // CHECK-LABEL: gpu.func @exponentials
  // CHECK:       %[[X:.*]] = cleave_tile.read {{.*}} vector<32x32xf16>
  // CHECK:       vector.multi_reduction <maximumf>
  // CHECK:       %[[E:.*]] = math.exp2
  // CHECK:       vector.multi_reduction <add>, %[[E]]
  // CHECK:       %[[P:.*]] = arith.truncf %[[E]]
  // CHECK-NOT:   math.exp2
  // CHECK:       vector.contract {{.*}} %[[P]], %{{.*}} : vector<32x32xf16>, vector<32x16xf16>
  // CHECK-NOT:   vector.contract
  // THREADS-LABEL: gpu.func @exponentials
  // THREADS:         scf.for
  // THREADS:           gpu.barrier
  // THREADS-NOT:       gpu.barrier
  // THREADS-NOT:       vector.store
  // THREADS:           nvgpu.ldmatrix
  // THREADS-NOT:       gpu.barrier
  // THREADS-NOT:       vector.store
  // THREADS:           nvvm.mma.sync
  // THREADS-NOT:       gpu.barrier
  // THREADS-NOT:       vector.store
  // THREADS:           scf.yield
  gpu.func @exponentials(%x: memref<32x4096xf16>, %v: memref<4096x16xf16>, %y: memref<32x16xf32>, %s: memref<32xf32>) kernel attributes {cleave.stages = 3 : i64, cleave.warps = 2 : i64} {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %c4096 = arith.constant 4096 : index
    %zero = arith.constant 0.0 : f16
    %acc0 = arith.constant dense<0.0> : vector<32x16xf32>
    %sum0 = arith.constant dense<0.0> : vector<32xf32>
    %max0 = arith.constant dense<0xFF800000> : vector<32xf32>
    %r:3 = scf.for %k = %c0 to %c4096 step %c32 iter_args(%acc = %acc0, %sum = %sum0, %max = %max0) -> (vector<32x16xf32>, vector<32xf32>, vector<32xf32>) {
      %a = vector.transfer_read %x[%c0, %k], %zero {in_bounds = [true, true]} : memref<32x4096xf16>, vector<32x32xf16>
      %b = vector.transfer_read %v[%k, %c0], %zero {in_bounds = [true, true]} : memref<4096x16xf16>, vector<32x16xf16>
      %af = arith.extf %a : vector<32x32xf16> to vector<32x32xf32>
      %m = vector.multi_reduction <maximumf>, %af, %max [1] : vector<32x32xf32> to vector<32xf32>
      %mb = vector.broadcast %m : vector<32xf32> to vector<32x32xf32>
      %mt = vector.transpose %mb, [1, 0] : vector<32x32xf32> to vector<32x32xf32>
      %shifted = arith.subf %af, %mt : vector<32x32xf32>
      %e = math.exp2 %shifted : vector<32x32xf32>
      %moved = arith.subf %max, %m : vector<32xf32>
      %scale = math.exp2 %moved : vector<32xf32>
      %scaled = arith.mulf %sum, %scale : vector<32xf32>
      %t = vector.multi_reduction <add>, %e, %scaled [1] : vector<32x32xf32> to vector<32xf32>
      %p = arith.truncf %e : vector<32x32xf32> to vector<32x32xf16>
      %sb = vector.broadcast %scale : vector<32xf32> to vector<16x32xf32>
      %st = vector.transpose %sb, [1, 0] : vector<16x32xf32> to vector<32x16xf32>
      %old = arith.mulf %acc, %st : vector<32x16xf32>
      %d = vector.contract {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
          %p, %b, %old : vector<32x32xf16>, vector<32x16xf16> into vector<32x16xf32>
      scf.yield %d, %t, %m : vector<32x16xf32>, vector<32xf32>, vector<32xf32>
    }
    vector.transfer_write %r#0, %y[%c0, %c0] {in_bounds = [true, true]} : vector<32x16xf32>, memref<32x16xf32>
    vector.transfer_write %r#1, %s[%c0] {in_bounds = [true]} : vector<32xf32>, memref<32xf32>
    gpu.return
  }
}
