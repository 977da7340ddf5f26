// What is computed in f64 stays in f64: a rule does not move parts of it into
// values of f32, and constants that it makes have the type of what they replace.
// RUN: cleave-opt %s --cleave-algebra=split=false | FileCheck %s

#K = #cleave.axes<K>
#M = #cleave.axes<M>
#K_M = #cleave.axes<K, M>
#s = #cleave.axes<>

// CHECK-LABEL: @factor
// CHECK: cleave.alternatives ["input"]
func.func @factor(%x: tensor<64x4xf32, #K_M> {cleave.range = 1.0e4 : f32}, %w: tensor<64xf32, #K> {cleave.range = 1.0e4 : f32},
                  %g: tensor<4xf64, #M> {cleave.range = 2.0 : f32}) -> tensor<4xf64, #M> {
  %p = cleave.mul %g, %x, %w : (tensor<4xf64, #M>, tensor<64x4xf32, #K_M>, tensor<64xf32, #K>) -> tensor<64x4xf64, #K_M>
  %s = cleave.reduce_sum %p over [K] : (tensor<64x4xf64, #K_M>) -> tensor<4xf64, #M>
  return %s : tensor<4xf64, #M>
}

// CHECK-LABEL: @quotient
// CHECK-NOT: cleave.recip
// CHECK: return
func.func @quotient(%x: tensor<4xf64, #M> {cleave.range = 1.0e4 : f32}) -> tensor<4xf64, #M> {
  %n = cleave.constant 3.0 : tensor<f32, #s>
  %m = cleave.div %x, %n : (tensor<4xf64, #M>, tensor<f32, #s>) -> tensor<4xf64, #M>
  return %m : tensor<4xf64, #M>
}

// CHECK-LABEL: @difference
// CHECK: cleave.alternatives
func.func @difference(%x: tensor<2xf64, #K> {cleave.range = 1.0 : f32}) -> tensor<2xf64, #K> {
  %d = cleave.sub %x, %x : (tensor<2xf64, #K>, tensor<2xf64, #K>) -> tensor<2xf64, #K>
  return %d : tensor<2xf64, #K>
}
