// GroupNorm of every row's G groups of C channels each, then SiLU.
#C_G_M = #cleave.axes<C, G, M>
#G_C = #cleave.axes<G, C>
#M_G_C = #cleave.axes<M, G, C>

func.func @group_norm_silu(
    %x: tensor<?x32x128xf16, #M_G_C> {cleave.name = "X", cleave.range = 300.0 : f32},
    %g: tensor<32x128xf16, #G_C> {cleave.name = "g", cleave.range = 8.0 : f32},
    %b: tensor<32x128xf16, #G_C> {cleave.name = "b", cleave.range = 8.0 : f32})
    -> (tensor<?x32x128xf16, #M_G_C> {cleave.name = "Y"})
    attributes {cleave.symbols = #cleave.symbols<M: dynamic like 8192 | 1 | 128>} {
  %n = cleave.layer_norm %x, %g, %b over [C] eps 1.0e-5
     : (tensor<?x32x128xf16, #M_G_C>, tensor<32x128xf16, #G_C>, tensor<32x128xf16, #G_C>)
    -> tensor<128x32x?xf32, #C_G_M>
  %y = cleave.silu %n : (tensor<128x32x?xf32, #C_G_M>) -> tensor<128x32x?xf32, #C_G_M>
  %y16 = cleave.cast %y : tensor<128x32x?xf32, #C_G_M> to tensor<128x32x?xf16, #C_G_M>
  %r = cleave.relayout %y16 : tensor<128x32x?xf16, #C_G_M> to tensor<?x32x128xf16, #M_G_C>
  return %r : tensor<?x32x128xf16, #M_G_C>
}
