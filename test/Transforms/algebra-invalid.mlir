// RUN: cleave-opt %s --split-input-file --verify-diagnostics --cleave-algebra

#K = #cleave.axes<K>

func.func @other_dialect(%x: tensor<?xf32, #K>) -> tensor<?xf32, #K> {
  // expected-error@below {{'arith.constant' op is not supported by the algebra}}
  %c = arith.constant 1.0 : f32
  return %x : tensor<?xf32, #K>
}

// -----

#K = #cleave.axes<K>

// expected-error@below {{expected argument 1 to be a tensor with named axes but got 'index'}}
func.func @argument(%x: tensor<?xf32, #K>, %i: index) -> tensor<?xf32, #K> {
  return %x : tensor<?xf32, #K>
}

// -----

#K = #cleave.axes<K>

// expected-error@below {{expected argument 1 to have elements of f16, bf16, f32, f64 or a signless integer of at most 64 bits but got 'complex<f32>'}}
func.func @element(%x: tensor<?xf32, #K>, %unused: tensor<4xcomplex<f32>, #K>) -> tensor<?xf32, #K> {
  return %x : tensor<?xf32, #K>
}

// -----

#K = #cleave.axes<K>
#s = #cleave.axes<>

func.func @extent(%x: tensor<?xf32, #K>) -> tensor<?xf32, #K> {
  // expected-error@below {{'cleave.extent' op expected axis 'Q' to occur in the function}}
  %n = cleave.extent Q : tensor<f32, #s>
  %y = cleave.mul %x, %n : (tensor<?xf32, #K>, tensor<f32, #s>) -> tensor<?xf32, #K>
  return %y : tensor<?xf32, #K>
}

// -----

// A function without axes is none of our business.
func.func @plain(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}
func.func private @declaration(tensor<?xf32, #cleave.axes<K>>)
