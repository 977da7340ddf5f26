// A cast from f64 to bf16 rounds once: 1 + 2^-8 + 2^-40 is just above the middle
// of two bf16 numbers, and in f32 it would be that middle.

// RUN: rm -rf %t && mkdir %t
// RUN: %python %S/../Integration/Inputs/npy.py %t/x.npy f8 9 1.0039062500009095 1.0039062499990905 1.00390625 -1.0039062500009095 1e39 -1e300 1e-40 nan 0.3
// RUN: cleave-run %s --input X=%t/x.npy --print --check --tolerance 1e-2 | FileCheck %s
// RUN: cleave-run %s --input X=%t/x.npy --print --device=evaluator | FileCheck %s --check-prefix=VALUES
// CHECK: result0: 9xbf16 = 1.00781 1 1 -1.00781 inf -inf 9.18355e-41 {{-?}}nan 0.300781
// CHECK: : ok
// VALUES: result0: 9xbf16 = 1.00781 1 1 -1.00781 inf -inf 9.18355e-41 {{-?}}nan 0.300781

#K = #cleave.axes<K>
func.func @f(%x: tensor<?xf64, #K> {cleave.name = "X"}) -> tensor<?xbf16, #K> {
  %y = cleave.cast %x : tensor<?xf64, #K> to tensor<?xbf16, #K>
  return %y : tensor<?xbf16, #K>
}
