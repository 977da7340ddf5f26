// RUN: cleave-opt %s --cleave-schedule --split-input-file --verify-diagnostics

#scalar = #cleave.axes<>
#D = #cleave.axes<D>
#S_D = #cleave.axes<S, D>
#T_D = #cleave.axes<T, D>
#D_T = #cleave.axes<D, T>

// expected-error@+1 {{illegal schedule: expected kernel 1 not to read 'C', which kernel 0 changes where it stands ('N')}}
func.func @read_old_later(%k: tensor<?x8xf32, #S_D>, %c: tensor<?x8xf32, #T_D> {cleave.name = "C"}, %p: tensor<i32, #scalar>)
    -> (tensor<8xf32, #D>, tensor<?x8xf32, #T_D> {cleave.name = "N", cleave.alias = "C"})
    attributes {cleave.schedule = #cleave.schedule<region = 0, kernels = [
      <store = [result1], grid = [S: 16, D: 8], loop = [], warps = 4, stages = 1>,
      <store = [result0], grid = [D: 8], loop = [T: 32], warps = 4, stages = 1>]>} {
  %n = cleave.insert %k S into %c T at %p : (tensor<?x8xf32, #S_D>, tensor<?x8xf32, #T_D>, tensor<i32, #scalar>) -> tensor<8x?xf32, #D_T>
  %old = cleave.reduce_sum %c over [T] : (tensor<?x8xf32, #T_D>) -> tensor<8xf32, #D>
  %r = cleave.relayout %n : tensor<8x?xf32, #D_T> to tensor<?x8xf32, #T_D>
  return %old, %r : tensor<8xf32, #D>, tensor<?x8xf32, #T_D>
}

// -----

#T_D = #cleave.axes<T, D>
#D_T = #cleave.axes<D, T>

// expected-error@+1 {{expected a cleave.insert of other rows, at a position that is an argument, for result 0, which has the memory of 'C'}}
func.func @no_insert(%c: tensor<?x8xf32, #T_D> {cleave.name = "C"}) -> (tensor<?x8xf32, #T_D> {cleave.alias = "C"}) {
  %n = cleave.add %c, %c : (tensor<?x8xf32, #T_D>, tensor<?x8xf32, #T_D>) -> tensor<8x?xf32, #D_T>
  %r = cleave.relayout %n : tensor<8x?xf32, #D_T> to tensor<?x8xf32, #T_D>
  return %r : tensor<?x8xf32, #T_D>
}

// -----

#scalar = #cleave.axes<>
#S_D = #cleave.axes<S, D>
#T_D = #cleave.axes<T, D>
#D_T = #cleave.axes<D, T>

// expected-error@+1 {{expected a cleave.insert into that argument for result 0, which has the memory of 'O'}}
func.func @other_argument(%k: tensor<?x8xf32, #S_D>, %c: tensor<?x8xf32, #T_D> {cleave.name = "C"},
                          %o: tensor<?x8xf32, #T_D> {cleave.name = "O"}, %p: tensor<i32, #scalar>)
    -> (tensor<?x8xf32, #T_D> {cleave.alias = "O"}) {
  %n = cleave.insert %k S into %c T at %p : (tensor<?x8xf32, #S_D>, tensor<?x8xf32, #T_D>, tensor<i32, #scalar>) -> tensor<8x?xf32, #D_T>
  %r = cleave.relayout %n : tensor<8x?xf32, #D_T> to tensor<?x8xf32, #T_D>
  return %r : tensor<?x8xf32, #T_D>
}

// -----

#M = #cleave.axes<M>

// expected-error@+1 {{expected an argument named "C" for result 0}}
func.func @no_argument(%x: tensor<?xf32, #M>) -> (tensor<?xf32, #M> {cleave.alias = "C"}) {
  return %x : tensor<?xf32, #M>
}

// -----

#M = #cleave.axes<M>

// expected-error@+1 {{expected result 0 to have the type of argument "C", 'tensor<8xf32, #cleave.axes<M>>', but got 'tensor<8xf16, #cleave.axes<M>>'}}
func.func @other_type(%x: tensor<8xf32, #M> {cleave.name = "C"}, %y: tensor<8xf16, #M>) -> (tensor<8xf16, #M> {cleave.alias = "C"}) {
  return %y : tensor<8xf16, #M>
}

// -----

#M = #cleave.axes<M>

// expected-error@+1 {{expected one result with the memory of "C" but got 0 and 1}}
func.func @twice(%x: tensor<?xf32, #M> {cleave.name = "C"}) -> (tensor<?xf32, #M> {cleave.alias = "C"}, tensor<?xf32, #M> {cleave.alias = "C"}) {
  return %x, %x : tensor<?xf32, #M>, tensor<?xf32, #M>
}
