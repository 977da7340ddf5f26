// RUN: cleave-opt %s --split-input-file --cleave-algebra=split=false \
// RUN:   --remarks-filter=cleave-algebra 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t
// RUN: cleave-opt %s --split-input-file --cleave-algebra="numerics=real split=false" \
// RUN:   | FileCheck %s --check-prefix=REAL
// RUN: cleave-opt %s --split-input-file --cleave-algebra="k=1 split=false" \
// RUN:   | FileCheck %s --check-prefix=ONE

#K = #cleave.axes<K>
#M_K = #cleave.axes<M, K>
#K_M = #cleave.axes<K, M>
#K_N = #cleave.axes<K, N>
#M_N = #cleave.axes<M, N>

// The row scale after the contraction, so that both reductions share a sweep.
// REMARK: saturated, {{[0-9]+}} nodes, {{[0-9]+}} classes
// REMARK-NOT: refused
// REMARK: func.func @undeclared
// CHECK-LABEL: @declared
// CHECK-SAME: %[[X:.*]]: tensor<?x4096xf16, #M_K> {{.*}}, %[[G:.*]]: tensor<4096xf16, #K> {{.*}}, %[[W:.*]]: tensor<4096x4096xf16
// CHECK: cleave.alternatives [{{.*}}, "input"]
// CHECK: %[[R:.*]] = cleave.rsqrt
// CHECK: %[[XG:.*]] = cleave.mul %[[X]], %[[G]] :
// CHECK: %[[Y:.*]] = cleave.contract %[[XG]], %[[W]] over [K] {operand_type = f16}
// CHECK: cleave.mul %[[R]], %[[Y]]
// CHECK: cleave.yield
// CHECK: cleave.yield
// CHECK-NOT: cleave.yield
// ONE-LABEL: @declared
// ONE: cleave.alternatives ["input"]
func.func @declared(
    %x: tensor<?x4096xf16, #M_K> {cleave.range = 300.0 : f32},
    %g: tensor<4096xf16, #K> {cleave.range = 8.0 : f32},
    %w: tensor<4096x4096xf16, #K_N>) -> tensor<?x4096xf32, #M_N> {
  %n = cleave.rms_norm %x, %g over [K] eps 1.0e-6
     : (tensor<?x4096xf16, #M_K>, tensor<4096xf16, #K>) -> tensor<4096x?xf32, #K_M>
  %y = cleave.contract %n, %w over [K]
     : (tensor<4096x?xf32, #K_M>, tensor<4096x4096xf16, #K_N>) -> tensor<?x4096xf32, #M_N>
  return %y : tensor<?x4096xf32, #M_N>
}

// -----

// X * g may overflow f16 in front of the scale: the input's order stays.

#K = #cleave.axes<K>
#M_K = #cleave.axes<M, K>
#K_M = #cleave.axes<K, M>
#K_N = #cleave.axes<K, N>
#M_N = #cleave.axes<M, N>

// REMARK: refused: an operand of magnitude up to {{.*}} would be rounded to f16; declare cleave.range for 'arg1'"
// CHECK-LABEL: @undeclared
// CHECK: cleave.alternatives ["input"]
// REAL-LABEL: @undeclared
// REAL: cleave.alternatives [{{.*}}, "input"]
func.func @undeclared(
    %x: tensor<?x4096xf16, #M_K> {cleave.range = 300.0 : f32},
    %g: tensor<4096xf16, #K>,
    %w: tensor<4096x4096xf16, #K_N>) -> tensor<?x4096xf32, #M_N> {
  %n = cleave.rms_norm %x, %g over [K] eps 1.0e-6
     : (tensor<?x4096xf16, #M_K>, tensor<4096xf16, #K>) -> tensor<4096x?xf32, #K_M>
  %y = cleave.contract %n, %w over [K]
     : (tensor<4096x?xf32, #K_M>, tensor<4096x4096xf16, #K_N>) -> tensor<?x4096xf32, #M_N>
  return %y : tensor<?x4096xf32, #M_N>
}

// -----

// Both are declared, too wide.

#K = #cleave.axes<K>
#M_K = #cleave.axes<M, K>
#K_M = #cleave.axes<K, M>
#K_N = #cleave.axes<K, N>
#M_N = #cleave.axes<M, N>

// REMARK: would be rounded to f16; the declared ranges are too wide
// CHECK-LABEL: @too_wide
// CHECK: cleave.alternatives ["input"]
func.func @too_wide(
    %x: tensor<?x4096xf16, #M_K> {cleave.range = 300.0 : f32},
    %g: tensor<4096xf16, #K> {cleave.range = 300.0 : f32},
    %w: tensor<4096x4096xf16, #K_N>) -> tensor<?x4096xf32, #M_N> {
  %n = cleave.rms_norm %x, %g over [K] eps 1.0e-6
     : (tensor<?x4096xf16, #M_K>, tensor<4096xf16, #K>) -> tensor<4096x?xf32, #K_M>
  %y = cleave.contract %n, %w over [K]
     : (tensor<4096x?xf32, #K_M>, tensor<4096x4096xf16, #K_N>) -> tensor<?x4096xf32, #M_N>
  return %y : tensor<?x4096xf32, #M_N>
}

// -----

// Without a weight X itself is the operand, and needs no range. K may be empty:
// the scale is then 0 * inf, and stays inside the empty sum.

#M_K = #cleave.axes<M, K>
#K_M = #cleave.axes<K, M>
#K_N = #cleave.axes<K, N>
#M_N = #cleave.axes<M, N>

// CHECK-LABEL: @no_weight
// CHECK: cleave.alternatives [{{.*}}, "input"]
func.func @no_weight(
    %x: tensor<?x512xf16, #M_K>, %w: tensor<512x64xf16, #K_N>)
    -> tensor<?x64xf32, #M_N> {
  %n = cleave.rms_norm %x over [K] eps 1.0e-6
     : (tensor<?x512xf16, #M_K>) -> tensor<512x?xf32, #K_M>
  %y = cleave.contract %n, %w over [K]
     : (tensor<512x?xf32, #K_M>, tensor<512x64xf16, #K_N>) -> tensor<?x64xf32, #M_N>
  return %y : tensor<?x64xf32, #M_N>
}
// Only what is guarded where K is empty may take the scale out.
// REMARK: refused: axis 'K' may be empty, and what is divided by its extent is then not finite; a static extent rules that out"
// CHECK-LABEL: @empty_sum
// CHECK: cleave.alternatives ["input, folded", "input"]
// CHECK: %[[Y:.*]] = cleave.contract %arg0, %arg1
// CHECK: %[[S:.*]] = cleave.mul %[[Y]],
// CHECK: cleave.select %{{.*}}, %[[S]],
// CHECK: cleave.yield
func.func @empty_sum(
    %x: tensor<?x?xf16, #M_K>, %w: tensor<?x64xf16, #K_N>)
    -> tensor<?x64xf32, #M_N> {
  %n = cleave.rms_norm %x over [K] eps 1.0e-6
     : (tensor<?x?xf16, #M_K>) -> tensor<?x?xf32, #K_M>
  %y = cleave.contract %n, %w over [K]
     : (tensor<?x?xf32, #K_M>, tensor<?x64xf16, #K_N>) -> tensor<?x64xf32, #M_N>
  return %y : tensor<?x64xf32, #M_N>
}
