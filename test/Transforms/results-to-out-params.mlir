// RUN: cleave-opt %s --cleave-results-to-out-params --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func @two
// CHECK-SAME: (%[[X:.*]]: tensor<?xf32>, %[[A:.*]]: memref<?xf32> {cleave.name = "A", cleave.result = 0 : i64}, %[[B:.*]]: memref<4xf32> {cleave.result = 1 : i64}) {
// CHECK: bufferization.materialize_in_destination %[[X]] in restrict writable %[[A]]
// CHECK: bufferization.materialize_in_destination %{{.*}} in restrict writable %[[B]]
// CHECK: return{{$}}
func.func @two(%x: tensor<?xf32>) -> (tensor<?xf32> {cleave.name = "A"}, tensor<4xf32>) {
  %y = tensor.empty() : tensor<4xf32>
  return %x, %y : tensor<?xf32>, tensor<4xf32>
}

// -----

// expected-error@+1 {{expected results to be plain ranked tensors but got 'f32'}}
func.func @scalar(%x: f32) -> f32 {
  return %x : f32
}
