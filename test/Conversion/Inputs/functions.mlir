// Functions and reductions of one argument, a row at a time.
#M_K = #cleave.axes<M, K>
#K_M = #cleave.axes<K, M>
#M = #cleave.axes<M>
!x = tensor<?x?xf32, #M_K>
!k = tensor<?x?xf32, #K_M>
!m = tensor<?xf32, #M>

func.func @functions(%x: !x) -> (!m, !m, !m, !m, !m, !m) {
  %a = cleave.abs %x : (!x) -> !k
  %e = cleave.exp2 %x : (!x) -> !k
  %l = cleave.log %a : (!k) -> !k
  %t = cleave.tanh %x : (!x) -> !k
  %f = cleave.erf %x : (!x) -> !k
  %0 = cleave.reduce_min %x over [K] : (!x) -> !m
  %1 = cleave.reduce_prod %a over [K] : (!k) -> !m
  %2 = cleave.reduce_sum %e over [K] : (!k) -> !m
  %3 = cleave.reduce_sum %l over [K] : (!k) -> !m
  %4 = cleave.reduce_sum %t over [K] : (!k) -> !m
  %5 = cleave.reduce_sum %f over [K] : (!k) -> !m
  return %0, %1, %2, %3, %4, %5 : !m, !m, !m, !m, !m, !m
}
