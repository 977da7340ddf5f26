// RUN: cleave-opt --pass-pipeline="builtin.module(gpu.module(gpu.func(cleave-version-loops,canonicalize,cse)))" %s | FileCheck %s

gpu.module @m {
  // The tile is whole if its size is, and its last position before the first
  // row's limit. The wait, the barrier and the next slot are for both.
  // CHECK-LABEL: gpu.func @border
  // CHECK-SAME:    %[[N:.*]]: index, %[[ROW:.*]]: index, %[[X:.*]]: vector<16x64xf32>
  // CHECK:       scf.for %[[T:.*]] = %{{.*}} iter_args(%[[MAX:.*]] = %{{.*}}, %[[SLOT:.*]] = %{{.*}})
  // CHECK:         nvvm.cp.async.wait.group
  // CHECK:         %[[SIZE:.*]] = affine.min
  // CHECK:         %[[LAST:.*]] = arith.sitofp
  // CHECK:         %[[FIRST:.*]] = arith.sitofp
  // CHECK:         %[[BELOW:.*]] = arith.cmpf ole, %[[LAST]], %[[FIRST]] : f32
  // CHECK:         %[[FULL:.*]] = arith.cmpi sge, %[[SIZE]], %c64
  // CHECK:         %[[WHOLE:.*]] = arith.andi %[[BELOW]], %[[FULL]]
  // CHECK:         %[[R:.*]] = scf.if %[[WHOLE]]
  // CHECK-NOT:       arith.select {{.*}}vector
  // CHECK:           %[[A:.*]] = vector.multi_reduction <maximumf>, %[[X]]
  // CHECK:           scf.yield %{{.*}} : vector<16xf32>
  // CHECK:         } else {
  // CHECK:           arith.select
  // CHECK:           vector.create_mask
  // CHECK:           arith.select
  // CHECK:           scf.yield %{{.*}} : vector<16xf32>
  // CHECK:         }
  // CHECK:         scf.yield %[[R]]
  gpu.func @border(%n: index, %row: index, %x: vector<16x64xf32>, %p: memref<16xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %low = arith.constant dense<0xFF800000> : vector<16x64xf32>
    %init = arith.constant dense<0xFF800000> : vector<16xf32>
    %half = arith.constant dense<0.5> : vector<16xf32>
    %step0 = vector.step : vector<16xindex>
    %at0 = vector.broadcast %row : index to vector<16xindex>
    %rows = arith.addi %step0, %at0 : vector<16xindex>
    %rowsi = arith.index_cast %rows : vector<16xindex> to vector<16xi32>
    %rowsf = arith.sitofp %rowsi : vector<16xi32> to vector<16xf32>
    %r:2 = scf.for %t = %c0 to %n step %c64 iter_args(%max = %init, %slot = %c0) -> (vector<16xf32>, index) {
      nvvm.cp.async.wait.group 0
      %size = affine.min affine_map<(d0)[s0] -> (64, s0 - d0)>(%t)[%n]
      %step = vector.step : vector<64xindex>
      %at = vector.broadcast %t : index to vector<64xindex>
      %keys = arith.addi %step, %at : vector<64xindex>
      %keysi = arith.index_cast %keys : vector<64xindex> to vector<64xi32>
      %keysf = arith.sitofp %keysi : vector<64xi32> to vector<64xf32>
      %lhs = vector.broadcast %keysf : vector<64xf32> to vector<16x64xf32>
      %b = vector.broadcast %rowsf : vector<16xf32> to vector<64x16xf32>
      %rhs = vector.transpose %b, [1, 0] : vector<64x16xf32> to vector<16x64xf32>
      %visible = arith.cmpf ole, %lhs, %rhs : vector<16x64xf32>
      %seen = arith.select %visible, %x, %low : vector<16x64xi1>, vector<16x64xf32>
      %mask = vector.create_mask %c16, %size : vector<16x64xi1>
      %in = arith.select %mask, %seen, %low : vector<16x64xi1>, vector<16x64xf32>
      %m = vector.multi_reduction <maximumf>, %in, %max [1] : vector<16x64xf32> to vector<16xf32>
      %h = arith.mulf %m, %half : vector<16xf32>
      %next = arith.addi %slot, %c1 : index
      scf.yield %h, %next : vector<16xf32>, index
    }
    vector.transfer_write %r#0, %p[%c0] {in_bounds = [true]} : vector<16xf32>, memref<16xf32>
    gpu.return
  }

  // A sum that each thread keeps for itself until the loop has ended, and a
  // mask of data.
  // CHECK-LABEL: gpu.func @stays
  // CHECK-NOT:   scf.if
  // CHECK:       gpu.return
  gpu.func @stays(%n: index, %x: vector<16x64xf32>, %y: vector<16x64xf32>, %p: memref<16xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %zeros = arith.constant dense<0.0> : vector<16x64xf32>
    %init = arith.constant dense<0.0> : vector<16xf32>
    %half = arith.constant dense<0.5> : vector<16xf32>
    %r = scf.for %t = %c0 to %n step %c64 iter_args(%sum = %init) -> (vector<16xf32>) {
      %size = affine.min affine_map<(d0)[s0] -> (64, s0 - d0)>(%t)[%n]
      %mask = vector.create_mask %c16, %size : vector<16x64xi1>
      %in = arith.select %mask, %x, %zeros : vector<16x64xi1>, vector<16x64xf32>
      %s = vector.multi_reduction <add>, %in, %sum [1] : vector<16x64xf32> to vector<16xf32>
      scf.yield %s : vector<16xf32>
    }
    %q = scf.for %t = %c0 to %n step %c64 iter_args(%sum = %r) -> (vector<16xf32>) {
      %positive = arith.cmpf ogt, %x, %zeros : vector<16x64xf32>
      %in = arith.select %positive, %y, %zeros : vector<16x64xi1>, vector<16x64xf32>
      %s = vector.multi_reduction <add>, %in, %sum [1] : vector<16x64xf32> to vector<16xf32>
      %h = arith.mulf %s, %half : vector<16xf32>
      scf.yield %h : vector<16xf32>
    }
    vector.transfer_write %q, %p[%c0] {in_bounds = [true]} : vector<16xf32>, memref<16xf32>
    gpu.return
  }
}
