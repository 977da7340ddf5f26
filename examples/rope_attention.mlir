// Causal attention with rotary positions in front: the two halves of each head of queries and keys rotate by the
// angles of their positions.
#B_D_H_S = #cleave.axes<B, D, H, S>
#B_D_H_T = #cleave.axes<B, D, H, T>
#B_E_H_S = #cleave.axes<B, E, H, S>
#B_H_I_J_S = #cleave.axes<B, H, I, J, S>
#B_H_I_J_T = #cleave.axes<B, H, I, J, T>
#B_H_I_S = #cleave.axes<B, H, I, S>
#B_H_I_T = #cleave.axes<B, H, I, T>
#B_H_S_D = #cleave.axes<B, H, S, D>
#B_H_S_E = #cleave.axes<B, H, S, E>
#B_H_S_T = #cleave.axes<B, H, S, T>
#B_H_T_D = #cleave.axes<B, H, T, D>
#B_H_T_E = #cleave.axes<B, H, T, E>
#S = #cleave.axes<S>
#S_I = #cleave.axes<S, I>
#S_T = #cleave.axes<S, T>
#T = #cleave.axes<T>
#T_I = #cleave.axes<T, I>
#scalar = #cleave.axes<>

func.func @rope_attention(
    %q: tensor<?x32x?x128xf16, #B_H_S_D> {cleave.name = "Q"},
    %k: tensor<?x32x?x128xf16, #B_H_T_D> {cleave.name = "K"},
    %v: tensor<?x32x?x128xf16, #B_H_T_E> {cleave.name = "V"},
    %cq: tensor<?x64xf16, #S_I> {cleave.name = "cq", cleave.range = 1.0 : f32},
    %sq: tensor<?x64xf16, #S_I> {cleave.name = "sq", cleave.range = 1.0 : f32},
    %ck: tensor<?x64xf16, #T_I> {cleave.name = "ck", cleave.range = 1.0 : f32},
    %sk: tensor<?x64xf16, #T_I> {cleave.name = "sk", cleave.range = 1.0 : f32})
    -> (tensor<?x32x?x128xf16, #B_H_S_E> {cleave.name = "O"})
    attributes {cleave.symbols = #cleave.symbols<B: dynamic like 4, S: dynamic like 2048, T: dynamic like 2048>} {
  %q_halves = cleave.split %q D into (J, I) : tensor<?x32x?x128xf16, #B_H_S_D> to tensor<?x32x64x2x?xf16, #B_H_I_J_S>
  %q_a = cleave.slice %q_halves J at 0 : tensor<?x32x64x2x?xf16, #B_H_I_J_S> to tensor<?x32x64x?xf16, #B_H_I_S>
  %q_b = cleave.slice %q_halves J at 1 : tensor<?x32x64x2x?xf16, #B_H_I_J_S> to tensor<?x32x64x?xf16, #B_H_I_S>
  %q_ac = cleave.mul %q_a, %cq
     : (tensor<?x32x64x?xf16, #B_H_I_S>, tensor<?x64xf16, #S_I>) -> tensor<?x32x64x?xf32, #B_H_I_S>
  %q_bs = cleave.mul %q_b, %sq
     : (tensor<?x32x64x?xf16, #B_H_I_S>, tensor<?x64xf16, #S_I>) -> tensor<?x32x64x?xf32, #B_H_I_S>
  %q_bc = cleave.mul %q_b, %cq
     : (tensor<?x32x64x?xf16, #B_H_I_S>, tensor<?x64xf16, #S_I>) -> tensor<?x32x64x?xf32, #B_H_I_S>
  %q_as = cleave.mul %q_a, %sq
     : (tensor<?x32x64x?xf16, #B_H_I_S>, tensor<?x64xf16, #S_I>) -> tensor<?x32x64x?xf32, #B_H_I_S>
  %q_lo = cleave.sub %q_ac, %q_bs
     : (tensor<?x32x64x?xf32, #B_H_I_S>, tensor<?x32x64x?xf32, #B_H_I_S>) -> tensor<?x32x64x?xf32, #B_H_I_S>
  %q_hi = cleave.add %q_bc, %q_as
     : (tensor<?x32x64x?xf32, #B_H_I_S>, tensor<?x32x64x?xf32, #B_H_I_S>) -> tensor<?x32x64x?xf32, #B_H_I_S>
  %q_pair = cleave.stack %q_lo, %q_hi as J
     : (tensor<?x32x64x?xf32, #B_H_I_S>, tensor<?x32x64x?xf32, #B_H_I_S>) -> tensor<?x32x64x2x?xf32, #B_H_I_J_S>
  %q_rot = cleave.merge %q_pair (J, I) into D : tensor<?x32x64x2x?xf32, #B_H_I_J_S> to tensor<?x128x32x?xf32, #B_D_H_S>
  %k_halves = cleave.split %k D into (J, I) : tensor<?x32x?x128xf16, #B_H_T_D> to tensor<?x32x64x2x?xf16, #B_H_I_J_T>
  %k_a = cleave.slice %k_halves J at 0 : tensor<?x32x64x2x?xf16, #B_H_I_J_T> to tensor<?x32x64x?xf16, #B_H_I_T>
  %k_b = cleave.slice %k_halves J at 1 : tensor<?x32x64x2x?xf16, #B_H_I_J_T> to tensor<?x32x64x?xf16, #B_H_I_T>
  %k_ac = cleave.mul %k_a, %ck
     : (tensor<?x32x64x?xf16, #B_H_I_T>, tensor<?x64xf16, #T_I>) -> tensor<?x32x64x?xf32, #B_H_I_T>
  %k_bs = cleave.mul %k_b, %sk
     : (tensor<?x32x64x?xf16, #B_H_I_T>, tensor<?x64xf16, #T_I>) -> tensor<?x32x64x?xf32, #B_H_I_T>
  %k_bc = cleave.mul %k_b, %ck
     : (tensor<?x32x64x?xf16, #B_H_I_T>, tensor<?x64xf16, #T_I>) -> tensor<?x32x64x?xf32, #B_H_I_T>
  %k_as = cleave.mul %k_a, %sk
     : (tensor<?x32x64x?xf16, #B_H_I_T>, tensor<?x64xf16, #T_I>) -> tensor<?x32x64x?xf32, #B_H_I_T>
  %k_lo = cleave.sub %k_ac, %k_bs
     : (tensor<?x32x64x?xf32, #B_H_I_T>, tensor<?x32x64x?xf32, #B_H_I_T>) -> tensor<?x32x64x?xf32, #B_H_I_T>
  %k_hi = cleave.add %k_bc, %k_as
     : (tensor<?x32x64x?xf32, #B_H_I_T>, tensor<?x32x64x?xf32, #B_H_I_T>) -> tensor<?x32x64x?xf32, #B_H_I_T>
  %k_pair = cleave.stack %k_lo, %k_hi as J
     : (tensor<?x32x64x?xf32, #B_H_I_T>, tensor<?x32x64x?xf32, #B_H_I_T>) -> tensor<?x32x64x2x?xf32, #B_H_I_J_T>
  %k_rot = cleave.merge %k_pair (J, I) into D : tensor<?x32x64x2x?xf32, #B_H_I_J_T> to tensor<?x128x32x?xf32, #B_D_H_T>
  %s = cleave.contract %q_rot, %k_rot over [D]
     : (tensor<?x128x32x?xf32, #B_D_H_S>, tensor<?x128x32x?xf32, #B_D_H_T>) -> tensor<?x32x?x?xf32, #B_H_S_T>
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
