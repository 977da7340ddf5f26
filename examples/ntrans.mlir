// The residual step of a normalised transformer: Y = norm(h + alpha (norm(f) - h)), where norm divides a row by its
// length.
#K = #cleave.axes<K>
#K_M = #cleave.axes<K, M>
#M = #cleave.axes<M>
#M_K = #cleave.axes<M, K>
#scalar = #cleave.axes<>

func.func @ntrans(
    %h: tensor<?x4096xf16, #M_K> {cleave.name = "h", cleave.range = 300.0 : f32},
    %f: tensor<?x4096xf16, #M_K> {cleave.name = "f", cleave.range = 300.0 : f32},
    %alpha: tensor<4096xf16, #K> {cleave.name = "alpha", cleave.range = 8.0 : f32})
    -> (tensor<?x4096xf16, #M_K> {cleave.name = "Y"})
    attributes {cleave.symbols = #cleave.symbols<M: dynamic like 16 | 1 | 128 | 2048>} {
  // Lengths are at least 1e-12.
  %least = cleave.constant 1.0e-24 : tensor<f32, #scalar>
  %u_square = cleave.mul %f, %f : (tensor<?x4096xf16, #M_K>, tensor<?x4096xf16, #M_K>) -> tensor<4096x?xf32, #K_M>
  %u_sum = cleave.reduce_sum %u_square over [K] : (tensor<4096x?xf32, #K_M>) -> tensor<?xf32, #M>
  %u_length = cleave.max %u_sum, %least : (tensor<?xf32, #M>, tensor<f32, #scalar>) -> tensor<?xf32, #M>
  %u_scale = cleave.rsqrt %u_length : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %u = cleave.mul %f, %u_scale : (tensor<?x4096xf16, #M_K>, tensor<?xf32, #M>) -> tensor<4096x?xf32, #K_M>
  %d = cleave.sub %u, %h : (tensor<4096x?xf32, #K_M>, tensor<?x4096xf16, #M_K>) -> tensor<4096x?xf32, #K_M>
  %step = cleave.mul %alpha, %d : (tensor<4096xf16, #K>, tensor<4096x?xf32, #K_M>) -> tensor<4096x?xf32, #K_M>
  %t = cleave.add %h, %step : (tensor<?x4096xf16, #M_K>, tensor<4096x?xf32, #K_M>) -> tensor<4096x?xf32, #K_M>
  %y_square = cleave.mul %t, %t : (tensor<4096x?xf32, #K_M>, tensor<4096x?xf32, #K_M>) -> tensor<4096x?xf32, #K_M>
  %y_sum = cleave.reduce_sum %y_square over [K] : (tensor<4096x?xf32, #K_M>) -> tensor<?xf32, #M>
  %y_length = cleave.max %y_sum, %least : (tensor<?xf32, #M>, tensor<f32, #scalar>) -> tensor<?xf32, #M>
  %y_scale = cleave.rsqrt %y_length : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %y = cleave.mul %t, %y_scale : (tensor<4096x?xf32, #K_M>, tensor<?xf32, #M>) -> tensor<4096x?xf32, #K_M>
  %y16 = cleave.cast %y : tensor<4096x?xf32, #K_M> to tensor<4096x?xf16, #K_M>
  %r = cleave.relayout %y16 : tensor<4096x?xf16, #K_M> to tensor<?x4096xf16, #M_K>
  return %r : tensor<?x4096xf16, #M_K>
}
