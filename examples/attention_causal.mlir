// Causal attention: O = softmax(mask(Q K^T / sqrt(D))) V. Query s sees the keys t <= s + |T| - |S|: the last query
// sees all keys. A query that sees none gives 0.
#B_E_H_S = #cleave.axes<B, E, H, S>
#B_H_S_D = #cleave.axes<B, H, S, D>
#B_H_S_E = #cleave.axes<B, H, S, E>
#B_H_S_T = #cleave.axes<B, H, S, T>
#B_H_T_D = #cleave.axes<B, H, T, D>
#B_H_T_E = #cleave.axes<B, H, T, E>
#S = #cleave.axes<S>
#S_T = #cleave.axes<S, T>
#T = #cleave.axes<T>
#scalar = #cleave.axes<>

func.func @attention_causal(
    %q: tensor<?x32x?x128xf16, #B_H_S_D> {cleave.name = "Q"},
    %k: tensor<?x32x?x128xf16, #B_H_T_D> {cleave.name = "K"},
    %v: tensor<?x32x?x128xf16, #B_H_T_E> {cleave.name = "V"})
    -> (tensor<?x32x?x128xf16, #B_H_S_E> {cleave.name = "O"})
    attributes {cleave.symbols = #cleave.symbols<B: dynamic like 4, S: dynamic like 2048 | 1, T: dynamic like 2048 | 8192>} {
  %s = cleave.contract %q, %k over [D]
     : (tensor<?x32x?x128xf16, #B_H_S_D>, tensor<?x32x?x128xf16, #B_H_T_D>) -> tensor<?x32x?x?xf32, #B_H_S_T>
  // 1 / sqrt(128)
  %scale = cleave.constant 0.08838834764831845 : tensor<f32, #scalar>
  %z = cleave.mul %s, %scale : (tensor<?x32x?x?xf32, #B_H_S_T>, tensor<f32, #scalar>) -> tensor<?x32x?x?xf32, #B_H_S_T>
  %qs = cleave.iota S : tensor<?xf32, #S>
  %ks = cleave.iota T : tensor<?xf32, #T>
  %nt = cleave.extent T : tensor<f32, #scalar>
  %ns = cleave.extent S : tensor<f32, #scalar>
  %first = cleave.sub %nt, %ns : (tensor<f32, #scalar>, tensor<f32, #scalar>) -> tensor<f32, #scalar>
  %last = cleave.add %qs, %first : (tensor<?xf32, #S>, tensor<f32, #scalar>) -> tensor<?xf32, #S>
  %visible = cleave.cmp le %ks, %last : (tensor<?xf32, #T>, tensor<?xf32, #S>) -> tensor<?x?xi1, #S_T>
  %low = cleave.constant 0xFFF0000000000000 : tensor<f32, #scalar>
  %masked = cleave.select %visible, %z, %low
     : (tensor<?x?xi1, #S_T>, tensor<?x32x?x?xf32, #B_H_S_T>, tensor<f32, #scalar>) -> tensor<?x32x?x?xf32, #B_H_S_T>
  %p = cleave.softmax %masked over [T] : (tensor<?x32x?x?xf32, #B_H_S_T>) -> tensor<?x32x?x?xf32, #B_H_S_T>
  %o = cleave.contract %p, %v over [T]
     : (tensor<?x32x?x?xf32, #B_H_S_T>, tensor<?x32x?x128xf16, #B_H_T_E>) -> tensor<?x128x32x?xf32, #B_E_H_S>
  %y16 = cleave.cast %o : tensor<?x128x32x?xf32, #B_E_H_S> to tensor<?x128x32x?xf16, #B_E_H_S>
  %r = cleave.relayout %y16 : tensor<?x128x32x?xf16, #B_E_H_S> to tensor<?x32x?x128xf16, #B_H_S_E>
  return %r : tensor<?x32x?x128xf16, #B_H_S_E>
}
