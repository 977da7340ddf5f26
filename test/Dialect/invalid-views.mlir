// RUN: cleave-opt %s -split-input-file -verify-diagnostics

func.func @f() {
  // expected-error @below {{expected a result with axis 'K' only}}
  %0 = cleave.iota K : tensor<4xf32, #cleave.axes<M>>
  return
}

// -----

func.func @f() {
  // expected-error @below {{expected an extent of at most 16777216 for positions as 'f32' but got 16777217}}
  %0 = cleave.iota K : tensor<16777217xf32, #cleave.axes<K>>
  return
}

// -----

func.func @f() {
  // expected-error @below {{must be tensor of f32 or f64 with named axes}}
  %0 = cleave.iota K : tensor<4xf16, #cleave.axes<K>>
  return
}

// -----

func.func @f() {
  // expected-error @below {{expected the name of an axis but got 'a b'}}
  %0 = "cleave.iota"() {axis = "a b"} : () -> tensor<4xf32, #cleave.axes<K>>
  return
}

// -----

!x = tensor<4x8xf32, #cleave.axes<M, K>>
func.func @f(%x: !x) {
  // expected-error @below {{expected the operand to carry axis 'N'}}
  %0 = cleave.slice %x N at 0 as L : !x to tensor<2x4xf32, #cleave.axes<L, M>>
  return
}

// -----

!x = tensor<4x8xf32, #cleave.axes<M, K>>
func.func @f(%x: !x) {
  // expected-error @below {{expected the operand not to carry axis 'M'}}
  %0 = cleave.slice %x K at 0 as M : !x to tensor<4xf32, #cleave.axes<M>>
  return
}

// -----

!x = tensor<4x8xf32, #cleave.axes<M, K>>
func.func @f(%x: !x) {
  // expected-error @below {{expected the result to carry axis 'L'}}
  %0 = cleave.slice %x K at 0 as L : !x to tensor<4xf32, #cleave.axes<M>>
  return
}

// -----

!x = tensor<4x8xf32, #cleave.axes<M, K>>
func.func @f(%x: !x) {
  // expected-error @below {{expected result type 'tensor<4xf32, #cleave.axes<M>>'}}
  %0 = cleave.slice %x K at 0 : !x to tensor<4xf16, #cleave.axes<M>>
  return
}

// -----

!x = tensor<4x8xf32, #cleave.axes<M, K>>
func.func @f(%x: !x) {
  // expected-error @below {{expected positions of axis 'K' below 8 but got 4 from 5}}
  %0 = cleave.slice %x K at 5 as L : !x to tensor<4x4xf32, #cleave.axes<L, M>>
  return
}

// -----

!x = tensor<4x8xf32, #cleave.axes<M, K>>
func.func @f(%x: !x) {
  // expected-error @below {{expected positions of axis 'K' below 8 but got 1 from 8}}
  %0 = cleave.slice %x K at 8 : !x to tensor<4xf32, #cleave.axes<M>>
  return
}

// -----

!x = tensor<4x8xf32, #cleave.axes<M, K>>
func.func @f(%x: !x) {
  // expected-error @below {{attribute 'offset' failed to satisfy constraint}}
  %0 = cleave.slice %x K at -1 : !x to tensor<4xf32, #cleave.axes<M>>
  return
}

// -----

!x = tensor<4xf32, #cleave.axes<K>>
func.func @f(%x: !x) {
  // expected-error @below {{expected at least two inputs}}
  %0 = cleave.concat %x along [K] as N : (!x) -> tensor<4xf32, #cleave.axes<N>>
  return
}

// -----

!x = tensor<4xf32, #cleave.axes<K>>
func.func @f(%x: !x) {
  // expected-error @below {{expected one axis an input but got 1 for 2}}
  %0 = cleave.concat %x, %x along [K] as N : (!x, !x) -> tensor<8xf32, #cleave.axes<N>>
  return
}

// -----

!x = tensor<4xf32, #cleave.axes<K>>
func.func @f(%x: !x) {
  // expected-error @below {{expected the input 1 to carry axis 'M'}}
  %0 = cleave.concat %x, %x along [K, M] as N : (!x, !x) -> tensor<8xf32, #cleave.axes<N>>
  return
}

// -----

!x = tensor<4xf32, #cleave.axes<K>>
func.func @f(%x: !x, %y: tensor<4x2xf32, #cleave.axes<K, N>>) {
  // expected-error @below {{expected the input 1 not to carry axis 'N'}}
  %0 = cleave.concat %x, %y along [K, K] as N
     : (!x, tensor<4x2xf32, #cleave.axes<K, N>>) -> tensor<8xf32, #cleave.axes<N>>
  return
}

// -----

!x = tensor<4xf32, #cleave.axes<K>>
func.func @f(%x: !x, %y: tensor<4x2xf32, #cleave.axes<K, M>>) {
  // expected-error @below {{expected the input 1 not to carry axis 'K'}}
  %0 = cleave.concat %x, %y along [K, M] as N
     : (!x, tensor<4x2xf32, #cleave.axes<K, M>>) -> tensor<4x6xf32, #cleave.axes<K, N>>
  return
}

// -----

!x = tensor<4xf32, #cleave.axes<K>>
func.func @f(%x: !x, %y: tensor<2xf16, #cleave.axes<M>>) {
  // expected-error @below {{expected inputs of one element type}}
  %0 = cleave.concat %x, %y along [K, M] as N
     : (!x, tensor<2xf16, #cleave.axes<M>>) -> tensor<6xf32, #cleave.axes<N>>
  return
}

// -----

!x = tensor<4xf32, #cleave.axes<K>>
func.func @f(%x: !x) {
  // expected-error @below {{expected axis 'N' to have extent 8 but got ?}}
  %0 = cleave.concat %x, %x along [K, K] as N : (!x, !x) -> tensor<?xf32, #cleave.axes<N>>
  return
}

// -----

!x = tensor<4xf32, #cleave.axes<K>>
func.func @f(%x: !x) {
  // expected-error @below {{expected the result to carry axis 'N'}}
  %0 = cleave.concat %x, %x along [K, K] as N : (!x, !x) -> tensor<8xf32, #cleave.axes<O>>
  return
}

// -----

func.func @f(%x: tensor<4x2xf32, #cleave.axes<K, M>>, %y: tensor<4x3xf32, #cleave.axes<K, M>>) {
  // expected-error @below {{expected one extent an axis}}
  %0 = cleave.concat %x, %y along [K, K] as N
     : (tensor<4x2xf32, #cleave.axes<K, M>>, tensor<4x3xf32, #cleave.axes<K, M>>)
    -> tensor<2x8xf32, #cleave.axes<M, N>>
  return
}

// -----

!x = tensor<4xf32, #cleave.axes<K>>
func.func @f(%x: !x) {
  // expected-error @below {{expected result type 'tensor<8xf32, #cleave.axes<N>>'}}
  %0 = cleave.concat %x, %x along [K, K] as N : (!x, !x) -> tensor<8xf16, #cleave.axes<N>>
  return
}

// -----

!x = tensor<4x8xf32, #cleave.axes<M, V>>
func.func @f(%x: !x, %i: tensor<4xi32, #cleave.axes<M>>) {
  // expected-error @below {{expected the table to carry axis 'N'}}
  %0 = cleave.gather %x N at %i : (!x, tensor<4xi32, #cleave.axes<M>>) -> tensor<4x8xf32, #cleave.axes<M, V>>
  return
}

// -----

!x = tensor<4x8xf32, #cleave.axes<M, V>>
func.func @f(%x: !x, %i: tensor<8xi32, #cleave.axes<V>>) {
  // expected-error @below {{expected the index not to carry axis 'V'}}
  %0 = cleave.gather %x V at %i : (!x, tensor<8xi32, #cleave.axes<V>>) -> tensor<4x8xf32, #cleave.axes<M, V>>
  return
}

// -----

!x = tensor<4x8xf32, #cleave.axes<M, V>>
func.func @f(%x: !x, %i: tensor<4xf32, #cleave.axes<M>>) {
  // expected-error @below {{operand #1 must be tensor of signless integers with named axes}}
  %0 = cleave.gather %x V at %i : (!x, tensor<4xf32, #cleave.axes<M>>) -> tensor<4xf32, #cleave.axes<M>>
  return
}

// -----

!x = tensor<4x8xf32, #cleave.axes<M, V>>
func.func @f(%x: !x, %i: tensor<5xi32, #cleave.axes<M>>) {
  // expected-error @below {{expected one extent an axis but got}}
  // expected-error @below {{failed to infer returned types}}
  %0 = cleave.gather %x V at %i : (!x, tensor<5xi32, #cleave.axes<M>>) -> tensor<4xf32, #cleave.axes<M>>
  return
}

// -----

!c = tensor<4x8xf16, #cleave.axes<B, T>>
!p = tensor<4xi32, #cleave.axes<B>>
func.func @f(%c: !c, %n: tensor<4x2xf16, #cleave.axes<B, S>>, %p: !p) {
  // expected-error @below {{expected the input to carry axis 'U'}}
  %0 = cleave.insert %n U into %c T at %p : (tensor<4x2xf16, #cleave.axes<B, S>>, !c, !p) -> tensor<4x2x8xf16, #cleave.axes<B, S, T>>
  return
}

// -----

!c = tensor<4x8xf16, #cleave.axes<B, T>>
!p = tensor<4xi32, #cleave.axes<B>>
func.func @f(%c: !c, %n: tensor<4x2xf16, #cleave.axes<B, S>>, %p: !p) {
  // expected-error @below {{expected the cache to carry axis 'U'}}
  %0 = cleave.insert %n S into %c U at %p : (tensor<4x2xf16, #cleave.axes<B, S>>, !c, !p) -> !c
  return
}

// -----

!c = tensor<4x8xf16, #cleave.axes<B, T>>
!p = tensor<4xi32, #cleave.axes<B>>
func.func @f(%c: !c, %p: !p) {
  // expected-error @below {{expected the cache not to carry axis 'T'}}
  %0 = cleave.insert %c T into %c T at %p : (!c, !c, !p) -> !c
  return
}

// -----

!c = tensor<4x8xf16, #cleave.axes<B, T>>
!p = tensor<4xi32, #cleave.axes<B>>
func.func @f(%c: !c, %n: tensor<2xf16, #cleave.axes<S>>, %p: !p) {
  // expected-error @below {{expected input and cache to have the same other axes}}
  %0 = cleave.insert %n S into %c T at %p : (tensor<2xf16, #cleave.axes<S>>, !c, !p) -> !c
  return
}

// -----

!c = tensor<4x8xf16, #cleave.axes<B, T>>
!p = tensor<8xi32, #cleave.axes<T>>
func.func @f(%c: !c, %n: tensor<4x2xf16, #cleave.axes<B, S>>, %p: !p) {
  // expected-error @below {{expected the position to have other axes of the cache only}}
  %0 = cleave.insert %n S into %c T at %p : (tensor<4x2xf16, #cleave.axes<B, S>>, !c, !p) -> !c
  return
}

// -----

!c = tensor<4x8xf16, #cleave.axes<B, T>>
!p = tensor<4xi32, #cleave.axes<B>>
func.func @f(%c: !c, %n: tensor<4x2xf32, #cleave.axes<B, S>>, %p: !p) {
  // expected-error @below {{expected one element type but got}}
  %0 = cleave.insert %n S into %c T at %p : (tensor<4x2xf32, #cleave.axes<B, S>>, !c, !p) -> !c
  return
}

// -----

!x = tensor<4xf32, #cleave.axes<K>>
func.func @f(%x: !x) {
  // expected-error @below {{expected the name of a new axis but got 'K'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = cleave.stack %x, %x as K : (!x, !x) -> !x
  return
}

// -----

func.func @f() {
  // expected-error @below {{expected at least one operand}}
  %0 = "cleave.stack"() {axis = "K"} : () -> tensor<0xf32, #cleave.axes<K>>
  return
}

// -----

!x = tensor<4xf32, #cleave.axes<K>>
func.func @f(%x: !x) {
  // expected-error @below {{expected at most a weight and a bias but got 3 parameters}}
  %0 = cleave.layer_norm %x, %x, %x, %x over [K] eps 0.0 : (!x, !x, !x, !x) -> !x
  return
}

// -----

!x = tensor<4xf32, #cleave.axes<K>>
func.func @f(%x: !x, %b: tensor<2xf32, #cleave.axes<N>>) {
  // expected-error @below {{expected the input to carry all axes of the bias}}
  %0 = cleave.layer_norm %x, %x, %b over [K] eps 0.0
     : (!x, !x, tensor<2xf32, #cleave.axes<N>>) -> tensor<4x2xf32, #cleave.axes<K, N>>
  return
}

// -----

!x = tensor<4xf32, #cleave.axes<K>>
func.func @f(%x: !x) {
  // expected-error @below {{expected eps to be at least 0}}
  %0 = cleave.layer_norm %x over [K] eps -1.0 : (!x) -> !x
  return
}

// -----

!x = tensor<4xf32, #cleave.axes<K>>
func.func @f(%x: !x) {
  // expected-error @below {{expected an operand to carry axis 'N'}}
  %0 = cleave.logsumexp %x over [N] : (!x) -> !x
  return
}

// -----

!x = tensor<4xf32, #cleave.axes<K>>
func.func @f(%x: !x) {
  // expected-error @below {{expected an operand to carry axis 'N'}}
  %0 = cleave.reduce_min %x over [N] : (!x) -> !x
  return
}

// -----

!x = tensor<4xf32, #cleave.axes<K>>
func.func @f(%x: !x) {
  // expected-error @below {{expected an operand to carry axis 'N'}}
  %0 = cleave.reduce_prod %x over [N] : (!x) -> !x
  return
}

// -----

// Two concats give one axis different parts.
!a = tensor<?xf32, #cleave.axes<A>>
!b = tensor<?xf32, #cleave.axes<B>>
!n = tensor<?xf32, #cleave.axes<N>>
func.func @f(%a: !a, %b: !b) attributes {cleave.symbols = #cleave.symbols<>} {
  %0 = cleave.concat %a, %b along [A, B] as N : (!a, !b) -> !n
  // expected-error @below {{expected one relation for axis 'N' but got another}}
  %1 = cleave.concat %b, %a along [B, A] as N : (!b, !a) -> !n
  return
}

// -----

// expected-error @below {{expected axis 'N' not to be defined by itself}}
func.func private @f() attributes {cleave.symbols = #cleave.symbols<A: dynamic, N = A + N>}
