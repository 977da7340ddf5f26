// RUN: cleave-opt --pass-pipeline="builtin.module(gpu.module(gpu.func(cleave-skip-rescaling)))" %s | FileCheck %s

#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (k, n)>
#acc = affine_map<(m, n, k) -> (m, n)>
#product = {indexing_maps = [#lhs, #rhs, #acc], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}

gpu.module @m {
  // The reference stays unless it is far, and the factors of many sums are
  // mostly 1. Those of a few sums are multiplied with.
  // CHECK-LABEL: gpu.func @divided
  // CHECK:       scf.for {{.*}} iter_args(%[[OLD:.*]] = %{{.*}}, %[[L:.*]] = %{{.*}}, %[[O:.*]] = %{{.*}})
  // CHECK:         %[[MOST:.*]] = vector.multi_reduction <maximumf>, %{{.*}}, %[[OLD]] [1]
  // CHECK:         %[[BEYOND:.*]] = arith.subf %[[MOST]], %[[OLD]]
  // CHECK:         %[[FAR:.*]] = arith.cmpf ugt, %[[BEYOND]], %{{.*}} : vector<64xf32>
  // CHECK:         %[[NEW:.*]] = arith.select %[[FAR]], %[[MOST]], %[[OLD]]
  // CHECK:         arith.subf %[[OLD]], %[[NEW]]
  // CHECK:         arith.mulf %[[L]]
  // CHECK:         cleave_tile.rescale %[[O]], %{{.*}} : vector<64x64xf32>
  // CHECK:         scf.yield %[[NEW]]
  gpu.func @divided(%p: memref<64x64xf32>, %v: vector<16x64xf16>, %x: vector<64x16xf32>, %n: index) kernel attributes {cleave.warps = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %low = arith.constant dense<0xFF800000> : vector<64xf32>
    %zero = arith.constant dense<0.0> : vector<64xf32>
    %zeros = arith.constant dense<0.0> : vector<64x64xf32>
    %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%y = %low, %l = %zero, %o = %zeros) -> (vector<64xf32>, vector<64xf32>, vector<64x64xf32>) {
      %max = vector.multi_reduction <maximumf>, %x, %y [1] : vector<64x16xf32> to vector<64xf32>
      %step = arith.subf %y, %max : vector<64xf32>
      %f = math.exp %step : vector<64xf32>
      %b = vector.broadcast %max : vector<64xf32> to vector<16x64xf32>
      %t = vector.transpose %b, [1, 0] : vector<16x64xf32> to vector<64x16xf32>
      %d = arith.subf %x, %t : vector<64x16xf32>
      %e = math.exp %d : vector<64x16xf32>
      %l1 = arith.mulf %l, %f : vector<64xf32>
      %l2 = vector.multi_reduction <add>, %e, %l1 [1] : vector<64x16xf32> to vector<64xf32>
      %fb = vector.broadcast %f : vector<64xf32> to vector<64x64xf32>
      %ft = vector.transpose %fb, [1, 0] : vector<64x64xf32> to vector<64x64xf32>
      %o1 = arith.mulf %o, %ft : vector<64x64xf32>
      %e16 = arith.truncf %e : vector<64x16xf32> to vector<64x16xf16>
      %o2 = vector.contract #product %e16, %v, %o1 : vector<64x16xf16>, vector<16x64xf16> into vector<64x64xf32>
      scf.yield %max, %l2, %o2 : vector<64xf32>, vector<64xf32>, vector<64x64xf32>
    }
    %lb = vector.broadcast %r#1 : vector<64xf32> to vector<64x64xf32>
    %lt = vector.transpose %lb, [1, 0] : vector<64x64xf32> to vector<64x64xf32>
    %q = arith.divf %r#2, %lt : vector<64x64xf32>
    vector.transfer_write %q, %p[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x64xf32>
    gpu.return
  }

  // What is stored would tell the reference.
  // CHECK-LABEL: gpu.func @stored
  // CHECK-NOT:   cleave_tile.rescale
  gpu.func @stored(%p: memref<64x64xf32>, %v: vector<16x64xf16>, %x: vector<64x16xf32>, %n: index) kernel attributes {cleave.warps = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %low = arith.constant dense<0xFF800000> : vector<64xf32>
    %zeros = arith.constant dense<0.0> : vector<64x64xf32>
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%y = %low, %o = %zeros) -> (vector<64xf32>, vector<64x64xf32>) {
      %max = vector.multi_reduction <maximumf>, %x, %y [1] : vector<64x16xf32> to vector<64xf32>
      %step = arith.subf %y, %max : vector<64xf32>
      %f = math.exp %step : vector<64xf32>
      %b = vector.broadcast %max : vector<64xf32> to vector<16x64xf32>
      %t = vector.transpose %b, [1, 0] : vector<16x64xf32> to vector<64x16xf32>
      %d = arith.subf %x, %t : vector<64x16xf32>
      %e = math.exp %d : vector<64x16xf32>
      %fb = vector.broadcast %f : vector<64xf32> to vector<64x64xf32>
      %ft = vector.transpose %fb, [1, 0] : vector<64x64xf32> to vector<64x64xf32>
      %o1 = arith.mulf %o, %ft : vector<64x64xf32>
      %e16 = arith.truncf %e : vector<64x16xf32> to vector<64x16xf16>
      %o2 = vector.contract #product %e16, %v, %o1 : vector<64x16xf16>, vector<16x64xf16> into vector<64x64xf32>
      scf.yield %max, %o2 : vector<64xf32>, vector<64x64xf32>
    }
    vector.transfer_write %r#1, %p[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x64xf32>
    gpu.return
  }

  // 16 bits may have no room for other weights than the exponentials.
  // CHECK-LABEL: gpu.func @weighted
  // CHECK-NOT:   cleave_tile.rescale
  gpu.func @weighted(%p: memref<64x64xf32>, %v: vector<16x64xf16>, %x: vector<64x16xf32>, %n: index) kernel attributes {cleave.warps = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %low = arith.constant dense<0xFF800000> : vector<64xf32>
    %zero = arith.constant dense<0.0> : vector<64xf32>
    %zeros = arith.constant dense<0.0> : vector<64x64xf32>
    %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%y = %low, %l = %zero, %o = %zeros) -> (vector<64xf32>, vector<64xf32>, vector<64x64xf32>) {
      %max = vector.multi_reduction <maximumf>, %x, %y [1] : vector<64x16xf32> to vector<64xf32>
      %step = arith.subf %y, %max : vector<64xf32>
      %f = math.exp %step : vector<64xf32>
      %b = vector.broadcast %max : vector<64xf32> to vector<16x64xf32>
      %t = vector.transpose %b, [1, 0] : vector<16x64xf32> to vector<64x16xf32>
      %d = arith.subf %x, %t : vector<64x16xf32>
      %e = math.exp %d : vector<64x16xf32>
      %l1 = arith.mulf %l, %f : vector<64xf32>
      %l2 = vector.multi_reduction <add>, %e, %l1 [1] : vector<64x16xf32> to vector<64xf32>
      %fb = vector.broadcast %f : vector<64xf32> to vector<64x64xf32>
      %ft = vector.transpose %fb, [1, 0] : vector<64x64xf32> to vector<64x64xf32>
      %o1 = arith.mulf %o, %ft : vector<64x64xf32>
      %w = arith.mulf %e, %x : vector<64x16xf32>
      %e16 = arith.truncf %w : vector<64x16xf32> to vector<64x16xf16>
      %o2 = vector.contract #product %e16, %v, %o1 : vector<64x16xf16>, vector<16x64xf16> into vector<64x64xf32>
      scf.yield %max, %l2, %o2 : vector<64xf32>, vector<64xf32>, vector<64x64xf32>
    }
    %lb = vector.broadcast %r#1 : vector<64xf32> to vector<64x64xf32>
    %lt = vector.transpose %lb, [1, 0] : vector<64x64xf32> to vector<64x64xf32>
    %q = arith.divf %r#2, %lt : vector<64x64xf32>
    vector.transfer_write %q, %p[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x64xf32>
    gpu.return
  }

  // Two warps have 64 sums a thread.
  // CHECK-LABEL: gpu.func @few
  // CHECK-NOT:   cleave_tile.rescale
  gpu.func @few(%p: memref<64x64xf32>, %v: vector<16x64xf16>, %x: vector<64x16xf32>, %n: index) kernel attributes {cleave.warps = 2 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %low = arith.constant dense<0xFF800000> : vector<64xf32>
    %zero = arith.constant dense<0.0> : vector<64xf32>
    %zeros = arith.constant dense<0.0> : vector<64x64xf32>
    %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%y = %low, %l = %zero, %o = %zeros) -> (vector<64xf32>, vector<64xf32>, vector<64x64xf32>) {
      %max = vector.multi_reduction <maximumf>, %x, %y [1] : vector<64x16xf32> to vector<64xf32>
      %step = arith.subf %y, %max : vector<64xf32>
      %f = math.exp %step : vector<64xf32>
      %b = vector.broadcast %max : vector<64xf32> to vector<16x64xf32>
      %t = vector.transpose %b, [1, 0] : vector<16x64xf32> to vector<64x16xf32>
      %d = arith.subf %x, %t : vector<64x16xf32>
      %e = math.exp %d : vector<64x16xf32>
      %l1 = arith.mulf %l, %f : vector<64xf32>
      %l2 = vector.multi_reduction <add>, %e, %l1 [1] : vector<64x16xf32> to vector<64xf32>
      %fb = vector.broadcast %f : vector<64xf32> to vector<64x64xf32>
      %ft = vector.transpose %fb, [1, 0] : vector<64x64xf32> to vector<64x64xf32>
      %o1 = arith.mulf %o, %ft : vector<64x64xf32>
      %e16 = arith.truncf %e : vector<64x16xf32> to vector<64x16xf16>
      %o2 = vector.contract #product %e16, %v, %o1 : vector<64x16xf16>, vector<16x64xf16> into vector<64x64xf32>
      scf.yield %max, %l2, %o2 : vector<64xf32>, vector<64xf32>, vector<64x64xf32>
    }
    %lb = vector.broadcast %r#1 : vector<64xf32> to vector<64x64xf32>
    %lt = vector.transpose %lb, [1, 0] : vector<64x64xf32> to vector<64x64xf32>
    %q = arith.divf %r#2, %lt : vector<64x64xf32>
    vector.transfer_write %q, %p[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x64xf32>
    gpu.return
  }
}
