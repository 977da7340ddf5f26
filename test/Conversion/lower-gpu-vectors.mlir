// RUN: cleave-opt --pass-pipeline="builtin.module(gpu.module(cleave-lower-gpu-vectors))" %s | FileCheck %s

gpu.module @m {
  // A part of what was put together is the vector that was put in.
  // CHECK-LABEL: gpu.func @parts
  // CHECK-SAME: %[[A:.*]]: vector<2xf16>, %[[B:.*]]: vector<2xf16>
  // CHECK-NOT: vector.shuffle
  // CHECK: vector.store %[[B]]
  gpu.func @parts(%a: vector<2xf16>, %b: vector<2xf16>, %p: memref<2xf16>) {
    %c0 = arith.constant 0 : index
    %tile = vector.shuffle %a, %b [0, 1, 2, 3] : vector<2xf16>, vector<2xf16>
    %part = vector.shuffle %tile, %tile [2, 3] : vector<4xf16>, vector<4xf16>
    vector.store %part, %p[%c0] : memref<2xf16>, vector<2xf16>
    gpu.return
  }

  // Elements that were in several vectors.
  // CHECK-LABEL: gpu.func @transposed
  // CHECK-SAME: %[[A:.*]]: vector<2xf16>, %[[B:.*]]: vector<2xf16>
  // CHECK: %[[A1:.*]] = vector.extract %[[A]][1]
  // CHECK: %[[B1:.*]] = vector.extract %[[B]][1]
  // CHECK-NOT: vector.shuffle
  // CHECK: %[[PART:.*]] = vector.from_elements %[[A1]], %[[B1]] : vector<2xf16>
  // CHECK: vector.store %[[PART]]
  gpu.func @transposed(%a: vector<2xf16>, %b: vector<2xf16>, %p: memref<2xf16>) {
    %c0 = arith.constant 0 : index
    %a0 = vector.extract %a[0] : f16 from vector<2xf16>
    %a1 = vector.extract %a[1] : f16 from vector<2xf16>
    %b0 = vector.extract %b[0] : f16 from vector<2xf16>
    %b1 = vector.extract %b[1] : f16 from vector<2xf16>
    %tile = vector.from_elements %a0, %b0, %a1, %b1 : vector<4xf16>
    %part = vector.shuffle %tile, %tile [2, 3] : vector<4xf16>, vector<4xf16>
    vector.store %part, %p[%c0] : memref<2xf16>, vector<2xf16>
    gpu.return
  }

  // The last number that was put in, and one beside it.
  // CHECK-LABEL: gpu.func @inserted
  // CHECK-SAME: %[[A:.*]]: vector<4xf32>, %[[X:.*]]: f32, %[[Y:.*]]: f32
  // CHECK-NOT: vector.insert
  // CHECK: memref.store %[[Y]]
  // CHECK: %[[A2:.*]] = vector.extract %[[A]][2]
  // CHECK: memref.store %[[A2]]
  gpu.func @inserted(%a: vector<4xf32>, %x: f32, %y: f32, %p: memref<4xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %1 = vector.insert %x, %a[1] : f32 into vector<4xf32>
    %2 = vector.insert %y, %1[1] : f32 into vector<4xf32>
    %3 = vector.extract %2[1] : f32 from vector<4xf32>
    memref.store %3, %p[%c0] : memref<4xf32>
    %4 = vector.extract %2[2] : f32 from vector<4xf32>
    memref.store %4, %p[%c1] : memref<4xf32>
    gpu.return
  }

  // Nobody knows where these were made: one is a block's argument, the other
  // is where only a number that is not known says.
  // CHECK-LABEL: gpu.func @unknown
  // CHECK-SAME: %[[A:.*]]: vector<4xf32>, %[[X:.*]]: f32, %[[I:.*]]: index
  // CHECK: %[[PART:.*]] = vector.shuffle %[[A]], %[[A]] [1, 2]
  // CHECK: vector.store %[[PART]]
  // CHECK: %[[PUT:.*]] = vector.insert %[[X]], %[[A]] [%[[I]]]
  // CHECK: %[[E:.*]] = vector.extract %[[PUT]][1]
  // CHECK: memref.store %[[E]]
  gpu.func @unknown(%a: vector<4xf32>, %x: f32, %i: index, %p: memref<4xf32>) {
    %c0 = arith.constant 0 : index
    %part = vector.shuffle %a, %a [1, 2] : vector<4xf32>, vector<4xf32>
    vector.store %part, %p[%c0] : memref<4xf32>, vector<2xf32>
    %put = vector.insert %x, %a[%i] : f32 into vector<4xf32>
    %e = vector.extract %put[1] : f32 from vector<4xf32>
    memref.store %e, %p[%i] : memref<4xf32>
    gpu.return
  }
}
