// Causal attention by positions, bottom-right aligned: what Inputs/attention.mlir
// has in the scheduled form.
#B_S_H_D = #cleave.axes<B, S, H, D>
#B_T_H_D = #cleave.axes<B, T, H, D>
#B_T_H_E = #cleave.axes<B, T, H, E>
#B_S_H_E = #cleave.axes<B, S, H, E>
#B_E_H_S = #cleave.axes<B, E, H, S>
#B_H_S_T = #cleave.axes<B, H, S, T>
#S = #cleave.axes<S>
#S_T = #cleave.axes<S, T>
#T = #cleave.axes<T>
#s = #cleave.axes<>
!q = tensor<?x?x2x128xf16, #B_S_H_D>
!z = tensor<?x2x?x?xf32, #B_H_S_T>
!s = tensor<f32, #s>

func.func @attention(%q: !q, %k: tensor<?x?x2x128xf16, #B_T_H_D>, %v: tensor<?x?x2x128xf16, #B_T_H_E>) -> tensor<?x?x2x128xf16, #B_S_H_E> {
  %x = cleave.contract %q, %k over [D] : (!q, tensor<?x?x2x128xf16, #B_T_H_D>) -> !z
  %scale = cleave.constant 0.0883883461 : !s
  %y = cleave.mul %x, %scale : (!z, !s) -> !z
  %i = cleave.iota S : tensor<?xf32, #S>
  %j = cleave.iota T : tensor<?xf32, #T>
  %nt = cleave.extent T : !s
  %ns = cleave.extent S : !s
  %d = cleave.sub %nt, %ns : (!s, !s) -> !s
  %last = cleave.add %i, %d : (tensor<?xf32, #S>, !s) -> tensor<?xf32, #S>
  %m = cleave.cmp le %j, %last : (tensor<?xf32, #T>, tensor<?xf32, #S>) -> tensor<?x?xi1, #S_T>
  %low = cleave.constant 0xFFF0000000000000 : !s
  %z = cleave.select %m, %y, %low : (tensor<?x?xi1, #S_T>, !z, !s) -> !z
  %p = cleave.softmax %z over [T] : (!z) -> !z
  %o = cleave.contract %p, %v over [T] : (!z, tensor<?x?x2x128xf16, #B_T_H_E>) -> tensor<?x128x2x?xf32, #B_E_H_S>
  %h = cleave.cast %o : tensor<?x128x2x?xf32, #B_E_H_S> to tensor<?x128x2x?xf16, #B_E_H_S>
  %r = cleave.relayout %h : tensor<?x128x2x?xf16, #B_E_H_S> to tensor<?x?x2x128xf16, #B_S_H_E>
  return %r : tensor<?x?x2x128xf16, #B_S_H_E>
}
