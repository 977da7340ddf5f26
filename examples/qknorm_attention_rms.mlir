// Causal grouped-query attention with RMSNorm of each head's queries and keys: R of the H query heads share each of
// G heads of keys and values. A single query sees all keys, which is decoding.
#B_D_G_R_S = #cleave.axes<B, D, G, R, S>
#B_D_G_T = #cleave.axes<B, D, G, T>
#B_E_G_R_S = #cleave.axes<B, E, G, R, S>
#B_E_H_S = #cleave.axes<B, E, H, S>
#B_G_R_S_T = #cleave.axes<B, G, R, S, T>
#B_G_T_D = #cleave.axes<B, G, T, D>
#B_G_T_E = #cleave.axes<B, G, T, E>
#B_H_S_D = #cleave.axes<B, H, S, D>
#B_H_S_E = #cleave.axes<B, H, S, E>
#D = #cleave.axes<D>
#S = #cleave.axes<S>
#S_T = #cleave.axes<S, T>
#T = #cleave.axes<T>
#scalar = #cleave.axes<>

func.func @qknorm_attention_rms(
    %q: tensor<?x32x?x128xf16, #B_H_S_D> {cleave.name = "Q", cleave.range = 300.0 : f32},
    %k: tensor<?x8x?x128xf16, #B_G_T_D> {cleave.name = "K", cleave.range = 300.0 : f32},
    %v: tensor<?x8x?x128xf16, #B_G_T_E> {cleave.name = "V"},
    %gq: tensor<128xf16, #D> {cleave.name = "gq", cleave.range = 8.0 : f32},
    %gk: tensor<128xf16, #D> {cleave.name = "gk", cleave.range = 8.0 : f32})
    -> (tensor<?x32x?x128xf16, #B_H_S_E> {cleave.name = "O"})
    attributes {cleave.symbols = #cleave.symbols<B: dynamic like 8 | 8 | 1, S: dynamic like 1 | 2048 | 1,
                                                 T: dynamic like 4096 | 2048 | 4096, H = G * R>} {
  %heads = cleave.split %q H into (G, R) : tensor<?x32x?x128xf16, #B_H_S_D> to tensor<?x128x8x4x?xf16, #B_D_G_R_S>
  %qn = cleave.rms_norm %heads, %gq over [D] eps 1.0e-6
     : (tensor<?x128x8x4x?xf16, #B_D_G_R_S>, tensor<128xf16, #D>) -> tensor<?x128x8x4x?xf32, #B_D_G_R_S>
  %kn = cleave.rms_norm %k, %gk over [D] eps 1.0e-6
     : (tensor<?x8x?x128xf16, #B_G_T_D>, tensor<128xf16, #D>) -> tensor<?x128x8x?xf32, #B_D_G_T>
  %s = cleave.contract %qn, %kn over [D]
     : (tensor<?x128x8x4x?xf32, #B_D_G_R_S>, tensor<?x128x8x?xf32, #B_D_G_T>) -> tensor<?x8x4x?x?xf32, #B_G_R_S_T>
  // 1 / sqrt(128)
  %scale = cleave.constant 0.08838834764831845 : tensor<f32, #scalar>
  %z = cleave.mul %s, %scale
     : (tensor<?x8x4x?x?xf32, #B_G_R_S_T>, tensor<f32, #scalar>) -> tensor<?x8x4x?x?xf32, #B_G_R_S_T>
  %qs = cleave.iota S : tensor<?xf32, #S>
  %ks = cleave.iota T : tensor<?xf32, #T>
  %nt = cleave.extent T : tensor<f32, #scalar>
  %ns = cleave.extent S : tensor<f32, #scalar>
  %first = cleave.sub %nt, %ns : (tensor<f32, #scalar>, tensor<f32, #scalar>) -> tensor<f32, #scalar>
  %last = cleave.add %qs, %first : (tensor<?xf32, #S>, tensor<f32, #scalar>) -> tensor<?xf32, #S>
  %visible = cleave.cmp le %ks, %last : (tensor<?xf32, #T>, tensor<?xf32, #S>) -> tensor<?x?xi1, #S_T>
  %low = cleave.constant 0xFFF0000000000000 : tensor<f32, #scalar>
  %masked = cleave.select %visible, %z, %low
     : (tensor<?x?xi1, #S_T>, tensor<?x8x4x?x?xf32, #B_G_R_S_T>, tensor<f32, #scalar>)
    -> tensor<?x8x4x?x?xf32, #B_G_R_S_T>
  %p = cleave.softmax %masked over [T] : (tensor<?x8x4x?x?xf32, #B_G_R_S_T>) -> tensor<?x8x4x?x?xf32, #B_G_R_S_T>
  %o = cleave.contract %p, %v over [T]
     : (tensor<?x8x4x?x?xf32, #B_G_R_S_T>, tensor<?x8x?x128xf16, #B_G_T_E>) -> tensor<?x128x8x4x?xf32, #B_E_G_R_S>
  %oh = cleave.merge %o (G, R) into H : tensor<?x128x8x4x?xf32, #B_E_G_R_S> to tensor<?x128x32x?xf32, #B_E_H_S>
  %y16 = cleave.cast %oh : tensor<?x128x32x?xf32, #B_E_H_S> to tensor<?x128x32x?xf16, #B_E_H_S>
  %r = cleave.relayout %y16 : tensor<?x128x32x?xf16, #B_E_H_S> to tensor<?x32x?x128xf16, #B_H_S_E>
  return %r : tensor<?x32x?x128xf16, #B_H_S_E>
}
