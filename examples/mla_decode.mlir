// Decoding with multi-head latent attention, the key and value projections absorbed into the queries and the output:
// the latent C (512 of content, 64 of rotary position) is the key, and its first 512 the value.
#B_H_C = #cleave.axes<B, H, C>
#B_H_L = #cleave.axes<B, H, L>
#B_H_T = #cleave.axes<B, H, T>
#B_L_T = #cleave.axes<B, L, T>
#B_T_C = #cleave.axes<B, T, C>
#scalar = #cleave.axes<>

func.func @mla_decode(
    %q: tensor<?x128x576xf16, #B_H_C> {cleave.name = "Q"},
    %c: tensor<?x?x576xf16, #B_T_C> {cleave.name = "C"})
    -> (tensor<?x128x512xf16, #B_H_L> {cleave.name = "O"})
    attributes {cleave.symbols = #cleave.symbols<B: dynamic like 16 | 1 | 1 | 16 | 1, T: dynamic like 4096 | 4096 | 16384 | 1024 | 1024>} {
  %s = cleave.contract %q, %c over [C]
     : (tensor<?x128x576xf16, #B_H_C>, tensor<?x?x576xf16, #B_T_C>) -> tensor<?x128x?xf32, #B_H_T>
  // 1 / sqrt(192)
  %scale = cleave.constant 0.07216878364870322 : tensor<f32, #scalar>
  %z = cleave.mul %s, %scale : (tensor<?x128x?xf32, #B_H_T>, tensor<f32, #scalar>) -> tensor<?x128x?xf32, #B_H_T>
  %p = cleave.softmax %z over [T] : (tensor<?x128x?xf32, #B_H_T>) -> tensor<?x128x?xf32, #B_H_T>
  %v = cleave.slice %c C at 0 as L : tensor<?x?x576xf16, #B_T_C> to tensor<?x512x?xf16, #B_L_T>
  %o = cleave.contract %p, %v over [T]
     : (tensor<?x128x?xf32, #B_H_T>, tensor<?x512x?xf16, #B_L_T>) -> tensor<?x128x512xf32, #B_H_L>
  %y16 = cleave.cast %o : tensor<?x128x512xf32, #B_H_L> to tensor<?x128x512xf16, #B_H_L>
  return %y16 : tensor<?x128x512xf16, #B_H_L>
}
