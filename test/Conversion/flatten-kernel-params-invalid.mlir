// RUN: cleave-opt --cleave-flatten-kernel-params --verify-diagnostics %s

module attributes {gpu.container_module} {
  gpu.module @k {
    llvm.func @f_0(%p: !llvm.ptr) attributes {gpu.kernel} {
      %v = llvm.load %p : !llvm.ptr -> vector<2xf32>
      %w = llvm.load %p : !llvm.ptr -> vector<4xf32>
      // expected-error @below {{expected kernels to be lowered to LLVM but got 'vector.insert_strided_slice'}}
      %u = vector.insert_strided_slice %v, %w {offsets = [1], strides = [1]} : vector<2xf32> into vector<4xf32>
      llvm.store %u, %p : vector<4xf32>, !llvm.ptr
      llvm.return
    }
  }
}
