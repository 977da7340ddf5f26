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

// expected-error@+1 {{expected 'cleave.schedule' to be a #cleave.schedule or #cleave.schedules attribute of a function}}
func.func @wrong() attributes {cleave.schedule = 4 : i64} {
  return
}

// -----

// expected-error@+1 {{expected a region of at least 0 but got -1}}
func.func @negative() attributes {cleave.schedule = #cleave.schedule<region = -1, grid = [], loop = [], warps = 1, stages = 1>} {
  return
}

// -----

// CHECK: #cleave.schedule<region = 0, split = [K.s: 8], kernels = [<store = [v3.1, v4.f16], grid = [K.s: 1, M: 16], loop = [K.i: 64], warps = 4, stages = 2>, <store = [result0], grid = [M: 16], loop = [K.s: 8], warps = 1, stages = 1>]>
func.func @kernels() attributes {cleave.schedule = #cleave.schedule<region = 0, split = [K.s: 8], kernels = [
    <store = [v3.1, v4.f16], grid = [K.s: 1, M: 16], loop = [K.i: 64], warps = 4, stages = 2>,
    <store = [result0], grid = [M: 16], loop = [K.s: 8], warps = 1, stages = 1>]>} {
  return
}

// -----

// CHECK: kernels = [<store = [v1], grid = [M: 4], loop = [], warps = 4, stages = 1>, <store = [result0], join, grid = [M: 4], loop = [], warps = 4, stages = 1>, <store = [result1], beside, grid = [N: 4],
func.func @launches() attributes {cleave.schedule = #cleave.schedule<region = 0, kernels = [
    <store = [v1], grid = [M: 4], loop = [], warps = 4, stages = 1>,
    <store = [result0], join, grid = [M: 4], loop = [], warps = 4, stages = 1>,
    <store = [result1], beside, grid = [N: 4], loop = [], warps = 4, stages = 1>]>} {
  return
}

// -----

// expected-error@+1 {{expected axis "K.s" to be split into at least 1 part but got 0}}
func.func @no_parts() attributes {cleave.schedule = #cleave.schedule<region = 0, split = [K.s: 0], grid = [], loop = [], warps = 1, stages = 1>} {
  return
}

// -----

// expected-error@+1 {{expected a kernel}}
func.func @no_kernel() attributes {cleave.schedule = #cleave.schedule<region = 0, kernels = []>} {
  return
}

// -----

// expected-error@+1 {{expected 'store' for each of several kernels}}
func.func @no_store() attributes {cleave.schedule = #cleave.schedule<region = 0, kernels = [
    <store = [v1], grid = [], loop = [], warps = 1, stages = 1>,
    <store = [], grid = [], loop = [], warps = 1, stages = 1>]>} {
  return
}

// -----

// CHECK: #cleave.schedules<[<when = [M upto 16, N upto 0], region = 1, grid = [M: 16], loop = [], warps = 1, stages = 1>, <when = [M upto 16], region = 0, split = [K.s: 2], kernels = [<store = [result0], grid = [], loop = [], warps = 1, stages = 1>]>, <region = 0, grid = [], loop = [], warps = 1, stages = 1>]>
func.func @classes() attributes {cleave.schedule = #cleave.schedules<[
    <when = [M upto 16, N upto 0], region = 1, grid = [M: 16], loop = [], warps = 1, stages = 1>,
    <when = [M upto 16], region = 0, split = [K.s: 2], kernels = [<store = [result0], grid = [], loop = [], warps = 1, stages = 1>]>,
    <region = 0, grid = [], loop = [], warps = 1, stages = 1>]>} {
  return
}

// -----

// One class is a list like any other.
// CHECK: #cleave.schedules<[<region = 0, grid = [], loop = [], warps = 1, stages = 1>]>
func.func @one_class() attributes {cleave.schedule = #cleave.schedules<[<region = 0, grid = [], loop = [], warps = 1, stages = 1>]>} {
  return
}

// -----

// expected-error@+1 {{expected a schedule}}
func.func @no_class() attributes {cleave.schedule = #cleave.schedules<[]>} {
  return
}

// -----

// expected-error@+1 {{expected the last schedule without 'when'}}
func.func @last_when() attributes {cleave.schedule = #cleave.schedules<[<when = [M upto 16], region = 0, grid = [], loop = [], warps = 1, stages = 1>]>} {
  return
}

// -----

// expected-error@+1 {{expected 'when' for every schedule but the last}}
func.func @no_when() attributes {cleave.schedule = #cleave.schedules<[<region = 0, grid = [], loop = [], warps = 1, stages = 1>, <region = 0, grid = [], loop = [], warps = 1, stages = 1>]>} {
  return
}

// -----

// expected-error@+1 {{expected extents that reach the schedule when M upto 8, N upto 4 but an earlier one has them all}}
func.func @hidden() attributes {cleave.schedule = #cleave.schedules<[<when = [M upto 16], region = 0, grid = [], loop = [], warps = 1, stages = 1>, <when = [M upto 8, N upto 4], region = 0, grid = [], loop = [], warps = 1, stages = 1>, <region = 0, grid = [], loop = [], warps = 1, stages = 1>]>} {
  return
}

// -----

// expected-error@+1 {{expected axis "M" once in 'when'}}
func.func @twice() attributes {cleave.schedule = #cleave.schedules<[<when = [M upto 16, M upto 8], region = 0, grid = [], loop = [], warps = 1, stages = 1>, <region = 0, grid = [], loop = [], warps = 1, stages = 1>]>} {
  return
}

// -----

// expected-error@+1 {{expected axis "M" to have a bound of at least 0 in 'when' but got -1}}
func.func @negative_bound() attributes {cleave.schedule = #cleave.schedules<[<when = [M upto -1], region = 0, grid = [], loop = [], warps = 1, stages = 1>, <region = 0, grid = [], loop = [], warps = 1, stages = 1>]>} {
  return
}

// -----

// expected-error@+1 {{expected 'when' in #cleave.schedules only}}
func.func @alone() attributes {cleave.schedule = #cleave.schedule<when = [M upto 1], region = 0, grid = [], loop = [], warps = 1, stages = 1>} {
  return
}
