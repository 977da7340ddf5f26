// LayerNorm with a weight and a bias, followed by a linear layer: Y = norm(X) W.
#K = #cleave.axes<K>
#K_M = #cleave.axes<K, M>
#K_N = #cleave.axes<K, N>
#M_K = #cleave.axes<M, K>
#M_N = #cleave.axes<M, N>

func.func @layernorm_linear(
    %x: tensor<?x4096xf16, #M_K> {cleave.name = "X", cleave.range = 300.0 : f32},
    %g: tensor<4096xf16, #K> {cleave.name = "g", cleave.range = 8.0 : f32},
    %b: tensor<4096xf16, #K> {cleave.name = "b", cleave.range = 8.0 : f32},
    %w: tensor<4096x4096xf16, #K_N> {cleave.name = "W"})
    -> (tensor<?x4096xf16, #M_N> {cleave.name = "Y"})
    attributes {cleave.symbols = #cleave.symbols<M: dynamic like 16 | 1 | 128 | 2048>} {
  %n = cleave.layer_norm %x, %g, %b over [K] eps 1.0e-5
     : (tensor<?x4096xf16, #M_K>, tensor<4096xf16, #K>, tensor<4096xf16, #K>) -> tensor<4096x?xf32, #K_M>
  %y = cleave.contract %n, %w over [K]
     : (tensor<4096x?xf32, #K_M>, tensor<4096x4096xf16, #K_N>) -> tensor<?x4096xf32, #M_N>
  %y16 = cleave.cast %y : tensor<?x4096xf32, #M_N> to tensor<?x4096xf16, #M_N>
  return %y16 : tensor<?x4096xf16, #M_N>
}
