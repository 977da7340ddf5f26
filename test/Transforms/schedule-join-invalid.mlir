// What a kernel in the launch of the one in front must not do.

// RUN: cleave-opt %s --cleave-schedule --split-input-file --verify-diagnostics

#M = #cleave.axes<M>

// expected-error@+2 {{expected a kernel in front of one with 'join'}}
func.func @first(%x: tensor<?xf32, #M>) -> tensor<?xf32, #M>
    attributes {cleave.schedule = #cleave.schedule<region = 0, kernels = [
      <store = [result0], join, grid = [M: 4], loop = [], warps = 4, stages = 1>]>} {
  return %x : tensor<?xf32, #M>
}

// -----

#M_K = #cleave.axes<M, K>
#M = #cleave.axes<M>

// expected-error@+1 {{illegal schedule: kernel 2 joins kernel 1: expected the one in front to have a launch of its own}}
func.func @joins_joined(%x: tensor<?x40xf32, #M_K>) -> (tensor<?xf32, #M>, tensor<?xf32, #M>, tensor<?xf32, #M>)
    attributes {cleave.schedule = #cleave.schedule<region = 0, kernels = [
      <store = [result0], grid = [M: 4], loop = [K: 64], warps = 4, stages = 1>,
      <store = [result1], join, grid = [M: 4], loop = [], warps = 4, stages = 1>,
      <store = [result2], join, grid = [M: 4], loop = [], warps = 4, stages = 1>]>} {
  %a = cleave.reduce_sum %x over [K] : (tensor<?x40xf32, #M_K>) -> tensor<?xf32, #M>
  %b = cleave.neg %a : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %c = cleave.exp %b : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  return %a, %b, %c : tensor<?xf32, #M>, tensor<?xf32, #M>, tensor<?xf32, #M>
}

// -----

#M_K = #cleave.axes<M, K>
#M = #cleave.axes<M>
#K = #cleave.axes<K>

// expected-error@+1 {{illegal schedule: kernel 2 joins kernel 1: expected the one in front to have a launch of its own}}
func.func @joins_beside(%x: tensor<?x40xf32, #M_K>) -> (tensor<40xf32, #K>, tensor<?xf32, #M>, tensor<?xf32, #M>)
    attributes {cleave.schedule = #cleave.schedule<region = 0, kernels = [
      <store = [result0], grid = [K: 8], loop = [M: 16], warps = 4, stages = 1>,
      <store = [result1], beside, grid = [M: 4], loop = [K: 64], warps = 4, stages = 1>,
      <store = [result2], join, grid = [M: 4], loop = [], warps = 4, stages = 1>]>} {
  %a = cleave.reduce_max %x over [M] : (tensor<?x40xf32, #M_K>) -> tensor<40xf32, #K>
  %b = cleave.reduce_sum %x over [K] : (tensor<?x40xf32, #M_K>) -> tensor<?xf32, #M>
  %c = cleave.neg %b : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  return %a, %b, %c : tensor<40xf32, #K>, tensor<?xf32, #M>, tensor<?xf32, #M>
}

// -----

#M_K = #cleave.axes<M, K>
#M = #cleave.axes<M>
#K = #cleave.axes<K>

// expected-error@+1 {{illegal schedule: expected kernel 2 not to run beside kernel 1, which joins the one in front}}
func.func @beside_joined(%x: tensor<?x40xf32, #M_K>) -> (tensor<?xf32, #M>, tensor<?xf32, #M>, tensor<40xf32, #K>)
    attributes {cleave.schedule = #cleave.schedule<region = 0, kernels = [
      <store = [result0], grid = [M: 4], loop = [K: 64], warps = 4, stages = 1>,
      <store = [result1], join, grid = [M: 4], loop = [], warps = 4, stages = 1>,
      <store = [result2], beside, grid = [K: 8], loop = [M: 16], warps = 4, stages = 1>]>} {
  %a = cleave.reduce_sum %x over [K] : (tensor<?x40xf32, #M_K>) -> tensor<?xf32, #M>
  %b = cleave.neg %a : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %c = cleave.reduce_max %x over [M] : (tensor<?x40xf32, #M_K>) -> tensor<40xf32, #K>
  return %a, %b, %c : tensor<?xf32, #M>, tensor<?xf32, #M>, tensor<40xf32, #K>
}

// -----

#M_P = #cleave.axes<M, P>
#M = #cleave.axes<M>

// expected-error@+1 {{illegal schedule: kernel 1 joins kernel 0: expected equally many warps but got 4 and 2}}
func.func @warps(%x: tensor<?x3xf32, #M_P>) -> (tensor<?x3xf32, #M_P>, tensor<?xf32, #M>)
    attributes {cleave.schedule = #cleave.schedule<region = 0, kernels = [
      <store = [result0], grid = [P: 1, M: 4], loop = [], warps = 4, stages = 1>,
      <store = [result1], join, grid = [M: 4], loop = [P: 4], warps = 2, stages = 1>]>} {
  %a = cleave.neg %x : (tensor<?x3xf32, #M_P>) -> tensor<?x3xf32, #M_P>
  %b = cleave.reduce_sum %a over [P] : (tensor<?x3xf32, #M_P>) -> tensor<?xf32, #M>
  return %a, %b : tensor<?x3xf32, #M_P>, tensor<?xf32, #M>
}

// -----

#P = #cleave.axes<P>
#scalar = #cleave.axes<>

// expected-error@+1 {{illegal schedule: kernel 1 joins kernel 0: expected an axis in 'grid'}}
func.func @no_axis(%x: tensor<3xf32, #P>) -> (tensor<3xf32, #P>, tensor<f32, #scalar>)
    attributes {cleave.schedule = #cleave.schedule<region = 0, kernels = [
      <store = [result0], grid = [P: 1], loop = [], warps = 4, stages = 1>,
      <store = [result1], join, grid = [], loop = [P: 4], warps = 4, stages = 1>]>} {
  %a = cleave.neg %x : (tensor<3xf32, #P>) -> tensor<3xf32, #P>
  %b = cleave.reduce_sum %a over [P] : (tensor<3xf32, #P>) -> tensor<f32, #scalar>
  return %a, %b : tensor<3xf32, #P>, tensor<f32, #scalar>
}

// -----

#M = #cleave.axes<M>
#N = #cleave.axes<N>
#M_N = #cleave.axes<M, N>

// expected-error@+1 {{illegal schedule: kernel 1 joins kernel 0: expected axis 'N' in 'grid' of both}}
func.func @other_axis(%x: tensor<?xf32, #M>, %y: tensor<?xf32, #N>) -> (tensor<?xf32, #M>, tensor<?x?xf32, #M_N>)
    attributes {cleave.schedule = #cleave.schedule<region = 0, kernels = [
      <store = [result0], grid = [M: 4], loop = [], warps = 4, stages = 1>,
      <store = [result1], join, grid = [M: 4, N: 4], loop = [], warps = 4, stages = 1>]>} {
  %a = cleave.neg %x : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %b = cleave.mul %a, %y : (tensor<?xf32, #M>, tensor<?xf32, #N>) -> tensor<?x?xf32, #M_N>
  return %a, %b : tensor<?xf32, #M>, tensor<?x?xf32, #M_N>
}

// -----

#M_P = #cleave.axes<M, P>
#M = #cleave.axes<M>

// expected-error@+1 {{illegal schedule: kernel 1 joins kernel 0: expected equal tiles of axis 'M' but got 4 and 8}}
func.func @tiles(%x: tensor<?x3xf32, #M_P>) -> (tensor<?x3xf32, #M_P>, tensor<?xf32, #M>)
    attributes {cleave.schedule = #cleave.schedule<region = 0, kernels = [
      <store = [result0], grid = [P: 1, M: 4], loop = [], warps = 4, stages = 1>,
      <store = [result1], join, grid = [M: 8], loop = [P: 4], warps = 4, stages = 1>]>} {
  %a = cleave.neg %x : (tensor<?x3xf32, #M_P>) -> tensor<?x3xf32, #M_P>
  %b = cleave.reduce_sum %a over [P] : (tensor<?x3xf32, #M_P>) -> tensor<?xf32, #M>
  return %a, %b : tensor<?x3xf32, #M_P>, tensor<?xf32, #M>
}

// -----

#M_P = #cleave.axes<M, P>
#M = #cleave.axes<M>

// With no P there are no blocks in front, but sums of nothing.
// expected-error@+1 {{illegal schedule: kernel 1 joins kernel 0: expected a static extent of at least 1 of axis 'P', which only the one in front has in 'grid'}}
func.func @dynamic_parts(%x: tensor<?x?xf32, #M_P>) -> (tensor<?x?xf32, #M_P>, tensor<?xf32, #M>)
    attributes {cleave.schedule = #cleave.schedule<region = 0, kernels = [
      <store = [result0], grid = [P: 1, M: 4], loop = [], warps = 4, stages = 1>,
      <store = [result1], join, grid = [M: 4], loop = [P: 4], warps = 4, stages = 1>]>} {
  %a = cleave.neg %x : (tensor<?x?xf32, #M_P>) -> tensor<?x?xf32, #M_P>
  %b = cleave.reduce_sum %a over [P] : (tensor<?x?xf32, #M_P>) -> tensor<?xf32, #M>
  return %a, %b : tensor<?x?xf32, #M_P>, tensor<?xf32, #M>
}

// -----

#M_P = #cleave.axes<M, P>
#M = #cleave.axes<M>

// expected-error@+1 {{illegal schedule: kernel 1 joins kernel 0: expected a static extent of at least 1 of axis 'P', which only the one in front has in 'grid'}}
func.func @no_parts(%x: tensor<?x0xf32, #M_P>) -> (tensor<?x0xf32, #M_P>, tensor<?xf32, #M>)
    attributes {cleave.schedule = #cleave.schedule<region = 0, kernels = [
      <store = [result0], grid = [P: 1, M: 4], loop = [], warps = 4, stages = 1>,
      <store = [result1], join, grid = [M: 4], loop = [], warps = 4, stages = 1>]>} {
  %a = cleave.neg %x : (tensor<?x0xf32, #M_P>) -> tensor<?x0xf32, #M_P>
  %b = cleave.reduce_sum %a over [P] : (tensor<?x0xf32, #M_P>) -> tensor<?xf32, #M>
  return %a, %b : tensor<?x0xf32, #M_P>, tensor<?xf32, #M>
}

// -----

#M = #cleave.axes<M>
#M_N = #cleave.axes<M, N>

// A block along N does not write what the first one writes.
// expected-error@+1 {{illegal schedule: kernel 1 joins kernel 0: expected 'result0', which it reads, to have axis 'N' of its grid}}
func.func @first_writer(%x: tensor<?x9xf32, #M_N>, %y: tensor<?xf32, #M>) -> (tensor<?xf32, #M>, tensor<?x9xf32, #M_N>, tensor<?x9xf32, #M_N>)
    attributes {cleave.schedule = #cleave.schedule<region = 0, kernels = [
      <store = [result0, result1], grid = [M: 4, N: 4], loop = [], warps = 4, stages = 1>,
      <store = [result2], join, grid = [M: 4, N: 4], loop = [], warps = 4, stages = 1>]>} {
  %a = cleave.neg %y : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %b = cleave.exp %x : (tensor<?x9xf32, #M_N>) -> tensor<?x9xf32, #M_N>
  %c = cleave.mul %a, %x : (tensor<?xf32, #M>, tensor<?x9xf32, #M_N>) -> tensor<?x9xf32, #M_N>
  return %a, %b, %c : tensor<?xf32, #M>, tensor<?x9xf32, #M_N>, tensor<?x9xf32, #M_N>
}

// -----

#M_N = #cleave.axes<M, N>
#M = #cleave.axes<M>

// A block reads the tiles of others.
// expected-error@+1 {{illegal schedule: kernel 1 joins kernel 0: expected a block to have all of axis 'N', which it reduces}}
func.func @reduces_grid(%x: tensor<?x9xf32, #M_N>) -> (tensor<?x9xf32, #M_N>, tensor<?x9xf32, #M_N>)
    attributes {cleave.schedule = #cleave.schedule<region = 0, kernels = [
      <store = [result0], grid = [M: 4, N: 4], loop = [], warps = 4, stages = 1>,
      <store = [result1], join, grid = [M: 4, N: 4], loop = [N: 4], warps = 4, stages = 1>]>} {
  %a = cleave.neg %x : (tensor<?x9xf32, #M_N>) -> tensor<?x9xf32, #M_N>
  %s = cleave.reduce_sum %a over [N] : (tensor<?x9xf32, #M_N>) -> tensor<?xf32, #M>
  %b = cleave.mul %a, %s : (tensor<?x9xf32, #M_N>, tensor<?xf32, #M>) -> tensor<?x9xf32, #M_N>
  return %a, %b : tensor<?x9xf32, #M_N>, tensor<?x9xf32, #M_N>
}

// -----

#scalar = #cleave.axes<>
#D = #cleave.axes<D>
#S_D = #cleave.axes<S, D>
#T_D = #cleave.axes<T, D>
#D_T = #cleave.axes<D, T>

// expected-error@+1 {{illegal schedule: kernel 1 joins kernel 0: expected it not to read 'result0', which the one in front writes in place}}
func.func @reads_in_place(%k: tensor<3x8xf32, #S_D>, %c: tensor<?x8xf32, #T_D> {cleave.name = "C"}, %p: tensor<i32, #scalar>)
    -> (tensor<?x8xf32, #T_D> {cleave.name = "N", cleave.alias = "C"}, tensor<8xf32, #D>)
    attributes {cleave.schedule = #cleave.schedule<region = 0, kernels = [
      <store = [result0], grid = [S: 4, D: 8], loop = [], warps = 4, stages = 1>,
      <store = [result1], join, grid = [D: 8], loop = [T: 32], warps = 4, stages = 1>]>} {
  %n = cleave.insert %k S into %c T at %p : (tensor<3x8xf32, #S_D>, tensor<?x8xf32, #T_D>, tensor<i32, #scalar>) -> tensor<8x?xf32, #D_T>
  %r = cleave.relayout %n : tensor<8x?xf32, #D_T> to tensor<?x8xf32, #T_D>
  %sum = cleave.reduce_sum %n over [T] : (tensor<8x?xf32, #D_T>) -> tensor<8xf32, #D>
  return %r, %sum : tensor<?x8xf32, #T_D>, tensor<8xf32, #D>
}

// -----

#scalar = #cleave.axes<>
#S_D = #cleave.axes<S, D>
#T_D = #cleave.axes<T, D>
#D_T = #cleave.axes<D, T>
#D_S_T = #cleave.axes<D, S, T>

// Blocks in front with other rows may still read them.
// expected-error@+1 {{illegal schedule: kernel 1 joins kernel 0: expected the one in front not to read 'C', which it changes where it stands}}
func.func @changes_place(%k: tensor<?x8xf32, #S_D>, %c: tensor<7x8xf32, #T_D> {cleave.name = "C"}, %p: tensor<i32, #scalar>)
    -> (tensor<8x?x7xf32, #D_S_T>, tensor<7x8xf32, #T_D> {cleave.name = "N", cleave.alias = "C"})
    attributes {cleave.schedule = #cleave.schedule<region = 0, kernels = [
      <store = [result0], grid = [S: 1, T: 1, D: 8], loop = [], warps = 4, stages = 1>,
      <store = [result1], join, grid = [S: 1, D: 8], loop = [], warps = 4, stages = 1>]>} {
  %a = cleave.mul %k, %c : (tensor<?x8xf32, #S_D>, tensor<7x8xf32, #T_D>) -> tensor<8x?x7xf32, #D_S_T>
  %n = cleave.insert %k S into %c T at %p : (tensor<?x8xf32, #S_D>, tensor<7x8xf32, #T_D>, tensor<i32, #scalar>) -> tensor<8x7xf32, #D_T>
  %r = cleave.relayout %n : tensor<8x7xf32, #D_T> to tensor<7x8xf32, #T_D>
  return %a, %r : tensor<8x?x7xf32, #D_S_T>, tensor<7x8xf32, #T_D>
}

// -----

#M = #cleave.axes<M>

// expected-error@+1 {{illegal schedule: kernel 1 joins kernel 0: expected it to read what the one in front stores}}
func.func @independent(%x: tensor<?xf32, #M>) -> (tensor<?xf32, #M>, tensor<?xf32, #M>)
    attributes {cleave.schedule = #cleave.schedule<region = 0, kernels = [
      <store = [result0], grid = [M: 4], loop = [], warps = 4, stages = 1>,
      <store = [result1], join, grid = [M: 4], loop = [], warps = 4, stages = 1>]>} {
  %a = cleave.neg %x : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %b = cleave.exp %x : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  return %a, %b : tensor<?xf32, #M>, tensor<?xf32, #M>
}
