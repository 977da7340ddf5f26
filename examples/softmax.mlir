// Softmax of every row.
#M_N = #cleave.axes<M, N>

func.func @softmax(
    %x: tensor<?x4096xf16, #M_N> {cleave.name = "X"})
    -> (tensor<?x4096xf16, #M_N> {cleave.name = "Y"})
    attributes {cleave.symbols = #cleave.symbols<M: dynamic like 8192 | 1 | 128>} {
  %y = cleave.softmax %x over [N] : (tensor<?x4096xf16, #M_N>) -> tensor<?x4096xf32, #M_N>
  %y16 = cleave.cast %y : tensor<?x4096xf32, #M_N> to tensor<?x4096xf16, #M_N>
  return %y16 : tensor<?x4096xf16, #M_N>
}
