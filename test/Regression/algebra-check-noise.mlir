// Where all terms cancel, the forms differ by rounding errors of the terms, which
// are much to a result that is 0: no alternative is wrong for that. Over the
// real numbers an empty axis may give anything.
// RUN: cleave-opt %s --cleave-algebra="k=4 split=true" | FileCheck %s
// RUN: cleave-opt %s --cleave-algebra="k=5 numerics=real" | FileCheck %s

#K = #cleave.axes<K>
#N = #cleave.axes<N>
#M_N = #cleave.axes<M, N>
#N_M = #cleave.axes<N, M>
#s = #cleave.axes<>

// CHECK-LABEL: @centred
// CHECK: cleave.alternatives
func.func @centred(%x: tensor<3x?xf16, #N_M> {cleave.range = 1020.0 : f32}) -> tensor<f32, #s> {
  %s = cleave.reduce_sum %x over [M] : (tensor<3x?xf16, #N_M>) -> tensor<3xf32, #N>
  %n = cleave.extent M : tensor<f32, #s>
  %m = cleave.div %s, %n : (tensor<3xf32, #N>, tensor<f32, #s>) -> tensor<3xf32, #N>
  %d = cleave.sub %x, %m : (tensor<3x?xf16, #N_M>, tensor<3xf32, #N>) -> tensor<?x3xf32, #M_N>
  %r = cleave.reduce_sum %d over [M, N] : (tensor<?x3xf32, #M_N>) -> tensor<f32, #s>
  return %r : tensor<f32, #s>
}

// CHECK-LABEL: @difference
// CHECK: cleave.alternatives
func.func @difference(%x: tensor<?xf32, #K> {cleave.range = 1.0 : f32}) -> tensor<f32, #s> {
  %m = cleave.reduce_max %x over [K] : (tensor<?xf32, #K>) -> tensor<f32, #s>
  %d = cleave.sub %m, %m : (tensor<f32, #s>, tensor<f32, #s>) -> tensor<f32, #s>
  return %d : tensor<f32, #s>
}

// The rounding errors are so small that the type of the result has none: C alone
// varies, which the mean over T has taken away.
#C = #cleave.axes<C>
#T = #cleave.axes<T>
#C_T = #cleave.axes<C, T>
// CHECK-LABEL: @no_variance
// CHECK: cleave.alternatives
func.func @no_variance(%c: tensor<?xf16, #C>, %t: tensor<?xf16, #T>) -> tensor<?xf16, #T> {
  %x = cleave.add %c, %t : (tensor<?xf16, #C>, tensor<?xf16, #T>) -> tensor<?x?xf32, #C_T>
  %n = cleave.layer_norm %x over [T] eps 1.0e-3 : (tensor<?x?xf32, #C_T>) -> tensor<?x?xf32, #C_T>
  %v = cleave.layer_norm %n over [C] eps 1.0 : (tensor<?x?xf32, #C_T>) -> tensor<?x?xf32, #C_T>
  %q = cleave.mul %v, %v : (tensor<?x?xf32, #C_T>, tensor<?x?xf32, #C_T>) -> tensor<?x?xf32, #C_T>
  %s = cleave.reduce_sum %q over [C] : (tensor<?x?xf32, #C_T>) -> tensor<?xf32, #T>
  %h = cleave.cast %s : tensor<?xf32, #T> to tensor<?xf16, #T>
  return %h : tensor<?xf16, #T>
}
