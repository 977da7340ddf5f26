// A value that is a constant contains itself in many ways; the algebra ends in
// spite of that, also over the real numbers.
// RUN: cleave-opt %s --cleave-algebra --remarks-filter=cleave-algebra 2>&1 | FileCheck %s
// RUN: cleave-opt %s --cleave-algebra=numerics=real --remarks-filter=cleave-algebra 2>&1 | FileCheck %s

#K = #cleave.axes<K>

// CHECK: Remark="saturated
// CHECK-LABEL: @norm_of_nothing
func.func @norm_of_nothing(%x: tensor<7xf32, #K> {cleave.range = 1.0 : f32}) -> tensor<7xf32, #K> {
  %d = cleave.sub %x, %x : (tensor<7xf32, #K>, tensor<7xf32, #K>) -> tensor<7xf32, #K>
  %n = cleave.layer_norm %d over [K] eps 1.0e-5 : (tensor<7xf32, #K>) -> tensor<7xf32, #K>
  return %n : tensor<7xf32, #K>
}
