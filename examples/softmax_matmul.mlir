// Y = softmax(X) V.
#K_M = #cleave.axes<K, M>
#K_N = #cleave.axes<K, N>
#M_K = #cleave.axes<M, K>
#M_N = #cleave.axes<M, N>

func.func @softmax_matmul(
    %x: tensor<?x?xf16, #M_K> {cleave.name = "X"},
    %v: tensor<?x128xf16, #K_N> {cleave.name = "V"})
    -> (tensor<?x128xf16, #M_N> {cleave.name = "Y"})
    attributes {cleave.symbols = #cleave.symbols<M: dynamic like 128 | 16 | 2048 | 2048 | 128 | 128 | 2048, K: dynamic like 4096 | 4096 | 4096 | 32768 | 32768 | 512 | 512>} {
  %p = cleave.softmax %x over [K] : (tensor<?x?xf16, #M_K>) -> tensor<?x?xf32, #K_M>
  %y = cleave.contract %p, %v over [K] : (tensor<?x?xf32, #K_M>, tensor<?x128xf16, #K_N>) -> tensor<?x128xf32, #M_N>
  %y16 = cleave.cast %y : tensor<?x128xf32, #M_N> to tensor<?x128xf16, #M_N>
  return %y16 : tensor<?x128xf16, #M_N>
}
