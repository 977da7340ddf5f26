// RMSNorm with a weight, followed by a linear layer: Y = norm(X) W.
// M (tokens) is a run-time extent. The declared ranges let X * g be a tensor-core operand in front of the norm's scale.
#K = #cleave.axes<K>
#M_K = #cleave.axes<M, K>
#K_M = #cleave.axes<K, M>
#K_N = #cleave.axes<K, N>
#M_N = #cleave.axes<M, N>

func.func @rmsnorm_linear(
    %x: tensor<?x4096xf16, #M_K> {cleave.name = "X", cleave.range = 300.0 : f32},
    %g: tensor<4096xf16, #K> {cleave.name = "g", cleave.range = 8.0 : f32},
    %w: tensor<4096x4096xf16, #K_N> {cleave.name = "W"})
    -> (tensor<?x4096xf16, #M_N> {cleave.name = "Y"})
    attributes {cleave.symbols = #cleave.symbols<M: dynamic like 16 | 1 | 128 | 2048>} {
  %n = cleave.rms_norm %x, %g over [K] eps 1.0e-6
     : (tensor<?x4096xf16, #M_K>, tensor<4096xf16, #K>) -> tensor<4096x?xf32, #K_M>
  %y = cleave.contract %n, %w over [K]
     : (tensor<4096x?xf32, #K_M>, tensor<4096x4096xf16, #K_N>) -> tensor<?x4096xf32, #M_N>
  %h = cleave.cast %y : tensor<?x4096xf32, #M_N> to tensor<?x4096xf16, #M_N>
  return %h : tensor<?x4096xf16, #M_N>
}
