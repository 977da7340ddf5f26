// RUN: cleave-opt %s --cleave-algebra="report=%t.json check=full" -o /dev/null
// RUN: FileCheck %s < %t.json
// A file that cannot be written is an error.
// RUN: not cleave-opt %s --cleave-algebra=report=%t.none/report.json -o /dev/null 2>&1 | FileCheck %s --check-prefix=ERROR
// ERROR: error: cannot write '{{.*}}report.json'

#M_K = #cleave.axes<M, K>
#K_N = #cleave.axes<K, N>
#K_M = #cleave.axes<K, M>
#M = #cleave.axes<M>
#M_N = #cleave.axes<M, N>

// CHECK: "first": {
// CHECK: "alternatives": [
// CHECK: "cost": [
// CHECK: "label": "input"
// CHECK: "classes": [[#]],
// CHECK: "extraction": "exact",
// CHECK: "iterations": [[#]],
// CHECK: "milliseconds": {
// CHECK: "check": {{[0-9.e-]+}},
// CHECK: "saturation": {{[0-9.e-]+}}
// CHECK: "nodes": [[#]],
// CHECK: "rules": {
// CHECK: "Contract_Mark": [[#]]
// CHECK: "stop": "saturated"
// CHECK: "second": {
// CHECK: "rules": {}
func.func @second(%x: tensor<?xf32, #M>) -> tensor<?xf32, #M> {
  %y = cleave.exp %x : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  return %y : tensor<?xf32, #M>
}

func.func @first(%x: tensor<?x512xf16, #M_K>, %w: tensor<512x64xf16, #K_N>) -> tensor<?x64xf32, #M_N> {
  %n = cleave.rms_norm %x over [K] eps 1.0e-6
     : (tensor<?x512xf16, #M_K>) -> tensor<512x?xf32, #K_M>
  %y = cleave.contract %n, %w over [K]
     : (tensor<512x?xf32, #K_M>, tensor<512x64xf16, #K_N>) -> tensor<?x64xf32, #M_N>
  return %y : tensor<?x64xf32, #M_N>
}
