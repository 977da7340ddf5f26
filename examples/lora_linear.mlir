// A linear layer with a low-rank update: Y = X W + (X A) B. The ranges bound W + A B, so that the update can be
// added to the weight.
#K_N = #cleave.axes<K, N>
#K_R = #cleave.axes<K, R>
#M_K = #cleave.axes<M, K>
#M_N = #cleave.axes<M, N>
#M_R = #cleave.axes<M, R>
#R_N = #cleave.axes<R, N>

func.func @lora_linear(
    %x: tensor<?x4096xf16, #M_K> {cleave.name = "X"},
    %w: tensor<4096x4096xf16, #K_N> {cleave.name = "W", cleave.range = 8.0 : f32},
    %a: tensor<4096x16xf16, #K_R> {cleave.name = "A", cleave.range = 8.0 : f32},
    %b: tensor<16x4096xf16, #R_N> {cleave.name = "B", cleave.range = 8.0 : f32})
    -> (tensor<?x4096xf16, #M_N> {cleave.name = "Y"})
    attributes {cleave.symbols = #cleave.symbols<M: dynamic like 16 | 1 | 128 | 2048>} {
  %xw = cleave.contract %x, %w over [K]
     : (tensor<?x4096xf16, #M_K>, tensor<4096x4096xf16, #K_N>) -> tensor<?x4096xf32, #M_N>
  %xa = cleave.contract %x, %a over [K]
     : (tensor<?x4096xf16, #M_K>, tensor<4096x16xf16, #K_R>) -> tensor<?x16xf32, #M_R>
  %xab = cleave.contract %xa, %b over [R]
     : (tensor<?x16xf32, #M_R>, tensor<16x4096xf16, #R_N>) -> tensor<?x4096xf32, #M_N>
  %y = cleave.add %xw, %xab : (tensor<?x4096xf32, #M_N>, tensor<?x4096xf32, #M_N>) -> tensor<?x4096xf32, #M_N>
  %y16 = cleave.cast %y : tensor<?x4096xf32, #M_N> to tensor<?x4096xf16, #M_N>
  return %y16 : tensor<?x4096xf16, #M_N>
}
