// RUN: cleave-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(cleave-assign-layouts,cleave-distribute{max-shared-bytes=1024})))' --split-input-file --verify-diagnostics

gpu.module @m {
  // expected-error @below {{expected the attribute 'cleave.warps'}}
  gpu.func @warps() kernel {
    gpu.return
  }
}

// -----

gpu.module @m {
  // expected-error @below {{expected 'cleave.warps' to be a power of two from 1 to 32 but got 3}}
  gpu.func @warps() kernel attributes {cleave.warps = 3 : i64} {
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @size(%x: memref<24xf32>) kernel attributes {cleave.warps = 1 : i64} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    // expected-error @below {{expected tile sizes that are powers of two but got 'vector<24xf32>'}}
    %a = vector.transfer_read %x[%c0], %zero {in_bounds = [true]} : memref<24xf32>, vector<24xf32>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @strided(%x: memref<8x8xf32, strided<[16, 1]>>) kernel attributes {cleave.warps = 1 : i64} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    // expected-error @below {{expected a memref with identity layout but got 'memref<8x8xf32, strided<[16, 1]>>'}}
    %a = vector.transfer_read %x[%c0, %c0], %zero {in_bounds = [true, true]} : memref<8x8xf32, strided<[16, 1]>>, vector<8x8xf32>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @unknown_op(%x: memref<8xf32>) kernel attributes {cleave.warps = 1 : i64} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %a = vector.transfer_read %x[%c0], %zero {in_bounds = [true]} : memref<8xf32>, vector<8xf32>
    %init = arith.constant dense<0.0> : vector<f32>
    // expected-error @below {{expected an op that can be distributed to threads but got 'vector.scan' on tiles}}
    %b:2 = vector.scan <add>, %a, %init {inclusive = true, reduction_dim = 0 : i64} : vector<8xf32>, vector<f32>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @batch(%a: vector<2x16x16xf16>, %b: vector<2x16x16xf16>, %c: vector<2x16x16xf32>) kernel attributes {cleave.warps = 1 : i64} {
    // expected-error @below {{expected a contraction with one m, one n and one k dimension and a vector accumulator}}
    %d = vector.contract {indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, k, n)>, affine_map<(b, m, n, k) -> (b, m, n)>],
        iterator_types = ["parallel", "parallel", "parallel", "reduction"], kind = #vector.kind<add>}
        %a, %b, %c : vector<2x16x16xf16>, vector<2x16x16xf16> into vector<2x16x16xf32>
    gpu.return
  }
}

// -----

gpu.module @m {
  // expected-error @below {{expected a kernel that needs at most 1024 bytes of shared memory but got 4608}}
  gpu.func @shared(%x: memref<32x32xf32>, %y: memref<32x32xf32>) kernel attributes {cleave.warps = 1 : i64} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %a = vector.transfer_read %x[%c0, %c0], %zero {in_bounds = [true, true]} : memref<32x32xf32>, vector<32x32xf32>
    %t = vector.transpose %a, [1, 0] : vector<32x32xf32> to vector<32x32xf32>
    vector.transfer_write %t, %y[%c0, %c0] {in_bounds = [true, true]} : vector<32x32xf32>, memref<32x32xf32>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @constant(%y: memref<4xf32>) kernel attributes {cleave.warps = 1 : i64} {
    %c0 = arith.constant 0 : index
    // expected-error @below {{expected a constant tile with one value everywhere}}
    %a = arith.constant dense<[0.0, 1.0, 2.0, 3.0]> : vector<4xf32>
    vector.transfer_write %a, %y[%c0] {in_bounds = [true]} : vector<4xf32>, memref<4xf32>
    gpu.return
  }
}
