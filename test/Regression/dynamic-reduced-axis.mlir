// RMSNorm over a dynamic axis runs in one sweep too: the algebra may not take
// the scale out of a sum that may be empty, fold formation guards it.

// RUN: cleave-opt %s --cleave-algebra=split=false | FileCheck %s --check-prefix=FORM
// FORM: cleave.alternatives ["input, folded", "input"]
// FORM: %[[Y:.*]] = cleave.contract %{{.*}} over [K] {operand_type = f16}
// FORM: %[[S:.*]] = cleave.mul %[[Y]],
// FORM: cleave.select %{{.*}}, %[[S]],

// RUN: cleave-run %s --bind 'M=3,K=64;M=1,K=7;M=2,K=0;M=0,K=5;M=5,K=300' --check | FileCheck %s
// CHECK-COUNT-5: Y[{{.*}}L2 {{.*}}: ok

#K = #cleave.axes<K>
#M_K = #cleave.axes<M, K>
#K_M = #cleave.axes<K, M>
#K_N = #cleave.axes<K, N>
#M_N = #cleave.axes<M, N>

func.func @f(
    %x: tensor<?x?xf16, #M_K> {cleave.name = "X", cleave.range = 300.0 : f32},
    %g: tensor<?xf16, #K> {cleave.name = "g", cleave.range = 8.0 : f32},
    %w: tensor<?x48xf16, #K_N> {cleave.name = "W"})
    -> (tensor<?x48xf32, #M_N> {cleave.name = "Y"})
    attributes {cleave.symbols = #cleave.symbols<K: dynamic like 4096, M: dynamic like 16>} {
  %n = cleave.rms_norm %x, %g over [K] eps 1.0e-6
     : (tensor<?x?xf16, #M_K>, tensor<?xf16, #K>) -> tensor<?x?xf32, #K_M>
  %y = cleave.contract %n, %w over [K]
     : (tensor<?x?xf32, #K_M>, tensor<?x48xf16, #K_N>) -> tensor<?x48xf32, #M_N>
  return %y : tensor<?x48xf32, #M_N>
}
