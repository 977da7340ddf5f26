// Kernels that do not depend on each other share a launch.

// RUN: cleave-opt %s --split-input-file --verify-diagnostics --cleave-schedule | FileCheck %s

#M_K = #cleave.axes<M, K>
#K_M = #cleave.axes<K, M>
#M = #cleave.axes<M>
#K = #cleave.axes<K>

// CHECK-LABEL: func.func @two
// CHECK: scf.forall
// CHECK: } {cleave.stages = 1 : i64, cleave.warps = 4 : i64}
// CHECK: scf.forall
// CHECK: } {cleave.beside, cleave.stages = 2 : i64, cleave.warps = 4 : i64}
func.func @two(%x: tensor<?x40xf32, #M_K>) -> (tensor<?xf32, #M>, tensor<40xf32, #K>)
    attributes {cleave.schedule = #cleave.schedule<region = 0, kernels = [
      <store = [result0], grid = [M: 4], loop = [K: 64], warps = 4, stages = 1>,
      <store = [result1], beside, grid = [K: 8], loop = [M: 16], warps = 4, stages = 2>]>} {
  %a = cleave.reduce_sum %x over [K] : (tensor<?x40xf32, #M_K>) -> tensor<?xf32, #M>
  %b = cleave.reduce_max %x over [M] : (tensor<?x40xf32, #M_K>) -> tensor<40xf32, #K>
  return %a, %b : tensor<?xf32, #M>, tensor<40xf32, #K>
}

// -----

#M_K = #cleave.axes<M, K>
#M = #cleave.axes<M>
#K_M = #cleave.axes<K, M>
#scalar = #cleave.axes<>

// expected-error@+1 {{illegal schedule: expected kernel 1 not to depend on kernel 0 beside it}}
func.func @dependent(%x: tensor<?x40xf32, #M_K>) -> (tensor<?xf32, #M>, tensor<f32, #scalar>)
    attributes {cleave.schedule = #cleave.schedule<region = 0, kernels = [
      <store = [result0], grid = [M: 4], loop = [K: 64], warps = 4, stages = 1>,
      <store = [result1], beside, grid = [], loop = [M: 16], warps = 4, stages = 2>]>} {
  %a = cleave.reduce_sum %x over [K] : (tensor<?x40xf32, #M_K>) -> tensor<?xf32, #M>
  %b = cleave.reduce_max %a over [M] : (tensor<?xf32, #M>) -> tensor<f32, #scalar>
  return %a, %b : tensor<?xf32, #M>, tensor<f32, #scalar>
}

// -----

#M_K = #cleave.axes<M, K>
#M = #cleave.axes<M>
#K = #cleave.axes<K>

// expected-error@+1 {{illegal schedule: expected kernel 1 to have 4 warps like kernel 0 beside it but got 2}}
func.func @warps(%x: tensor<?x40xf32, #M_K>) -> (tensor<?xf32, #M>, tensor<40xf32, #K>)
    attributes {cleave.schedule = #cleave.schedule<region = 0, kernels = [
      <store = [result0], grid = [M: 4], loop = [K: 64], warps = 4, stages = 1>,
      <store = [result1], beside, grid = [K: 8], loop = [M: 16], warps = 2, stages = 2>]>} {
  %a = cleave.reduce_sum %x over [K] : (tensor<?x40xf32, #M_K>) -> tensor<?xf32, #M>
  %b = cleave.reduce_max %x over [M] : (tensor<?x40xf32, #M_K>) -> tensor<40xf32, #K>
  return %a, %b : tensor<?xf32, #M>, tensor<40xf32, #K>
}

// -----

#M = #cleave.axes<M>

// expected-error@+2 {{expected a kernel in front of one with 'beside'}}
func.func @first(%x: tensor<?xf32, #M>) -> tensor<?xf32, #M>
    attributes {cleave.schedule = #cleave.schedule<region = 0, kernels = [
      <store = [result0], beside, grid = [M: 4], loop = [], warps = 4, stages = 1>]>} {
  return %x : tensor<?xf32, #M>
}
