// RUN: cleave-opt --cleave-split-kernels %s | FileCheck %s

// The third kernel is the first one, the second one has a module of its own.
// CHECK: gpu.module @k [#nvvm.target]
// CHECK-NEXT: gpu.func @f_0
// CHECK-NOT: gpu.func
// CHECK: gpu.module @[[OTHER:k_.*]] [#nvvm.target]
// CHECK-NEXT: gpu.func @f_1
// CHECK-NOT: gpu.func
// CHECK: func.func @host
// CHECK: gpu.launch_func @k::@f_0
// CHECK: gpu.launch_func @[[OTHER]]::@f_1
// CHECK: gpu.launch_func @k::@f_0

// What kernels share keeps them together.
// CHECK: gpu.module @shared
// CHECK: gpu.func @g_0
// CHECK: gpu.func @g_1

module attributes {gpu.container_module} {
  gpu.module @k [#nvvm.target] {
    gpu.func @f_0(%p: memref<8xf32>) kernel {
      %i = gpu.thread_id x
      %c = arith.constant 1.0 : f32
      memref.store %c, %p[%i] : memref<8xf32>
      gpu.return
    }
    gpu.func @f_1(%p: memref<8xf32>) kernel {
      %i = gpu.thread_id x
      %c = arith.constant 2.0 : f32
      memref.store %c, %p[%i] : memref<8xf32>
      gpu.return
    }
    gpu.func @f_2(%p: memref<8xf32>) kernel {
      %i = gpu.thread_id x
      %c = arith.constant 1.0 : f32
      memref.store %c, %p[%i] : memref<8xf32>
      gpu.return
    }
  }
  func.func @host(%p: memref<8xf32>) {
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    gpu.launch_func @k::@f_0 blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1) args(%p : memref<8xf32>)
    gpu.launch_func @k::@f_1 blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1) args(%p : memref<8xf32>)
    gpu.launch_func @k::@f_2 blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1) args(%p : memref<8xf32>)
    return
  }
  gpu.module @shared [#nvvm.target] {
    memref.global "private" @table : memref<8xf32>
    gpu.func @g_0() kernel {
      gpu.return
    }
    gpu.func @g_1() kernel {
      gpu.return
    }
  }
}
