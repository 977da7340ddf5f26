// Compiled once, here or before: the launches follow from the run-time extent.
// A kernel without blocks is not launched.

// RUN: cleave-run %s --device=cuda --chip=sm_80 --dry-run --bind 'M=40;M=1;M=0' | FileCheck %s
// RUN: cleave-opt %s --cleave-to-cubin=chip=sm_90a -o %t.mlir
// RUN: cleave-run %t.mlir --source %s --device=cuda --dry-run --bind 'M=40;M=1;M=0' | FileCheck %s
// CHECK: launches[K=64,M=40,N=64]: 1
// CHECK-NEXT: f_0 grid [[#BLOCKS:]]x1x1 block [[#THREADS:]]x1x1 shared
// CHECK: launches[K=64,M=1,N=64]: 1
// CHECK-NEXT: f_0 grid {{[0-9]+}}x1x1 block [[#THREADS]]x1x1
// CHECK: launches[K=64,M=0,N=64]: 0
// CHECK-NOT: grid

// With --json the program for another launcher: extents of any size, since no
// data are made.
// RUN: cleave-run %t.mlir --source %s --device=cuda --dry-run --bind 'M=1000000000;M=0' --json %t.json
// RUN: FileCheck %s --check-prefix=PROGRAM --input-file %t.json
// PROGRAM: {"entry":"f","modules":{"f_kernels":"f0VMRg{{[^"]*}}"},"runs":
// PROGRAM-SAME: {"arguments":[{"name":"arg0","shape":[1000000000,64],"type":"f16"},
// PROGRAM-SAME: "bind":{"K":64,"M":1000000000,"N":64}
// PROGRAM-SAME: "launches":[{"block":[{{.*}}],"grid":[{{.*}}],"kernel":"f_0","module":"f_kernels",
// PROGRAM-SAME: {"argument":0},1000000000,{"argument":1},{"result":0},1000000000],"shared":{{[0-9]+}}
// PROGRAM-SAME: "results":[{"name":"result0","shape":[1000000000,64],"type":"f32"}],"temporaries":[]}
// PROGRAM-SAME: "bind":{"K":64,"M":0,"N":64},"launches":[]

// RUN: not cleave-run %s --device=cuda --dry-run --bind M=1 2>&1 | FileCheck %s --check-prefix=CHIP
// CHIP: error: {{.*}}expected --chip with --dry-run
// RUN: not cleave-run %s --device=cuda --chip=sm_80 --dry-run --bind M=1 --check 2>&1 | FileCheck %s --check-prefix=CHECKED
// CHECKED: error: expected --device=cuda and nothing that needs results with --dry-run
// RUN: not cleave-run %s --device=cuda --chip=sm_70 --dry-run --bind M=1 2>&1 | FileCheck %s --check-prefix=OLD
// OLD: error: {{.*}}sm_70

#M_K = #cleave.axes<M, K>
#K_N = #cleave.axes<K, N>
#M_N = #cleave.axes<M, N>

func.func @f(%x: tensor<?x64xf16, #M_K>, %w: tensor<64x64xf16, #K_N>) -> tensor<?x64xf32, #M_N> {
  %y = cleave.contract %x, %w over [K] : (tensor<?x64xf16, #M_K>, tensor<64x64xf16, #K_N>) -> tensor<?x64xf32, #M_N>
  return %y : tensor<?x64xf32, #M_N>
}
