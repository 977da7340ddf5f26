// RMSNorm + linear: the form after algebra (the row scale after the
// contraction) and the form as written.
#K = #cleave.axes<K>
#M = #cleave.axes<M>
#K_M = #cleave.axes<K, M>
#M_K = #cleave.axes<M, K>
#K_N = #cleave.axes<K, N>
#M_N = #cleave.axes<M, N>
#scalar = #cleave.axes<>

func.func @rmsnorm_linear(
    %x: tensor<?x4096xf16, #M_K> {cleave.name = "X"},
    %g: tensor<4096xf16, #K> {cleave.name = "g"},
    %w: tensor<4096x4096xf16, #K_N> {cleave.name = "W"})
    -> (tensor<?x4096xf16, #M_N> {cleave.name = "Y"})
    attributes {cleave.symbols = #cleave.symbols<M: dynamic like 16>} {
  %y = cleave.alternatives ["one-pass", "input"] {
    %xx = cleave.mul %x, %x : (tensor<?x4096xf16, #M_K>, tensor<?x4096xf16, #M_K>) -> tensor<4096x?xf32, #K_M>
    %s = cleave.reduce_sum %xx over [K] : (tensor<4096x?xf32, #K_M>) -> tensor<?xf32, #M>
    %xg = cleave.mul %x, %g : (tensor<?x4096xf16, #M_K>, tensor<4096xf16, #K>) -> tensor<4096x?xf32, #K_M>
    %a = cleave.contract %xg, %w over [K] : (tensor<4096x?xf32, #K_M>, tensor<4096x4096xf16, #K_N>) -> tensor<?x4096xf32, #M_N>
    %k = cleave.extent K : tensor<f32, #scalar>
    %r = cleave.recip %k : (tensor<f32, #scalar>) -> tensor<f32, #scalar>
    %mean = cleave.mul %s, %r : (tensor<?xf32, #M>, tensor<f32, #scalar>) -> tensor<?xf32, #M>
    %eps = cleave.constant 1.0e-6 : tensor<f32, #scalar>
    %b = cleave.add %mean, %eps : (tensor<?xf32, #M>, tensor<f32, #scalar>) -> tensor<?xf32, #M>
    %q = cleave.rsqrt %b : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
    %f = cleave.mul %a, %q : (tensor<?x4096xf32, #M_N>, tensor<?xf32, #M>) -> tensor<?x4096xf32, #M_N>
    %h = cleave.cast %f : tensor<?x4096xf32, #M_N> to tensor<?x4096xf16, #M_N>
    cleave.yield %h : tensor<?x4096xf16, #M_N>
  }, {
    %n = cleave.rms_norm %x, %g over [K] eps 1.0e-6 : (tensor<?x4096xf16, #M_K>, tensor<4096xf16, #K>) -> tensor<4096x?xf32, #K_M>
    %a = cleave.contract %n, %w over [K] : (tensor<4096x?xf32, #K_M>, tensor<4096x4096xf16, #K_N>) -> tensor<?x4096xf32, #M_N>
    %h = cleave.cast %a : tensor<?x4096xf32, #M_N> to tensor<?x4096xf16, #M_N>
    cleave.yield %h : tensor<?x4096xf16, #M_N>
  } : tensor<?x4096xf16, #M_N>
  return %y : tensor<?x4096xf16, #M_N>
}
