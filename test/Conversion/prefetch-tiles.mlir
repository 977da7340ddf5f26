// RUN: cleave-opt --pass-pipeline="builtin.module(gpu.module(gpu.func(cleave-prefetch-tiles)))" %s | FileCheck %s
// RUN: cleave-opt --pass-pipeline="builtin.module(gpu.module(gpu.func(cleave-prefetch-tiles{free-bytes=4})))" %s | FileCheck %s --check-prefix=FREE

gpu.module @m {
  // The read of %w is the same in each iteration: it stays.
  // CHECK-LABEL: gpu.func @two_stages
  // CHECK-SAME:  (%[[N:.*]]: index, %[[X:.*]]: memref<?x64xf32>, %[[W:[^:]*]]: memref<16x64xf32>
  // CHECK-DAG:   %[[C0:.*]] = arith.constant 0 : index
  // CHECK:       %[[ANY:.*]] = arith.cmpi slt, %[[C0]], %[[N]]
  // CHECK:       %[[T0:.*]] = affine.min {{.*}}(%[[C0]])
  // CHECK:       %[[S0:.*]] = arith.select %[[ANY]], %[[T0]], %{{.*}}
  // CHECK:       %[[M0:.*]] = vector.create_mask %[[S0]], %{{.*}} : vector<16x64xi1>
  // CHECK:       %[[FIRST:.*]] = vector.transfer_read %[[X]][%[[C0]], %{{.*}}], %{{.*}}, %[[M0]]
  // CHECK:       scf.for %[[I:.*]] = %[[C0]] to %[[N]] {{.*}} iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %[[FIRST]])
  // CHECK:         %[[NEXT:.*]] = arith.addi %[[I]], %{{.*}}
  // CHECK:         %[[MORE:.*]] = arith.cmpi slt, %[[NEXT]], %[[N]]
  // CHECK:         %[[AHEAD:.*]] = vector.transfer_read %[[X]][%[[NEXT]], %{{.*}}]
  // CHECK:         vector.transfer_read %[[W]]
  // CHECK-NOT:     vector.transfer_read %[[X]]
  // CHECK:         %[[P:.*]] = arith.mulf %[[B]],
  // CHECK:         %[[Q:.*]] = arith.addf %[[A]], %[[P]]
  // CHECK:         scf.yield %[[Q]], %[[AHEAD]]
  gpu.func @two_stages(%n: index, %x: memref<?x64xf32>, %w: memref<16x64xf32>, %y: memref<16x64xf32>) kernel attributes {cleave.stages = 2 : i64, cleave.warps = 4 : i64} {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0.0 : f32
    %a0 = arith.constant dense<0.0> : vector<16x64xf32>
    %r = scf.for %i = %c0 to %n step %c16 iter_args(%a = %a0) -> (vector<16x64xf32>) {
      %t = affine.min affine_map<(d0)[s0] -> (16, s0 - d0)>(%i)[%n]
      %m = vector.create_mask %t, %c64 : vector<16x64xi1>
      %b = vector.transfer_read %x[%i, %c0], %zero, %m {in_bounds = [true, true]} : memref<?x64xf32>, vector<16x64xf32>
      %c = vector.transfer_read %w[%c0, %c0], %zero {in_bounds = [true, true]} : memref<16x64xf32>, vector<16x64xf32>
      %p = arith.mulf %b, %c : vector<16x64xf32>
      %q = arith.addf %a, %p : vector<16x64xf32>
      scf.yield %q : vector<16x64xf32>
    }
    vector.transfer_write %r, %y[%c0, %c0] {in_bounds = [true, true]} : vector<16x64xf32>, memref<16x64xf32>
    gpu.return
  }

  // Three stages: two reads are under way, and the loop is unrolled so that no
  // register is copied.
  // CHECK-LABEL: gpu.func @three_stages
  // CHECK-COUNT-2: vector.transfer_read
  // CHECK:       scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[R0:.*]] = %{{.*}}, %[[R1:.*]] = %{{.*}})
  // CHECK:         %[[N0:.*]] = vector.transfer_read
  // CHECK:         arith.addf %{{.*}}, %[[R0]]
  // CHECK:         %[[N1:.*]] = vector.transfer_read
  // CHECK:         arith.addf %{{.*}}, %[[R1]]
  // CHECK:         scf.yield %{{.*}}, %[[N0]], %[[N1]]
  gpu.func @three_stages(%x: memref<?xf32>, %y: memref<64xf32>) kernel attributes {cleave.stages = 3 : i64} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c640 = arith.constant 640 : index
    %zero = arith.constant 0.0 : f32
    %a0 = arith.constant dense<0.0> : vector<64xf32>
    %r = scf.for %i = %c0 to %c640 step %c64 iter_args(%a = %a0) -> (vector<64xf32>) {
      %b = vector.transfer_read %x[%i], %zero {in_bounds = [true]} : memref<?xf32>, vector<64xf32>
      %q = arith.addf %a, %b : vector<64xf32>
      scf.yield %q : vector<64xf32>
    }
    vector.transfer_write %r, %y[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
    gpu.return
  }

  // One stage, and a loop that writes: nothing moves, unless it is cheap.
  // CHECK-LABEL: gpu.func @one_stage
  // CHECK-NOT:   vector.transfer_read
  // CHECK:       scf.for
  // FREE-LABEL:  gpu.func @one_stage
  // FREE:        vector.transfer_read
  // FREE:        scf.for
  gpu.func @one_stage(%n: index, %x: memref<?xf32>, %y: memref<64xf32>) kernel attributes {cleave.stages = 1 : i64, known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0.0 : f32
    %a0 = arith.constant dense<0.0> : vector<64xf32>
    %r = scf.for %i = %c0 to %n step %c64 iter_args(%a = %a0) -> (vector<64xf32>) {
      %b = vector.transfer_read %x[%i], %zero {in_bounds = [true]} : memref<?xf32>, vector<64xf32>
      %q = arith.addf %a, %b : vector<64xf32>
      scf.yield %q : vector<64xf32>
    }
    vector.transfer_write %r, %y[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @writes
  // CHECK-NOT:   vector.transfer_read
  // CHECK:       scf.for
  gpu.func @writes(%n: index, %x: memref<?xf32>) kernel attributes {cleave.stages = 2 : i64} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0.0 : f32
    scf.for %i = %c0 to %n step %c64 {
      %b = vector.transfer_read %x[%i], %zero {in_bounds = [true]} : memref<?xf32>, vector<64xf32>
      %q = arith.addf %b, %b : vector<64xf32>
      vector.transfer_write %q, %x[%c0] {in_bounds = [true]} : vector<64xf32>, memref<?xf32>
    }
    gpu.return
  }
}
