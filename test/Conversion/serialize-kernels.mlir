// RUN: cleave-opt --cleave-attach-target=chip=sm_80 --cleave-serialize-kernels=format=isa %s | FileCheck %s --check-prefix=PTX
// Equal input, equal bytes.
// RUN: cleave-opt --cleave-attach-target=chip=sm_80 --cleave-serialize-kernels %s -o %t.1
// RUN: cleave-opt --cleave-attach-target=chip=sm_80 --cleave-serialize-kernels %s -o %t.2
// RUN: cmp %t.1 %t.2
// RUN: FileCheck %s --check-prefix=BIN < %t.1
// RUN: cleave-opt --cleave-attach-target=chip=sm_90a --cleave-serialize-kernels %s | FileCheck %s --check-prefix=HOPPER

// A chip or format that LLVM would abort on, no target, and no ptxas.
// RUN: not cleave-opt --cleave-attach-target=chip=sm_70 %s 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not cleave-opt --cleave-attach-target --cleave-serialize-kernels=format=zip %s 2>&1 | FileCheck %s --check-prefix=FORMAT
// RUN: not cleave-opt --cleave-serialize-kernels %s 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: env CUDA_HOME=/nonexistent CUDA_ROOT=/nonexistent CUDA_PATH=/nonexistent PATH= not cleave-opt --cleave-attach-target --cleave-serialize-kernels %s

// PTX: gpu.binary @k
// PTX-NOT: TimeInMs
// PTX: .version 8.0
// PTX: .target sm_80
// PTX: .entry f_0
// BIN: gpu.binary @k
// BIN-SAME: chip = "sm_80"
// BIN-SAME: bin = "\7FELF
// HOPPER: chip = "sm_90a"
// HOPPER-SAME: bin = "\7FELF
// CHIP: error: expected chip to be sm_80 or sm_90a but got 'sm_70'
// FORMAT: error: expected format to be bin, isa, fatbin or llvm but got 'zip'
// TARGET: error: expected a target on the module

module attributes {gpu.container_module} {
  gpu.module @k {
    llvm.func @f_0(%p: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} {
      %c = llvm.mlir.constant(1.0 : f32) : f32
      llvm.store %c, %p : f32, !llvm.ptr
      llvm.return
    }
  }
}
