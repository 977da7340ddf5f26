// RUN: cleave-opt %s --cleave-algebra=explain -o /dev/null 2> %t.mlir
// RUN: FileCheck %s < %t.mlir
// Each step is a function that parses.
// RUN: cleave-opt %t.mlir --split-input-file | FileCheck %s --check-prefix=PARSED
// An explanation changes no result.
// RUN: cleave-opt %s --cleave-algebra=explain 2> /dev/null > %t.1
// RUN: cleave-opt %s --cleave-algebra > %t.2
// RUN: cmp %t.1 %t.2

#M_K = #cleave.axes<M, K>
#K_N = #cleave.axes<K, N>
#K_M = #cleave.axes<K, M>
#M = #cleave.axes<M>
#M_N = #cleave.axes<M, N>
#s = #cleave.axes<>

// CHECK: // @scaled, alternative 0
// CHECK-NEXT: // step 0: the input
// CHECK-NEXT: func.func @scaled
// CHECK: %[[N:.*]] = cleave.div %arg0, %[[D:.*]] :
// CHECK: cleave.contract %[[N]], %arg1
// CHECK: // -----
// CHECK: // step [[#]]: Div_ToRecip
// CHECK-NEXT: func.func @scaled
// CHECK: cleave.recip
// CHECK: // step [[#]]: Sum_PullFactors
// CHECK-NEXT: func.func @scaled
// CHECK: %[[Y:.*]] = cleave.reduce_sum
// CHECK: cleave.mul %[[Y]]
// CHECK: // step [[#]]: Contract_Mark
// CHECK-NEXT: func.func @scaled
// CHECK: %[[C:.*]] = cleave.contract %arg0, %arg1
// CHECK: cleave.mul %[[C]]
// CHECK-NEXT: return
// CHECK: // -----
// PARSED-COUNT-6: func.func @scaled
func.func @scaled(%x: tensor<?x512xf16, #M_K> {cleave.range = 8.0 : f32}, %w: tensor<512x64xf16, #K_N>,
                  %s: tensor<?xf32, #M>) -> tensor<?x64xf32, #M_N> {
  %e = cleave.sigmoid %s : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %o = cleave.constant 1.0 : tensor<f32, #s>
  %d = cleave.add %e, %o : (tensor<?xf32, #M>, tensor<f32, #s>) -> tensor<?xf32, #M>
  %n = cleave.div %x, %d : (tensor<?x512xf16, #M_K>, tensor<?xf32, #M>) -> tensor<512x?xf32, #K_M>
  %y = cleave.contract %n, %w over [K] : (tensor<512x?xf32, #K_M>, tensor<512x64xf16, #K_N>) -> tensor<?x64xf32, #M_N>
  return %y : tensor<?x64xf32, #M_N>
}

// What is best as it is needs no step.
// CHECK-NOT: @plain
func.func @plain(%x: tensor<?x512xf16, #M_K>, %w: tensor<512x64xf16, #K_N>) -> tensor<?x64xf32, #M_N> {
  %y = cleave.contract %x, %w over [K] : (tensor<?x512xf16, #M_K>, tensor<512x64xf16, #K_N>) -> tensor<?x64xf32, #M_N>
  return %y : tensor<?x64xf32, #M_N>
}
