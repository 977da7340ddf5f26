// A layer of a Llama-like transformer with a cache of keys and values: RMSNorm, projections to H query heads and G
// heads of keys and values, rotary positions, cache write at pos, causal grouped-query attention over the cache,
// output projection and residual, RMSNorm, gated MLP and residual. Query s stands at position pos + s. With |S| = 1
// it is decoding, with pos = 0 and |T| = |S| prefill. Weights are stored as [out, in]; Wqkv holds all heads one
// behind the other, Wgu gate and up projection. The cache is written in place: Kn and Vn have the memory of Kc and Vc.
#B_D_G_R_S = #cleave.axes<B, D, G, R, S>
#B_D_G_S = #cleave.axes<B, D, G, S>
#B_D_G_T = #cleave.axes<B, D, G, T>
#B_D_H_S = #cleave.axes<B, D, H, S>
#B_E_G_R_S = #cleave.axes<B, E, G, R, S>
#B_E_G_S = #cleave.axes<B, E, G, S>
#B_E_G_T = #cleave.axes<B, E, G, T>
#B_E_H_S = #cleave.axes<B, E, H, S>
#B_F_S = #cleave.axes<B, F, S>
#B_G_I_J_S = #cleave.axes<B, G, I, J, S>
#B_G_I_S = #cleave.axes<B, G, I, S>
#B_G_R_S_T = #cleave.axes<B, G, R, S, T>
#B_G_T_D = #cleave.axes<B, G, T, D>
#B_G_T_E = #cleave.axes<B, G, T, E>
#B_H_I_J_S = #cleave.axes<B, H, I, J, S>
#B_H_I_S = #cleave.axes<B, H, I, S>
#B_K_S = #cleave.axes<B, K, S>
#B_S_K = #cleave.axes<B, S, K>
#D_G_K = #cleave.axes<D, G, K>
#D_H_K = #cleave.axes<D, H, K>
#F_K = #cleave.axes<F, K>
#J_F_K = #cleave.axes<J, F, K>
#K = #cleave.axes<K>
#K_F = #cleave.axes<K, F>
#K_H_E = #cleave.axes<K, H, E>
#P_D_K = #cleave.axes<P, D, K>
#S = #cleave.axes<S>
#S_I = #cleave.axes<S, I>
#S_T = #cleave.axes<S, T>
#T = #cleave.axes<T>
#scalar = #cleave.axes<>

func.func @transformer_layer(
    %x: tensor<?x?x4096xf16, #B_S_K> {cleave.name = "X", cleave.range = 300.0 : f32},
    %wqkv: tensor<48x128x4096xf16, #P_D_K> {cleave.name = "Wqkv", cleave.range = 0.125 : f32},
    %wo: tensor<4096x32x128xf16, #K_H_E> {cleave.name = "Wo", cleave.range = 0.125 : f32},
    %wgu: tensor<2x14336x4096xf16, #J_F_K> {cleave.name = "Wgu", cleave.range = 0.125 : f32},
    %wd: tensor<4096x14336xf16, #K_F> {cleave.name = "Wd", cleave.range = 0.125 : f32},
    %g1: tensor<4096xf16, #K> {cleave.name = "g1", cleave.range = 2.0 : f32},
    %g2: tensor<4096xf16, #K> {cleave.name = "g2", cleave.range = 2.0 : f32},
    %cos: tensor<?x64xf16, #S_I> {cleave.name = "cos", cleave.range = 1.0 : f32},
    %sin: tensor<?x64xf16, #S_I> {cleave.name = "sin", cleave.range = 1.0 : f32},
    %kc: tensor<?x8x?x128xf16, #B_G_T_D> {cleave.name = "Kc", cleave.range = 8.0 : f32},
    %vc: tensor<?x8x?x128xf16, #B_G_T_E> {cleave.name = "Vc", cleave.range = 8.0 : f32},
    %pos: tensor<i32, #scalar> {cleave.name = "pos"})
    -> (tensor<?x?x4096xf16, #B_S_K> {cleave.name = "Y"},
        tensor<?x8x?x128xf16, #B_G_T_D> {cleave.name = "Kn", cleave.alias = "Kc"},
        tensor<?x8x?x128xf16, #B_G_T_E> {cleave.name = "Vn", cleave.alias = "Vc"})
    attributes {cleave.symbols = #cleave.symbols<B: dynamic like 16 | 1, S: dynamic like 1 | 2048 | 1,
                                                 T: dynamic like 4096 | 2048 | 4096, H = G * R>} {
  %n1 = cleave.rms_norm %x, %g1 over [K] eps 1.0e-6
     : (tensor<?x?x4096xf16, #B_S_K>, tensor<4096xf16, #K>) -> tensor<?x4096x?xf32, #B_K_S>
  %wq = cleave.slice %wqkv P at 0 as H : tensor<48x128x4096xf16, #P_D_K> to tensor<128x32x4096xf16, #D_H_K>
  %wk = cleave.slice %wqkv P at 32 as G : tensor<48x128x4096xf16, #P_D_K> to tensor<128x8x4096xf16, #D_G_K>
  %wv = cleave.slice %wqkv P at 40 as G : tensor<48x128x4096xf16, #P_D_K> to tensor<128x8x4096xf16, #D_G_K>
  %q = cleave.contract %n1, %wq over [K]
     : (tensor<?x4096x?xf32, #B_K_S>, tensor<128x32x4096xf16, #D_H_K>) -> tensor<?x128x32x?xf32, #B_D_H_S>
  %k = cleave.contract %n1, %wk over [K]
     : (tensor<?x4096x?xf32, #B_K_S>, tensor<128x8x4096xf16, #D_G_K>) -> tensor<?x128x8x?xf32, #B_D_G_S>
  %v = cleave.contract %n1, %wv over [K]
     : (tensor<?x4096x?xf32, #B_K_S>, tensor<128x8x4096xf16, #D_G_K>) -> tensor<?x128x8x?xf32, #B_D_G_S>
  %q_halves = cleave.split %q D into (J, I) : tensor<?x128x32x?xf32, #B_D_H_S> to tensor<?x32x64x2x?xf32, #B_H_I_J_S>
  %q_a = cleave.slice %q_halves J at 0 : tensor<?x32x64x2x?xf32, #B_H_I_J_S> to tensor<?x32x64x?xf32, #B_H_I_S>
  %q_b = cleave.slice %q_halves J at 1 : tensor<?x32x64x2x?xf32, #B_H_I_J_S> to tensor<?x32x64x?xf32, #B_H_I_S>
  %q_ac = cleave.mul %q_a, %cos
     : (tensor<?x32x64x?xf32, #B_H_I_S>, tensor<?x64xf16, #S_I>) -> tensor<?x32x64x?xf32, #B_H_I_S>
  %q_bs = cleave.mul %q_b, %sin
     : (tensor<?x32x64x?xf32, #B_H_I_S>, tensor<?x64xf16, #S_I>) -> tensor<?x32x64x?xf32, #B_H_I_S>
  %q_bc = cleave.mul %q_b, %cos
     : (tensor<?x32x64x?xf32, #B_H_I_S>, tensor<?x64xf16, #S_I>) -> tensor<?x32x64x?xf32, #B_H_I_S>
  %q_as = cleave.mul %q_a, %sin
     : (tensor<?x32x64x?xf32, #B_H_I_S>, tensor<?x64xf16, #S_I>) -> tensor<?x32x64x?xf32, #B_H_I_S>
  %q_lo = cleave.sub %q_ac, %q_bs
     : (tensor<?x32x64x?xf32, #B_H_I_S>, tensor<?x32x64x?xf32, #B_H_I_S>) -> tensor<?x32x64x?xf32, #B_H_I_S>
  %q_hi = cleave.add %q_bc, %q_as
     : (tensor<?x32x64x?xf32, #B_H_I_S>, tensor<?x32x64x?xf32, #B_H_I_S>) -> tensor<?x32x64x?xf32, #B_H_I_S>
  %q_pair = cleave.stack %q_lo, %q_hi as J
     : (tensor<?x32x64x?xf32, #B_H_I_S>, tensor<?x32x64x?xf32, #B_H_I_S>) -> tensor<?x32x64x2x?xf32, #B_H_I_J_S>
  %q_rot = cleave.merge %q_pair (J, I) into D : tensor<?x32x64x2x?xf32, #B_H_I_J_S> to tensor<?x128x32x?xf32, #B_D_H_S>
  %k_halves = cleave.split %k D into (J, I) : tensor<?x128x8x?xf32, #B_D_G_S> to tensor<?x8x64x2x?xf32, #B_G_I_J_S>
  %k_a = cleave.slice %k_halves J at 0 : tensor<?x8x64x2x?xf32, #B_G_I_J_S> to tensor<?x8x64x?xf32, #B_G_I_S>
  %k_b = cleave.slice %k_halves J at 1 : tensor<?x8x64x2x?xf32, #B_G_I_J_S> to tensor<?x8x64x?xf32, #B_G_I_S>
  %k_ac = cleave.mul %k_a, %cos
     : (tensor<?x8x64x?xf32, #B_G_I_S>, tensor<?x64xf16, #S_I>) -> tensor<?x8x64x?xf32, #B_G_I_S>
  %k_bs = cleave.mul %k_b, %sin
     : (tensor<?x8x64x?xf32, #B_G_I_S>, tensor<?x64xf16, #S_I>) -> tensor<?x8x64x?xf32, #B_G_I_S>
  %k_bc = cleave.mul %k_b, %cos
     : (tensor<?x8x64x?xf32, #B_G_I_S>, tensor<?x64xf16, #S_I>) -> tensor<?x8x64x?xf32, #B_G_I_S>
  %k_as = cleave.mul %k_a, %sin
     : (tensor<?x8x64x?xf32, #B_G_I_S>, tensor<?x64xf16, #S_I>) -> tensor<?x8x64x?xf32, #B_G_I_S>
  %k_lo = cleave.sub %k_ac, %k_bs
     : (tensor<?x8x64x?xf32, #B_G_I_S>, tensor<?x8x64x?xf32, #B_G_I_S>) -> tensor<?x8x64x?xf32, #B_G_I_S>
  %k_hi = cleave.add %k_bc, %k_as
     : (tensor<?x8x64x?xf32, #B_G_I_S>, tensor<?x8x64x?xf32, #B_G_I_S>) -> tensor<?x8x64x?xf32, #B_G_I_S>
  %k_pair = cleave.stack %k_lo, %k_hi as J
     : (tensor<?x8x64x?xf32, #B_G_I_S>, tensor<?x8x64x?xf32, #B_G_I_S>) -> tensor<?x8x64x2x?xf32, #B_G_I_J_S>
  %k_rot = cleave.merge %k_pair (J, I) into D : tensor<?x8x64x2x?xf32, #B_G_I_J_S> to tensor<?x128x8x?xf32, #B_D_G_S>
  %k16 = cleave.cast %k_rot : tensor<?x128x8x?xf32, #B_D_G_S> to tensor<?x128x8x?xf16, #B_D_G_S>
  %v16 = cleave.cast %v : tensor<?x128x8x?xf32, #B_D_G_S> to tensor<?x128x8x?xf16, #B_D_G_S>
  %ve = cleave.rename %v16 [D] to [E] : (tensor<?x128x8x?xf16, #B_D_G_S>) -> tensor<?x128x8x?xf16, #B_E_G_S>
  %keys = cleave.insert %k16 S into %kc T at %pos
     : (tensor<?x128x8x?xf16, #B_D_G_S>, tensor<?x8x?x128xf16, #B_G_T_D>, tensor<i32, #scalar>)
    -> tensor<?x128x8x?xf16, #B_D_G_T>
  %values = cleave.insert %ve S into %vc T at %pos
     : (tensor<?x128x8x?xf16, #B_E_G_S>, tensor<?x8x?x128xf16, #B_G_T_E>, tensor<i32, #scalar>)
    -> tensor<?x128x8x?xf16, #B_E_G_T>
  %qg = cleave.split %q_rot H into (G, R) : tensor<?x128x32x?xf32, #B_D_H_S> to tensor<?x128x8x4x?xf32, #B_D_G_R_S>
  %s = cleave.contract %qg, %keys over [D]
     : (tensor<?x128x8x4x?xf32, #B_D_G_R_S>, tensor<?x128x8x?xf16, #B_D_G_T>) -> tensor<?x8x4x?x?xf32, #B_G_R_S_T>
  // 1 / sqrt(128)
  %scale = cleave.constant 0.08838834764831845 : tensor<f32, #scalar>
  %z = cleave.mul %s, %scale
     : (tensor<?x8x4x?x?xf32, #B_G_R_S_T>, tensor<f32, #scalar>) -> tensor<?x8x4x?x?xf32, #B_G_R_S_T>
  %first = cleave.cast %pos : tensor<i32, #scalar> to tensor<f32, #scalar>
  %qs = cleave.iota S : tensor<?xf32, #S>
  %ks = cleave.iota T : tensor<?xf32, #T>
  %last = cleave.add %qs, %first : (tensor<?xf32, #S>, tensor<f32, #scalar>) -> tensor<?xf32, #S>
  %visible = cleave.cmp le %ks, %last : (tensor<?xf32, #T>, tensor<?xf32, #S>) -> tensor<?x?xi1, #S_T>
  %low = cleave.constant 0xFFF0000000000000 : tensor<f32, #scalar>
  %masked = cleave.select %visible, %z, %low
     : (tensor<?x?xi1, #S_T>, tensor<?x8x4x?x?xf32, #B_G_R_S_T>, tensor<f32, #scalar>)
    -> tensor<?x8x4x?x?xf32, #B_G_R_S_T>
  %p = cleave.softmax %masked over [T] : (tensor<?x8x4x?x?xf32, #B_G_R_S_T>) -> tensor<?x8x4x?x?xf32, #B_G_R_S_T>
  %o = cleave.contract %p, %values over [T]
     : (tensor<?x8x4x?x?xf32, #B_G_R_S_T>, tensor<?x128x8x?xf16, #B_E_G_T>) -> tensor<?x128x8x4x?xf32, #B_E_G_R_S>
  %oh = cleave.merge %o (G, R) into H : tensor<?x128x8x4x?xf32, #B_E_G_R_S> to tensor<?x128x32x?xf32, #B_E_H_S>
  %attention = cleave.contract %oh, %wo over [E, H]
     : (tensor<?x128x32x?xf32, #B_E_H_S>, tensor<4096x32x128xf16, #K_H_E>) -> tensor<?x4096x?xf32, #B_K_S>
  %hidden = cleave.add %x, %attention
     : (tensor<?x?x4096xf16, #B_S_K>, tensor<?x4096x?xf32, #B_K_S>) -> tensor<?x4096x?xf32, #B_K_S>
  %n2 = cleave.rms_norm %hidden, %g2 over [K] eps 1.0e-6
     : (tensor<?x4096x?xf32, #B_K_S>, tensor<4096xf16, #K>) -> tensor<?x4096x?xf32, #B_K_S>
  %wg = cleave.slice %wgu J at 0 : tensor<2x14336x4096xf16, #J_F_K> to tensor<14336x4096xf16, #F_K>
  %wu = cleave.slice %wgu J at 1 : tensor<2x14336x4096xf16, #J_F_K> to tensor<14336x4096xf16, #F_K>
  %gate = cleave.contract %n2, %wg over [K]
     : (tensor<?x4096x?xf32, #B_K_S>, tensor<14336x4096xf16, #F_K>) -> tensor<?x14336x?xf32, #B_F_S>
  %up = cleave.contract %n2, %wu over [K]
     : (tensor<?x4096x?xf32, #B_K_S>, tensor<14336x4096xf16, #F_K>) -> tensor<?x14336x?xf32, #B_F_S>
  %act = cleave.silu %gate : (tensor<?x14336x?xf32, #B_F_S>) -> tensor<?x14336x?xf32, #B_F_S>
  %gated = cleave.mul %act, %up
     : (tensor<?x14336x?xf32, #B_F_S>, tensor<?x14336x?xf32, #B_F_S>) -> tensor<?x14336x?xf32, #B_F_S>
  %mlp = cleave.contract %gated, %wd over [F]
     : (tensor<?x14336x?xf32, #B_F_S>, tensor<4096x14336xf16, #K_F>) -> tensor<?x4096x?xf32, #B_K_S>
  %y = cleave.add %hidden, %mlp
     : (tensor<?x4096x?xf32, #B_K_S>, tensor<?x4096x?xf32, #B_K_S>) -> tensor<?x4096x?xf32, #B_K_S>
  %y16 = cleave.cast %y : tensor<?x4096x?xf32, #B_K_S> to tensor<?x4096x?xf16, #B_K_S>
  %r = cleave.relayout %y16 : tensor<?x4096x?xf16, #B_K_S> to tensor<?x?x4096xf16, #B_S_K>
  %r_kn = cleave.relayout %keys : tensor<?x128x8x?xf16, #B_D_G_T> to tensor<?x8x?x128xf16, #B_G_T_D>
  %r_vn = cleave.relayout %values : tensor<?x128x8x?xf16, #B_E_G_T> to tensor<?x8x?x128xf16, #B_G_T_E>
  return %r, %r_kn, %r_vn
      : tensor<?x?x4096xf16, #B_S_K>, tensor<?x8x?x128xf16, #B_G_T_D>, tensor<?x8x?x128xf16, #B_G_T_E>
}
