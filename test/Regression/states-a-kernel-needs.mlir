// A fold's sum is needed outside of the loop over C, its other state, which has
// C, inside: a kernel that was given the latter computed both again, and there
// C had no range. So there was no schedule at all.

// RUN: cleave-run %s --check --bind 'C=5,K=3;C=1,K=1;C=8,K=33' | FileCheck %s
// CHECK-COUNT-3: Y[{{.*}}: ok

#C = #cleave.axes<C>
#C_K = #cleave.axes<C, K>
#K = #cleave.axes<K>
#scalar = #cleave.axes<>
!s = tensor<f32, #scalar>

func.func @f(%x: tensor<?xf32, #K>, %y: tensor<?x?xf32, #C_K>) -> (!s {cleave.name = "Y"}) {
  %top, %l, %o = cleave.fold over [K] ins(%x, %y : tensor<?xf32, #K>, tensor<?x?xf32, #C_K>)
    reduce_max body {
    ^bb0(%a: tensor<?xf32, #K>, %b: tensor<?x?xf32, #C_K>):
      cleave.yield %a : tensor<?xf32, #K>
    } rebase {
    }
    reduce_sum body {
    ^bb0(%a: tensor<?xf32, #K>, %b: tensor<?x?xf32, #C_K>, %m: !s):
      %d = cleave.sub %a, %m : (tensor<?xf32, #K>, !s) -> tensor<?xf32, #K>
      %e = cleave.exp %d : (tensor<?xf32, #K>) -> tensor<?xf32, #K>
      cleave.yield %e : tensor<?xf32, #K>
    } rebase {
    ^bb0(%m: !s, %l: !s, %m1: !s):
      %d = cleave.sub %m, %m1 : (!s, !s) -> !s
      %e = cleave.exp %d : (!s) -> !s
      %r = cleave.mul %l, %e : (!s, !s) -> !s
      cleave.yield %r : !s
    }
    contract body {
    ^bb0(%a: tensor<?xf32, #K>, %b: tensor<?x?xf32, #C_K>, %m: !s, %l: !s):
      %d = cleave.sub %a, %m : (tensor<?xf32, #K>, !s) -> tensor<?xf32, #K>
      %e = cleave.exp %d : (tensor<?xf32, #K>) -> tensor<?xf32, #K>
      cleave.yield %b, %e : tensor<?x?xf32, #C_K>, tensor<?xf32, #K>
    } rebase {
    ^bb0(%m: !s, %l: !s, %o: tensor<?xf32, #C>, %m1: !s, %l1: !s):
      %d = cleave.sub %m, %m1 : (!s, !s) -> !s
      %e = cleave.exp %d : (!s) -> !s
      %r = cleave.mul %o, %e : (tensor<?xf32, #C>, !s) -> tensor<?xf32, #C>
      cleave.yield %r : tensor<?xf32, #C>
    } -> (!s, !s, tensor<?xf32, #C>)
  %scale = cleave.recip %l : (!s) -> !s
  %z = cleave.mul %o, %scale : (tensor<?xf32, #C>, !s) -> tensor<?xf32, #C>
  %w = cleave.reduce_max %z over [C] : (tensor<?xf32, #C>) -> !s
  %v = cleave.sub %z, %w : (tensor<?xf32, #C>, !s) -> tensor<?xf32, #C>
  %u = cleave.reduce_sum %v over [C] : (tensor<?xf32, #C>) -> !s
  return %u : !s
}
