// Each region gets a split copy behind all others, as far as there is room for
// eight regions; all give the same numbers in any number of parts.
// RUN: cleave-opt %s --cleave-algebra=k=2 -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: cleave-opt %s --cleave-algebra=k=1 | FileCheck %s --check-prefix=ONE
// RUN: cleave-opt %s --cleave-algebra=split=false | FileCheck %s --check-prefix=NONE
// RUN: cleave-run %t.mlir --entry=norm --device=evaluator --alternative=2 --check --bind 'M=3,K=11,K.s=1;M=1,K=11,K.s=4;M=2,K=5,K.s=7;M=2,K=1,K.s=2;M=1,K=32,K.s=2'
// RUN: cleave-run %t.mlir --entry=norm --device=evaluator --alternative=3 --check --bind 'M=3,K=11,K.s=3,K.s1=1;M=1,K=11,K.s=1,K.s1=5'

// Scheduling finds that short sums need no parts, and long ones of few rows do.
// RUN: cleave-opt %s --cleave-algebra=k=2 --cleave-assign-schedule | FileCheck %s --check-prefix=SHORT
// RUN: cleave-opt %s --cleave-algebra=k=2 --cleave-assign-schedule=representative=M=1,K=65536 | FileCheck %s --check-prefix=LONG
// RUN: cleave-run %t.mlir --entry=norm --device=cpu --check --bind 'M=3,K=11'

#K = #cleave.axes<K>
#M = #cleave.axes<M>
#K_M = #cleave.axes<K, M>
#M_K = #cleave.axes<M, K>
#K_N = #cleave.axes<K, N>
#M_N = #cleave.axes<M, N>

// CHECK: #cleave.symbols<K.s: bound like 1, K.i = ceil(K / K.s), K.s1: bound like 1, K.i1 = ceil(K / K.s1)>
// CHECK: cleave.alternatives ["[[BEST:[^"]+]]", "input", "[[BEST]], split", "input, split"]
// CHECK-NOT: cleave.split
// CHECK: cleave.contract {{.*}} over [K]
// CHECK: cleave.contract {{.*}} over [K]
// CHECK-NOT: cleave.contract {{.*}} over [K]
// CHECK: cleave.split {{.*}} K into(K.s, K.i)
// CHECK: cleave.contract {{.*}} over [K.i]
// CHECK: cleave.contract {{.*}} over [K.i1]

// ONE: cleave.alternatives ["input", "input, split"]

// SHORT: cleave.schedule = #cleave.schedule<region = {{[01]}},
// LONG: cleave.schedule = #cleave.schedule<region = {{[23]}}, split = [K.s: {{[0-9][0-9]}}

// NONE-NOT: K.s
// NONE: cleave.alternatives
// NONE-NOT: split
func.func @norm(%x: tensor<?x?xf16, #M_K> {cleave.range = 30.0 : f32}, %g: tensor<?xf16, #K> {cleave.range = 8.0 : f32},
                %w: tensor<?x4xf16, #K_N> {cleave.range = 10.0 : f32}) -> tensor<?x4xf32, #M_N> {
  %n = cleave.rms_norm %x, %g over [K] eps 1.0e-6 : (tensor<?x?xf16, #M_K>, tensor<?xf16, #K>) -> tensor<?x?xf32, #K_M>
  %y = cleave.contract %n, %w over [K] : (tensor<?x?xf32, #K_M>, tensor<?x4xf16, #K_N>) -> tensor<?x4xf32, #M_N>
  return %y : tensor<?x4xf32, #M_N>
}
