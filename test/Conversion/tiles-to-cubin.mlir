// The whole way from the scheduled form to machine code.
// RUN: cleave-opt --cleave-tiles-to-gpu %S/Inputs/rmsnorm_linear.mlir | FileCheck %s --check-prefix=NVVM
// RUN: cleave-opt --cleave-tiles-to-cubin="chip=sm_80 format=isa" %S/Inputs/rmsnorm_linear.mlir -o %t.80
// RUN: FileCheck %s --check-prefix=PTX < %t.80
// RUN: %python %S/Inputs/ptxas.py < %t.80 | FileCheck %s --check-prefix=USE
// RUN: cleave-opt --cleave-tiles-to-cubin="chip=sm_90a format=isa" %S/Inputs/rmsnorm_linear.mlir \
// RUN:   | %python %S/Inputs/ptxas.py | FileCheck %s --check-prefix=USE

// Several kernels; equal input gives equal bytes.
// RUN: cleave-opt --cleave-tiles-to-cubin="chip=sm_80 format=isa" %S/Inputs/softmax.mlir \
// RUN:   | %python %S/Inputs/ptxas.py | FileCheck %s --check-prefix=SOFTMAX
// RUN: cleave-opt --cleave-tiles-to-cubin=chip=sm_80 %S/Inputs/softmax.mlir -o %t.1
// RUN: cleave-opt --cleave-tiles-to-cubin=chip=sm_80 %S/Inputs/softmax.mlir -o %t.2
// RUN: cmp %t.1 %t.2

// NVVM-LABEL: func.func @rmsnorm_linear
// NVVM:         gpu.launch_func @rmsnorm_linear_kernels::@rmsnorm_linear_0
// NVVM:       gpu.module @rmsnorm_linear_kernels [#nvvm.target<O = 3, chip = "sm_80", features = "+ptx80">]
// NVVM:         llvm.func @rmsnorm_linear_0(%{{.*}}: i64, %{{.*}}: !llvm.ptr {{{.*}}}, %{{.*}}: i64, %{{.*}}: !llvm.ptr {{{.*}}}, %{{.*}}: !llvm.ptr {{{.*}}}, %{{.*}}: !llvm.ptr {{{.*}}}, %{{.*}}: i64)
// NVVM:           nvvm.mma.sync

// PTX: .entry rmsnorm_linear_0
// PTX: .maxntid 128, 1, 1
// PTX: ld.global.nc.v4.b32
// PTX: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// PTX: rsqrt.approx
// PTX: st.global.v4.b32

// USE: rmsnorm_linear_0: {{.*}} 0 bytes spilled

// SOFTMAX-DAG: softmax_0: {{.*}} 0 bytes spilled
// SOFTMAX-DAG: softmax_1: {{.*}} 0 bytes spilled
