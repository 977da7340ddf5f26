// Causal attention by positions, bottom-right aligned: what Inputs/attention.mlir
// has in the scheduled form. Query heads are groups of one, and the halves of
// each head change their sign, twice in each product.
#B_S_H_D = #cleave.axes<B, S, H, D>
#B_S_H_E = #cleave.axes<B, S, H, E>
#B_E_H_S = #cleave.axes<B, E, H, S>
#S = #cleave.axes<S>
#S_T = #cleave.axes<S, T>
#T = #cleave.axes<T>
#s = #cleave.axes<>
#B_D_G_R_S = #cleave.axes<B, D, G, R, S>
#B_G_I_J_R_S = #cleave.axes<B, G, I, J, R, S>
#B_G_I_J_T = #cleave.axes<B, G, I, J, T>
#B_D_G_T = #cleave.axes<B, D, G, T>
#B_T_G_D = #cleave.axes<B, T, G, D>
#B_T_G_E = #cleave.axes<B, T, G, E>
#B_G_R_S_T = #cleave.axes<B, G, R, S, T>
#B_E_G_R_S = #cleave.axes<B, E, G, R, S>
!q = tensor<?x?x2x128xf16, #B_S_H_D>
!k = tensor<?x?x2x128xf16, #B_T_G_D>
!v = tensor<?x?x2x128xf16, #B_T_G_E>
!z = tensor<?x2x1x?x?xf32, #B_G_R_S_T>
!s = tensor<f32, #s>

func.func @attention(%q: !q, %k: !k, %v: !v) -> tensor<?x?x2x128xf16, #B_S_H_E> {
  %g = cleave.split %q H into (G, R) : !q to tensor<?x128x2x1x?xf16, #B_D_G_R_S>
  %gh = cleave.split %g D into (J, I) : tensor<?x128x2x1x?xf16, #B_D_G_R_S> to tensor<?x2x64x2x1x?xf16, #B_G_I_J_R_S>
  %gn = cleave.neg %gh : (tensor<?x2x64x2x1x?xf16, #B_G_I_J_R_S>) -> tensor<?x2x64x2x1x?xf32, #B_G_I_J_R_S>
  %gm = cleave.merge %gn (J, I) into D : tensor<?x2x64x2x1x?xf32, #B_G_I_J_R_S> to tensor<?x128x2x1x?xf32, #B_D_G_R_S>
  %kh = cleave.split %k D into (J, I) : !k to tensor<?x2x64x2x?xf16, #B_G_I_J_T>
  %kn = cleave.neg %kh : (tensor<?x2x64x2x?xf16, #B_G_I_J_T>) -> tensor<?x2x64x2x?xf32, #B_G_I_J_T>
  %km = cleave.merge %kn (J, I) into D : tensor<?x2x64x2x?xf32, #B_G_I_J_T> to tensor<?x128x2x?xf32, #B_D_G_T>
  %x = cleave.contract %gm, %km over [D] : (tensor<?x128x2x1x?xf32, #B_D_G_R_S>, tensor<?x128x2x?xf32, #B_D_G_T>) -> !z
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
  %o = cleave.contract %p, %v over [T] : (!z, !v) -> tensor<?x128x2x1x?xf32, #B_E_G_R_S>
  %om = cleave.merge %o (G, R) into H : tensor<?x128x2x1x?xf32, #B_E_G_R_S> to tensor<?x128x2x?xf32, #B_E_H_S>
  %h = cleave.cast %om : tensor<?x128x2x?xf32, #B_E_H_S> to tensor<?x128x2x?xf16, #B_E_H_S>
  %r = cleave.relayout %h : tensor<?x128x2x?xf16, #B_E_H_S> to tensor<?x?x2x128xf16, #B_S_H_E>
  return %r : tensor<?x?x2x128xf16, #B_S_H_E>
}
