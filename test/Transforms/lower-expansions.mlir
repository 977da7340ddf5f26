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

// By the strides this might be the first dimension, by the sizes not.
// CHECK-LABEL: func.func @second_unit
// CHECK: %[[S:.*]] = memref.subview %{{.*}} : memref<?x10x3x?xf32> to memref<1x10x1x?xf32
// CHECK: %{{.*}}, %[[OFFSET:.*]], %[[SIZES:.*]]:4, %[[STRIDES:.*]]:4 = memref.extract_strided_metadata %[[S]]
// CHECK: memref.reinterpret_cast %{{.*}} to offset: [%[[OFFSET]]], sizes: [1, 10, %[[SIZES]]#3], strides: [%[[STRIDES]]#0, %[[STRIDES]]#1, 1]
func.func @second_unit(%a: memref<?x10x3x?xf32>, %i: index, %n: index) -> memref<1x10x?xf32, strided<[?, ?, 1], offset: ?>> {
  %s = memref.subview %a[%i, 0, %i, 0] [1, 10, 1, %n] [1, 1, 1, 1] : memref<?x10x3x?xf32> to memref<1x10x?xf32, strided<[?, ?, 1], offset: ?>>
  return %s : memref<1x10x?xf32, strided<[?, ?, 1], offset: ?>>
}

// Upstream takes the same one.
// CHECK-LABEL: func.func @first_unit
// CHECK-NOT: memref.reinterpret_cast
func.func @first_unit(%a: memref<?x10x3x?xf32>, %i: index, %n: index) -> memref<10x1x?xf32, strided<[?, ?, 1], offset: ?>> {
  %s = memref.subview %a[%i, 0, %i, 0] [1, 10, 1, %n] [1, 1, 1, 1] : memref<?x10x3x?xf32> to memref<10x1x?xf32, strided<[?, ?, 1], offset: ?>>
  return %s : memref<10x1x?xf32, strided<[?, ?, 1], offset: ?>>
}
