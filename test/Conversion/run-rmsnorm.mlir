// The vector form of RMSNorm + linear, on 80 columns in tiles of 16, gives the
// right numbers on the CPU for rows around the tile's 16, 0 and 1.
// RUN: sed -e 's/64/16/g' -e 's/4096/80/g' %S/Inputs/rmsnorm_linear.mlir \
// RUN:   | cleave-opt --cleave-vectorize-tiles --canonicalize --cse \
// RUN:   | %python %S/Inputs/cpu_blocks.py %s > %t.mlir
// RUN: mlir-opt %t.mlir --pass-pipeline=%cpu_pipeline \
// RUN:   | mlir-runner -e main -entry-point-result=void -shared-libs=%runner_libs \
// RUN:   | FileCheck %s
// CHECK-COUNT-4: ok
// CHECK-NOT: wrong

func.func @value(%i: index, %j: index, %seed: index) -> f16 {
  %c19 = arith.constant 19 : index
  %c7 = arith.constant 7 : index
  %c9 = arith.constant 9 : index
  %eighth = arith.constant 0.125 : f32
  %s0 = arith.muli %i, %seed : index
  %s1 = arith.muli %j, %c7 : index
  %s2 = arith.addi %s0, %s1 : index
  %r = arith.remui %s2, %c19 : index
  %r1 = arith.subi %r, %c9 : index
  %ri = arith.index_cast %r1 : index to i32
  %f = arith.sitofp %ri : i32 to f32
  %g = arith.mulf %f, %eighth : f32
  %v = arith.truncf %g : f32 to f16
  return %v : f16
}

func.func @check(%m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c11 = arith.constant 11 : index
  %c80 = arith.constant 80 : index
  %zero = arith.constant 0.0 : f32
  %inv = arith.constant 2.44140625e-4 : f32
  %eps = arith.constant 1.0e-6 : f32
  %tolerance = arith.constant 1.0e-2 : f32
  %x = memref.alloc(%m) : memref<?x80xf16>
  %g = memref.alloc() : memref<80xf16>
  %w = memref.alloc() : memref<80x80xf16>
  %y = memref.alloc(%m) : memref<?x80xf16>
  scf.for %j = %c0 to %c80 step %c1 {
    scf.for %i = %c0 to %m step %c1 {
      %v = func.call @value(%i, %j, %c3) : (index, index, index) -> f16
      memref.store %v, %x[%i, %j] : memref<?x80xf16>
    }
    scf.for %i = %c0 to %c80 step %c1 {
      %v = func.call @value(%i, %j, %c11) : (index, index, index) -> f16
      memref.store %v, %w[%i, %j] : memref<80x80xf16>
    }
    %u = func.call @value(%c1, %j, %c3) : (index, index, index) -> f16
    memref.store %u, %g[%j] : memref<80xf16>
  }
  func.call @rmsnorm_linear(%x, %g, %w, %y) : (memref<?x80xf16>, memref<80xf16>, memref<80x80xf16>, memref<?x80xf16>) -> ()
  %error = scf.for %i = %c0 to %m step %c1 iter_args(%e0 = %zero) -> (f32) {
    %e1 = scf.for %n = %c0 to %c80 step %c1 iter_args(%e = %e0) -> (f32) {
      %sums:2 = scf.for %k = %c0 to %c80 step %c1 iter_args(%sq = %zero, %a = %zero) -> (f32, f32) {
        %xh = memref.load %x[%i, %k] : memref<?x80xf16>
        %gh = memref.load %g[%k] : memref<80xf16>
        %wh = memref.load %w[%k, %n] : memref<80x80xf16>
        %xf = arith.extf %xh : f16 to f32
        %gf = arith.extf %gh : f16 to f32
        %wf = arith.extf %wh : f16 to f32
        %p = arith.mulf %xf, %xf : f32
        %sq1 = arith.addf %sq, %p : f32
        %xg = arith.mulf %xf, %gf : f32
        %xgw = arith.mulf %xg, %wf : f32
        %a1 = arith.addf %a, %xgw : f32
        scf.yield %sq1, %a1 : f32, f32
      }
      %mean = arith.mulf %sums#0, %inv : f32
      %mean1 = arith.addf %mean, %eps : f32
      %q = math.rsqrt %mean1 : f32
      %expected = arith.mulf %sums#1, %q : f32
      %h = memref.load %y[%i, %n] : memref<?x80xf16>
      %got = arith.extf %h : f16 to f32
      %diff = arith.subf %got, %expected : f32
      // Relative to the larger of 1 and the value: the result is f16.
      %size = math.absf %expected : f32
      %one = arith.constant 1.0 : f32
      %scale = arith.maximumf %one, %size : f32
      %abs = math.absf %diff : f32
      %relative = arith.divf %abs, %scale : f32
      %m1 = arith.maximumf %e, %relative : f32
      scf.yield %m1 : f32
    }
    scf.yield %e1 : f32
  }
  %good = arith.cmpf ole, %error, %tolerance : f32
  scf.if %good {
    vector.print str "ok\n"
  } else {
    vector.print str "wrong\n"
    vector.print %error : f32
  }
  return
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c37 = arith.constant 37 : index
  func.call @check(%c37) : (index) -> ()
  func.call @check(%c16) : (index) -> ()
  func.call @check(%c1) : (index) -> ()
  func.call @check(%c0) : (index) -> ()
  return
}
