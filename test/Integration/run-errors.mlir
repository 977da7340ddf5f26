// Every fault of what a user gives is one line and exit code 1.

// RUN: split-file %s %t
// RUN: python3 %S/Inputs/npy.py %t/x.npy f2 3,4 1
// RUN: python3 %S/Inputs/npy.py %t/x32.npy f4 3,4 1
// RUN: python3 %S/Inputs/npy.py %t/x5.npy f2 3,5 1
// RUN: python3 %S/Inputs/npy.py %t/flat.npy f2 4 1
// RUN: head -c 150 %t/x.npy > %t/short.npy
// RUN: head -c 60 %t/x.npy > %t/header.npy

// RUN: not cleave-run %t/f.mlir --device=evaluator 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: cleave-run: error: {{.*}}f.mlir:{{[0-9:]+}} missing extent of axis 'M'
// MISSING-NOT: {{.}}

// RUN: not cleave-run %t/f.mlir --device=evaluator --bind M=2,Q=1 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: {{.*}}unknown axis 'Q'
// RUN: not cleave-run %t/f.mlir --device=evaluator --bind M=2,K=5 2>&1 | FileCheck %s --check-prefix=STATIC
// STATIC: error: {{.*}}expected axis 'K' to have extent 4 but got 5
// RUN: not cleave-run %t/f.mlir --device=evaluator --bind M=-2 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: error: expected NAME=EXTENT in --bind but got 'M=-2'
// RUN: not cleave-run %t/f.mlir --device=evaluator --bind M=1,M=2 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: error: expected axis 'M' once in --bind but got it twice
// RUN: not cleave-run %t/f.mlir --device=evaluator --bind M=999999999999 2>&1 | FileCheck %s --check-prefix=LARGE
// LARGE: error: 'X' is too large
// RUN: not cleave-run %t/f.mlir --device=tpu --bind M=2 2>&1 | FileCheck %s --check-prefix=DEVICE
// DEVICE: error: expected device cpu, evaluator, cuda or emulator but got 'tpu'
// RUN: not cleave-run %t/f.mlir --bind M=2 --alternative=1 2>&1 | FileCheck %s --check-prefix=ALTERNATIVE
// ALTERNATIVE: error: expected --device=evaluator with --alternative
// RUN: not cleave-run %t/f.mlir --explain --representative K=5 2>&1 | FileCheck %s --check-prefix=KNOWN
// KNOWN: error: {{.*}}expected the extent 4 of axis 'K' but got 5
// RUN: not cleave-run %t/f.mlir --device=evaluator --bind M=2 --entry=g 2>&1 | FileCheck %s --check-prefix=ENTRY
// ENTRY: error: expected a function named 'g'
// RUN: not cleave-run %t/two.mlir --device=evaluator 2>&1 | FileCheck %s --check-prefix=SEVERAL
// SEVERAL: error: expected --entry=NAME, there being several functions
// RUN: not cleave-run %t/absent.mlir 2>&1 | FileCheck %s --check-prefix=ABSENT
// ABSENT: error: cannot read '{{.*}}absent.mlir'
// RUN: not cleave-run %t/broken.mlir 2>&1 | FileCheck %s --check-prefix=BROKEN
// BROKEN: error: {{.*}}broken.mlir:1:
// RUN: not cleave-run %t/plain.mlir 2>&1 | FileCheck %s --check-prefix=PLAIN
// PLAIN: error: expected --source=FILE.mlir with the cleave function that 'f' was compiled from
// RUN: not cleave-run %t/f.mlir --device=evaluator --bind M=2 --representative M=2,Q=1 2>&1 | FileCheck %s --check-prefix=REPRESENTATIVE
// REPRESENTATIVE: unknown axis 'Q' in --representative

// RUN: not cleave-run %t/f.mlir --device=evaluator --input Z=%t/x.npy 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: error: unknown argument 'Z' in --input
// RUN: not cleave-run %t/f.mlir --device=evaluator --input X=%t/none.npy 2>&1 | FileCheck %s --check-prefix=NOFILE
// NOFILE: error: cannot read '{{.*}}none.npy'
// RUN: not cleave-run %t/f.mlir --device=evaluator --input X=%t/short.npy 2>&1 | FileCheck %s --check-prefix=SHORT
// SHORT: error: cannot read '{{.*}}short.npy': expected 24 bytes of data for 3x4xf16 but got 22
// RUN: not cleave-run %t/f.mlir --device=evaluator --input X=%t/header.npy 2>&1 | FileCheck %s --check-prefix=HEADER
// HEADER: error: cannot read '{{.*}}header.npy': the header is truncated
// RUN: not cleave-run %t/f.mlir --device=evaluator --input X=%t/f.mlir 2>&1 | FileCheck %s --check-prefix=NOTNPY
// NOTNPY: error: cannot read '{{.*}}f.mlir': not an .npy file
// RUN: not cleave-run %t/f.mlir --device=evaluator --input X=%t/x5.npy 2>&1 | FileCheck %s --check-prefix=SHAPE
// SHAPE: error: {{.*}}expected axis 'K' of 'X' to have extent 4 but got 5
// RUN: not cleave-run %t/f.mlir --device=evaluator --input X=%t/flat.npy 2>&1 | FileCheck %s --check-prefix=RANK
// RANK: error: {{.*}}expected 'X' to have rank 2 but got 4xf16
// RUN: not cleave-run %t/f.mlir --device=evaluator --bind M=7 --input X=%t/x.npy 2>&1 | FileCheck %s --check-prefix=BOUND
// BOUND: error: {{.*}}expected axis 'M' of 'X' to have extent 7 but got 3
// RUN: not cleave-run %t/f.mlir --device=evaluator --input X=%t/x32.npy 2>&1 | FileCheck %s --check-prefix=TYPE
// TYPE: error: expected 'X' to have elements of type f16 but got 3x4xf32
// RUN: not cleave-run %t/f.mlir --device=evaluator --input X:bf16=%t/x.npy 2>&1 | FileCheck %s --check-prefix=BF16
// BF16: error: expected uint16 elements for 'X:bf16' but got 3x4xf16
// RUN: not cleave-run %t/f.mlir --device=evaluator --bind M=2 --json=%t/j 2>&1 | FileCheck %s --check-prefix=JSON
// JSON: error: expected --bench or --dry-run with --json
// RUN: not cleave-run %t/f.mlir --device=evaluator --bind M=2 --scale=wide 2>&1 | FileCheck %s --check-prefix=SCALE
// SCALE: error: expected a number of at least 0 in --scale but got 'wide'
// RUN: not cleave-run %t/f.mlir --device=evaluator --bind M=2 --output-dir %t/f.mlir/x 2>&1 | FileCheck %s --check-prefix=OUTDIR
// OUTDIR: error: {{.*}}cannot create '{{.*}}f.mlir/x'

//--- f.mlir
func.func @f(%x: tensor<?x4xf16, #cleave.axes<M, K>> {cleave.name = "X"})
    -> (tensor<4x?xf32, #cleave.axes<K, M>> {cleave.name = "Y"}) {
  %y = cleave.exp %x : (tensor<?x4xf16, #cleave.axes<M, K>>) -> tensor<4x?xf32, #cleave.axes<K, M>>
  return %y : tensor<4x?xf32, #cleave.axes<K, M>>
}
//--- two.mlir
func.func @f(%x: tensor<f32, #cleave.axes<>>) -> tensor<f32, #cleave.axes<>> {
  return %x : tensor<f32, #cleave.axes<>>
}
func.func @g(%x: tensor<f32, #cleave.axes<>>) -> tensor<f32, #cleave.axes<>> {
  return %x : tensor<f32, #cleave.axes<>>
}
//--- broken.mlir
func.func @f(
//--- plain.mlir
func.func @f(%x: memref<4xf32>) {
  return
}
