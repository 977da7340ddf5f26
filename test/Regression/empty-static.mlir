// A static extent of 0: no slice of such an axis exists, a reduction over it is
// its unit, a result with it has nothing to compute (docs/numerics.md, 12 to 14).

// RUN: cleave-run %s --entry=rms_linear_k0 --check --print | FileCheck %s --check-prefix=K0
// K0: result0: 2x3xf16 = 0 0 0 0 0 0
// K0: result0: {{.*}}: ok
// RUN: cleave-run %s --entry=rms_linear_m0 --check | FileCheck %s --check-prefix=OK
// RUN: cleave-run %s --entry=rms_linear_n0 --check | FileCheck %s --check-prefix=OK
// OK: result0: {{.*}}: ok
// RUN: cleave-run %s --entry=softmax_k0 --check --print | FileCheck %s --check-prefix=SOFTMAX
// SOFTMAX: result0: 2x3xf32 = 0 0 0 0 0 0
// SOFTMAX: result1: 0x2xf32 =
// SOFTMAX: result2: 2xf32 = -inf -inf
// SOFTMAX: result0: {{.*}}: ok
// SOFTMAX: result1: {{.*}}: ok
// SOFTMAX: result2: {{.*}}: ok
// RUN: cleave-run %s --entry=dynamic_beside --bind 'M=2;M=0' --check | FileCheck %s --check-prefix=BESIDE
// BESIDE-COUNT-4: result{{.*}}: ok

// On the GPU, too, nothing writes such a result: a function may have no kernel.
// RUN: cleave-opt %s --cleave-to-gpu -o %t.mlir
// RUN: cleave-run %t.mlir --source %s --device=emulator --entry=rms_linear_k0 --check --print | FileCheck %s --check-prefix=K0
// RUN: cleave-run %t.mlir --source %s --device=emulator --entry=rms_linear_m0 --check | FileCheck %s --check-prefix=OK
// RUN: cleave-run %t.mlir --source %s --device=emulator --entry=rms_linear_n0 --check | FileCheck %s --check-prefix=OK
// RUN: cleave-run %t.mlir --source %s --device=emulator --entry=softmax_k0 --check --print | FileCheck %s --check-prefix=SOFTMAX
// RUN: cleave-run %t.mlir --source %s --device=emulator --entry=dynamic_beside --bind 'M=2;M=0' --check | FileCheck %s --check-prefix=BESIDE
// RUN: cleave-run %s --device=cuda --chip=sm_90a --dry-run --entry=rms_linear_m0 | FileCheck %s --check-prefix=DRY
// DRY: launches{{.*}}: 0

// RUN: cleave-opt %s --cleave-expand --cleave-schedule | FileCheck %s --check-prefix=FORM
// FORM-LABEL: func.func @dynamic_beside(
// FORM-SAME: %[[X:.*]]: tensor<?x0xf32>
// FORM: %[[M:.*]] = tensor.dim %[[X]]
// FORM-NOT: extract_slice
// FORM: tensor.empty(%[[M]]) : tensor<0x?xf32>
// FORM-NOT: extract_slice
// FORM: return
// Nothing is written of the kernel between: the last one has its own launch.
// FORM-LABEL: func.func @nothing_to_be_beside(
// FORM-COUNT-2: scf.forall (
// FORM-NOT: cleave.beside
// FORM: return

#MK = #cleave.axes<M, K>
#KM = #cleave.axes<K, M>
#KN = #cleave.axes<K, N>
#MN = #cleave.axes<M, N>
#M = #cleave.axes<M>
#K = #cleave.axes<K>

func.func @dynamic_beside(%x: tensor<?x0xf32, #MK>) -> (tensor<0x?xf32, #KM>, tensor<?xf32, #M>) {
  %y = cleave.add %x, %x : (tensor<?x0xf32, #MK>, tensor<?x0xf32, #MK>) -> tensor<0x?xf32, #KM>
  %s = cleave.reduce_sum %y over [K] : (tensor<0x?xf32, #KM>) -> tensor<?xf32, #M>
  return %y, %s : tensor<0x?xf32, #KM>, tensor<?xf32, #M>
}

func.func @rms_linear_k0(%x: tensor<2x0xf16, #MK>, %g: tensor<0xf16, #K>, %w: tensor<0x3xf16, #KN>) -> tensor<2x3xf16, #MN> {
  %n = cleave.rms_norm %x, %g over [K] eps 1.0e-6 : (tensor<2x0xf16, #MK>, tensor<0xf16, #K>) -> tensor<0x2xf32, #KM>
  %y = cleave.contract %n, %w over [K] : (tensor<0x2xf32, #KM>, tensor<0x3xf16, #KN>) -> tensor<2x3xf32, #MN>
  %h = cleave.cast %y : tensor<2x3xf32, #MN> to tensor<2x3xf16, #MN>
  return %h : tensor<2x3xf16, #MN>
}

func.func @rms_linear_m0(%x: tensor<0x4xf16, #MK>, %g: tensor<4xf16, #K>, %w: tensor<4x3xf16, #KN>) -> tensor<0x3xf16, #MN> {
  %n = cleave.rms_norm %x, %g over [K] eps 1.0e-6 : (tensor<0x4xf16, #MK>, tensor<4xf16, #K>) -> tensor<4x0xf32, #KM>
  %y = cleave.contract %n, %w over [K] : (tensor<4x0xf32, #KM>, tensor<4x3xf16, #KN>) -> tensor<0x3xf32, #MN>
  %h = cleave.cast %y : tensor<0x3xf32, #MN> to tensor<0x3xf16, #MN>
  return %h : tensor<0x3xf16, #MN>
}

func.func @rms_linear_n0(%x: tensor<2x4xf16, #MK>, %g: tensor<4xf16, #K>, %w: tensor<4x0xf16, #KN>) -> tensor<2x0xf16, #MN> {
  %n = cleave.rms_norm %x, %g over [K] eps 1.0e-6 : (tensor<2x4xf16, #MK>, tensor<4xf16, #K>) -> tensor<4x2xf32, #KM>
  %y = cleave.contract %n, %w over [K] : (tensor<4x2xf32, #KM>, tensor<4x0xf16, #KN>) -> tensor<2x0xf32, #MN>
  %h = cleave.cast %y : tensor<2x0xf32, #MN> to tensor<2x0xf16, #MN>
  return %h : tensor<2x0xf16, #MN>
}

func.func @softmax_k0(%x: tensor<2x0xf32, #MK>, %w: tensor<0x3xf32, #KN>) -> (tensor<2x3xf32, #MN>, tensor<0x2xf32, #KM>, tensor<2xf32, #M>) {
  %p = cleave.softmax %x over [K] : (tensor<2x0xf32, #MK>) -> tensor<0x2xf32, #KM>
  %y = cleave.contract %p, %w over [K] : (tensor<0x2xf32, #KM>, tensor<0x3xf32, #KN>) -> tensor<2x3xf32, #MN>
  %m = cleave.reduce_max %x over [K] : (tensor<2x0xf32, #MK>) -> tensor<2xf32, #M>
  return %y, %p, %m : tensor<2x3xf32, #MN>, tensor<0x2xf32, #KM>, tensor<2xf32, #M>
}

func.func @nothing_to_be_beside(%x: tensor<?x4xf32, #MK>, %z: tensor<?x0xf32, #cleave.axes<M, Z>>) -> (tensor<4x?xf32, #KM>, tensor<?x0xf32, #cleave.axes<M, Z>>)
    attributes {cleave.schedule = #cleave.schedule<region = 0, kernels = [
      <store = [v0], grid = [M: 1], loop = [K: 4], warps = 4, stages = 1>,
      <store = [result1], grid = [M: 4, Z: 1], loop = [], warps = 4, stages = 1>,
      <store = [result0], beside, grid = [K: 4, M: 1], loop = [], warps = 4, stages = 1>]>} {
  %a = cleave.reduce_sum %x over [K] : (tensor<?x4xf32, #MK>) -> tensor<?xf32, #cleave.axes<M>>
  %y = cleave.add %x, %a : (tensor<?x4xf32, #MK>, tensor<?xf32, #cleave.axes<M>>) -> tensor<4x?xf32, #KM>
  %n = cleave.neg %z : (tensor<?x0xf32, #cleave.axes<M, Z>>) -> tensor<?x0xf32, #cleave.axes<M, Z>>
  return %y, %n : tensor<4x?xf32, #KM>, tensor<?x0xf32, #cleave.axes<M, Z>>
}
