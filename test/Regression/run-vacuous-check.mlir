// What a check cannot tell is said: results that are not finite, inputs beyond
// their range.

// Random f16 is finite at any scale, and its sum in f32 too.
// RUN: cleave-run %s --entry=sum --device=evaluator --check --scale 3e5 | FileCheck %s --check-prefix=SCALE
// SCALE: Y: relative L2 {{[^,]*}}, max error {{[^,]*}}: ok{{$}}

// RUN: python3 %S/../Integration/Inputs/npy.py %t.part.npy f2 4 1 nan 2 inf
// RUN: cleave-run %s --entry=sum --device=evaluator --check --input X=%t.part.npy 2>&1 | FileCheck %s --check-prefix=PART
// PART: Y: relative L2 {{.*}}: ok, 2 of 4 not finite{{$}}
// PART-NOT: warning

// RUN: python3 %S/../Integration/Inputs/npy.py %t.all.npy f2 4 nan
// RUN: cleave-run %s --entry=sum --device=evaluator --check --input X=%t.all.npy 2>&1 | FileCheck %s --check-prefix=ALL
// ALL: Y: {{.*}}: ok, 4 of 4 not finite{{$}}
// ALL-NEXT: cleave-run: warning: no number to compare in 'Y'

// RUN: python3 %S/../Integration/Inputs/npy.py %t.range.npy f2 4 1 -3 2 nan
// RUN: cleave-run %s --entry=ranged --device=evaluator --input X=%t.range.npy 2>&1 | FileCheck %s --check-prefix=RANGE
// RANGE: cleave-run: warning: 2 of 4 elements of 'X' lie beyond cleave.range

#K = #cleave.axes<K>
func.func @sum(%x: tensor<4xf16, #K> {cleave.name = "X"}) -> (tensor<4xf32, #K> {cleave.name = "Y"}) {
  %y = cleave.add %x, %x : (tensor<4xf16, #K>, tensor<4xf16, #K>) -> tensor<4xf32, #K>
  return %y : tensor<4xf32, #K>
}
func.func @ranged(%x: tensor<4xf16, #K> {cleave.name = "X", cleave.range = 2.0 : f32}) -> (tensor<4xf32, #K> {cleave.name = "Y"}) {
  %y = cleave.add %x, %x : (tensor<4xf16, #K>, tensor<4xf16, #K>) -> tensor<4xf32, #K>
  return %y : tensor<4xf32, #K>
}
