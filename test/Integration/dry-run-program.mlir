// A program in the host form as JSON: addresses by what they belong to, also of
// temporaries, beside numbers.

// RUN: split-file %s %t
// RUN: cleave-run %t/host.mlir --source %t/source.mlir --device=cuda --dry-run --bind M=5 --json %t/f.json
// RUN: FileCheck %s --input-file %t/f.json
// CHECK: "modules":{"k":"RUxG"}
// CHECK-SAME: "launches":[{"block":[32,1,1],"grid":[5,1,1],"kernel":"f_0","module":"k",
// CHECK-SAME: "params":[{"argument":0},5,{"temporary":0},5],"shared":0},
// CHECK-SAME: "kernel":"f_1","module":"k",
// CHECK-SAME: "params":[{"temporary":0},5,{"temporary":1},{"result":0},5,7],"shared":65536}]
// CHECK-SAME: "results":[{"alias":0,
// CHECK-SAME: "temporaries":[{"bytes":20,"zeros":false},{"bytes":16,"zeros":false}]

//--- source.mlir
#M = #cleave.axes<M>
func.func @f(%x: tensor<?xf32, #M>) -> tensor<?xf32, #M> {
  %y = cleave.exp %x : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  return %y : tensor<?xf32, #M>
}

//--- host.mlir
module attributes {gpu.container_module} {
  gpu.binary @k [#gpu.object<#nvvm.target<chip = "sm_90a">, bin = "ELF">]
  func.func @f(%x: memref<?xf32>, %y: memref<?xf32> {cleave.alias = "arg0", cleave.result = 0 : i64}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c7 = arith.constant 7 : index
    %c32 = arith.constant 32 : index
    %bytes = arith.constant 65536 : i32
    %m = memref.dim %x, %c0 : memref<?xf32>
    %t = memref.alloc(%m) : memref<?xf32>
    %u = memref.alloc() : memref<4xf32>
    gpu.launch_func @k::@f_0 blocks in (%m, %c1, %c1) threads in (%c32, %c1, %c1)
        args(%x : memref<?xf32>, %t : memref<?xf32>)
    gpu.launch_func @k::@f_1 blocks in (%m, %c1, %c1) threads in (%c32, %c1, %c1) dynamic_shared_memory_size %bytes
        args(%t : memref<?xf32>, %u : memref<4xf32>, %y : memref<?xf32>, %c7 : index)
    return
  }
}
