// The calling convention that the launcher marshals by: a pointer and the
// dynamic sizes a memref, in the order of the launch's operands.
// RUN: cleave-opt --pass-pipeline="builtin.module(gpu.module(convert-gpu-to-nvvm),cleave-flatten-kernel-params,canonicalize)" \
// RUN:   --split-input-file --verify-diagnostics %s | FileCheck %s

module attributes {gpu.container_module} {
  func.func @f(%a: memref<?x64xf16>, %n: index, %b: memref<8x?x?xf16>, %c: memref<f16>) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @k::@f_0 blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%a : memref<?x64xf16>, %n : index, %b : memref<8x?x?xf16>, %c : memref<f16>)
    return
  }
  gpu.module @k {
    // CHECK-LABEL: llvm.func @f_0
    // CHECK-SAME: (%[[A:[^:]*]]: !llvm.ptr {llvm.align = 16 : i64, llvm.noalias}, %[[A0:[^:]*]]: i64, %[[N:[^:]*]]: i64, %[[B:[^:]*]]: !llvm.ptr {llvm.align = 16 : i64, llvm.noalias}, %[[B1:[^:]*]]: i64, %[[B2:[^:]*]]: i64, %[[C:[^:]*]]: !llvm.ptr {{.*}})
    // CHECK: %[[PLANE:.*]] = llvm.mul %[[B2]], %[[B1]]
    // CHECK: llvm.mul %[[N]], %[[PLANE]]
    // CHECK: llvm.mul %[[A0]], %[[B2]]
    // CHECK: llvm.getelementptr {{.*}}%[[B]]
    // CHECK: llvm.store %{{.*}}, %[[C]]
    gpu.func @f_0(%a: memref<?x64xf16>, %n: index, %b: memref<8x?x?xf16>, %c: memref<f16>) kernel {
      %c0 = arith.constant 0 : index
      %d = memref.dim %a, %c0 : memref<?x64xf16>
      %v = memref.load %b[%n, %d, %c0] : memref<8x?x?xf16>
      memref.store %v, %c[] : memref<f16>
      gpu.return
    }
  }
}

// -----

// Of blocks that wait for each other, others read what one writes.
module attributes {gpu.container_module} {
  func.func @f(%a: memref<4xf32>, %b: memref<4xf32>) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @k::@f_0 blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%a : memref<4xf32>, %b : memref<4xf32>)
    return
  }
  gpu.module @k {
    // CHECK-LABEL: llvm.func @f_0
    // CHECK-SAME: (%{{.*}}: !llvm.ptr {llvm.align = 16 : i64, llvm.noalias}, %{{.*}}: !llvm.ptr {llvm.align = 16 : i64})
    gpu.func @f_0(%a: memref<4xf32>, %b: memref<4xf32>) kernel {
      %c1 = arith.constant 1 : index
      %v = memref.load %a[%c1] : memref<4xf32>
      memref.store %v, %b[%c1] : memref<4xf32>
      llvm.fence syncscope("device") acq_rel
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  func.func @f(%a: memref<?xf16, strided<[2]>>) {
    %c1 = arith.constant 1 : index
    // expected-error @below {{expected memrefs of identity layout but got 'memref<?xf16, strided<[2]>>'}}
    gpu.launch_func @k::@f_0 blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%a : memref<?xf16, strided<[2]>>)
    return
  }
  gpu.module @k {
    gpu.func @f_0(%a: memref<?xf16, strided<[2]>>) kernel {
      gpu.return
    }
  }
}
