// RMSNorm in front of the gated half of an MLP: Y = silu(norm(X) W1) * (norm(X) W2).
#K = #cleave.axes<K>
#K_M = #cleave.axes<K, M>
#K_N = #cleave.axes<K, N>
#M_K = #cleave.axes<M, K>
#M_N = #cleave.axes<M, N>

func.func @rmsnorm_gated_mlp(
    %x: tensor<?x4096xf16, #M_K> {cleave.name = "X", cleave.range = 300.0 : f32},
    %g: tensor<4096xf16, #K> {cleave.name = "g", cleave.range = 8.0 : f32},
    %w1: tensor<4096x14336xf16, #K_N> {cleave.name = "W1", cleave.range = 0.25 : f32},
    %w2: tensor<4096x14336xf16, #K_N> {cleave.name = "W2", cleave.range = 0.25 : f32})
    -> (tensor<?x14336xf16, #M_N> {cleave.name = "Y"})
    attributes {cleave.symbols = #cleave.symbols<M: dynamic like 16 | 1 | 128 | 2048>} {
  %n = cleave.rms_norm %x, %g over [K] eps 1.0e-6
     : (tensor<?x4096xf16, #M_K>, tensor<4096xf16, #K>) -> tensor<4096x?xf32, #K_M>
  %a = cleave.contract %n, %w1 over [K]
     : (tensor<4096x?xf32, #K_M>, tensor<4096x14336xf16, #K_N>) -> tensor<?x14336xf32, #M_N>
  %b = cleave.contract %n, %w2 over [K]
     : (tensor<4096x?xf32, #K_M>, tensor<4096x14336xf16, #K_N>) -> tensor<?x14336xf32, #M_N>
  %s = cleave.silu %a : (tensor<?x14336xf32, #M_N>) -> tensor<?x14336xf32, #M_N>
  %y = cleave.mul %s, %b : (tensor<?x14336xf32, #M_N>, tensor<?x14336xf32, #M_N>) -> tensor<?x14336xf32, #M_N>
  %y16 = cleave.cast %y : tensor<?x14336xf32, #M_N> to tensor<?x14336xf16, #M_N>
  return %y16 : tensor<?x14336xf16, #M_N>
}
