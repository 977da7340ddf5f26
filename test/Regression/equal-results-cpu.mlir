// Results of one shape, each reduced within one tile: their accumulators start
// out equal but are not one buffer.

// RUN: cleave-run %s --entry=two_sums --check | FileCheck %s --check-prefix=TWO
// TWO: result0: {{.*}}: ok
// TWO-NEXT: result1: {{.*}}: ok
// RUN: cleave-run %s --entry=three_sums --bind 'M=8' --check | FileCheck %s --check-prefix=THREE
// THREE: result0{{.*}}: {{.*}}: ok
// THREE-NEXT: result1{{.*}}: {{.*}}: ok
// THREE-NEXT: result2{{.*}}: {{.*}}: ok
// RUN: cleave-run %s --entry=qkv --check | FileCheck %s --check-prefix=THREE
// RUN: cleave-run %s --entry=same_twice --check | FileCheck %s --check-prefix=TWO

#MK = #cleave.axes<M, K>
#KN = #cleave.axes<K, N>
#MN = #cleave.axes<M, N>
#M = #cleave.axes<M>

func.func @two_sums(%x: tensor<8x8xf32, #MK>, %y: tensor<8x8xf32, #MK>) -> (tensor<8xf32, #M>, tensor<8xf32, #M>) {
  %a = cleave.reduce_sum %x over [K] : (tensor<8x8xf32, #MK>) -> tensor<8xf32, #M>
  %b = cleave.reduce_sum %y over [K] : (tensor<8x8xf32, #MK>) -> tensor<8xf32, #M>
  return %a, %b : tensor<8xf32, #M>, tensor<8xf32, #M>
}

func.func @three_sums(%x: tensor<?x8xf32, #MK>, %y: tensor<?x8xf32, #MK>, %z: tensor<?x8xf32, #MK>) -> (tensor<?xf32, #M>, tensor<?xf32, #M>, tensor<?xf32, #M>) {
  %a = cleave.reduce_sum %x over [K] : (tensor<?x8xf32, #MK>) -> tensor<?xf32, #M>
  %b = cleave.reduce_max %y over [K] : (tensor<?x8xf32, #MK>) -> tensor<?xf32, #M>
  %c = cleave.reduce_sum %z over [K] : (tensor<?x8xf32, #MK>) -> tensor<?xf32, #M>
  return %a, %b, %c : tensor<?xf32, #M>, tensor<?xf32, #M>, tensor<?xf32, #M>
}

func.func @qkv(%x: tensor<7x16xf16, #MK>, %q: tensor<16x32xf16, #KN>, %k: tensor<16x32xf16, #KN>, %v: tensor<16x32xf16, #KN>) -> (tensor<7x32xf32, #MN>, tensor<7x32xf32, #MN>, tensor<7x32xf32, #MN>) {
  %a = cleave.contract %x, %q over [K] : (tensor<7x16xf16, #MK>, tensor<16x32xf16, #KN>) -> tensor<7x32xf32, #MN>
  %b = cleave.contract %x, %k over [K] : (tensor<7x16xf16, #MK>, tensor<16x32xf16, #KN>) -> tensor<7x32xf32, #MN>
  %c = cleave.contract %x, %v over [K] : (tensor<7x16xf16, #MK>, tensor<16x32xf16, #KN>) -> tensor<7x32xf32, #MN>
  return %a, %b, %c : tensor<7x32xf32, #MN>, tensor<7x32xf32, #MN>, tensor<7x32xf32, #MN>
}

func.func @same_twice(%x: tensor<8x8xf32, #MK>) -> (tensor<8xf32, #M>, tensor<8xf32, #M>) {
  %a = cleave.reduce_sum %x over [K] : (tensor<8x8xf32, #MK>) -> tensor<8xf32, #M>
  return %a, %a : tensor<8xf32, #M>, tensor<8xf32, #M>
}
