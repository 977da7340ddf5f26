// Whether a form would be better if C were known not to be empty is a question
// for a remark: it took 15 seconds of a graph with 52 nodes.

// RUN: timeout 10 cleave-opt %s --cleave-algebra=check=none | FileCheck %s
// CHECK: cleave.alternatives

#C = #cleave.axes<C>
#C_K = #cleave.axes<C, K>
#K = #cleave.axes<K>
#K_C = #cleave.axes<K, C>
#s = #cleave.axes<>
!x = tensor<?x?xf16, #K_C>
!ck = tensor<?x?xf32, #C_K>
!k = tensor<?xf32, #K>
!s = tensor<f32, #s>

func.func @variance(%x: !x, %z: tensor<?xf16, #C> {cleave.range = 4.0 : f32}) -> !k {
  %0 = cleave.layer_norm %x over [K] eps 1.0e-3 : (!x) -> !ck
  %1 = cleave.contract %z, %z over [C] {operand_type = f16} : (tensor<?xf16, #C>, tensor<?xf16, #C>) -> !s
  %2 = cleave.mul %0, %1 : (!ck, !s) -> !ck
  %n = cleave.extent C : !s
  %r = cleave.recip %n : (!s) -> !s
  %t = cleave.reduce_sum %2 over [C] : (!ck) -> !k
  %m = cleave.mul %t, %r : (!k, !s) -> !k
  %d = cleave.sub %2, %m : (!ck, !k) -> !ck
  %q = cleave.mul %d, %d : (!ck, !ck) -> !ck
  %v = cleave.reduce_sum %q over [C] : (!ck) -> !k
  %y = cleave.mul %v, %r : (!k, !s) -> !k
  return %y : !k
}
