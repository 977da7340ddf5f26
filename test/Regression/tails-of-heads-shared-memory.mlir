// What is left of a head of 33 behind tiles of 32 takes a whole fragment of
// shared memory: the ring was taken to fit where it did not.
// RUN: cleave-opt %s --cleave-to-cubin='chip=sm_80 format=isa' -o - | FileCheck %s
// RUN: cleave-opt %s --cleave-to-cubin='chip=sm_90a format=isa' -o - | FileCheck %s
// CHECK: gpu.binary

func.func @f(%Q: tensor<?x1x1x33xf16, #cleave.axes<B, G, R, D>> {cleave.name = "Q", cleave.range = 2.0 : f32}, %K: tensor<?x1x777x33xf16, #cleave.axes<B, G, T, D>> {cleave.name = "K", cleave.range = 2.0 : f32}, %L: tensor<?xi32, #cleave.axes<B>> {cleave.name = "L", cleave.range = 300.0 : f32}) -> (tensor<?x1x1xf32, #cleave.axes<B, G, R>> {cleave.name = "Y0"}) attributes {cleave.symbols = #cleave.symbols<B: dynamic like 1>} {
  %v1 = cleave.contract %Q, %K over [D] : (tensor<?x1x1x33xf16, #cleave.axes<B, G, R, D>>, tensor<?x1x777x33xf16, #cleave.axes<B, G, T, D>>) -> tensor<?x1x1x777xf32, #cleave.axes<B, G, R, T>>
  %v2 = cleave.iota T : tensor<777xf32, #cleave.axes<T>>
  %v3 = cleave.cast %L : tensor<?xi32, #cleave.axes<B>> to tensor<?xf32, #cleave.axes<B>>
  %v4 = cleave.cmp lt %v2, %v3 : (tensor<777xf32, #cleave.axes<T>>, tensor<?xf32, #cleave.axes<B>>) -> tensor<?x777xi1, #cleave.axes<B, T>>
  %v5 = cleave.constant 0xFFF0000000000000 : tensor<f32, #cleave.axes<>>
  %v6 = cleave.select %v4, %v1, %v5 : (tensor<?x777xi1, #cleave.axes<B, T>>, tensor<?x1x1x777xf32, #cleave.axes<B, G, R, T>>, tensor<f32, #cleave.axes<>>) -> tensor<?x1x1x777xf32, #cleave.axes<B, G, R, T>>
  %v7 = cleave.reduce_max %v6 over [T] : (tensor<?x1x1x777xf32, #cleave.axes<B, G, R, T>>) -> tensor<?x1x1xf32, #cleave.axes<B, G, R>>
  return %v7 : tensor<?x1x1xf32, #cleave.axes<B, G, R>>
}
