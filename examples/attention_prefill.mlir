// Attention over all keys: O = softmax(Q K^T / sqrt(D)) V.
#B_E_H_S = #cleave.axes<B, E, H, S>
#B_H_S_D = #cleave.axes<B, H, S, D>
#B_H_S_E = #cleave.axes<B, H, S, E>
#B_H_S_T = #cleave.axes<B, H, S, T>
#B_H_T_D = #cleave.axes<B, H, T, D>
#B_H_T_E = #cleave.axes<B, H, T, E>
#scalar = #cleave.axes<>

func.func @attention_prefill(
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
  %p = cleave.softmax %z over [T] : (tensor<?x32x?x?xf32, #B_H_S_T>) -> tensor<?x32x?x?xf32, #B_H_S_T>
  %o = cleave.contract %p, %v over [T]
     : (tensor<?x32x?x?xf32, #B_H_S_T>, tensor<?x32x?x128xf16, #B_H_T_E>) -> tensor<?x128x32x?xf32, #B_E_H_S>
  %y16 = cleave.cast %o : tensor<?x128x32x?xf32, #B_E_H_S> to tensor<?x128x32x?xf16, #B_E_H_S>
  %r = cleave.relayout %y16 : tensor<?x128x32x?xf16, #B_E_H_S> to tensor<?x32x?x128xf16, #B_H_S_E>
  return %r : tensor<?x32x?x128xf16, #B_H_S_E>
}
