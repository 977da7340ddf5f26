// z = logsumexp(X W) over the vocabulary V; the logits are no result.
#K_V = #cleave.axes<K, V>
#M = #cleave.axes<M>
#M_K = #cleave.axes<M, K>
#M_V = #cleave.axes<M, V>

func.func @linear_logsumexp(
    %x: tensor<?x4096xf16, #M_K> {cleave.name = "X"},
    %w: tensor<4096x32000xf16, #K_V> {cleave.name = "W"})
    -> (tensor<?xf32, #M> {cleave.name = "z"})
    attributes {cleave.symbols = #cleave.symbols<M: dynamic like 128 | 1 | 16 | 2048>} {
  %logits = cleave.contract %x, %w over [K]
     : (tensor<?x4096xf16, #M_K>, tensor<4096x32000xf16, #K_V>) -> tensor<?x32000xf32, #M_V>
  %z = cleave.logsumexp %logits over [V] : (tensor<?x32000xf32, #M_V>) -> tensor<?xf32, #M>
  return %z : tensor<?xf32, #M>
}
