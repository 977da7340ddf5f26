// RUN: cleave-opt %s --split-input-file --verify-diagnostics --convert-cleave-to-linalg="variant=1"
// RUN: not cleave-opt %s --split-input-file --convert-cleave-to-linalg="variant=1 symbols=Q=3" 2>&1 | FileCheck %s
// CHECK: error: expected axis 'Q' of `symbols` to occur in a function

#K = #cleave.axes<K>
func.func @fine(%x: tensor<?xf32, #K>) -> tensor<?xf32, #K> {
  return %x : tensor<?xf32, #K>
}

// -----

#K = #cleave.axes<K>
func.func @variant(%x: tensor<?xf32, #K>) -> tensor<?xf32, #K> {
  // expected-error@+1 {{expected a variant below 1 but got 1}}
  %y = cleave.alternatives {
    cleave.yield %x : tensor<?xf32, #K>
  } : tensor<?xf32, #K>
  return %y : tensor<?xf32, #K>
}

// -----

#K = #cleave.axes<K>
#Ki_S = #cleave.axes<Ki, S>
func.func @count(%x: tensor<?xf32, #K>) -> tensor<?xf32, #K> {
  // expected-error@+1 {{expected an argument with axis 'Ki', or a value for it in `symbols`}}
  %v = cleave.split %x K into (S, Ki) : tensor<?xf32, #K> to tensor<?x?xf32, #Ki_S>
  %y = cleave.merge %v (S, Ki) into K : tensor<?x?xf32, #Ki_S> to tensor<?xf32, #K>
  return %y : tensor<?xf32, #K>
}

// -----

#K = #cleave.axes<K>
// expected-error@+1 {{argument of type 'tensor<?xi7, #cleave.axes<K>>' is not supported by --convert-cleave-to-linalg}}
func.func @element(%x: tensor<?xi7, #K>) -> tensor<?xi7, #K> {
  return %x : tensor<?xi7, #K>
}

// -----

#K = #cleave.axes<K>
// expected-error@+1 {{expected arguments and results to be tensors with named axes but got 'index'}}
func.func @argument(%x: tensor<?xf32, #K>, %i: index) -> tensor<?xf32, #K> {
  return %x : tensor<?xf32, #K>
}

// -----

#K = #cleave.axes<K>
// expected-error@+1 {{expected a body of one block}}
func.func private @declared(%x: tensor<?xf32, #K>) -> tensor<?xf32, #K>

// -----

#K = #cleave.axes<K>
func.func @foreign(%x: tensor<?xf32, #K>) -> tensor<?xf32, #K> {
  // expected-error@+1 {{is not supported by --convert-cleave-to-linalg}}
  %c = arith.constant 1 : index
  return %x : tensor<?xf32, #K>
}
