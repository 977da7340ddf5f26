// The loss of each token: logsumexp(X W) minus the logit of its label.
#K_V = #cleave.axes<K, V>
#M = #cleave.axes<M>
#M_K = #cleave.axes<M, K>
#M_V = #cleave.axes<M, V>

func.func @cross_entropy(
    %x: tensor<?x4096xf16, #M_K> {cleave.name = "X"},
    %w: tensor<4096x32000xf16, #K_V> {cleave.name = "W"},
    %label: tensor<?xi32, #M> {cleave.name = "label", cleave.range = 31999.0 : f32})
    -> (tensor<?xf32, #M> {cleave.name = "loss"})
    attributes {cleave.symbols = #cleave.symbols<M: dynamic like 128 | 1 | 16 | 2048>} {
  %logits = cleave.contract %x, %w over [K]
     : (tensor<?x4096xf16, #M_K>, tensor<4096x32000xf16, #K_V>) -> tensor<?x32000xf32, #M_V>
  %z = cleave.logsumexp %logits over [V] : (tensor<?x32000xf32, #M_V>) -> tensor<?xf32, #M>
  %chosen = cleave.gather %logits V at %label : (tensor<?x32000xf32, #M_V>, tensor<?xi32, #M>) -> tensor<?xf32, #M>
  %loss = cleave.sub %z, %chosen : (tensor<?xf32, #M>, tensor<?xf32, #M>) -> tensor<?xf32, #M>
  return %loss : tensor<?xf32, #M>
}
