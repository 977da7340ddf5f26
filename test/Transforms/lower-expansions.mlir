// RUN: cleave-opt %s --cleave-lower-expansions | FileCheck %s

// CHECK-LABEL: func.func @two_dynamic
// CHECK-SAME: %[[A:.*]]: memref<?x8xf32>, %[[B:.*]]: index, %[[S:.*]]: index
// CHECK: %[[T:.*]] = arith.muli
// CHECK: memref.reinterpret_cast %[[A]] to offset: [0], sizes: [%[[B]], %[[S]], 8], strides: [%[[T]], 8, 1]
func.func @two_dynamic(%a: memref<?x8xf32>, %b: index, %s: index) -> memref<?x?x8xf32> {
  %e = memref.expand_shape %a [[0, 1], [2]] output_shape [%b, %s, 8] : memref<?x8xf32> into memref<?x?x8xf32>
  return %e : memref<?x?x8xf32>
}

// Upstream can do this one.
// CHECK-LABEL: func.func @one_dynamic
// CHECK: memref.expand_shape
func.func @one_dynamic(%a: memref<?x8xf32>, %b: index) -> memref<?x2x4xf32> {
  %e = memref.expand_shape %a [[0], [1, 2]] output_shape [%b, 2, 4] : memref<?x8xf32> into memref<?x2x4xf32>
  return %e : memref<?x2x4xf32>
}
