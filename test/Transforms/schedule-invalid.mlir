// RUN: cleave-opt %s --cleave-schedule --split-input-file --verify-diagnostics

#M_K = #cleave.axes<M, K>
#K_N = #cleave.axes<K, N>
#M_N = #cleave.axes<M, N>

// expected-error@+1 {{illegal schedule: unknown axis 'Q'}}
func.func @unknown_axis(%x: tensor<?x8xf16, #M_K>, %w: tensor<8x8xf16, #K_N>) -> tensor<?x8xf32, #M_N>
    attributes {cleave.schedule = #cleave.schedule<region = 0, grid = [M: 16, Q: 8], loop = [K: 16], warps = 4, stages = 1>} {
  %y = cleave.contract %x, %w over [K] : (tensor<?x8xf16, #M_K>, tensor<8x8xf16, #K_N>) -> tensor<?x8xf32, #M_N>
  return %y : tensor<?x8xf32, #M_N>
}

// -----

#M_K = #cleave.axes<M, K>
#K_N = #cleave.axes<K, N>
#M_N = #cleave.axes<M, N>

// expected-error@+1 {{illegal schedule: expected a power of two as tile of axis 'N' but got 12}}
func.func @odd_tile(%x: tensor<?x8xf16, #M_K>, %w: tensor<8x8xf16, #K_N>) -> tensor<?x8xf32, #M_N>
    attributes {cleave.schedule = #cleave.schedule<region = 0, grid = [M: 16, N: 12], loop = [K: 16], warps = 4, stages = 1>} {
  %y = cleave.contract %x, %w over [K] : (tensor<?x8xf16, #M_K>, tensor<8x8xf16, #K_N>) -> tensor<?x8xf32, #M_N>
  return %y : tensor<?x8xf32, #M_N>
}

// -----

#K = #cleave.axes<K>

// expected-error@+1 {{expected a region below 1 but got 2}}
func.func @region(%x: tensor<8xf16, #K>) -> tensor<8xf16, #K>
    attributes {cleave.schedule = #cleave.schedule<region = 2, grid = [K: 8], loop = [], warps = 4, stages = 1>} {
  return %x : tensor<8xf16, #K>
}

// -----

#K_N = #cleave.axes<K, N>
#Ki_N_S = #cleave.axes<Ki, N, S>

func.func @ragged(%x: tensor<7x4xf16, #K_N>) -> tensor<4x4x2xf16, #Ki_N_S> {
  %v = cleave.split %x K into (S, Ki) : tensor<7x4xf16, #K_N> to tensor<4x4x2xf16, #Ki_N_S>
  // expected-error@+1 {{scheduling does not support axis 'Ki' of a result, whose parts may be short}}
  return %v : tensor<4x4x2xf16, #Ki_N_S>
}

// -----

#K_N = #cleave.axes<K, N>
#Ki_N_S = #cleave.axes<Ki, N, S>
#N = #cleave.axes<N>

// expected-error@+1 {{illegal schedule: expected a tile of 1 for axis 'S', the outer part of a dimension, but got 2}}
func.func @outer_tile(%x: tensor<?x4xf16, #K_N>) -> tensor<4xf32, #N>
    attributes {cleave.symbols = #cleave.symbols<K: dynamic like 64, S: bound like 2, Ki = ceil(K / S)>,
                cleave.schedule = #cleave.schedule<region = 0, split = [S: 2], grid = [N: 4], loop = [S: 2, Ki: 16], warps = 4, stages = 1>} {
  %v = cleave.split %x K into (S, Ki) : tensor<?x4xf16, #K_N> to tensor<?x4x?xf16, #Ki_N_S>
  %y = cleave.reduce_sum %v over [Ki, S] : (tensor<?x4x?xf16, #Ki_N_S>) -> tensor<4xf32, #N>
  return %y : tensor<4xf32, #N>
}

// -----

#G_R = #cleave.axes<G, R>
#H = #cleave.axes<H>
#L = #cleave.axes<L>

func.func @merged_slice(%x: tensor<4x2xf16, #G_R>) -> tensor<3xf16, #L> {
  // expected-error@+1 {{'cleave.merge' op is not supported by scheduling: expected axis 'H' to be used in the same parts, of static extents}}
  %h = cleave.merge %x (G, R) into H : tensor<4x2xf16, #G_R> to tensor<8xf16, #H>
  %l = cleave.slice %h H at 3 as L : tensor<8xf16, #H> to tensor<3xf16, #L>
  return %l : tensor<3xf16, #L>
}

// -----

#K = #cleave.axes<K>
#R = #cleave.axes<R>
#N = #cleave.axes<N>

func.func @concat(%x: tensor<4xf16, #K>, %y: tensor<3xf16, #R>) -> tensor<7xf16, #N> {
  // expected-error@+1 {{'cleave.concat' op is not supported by scheduling}}
  %n = cleave.concat %x, %y along [K, R] as N : (tensor<4xf16, #K>, tensor<3xf16, #R>) -> tensor<7xf16, #N>
  return %n : tensor<7xf16, #N>
}

// -----

#C_K = #cleave.axes<C, K>
#K_T = #cleave.axes<K, T>
#T = #cleave.axes<T>

func.func @concat_dynamic(%x: tensor<?x2xf32, #C_K>, %y: tensor<?xf32, #T>) -> tensor<2x?xf32, #K_T> {
  // expected-error@+1 {{'cleave.concat' op is not supported by scheduling}}
  %n = cleave.concat %x, %x along [C, C] as T : (tensor<?x2xf32, #C_K>, tensor<?x2xf32, #C_K>) -> tensor<2x?xf32, #K_T>
  %r = cleave.add %n, %y : (tensor<2x?xf32, #K_T>, tensor<?xf32, #T>) -> tensor<2x?xf32, #K_T>
  return %r : tensor<2x?xf32, #K_T>
}

// -----

#K = #cleave.axes<K>

// Sugar must have been expanded.
func.func @sugar(%x: tensor<8xf16, #K>) -> tensor<8xf32, #K> {
  // expected-error@+1 {{'cleave.silu' op is not supported by scheduling}}
  %y = cleave.silu %x : (tensor<8xf16, #K>) -> tensor<8xf32, #K>
  return %y : tensor<8xf32, #K>
}

// -----

#K = #cleave.axes<K>
#scalar = #cleave.axes<>

// expected-error@+1 {{illegal schedule: expected a tile for reduced axis 'K' in 'loop'}}
func.func @no_loop(%x: tensor<?xf16, #K>) -> tensor<f32, #scalar>
    attributes {cleave.schedule = #cleave.schedule<region = 0, grid = [], loop = [], warps = 4, stages = 1>} {
  %y = cleave.reduce_sum %x over [K] : (tensor<?xf16, #K>) -> tensor<f32, #scalar>
  return %y : tensor<f32, #scalar>
}

// -----

#M_K = #cleave.axes<M, K>
#K_N = #cleave.axes<K, N>
#M_N = #cleave.axes<M, N>
#M = #cleave.axes<M>

// expected-error@+1 {{illegal schedule: expected a value that can be stored but got 'v9'}}
func.func @unknown_store(%x: tensor<?x8xf16, #M_K>, %w: tensor<8x?xf16, #K_N>) -> (tensor<?x?xf32, #M_N>, tensor<?xf32, #M>)
    attributes {cleave.schedule = #cleave.schedule<region = 0, kernels = [
      <store = [v9], grid = [M: 16, N: 8], loop = [K: 16], warps = 4, stages = 1>,
      <store = [result1], grid = [M: 16], loop = [K: 16], warps = 4, stages = 1>]>} {
  %y = cleave.contract %x, %w over [K] : (tensor<?x8xf16, #M_K>, tensor<8x?xf16, #K_N>) -> tensor<?x?xf32, #M_N>
  %s = cleave.reduce_sum %x over [K] : (tensor<?x8xf16, #M_K>) -> tensor<?xf32, #M>
  %z = cleave.mul %y, %s : (tensor<?x?xf32, #M_N>, tensor<?xf32, #M>) -> tensor<?x?xf32, #M_N>
  return %z, %s : tensor<?x?xf32, #M_N>, tensor<?xf32, #M>
}

// -----

#M_K = #cleave.axes<M, K>
#K_N = #cleave.axes<K, N>
#M_N = #cleave.axes<M, N>
#M = #cleave.axes<M>

// expected-error@+1 {{illegal schedule: expected 'v0' in one 'store' but got two}}
func.func @twice(%x: tensor<?x8xf16, #M_K>, %w: tensor<8x?xf16, #K_N>) -> (tensor<?x?xf32, #M_N>, tensor<?xf32, #M>)
    attributes {cleave.schedule = #cleave.schedule<region = 0, kernels = [
      <store = [v0], grid = [M: 16, N: 8], loop = [K: 16], warps = 4, stages = 1>,
      <store = [v0, result0], grid = [M: 16, N: 8], loop = [K: 16], warps = 4, stages = 1>]>} {
  %y = cleave.contract %x, %w over [K] : (tensor<?x8xf16, #M_K>, tensor<8x?xf16, #K_N>) -> tensor<?x?xf32, #M_N>
  %s = cleave.reduce_sum %x over [K] : (tensor<?x8xf16, #M_K>) -> tensor<?xf32, #M>
  %z = cleave.mul %y, %s : (tensor<?x?xf32, #M_N>, tensor<?xf32, #M>) -> tensor<?x?xf32, #M_N>
  return %z, %s : tensor<?x?xf32, #M_N>, tensor<?xf32, #M>
}

// -----

#M_K = #cleave.axes<M, K>
#K_N = #cleave.axes<K, N>
#M_N = #cleave.axes<M, N>
#M = #cleave.axes<M>

// expected-error@+1 {{illegal schedule: expected a kernel that stores 'result1'}}
func.func @missing(%x: tensor<?x8xf16, #M_K>, %w: tensor<8x?xf16, #K_N>) -> (tensor<?x?xf32, #M_N>, tensor<?xf32, #M>)
    attributes {cleave.schedule = #cleave.schedule<region = 0, kernels = [
      <store = [v0], grid = [M: 16, N: 8], loop = [K: 16], warps = 4, stages = 1>,
      <store = [result0], grid = [M: 16, N: 8], loop = [K: 16], warps = 4, stages = 1>]>} {
  %y = cleave.contract %x, %w over [K] : (tensor<?x8xf16, #M_K>, tensor<8x?xf16, #K_N>) -> tensor<?x?xf32, #M_N>
  %s = cleave.reduce_sum %x over [K] : (tensor<?x8xf16, #M_K>) -> tensor<?xf32, #M>
  %z = cleave.mul %y, %s : (tensor<?x?xf32, #M_N>, tensor<?xf32, #M>) -> tensor<?x?xf32, #M_N>
  return %z, %s : tensor<?x?xf32, #M_N>, tensor<?xf32, #M>
}

// -----

#M_K = #cleave.axes<M, K>
#K_N = #cleave.axes<K, N>
#M_N = #cleave.axes<M, N>
#M = #cleave.axes<M>

// expected-error@+1 {{illegal schedule: expected the values that one kernel stores to have the axes of one of them, and what others lack to be static but got 'result0', 'result1'}}
func.func @other_axes(%x: tensor<?x8xf16, #M_K>, %w: tensor<8x?xf16, #K_N>) -> (tensor<?x?xf32, #M_N>, tensor<?xf32, #M>)
    attributes {cleave.schedule = #cleave.schedule<region = 0, kernels = [
      <store = [result0, result1], grid = [M: 16, N: 8], loop = [K: 16], warps = 4, stages = 1>]>} {
  %y = cleave.contract %x, %w over [K] : (tensor<?x8xf16, #M_K>, tensor<8x?xf16, #K_N>) -> tensor<?x?xf32, #M_N>
  %s = cleave.reduce_sum %x over [K] : (tensor<?x8xf16, #M_K>) -> tensor<?xf32, #M>
  %z = cleave.mul %y, %s : (tensor<?x?xf32, #M_N>, tensor<?xf32, #M>) -> tensor<?x?xf32, #M_N>
  return %z, %s : tensor<?x?xf32, #M_N>, tensor<?xf32, #M>
}

// -----

#M_K = #cleave.axes<M, K>
#K_N = #cleave.axes<K, N>
#M_N = #cleave.axes<M, N>
#M = #cleave.axes<M>

// expected-error@+1 {{illegal schedule: kernel 1: expected an axis that a result carries in 'grid' but got 'N'}}
func.func @grid_of_kernel(%x: tensor<?x8xf16, #M_K>, %w: tensor<8x?xf16, #K_N>) -> (tensor<?x?xf32, #M_N>, tensor<?xf32, #M>)
    attributes {cleave.schedule = #cleave.schedule<region = 0, kernels = [
      <store = [result0], grid = [M: 16, N: 8], loop = [K: 16], warps = 4, stages = 1>,
      <store = [result1], grid = [M: 16, N: 8], loop = [K: 16], warps = 4, stages = 1>]>} {
  %y = cleave.contract %x, %w over [K] : (tensor<?x8xf16, #M_K>, tensor<8x?xf16, #K_N>) -> tensor<?x?xf32, #M_N>
  %s = cleave.reduce_sum %x over [K] : (tensor<?x8xf16, #M_K>) -> tensor<?xf32, #M>
  %z = cleave.mul %y, %s : (tensor<?x?xf32, #M_N>, tensor<?xf32, #M>) -> tensor<?x?xf32, #M_N>
  return %z, %s : tensor<?x?xf32, #M_N>, tensor<?xf32, #M>
}

// -----

#M_K = #cleave.axes<M, K>
#K_N = #cleave.axes<K, N>
#M_N = #cleave.axes<M, N>
#M = #cleave.axes<M>

// expected-error@+1 {{illegal schedule: kernel 2: expected an axis that is reduced in 'loop' but got 'K'}}
func.func @no_reduction(%x: tensor<?x8xf16, #M_K>, %w: tensor<8x?xf16, #K_N>) -> (tensor<?x?xf32, #M_N>, tensor<?xf32, #M>)
    attributes {cleave.schedule = #cleave.schedule<region = 0, kernels = [
      <store = [v0], grid = [M: 16, N: 8], loop = [K: 16], warps = 4, stages = 1>,
      <store = [result1], grid = [M: 16], loop = [K: 16], warps = 4, stages = 1>,
      <store = [result0], grid = [M: 16, N: 8], loop = [K: 16], warps = 4, stages = 1>]>} {
  %y = cleave.contract %x, %w over [K] : (tensor<?x8xf16, #M_K>, tensor<8x?xf16, #K_N>) -> tensor<?x?xf32, #M_N>
  %s = cleave.reduce_sum %x over [K] : (tensor<?x8xf16, #M_K>) -> tensor<?xf32, #M>
  %z = cleave.mul %y, %s : (tensor<?x?xf32, #M_N>, tensor<?xf32, #M>) -> tensor<?x?xf32, #M_N>
  return %z, %s : tensor<?x?xf32, #M_N>, tensor<?xf32, #M>
}

// -----

#M_K = #cleave.axes<M, K>
#Ki_M_S = #cleave.axes<Ki, M, S>
#M_S = #cleave.axes<M, S>
#M = #cleave.axes<M>

// expected-error@+1 {{illegal schedule: expected a bound axis in 'split' but got 'K'}}
func.func @not_bound(%x: tensor<?x?xf16, #M_K>) -> tensor<?xf32, #M>
    attributes {cleave.symbols = #cleave.symbols<S: bound like 4>, cleave.schedule = #cleave.schedule<region = 0, split = [K: 4], grid = [M: 16], loop = [S: 1, Ki: 16], warps = 4, stages = 1>} {
  %v = cleave.split %x K into (S, Ki) : tensor<?x?xf16, #M_K> to tensor<?x?x?xf16, #Ki_M_S>
  %p = cleave.reduce_sum %v over [Ki] : (tensor<?x?x?xf16, #Ki_M_S>) -> tensor<?x?xf32, #M_S>
  %y = cleave.reduce_sum %p over [S] : (tensor<?x?xf32, #M_S>) -> tensor<?xf32, #M>
  return %y : tensor<?xf32, #M>
}

// -----

#M_K = #cleave.axes<M, K>
#Ki_M_S = #cleave.axes<Ki, M, S>
#M_S = #cleave.axes<M, S>
#M = #cleave.axes<M>

// expected-error@+1 {{illegal schedule: expected axis 'S' before its parts 'Ki' in 'loop'}}
func.func @part_before_number(%x: tensor<?x?xf16, #M_K>) -> tensor<?xf32, #M>
    attributes {cleave.symbols = #cleave.symbols<S: bound like 4>, cleave.schedule = #cleave.schedule<region = 0, split = [S: 4], grid = [M: 16], loop = [Ki: 16, S: 1], warps = 4, stages = 1>} {
  %v = cleave.split %x K into (S, Ki) : tensor<?x?xf16, #M_K> to tensor<?x?x?xf16, #Ki_M_S>
  %p = cleave.reduce_sum %v over [Ki] : (tensor<?x?x?xf16, #Ki_M_S>) -> tensor<?x?xf32, #M_S>
  %y = cleave.reduce_sum %p over [S] : (tensor<?x?xf32, #M_S>) -> tensor<?xf32, #M>
  return %y : tensor<?xf32, #M>
}

// -----

#M_K = #cleave.axes<M, K>
#Ki_M_S = #cleave.axes<Ki, M, S>
#M_S = #cleave.axes<M, S>
#M = #cleave.axes<M>

// expected-error@+1 {{illegal schedule: expected a tile of 1 for axis 'S', the outer part of a dimension, but got 2}}
func.func @parts_at_once(%x: tensor<?x?xf16, #M_K>) -> tensor<?xf32, #M>
    attributes {cleave.symbols = #cleave.symbols<S: bound like 4>, cleave.schedule = #cleave.schedule<region = 0, split = [S: 4], grid = [M: 16], loop = [S: 2, Ki: 16], warps = 4, stages = 1>} {
  %v = cleave.split %x K into (S, Ki) : tensor<?x?xf16, #M_K> to tensor<?x?x?xf16, #Ki_M_S>
  %p = cleave.reduce_sum %v over [Ki] : (tensor<?x?x?xf16, #Ki_M_S>) -> tensor<?x?xf32, #M_S>
  %y = cleave.reduce_sum %p over [S] : (tensor<?x?xf32, #M_S>) -> tensor<?xf32, #M>
  return %y : tensor<?xf32, #M>
}

// -----

#M_K = #cleave.axes<M, K>
#K_N = #cleave.axes<K, N>
#M_N = #cleave.axes<M, N>

// expected-error@+1 {{illegal schedule: number 0: expected a dynamic axis in 'when' but got 'K'}}
func.func @when_static(%x: tensor<?x8xf16, #M_K>, %w: tensor<8x8xf16, #K_N>) -> tensor<?x8xf32, #M_N>
    attributes {cleave.schedule = #cleave.schedules<[<when = [K upto 4], region = 0, grid = [M: 16, N: 8], loop = [K: 16], warps = 4, stages = 1>, <region = 0, grid = [M: 16, N: 8], loop = [K: 16], warps = 4, stages = 1>]>} {
  %y = cleave.contract %x, %w over [K] : (tensor<?x8xf16, #M_K>, tensor<8x8xf16, #K_N>) -> tensor<?x8xf32, #M_N>
  return %y : tensor<?x8xf32, #M_N>
}

// -----

#M_K = #cleave.axes<M, K>
#K_N = #cleave.axes<K, N>
#M_N = #cleave.axes<M, N>

// expected-error@+1 {{illegal schedule: number 0: expected a dynamic axis in 'when' but got 'Q'}}
func.func @when_unknown(%x: tensor<?x8xf16, #M_K>, %w: tensor<8x8xf16, #K_N>) -> tensor<?x8xf32, #M_N>
    attributes {cleave.schedule = #cleave.schedules<[<when = [Q upto 4], region = 0, grid = [M: 16, N: 8], loop = [K: 16], warps = 4, stages = 1>, <region = 0, grid = [M: 16, N: 8], loop = [K: 16], warps = 4, stages = 1>]>} {
  %y = cleave.contract %x, %w over [K] : (tensor<?x8xf16, #M_K>, tensor<8x8xf16, #K_N>) -> tensor<?x8xf32, #M_N>
  return %y : tensor<?x8xf32, #M_N>
}

// -----

#M_K = #cleave.axes<M, K>
#K_N = #cleave.axes<K, N>
#M_N = #cleave.axes<M, N>

// expected-error@+1 {{illegal schedule: number 1: unknown axis 'Q'}}
func.func @second_class(%x: tensor<?x8xf16, #M_K>, %w: tensor<8x8xf16, #K_N>) -> tensor<?x8xf32, #M_N>
    attributes {cleave.schedule = #cleave.schedules<[<when = [M upto 4], region = 0, grid = [M: 16, N: 8], loop = [K: 16], warps = 4, stages = 1>, <region = 0, grid = [M: 16, Q: 8], loop = [K: 16], warps = 4, stages = 1>]>} {
  %y = cleave.contract %x, %w over [K] : (tensor<?x8xf16, #M_K>, tensor<8x8xf16, #K_N>) -> tensor<?x8xf32, #M_N>
  return %y : tensor<?x8xf32, #M_N>
}

// -----

#M_K = #cleave.axes<M, K>
#M = #cleave.axes<M>

// expected-error@+1 {{illegal schedule: number 0: expected an argument with axis 'Q', which is in 'when'}}
func.func @when_nowhere(%x: tensor<?x8xf16, #M_K>) -> tensor<?xf32, #M>
    attributes {cleave.symbols = #cleave.symbols<Q: dynamic>, cleave.schedule = #cleave.schedules<[
      <when = [Q upto 4], region = 0, grid = [M: 16], loop = [K: 16], warps = 4, stages = 1>,
      <region = 0, grid = [M: 16], loop = [K: 16], warps = 4, stages = 1>]>} {
  %y = cleave.reduce_sum %x over [K] : (tensor<?x8xf16, #M_K>) -> tensor<?xf32, #M>
  return %y : tensor<?xf32, #M>
}
