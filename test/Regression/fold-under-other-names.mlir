// A fold's results are used under other names of their axes, one of which has
// none: scheduling built all states under the names that are known there, and
// axis M was neither in the grid nor reduced.

// RUN: cleave-run %s --check --bind 'M=5,K=7;M=1,K=1;M=3,K=0' | FileCheck %s
// CHECK-COUNT-3: Y[{{.*}}: ok

#scalar = #cleave.axes<>
#K = #cleave.axes<K>
#M = #cleave.axes<M>
#N = #cleave.axes<N>
#M_K = #cleave.axes<M, K>
!s = tensor<f32, #scalar>

func.func @f(%x: tensor<?x?xf32, #M_K> {cleave.name = "X"}, %y: tensor<?xf32, #K>)
    -> (tensor<?xf32, #N> {cleave.name = "Y"}) {
  %c, %o = cleave.fold over [K] ins(%x, %y : tensor<?x?xf32, #M_K>, tensor<?xf32, #K>)
    reduce_sum body {
    ^bb0(%a: tensor<?x?xf32, #M_K>, %b: tensor<?xf32, #K>):
      %q = cleave.mul %b, %b : (tensor<?xf32, #K>, tensor<?xf32, #K>) -> tensor<?xf32, #K>
      cleave.yield %q : tensor<?xf32, #K>
    } rebase {
    }
    contract body {
    ^bb0(%a: tensor<?x?xf32, #M_K>, %b: tensor<?xf32, #K>, %m: !s):
      cleave.yield %a, %b : tensor<?x?xf32, #M_K>, tensor<?xf32, #K>
    } rebase {
    } -> (!s, tensor<?xf32, #M>)
  %n = cleave.rename %o [M] to [N] : (tensor<?xf32, #M>) -> tensor<?xf32, #N>
  %one = cleave.constant 1.0 : !s
  %d = cleave.add %c, %one : (!s, !s) -> !s
  %r = cleave.div %n, %d : (tensor<?xf32, #N>, !s) -> tensor<?xf32, #N>
  return %r : tensor<?xf32, #N>
}
