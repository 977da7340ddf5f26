// RUN: cleave-opt --pass-pipeline="builtin.module(gpu.module(cleave-lower-gpu-math))" %s | FileCheck %s

gpu.module @m {
  // CHECK-LABEL: gpu.func @exp
  // CHECK: %[[LOG2E:.*]] = arith.constant dense<1.442695{{.*}}> : vector<2xf32>
  // CHECK: %[[S:.*]] = arith.mulf %{{.*}}, %[[LOG2E]] {{.*}}: vector<2xf32>
  // CHECK: %[[E:.*]] = vector.extract %[[S]][0]
  // CHECK: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"(%[[E]])
  // CHECK: vector.extract %[[S]][1]
  // CHECK-NOT: math.exp
  gpu.func @exp(%x: vector<2xf32>, %p: memref<2xf32>) {
    %c0 = arith.constant 0 : index
    %e = math.exp %x : vector<2xf32>
    vector.store %e, %p[%c0] : memref<2xf32>, vector<2xf32>
    gpu.return
  }

  // What is at least 1 is inverted by one instruction, nothing else.
  // CHECK-LABEL: gpu.func @sigmoid
  // CHECK: llvm.nvvm.ex2.approx
  // CHECK: llvm.call_intrinsic "llvm.nvvm.rcp.approx.ftz.f"
  // CHECK: llvm.call_intrinsic "llvm.nvvm.rcp.approx.ftz.f"
  // CHECK: llvm.call_intrinsic "llvm.nvvm.div.full"
  gpu.func @sigmoid(%x: vector<2xf32>, %p: memref<2xf32>) {
    %c0 = arith.constant 0 : index
    %one = arith.constant dense<1.0> : vector<2xf32>
    %e = math.exp %x : vector<2xf32>
    %s = arith.addf %e, %one : vector<2xf32>
    %y = arith.divf %one, %s : vector<2xf32>
    %z = arith.divf %one, %y : vector<2xf32>
    vector.store %z, %p[%c0] : memref<2xf32>, vector<2xf32>
    gpu.return
  }

  // Only f32 has these instructions.
  // CHECK-LABEL: gpu.func @f64
  // CHECK: math.exp %{{.*}} : f64
  gpu.func @f64(%x: f64, %p: memref<f64>) {
    %e = math.exp %x : f64
    memref.store %e, %p[] : memref<f64>
    gpu.return
  }

  // Equal products have no difference, which one of them without a rounding
  // would have.
  // CHECK-LABEL: gpu.func @products
  // CHECK: %[[A:.*]] = arith.mulf
  // CHECK: %[[B:.*]] = arith.mulf
  // CHECK: arith.subf %[[A]], %[[B]] : f32
  gpu.func @products(%x: f32, %y: f32, %z: f32, %p: memref<f32>) {
    %a = arith.mulf %x, %y : f32
    %b = arith.mulf %z, %y : f32
    %d = arith.subf %a, %b : f32
    memref.store %d, %p[] : memref<f32>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @others
  // CHECK: llvm.call_intrinsic "llvm.nvvm.rsqrt.approx.f"
  // CHECK: llvm.call_intrinsic "llvm.nvvm.div.full"
  // CHECK: arith.addf %{{.*}}, %{{.*}} fastmath<contract> : f32
  gpu.func @others(%x: f32, %y: f32, %p: memref<f32>) {
    %r = math.rsqrt %x : f32
    %d = arith.divf %r, %y : f32
    %a = arith.addf %d, %y : f32
    memref.store %a, %p[] : memref<f32>
    gpu.return
  }

  // Products of f16 that are rounded to f16 need no f32, here with the elements
  // of one operand repeated; products of others do.
  // CHECK-LABEL: gpu.func @halves
  // CHECK: %[[Y:.*]] = vector.shuffle %{{.*}}, %{{.*}} [0, 0] : vector<2xf16>, vector<2xf16>
  // CHECK: arith.mulf %{{.*}}, %[[Y]] : vector<2xf16>
  // CHECK: arith.mulf %{{.*}} : vector<2xf32>
  gpu.func @halves(%x: vector<2xf16>, %y: vector<2xf16>, %z: vector<2xf32>, %p: memref<2xf16>) {
    %c0 = arith.constant 0 : index
    %a = arith.extf %x : vector<2xf16> to vector<2xf32>
    %b = arith.extf %y : vector<2xf16> to vector<2xf32>
    %s = vector.shuffle %b, %b [0, 0] : vector<2xf32>, vector<2xf32>
    %m = arith.mulf %a, %s : vector<2xf32>
    %t = arith.truncf %m : vector<2xf32> to vector<2xf16>
    vector.store %t, %p[%c0] : memref<2xf16>, vector<2xf16>
    %n = arith.mulf %a, %z : vector<2xf32>
    %u = arith.truncf %n : vector<2xf32> to vector<2xf16>
    vector.store %u, %p[%c0] : memref<2xf16>, vector<2xf16>
    gpu.return
  }

  // One factor that is no f16 keeps the product in f32, whatever the other is.
  // CHECK-LABEL: gpu.func @one_half
  // CHECK: arith.mulf %{{.*}}, %{{.*}} : vector<2xf32>
  // CHECK: arith.truncf
  gpu.func @one_half(%x: vector<2xf16>, %z: vector<2xf32>, %p: memref<2xf16>) {
    %c0 = arith.constant 0 : index
    %a = arith.extf %x : vector<2xf16> to vector<2xf32>
    %s = vector.shuffle %a, %a [0, 0] : vector<2xf32>, vector<2xf32>
    %m = arith.mulf %s, %z : vector<2xf32>
    %t = arith.truncf %m : vector<2xf32> to vector<2xf16>
    vector.store %t, %p[%c0] : memref<2xf16>, vector<2xf16>
    gpu.return
  }

  // Loops' ends are counted in f64: no call of a library.
  // CHECK-LABEL: gpu.func @wide_extremes
  // CHECK: llvm.call_intrinsic "llvm.maxnum.f64"
  // CHECK: llvm.call_intrinsic "llvm.minnum.f64"
  gpu.func @wide_extremes(%x: f64, %y: f64, %p: memref<2xf64>) {
    %c0 = arith.constant 0 : index
    %a = arith.maxnumf %x, %y : f64
    %b = arith.minnumf %a, %y : f64
    memref.store %b, %p[%c0] : memref<2xf64>
    gpu.return
  }

  // Lanes that exchange sums round alike: no FMA of one lane's product.
  // CHECK-LABEL: gpu.func @exchanged
  // CHECK: arith.mulf %{{.*}} fastmath<contract>
  // CHECK: gpu.shuffle
  // CHECK: arith.addf %{{[^ ]*}}, %{{[^ ]*}} : f32
  gpu.func @exchanged(%x: f32, %y: f32, %p: memref<1xf32>) {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : i32
    %width = arith.constant 32 : i32
    %m = arith.mulf %x, %y : f32
    %o, %valid = gpu.shuffle xor %m, %one, %width : f32
    %s = arith.addf %m, %o : f32
    memref.store %s, %p[%c0] : memref<1xf32>
    gpu.return
  }

  // A polynomial is computed of one element after the other: else it takes
  // registers for all of them, many times.
  // CHECK-LABEL: gpu.func @erf
  // CHECK: vector.extract %{{.*}}[0]
  // CHECK-NOT: vector.extract
  // CHECK: llvm.call_intrinsic "llvm.nvvm.div.full"{{.*}} : (f32, f32) -> f32
  // CHECK-NOT: vector.extract
  // CHECK: vector.insert %{{.*}} [0]
  // CHECK: vector.extract %{{.*}}[1]
  // CHECK: vector.insert %{{.*}} [1]
  // CHECK-NOT: math.erf
  gpu.func @erf(%x: vector<2xf32>, %p: memref<2xf32>) {
    %c0 = arith.constant 0 : index
    %e = math.erf %x : vector<2xf32>
    vector.store %e, %p[%c0] : memref<2xf32>, vector<2xf32>
    gpu.return
  }
}
