// A mask by an argument that each iteration loads: loops are versioned by what
// threads know without loading it.

// RUN: cleave-opt %s --cleave-to-gpu -verify-each -o %t.mlir
// RUN: cleave-run %t.mlir --source=%s --device=emulator --check --bind "M=1,K=1;M=3,K=0;M=20,K=600" | FileCheck %s
// CHECK-COUNT-3: : ok

#M_K = #cleave.axes<M, K>
#K_M = #cleave.axes<K, M>
#K_N = #cleave.axes<K, N>
#M_N = #cleave.axes<M, N>
#M = #cleave.axes<M>
#K = #cleave.axes<K>
#s = #cleave.axes<>
// Softmax over the first L columns.
func.func @dead(%x: tensor<?x?xf16, #M_K> {cleave.name = "X"}, %v: tensor<?x72xf16, #K_N> {cleave.name = "V"}, %l: tensor<f32, #s> {cleave.name = "L"})
    -> (tensor<?x72xf16, #M_N> {cleave.name = "Y"})
    attributes {cleave.symbols = #cleave.symbols<M: dynamic like 64, K: dynamic like 1024>} {
  %i = cleave.iota K : tensor<?xf32, #K>
  %c = cleave.cmp lt %i, %l : (tensor<?xf32, #K>, tensor<f32, #s>) -> tensor<?xi1, #K>
  %ninf = cleave.constant 0xFFF0000000000000 : tensor<f32, #s>
  %m = cleave.select %c, %x, %ninf : (tensor<?xi1, #K>, tensor<?x?xf16, #M_K>, tensor<f32, #s>) -> tensor<?x?xf32, #K_M>
  %p = cleave.softmax %m over [K] : (tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  %y = cleave.contract %p, %v over [K] : (tensor<?x?xf32, #K_M>, tensor<?x72xf16, #K_N>) -> tensor<?x72xf32, #M_N>
  %y16 = cleave.cast %y : tensor<?x72xf32, #M_N> to tensor<?x72xf16, #M_N>
  return %y16 : tensor<?x72xf16, #M_N>
}
