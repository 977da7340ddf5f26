// Generic forms that no printer writes: located errors, never a crash. The axis
// table of a function is read before the operations in it are verified.
// RUN: cleave-opt %s -split-input-file -verify-diagnostics --allow-unregistered-dialect

!x = tensor<4xf32, #cleave.axes<K>>
func.func @f(%x: !x) attributes {cleave.symbols = #cleave.symbols<>} {
  // expected-error @below {{requires attribute 'axis'}}
  %0 = "cleave.split"(%x) : (!x) -> !x
  return
}

// -----

!x = tensor<4xf32, #cleave.axes<K>>
func.func @f(%x: !x) attributes {cleave.symbols = #cleave.symbols<>} {
  // expected-error @below {{requires attribute 'axis'}}
  %0 = "cleave.merge"(%x) {outer = "S"} : (!x) -> !x
  return
}

// -----

!x = tensor<4xf32, #cleave.axes<K>>
func.func @f(%x: !x) attributes {cleave.symbols = #cleave.symbols<>} {
  // expected-error @below {{requires attribute 'from'}}
  %0 = "cleave.rename"(%x) {to = #cleave.axes<N>} : (!x) -> !x
  return
}

// -----

!x = tensor<4xf32, #cleave.axes<K>>
func.func @f(%x: !x) attributes {cleave.symbols = #cleave.symbols<>} {
  // expected-error @below {{expected as many new names as old ones but got 2 for 1}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "cleave.rename"(%x) {from = #cleave.axes<K>, to = #cleave.axes<M, N>} : (!x) -> !x
  return
}

// -----

!s = tensor<f32, #cleave.axes<>>
func.func @f() attributes {cleave.symbols = #cleave.symbols<>} {
  // expected-error @below {{requires attribute 'axis'}}
  %0 = "cleave.extent"() : () -> !s
  return
}

// -----

// expected-error @below {{requires one result}}
"cleave.add"() : () -> ()

// -----

func.func @f(%x: i32) {
  // expected-error @below {{operand #0 must be tensor of}}
  %0 = "cleave.reduce_max"(%x) {axes = #cleave.axes<K>} : (i32) -> i32
  return
}

// -----

func.func @f(%x: i32) {
  // expected-error @below {{operand #0 must be tensor of}}
  %0 = "cleave.rename"(%x) {from = #cleave.axes<K>, to = #cleave.axes<N>} : (i32) -> i32
  return
}

// -----

func.func @f(%x: i32) {
  // expected-error @below {{operand #0 must be tensor of}}
  %0 = "cleave.cast"(%x) : (i32) -> tensor<f32>
  return
}

// -----

// expected-error @below {{requires attribute 'axes'}}
"cleave.fold"() : () -> ()

// -----

// expected-error @below {{expected at least one state}}
"cleave.fold"() {axes = #cleave.axes<K>, kinds = []} : () -> ()

// -----

// expected-error @below {{attribute 'kinds' failed to satisfy constraint: kinds of reduction}}
"cleave.fold"() {axes = #cleave.axes<K>, kinds = [1]} : () -> ()

// -----

// expected-error @below {{expected a body and a rebase region a state}}
%0 = "cleave.fold"() ({}) {axes = #cleave.axes<K>, kinds = [#cleave.reduction_kind<reduce_sum>]}
   : () -> tensor<f32, #cleave.axes<>>

// -----

// expected-error @below {{state 0: body expected to yield 1 tensor}}
%0 = "cleave.fold"() ({
  "cleave.yield"() : () -> ()
}, {}) {axes = #cleave.axes<K>, kinds = [#cleave.reduction_kind<reduce_sum>]} : () -> tensor<f32, #cleave.axes<>>

// -----

// expected-error @below {{state 0: body expected to yield 1 tensor}}
%0 = "cleave.fold"() ({
  "unknown.op"() : () -> ()
}, {}) {axes = #cleave.axes<K>, kinds = [#cleave.reduction_kind<reduce_sum>]} : () -> tensor<f32, #cleave.axes<>>

// -----

// expected-error @below {{region with 1 blocks}}
"cleave.alternatives"() ({}) : () -> ()

// -----

// expected-error @below {{expects a non-empty block}}
"cleave.alternatives"() ({
^bb0:
}) : () -> ()

// -----

// expected-error @below {{expected every region to yield the results' types}}
"cleave.alternatives"() ({
  // expected-note @below {{in this region}}
  "unknown.op"() : () -> ()
}) : () -> ()

// -----

// expected-error @below {{attribute 'labels' failed to satisfy constraint: string array attribute}}
"cleave.alternatives"() ({
  "cleave.yield"() : () -> ()
}) {labels = [1]} : () -> ()

// -----

func.func @f() attributes {cleave.symbols = #cleave.symbols<>} {
  // expected-error @below {{requires attribute 'axis'}}
  %0 = "cleave.iota"() : () -> tensor<4xf32, #cleave.axes<K>>
  return
}

// -----

func.func @f() attributes {cleave.symbols = #cleave.symbols<>} {
  // expected-error @below {{must be tensor of f32 or f64}}
  %0 = "cleave.iota"() {axis = "K"} : () -> i32
  return
}

// -----

!x = tensor<4xf32, #cleave.axes<K>>
func.func @f(%x: !x) attributes {cleave.symbols = #cleave.symbols<>} {
  // expected-error @below {{requires attribute 'offset'}}
  %0 = "cleave.slice"(%x) {axis = "K"} : (!x) -> !x
  return
}

// -----

!x = tensor<4xf32, #cleave.axes<K>>
func.func @f(%x: !x) attributes {cleave.symbols = #cleave.symbols<>} {
  // expected-error @below {{attribute 'along' failed to satisfy constraint}}
  %0 = "cleave.concat"(%x, %x) {axis = "N", along = [1, 2]} : (!x, !x) -> !x
  return
}

// -----

!x = tensor<4xf32, #cleave.axes<K>>
func.func @f(%x: !x) attributes {cleave.symbols = #cleave.symbols<>} {
  // expected-error @below {{requires attribute 'axis'}}
  %0 = "cleave.stack"(%x) : (!x) -> !x
  return
}

// -----

!x = tensor<4xf32, #cleave.axes<K>>
func.func @f(%x: !x, %i: tensor<i32, #cleave.axes<>>) attributes {cleave.symbols = #cleave.symbols<>} {
  // expected-error @below {{requires attribute 'axis'}}
  %0 = "cleave.gather"(%x, %i) : (!x, tensor<i32, #cleave.axes<>>) -> !x
  return
}
