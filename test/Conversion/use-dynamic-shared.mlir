// RUN: cleave-opt --cleave-use-dynamic-shared %s | FileCheck %s

module attributes {gpu.container_module} {
  // CHECK-LABEL: func.func @host
  // CHECK:         %[[BYTES:.*]] = arith.constant 65536 : i32
  // CHECK:         gpu.launch_func @kernels::@large {{.*}} dynamic_shared_memory_size %[[BYTES]]
  // CHECK:         gpu.launch_func @kernels::@large {{.*}} dynamic_shared_memory_size
  // CHECK:         gpu.launch_func @kernels::@small
  // CHECK-NOT:     dynamic_shared_memory_size
  // CHECK:       gpu.module
  func.func @host() {
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernels::@large blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    gpu.launch_func @kernels::@large blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    gpu.launch_func @kernels::@small blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    return
  }

  gpu.module @kernels {
    // CHECK: llvm.mlir.global external @of_large() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x i8>
    // CHECK: llvm.mlir.global internal @of_small() {{.*}} : !llvm.array<49152 x i8>
    llvm.mlir.global internal @of_large() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<65536 x i8>
    llvm.mlir.global internal @of_small() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<49152 x i8>
    // Three blocks of this size; registers leave two of them all they can have.
    // CHECK: llvm.func @large() attributes {{{.*}}nvvm.minctasm = 2 : i32
    llvm.func @large() attributes {gpu.kernel, nvvm.maxntid = array<i32: 128, 1, 1>} {
      %s = llvm.mlir.addressof @of_large : !llvm.ptr<3>
      llvm.return
    }
    // CHECK: llvm.func @small() attributes
    // CHECK-NOT: minctasm
    llvm.func @small() attributes {gpu.kernel} {
      %s = llvm.mlir.addressof @of_small : !llvm.ptr<3>
      llvm.return
    }
  }
}
