// RUN: cleave-opt %s --split-input-file --verify-diagnostics | cleave-opt --split-input-file | FileCheck %s

// CHECK: cleave.schedule = #cleave.schedule<region = 1, grid = [M: 16, N: 64], loop = [K: 32], warps = 4, stages = 1>
func.func @roundtrip() attributes {cleave.schedule = #cleave.schedule<region = 1, grid = [M: 16, N: 64], loop = [K: 32], warps = 4, stages = 1>} {
  return
}

// -----

// CHECK: #cleave.schedule<region = 0, grid = [], loop = [], warps = 1, stages = 1>
func.func @empty() attributes {cleave.schedule = #cleave.schedule<region = 0, grid = [], loop = [], warps = 1, stages = 1>} {
  return
}

// -----

// expected-error@+1 {{expected 'cleave.schedule' to be a #cleave.schedule attribute of a function}}
func.func @wrong() attributes {cleave.schedule = 4 : i64} {
  return
}

// -----

// expected-error@+1 {{expected a region of at least 0 but got -1}}
func.func @negative() attributes {cleave.schedule = #cleave.schedule<region = -1, grid = [], loop = [], warps = 1, stages = 1>} {
  return
}
