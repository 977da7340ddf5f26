// RUN: cleave-opt %s -split-input-file -verify-diagnostics --allow-unregistered-dialect

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

// expected-error @below {{expected each axis once but got 'K' twice}}
func.func private @f(tensor<4x4xf32, #cleave.axes<K, K>>)

// -----

// expected-error @below {{expected one axis a dimension but got 2 axes for 1 dimensions}}
func.func private @f(tensor<4xf32, #cleave.axes<K, N>>)

// -----

// expected-error @below {{expected valid keyword}}
func.func private @f(tensor<4xf32, #cleave.axes<"K">>)

// -----

// expected-error @below {{expected extents of at least 0 for axis 'K' but got -1}}
func.func private @f() attributes {cleave.symbols = #cleave.symbols<K: -1>}

// -----

// expected-error @below {{expected extents of at least 0 for axis 'K' but got -2}}
func.func private @f() attributes {cleave.symbols = #cleave.symbols<K: dynamic like 16 | -2>}

// -----

// expected-error @below {{expected 'dynamic', 'bound' or an extent but got 'free'}}
func.func private @f() attributes {cleave.symbols = #cleave.symbols<K: free>}

// -----

// expected-error @below {{integer value too large}}
func.func private @f() attributes {cleave.symbols = #cleave.symbols<K: 99999999999999999999>}

// -----

// expected-error @below {{expected axis 'K' not to be defined by itself}}
func.func private @f() attributes {cleave.symbols = #cleave.symbols<K = ceil(K / S)>}

// -----

// expected-error @below {{expected each axis once but got 'K' twice}}
func.func private @f() attributes {cleave.symbols = #cleave.symbols<K: 1, K: bound>}

// -----

// expected-error @below {{expected '*'}}
func.func private @f() attributes {cleave.symbols = #cleave.symbols<H = G / R>}

// -----

//===----------------------------------------------------------------------===//
// Attributes of functions, arguments and results
//===----------------------------------------------------------------------===//

// expected-error @below {{expected 'cleave.symbols' to be a #cleave.symbols attribute}}
func.func private @f() attributes {cleave.symbols = 1}

// -----

// expected-error @below {{expected 'cleave.symbols' on a function only}}
module attributes {cleave.symbols = #cleave.symbols<>} {}

// -----

// expected-error @below {{expected axis 'M' of the relation for 'K' to occur in the function}}
func.func private @f() attributes {cleave.symbols = #cleave.symbols<K = ceil(M / S)>}

// -----

// expected-error @below {{expected axis 'K' to have extent 8 everywhere but got 4}}
func.func private @f(tensor<4xf32, #cleave.axes<K>>) attributes {cleave.symbols = #cleave.symbols<K: 8>}

// -----

// expected-error @below {{expected axis 'K' to have extent 4 everywhere but got 8}}
func.func private @f(tensor<4xf32, #cleave.axes<K>>) -> tensor<8xf32, #cleave.axes<K>>
    attributes {cleave.symbols = #cleave.symbols<>}

// -----

func.func @f(%x: tensor<?xf32, #cleave.axes<K>>) attributes {cleave.symbols = #cleave.symbols<Ki = ceil(K / T)
                                                                                             , T: bound, S: bound>} {
  // expected-error @below {{expected one relation for axis 'Ki' but got another}}
  %0 = cleave.split %x K into (S, Ki) : tensor<?xf32, #cleave.axes<K>> to tensor<?x?xf32, #cleave.axes<Ki, S>>
  return
}

// -----

func.func @f() attributes {cleave.symbols = #cleave.symbols<K: 8>} {
  // expected-error @below {{expected axis 'N' to occur in the function}}
  %0 = cleave.extent N : tensor<f32, #cleave.axes<>>
  return
}

// -----

func.func @f(%x: tensor<4xf32, #cleave.axes<K>>) attributes {cleave.symbols = #cleave.symbols<>} {
  // expected-error @below {{expected no tensors with named axes outside of the cleave dialect}}
  %0 = arith.negf %x : tensor<4xf32, #cleave.axes<K>>
  return
}

// -----

func.func @f(%x: tensor<4xf32, #cleave.axes<K>>) attributes {cleave.symbols = #cleave.symbols<>} {
  // expected-error @below {{expected no tensors with named axes outside of the cleave dialect}}
  "unknown.op"(%x) : (tensor<4xf32, #cleave.axes<K>>) -> ()
  return
}

// -----

// expected-error @below {{expected 'cleave.name' to be a non-empty string}}
func.func private @f(tensor<f32, #cleave.axes<>> {cleave.name = ""})

// -----

// expected-error @below {{expected 'cleave.name' to be a non-empty string}}
func.func private @f() -> (tensor<f32, #cleave.axes<>> {cleave.name = 1})

// -----

// expected-error @below {{expected 'cleave.range' of argument 1 to be a finite float of at least 0}}
func.func private @f(f32, tensor<f32, #cleave.axes<>> {cleave.range = -1.0})

// -----

// expected-error @below {{expected 'cleave.range' of argument 0 to be a finite float of at least 0}}
func.func private @f(tensor<f32, #cleave.axes<>> {cleave.range = 0x7FF0000000000000 : f64})

// -----

// expected-error @below {{expected 'cleave.range' of argument 0 to be a finite float of at least 0}}
func.func private @f(tensor<f32, #cleave.axes<>> {cleave.range = 0x7FF8000000000000 : f64})

// -----

// expected-error @below {{expected 'cleave.range' of argument 0 to be a finite float of at least 0}}
func.func private @f(tensor<f32, #cleave.axes<>> {cleave.range = 1 : i32})

// -----

//===----------------------------------------------------------------------===//
// Pointwise operations
//===----------------------------------------------------------------------===//

// expected-error @below {{expected at least one operand}}
%0 = "cleave.add"() : () -> tensor<f32, #cleave.axes<>>

// -----

// expected-error @below {{expected at least one operand}}
%0 = "cleave.max"() : () -> tensor<f32, #cleave.axes<>>

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{operand #0 must be variadic of tensor of f16, bf16, f32 or f64 with named axes, but got 'tensor<4xf32>'}}
  %0 = "cleave.mul"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xi32, #cleave.axes<K>>) {
  // expected-error @below {{operand #0 must be tensor of f16, bf16, f32 or f64 with named axes}}
  %0 = cleave.exp %x : (tensor<4xi32, #cleave.axes<K>>) -> tensor<4xf32, #cleave.axes<K>>
  return
}

// -----

func.func @f(%x: tensor<*xf32>) {
  // expected-error @below {{operand #0 must be tensor of}}
  %0 = cleave.neg %x : (tensor<*xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32, #cleave.axes<K>>, %y: tensor<8xf32, #cleave.axes<K>>) {
  // expected-error @below {{expected one extent of axis 'K' but got 4 and 8}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "cleave.add"(%x, %y) : (tensor<4xf32, #cleave.axes<K>>, tensor<8xf32, #cleave.axes<K>>)
                           -> tensor<4xf32, #cleave.axes<K>>
  return
}

// -----

func.func @f(%x: tensor<4x?xf32, #cleave.axes<M, K>>) {
  // expected-error @below {{inferred type(s) 'tensor<?x4xf32, #cleave.axes<K, M>>' are incompatible with return type(s) of operation 'tensor<4x?xf32, #cleave.axes<M, K>>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = cleave.exp %x : (tensor<4x?xf32, #cleave.axes<M, K>>) -> tensor<4x?xf32, #cleave.axes<M, K>>
  return
}

// -----

func.func @f(%x: tensor<4xf16, #cleave.axes<K>>) {
  // expected-error @below {{inferred type(s) 'tensor<4xf32, #cleave.axes<K>>' are incompatible}}
  // expected-error @below {{failed to infer returned types}}
  %0 = cleave.add %x, %x : (tensor<4xf16, #cleave.axes<K>>, tensor<4xf16, #cleave.axes<K>>) -> tensor<4xf16, #cleave.axes<K>>
  return
}

// -----

func.func @f(%x: tensor<4xf32, #cleave.axes<K>>) {
  // expected-error @below {{operand #0 must be tensor of i1 with named axes}}
  %0 = cleave.select %x, %x, %x
     : (tensor<4xf32, #cleave.axes<K>>, tensor<4xf32, #cleave.axes<K>>, tensor<4xf32, #cleave.axes<K>>)
     -> tensor<4xf32, #cleave.axes<K>>
  return
}

// -----

func.func @f(%x: tensor<4xf32, #cleave.axes<K>>) {
  // expected-error @below {{to be one of}}
  // expected-error @below {{failed to parse}}
  %0 = cleave.cmp less %x, %x : (tensor<4xf32, #cleave.axes<K>>, tensor<4xf32, #cleave.axes<K>>) -> tensor<4xi1, #cleave.axes<K>>
  return
}

// -----

func.func @f(%x: tensor<4x?xf32, #cleave.axes<M, K>>) {
  // expected-error @below {{expected result type 'tensor<?x4xf16, #cleave.axes<K, M>>' but got 'tensor<4x?xf16, #cleave.axes<M, K>>'}}
  %0 = cleave.cast %x : tensor<4x?xf32, #cleave.axes<M, K>> to tensor<4x?xf16, #cleave.axes<M, K>>
  return
}

// -----

//===----------------------------------------------------------------------===//
// Leaves and reductions
//===----------------------------------------------------------------------===//

// expected-error @below {{attribute 'value' failed to satisfy constraint: 64-bit float attribute}}
%0 = "cleave.constant"() {value = 1.0 : f32} : () -> tensor<f32, #cleave.axes<>>

// -----

// expected-error @below {{requires attribute 'value'}}
%0 = "cleave.constant"() : () -> tensor<f32, #cleave.axes<>>

// -----

// expected-error @below {{expected the name of an axis but got 'two words'}}
%0 = "cleave.extent"() {axis = "two words"} : () -> tensor<f32, #cleave.axes<>>

// -----

// expected-error @below {{expected the name of an axis but got ''}}
%0 = "cleave.extent"() {axis = ""} : () -> tensor<f32, #cleave.axes<>>

// -----

func.func @f(%x: tensor<4xf32, #cleave.axes<K>>) {
  // expected-error @below {{requires attribute 'axes'}}
  %0 = "cleave.reduce_sum"(%x) : (tensor<4xf32, #cleave.axes<K>>) -> tensor<f32, #cleave.axes<>>
  return
}

// -----

func.func @f(%x: tensor<4xf32, #cleave.axes<K>>) {
  // expected-error @below {{expected at least one axis}}
  %0 = cleave.reduce_sum %x over [] : (tensor<4xf32, #cleave.axes<K>>) -> tensor<4xf32, #cleave.axes<K>>
  return
}

// -----

func.func @f(%x: tensor<4xf32, #cleave.axes<K>>) {
  // expected-error @below {{expected an operand to carry axis 'N'}}
  %0 = cleave.reduce_max %x over [N] : (tensor<4xf32, #cleave.axes<K>>) -> tensor<4xf32, #cleave.axes<K>>
  return
}

// -----

func.func @f(%x: tensor<4x4xf32, #cleave.axes<K, M>>) {
  // expected-error @below {{expected axes in lexicographic order}}
  %0 = "cleave.reduce_max"(%x) {axes = #cleave.axes<M, K>} : (tensor<4x4xf32, #cleave.axes<K, M>>) -> tensor<f32, #cleave.axes<>>
  return
}

// -----

func.func @f(%x: tensor<4x4xf32, #cleave.axes<K, M>>) {
  // expected-error @below {{expected each axis once but got 'K' twice}}
  %0 = cleave.reduce_max %x over [K, K] : (tensor<4x4xf32, #cleave.axes<K, M>>) -> tensor<4xf32, #cleave.axes<M>>
  return
}

// -----

func.func @f(%x: tensor<4xf32, #cleave.axes<K>>, %y: tensor<4xf32, #cleave.axes<N>>) {
  // expected-error @below {{expected an operand to carry axis 'M'}}
  %0 = cleave.contract %x, %y over [M]
     : (tensor<4xf32, #cleave.axes<K>>, tensor<4xf32, #cleave.axes<N>>) -> tensor<4x4xf32, #cleave.axes<K, N>>
  return
}

// -----

func.func @f(%x: tensor<4xf32, #cleave.axes<K>>) {
  // expected-error @below {{expected at least one axis; a product without a sum is cleave.mul}}
  %0 = cleave.contract %x, %x over []
     : (tensor<4xf32, #cleave.axes<K>>, tensor<4xf32, #cleave.axes<K>>) -> tensor<4xf32, #cleave.axes<K>>
  return
}

// -----

func.func @f(%x: tensor<4xf32, #cleave.axes<K>>) {
  // expected-error @below {{expected 'operand_type' to be f16, bf16, f32 or f64 but got 'f8E4M3FN'}}
  %0 = cleave.contract %x, %x over [K] {operand_type = f8E4M3FN}
     : (tensor<4xf32, #cleave.axes<K>>, tensor<4xf32, #cleave.axes<K>>) -> tensor<f32, #cleave.axes<>>
  return
}

// -----

func.func @f(%x: tensor<4xf32, #cleave.axes<K>>) {
  // expected-error @below {{attribute 'operand_type' failed to satisfy constraint}}
  %0 = "cleave.contract"(%x, %x) {axes = #cleave.axes<K>, operand_type = i8}
     : (tensor<4xf32, #cleave.axes<K>>, tensor<4xf32, #cleave.axes<K>>) -> tensor<f32, #cleave.axes<>>
  return
}

// -----

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

func.func @f(%x: tensor<8xf32, #cleave.axes<K>>) {
  // expected-error @below {{expected the operand to carry axis 'N'}}
  %0 = cleave.split %x N into (S, Ki) : tensor<8xf32, #cleave.axes<K>> to tensor<4x2xf32, #cleave.axes<Ki, S>>
  return
}

// -----

func.func @f(%x: tensor<8xf32, #cleave.axes<K>>) {
  // expected-error @below {{expected axis 'K' in the result only}}
  %0 = cleave.split %x K into (K, Ki) : tensor<8xf32, #cleave.axes<K>> to tensor<4x2xf32, #cleave.axes<Ki, K>>
  return
}

// -----

func.func @f(%x: tensor<8xf32, #cleave.axes<K>>) {
  // expected-error @below {{expected two different parts}}
  %0 = cleave.split %x K into (S, S) : tensor<8xf32, #cleave.axes<K>> to tensor<4xf32, #cleave.axes<S>>
  return
}

// -----

func.func @f(%x: tensor<8x?xf32, #cleave.axes<K, N>>) {
  // expected-error @below {{expected result type}}
  %0 = cleave.split %x K into (S, Ki) : tensor<8x?xf32, #cleave.axes<K, N>> to tensor<4x2xf32, #cleave.axes<Ki, S>>
  return
}

// -----

func.func @f(%x: tensor<8xf32, #cleave.axes<K>>) {
  // expected-error @below {{expected at least one part}}
  %0 = cleave.split %x K into (S, Ki) : tensor<8xf32, #cleave.axes<K>> to tensor<4x0xf32, #cleave.axes<Ki, S>>
  return
}

// -----

func.func @f(%x: tensor<8xf32, #cleave.axes<K>>) {
  // expected-error @below {{expected axis 'Ki' to have extent 3 but got 2}}
  %0 = cleave.split %x K into (S, Ki) : tensor<8xf32, #cleave.axes<K>> to tensor<2x3xf32, #cleave.axes<Ki, S>>
  return
}

// -----

func.func @f(%x: tensor<4x2xf32, #cleave.axes<Ki, S>>) {
  // expected-error @below {{expected the operand to carry axis 'T'}}
  %0 = cleave.merge %x (T, Ki) into K : tensor<4x2xf32, #cleave.axes<Ki, S>> to tensor<8xf32, #cleave.axes<K>>
  return
}

// -----

func.func @f(%x: tensor<4x2xf32, #cleave.axes<Ki, S>>) {
  // expected-error @below {{expected axis 'S' in the result only}}
  %0 = cleave.merge %x (S, Ki) into S : tensor<4x2xf32, #cleave.axes<Ki, S>> to tensor<8xf32, #cleave.axes<S>>
  return
}

// -----

func.func @f(%x: tensor<4x2xf32, #cleave.axes<Ki, S>>) {
  // expected-error @below {{expected two different parts}}
  %0 = cleave.merge %x (S, S) into K : tensor<4x2xf32, #cleave.axes<Ki, S>> to tensor<4x8xf32, #cleave.axes<K, Ki>>
  return
}

// -----

func.func @f(%x: tensor<4x2xf32, #cleave.axes<Ki, S>>) {
  // expected-error @below {{expected result type 'tensor<8xf32, #cleave.axes<K>>' but got 'tensor<8x2xf32, #cleave.axes<K, S>>'}}
  %0 = cleave.merge %x (S, Ki) into K : tensor<4x2xf32, #cleave.axes<Ki, S>> to tensor<8x2xf32, #cleave.axes<K, S>>
  return
}

// -----

func.func @f(%x: tensor<4xf32, #cleave.axes<K>>) {
  // expected-error @below {{expected the operand to carry axis 'M'}}
  %0 = cleave.rename %x [M] to [N] : (tensor<4xf32, #cleave.axes<K>>) -> tensor<4xf32, #cleave.axes<K>>
  return
}

// -----

func.func @f(%x: tensor<4xf32, #cleave.axes<K>>) {
  // expected-error @below {{expected as many new names as old ones but got 2 for 1}}
  // expected-error @below {{failed to infer returned types}}
  %0 = cleave.rename %x [K] to [M, N] : (tensor<4xf32, #cleave.axes<K>>) -> tensor<4xf32, #cleave.axes<M>>
  return
}

// -----

func.func @f(%x: tensor<4x4xf32, #cleave.axes<K, M>>) {
  // expected-error @below {{expected new names that the tensor lacks}}
  // expected-error @below {{failed to infer returned types}}
  %0 = cleave.rename %x [K] to [M] : (tensor<4x4xf32, #cleave.axes<K, M>>) -> tensor<4x4xf32, #cleave.axes<K, M>>
  return
}

// -----

func.func @f(%x: tensor<4x4xf32, #cleave.axes<K, M>>) {
  // expected-error @below {{expected the same axes, extents and element type but got}}
  %0 = cleave.relayout %x : tensor<4x4xf32, #cleave.axes<K, M>> to tensor<4x4xf16, #cleave.axes<M, K>>
  return
}

// -----

//===----------------------------------------------------------------------===//
// Alternatives and yield
//===----------------------------------------------------------------------===//

// expected-error @below {{expected at least one region}}
"cleave.alternatives"() : () -> ()

// -----

// expected-error @below {{expected one label a region}}
"cleave.alternatives"() ({
  "cleave.yield"() : () -> ()
}) {labels = ["a", "b"]} : () -> ()

// -----

// expected-error @below {{region should have no arguments}}
"cleave.alternatives"() ({
^bb0(%a: i32):
  "cleave.yield"() : () -> ()
}) : () -> ()

// -----

func.func @f(%x: tensor<4xf32, #cleave.axes<K>>) {
  // expected-error @below {{expected every region to yield the results' types}}
  %0 = cleave.alternatives {
    cleave.yield %x : tensor<4xf32, #cleave.axes<K>>
  }, {
    // expected-note @below {{in this region}}
    cleave.yield
  } : tensor<4xf32, #cleave.axes<K>>
  return
}

// -----

// expected-error @below {{expects parent op to be one of 'cleave.alternatives, cleave.fold'}}
"cleave.yield"() : () -> ()

// -----

//===----------------------------------------------------------------------===//
// Sugar
//===----------------------------------------------------------------------===//

func.func @f(%x: tensor<4xf32, #cleave.axes<K>>) {
  // expected-error @below {{expected an operand to carry axis 'N'}}
  %0 = cleave.softmax %x over [N] : (tensor<4xf32, #cleave.axes<K>>) -> tensor<4xf32, #cleave.axes<K>>
  return
}

// -----

func.func @f(%x: tensor<4xf32, #cleave.axes<K>>) {
  // expected-error @below {{expected eps to be at least 0}}
  %0 = cleave.rms_norm %x over [K] eps -1.0 : (tensor<4xf32, #cleave.axes<K>>) -> tensor<4xf32, #cleave.axes<K>>
  return
}

// -----

func.func @f(%x: tensor<4xf32, #cleave.axes<K>>, %g: tensor<2xf32, #cleave.axes<N>>) {
  // expected-error @below {{expected the input to carry all axes of the weight}}
  %0 = cleave.rms_norm %x, %g over [K] eps 0.0
     : (tensor<4xf32, #cleave.axes<K>>, tensor<2xf32, #cleave.axes<N>>) -> tensor<4x2xf32, #cleave.axes<K, N>>
  return
}
