// Maxima and minima are IEEE's maximum and minimum: -0 is less than +0, NaN wins
// (docs/numerics.md, 16), in whatever order operands come.

// RUN: rm -rf %t && mkdir %t
// RUN: %python %S/../Integration/Inputs/npy.py %t/x.npy f4 3,2 -0.0 0.0 0.0 -0.0 nan 1.0
// RUN: %python %S/../Integration/Inputs/npy.py %t/y.npy f4 3,2 0.0 -0.0 -0.0 -0.0 1.0 nan
// RUN: cleave-run %s --input X=%t/x.npy --input Y=%t/y.npy --print --device=cpu | FileCheck %s
// RUN: cleave-run %s --input X=%t/x.npy --input Y=%t/y.npy --print --device=evaluator | FileCheck %s
// CHECK: result0{{.*}} = 0 0 0 -0 nan nan
// CHECK: result1{{.*}} = -0 -0 -0 -0 nan nan
// CHECK: result2{{.*}} = 0 0 nan

#MK = #cleave.axes<M, K>
#KM = #cleave.axes<K, M>
#M = #cleave.axes<M>

func.func @f(%x: tensor<?x?xf32, #MK> {cleave.name = "X"}, %y: tensor<?x?xf32, #MK> {cleave.name = "Y"}) -> (tensor<?x?xf32, #MK>, tensor<?x?xf32, #MK>, tensor<?xf32, #M>) {
  %a = cleave.max %x, %y : (tensor<?x?xf32, #MK>, tensor<?x?xf32, #MK>) -> tensor<?x?xf32, #KM>
  %b = cleave.min %x, %y : (tensor<?x?xf32, #MK>, tensor<?x?xf32, #MK>) -> tensor<?x?xf32, #KM>
  %c = cleave.reduce_max %x over [K] : (tensor<?x?xf32, #MK>) -> tensor<?xf32, #M>
  %ra = cleave.relayout %a : tensor<?x?xf32, #KM> to tensor<?x?xf32, #MK>
  %rb = cleave.relayout %b : tensor<?x?xf32, #KM> to tensor<?x?xf32, #MK>
  return %ra, %rb, %c : tensor<?x?xf32, #MK>, tensor<?x?xf32, #MK>, tensor<?xf32, #M>
}
