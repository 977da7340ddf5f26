// RUN: cleave-opt %s --cleave-results-to-out-params --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func @two
// CHECK-SAME: (%[[X:.*]]: tensor<?xf32> {bufferization.writable = false}, %[[A:.*]]: memref<?xf32> {cleave.name = "A", cleave.result = 0 : i64}, %[[B:.*]]: memref<4xf32> {cleave.result = 1 : i64}) {
// CHECK: bufferization.materialize_in_destination %[[X]] in restrict writable %[[A]]
// CHECK: bufferization.materialize_in_destination %{{.*}} in restrict writable %[[B]]
// CHECK: return{{$}}
func.func @two(%x: tensor<?xf32>) -> (tensor<?xf32> {cleave.name = "A"}, tensor<4xf32>) {
  %y = tensor.empty() : tensor<4xf32>
  return %x, %y : tensor<?xf32>, tensor<4xf32>
}

// -----

// Each branch writes what it yields.
// CHECK-LABEL: func @branches
// CHECK-SAME: (%[[X:.*]]: tensor<?xf32> {{.*}}, %[[Y:.*]]: tensor<?xf32> {{.*}}, %{{.*}}: i1, %[[OUT:.*]]: memref<?xf32>
// CHECK: scf.if %{{[^ ]*}} {
// CHECK-NEXT: bufferization.materialize_in_destination %[[X]] in restrict writable %[[OUT]]
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.if %{{[^ ]*}} {
// CHECK-NEXT: bufferization.materialize_in_destination %[[Y]] in restrict writable %[[OUT]]
// CHECK-NEXT: } else {
// CHECK-NEXT: bufferization.materialize_in_destination %[[X]] in restrict writable %[[OUT]]
// CHECK-NEXT: } {cleave.when = "inner"}
// CHECK-NEXT: }
// CHECK-NEXT: return{{$}}
func.func @branches(%x: tensor<?xf32>, %y: tensor<?xf32>, %c: i1) -> tensor<?xf32> {
  %a = scf.if %c -> tensor<?xf32> {
    scf.yield %x : tensor<?xf32>
  } else {
    %b = scf.if %c -> tensor<?xf32> {
      scf.yield %y : tensor<?xf32>
    } else {
      scf.yield %x : tensor<?xf32>
    } {cleave.when = "inner"}
    scf.yield %b : tensor<?xf32>
  }
  return %a : tensor<?xf32>
}

// -----

// expected-error@+1 {{expected results to be plain ranked tensors but got 'f32'}}
func.func @scalar(%x: f32) -> f32 {
  return %x : f32
}
