// A linear layer on rows scaled into the range of an 8-bit float, without its rounding: with s = 448 / max|X| a row,
// Y = (s X) W / s. A row of zeros gives 0.
#K_M = #cleave.axes<K, M>
#K_N = #cleave.axes<K, N>
#M = #cleave.axes<M>
#M_K = #cleave.axes<M, K>
#M_N = #cleave.axes<M, N>
#scalar = #cleave.axes<>

func.func @amax_scaled_linear(
    %x: tensor<?x4096xf16, #M_K> {cleave.name = "X", cleave.range = 300.0 : f32},
    %w: tensor<4096x4096xf16, #K_N> {cleave.name = "W"})
    -> (tensor<?x4096xf16, #M_N> {cleave.name = "Y"})
    attributes {cleave.symbols = #cleave.symbols<M: dynamic like 16 | 1 | 128 | 2048>} {
  %a = cleave.abs %x : (tensor<?x4096xf16, #M_K>) -> tensor<4096x?xf32, #K_M>
  %amax = cleave.reduce_max %a over [K] : (tensor<4096x?xf32, #K_M>) -> tensor<?xf32, #M>
  %limit = cleave.constant 448.0 : tensor<f32, #scalar>
  %r = cleave.recip0 %amax : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %scale = cleave.mul %limit, %r : (tensor<f32, #scalar>, tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %xs = cleave.mul %x, %scale : (tensor<?x4096xf16, #M_K>, tensor<?xf32, #M>) -> tensor<4096x?xf32, #K_M>
  %ys = cleave.contract %xs, %w over [K]
     : (tensor<4096x?xf32, #K_M>, tensor<4096x4096xf16, #K_N>) -> tensor<?x4096xf32, #M_N>
  %back = cleave.div %amax, %limit : (tensor<?xf32, #M>, tensor<f32, #scalar>) -> tensor<?xf32, #M>
  %y = cleave.mul %ys, %back : (tensor<?x4096xf32, #M_N>, tensor<?xf32, #M>) -> tensor<?x4096xf32, #M_N>
  %y16 = cleave.cast %y : tensor<?x4096xf32, #M_N> to tensor<?x4096xf16, #M_N>
  return %y16 : tensor<?x4096xf16, #M_N>
}
