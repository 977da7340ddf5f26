// RUN: cleave-opt --pass-pipeline="builtin.module(gpu.module(gpu.func(cleave-scale-exponents,canonicalize)))" %s | FileCheck %s

gpu.module @m {
  // One multiply-add an element; what depends on the rows is computed for them.
  // CHECK-LABEL: gpu.func @rows
  // CHECK-SAME:    %[[X:.*]]: vector<32x64xf32>, %[[ROWS:.*]]: vector<32xf32>
  // CHECK-DAG:   %[[LOG2E:.*]] = arith.constant dense<1.442695{{.*}}> : vector<32xf32>
  // CHECK-DAG:   %[[ONE:.*]] = arith.constant dense<1.0{{.*}}> : vector<32xf32>
  // CHECK:       %[[ABS:.*]] = math.absf %[[ROWS]]
  // CHECK:       %[[FINE:.*]] = arith.cmpf olt, %[[ABS]]
  // CHECK:       %[[FACTOR:.*]] = arith.select %[[FINE]], %[[LOG2E]], %[[ONE]]
  // CHECK:       %[[PRODUCT:.*]] = arith.mulf %[[ROWS]], %[[FACTOR]]
  // CHECK:       arith.negf %[[PRODUCT]]
  // CHECK:       %[[E:.*]] = math.fma %[[X]]
  // CHECK:       math.exp2 %[[E]] : vector<32x64xf32>
  gpu.func @rows(%x: vector<32x64xf32>, %rows: vector<32xf32>, %p: memref<32x64xf32>) {
    %c0 = arith.constant 0 : index
    %b = vector.broadcast %rows : vector<32xf32> to vector<64x32xf32>
    %t = vector.transpose %b, [1, 0] : vector<64x32xf32> to vector<32x64xf32>
    %d = arith.subf %x, %t : vector<32x64xf32>
    %e = math.exp %d : vector<32x64xf32>
    vector.transfer_write %e, %p[%c0, %c0] {in_bounds = [true, true]} : vector<32x64xf32>, memref<32x64xf32>
    gpu.return
  }

  // Nothing is repeated, and f64 has no such instruction.
  // CHECK-LABEL: gpu.func @stays
  // CHECK-NOT:   math.fma
  // CHECK:       math.exp %{{.*}} : vector<32xf32>
  // CHECK:       math.exp %{{.*}} : vector<4x32xf64>
  gpu.func @stays(%x: vector<32xf32>, %y: vector<32xf32>, %z: vector<4x32xf64>, %w: vector<32xf64>,
                  %p: memref<32xf32>, %q: memref<4x32xf64>) {
    %c0 = arith.constant 0 : index
    %d = arith.subf %x, %y : vector<32xf32>
    %e = math.exp %d : vector<32xf32>
    vector.transfer_write %e, %p[%c0] {in_bounds = [true]} : vector<32xf32>, memref<32xf32>
    %b = vector.broadcast %w : vector<32xf64> to vector<4x32xf64>
    %f = arith.subf %z, %b : vector<4x32xf64>
    %g = math.exp %f : vector<4x32xf64>
    vector.transfer_write %g, %q[%c0, %c0] {in_bounds = [true, true]} : vector<4x32xf64>, memref<4x32xf64>
    gpu.return
  }

  // What a loop multiplies its sums with has the rounding of what they have.
  // CHECK-LABEL: gpu.func @step
  // CHECK:       scf.for {{.*}} iter_args(%[[OLD:[a-z0-9]*]] =
  // CHECK:         %[[NEW:.*]] = arith.maximumf %[[OLD]]
  // CHECK:         %[[FACTOR:.*]] = arith.select
  // CHECK-DAG:     %[[FROM:.*]] = arith.mulf %[[OLD]], %[[FACTOR]]
  // CHECK-DAG:     %[[TO:.*]] = arith.mulf %[[NEW]], %[[FACTOR]]
  // CHECK:         %[[STEP:.*]] = arith.subf %[[FROM]], %[[TO]]
  // CHECK:         %[[LEAST:.*]] = arith.minimumf %[[STEP]]
  // CHECK:         math.exp2 %[[LEAST]]
  // Another difference is none of a state.
  // CHECK:         math.exp %
  gpu.func @step(%x: vector<32xf32>, %n: index, %p: memref<32xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %low = arith.constant dense<0xFF800000> : vector<32xf32>
    %zero = arith.constant dense<0.0> : vector<32xf32>
    %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%y = %low, %l = %zero, %o = %zero) -> (vector<32xf32>, vector<32xf32>, vector<32xf32>) {
      %max = arith.maximumf %y, %x : vector<32xf32>
      %d = arith.subf %y, %max : vector<32xf32>
      %m = arith.minimumf %d, %zero : vector<32xf32>
      %f = math.exp %m : vector<32xf32>
      %l1 = arith.mulf %l, %f : vector<32xf32>
      %d2 = arith.subf %o, %max : vector<32xf32>
      %m2 = arith.minimumf %d2, %zero : vector<32xf32>
      %f2 = math.exp %m2 : vector<32xf32>
      scf.yield %max, %l1, %f2 : vector<32xf32>, vector<32xf32>, vector<32xf32>
    }
    %s = arith.addf %r#1, %r#2 : vector<32xf32>
    %t = arith.addf %s, %r#0 : vector<32xf32>
    vector.transfer_write %t, %p[%c0] {in_bounds = [true]} : vector<32xf32>, memref<32xf32>
    gpu.return
  }
}
