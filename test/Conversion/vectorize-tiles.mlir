// One construct a function: how tiles of all kinds become vectors.
// RUN: cleave-opt --cleave-vectorize-tiles --canonicalize --cse --split-input-file %s | FileCheck %s
// After CSE, unrelated tiles may start from one tensor.empty, also from outside.
// RUN: cleave-opt --cse --cleave-vectorize-tiles --canonicalize --cse --split-input-file %s | FileCheck %s

// A reduction over a part of the tile selects its unit; so does one over a
// size that is no power of two.
// CHECK-LABEL: gpu.func @row_max_0
// CHECK-DAG: %[[NINF:.*]] = arith.constant dense<0xFF800000> : vector<8x32xf32>
// CHECK-DAG: %[[C8:.*]] = arith.constant 8 : index
// CHECK:     %[[TM:.*]] = affine.min
// CHECK:     %[[TK:.*]] = affine.min
// CHECK:     %[[ALL:.*]] = vector.create_mask %[[TM]], %[[TK]] : vector<8x32xi1>
// CHECK:     %[[X:.*]] = vector.transfer_read {{.*}}, %[[ALL]] {{.*}} vector<8x32xf32>
// CHECK:     %[[E:.*]] = math.exp %[[X]]
// CHECK:     %[[COLS:.*]] = vector.create_mask %[[C8]], %[[TK]] : vector<8x32xi1>
// CHECK:     %[[S:.*]] = arith.select %[[COLS]], %[[E]], %[[NINF]]
// CHECK:     vector.multi_reduction <maximumf>, %[[S]], %{{.*}} [1] : vector<8x32xf32> to vector<8xf32>
#tm = affine_map<(d0)[s0] -> (8, -d0 + s0)>
#tk = affine_map<(d0)[s0] -> (24, -d0 + s0)>
func.func @row_max(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c24 = arith.constant 24 : index
  %ninf = arith.constant 0xFF800000 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %k = tensor.dim %x, %c1 : tensor<?x?xf32>
  %y0 = tensor.empty(%m) : tensor<?xf32>
  %y = scf.forall (%i) = (0) to (%m) step (8) shared_outs(%out = %y0) -> (tensor<?xf32>) {
    %t = affine.min #tm(%i)[%m]
    %e = tensor.empty(%t) : tensor<?xf32>
    %f = linalg.fill ins(%ninf : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    %r = scf.for %j = %c0 to %k step %c24 iter_args(%acc = %f) -> (tensor<?xf32>) {
      %tk = affine.min #tk(%j)[%k]
      %xt = tensor.extract_slice %x[%i, %j] [%t, %tk] [1, 1] : tensor<?x?xf32> to tensor<?x?xf32>
      %a = linalg.generic {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m)>], iterator_types = ["parallel", "reduction"]}
          ins(%xt : tensor<?x?xf32>) outs(%acc : tensor<?xf32>) {
      ^bb0(%v: f32, %s: f32):
        %p = math.exp %v : f32
        %q = arith.maximumf %s, %p : f32
        linalg.yield %q : f32
      } -> tensor<?xf32>
      scf.yield %a : tensor<?xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %r into %out[%i] [%t] [1] : tensor<?xf32> into tensor<?xf32>
    }
  } {cleave.warps = 1 : i64}
  return %y : tensor<?xf32>
}

// -----

// Rank 0: a whole reduction, a scalar operand read from memory, and a grid of
// one block. One element is vector<1xf32>, in memory as well.
// CHECK-LABEL: func.func @total
// CHECK:       gpu.launch_func @total_kernels::@total_0 blocks in (%[[C1:.*]], %[[C1]], %[[C1]])
// CHECK-LABEL: gpu.func @total_0
// CHECK:     %[[S0:.*]] = memref.expand_shape %{{.*}} [] output_shape [1] : memref<f32> into memref<1xf32>
// CHECK:     %[[V:.*]] = vector.transfer_read %[[S0]]{{.*}} : memref<1xf32>, vector<1xf32>
// CHECK:     %[[S:.*]] = vector.extract %[[V]][0]
// CHECK:     %[[B:.*]] = vector.broadcast %[[S]] : f32 to vector<16xf32>
// CHECK:     %[[P:.*]] = arith.mulf %{{.*}}, %[[B]]
// CHECK:     %[[P1:.*]] = vector.broadcast %[[P]] : vector<16xf32> to vector<1x16xf32>
// CHECK:     %[[R:.*]] = vector.multi_reduction <add>, %[[P1]], %{{.*}} [1] : vector<1x16xf32> to vector<1xf32>
// CHECK:     vector.transfer_write %[[R]]
func.func @total(%x: tensor<16xf32>, %s: tensor<f32>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %y0 = tensor.empty() : tensor<f32>
  %y = scf.forall (%i) = (0) to (1) step (1) shared_outs(%out = %y0) -> (tensor<f32>) {
    %xt = tensor.extract_slice %x[0] [16] [1] : tensor<16xf32> to tensor<16xf32>
    %e = tensor.empty() : tensor<f32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
    %r = linalg.generic {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> ()>, affine_map<(k) -> ()>], iterator_types = ["reduction"]}
        ins(%xt, %s : tensor<16xf32>, tensor<f32>) outs(%f : tensor<f32>) {
    ^bb0(%v: f32, %t: f32, %a: f32):
      %p = arith.mulf %v, %t : f32
      %q = arith.addf %p, %a : f32
      linalg.yield %q : f32
    } -> tensor<f32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %r into %out[] [] [] : tensor<f32> into tensor<f32>
    }
  }
  return %y : tensor<f32>
}

// -----

// Two kernels: what is between them is allocated, what is returned is not,
// though the second kernel reads the first's other result.
// CHECK-LABEL: func.func @two
// CHECK-SAME:  (%[[X:[^:]*]]: memref<?xf32>, %[[Y:[^:]*]]: memref<?xf32> {cleave.name = "Y", cleave.result = 0 : i64}, %[[Z:[^:]*]]: memref<?xf32> {cleave.result = 1 : i64})
// CHECK:       %[[M:.*]] = memref.dim %[[X]]
// CHECK:       %[[T:.*]] = memref.alloc(%[[M]]) : memref<?xf32>
// CHECK:       gpu.launch_func @two_kernels::@two_0 {{.*}} args({{.*}}%[[X]] : memref<?xf32>, %[[Y]] : memref<?xf32>, %[[T]] : memref<?xf32>)
// CHECK:       gpu.launch_func @two_kernels::@two_1 {{.*}} args({{.*}}%[[Y]] : memref<?xf32>, %[[T]] : memref<?xf32>, %[[Z]] : memref<?xf32>)
#t64 = affine_map<(d0)[s0] -> (64, -d0 + s0)>
#id = affine_map<(m) -> (m)>
func.func @two(%x: tensor<?xf32>) -> (tensor<?xf32> {cleave.name = "Y"}, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?xf32>
  %e0 = tensor.empty(%m) : tensor<?xf32>
  %e1 = tensor.empty(%m) : tensor<?xf32>
  %r:2 = scf.forall (%i) = (0) to (%m) step (64) shared_outs(%o0 = %e0, %o1 = %e1) -> (tensor<?xf32>, tensor<?xf32>) {
    %t = affine.min #t64(%i)[%m]
    %xt = tensor.extract_slice %x[%i] [%t] [1] : tensor<?xf32> to tensor<?xf32>
    %e = tensor.empty(%t) : tensor<?xf32>
    %s:2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
        ins(%xt : tensor<?xf32>) outs(%e, %e : tensor<?xf32>, tensor<?xf32>) {
    ^bb0(%v: f32, %a: f32, %b: f32):
      %p = math.exp %v : f32
      %q = arith.negf %v : f32
      linalg.yield %p, %q : f32, f32
    } -> (tensor<?xf32>, tensor<?xf32>)
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s#0 into %o0[%i] [%t] [1] : tensor<?xf32> into tensor<?xf32>
      tensor.parallel_insert_slice %s#1 into %o1[%i] [%t] [1] : tensor<?xf32> into tensor<?xf32>
    }
  }
  %z = scf.forall (%i) = (0) to (%m) step (64) shared_outs(%o = %e0) -> (tensor<?xf32>) {
    %t = affine.min #t64(%i)[%m]
    %a = tensor.extract_slice %r#0[%i] [%t] [1] : tensor<?xf32> to tensor<?xf32>
    %b = tensor.extract_slice %r#1[%i] [%t] [1] : tensor<?xf32> to tensor<?xf32>
    %e = tensor.empty(%t) : tensor<?xf32>
    %s = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
        ins(%a, %b : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) {
    ^bb0(%v: f32, %w: f32, %u: f32):
      %p = arith.addf %v, %w : f32
      linalg.yield %p : f32
    } -> tensor<?xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%i] [%t] [1] : tensor<?xf32> into tensor<?xf32>
    }
  }
  return %r#0, %z : tensor<?xf32>, tensor<?xf32>
}

// -----

// Transposed operands and a single row: dead rows fill the tile up to the
// tensor core's 16. The operands' dead part along k is zero.
// CHECK-LABEL: gpu.func @row_by_matrix_0
// CHECK-DAG: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<16x32xf16>
// CHECK:     %[[M0:.*]] = vector.constant_mask [1, 20] : vector<16x32xi1>
// CHECK:     vector.transfer_read {{.*}}, %[[M0]] {{.*}} : memref<1x20xf16>, vector<16x32xf16>
// CHECK:     %[[M1:.*]] = vector.constant_mask [64, 20] : vector<64x32xi1>
// CHECK:     %[[W:.*]] = vector.transfer_read {{.*}}, %[[M1]] {{.*}} : memref<4096x20xf16>, vector<64x32xf16>
// CHECK:     %[[E:.*]] = arith.negf
// CHECK:     %[[M2:.*]] = vector.constant_mask [16, 20] : vector<16x32xi1>
// CHECK:     %[[S:.*]] = arith.select %[[M2]], %[[E]], %[[ZERO]]
// CHECK:     vector.contract {{.*}} %[[S]], %[[W]], %{{.*}} : vector<16x32xf16>, vector<64x32xf16> into vector<16x64xf32>
func.func @row_by_matrix(%x: tensor<1x20xf16>, %w: tensor<4096x20xf16>) -> tensor<1x4096xf32> {
  %zero = arith.constant 0.0 : f32
  %y0 = tensor.empty() : tensor<1x4096xf32>
  %y = scf.forall (%j) = (0) to (4096) step (64) shared_outs(%out = %y0) -> (tensor<1x4096xf32>) {
    %xt = tensor.extract_slice %x[0, 0] [1, 20] [1, 1] : tensor<1x20xf16> to tensor<1x20xf16>
    %wt = tensor.extract_slice %w[%j, 0] [64, 20] [1, 1] : tensor<4096x20xf16> to tensor<64x20xf16>
    %eh = tensor.empty() : tensor<1x20xf16>
    %xn = linalg.generic {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m, k)>], iterator_types = ["parallel", "parallel"]}
        ins(%xt : tensor<1x20xf16>) outs(%eh : tensor<1x20xf16>) {
    ^bb0(%a: f16, %u: f16):
      %t = arith.negf %a : f16
      linalg.yield %t : f16
    } -> tensor<1x20xf16>
    %e = tensor.empty() : tensor<1x64xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x64xf32>) -> tensor<1x64xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                         iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%xn, %wt : tensor<1x20xf16>, tensor<64x20xf16>) outs(%f : tensor<1x64xf32>) {
    ^bb0(%a: f16, %b: f16, %s: f32):
      %af = arith.extf %a : f16 to f32
      %bf = arith.extf %b : f16 to f32
      %p = arith.mulf %af, %bf : f32
      %t = arith.addf %s, %p : f32
      linalg.yield %t : f32
    } -> tensor<1x64xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %r into %out[0, %j] [1, 64] [1, 1] : tensor<1x64xf32> into tensor<1x4096xf32>
    }
  }
  return %y : tensor<1x4096xf32>
}

// -----

// A batch dimension of size 1 is no vector dimension, whether the slice drops
// it or not; a matrix by a vector is a reduction.
// CHECK-LABEL: gpu.func @batched_0
// CHECK: %[[A:.*]] = vector.transfer_read {{.*}} : memref<4x32x64xf32>, vector<32x64xf32>
// CHECK: %[[B:.*]] = vector.transfer_read {{.*}} permutation_map = #{{.*}}} : memref<64x4xf32>, vector<64xf32>
// CHECK: %[[BB:.*]] = vector.broadcast %[[B]] : vector<64xf32> to vector<32x64xf32>
// CHECK: %[[P:.*]] = arith.mulf %[[A]], %[[BB]]
// CHECK: %[[R:.*]] = vector.multi_reduction <add>, %[[P]], %{{.*}} [1] : vector<32x64xf32> to vector<32xf32>
// CHECK: vector.transfer_write %[[R]], {{.*}} : vector<32xf32>, memref<4x32xf32>
func.func @batched(%x: tensor<4x32x64xf32>, %v: tensor<64x4xf32>) -> tensor<4x32xf32> {
  %zero = arith.constant 0.0 : f32
  %y0 = tensor.empty() : tensor<4x32xf32>
  %y = scf.forall (%b) = (0) to (4) step (1) shared_outs(%out = %y0) -> (tensor<4x32xf32>) {
    %xt = tensor.extract_slice %x[%b, 0, 0] [1, 32, 64] [1, 1, 1] : tensor<4x32x64xf32> to tensor<1x32x64xf32>
    %vt = tensor.extract_slice %v[0, %b] [64, 1] [1, 1] : tensor<64x4xf32> to tensor<64xf32>
    %e = tensor.empty() : tensor<1x32xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x32xf32>) -> tensor<1x32xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(b, m, k) -> (b, m, k)>, affine_map<(b, m, k) -> (k)>, affine_map<(b, m, k) -> (b, m)>],
                         iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%xt, %vt : tensor<1x32x64xf32>, tensor<64xf32>) outs(%f : tensor<1x32xf32>) {
    ^bb0(%a: f32, %c: f32, %s: f32):
      %p = arith.mulf %a, %c : f32
      %t = arith.addf %s, %p : f32
      linalg.yield %t : f32
    } -> tensor<1x32xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %r into %out[%b, 0] [1, 32] [1, 1] : tensor<1x32xf32> into tensor<4x32xf32>
    }
  }
  return %y : tensor<4x32xf32>
}

// -----

// Extents of 0, scalars computed from extents, casts that canonicalisation
// leaves behind, and positions.
// CHECK-LABEL: func.func @positions
// CHECK:       %[[N:.*]] = memref.dim
// CHECK:       gpu.launch_func @positions_kernels::@positions_0 blocks in (%c0, %{{.*}}, %{{.*}}) {{.*}} args({{.*}}%[[N]] : index
// CHECK-LABEL: gpu.func @positions_0
// CHECK-SAME:  %[[KN:[^:, ]*]]: index
// CHECK:       %[[I:.*]] = arith.index_cast %[[KN]] : index to i64
// CHECK:       %[[F:.*]] = arith.sitofp %[[I]] : i64 to f32
// CHECK:       vector.step : vector<16xindex>
// CHECK:       vector.broadcast %[[F]] : f32 to vector<16xf32>
func.func @positions(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %ni = arith.index_cast %n : index to i64
  %nf = arith.sitofp %ni : i64 to f32
  %y0 = tensor.empty() : tensor<0xf32>
  %y = scf.forall (%i) = (0) to (0) step (16) shared_outs(%out = %y0) -> (tensor<0xf32>) {
    %xt = tensor.extract_slice %x[%i] [16] [1] : tensor<?xf32> to tensor<16xf32>
    %xc = tensor.cast %xt : tensor<16xf32> to tensor<?xf32>
    %c16 = arith.constant 16 : index
    %e = tensor.empty(%c16) : tensor<?xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(m) -> (m)>, affine_map<(m) -> (m)>], iterator_types = ["parallel"]}
        ins(%xc : tensor<?xf32>) outs(%e : tensor<?xf32>) {
    ^bb0(%v: f32, %u: f32):
      %p = linalg.index 0 : index
      %q = arith.index_cast %p : index to i64
      %s = arith.sitofp %q : i64 to f32
      %t = arith.addf %v, %s : f32
      %w = arith.mulf %t, %nf : f32
      linalg.yield %w : f32
    } -> tensor<?xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %r into %out[%i] [%c16] [1] : tensor<?xf32> into tensor<0xf32>
    }
  }
  %z = tensor.cast %y : tensor<0xf32> to tensor<?xf32>
  return %z : tensor<?xf32>
}

// -----

// A product of f32 whose tile has one row: nothing is padded for tensor cores,
// so no row dimension is left and it is a reduction.
// CHECK-LABEL: gpu.func @f32_row_0
// CHECK-NOT:   vector.contract
// CHECK:       vector.multi_reduction <add>, %{{.*}}, %{{.*}} [1] : vector<8x16xf32> to vector<8xf32>
func.func @f32_row(%x: tensor<4x16xf32>, %w: tensor<8x16xf32>) -> tensor<4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %y0 = tensor.empty() : tensor<4x8xf32>
  %y = scf.forall (%i) = (0) to (4) step (1) shared_outs(%out = %y0) -> (tensor<4x8xf32>) {
    %xt = tensor.extract_slice %x[%i, 0] [1, 16] [1, 1] : tensor<4x16xf32> to tensor<1x16xf32>
    %wt = tensor.extract_slice %w[0, 0] [8, 16] [1, 1] : tensor<8x16xf32> to tensor<8x16xf32>
    %e = tensor.empty() : tensor<1x8xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x8xf32>) -> tensor<1x8xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                         iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%xt, %wt : tensor<1x16xf32>, tensor<8x16xf32>) outs(%f : tensor<1x8xf32>) {
    ^bb0(%a: f32, %b: f32, %s: f32):
      %p = arith.mulf %a, %b : f32
      %t = arith.addf %s, %p : f32
      linalg.yield %t : f32
    } -> tensor<1x8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %r into %out[%i, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<4x8xf32>
    }
  }
  return %y : tensor<4x8xf32>
}

// -----

// Blocks along the first dimension start from its end, along the second from
// its beginning.
// CHECK-LABEL: gpu.func @backwards_0
// CHECK:       %[[I:.*]] = arith.divui
// CHECK:       %[[LAST:.*]] = arith.subi %{{.*}}, %c1
// CHECK:       %[[AT:.*]] = arith.subi %[[LAST]]
// CHECK:       %[[ROW:.*]] = arith.muli %[[AT]], %c16
// CHECK:       vector.transfer_read %{{.*}}[%[[ROW]],
func.func @backwards(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %y0 = tensor.empty(%m, %n) : tensor<?x?xf32>
  %y = scf.forall (%i, %j) = (0, 0) to (%m, %n) step (16, 16) shared_outs(%out = %y0) -> (tensor<?x?xf32>) {
    %tm = affine.min affine_map<(d0)[s0] -> (16, s0 - d0)>(%i)[%m]
    %tn = affine.min affine_map<(d0)[s0] -> (16, s0 - d0)>(%j)[%n]
    %xt = tensor.extract_slice %x[%i, %j] [%tm, %tn] [1, 1] : tensor<?x?xf32> to tensor<?x?xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %xt into %out[%i, %j] [%tm, %tn] [1, 1] : tensor<?x?xf32> into tensor<?x?xf32>
    }
  } {cleave.backwards = array<i64: 0>}
  return %y : tensor<?x?xf32>
}

// -----

// Functions without kernels are left alone.
// CHECK-LABEL: func.func @none(%{{.*}}: tensor<4xf32>) -> tensor<4xf32>
func.func @none(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// Extents choose kernels, which are called by the condition. Buffers between
// kernels are the branch's own; what two branches share is one kernel.
// CHECK-LABEL: func.func @branches
// CHECK-SAME: (%[[X:.*]]: memref<64xf32>, %[[D:.*]]: memref<?xf32>, %[[OUT:.*]]: memref<64xf32> {cleave.result = 0 : i64})
// CHECK-NOT: memref.alloc
// CHECK: scf.if
// CHECK-NEXT: gpu.launch_func @branches_kernels::@branches_M_upto_7_0 {{.*}} args(%[[X]] : memref<64xf32>, %[[OUT]] : memref<64xf32>)
// CHECK-NEXT: } else {
// CHECK-NEXT: %[[T:.*]] = memref.alloc
// CHECK-NEXT: gpu.launch_func @branches_kernels::@branches_M_upto_7_0 {{.*}} args(%[[X]] : memref<64xf32>, %[[T]] : memref<64xf32>)
// CHECK-NEXT: gpu.launch_func @branches_kernels::@branches_1 {{.*}} args(%[[T]] : memref<64xf32>, %[[OUT]] : memref<64xf32>)
// CHECK-NEXT: } {cleave.when = "M upto 7"}
// CHECK-NEXT: return
// CHECK: gpu.func @branches_M_upto_7_0
// CHECK-NOT: gpu.func @branches_0
// CHECK: gpu.func @branches_1
func.func @branches(%x: tensor<64xf32>, %d: tensor<?xf32>) -> tensor<64xf32> {
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : index
  %m = tensor.dim %d, %c0 : tensor<?xf32>
  %small = arith.cmpi sle, %m, %c7 : index
  %y = scf.if %small -> tensor<64xf32> {
    %ea = tensor.empty() : tensor<64xf32>
    %a = scf.forall (%i) = (0) to (64) step (8) shared_outs(%out = %ea) -> (tensor<64xf32>) {
      %xt = tensor.extract_slice %x[%i] [8] [1] : tensor<64xf32> to tensor<8xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %xt into %out[%i] [8] [1] : tensor<8xf32> into tensor<64xf32>
      }
    } {cleave.warps = 1 : i64}
    scf.yield %a : tensor<64xf32>
  } else {
    %eb = tensor.empty() : tensor<64xf32>
    %b = scf.forall (%i) = (0) to (64) step (8) shared_outs(%out = %eb) -> (tensor<64xf32>) {
      %xt = tensor.extract_slice %x[%i] [8] [1] : tensor<64xf32> to tensor<8xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %xt into %out[%i] [8] [1] : tensor<8xf32> into tensor<64xf32>
      }
    } {cleave.warps = 1 : i64}
    %ec = tensor.empty() : tensor<64xf32>
    %c = scf.forall (%i) = (0) to (64) step (16) shared_outs(%out = %ec) -> (tensor<64xf32>) {
      %xt = tensor.extract_slice %b[%i] [16] [1] : tensor<64xf32> to tensor<16xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %xt into %out[%i] [16] [1] : tensor<16xf32> into tensor<64xf32>
      }
    } {cleave.warps = 1 : i64}
    scf.yield %c : tensor<64xf32>
  } {cleave.when = "M upto 7"}
  return %y : tensor<64xf32>
}
