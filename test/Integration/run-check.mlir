// --check finds wrong values, wrong kinds of non-finite values and elements
// that nobody wrote. The compiled functions here are written by hand.

// RUN: split-file %s %t
// RUN: cleave-run %t/right.mlir --source %t/source.mlir --bind 'M=5;M=1;M=0' --check | FileCheck %s --check-prefix=RIGHT
// RIGHT: Y[M=5]: relative L2 0.00e+00, max error 0.00e+00: ok
// RIGHT-NEXT: Y[M=1]: relative L2 {{.*}}: ok
// RIGHT-NEXT: Y[M=0]: absolute L2 0.00e+00, max error 0.00e+00: ok

// RUN: not cleave-run %t/wrong.mlir --source %t/source.mlir --bind M=5 --check | FileCheck %s --check-prefix=WRONG
// WRONG: Y[M=5]: relative L2 5.00e-01, max error {{.*}}: WRONG (tolerance 2.00e-03)
// RUN: cleave-run %t/wrong.mlir --source %t/source.mlir --bind M=5 --check --tolerance 0.6 | FileCheck %s --check-prefix=WIDE
// WIDE: relative L2 5.00e-01{{.*}}: ok

// RUN: not cleave-run %t/partial.mlir --source %t/source.mlir --bind M=5 --check | FileCheck %s --check-prefix=PARTIAL
// PARTIAL: Y[M=5]: {{.*}}: WRONG, 1 elements not written, 1 elements differ in being infinite or NaN, the first at 0

// NaN in the reference alone may be one that masks leave open.
// RUN: not cleave-run %t/right.mlir --source %t/nan.mlir --bind M=5 --check | FileCheck %s --check-prefix=OPEN
// OPEN: WRONG, 5 elements differ in being infinite or NaN, the first at 0, all NaN in the reference alone (open {{.*}}numerics.md, 18)

// A function for other arguments than the source has is refused.
// RUN: not cleave-run %t/shape.mlir --source %t/source.mlir --bind M=5 --check 2>&1 | FileCheck %s --check-prefix=SHAPE
// SHAPE: error: {{.*}}expected 'memref<4xf16>' but got 5xf16
// RUN: not cleave-run %t/count.mlir --source %t/source.mlir --bind M=5 --check 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: error: {{.*}}expected 1 arguments and results in the compiled function but got 2

//--- source.mlir
#M = #cleave.axes<M>
func.func @f(%x: tensor<?xf16, #M> {cleave.name = "X"}) -> (tensor<?xf16, #M> {cleave.name = "Y"}) {
  %s = cleave.add %x, %x : (tensor<?xf16, #M>, tensor<?xf16, #M>) -> tensor<?xf32, #M>
  %y = cleave.cast %s : tensor<?xf32, #M> to tensor<?xf16, #M>
  return %y : tensor<?xf16, #M>
}
//--- nan.mlir
#M = #cleave.axes<M>
func.func @f(%x: tensor<?xf16, #M> {cleave.name = "X"}) -> (tensor<?xf16, #M> {cleave.name = "Y"}) {
  %z = cleave.sub %x, %x : (tensor<?xf16, #M>, tensor<?xf16, #M>) -> tensor<?xf32, #M>
  %r = cleave.recip %z : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %n = cleave.mul %r, %z : (tensor<?xf32, #M>, tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %y = cleave.cast %n : tensor<?xf32, #M> to tensor<?xf16, #M>
  return %y : tensor<?xf16, #M>
}

//--- right.mlir
// The scheduled form: a result on tensors.
#id = affine_map<(d0) -> (d0)>
func.func @f(%x: tensor<?xf16>) -> tensor<?xf16> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?xf16>
  %e = tensor.empty(%m) : tensor<?xf16>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf16>) outs(%e : tensor<?xf16>) {
  ^bb0(%a: f16, %b: f16):
    %w = arith.extf %a : f16 to f32
    %s = arith.addf %w, %w : f32
    %t = arith.truncf %s : f32 to f16
    linalg.yield %t : f16
  } -> tensor<?xf16>
  return %y : tensor<?xf16>
}
//--- wrong.mlir
func.func @f(%x: memref<?xf16>, %y: memref<?xf16>) {
  memref.copy %x, %y : memref<?xf16> to memref<?xf16>
  return
}
//--- partial.mlir
func.func @f(%x: memref<?xf16>, %y: memref<?xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %x, %c0 : memref<?xf16>
  scf.for %i = %c1 to %m step %c1 {
    %a = memref.load %x[%i] : memref<?xf16>
    %s = arith.addf %a, %a : f16
    memref.store %s, %y[%i] : memref<?xf16>
  }
  return
}
//--- shape.mlir
func.func @f(%x: memref<4xf16>, %y: memref<4xf16>) {
  return
}
//--- count.mlir
func.func @f(%x: memref<?xf16>) {
  return
}
