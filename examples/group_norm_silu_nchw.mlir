// GroupNorm of images with G groups of C channels each and P pixels, then SiLU. Weight and bias belong to channels.
#C_G_M_P = #cleave.axes<C, G, M, P>
#G_C = #cleave.axes<G, C>
#M_G_C_P = #cleave.axes<M, G, C, P>

func.func @group_norm_silu_nchw(
    %x: tensor<?x32x16x4096xf16, #M_G_C_P> {cleave.name = "X", cleave.range = 300.0 : f32},
    %g: tensor<32x16xf16, #G_C> {cleave.name = "g", cleave.range = 8.0 : f32},
    %b: tensor<32x16xf16, #G_C> {cleave.name = "b", cleave.range = 8.0 : f32})
    -> (tensor<?x32x16x4096xf16, #M_G_C_P> {cleave.name = "Y"})
    attributes {cleave.symbols = #cleave.symbols<M: dynamic like 8>} {
  %n = cleave.layer_norm %x, %g, %b over [C, P] eps 1.0e-5
     : (tensor<?x32x16x4096xf16, #M_G_C_P>, tensor<32x16xf16, #G_C>, tensor<32x16xf16, #G_C>)
    -> tensor<16x32x?x4096xf32, #C_G_M_P>
  %y = cleave.silu %n : (tensor<16x32x?x4096xf32, #C_G_M_P>) -> tensor<16x32x?x4096xf32, #C_G_M_P>
  %y16 = cleave.cast %y : tensor<16x32x?x4096xf32, #C_G_M_P> to tensor<16x32x?x4096xf16, #C_G_M_P>
  %r = cleave.relayout %y16 : tensor<16x32x?x4096xf16, #C_G_M_P> to tensor<?x32x16x4096xf16, #M_G_C_P>
  return %r : tensor<?x32x16x4096xf16, #M_G_C_P>
}
