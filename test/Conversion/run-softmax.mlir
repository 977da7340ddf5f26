// The vector form of Inputs/softmax.mlir gives the right numbers on the CPU for
// sizes around the tiles', 0 and 1.
// RUN: cleave-opt --cleave-vectorize-tiles --canonicalize --cse %S/Inputs/softmax.mlir \
// RUN:   | %python %S/Inputs/cpu_blocks.py %s > %t.mlir
// RUN: mlir-opt %t.mlir --pass-pipeline=%cpu_pipeline \
// RUN:   | mlir-runner -e main -entry-point-result=void -shared-libs=%runner_libs \
// RUN:   | FileCheck %s
// CHECK-COUNT-6: ok
// CHECK-NOT: wrong

func.func @check(%m: index, %k: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %zero = arith.constant 0.0 : f32
  %big = arith.constant 0.3 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %ninfh = arith.constant 0xFC00 : f16
  %tolerance = arith.constant 1.0e-3 : f32
  %x = memref.alloc(%m, %k) : memref<?x?xf16>
  %y = memref.alloc(%m, %k) : memref<?x?xf16>
  // x = 0.3 * (7 i + 5 j mod 23); row 2 is -inf throughout.
  scf.for %i = %c0 to %m step %c1 {
    scf.for %j = %c0 to %k step %c1 {
      %c2 = arith.constant 2 : index
      %c5 = arith.constant 5 : index
      %c23 = arith.constant 23 : index
      %a = arith.muli %i, %c7 : index
      %b = arith.muli %j, %c5 : index
      %s = arith.addi %a, %b : index
      %r = arith.remui %s, %c23 : index
      %ri = arith.index_cast %r : index to i32
      %f = arith.sitofp %ri : i32 to f32
      %g = arith.mulf %f, %big : f32
      %h = arith.truncf %g : f32 to f16
      %dead = arith.cmpi eq, %i, %c2 : index
      %v = arith.select %dead, %ninfh, %h : f16
      memref.store %v, %x[%i, %j] : memref<?x?xf16>
    }
  }
  func.call @softmax(%x, %y) : (memref<?x?xf16>, memref<?x?xf16>) -> ()
  %error = scf.for %i = %c0 to %m step %c1 iter_args(%e0 = %zero) -> (f32) {
    %max = scf.for %j = %c0 to %k step %c1 iter_args(%a = %ninf) -> (f32) {
      %v = memref.load %x[%i, %j] : memref<?x?xf16>
      %f = arith.extf %v : f16 to f32
      %n = arith.maximumf %a, %f : f32
      scf.yield %n : f32
    }
    %none = arith.cmpf oeq, %max, %ninf : f32
    %shift = arith.select %none, %zero, %max : f32
    %sum = scf.for %j = %c0 to %k step %c1 iter_args(%a = %zero) -> (f32) {
      %v = memref.load %x[%i, %j] : memref<?x?xf16>
      %f = arith.extf %v : f16 to f32
      %d = arith.subf %f, %shift : f32
      %p = math.exp %d : f32
      %n = arith.addf %a, %p : f32
      scf.yield %n : f32
    }
    %e1 = scf.for %j = %c0 to %k step %c1 iter_args(%a = %e0) -> (f32) {
      %v = memref.load %x[%i, %j] : memref<?x?xf16>
      %f = arith.extf %v : f16 to f32
      %d = arith.subf %f, %shift : f32
      %p = math.exp %d : f32
      %q = arith.divf %p, %sum : f32
      %expected = arith.select %none, %zero, %q : f32
      %w = memref.load %y[%i, %j] : memref<?x?xf16>
      %got = arith.extf %w : f16 to f32
      %diff = arith.subf %got, %expected : f32
      %abs = math.absf %diff : f32
      %n = arith.maximumf %a, %abs : f32
      scf.yield %n : f32
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
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c256 = arith.constant 256 : index
  %c523 = arith.constant 523 : index
  func.call @check(%c5, %c523) : (index, index) -> ()
  func.call @check(%c4, %c256) : (index, index) -> ()
  func.call @check(%c1, %c1) : (index, index) -> ()
  func.call @check(%c5, %c0) : (index, index) -> ()
  func.call @check(%c0, %c5) : (index, index) -> ()
  func.call @check(%c5, %c5) : (index, index) -> ()
  return
}
