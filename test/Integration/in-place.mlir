// Results with the memory of an argument: the kernel writes the inserted rows alone, wherever they are.

// RUN: cleave-opt %s --cleave-expand --cleave-schedule -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: %python %S/Inputs/npy.py %t.p.npy i4 6 2 -1 4 7 -9 0
// RUN: cleave-opt %s --cleave-to-loops=no-algebra -o %t.loops.mlir
// RUN: cleave-run %t.loops.mlir --source %s --entry=rows --input P=%t.p.npy --bind 'S=2,T=5;S=3,T=3;S=0,T=5;S=1,T=1;S=17,T=37' --check | FileCheck %s --check-prefix=ROWS
// ROWS-COUNT-5: N[{{.*}} L2 0.00e+00{{.*}}: ok
// RUN: %python %S/Inputs/npy.py %t.one.npy i4 - 3
// RUN: cleave-run %t.loops.mlir --source %s --entry=one --input P=%t.one.npy --bind 'B=3,T=5;B=1,T=3;B=2,T=0' --check | FileCheck %s --check-prefix=ONE
// ONE-COUNT-3: N[{{.*}} L2 0.00e+00{{.*}}: ok
// RUN: cleave-run %t.loops.mlir --source %s --entry=read --input P=%t.one.npy --bind 'S=2,T=5;S=1,T=4;S=3,T=2' --check | FileCheck %s --check-prefix=READ
// READ-COUNT-9: result{{[012]}}{{.*}}: ok

#scalar = #cleave.axes<>
#B = #cleave.axes<B>
#B_D = #cleave.axes<B, D>
#D = #cleave.axes<D>
#S_D = #cleave.axes<S, D>
#T_D = #cleave.axes<T, D>
#D_T = #cleave.axes<D, T>
#B_S_D = #cleave.axes<B, S, D>
#B_T_D = #cleave.axes<B, T, D>
#B_D_T = #cleave.axes<B, D, T>

// Each entry of the batch at a position of its own; some rows have no place.
// CHECK-LABEL: func.func @rows(
// CHECK-SAME: %[[K:.*]]: tensor<?x?x8xf16>{{.*}}, %[[C:.*]]: tensor<?x?x8xf16>{{.*}}, %[[P:.*]]: tensor<?xi32>
// CHECK: scf.forall {{.*}} shared_outs(%[[O:.*]] = %[[C]])
// CHECK: tensor.extract %[[P]]
// CHECK: tensor.parallel_insert_slice {{.*}} into %[[O]]
func.func @rows(%k: tensor<?x?x8xf16, #B_S_D>, %c: tensor<?x?x8xf16, #B_T_D> {cleave.name = "C"},
                %p: tensor<?xi32, #B> {cleave.name = "P"})
    -> (tensor<?x?x8xf16, #B_T_D> {cleave.name = "N", cleave.alias = "C"}) {
  %n = cleave.insert %k S into %c T at %p : (tensor<?x?x8xf16, #B_S_D>, tensor<?x?x8xf16, #B_T_D>, tensor<?xi32, #B>) -> tensor<?x8x?xf16, #B_D_T>
  %r = cleave.relayout %n : tensor<?x8x?xf16, #B_D_T> to tensor<?x?x8xf16, #B_T_D>
  return %r : tensor<?x?x8xf16, #B_T_D>
}

// A single new row, of static extent.
func.func @one(%k: tensor<?x1x8xf16, #B_S_D>, %c: tensor<?x?x8xf16, #B_T_D> {cleave.name = "C"},
               %p: tensor<i32, #scalar> {cleave.name = "P"})
    -> (tensor<?x?x8xf16, #B_T_D> {cleave.name = "N", cleave.alias = "C"}) {
  %n = cleave.insert %k S into %c T at %p : (tensor<?x1x8xf16, #B_S_D>, tensor<?x?x8xf16, #B_T_D>, tensor<i32, #scalar>) -> tensor<?x8x?xf16, #B_D_T>
  %r = cleave.relayout %n : tensor<?x8x?xf16, #B_D_T> to tensor<?x?x8xf16, #B_T_D>
  return %r : tensor<?x?x8xf16, #B_T_D>
}

// The cache as it was is read before the rows are written, as it is behind that.
// CHECK-LABEL: func.func @read(
// CHECK-SAME: %[[K:.*]]: tensor<?x8xf32>, %[[C:.*]]: tensor<?x8xf32>{{.*}}, %[[P:.*]]: tensor<i32>
// CHECK: scf.forall
// CHECK: tensor.extract_slice %[[C]]
// CHECK: %[[N:.*]] = scf.forall {{.*}} shared_outs({{.*}} = %[[C]])
// CHECK: scf.forall
// CHECK: tensor.extract_slice %[[N]]
func.func @read(%k: tensor<?x8xf32, #S_D>, %c: tensor<?x8xf32, #T_D> {cleave.name = "C"},
                %p: tensor<i32, #scalar> {cleave.name = "P"})
    -> (tensor<8xf32, #D> {cleave.name = "result0"}, tensor<8xf32, #D> {cleave.name = "result1"},
        tensor<?x8xf32, #T_D> {cleave.name = "result2", cleave.alias = "C"})
    attributes {cleave.schedule = #cleave.schedule<region = 0, kernels = [
      <store = [result0], grid = [D: 8], loop = [T: 32], warps = 4, stages = 1>,
      <store = [result2], grid = [S: 16, D: 8], loop = [], warps = 4, stages = 1>,
      <store = [result1], grid = [D: 8], loop = [T: 32], warps = 4, stages = 1>]>} {
  %n = cleave.insert %k S into %c T at %p : (tensor<?x8xf32, #S_D>, tensor<?x8xf32, #T_D>, tensor<i32, #scalar>) -> tensor<8x?xf32, #D_T>
  %old = cleave.reduce_sum %c over [T] : (tensor<?x8xf32, #T_D>) -> tensor<8xf32, #D>
  %new = cleave.reduce_sum %n over [T] : (tensor<8x?xf32, #D_T>) -> tensor<8xf32, #D>
  %r = cleave.relayout %n : tensor<8x?xf32, #D_T> to tensor<?x8xf32, #T_D>
  return %old, %new, %r : tensor<8xf32, #D>, tensor<8xf32, #D>, tensor<?x8xf32, #T_D>
}
