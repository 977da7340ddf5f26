// LayerNorm of every row.
#M_N = #cleave.axes<M, N>
#N = #cleave.axes<N>

func.func @layernorm(
    %x: tensor<?x4096xf16, #M_N> {cleave.name = "X", cleave.range = 300.0 : f32},
    %g: tensor<4096xf16, #N> {cleave.name = "g", cleave.range = 8.0 : f32},
    %b: tensor<4096xf16, #N> {cleave.name = "b", cleave.range = 8.0 : f32})
    -> (tensor<?x4096xf16, #M_N> {cleave.name = "Y"})
    attributes {cleave.symbols = #cleave.symbols<M: dynamic like 8192 | 1 | 128>} {
  %y = cleave.layer_norm %x, %g, %b over [N] eps 1.0e-5
     : (tensor<?x4096xf16, #M_N>, tensor<4096xf16, #N>, tensor<4096xf16, #N>) -> tensor<?x4096xf32, #M_N>
  %y16 = cleave.cast %y : tensor<?x4096xf32, #M_N> to tensor<?x4096xf16, #M_N>
  return %y16 : tensor<?x4096xf16, #M_N>
}
