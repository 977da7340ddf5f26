// Decoding with grouped-query attention: one query token a sequence, and R query heads share each of G heads of keys
// and values. A query head is (G, R), in this storage order: O = softmax(Q K^T / sqrt(D)) V.
#B_E_G_R = #cleave.axes<B, E, G, R>
#B_G_R_D = #cleave.axes<B, G, R, D>
#B_G_R_E = #cleave.axes<B, G, R, E>
#B_G_R_T = #cleave.axes<B, G, R, T>
#B_G_T_D = #cleave.axes<B, G, T, D>
#B_G_T_E = #cleave.axes<B, G, T, E>
#scalar = #cleave.axes<>

func.func @gqa_decode(
    %q: tensor<?x8x4x128xf16, #B_G_R_D> {cleave.name = "Q"},
    %k: tensor<?x8x?x128xf16, #B_G_T_D> {cleave.name = "K"},
    %v: tensor<?x8x?x128xf16, #B_G_T_E> {cleave.name = "V"})
    -> (tensor<?x8x4x128xf16, #B_G_R_E> {cleave.name = "O"})
    attributes {cleave.symbols = #cleave.symbols<B: dynamic like 8 | 1 | 32 | 1 | 32 | 8 | 1, T: dynamic like 8192 | 8192 | 8192 | 2048 | 512 | 512 | 512>} {
  %s = cleave.contract %q, %k over [D]
     : (tensor<?x8x4x128xf16, #B_G_R_D>, tensor<?x8x?x128xf16, #B_G_T_D>) -> tensor<?x8x4x?xf32, #B_G_R_T>
  // 1 / sqrt(128)
  %scale = cleave.constant 0.08838834764831845 : tensor<f32, #scalar>
  %z = cleave.mul %s, %scale : (tensor<?x8x4x?xf32, #B_G_R_T>, tensor<f32, #scalar>) -> tensor<?x8x4x?xf32, #B_G_R_T>
  %p = cleave.softmax %z over [T] : (tensor<?x8x4x?xf32, #B_G_R_T>) -> tensor<?x8x4x?xf32, #B_G_R_T>
  %o = cleave.contract %p, %v over [T]
     : (tensor<?x8x4x?xf32, #B_G_R_T>, tensor<?x8x?x128xf16, #B_G_T_E>) -> tensor<?x128x8x4xf32, #B_E_G_R>
  %y16 = cleave.cast %o : tensor<?x128x8x4xf32, #B_E_G_R> to tensor<?x128x8x4xf16, #B_E_G_R>
  %r = cleave.relayout %y16 : tensor<?x128x8x4xf16, #B_E_G_R> to tensor<?x8x4x128xf16, #B_G_R_E>
  return %r : tensor<?x8x4x128xf16, #B_G_R_E>
}
