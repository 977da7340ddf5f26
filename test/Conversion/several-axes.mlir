// Several axes in the place of one: a contraction's rows or reduced axes, a
// reduction's axes; and bits as arguments and results. Each compiles for both
// targets and gives the right numbers in the emulator.
// RUN: cleave-opt %s --cleave-to-cubin="chip=sm_80 format=isa" \
// RUN:   | %python %S/Inputs/emulate_several_axes.py | FileCheck %s
// RUN: cleave-opt %s --cleave-to-cubin=chip=sm_90a | FileCheck %s --check-prefix=CUBIN
// CHECK-COUNT-13: ok
// CHECK-NOT: wrong
// CUBIN-COUNT-7: gpu.binary

func.func @linear(%x: tensor<?x?x48xf16, #cleave.axes<B, M, K>>, %w: tensor<48x24xf16, #cleave.axes<K, N>>)
    -> tensor<?x?x24xf32, #cleave.axes<B, M, N>> {
  %y = cleave.contract %x, %w over [K] : (tensor<?x?x48xf16, #cleave.axes<B, M, K>>, tensor<48x24xf16, #cleave.axes<K, N>>) -> tensor<?x?x24xf32, #cleave.axes<B, M, N>>
  return %y : tensor<?x?x24xf32, #cleave.axes<B, M, N>>
}

func.func @two_k(%x: tensor<?x?x?xf16, #cleave.axes<M, K, L>>, %w: tensor<?x?x?xf16, #cleave.axes<K, L, N>>)
    -> tensor<?x?xf32, #cleave.axes<M, N>> {
  %y = cleave.contract %x, %w over [K, L] : (tensor<?x?x?xf16, #cleave.axes<M, K, L>>, tensor<?x?x?xf16, #cleave.axes<K, L, N>>) -> tensor<?x?xf32, #cleave.axes<M, N>>
  return %y : tensor<?x?xf32, #cleave.axes<M, N>>
}

// Three dynamic axes reduced at once.
func.func @channels(%x: tensor<?x?x?x?xf32, #cleave.axes<B, C, H, W>>) -> tensor<?xf32, #cleave.axes<C>> {
  %y = cleave.reduce_sum %x over [B, H, W] : (tensor<?x?x?x?xf32, #cleave.axes<B, C, H, W>>) -> tensor<?xf32, #cleave.axes<C>>
  return %y : tensor<?xf32, #cleave.axes<C>>
}

// A block cannot hold all four axes at once.
func.func @volume(%x: tensor<4x320x4x16x48xf32, #cleave.axes<B, C, D, H, W>>) -> tensor<4x320x4x16x48xf32, #cleave.axes<B, C, D, H, W>> {
  %y = cleave.softmax %x over [C, D, H, W] : (tensor<4x320x4x16x48xf32, #cleave.axes<B, C, D, H, W>>) -> tensor<4x320x4x16x48xf32, #cleave.axes<B, C, D, H, W>>
  return %y : tensor<4x320x4x16x48xf32, #cleave.axes<B, C, D, H, W>>
}

func.func @masked(%x: tensor<?x?xf16, #cleave.axes<M, K>>, %mask: tensor<?xi1, #cleave.axes<K>>)
    -> tensor<?x?xi1, #cleave.axes<K, M>> {
  %zero = cleave.constant 0.0 : tensor<f32, #cleave.axes<>>
  %square = cleave.mul %x, %x : (tensor<?x?xf16, #cleave.axes<M, K>>, tensor<?x?xf16, #cleave.axes<M, K>>) -> tensor<?x?xf32, #cleave.axes<K, M>>
  %difference = cleave.sub %square, %x : (tensor<?x?xf32, #cleave.axes<K, M>>, tensor<?x?xf16, #cleave.axes<M, K>>) -> tensor<?x?xf32, #cleave.axes<K, M>>
  %kept = cleave.select %mask, %difference, %zero : (tensor<?xi1, #cleave.axes<K>>, tensor<?x?xf32, #cleave.axes<K, M>>, tensor<f32, #cleave.axes<>>) -> tensor<?x?xf32, #cleave.axes<K, M>>
  %y = cleave.cmp lt %zero, %kept : (tensor<f32, #cleave.axes<>>, tensor<?x?xf32, #cleave.axes<K, M>>) -> tensor<?x?xi1, #cleave.axes<K, M>>
  return %y : tensor<?x?xi1, #cleave.axes<K, M>>
}

// Batch, head and expert axes.
func.func @grouped_query(%q: tensor<?x4x?x64xf16, #cleave.axes<H, G, M, D>>, %k: tensor<?x?x64xf16, #cleave.axes<H, T, D>>,
    %v: tensor<?x?x64xf16, #cleave.axes<H, T, E>>) -> tensor<64x4x?x?xf32, #cleave.axes<E, G, H, M>> {
  %s = cleave.contract %q, %k over [D] : (tensor<?x4x?x64xf16, #cleave.axes<H, G, M, D>>, tensor<?x?x64xf16, #cleave.axes<H, T, D>>) -> tensor<4x?x?x?xf32, #cleave.axes<G, H, M, T>>
  %p = cleave.softmax %s over [T] : (tensor<4x?x?x?xf32, #cleave.axes<G, H, M, T>>) -> tensor<4x?x?x?xf32, #cleave.axes<G, H, M, T>>
  %o = cleave.contract %p, %v over [T] : (tensor<4x?x?x?xf32, #cleave.axes<G, H, M, T>>, tensor<?x?x64xf16, #cleave.axes<H, T, E>>) -> tensor<64x4x?x?xf32, #cleave.axes<E, G, H, M>>
  return %o : tensor<64x4x?x?xf32, #cleave.axes<E, G, H, M>>
}

func.func @experts(%x: tensor<?x256xf16, #cleave.axes<M, K>>, %w: tensor<?x256x256xf16, #cleave.axes<E, K, N>>)
    -> tensor<?x?x256xf32, #cleave.axes<E, M, N>> {
  %y = cleave.contract %x, %w over [K] : (tensor<?x256xf16, #cleave.axes<M, K>>, tensor<?x256x256xf16, #cleave.axes<E, K, N>>) -> tensor<?x?x256xf32, #cleave.axes<E, M, N>>
  return %y : tensor<?x?x256xf32, #cleave.axes<E, M, N>>
}
