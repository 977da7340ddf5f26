// Rows of a dynamic length are taken for whole vectors, and so are the starts
// and ends of tiles within them.

// RUN: cleave-opt %s --split-input-file --pass-pipeline="builtin.module(gpu.module(gpu.func(cleave-assume-rows)))" | FileCheck %s

#min = affine_map<(d0)[s0] -> (-d0 + s0, 64)>
gpu.module @m {
  // Nothing is asked of the number of rows.
  // CHECK-LABEL: gpu.func @rows
  // CHECK-SAME:  memref<?x?xf16> {cleave.row_multiple = 8 : i64}, %{{[a-z0-9]+}}: memref<?xf32>, %{{[a-z0-9]+}}: index, %{{[a-z0-9]+}}: index {cleave.row_multiple = 8 : i64})
  gpu.func @rows(%x: memref<?x?xf16>, %y: memref<?xf32>, %m: index, %n: index) kernel attributes {cleave.warps = 4 : i64} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0.0 : f16
    %init = arith.constant dense<0.0> : vector<16xf16>
    %b = gpu.block_id x
    %r = arith.muli %b, %c64 : index
    %rows = affine.min affine_map<(d0)[s0] -> (-d0 + s0, 16)>(%r)[%m]
    %s = scf.for %k = %c0 to %n step %c64 iter_args(%a = %init) -> (vector<16xf16>) {
      %size = affine.min #min(%k)[%n]
      %mask = vector.create_mask %rows, %size : vector<16x64xi1>
      %t = vector.transfer_read %x[%r, %k], %zero, %mask {in_bounds = [true, true]} : memref<?x?xf16>, vector<16x64xf16>
      %u = vector.multi_reduction <add>, %t, %a [1] : vector<16x64xf16> to vector<16xf16>
      scf.yield %u : vector<16xf16>
    }
    %e = arith.extf %s : vector<16xf16> to vector<16xf32>
    %end = vector.create_mask %rows : vector<16xi1>
    vector.transfer_write %e, %y[%r], %end {in_bounds = [true]} : vector<16xf32>, memref<?xf32>
    gpu.return
  }
}

// -----

gpu.module @m {
  // Rows of a static length, and one row, are what they are.
  // CHECK-LABEL: gpu.func @static
  // CHECK-NOT:   row_multiple
  gpu.func @static(%x: memref<?x64xf16>, %y: memref<?xf16>, %n: index) kernel attributes {cleave.warps = 4 : i64} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f16
    %t = vector.transfer_read %x[%n, %c0], %zero {in_bounds = [true, true]} : memref<?x64xf16>, vector<1x64xf16>
    %u = vector.shape_cast %t : vector<1x64xf16> to vector<64xf16>
    vector.transfer_write %u, %y[%n] {in_bounds = [true]} : vector<64xf16>, memref<?xf16>
    gpu.return
  }
}
