// The largest magnitude of each row of RMSNorm: Y = max_K |X R|, with R = rsqrt(mean_K X^2 + eps).
#K_M = #cleave.axes<K, M>
#M = #cleave.axes<M>
#M_K = #cleave.axes<M, K>
#scalar = #cleave.axes<>

func.func @rmsnorm_amax(%x: tensor<?x4096xf16, #M_K> {cleave.name = "X", cleave.range = 300.0 : f32})
    -> (tensor<?xf32, #M> {cleave.name = "Y"})
    attributes {cleave.symbols = #cleave.symbols<M: dynamic like 16 | 2048>} {
  %square = cleave.mul %x, %x : (tensor<?x4096xf16, #M_K>, tensor<?x4096xf16, #M_K>) -> tensor<4096x?xf32, #K_M>
  %sum = cleave.reduce_sum %square over [K] : (tensor<4096x?xf32, #K_M>) -> tensor<?xf32, #M>
  %inverse = cleave.constant 2.44140625e-4 : tensor<f32, #scalar>
  %mean = cleave.mul %sum, %inverse : (tensor<?xf32, #M>, tensor<f32, #scalar>) -> tensor<?xf32, #M>
  %eps = cleave.constant 1.0e-6 : tensor<f32, #scalar>
  %biased = cleave.add %mean, %eps : (tensor<?xf32, #M>, tensor<f32, #scalar>) -> tensor<?xf32, #M>
  %r = cleave.rsqrt %biased : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %n = cleave.mul %x, %r : (tensor<?x4096xf16, #M_K>, tensor<?xf32, #M>) -> tensor<4096x?xf32, #K_M>
  %a = cleave.abs %n : (tensor<4096x?xf32, #K_M>) -> tensor<4096x?xf32, #K_M>
  %y = cleave.reduce_max %a over [K] : (tensor<4096x?xf32, #K_M>) -> tensor<?xf32, #M>
  return %y : tensor<?xf32, #M>
}
