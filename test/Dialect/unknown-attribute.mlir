// RUN: cleave-opt %s --split-input-file --verify-diagnostics

#K = #cleave.axes<K>

// expected-error @+1 {{unknown attribute 'cleave.schedules'}}
func.func @operation(%x: tensor<?xf32, #K>) -> tensor<?xf32, #K>
    attributes {cleave.schedules = #cleave.schedule<region = 0, grid = [K: 16], loop = [], warps = 1, stages = 1>} {
  return %x : tensor<?xf32, #K>
}

// -----

#K = #cleave.axes<K>

// expected-error @+1 {{unknown attribute 'cleave.rnage'}}
func.func @argument(%x: tensor<?xf32, #K> {cleave.rnage = 8.0 : f32}) -> tensor<?xf32, #K> {
  return %x : tensor<?xf32, #K>
}

// -----

#K = #cleave.axes<K>

// expected-error @+1 {{unknown attribute 'cleave.nam'}}
func.func @result(%x: tensor<?xf32, #K>) -> (tensor<?xf32, #K> {cleave.nam = "Y"}) {
  return %x : tensor<?xf32, #K>
}
