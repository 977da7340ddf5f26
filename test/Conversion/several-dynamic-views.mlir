// A dimension that becomes several dynamic ones: their sizes are those that the
// expansion was made with, given to the kernel; upstream cannot lower more than
// one of them, so that the strides are written down.
// RUN: cleave-opt %s -split-input-file --cleave-vectorize-tiles | FileCheck %s
// RUN: cleave-opt %s -split-input-file --cleave-tiles-to-gpu | FileCheck %s --check-prefix=NVVM

#two = affine_map<(d0, d1) -> (d0, d1)>
#three = affine_map<(d0, d1, d2) -> (d0, d1, d2)>

// CHECK-LABEL: func.func @expanded
// CHECK:       %[[B:.*]] = memref.dim %arg0
// CHECK:       %[[S:.*]] = memref.dim %arg0
// CHECK:       gpu.launch_func  @expanded_kernels::@expanded_1 {{.*}}%[[B]] : index, %[[S]] : index
// CHECK-LABEL: gpu.func @expanded_1
// CHECK-SAME:  %[[M:[a-z0-9]+]]: memref<?x8xf32>, %[[KB:[a-z0-9]+]]: index, %[[KS:[a-z0-9]+]]: index
// CHECK:       %[[T:.*]] = affine.apply {{.*}}[%[[KS]]]
// CHECK:       memref.reinterpret_cast %[[M]] to offset: [0], sizes: [%[[KB]], %[[KS]], 8], strides: [%[[T]], 8, 1]
// NVVM: llvm.func @expanded_1
func.func @expanded(%x: tensor<?x?x8xf32>) -> tensor<?x?x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tensor.dim %x, %c0 : tensor<?x?x8xf32>
  %s = tensor.dim %x, %c1 : tensor<?x?x8xf32>
  %m = affine.apply affine_map<()[s0, s1] -> (s0 * s1)>()[%b, %s]
  %flat = tensor.collapse_shape %x [[0, 1], [2]] : tensor<?x?x8xf32> into tensor<?x8xf32>
  %h0 = tensor.empty(%m) : tensor<?x8xf32>
  %h = scf.forall (%i) in (%m) shared_outs(%o = %h0) -> (tensor<?x8xf32>) {
    %t = tensor.extract_slice %flat[%i, 0] [1, 8] [1, 1] : tensor<?x8xf32> to tensor<1x8xf32>
    %e = tensor.empty() : tensor<1x8xf32>
    %r = linalg.generic {indexing_maps = [#two, #two], iterator_types = ["parallel", "parallel"]}
        ins(%t : tensor<1x8xf32>) outs(%e : tensor<1x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %n = arith.negf %in : f32
      linalg.yield %n : f32
    } -> tensor<1x8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %r into %o[%i, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<?x8xf32>
    }
  }
  %v = tensor.expand_shape %h [[0, 1], [2]] output_shape [%b, %s, 8] : tensor<?x8xf32> into tensor<?x?x8xf32>
  %y0 = tensor.empty(%b, %s) : tensor<?x?x8xf32>
  %y = scf.forall (%i, %j) in (%b, %s) shared_outs(%o = %y0) -> (tensor<?x?x8xf32>) {
    %t = tensor.extract_slice %v[%i, %j, 0] [1, 1, 8] [1, 1, 1] : tensor<?x?x8xf32> to tensor<1x1x8xf32>
    %e = tensor.empty() : tensor<1x1x8xf32>
    %r = linalg.generic {indexing_maps = [#three, #three], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%t : tensor<1x1x8xf32>) outs(%e : tensor<1x1x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %n = arith.negf %in : f32
      linalg.yield %n : f32
    } -> tensor<1x1x8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %r into %o[%i, %j, 0] [1, 1, 8] [1, 1, 1] : tensor<1x1x8xf32> into tensor<?x?x8xf32>
    }
  }
  return %y : tensor<?x?x8xf32>
}

// -----

#three = affine_map<(d0, d1, d2) -> (d0, d1, d2)>

// A kernel's result that is returned collapsed has the sizes of its own.
// CHECK-LABEL: gpu.func @returned_0
// CHECK:       memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [%{{.*}}, %{{.*}}, 8]
// NVVM: llvm.func @returned_0
func.func @returned(%x: tensor<?x?x8xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tensor.dim %x, %c0 : tensor<?x?x8xf32>
  %s = tensor.dim %x, %c1 : tensor<?x?x8xf32>
  %y0 = tensor.empty(%b, %s) : tensor<?x?x8xf32>
  %y = scf.forall (%i, %j) in (%b, %s) shared_outs(%o = %y0) -> (tensor<?x?x8xf32>) {
    %t = tensor.extract_slice %x[%i, %j, 0] [1, 1, 8] [1, 1, 1] : tensor<?x?x8xf32> to tensor<1x1x8xf32>
    %e = tensor.empty() : tensor<1x1x8xf32>
    %r = linalg.generic {indexing_maps = [#three, #three], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%t : tensor<1x1x8xf32>) outs(%e : tensor<1x1x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %n = arith.negf %in : f32
      linalg.yield %n : f32
    } -> tensor<1x1x8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %r into %o[%i, %j, 0] [1, 1, 8] [1, 1, 1] : tensor<1x1x8xf32> into tensor<?x?x8xf32>
    }
  }
  %v = tensor.collapse_shape %y [[0, 1], [2]] : tensor<?x?x8xf32> into tensor<?x8xf32>
  return %v : tensor<?x8xf32>
}
