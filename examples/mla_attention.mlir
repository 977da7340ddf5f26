// Multi-head latent attention as its paper has it: keys and values are projections of a latent C that all heads
// share, K = C W_k and V = C W_v; the keys of the rotary part are shared as they are. Absorbing the projections is
// left to the algebra. The ranges bound what is then an operand.
#B_D_H_T = #cleave.axes<B, D, H, T>
#B_E_H_S = #cleave.axes<B, E, H, S>
#B_E_H_T = #cleave.axes<B, E, H, T>
#B_H_S_T = #cleave.axes<B, H, S, T>
#B_S_H_D = #cleave.axes<B, S, H, D>
#B_S_H_E = #cleave.axes<B, S, H, E>
#B_S_H_R = #cleave.axes<B, S, H, R>
#B_T_L = #cleave.axes<B, T, L>
#B_T_R = #cleave.axes<B, T, R>
#L_H_D = #cleave.axes<L, H, D>
#L_H_E = #cleave.axes<L, H, E>
#S = #cleave.axes<S>
#S_T = #cleave.axes<S, T>
#T = #cleave.axes<T>
#scalar = #cleave.axes<>

func.func @mla_attention(
    %q: tensor<?x?x128x128xf16, #B_S_H_D> {cleave.name = "Q", cleave.range = 4.0 : f32},
    %qr: tensor<?x?x128x64xf16, #B_S_H_R> {cleave.name = "Qr"},
    %c: tensor<?x?x512xf16, #B_T_L> {cleave.name = "C", cleave.range = 4.0 : f32},
    %kr: tensor<?x?x64xf16, #B_T_R> {cleave.name = "Kr"},
    %wk: tensor<512x128x128xf16, #L_H_D> {cleave.name = "Wk", cleave.range = 0.25 : f32},
    %wv: tensor<512x128x128xf16, #L_H_E> {cleave.name = "Wv", cleave.range = 0.25 : f32})
    -> (tensor<?x?x128x128xf16, #B_S_H_E> {cleave.name = "O"})
    attributes {cleave.symbols = #cleave.symbols<B: dynamic like 16, S: dynamic like 1, T: dynamic like 4096>} {
  %k = cleave.contract %c, %wk over [L]
     : (tensor<?x?x512xf16, #B_T_L>, tensor<512x128x128xf16, #L_H_D>) -> tensor<?x128x128x?xf32, #B_D_H_T>
  %v = cleave.contract %c, %wv over [L]
     : (tensor<?x?x512xf16, #B_T_L>, tensor<512x128x128xf16, #L_H_E>) -> tensor<?x128x128x?xf32, #B_E_H_T>
  %content = cleave.contract %q, %k over [D]
     : (tensor<?x?x128x128xf16, #B_S_H_D>, tensor<?x128x128x?xf32, #B_D_H_T>) -> tensor<?x128x?x?xf32, #B_H_S_T>
  %position = cleave.contract %qr, %kr over [R]
     : (tensor<?x?x128x64xf16, #B_S_H_R>, tensor<?x?x64xf16, #B_T_R>) -> tensor<?x128x?x?xf32, #B_H_S_T>
  %s = cleave.add %content, %position
     : (tensor<?x128x?x?xf32, #B_H_S_T>, tensor<?x128x?x?xf32, #B_H_S_T>) -> tensor<?x128x?x?xf32, #B_H_S_T>
  // 1 / sqrt(128 + 64)
  %scale = cleave.constant 0.07216878364870322 : tensor<f32, #scalar>
  %z = cleave.mul %s, %scale
     : (tensor<?x128x?x?xf32, #B_H_S_T>, tensor<f32, #scalar>) -> tensor<?x128x?x?xf32, #B_H_S_T>
  %qs = cleave.iota S : tensor<?xf32, #S>
  %ks = cleave.iota T : tensor<?xf32, #T>
  %nt = cleave.extent T : tensor<f32, #scalar>
  %ns = cleave.extent S : tensor<f32, #scalar>
  %first = cleave.sub %nt, %ns : (tensor<f32, #scalar>, tensor<f32, #scalar>) -> tensor<f32, #scalar>
  %last = cleave.add %qs, %first : (tensor<?xf32, #S>, tensor<f32, #scalar>) -> tensor<?xf32, #S>
  %visible = cleave.cmp le %ks, %last : (tensor<?xf32, #T>, tensor<?xf32, #S>) -> tensor<?x?xi1, #S_T>
  %low = cleave.constant 0xFFF0000000000000 : tensor<f32, #scalar>
  %masked = cleave.select %visible, %z, %low
     : (tensor<?x?xi1, #S_T>, tensor<?x128x?x?xf32, #B_H_S_T>, tensor<f32, #scalar>) -> tensor<?x128x?x?xf32, #B_H_S_T>
  %p = cleave.softmax %masked over [T] : (tensor<?x128x?x?xf32, #B_H_S_T>) -> tensor<?x128x?x?xf32, #B_H_S_T>
  %o = cleave.contract %p, %v over [T]
     : (tensor<?x128x?x?xf32, #B_H_S_T>, tensor<?x128x128x?xf32, #B_E_H_T>) -> tensor<?x128x128x?xf32, #B_E_H_S>
  %y16 = cleave.cast %o : tensor<?x128x128x?xf32, #B_E_H_S> to tensor<?x128x128x?xf16, #B_E_H_S>
  %r = cleave.relayout %y16 : tensor<?x128x128x?xf16, #B_E_H_S> to tensor<?x?x128x128xf16, #B_S_H_E>
  return %r : tensor<?x?x128x128xf16, #B_S_H_E>
}
