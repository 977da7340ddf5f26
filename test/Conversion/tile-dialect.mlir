// RUN: cleave-opt %s --split-input-file --verify-diagnostics | cleave-opt --split-input-file | FileCheck %s

// Layouts have an alias each and read back as they were.
// CHECK-DAG: #[[FROM:layout[0-9]*]] = #cleave_tile.layout<[2, 32] reg = [(1,0)], lane = [(0,1), (0,2), (0,4), (0,8), (0,16)], warp = []>
// CHECK-DAG: #[[TO:layout[0-9]*]] = #cleave_tile.layout<[2, 32] reg = [(0,1)], lane = [(1,0), (0,2), (0,4), (0,8), (0,16)], warp = [(0,0)]>
#from = #cleave_tile.layout<[2, 32] reg = [(1,0)], lane = [(0,1), (0,2), (0,4), (0,8), (0,16)], warp = []>
#to = #cleave_tile.layout<[2, 32] reg = [(0,1)], lane = [(1,0), (0,2), (0,4), (0,8), (0,16)], warp = [(0,0)]>
// CHECK-LABEL: @convert
func.func @convert(%a: vector<2x32xf16>) -> vector<2x32xf16> {
  // CHECK: cleave_tile.convert_layout %{{.*}} from #[[FROM]] to #[[TO]] : vector<2x32xf16>
  %b = cleave_tile.convert_layout %a from #from to #to : vector<2x32xf16>
  return %b : vector<2x32xf16>
}

// -----

// expected-error @below {{expected tile sizes that are powers of two but got 3}}
#l = #cleave_tile.layout<[3] reg = [], lane = [], warp = []>

// -----

// expected-error @below {{expected coordinates inside the tile}}
#l = #cleave_tile.layout<[4] reg = [(4)], lane = [], warp = []>

// -----

// expected-error @below {{expected 2 coordinates but got 1}}
#l = #cleave_tile.layout<[4, 4] reg = [(1)], lane = [], warp = []>

// -----

#l = #cleave_tile.layout<[4] reg = [(1)], lane = [], warp = []>
func.func @incomplete(%a: vector<4xf16>) {
  // expected-error @below {{expected a layout that places every element}}
  %b = cleave_tile.convert_layout %a from #l to #l : vector<4xf16>
  return
}

// -----

#l = #cleave_tile.layout<[4] reg = [(1), (2)], lane = [], warp = []>
func.func @shape(%a: vector<8xf16>) {
  // expected-error @below {{expected a layout of the shape of 'vector<8xf16>'}}
  %b = arith.negf %a {cleave_tile.layout = #l} : vector<8xf16>
  return
}

// -----

func.func @not_a_layout(%a: vector<8xf16>) {
  // expected-error @below {{expected a layout or an array of 1 layouts}}
  %b = arith.negf %a {cleave_tile.layout = 1 : i64} : vector<8xf16>
  return
}

// -----

// CHECK-LABEL: @write
func.func @write(%a: vector<16x64xf16>, %slot: index) {
  // CHECK: %[[RING:.*]] = cleave_tile.ring : memref<1x16x64xf16, #gpu.address_space<workgroup>>
  %ring = cleave_tile.ring : memref<1x16x64xf16, #gpu.address_space<workgroup>>
  // CHECK: cleave_tile.write %{{.*}}, %[[RING]][%{{.*}}] : vector<16x64xf16>, memref<1x16x64xf16, #gpu.address_space<workgroup>>
  cleave_tile.write %a, %ring[%slot] : vector<16x64xf16>, memref<1x16x64xf16, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @other_tile(%a: vector<16x32xf16>, %slot: index) {
  %ring = cleave_tile.ring : memref<1x16x64xf16, #gpu.address_space<workgroup>>
  // expected-error @below {{expected a ring of 'vector<16x32xf16>' but got}}
  cleave_tile.write %a, %ring[%slot] : vector<16x32xf16>, memref<1x16x64xf16, #gpu.address_space<workgroup>>
  return
}

// -----

// CHECK-LABEL: @rescale
func.func @rescale(%a: vector<4x8xf32>, %factors: vector<4x8xf32>) -> vector<4x8xf32> {
  // CHECK: cleave_tile.rescale %{{.*}}, %{{.*}} : vector<4x8xf32>
  %b = cleave_tile.rescale %a, %factors : vector<4x8xf32>
  return %b : vector<4x8xf32>
}
