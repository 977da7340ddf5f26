// Casts to integers where the value does not fit, and to i1 (docs/numerics.md, 3).
// The CPU's code and the evaluator give the same.

// RUN: rm -rf %t && mkdir %t
// RUN: %python %S/../Integration/Inputs/npy.py %t/x.npy f4 12 nan inf -inf 0.25 -0.0 2.0 -2.75 127.5 128 -128.5 3e9 -1e20
// RUN: cleave-run %s --entry=from_f32 --input X=%t/x.npy --print --check | FileCheck %s --check-prefixes=FLOAT,OK
// RUN: cleave-run %s --entry=from_f32 --input X=%t/x.npy --print --device=evaluator | FileCheck %s --check-prefix=FLOAT
// FLOAT: result0{{.*}}: 12xi1 = 1 1 1 1 0 1 1 1 1 1 1 1
// FLOAT: result1{{.*}}: 12xi8 = 0 127 -128 0 0 2 -2 127 127 -128 127 -128
// FLOAT: result2{{.*}}: 12xi32 = 0 2.14748e+09 -2.14748e+09 0 0 2 -2 127 128 -128 2.14748e+09 -2.14748e+09
// FLOAT: result3{{.*}}: 12xf32 = 0 127 -128 0 0 2 -2 127 127 -128 127 -128
// OK: result0{{.*}}: ok
// OK: result1{{.*}}: ok
// OK: result2{{.*}}: ok
// OK: result3{{.*}}: ok

// f16 does not hold the limits of i32.
// RUN: %python %S/../Integration/Inputs/npy.py %t/h.npy f2 5 nan inf -inf 65504 -1.5
// RUN: cleave-run %s --entry=from_f16 --input X=%t/h.npy --print --check | FileCheck %s --check-prefix=HALF
// HALF: result0{{.*}}: 5xi32 = 0 2.14748e+09 -2.14748e+09 65504 -1
// HALF: result0{{.*}}: ok

// RUN: %python %S/../Integration/Inputs/npy.py %t/i.npy i4 6 0 2 -128 128 -129 256
// RUN: cleave-run %s --entry=from_i32 --input X=%t/i.npy --print --check | FileCheck %s --check-prefix=INT
// RUN: cleave-run %s --entry=from_i32 --input X=%t/i.npy --print --device=evaluator | FileCheck %s --check-prefix=VALUES
// INT: result0{{.*}}: 6xi1 = 0 1 1 1 1 1
// INT: result1{{.*}}: 6xi8 = 0 2 -128 127 -128 127
// INT: result0{{.*}}: ok
// INT: result1{{.*}}: ok
// VALUES: result0{{.*}}: 6xi1 = 0 1 1 1 1 1
// VALUES: result1{{.*}}: 6xi8 = 0 2 -128 127 -128 127

#K = #cleave.axes<K>

func.func @from_f32(%x: tensor<?xf32, #K> {cleave.name = "X"}) -> (tensor<?xi1, #K>, tensor<?xi8, #K>, tensor<?xi32, #K>, tensor<?xf32, #K>) {
  %a = cleave.cast %x : tensor<?xf32, #K> to tensor<?xi1, #K>
  %b = cleave.cast %x : tensor<?xf32, #K> to tensor<?xi8, #K>
  %c = cleave.cast %x : tensor<?xf32, #K> to tensor<?xi32, #K>
  %d = cleave.cast %b : tensor<?xi8, #K> to tensor<?xf32, #K>
  return %a, %b, %c, %d : tensor<?xi1, #K>, tensor<?xi8, #K>, tensor<?xi32, #K>, tensor<?xf32, #K>
}

func.func @from_f16(%x: tensor<?xf16, #K> {cleave.name = "X"}) -> tensor<?xi32, #K> {
  %a = cleave.cast %x : tensor<?xf16, #K> to tensor<?xi32, #K>
  return %a : tensor<?xi32, #K>
}

func.func @from_i32(%x: tensor<?xi32, #K> {cleave.name = "X"}) -> (tensor<?xi1, #K>, tensor<?xi8, #K>) {
  %a = cleave.cast %x : tensor<?xi32, #K> to tensor<?xi1, #K>
  %b = cleave.cast %x : tensor<?xi32, #K> to tensor<?xi8, #K>
  return %a, %b : tensor<?xi1, #K>, tensor<?xi8, #K>
}
