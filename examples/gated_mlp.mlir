// The gated half of an MLP: Y = silu(X W1) * (X W2).
#K_N = #cleave.axes<K, N>
#M_K = #cleave.axes<M, K>
#M_N = #cleave.axes<M, N>

func.func @gated_mlp(
    %x: tensor<?x4096xf16, #M_K> {cleave.name = "X"},
    %w1: tensor<4096x14336xf16, #K_N> {cleave.name = "W1"},
    %w2: tensor<4096x14336xf16, #K_N> {cleave.name = "W2"})
    -> (tensor<?x14336xf16, #M_N> {cleave.name = "Y"})
    attributes {cleave.symbols = #cleave.symbols<M: dynamic like 16 | 1 | 128 | 2048>} {
  %a = cleave.contract %x, %w1 over [K]
     : (tensor<?x4096xf16, #M_K>, tensor<4096x14336xf16, #K_N>) -> tensor<?x14336xf32, #M_N>
  %b = cleave.contract %x, %w2 over [K]
     : (tensor<?x4096xf16, #M_K>, tensor<4096x14336xf16, #K_N>) -> tensor<?x14336xf32, #M_N>
  %s = cleave.silu %a : (tensor<?x14336xf32, #M_N>) -> tensor<?x14336xf32, #M_N>
  %y = cleave.mul %s, %b : (tensor<?x14336xf32, #M_N>, tensor<?x14336xf32, #M_N>) -> tensor<?x14336xf32, #M_N>
  %y16 = cleave.cast %y : tensor<?x14336xf32, #M_N> to tensor<?x14336xf16, #M_N>
  return %y16 : tensor<?x14336xf16, #M_N>
}
