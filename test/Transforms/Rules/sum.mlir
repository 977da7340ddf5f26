// RUN: cleave-opt %s --cleave-apply-rules=names=Sum_PullFactors 2>/dev/null | FileCheck %s --check-prefix=PULL
// RUN: cleave-opt %s --cleave-apply-rules=names=Sum_DistributeOverAdd 2>/dev/null | FileCheck %s --check-prefix=ADD
// RUN: cleave-opt %s --cleave-apply-rules=names=Sum_Reassociate 2>/dev/null | FileCheck %s --check-prefix=CHAIN
// RUN: cleave-opt %s --cleave-apply-rules=names=Sum_MergeNested 2>&1 >/dev/null | FileCheck %s --check-prefix=MERGE
// RUN: cleave-opt %s --cleave-apply-rules=names=Sum_DistributeOverScaled 2>/dev/null | FileCheck %s --check-prefix=SCALED

#K = #cleave.axes<K>
#M = #cleave.axes<M>
#K_M = #cleave.axes<K, M>
#K_R = #cleave.axes<K, R>
#M_R = #cleave.axes<M, R>
#N_R = #cleave.axes<N, R>
#K_M_R = #cleave.axes<K, M, R>
#M_N_R = #cleave.axes<M, N, R>
#M_N = #cleave.axes<M, N>
#s = #cleave.axes<>

// All free factors leave at once.
// PULL-LABEL: @free
// PULL-SAME: %[[A:.*]]: tensor<?xf32, #M>, %[[B:.*]]: tensor<?x?xf32, #K_M>, %[[C:.*]]: tensor<?xf32, #M>
// PULL: %[[S:.*]] = cleave.reduce_sum %[[B]] over [K]
// PULL: %[[R:.*]] = cleave.mul %[[A]], %[[S]], %[[C]]
// PULL: return %[[R]]
func.func @free(%a: tensor<?xf32, #M>, %b: tensor<?x?xf32, #K_M>, %c: tensor<?xf32, #M>) -> tensor<?xf32, #M> {
  %p = cleave.mul %b, %a, %c : (tensor<?x?xf32, #K_M>, tensor<?xf32, #M>, tensor<?xf32, #M>) -> tensor<?x?xf32, #K_M>
  %s = cleave.reduce_sum %p over [K] : (tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M>
  return %s : tensor<?xf32, #M>
}

// A factor free of one of two axes leaves the sum over that one.
// PULL-LABEL: @inner
// PULL: %[[S:.*]] = cleave.reduce_sum %{{.*}} over [M]
// PULL: %[[P:.*]] = cleave.mul %{{.*}}, %[[S]]
// PULL: cleave.reduce_sum %[[P]] over [K]
func.func @inner(%a: tensor<?xf32, #K>, %b: tensor<?x?xf32, #K_M>) -> tensor<f32, #s> {
  %p = cleave.mul %b, %a : (tensor<?x?xf32, #K_M>, tensor<?xf32, #K>) -> tensor<?x?xf32, #K_M>
  %s = cleave.reduce_sum %p over [K, M] : (tensor<?x?xf32, #K_M>) -> tensor<f32, #s>
  return %s : tensor<f32, #s>
}

// Each factor carries the axis.
// PULL-LABEL: @bound
// PULL: %[[P:.*]] = cleave.mul
// PULL: %[[S:.*]] = cleave.reduce_sum %[[P]]
// PULL: return %[[S]]
func.func @bound(%a: tensor<?xf32, #K>, %b: tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M> {
  %p = cleave.mul %b, %a : (tensor<?x?xf32, #K_M>, tensor<?xf32, #K>) -> tensor<?x?xf32, #K_M>
  %s = cleave.reduce_sum %p over [K] : (tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M>
  return %s : tensor<?xf32, #M>
}

// 1 / c may be infinite.
// PULL-LABEL: @infinite
// PULL: %[[P:.*]] = cleave.mul
// PULL: cleave.reduce_sum %[[P]]
func.func @infinite(%a: tensor<?xf32, #M>, %b: tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M> {
  %r = cleave.recip %a : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %p = cleave.mul %b, %r : (tensor<?x?xf32, #K_M>, tensor<?xf32, #M>) -> tensor<?x?xf32, #K_M>
  %s = cleave.reduce_sum %p over [K] : (tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M>
  return %s : tensor<?xf32, #M>
}

// recip0 is not.
// PULL-LABEL: @finite
// PULL: cleave.reduce_sum %{{.*}} over
// PULL: cleave.mul
// PULL: return
func.func @finite(%a: tensor<?xf32, #M>, %b: tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M> {
  %r = cleave.recip0 %a : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %p = cleave.mul %b, %r : (tensor<?x?xf32, #K_M>, tensor<?xf32, #M>) -> tensor<?x?xf32, #K_M>
  %s = cleave.reduce_sum %p over [K] : (tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M>
  return %s : tensor<?xf32, #M>
}

// ADD-LABEL: @same_sign
// ADD-SAME: %[[F:.*]]: tensor<?xf32, #K>, %[[A:.*]]: tensor<?xf32, #M>, %[[B:.*]]: tensor<?x?xf32, #K_M>
// ADD-DAG: %[[FA:.*]] = cleave.mul %[[F]], %{{[0-9]+}} : (tensor<?xf32, #K>, tensor<?xf32, #M>)
// ADD-DAG: %[[FB:.*]] = cleave.mul %[[F]], %{{[0-9]+}} : (tensor<?xf32, #K>, tensor<?x?xf32, #K_M>)
// ADD-DAG: cleave.reduce_sum %[[FA]] over [K]
// ADD-DAG: cleave.reduce_sum %[[FB]] over [K]
// ADD: %[[S:.*]] = cleave.add %{{[0-9]+}}, %{{[0-9]+}} : (tensor<?xf32, #M>, tensor<?xf32, #M>)
// ADD: return %[[S]]
func.func @same_sign(%f: tensor<?xf32, #K>, %x: tensor<?xf32, #M>, %y: tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M> {
  %a = cleave.sigmoid %x : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %b = cleave.sigmoid %y : (tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  %c = cleave.add %a, %b : (tensor<?xf32, #M>, tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  %p = cleave.mul %f, %c : (tensor<?xf32, #K>, tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  %s = cleave.reduce_sum %p over [K] : (tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M>
  return %s : tensor<?xf32, #M>
}

// x + y may cancel, and then so would the sums.
// ADD-LABEL: @cancels
// ADD: cleave.add
// ADD: cleave.mul
// ADD: cleave.reduce_sum
// ADD-NOT: cleave.add
// ADD: return
func.func @cancels(%f: tensor<?xf32, #K>, %x: tensor<?xf32, #M>, %y: tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M> {
  %c = cleave.add %x, %y : (tensor<?xf32, #M>, tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  %p = cleave.mul %f, %c : (tensor<?xf32, #K>, tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  %s = cleave.reduce_sum %p over [K] : (tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M>
  return %s : tensor<?xf32, #M>
}

// CHAIN-LABEL: @chain
// CHAIN-SAME: %[[X:.*]]: tensor<?x?xf32, #K_M>, %[[A:.*]]: tensor<?x?xf32, #K_R>, %[[B:.*]]: tensor<?x?xf32, #N_R>
// CHAIN: %[[P:.*]] = cleave.mul %[[A]], %[[B]]
// CHAIN: %[[AB:.*]] = cleave.reduce_sum %[[P]] over [R]
// CHAIN: %[[Q:.*]] = cleave.mul %[[X]], %[[AB]]
// CHAIN: cleave.reduce_sum %[[Q]] over [K]
func.func @chain(%x: tensor<?x?xf32, #K_M>, %a: tensor<?x?xf32, #K_R>, %b: tensor<?x?xf32, #N_R>) -> tensor<?x?xf32, #M_N> {
  %p = cleave.mul %x, %a : (tensor<?x?xf32, #K_M>, tensor<?x?xf32, #K_R>) -> tensor<?x?x?xf32, #K_M_R>
  %h = cleave.reduce_sum %p over [K] : (tensor<?x?x?xf32, #K_M_R>) -> tensor<?x?xf32, #M_R>
  %q = cleave.mul %h, %b : (tensor<?x?xf32, #M_R>, tensor<?x?xf32, #N_R>) -> tensor<?x?x?xf32, #M_N_R>
  %y = cleave.reduce_sum %q over [R] : (tensor<?x?x?xf32, #M_N_R>) -> tensor<?x?xf32, #M_N>
  return %y : tensor<?x?xf32, #M_N>
}

// The outer product has more axes than the row in between.
// CHAIN-LABEL: @wider
// CHAIN: %[[H:.*]] = cleave.reduce_sum %{{.*}} over [K]
// CHAIN: cleave.mul %[[H]]
// CHAIN: cleave.reduce_sum %{{.*}} over [R]
func.func @wider(%x: tensor<?xf32, #K>, %a: tensor<?x?xf32, #K_R>, %b: tensor<?x?xf32, #N_R>) -> tensor<?xf32, #cleave.axes<N>> {
  %p = cleave.mul %x, %a : (tensor<?xf32, #K>, tensor<?x?xf32, #K_R>) -> tensor<?x?xf32, #K_R>
  %h = cleave.reduce_sum %p over [K] : (tensor<?x?xf32, #K_R>) -> tensor<?xf32, #cleave.axes<R>>
  %q = cleave.mul %h, %b : (tensor<?xf32, #cleave.axes<R>>, tensor<?x?xf32, #N_R>) -> tensor<?x?xf32, #N_R>
  %y = cleave.reduce_sum %q over [R] : (tensor<?x?xf32, #N_R>) -> tensor<?xf32, #cleave.axes<N>>
  return %y : tensor<?xf32, #cleave.axes<N>>
}

// A scale that the axis lacks leaves an addition, since it stands in a product.
// SCALED-LABEL: @scaled
// SCALED-SAME: %[[S:.*]]: tensor<?xf32, #M>, %[[A:.*]]: tensor<?x?xf32, #K_M>, %[[B:.*]]: tensor<?xf32, #K>, %[[W:.*]]: tensor<?xf32, #K>
// SCALED: %[[L:.*]] = cleave.mul
// SCALED: %[[L1:.*]] = cleave.reduce_sum %[[L]] over [K]
// SCALED: %[[R:.*]] = cleave.mul %[[B]], %[[W]]
// SCALED: %[[R1:.*]] = cleave.reduce_sum %[[R]] over [K]
// SCALED: cleave.add %[[L1]], %[[R1]]
func.func @scaled(%s: tensor<?xf32, #M>, %a: tensor<?x?xf32, #K_M>, %b: tensor<?xf32, #K>, %w: tensor<?xf32, #K>) -> tensor<?xf32, #M> {
  %p = cleave.mul %s, %a : (tensor<?xf32, #M>, tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  %t = cleave.add %p, %b : (tensor<?x?xf32, #K_M>, tensor<?xf32, #K>) -> tensor<?x?xf32, #K_M>
  %f = cleave.mul %t, %w : (tensor<?x?xf32, #K_M>, tensor<?xf32, #K>) -> tensor<?x?xf32, #K_M>
  %r = cleave.reduce_sum %f over [K] : (tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M>
  return %r : tensor<?xf32, #M>
}

// A mean that is subtracted stays: x - mean may be small where both are large.
// SCALED-LABEL: @centred
// SCALED: cleave.sub
// SCALED: cleave.mul
// SCALED: cleave.reduce_sum
// SCALED-NOT: cleave.reduce_sum
// SCALED: return
func.func @centred(%m: tensor<?xf32, #M>, %x: tensor<?x?xf32, #K_M>, %w: tensor<?xf32, #K>) -> tensor<?xf32, #M> {
  %d = cleave.sub %x, %m : (tensor<?x?xf32, #K_M>, tensor<?xf32, #M>) -> tensor<?x?xf32, #K_M>
  %f = cleave.mul %d, %w : (tensor<?x?xf32, #K_M>, tensor<?xf32, #K>) -> tensor<?x?xf32, #K_M>
  %r = cleave.reduce_sum %f over [K] : (tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M>
  return %r : tensor<?xf32, #M>
}

// Construction merges nested sums; the rule serves sums that meet later. That it
// fires is tested by its verification and by algebra.mlir.
// MERGE-COUNT-11: rule Sum_MergeNested does not apply
// MERGE-NOT: rule Sum_MergeNested does not apply
