// RUN: cleave-opt %s -split-input-file -verify-diagnostics --allow-unregistered-dialect

!x = tensor<4xf32, #cleave.axes<K>>
!s = tensor<f32, #cleave.axes<>>

func.func @f(%x: !x) {
  // expected-error @below {{expected 'reduce_sum', 'reduce_max', 'reduce_min' or 'contract'}}
  %0 = cleave.fold over [K] ins(%x : !x) -> (!s)
  return
}

// -----

!x = tensor<4xf32, #cleave.axes<K>>
!s = tensor<f32, #cleave.axes<>>
func.func @f(%x: !x) {
  // expected-error @below {{expected each axis once but got 'K' twice}}
  %0 = cleave.fold over [K, K] ins(%x : !x)
    reduce_sum body {
    ^bb0(%z: !x):
      cleave.yield %z : !x
    } rebase {
    } -> (!s)
  return
}

// -----

!x = tensor<4x4xf32, #cleave.axes<K, M>>
!s = tensor<f32, #cleave.axes<>>
func.func @f(%x: !x) {
  // expected-error @below {{expected a non-empty set of axes in lexicographic order}}
  %0 = "cleave.fold"(%x) <{axes = #cleave.axes<M, K>, kinds = [#cleave.reduction_kind<reduce_sum>]}> ({
  ^bb0(%z: !x):
    "cleave.yield"(%z) : (!x) -> ()
  }, {
  }) : (!x) -> !s
  return
}

// -----

!x = tensor<4xf32, #cleave.axes<K>>
!s = tensor<f32, #cleave.axes<>>
func.func @f(%x: !x) {
  %0 = cleave.fold over [K] ins(%x : !x)
    // expected-error @below {{expected 'operand_types' to be an array of types}}
    reduce_sum body {
    ^bb0(%z: !x):
      cleave.yield %z : !x
    } rebase {
    } {operand_types = 1} -> (!s)
  return
}

// -----

!x = tensor<4xf32, #cleave.axes<K>>
!s = tensor<f32, #cleave.axes<>>
func.func @f(%x: !x) {
  // expected-error @below {{expected one of f16, bf16, f32 and f64 a state in 'operand_types'}}
  %0 = cleave.fold over [K] ins(%x : !x)
    reduce_sum body {
    ^bb0(%z: !x):
      cleave.yield %z : !x
    } rebase {
    } {operand_types = [i8]} -> (!s)
  return
}

// -----

!x = tensor<4xf32, #cleave.axes<K>>
!s = tensor<f32, #cleave.axes<>>
func.func @f(%x: !x) {
  // expected-error @below {{expected one of f16, bf16, f32 and f64 a state in 'operand_types'}}
  %0 = cleave.fold over [K] ins(%x : !x)
    contract body {
    ^bb0(%z: !x):
      cleave.yield %z, %z : !x, !x
    } rebase {
    } {operand_types = [f8E5M2]} -> (!s)
  return
}

// -----

!x = tensor<4xf32, #cleave.axes<K>>
!s = tensor<f32, #cleave.axes<>>
func.func @f(%x: !x) {
  // expected-error @below {{expected one result a state but got 2 for 1}}
  %0:2 = cleave.fold over [K] ins(%x : !x)
    reduce_sum body {
    ^bb0(%z: !x):
      cleave.yield %z : !x
    } rebase {
    } -> (!s, !s)
  return
}

// -----

!x = tensor<4xf32, #cleave.axes<K>>
!s = tensor<f32, #cleave.axes<>>
func.func @f(%x: !x) {
  // expected-error @below {{expected results without the folded axes}}
  %0 = cleave.fold over [K] ins(%x : !x)
    reduce_sum body {
    ^bb0(%z: !x):
      cleave.yield %z : !x
    } rebase {
    } -> (!x)
  return
}

// -----

!x = tensor<4xf32, #cleave.axes<K>>
!s = tensor<f32, #cleave.axes<>>
func.func @f(%x: !x) {
  // expected-error @below {{state 0: body expected one block}}
  %0 = cleave.fold over [K] ins(%x : !x) reduce_sum body {} rebase {} -> (!s)
  return
}

// -----

!x = tensor<4xf32, #cleave.axes<K>>
!s = tensor<f32, #cleave.axes<>>
func.func @f(%x: !x) {
  // expected-error @below {{state 0: body expected arguments 'tensor<4xf32, #cleave.axes<K>>' but got 'tensor<f32, #cleave.axes<>>'}}
  %0 = cleave.fold over [K] ins(%x : !x)
    reduce_sum body {
    ^bb0(%z: !s):
      cleave.yield %z : !s
    } rebase {
    } -> (!s)
  return
}

// -----

!x = tensor<4xf32, #cleave.axes<K>>
!s = tensor<f32, #cleave.axes<>>
func.func @f(%x: !x) {
  // expected-error @below {{state 0: body expected to yield 2 tensors}}
  %0 = cleave.fold over [K] ins(%x : !x)
    contract body {
    ^bb0(%z: !x):
      cleave.yield %z : !x
    } rebase {
    } -> (!s)
  return
}

// -----

!x = tensor<4xi1, #cleave.axes<K>>
!s = tensor<f32, #cleave.axes<>>
func.func @f(%x: !x) {
  // expected-error @below {{state 0: body expected to yield floats}}
  %0 = cleave.fold over [K] ins(%x : !x)
    reduce_sum body {
    ^bb0(%z: !x):
      cleave.yield %z : !x
    } rebase {
    } -> (!s)
  return
}

// -----

!x = tensor<4xf32, #cleave.axes<M>>
!s = tensor<f32, #cleave.axes<>>
func.func @f(%x: !x) {
  // expected-error @below {{state 0: body expected to yield the axes of the fold}}
  %0 = cleave.fold over [K] ins(%x : !x)
    reduce_sum body {
    ^bb0(%z: !x):
      cleave.yield %z : !x
    } rebase {
    } -> (!s)
  return
}

// -----

!x = tensor<4x4xf32, #cleave.axes<K, M>>
!s = tensor<f32, #cleave.axes<>>
func.func @f(%x: !x) {
  // expected-error @below {{state 0: expected result type 'tensor<4xf32, #cleave.axes<M>>' but got 'tensor<f32, #cleave.axes<>>'}}
  %0 = cleave.fold over [K] ins(%x : !x)
    reduce_sum body {
    ^bb0(%z: !x):
      cleave.yield %z : !x
    } rebase {
    } -> (!s)
  return
}

// -----

!x = tensor<4xf32, #cleave.axes<K>>
!s = tensor<f32, #cleave.axes<>>
func.func @f(%x: !x) {
  // expected-error @below {{state 1: expected a rebase region since the body uses an earlier state}}
  %0:2 = cleave.fold over [K] ins(%x : !x)
    reduce_max body {
    ^bb0(%z: !x):
      cleave.yield %z : !x
    } rebase {
    }
    reduce_sum body {
    ^bb0(%z: !x, %m: !s):
      %d = cleave.sub %z, %m : (!x, !s) -> !x
      cleave.yield %d : !x
    } rebase {
    } -> (!s, !s)
  return
}

// -----

!x = tensor<4xf32, #cleave.axes<K>>
!s = tensor<f32, #cleave.axes<>>
func.func @f(%x: !x) {
  // expected-error @below {{state 1: rebase expected arguments 'tensor<f32, #cleave.axes<>>', 'tensor<f32, #cleave.axes<>>', 'tensor<f32, #cleave.axes<>>' but got}}
  %0:2 = cleave.fold over [K] ins(%x : !x)
    reduce_max body {
    ^bb0(%z: !x):
      cleave.yield %z : !x
    } rebase {
    }
    reduce_sum body {
    ^bb0(%z: !x, %m: !s):
      cleave.yield %z : !x
    } rebase {
    ^bb0(%l: !s):
      cleave.yield %l : !s
    } -> (!s, !s)
  return
}

// -----

!x = tensor<4xf32, #cleave.axes<K>>
!s = tensor<f32, #cleave.axes<>>
func.func @f(%x: !x) {
  // expected-error @below {{state 1: rebase expected to yield 'tensor<f32, #cleave.axes<>>' but got 'tensor<4xf32, #cleave.axes<K>>'}}
  %0:2 = cleave.fold over [K] ins(%x : !x)
    reduce_max body {
    ^bb0(%z: !x):
      cleave.yield %z : !x
    } rebase {
    }
    reduce_sum body {
    ^bb0(%z: !x, %m: !s):
      cleave.yield %z : !x
    } rebase {
    ^bb0(%m0: !s, %l: !s, %m1: !s):
      %c = cleave.constant 1.0 : !x
      cleave.yield %c : !x
    } -> (!s, !s)
  return
}

// -----

!x = tensor<4xf32, #cleave.axes<K>>
!s = tensor<f32, #cleave.axes<>>
func.func @f(%x: !x) {
  // expected-note @below {{required by region isolation constraints}}
  %0 = cleave.fold over [K] ins()
    reduce_sum body {
      // expected-error @below {{using value defined outside the region}}
      cleave.yield %x : !x
    } rebase {
    } -> (!s)
  return
}
