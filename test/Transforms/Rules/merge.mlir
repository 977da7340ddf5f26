// RUN: cleave-opt %s --cleave-apply-rules=names=Sum_PullSummands 2>/dev/null | FileCheck %s --check-prefix=PULL
// RUN: cleave-opt %s --cleave-apply-rules=names=Sum_Distribute 2>/dev/null | FileCheck %s --check-prefix=DIST
// RUN: cleave-opt %s --cleave-apply-rules=names=Sum_Merge 2>/dev/null | FileCheck %s --check-prefix=MERGE
// RUN: cleave-opt %s --cleave-apply-rules=names=Sum_MergeScaled 2>/dev/null | FileCheck %s --check-prefix=SCALED
// RUN: cleave-opt %s --cleave-apply-rules=names=Add_PullFactors 2>/dev/null | FileCheck %s --check-prefix=FACTOR
// RUN: cleave-opt %s --cleave-apply-rules=names=Contract_Concatenate 2>/dev/null | FileCheck %s --check-prefix=CONCAT

// Sums of sums, both ways.

#K = #cleave.axes<K>
#K_M = #cleave.axes<K, M>
#K_M_N = #cleave.axes<K, M, N>
#K_N = #cleave.axes<K, N>
#M = #cleave.axes<M>
#M_K = #cleave.axes<M, K>
#M_N = #cleave.axes<M, N>
#M_R = #cleave.axes<M, R>
#N = #cleave.axes<N>
#R = #cleave.axes<R>
#R_N = #cleave.axes<R, N>

// PULL-LABEL: @summands(
// PULL-DAG: %[[B:.*]] = cleave.sigmoid %arg1
// PULL-DAG: %[[N:.*]] = cleave.extent K
// PULL-DAG: %[[F:.*]] = cleave.mul %[[B]], %[[N]]
// PULL-DAG: %[[A:.*]] = cleave.exp2 %arg0
// PULL-DAG: %[[S:.*]] = cleave.reduce_sum %[[A]] over [K]
// PULL: cleave.add %[[S]], %[[F]]
// PULL: return
func.func @summands(%x: tensor<?x?xf32, #K_M>, %y: tensor<?xf32, #M>) -> tensor<?xf32, #M> {
  %a = cleave.exp2 %x : (tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  %b = cleave.sigmoid %y : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %c = cleave.add %a, %b : (tensor<?x?xf32, #K_M>, tensor<?xf32, #M>) -> tensor<?x?xf32, #K_M>
  %r = cleave.reduce_sum %c over [K] : (tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M>
  return %r : tensor<?xf32, #M>
}

// x + y may be small where both are large.
// PULL-LABEL: @summands_cancel(
// PULL-NEXT: {{.*}} = cleave.add
// PULL-NEXT: {{.*}} = cleave.reduce_sum
// PULL-NEXT: return
func.func @summands_cancel(%x: tensor<?x?xf32, #K_M>, %y: tensor<?xf32, #M>) -> tensor<?xf32, #M> {
  %c = cleave.add %x, %y : (tensor<?x?xf32, #K_M>, tensor<?xf32, #M>) -> tensor<?x?xf32, #K_M>
  %r = cleave.reduce_sum %c over [K] : (tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M>
  return %r : tensor<?xf32, #M>
}

// 0 * inf is NaN.
// PULL-LABEL: @summands_inf(
// PULL-NEXT: {{.*}} = cleave.exp2
// PULL-NEXT: {{.*}} = cleave.exp
// PULL-NEXT: {{.*}} = cleave.add
// PULL-NEXT: {{.*}} = cleave.reduce_sum
// PULL-NEXT: return
func.func @summands_inf(%x: tensor<?x?xf32, #K_M>, %y: tensor<?xf32, #M>) -> tensor<?xf32, #M> {
  %a = cleave.exp2 %x : (tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  %b = cleave.exp %y : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %c = cleave.add %a, %b : (tensor<?x?xf32, #K_M>, tensor<?xf32, #M>) -> tensor<?x?xf32, #K_M>
  %r = cleave.reduce_sum %c over [K] : (tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M>
  return %r : tensor<?xf32, #M>
}

// y can leave its sum then.
// DIST-LABEL: @distribute(
// DIST-DAG: %[[A:.*]] = cleave.mul %arg0, %arg1
// DIST-DAG: %[[S:.*]] = cleave.reduce_sum %[[A]] over [K]
// DIST-DAG: %[[T:.*]] = cleave.reduce_sum %arg2 over [K]
// DIST: cleave.add %[[S]], %[[T]]
// DIST: return
func.func @distribute(%x: tensor<?x?xf32, #K_M>, %y: tensor<?xf32, #M>, %z: tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M> {
  %a = cleave.mul %x, %y : (tensor<?x?xf32, #K_M>, tensor<?xf32, #M>) -> tensor<?x?xf32, #K_M>
  %c = cleave.add %a, %z : (tensor<?x?xf32, #K_M>, tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  %r = cleave.reduce_sum %c over [K] : (tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M>
  return %r : tensor<?xf32, #M>
}

// DIST-LABEL: @distribute_none(
// DIST-NEXT: {{.*}} = cleave.add
// DIST-NEXT: {{.*}} = cleave.reduce_sum
// DIST-NEXT: return
func.func @distribute_none(%x: tensor<?x?xf32, #K_M>, %y: tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M> {
  %c = cleave.add %x, %y : (tensor<?x?xf32, #K_M>, tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  %r = cleave.reduce_sum %c over [K] : (tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M>
  return %r : tensor<?xf32, #M>
}

// x (v + w).
// MERGE-LABEL: @merge(
// MERGE: %[[W:.*]] = cleave.add %arg1, %arg2
// MERGE: %[[P:.*]] = cleave.mul %arg0, %[[W]]
// MERGE: cleave.reduce_sum %[[P]] over [K]
// MERGE: return
func.func @merge(%x: tensor<?x?xf32, #M_K>, %v: tensor<?x?xf32, #K_N>, %w: tensor<?x?xf32, #K_N>) -> tensor<?x?xf32, #M_N> {
  %p = cleave.mul %x, %v : (tensor<?x?xf32, #M_K>, tensor<?x?xf32, #K_N>) -> tensor<?x?x?xf32, #K_M_N>
  %s = cleave.reduce_sum %p over [K] : (tensor<?x?x?xf32, #K_M_N>) -> tensor<?x?xf32, #M_N>
  %q = cleave.mul %x, %w : (tensor<?x?xf32, #M_K>, tensor<?x?xf32, #K_N>) -> tensor<?x?x?xf32, #K_M_N>
  %t = cleave.reduce_sum %q over [K] : (tensor<?x?x?xf32, #K_M_N>) -> tensor<?x?xf32, #M_N>
  %r = cleave.add %s, %t : (tensor<?x?xf32, #M_N>, tensor<?x?xf32, #M_N>) -> tensor<?x?xf32, #M_N>
  return %r : tensor<?x?xf32, #M_N>
}

// v + w would be more work than the second sum.
// MERGE-LABEL: @merge_axes(
// MERGE-NEXT: {{.*}} = cleave.mul
// MERGE-NEXT: {{.*}} = cleave.reduce_sum
// MERGE-NEXT: {{.*}} = cleave.mul
// MERGE-NEXT: {{.*}} = cleave.reduce_sum
// MERGE-NEXT: {{.*}} = cleave.add
// MERGE-NEXT: return
func.func @merge_axes(%x: tensor<?x?xf32, #M_K>, %v: tensor<?x?xf32, #K_N>, %w: tensor<?xf32, #K>) -> tensor<?x?xf32, #M_N> {
  %p = cleave.mul %x, %v : (tensor<?x?xf32, #M_K>, tensor<?x?xf32, #K_N>) -> tensor<?x?x?xf32, #K_M_N>
  %s = cleave.reduce_sum %p over [K] : (tensor<?x?x?xf32, #K_M_N>) -> tensor<?x?xf32, #M_N>
  %q = cleave.mul %x, %w : (tensor<?x?xf32, #M_K>, tensor<?xf32, #K>) -> tensor<?x?xf32, #K_M>
  %t = cleave.reduce_sum %q over [K] : (tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M>
  %r = cleave.add %s, %t : (tensor<?x?xf32, #M_N>, tensor<?xf32, #M>) -> tensor<?x?xf32, #M_N>
  return %r : tensor<?x?xf32, #M_N>
}

// inf * 2 - inf is NaN.
// MERGE-LABEL: @merge_inf(
// MERGE-NEXT: {{.*}} = cleave.exp
// MERGE-NEXT: {{.*}} = cleave.mul
// MERGE-NEXT: {{.*}} = cleave.reduce_sum
// MERGE-NEXT: {{.*}} = cleave.mul
// MERGE-NEXT: {{.*}} = cleave.reduce_sum
// MERGE-NEXT: {{.*}} = cleave.add
// MERGE-NEXT: return
func.func @merge_inf(%x: tensor<?x?xf32, #M_K>, %v: tensor<?x?xf32, #K_N>, %w: tensor<?x?xf32, #K_N>) -> tensor<?x?xf32, #M_N> {
  %e = cleave.exp %x : (tensor<?x?xf32, #M_K>) -> tensor<?x?xf32, #K_M>
  %p = cleave.mul %e, %v : (tensor<?x?xf32, #K_M>, tensor<?x?xf32, #K_N>) -> tensor<?x?x?xf32, #K_M_N>
  %s = cleave.reduce_sum %p over [K] : (tensor<?x?x?xf32, #K_M_N>) -> tensor<?x?xf32, #M_N>
  %q = cleave.mul %e, %w : (tensor<?x?xf32, #K_M>, tensor<?x?xf32, #K_N>) -> tensor<?x?x?xf32, #K_M_N>
  %t = cleave.reduce_sum %q over [K] : (tensor<?x?x?xf32, #K_M_N>) -> tensor<?x?xf32, #M_N>
  %r = cleave.add %s, %t : (tensor<?x?xf32, #M_N>, tensor<?x?xf32, #M_N>) -> tensor<?x?xf32, #M_N>
  return %r : tensor<?x?xf32, #M_N>
}

// x (v + w g).
// SCALED-LABEL: @scaled(
// SCALED: %[[G:.*]] = cleave.mul %arg2, %arg3
// SCALED: %[[W:.*]] = cleave.add %arg1, %[[G]]
// SCALED: %[[P:.*]] = cleave.mul %arg0, %[[W]]
// SCALED: cleave.reduce_sum %[[P]] over [K]
// SCALED: return
func.func @scaled(%x: tensor<?x?xf32, #M_K>, %v: tensor<?x?xf32, #K_N>, %w: tensor<?x?xf32, #K_N>, %g: tensor<?xf32, #N>) -> tensor<?x?xf32, #M_N> {
  %p = cleave.mul %x, %v : (tensor<?x?xf32, #M_K>, tensor<?x?xf32, #K_N>) -> tensor<?x?x?xf32, #K_M_N>
  %s = cleave.reduce_sum %p over [K] : (tensor<?x?x?xf32, #K_M_N>) -> tensor<?x?xf32, #M_N>
  %q = cleave.mul %x, %w : (tensor<?x?xf32, #M_K>, tensor<?x?xf32, #K_N>) -> tensor<?x?x?xf32, #K_M_N>
  %t = cleave.reduce_sum %q over [K] : (tensor<?x?x?xf32, #K_M_N>) -> tensor<?x?xf32, #M_N>
  %u = cleave.mul %t, %g : (tensor<?x?xf32, #M_N>, tensor<?xf32, #N>) -> tensor<?x?xf32, #M_N>
  %r = cleave.add %s, %u : (tensor<?x?xf32, #M_N>, tensor<?x?xf32, #M_N>) -> tensor<?x?xf32, #M_N>
  return %r : tensor<?x?xf32, #M_N>
}

// v + w g would have one more axis.
// SCALED-LABEL: @scaled_rows(
// SCALED-NEXT: {{.*}} = cleave.mul
// SCALED-NEXT: {{.*}} = cleave.reduce_sum
// SCALED-NEXT: {{.*}} = cleave.mul
// SCALED-NEXT: {{.*}} = cleave.reduce_sum
// SCALED-NEXT: {{.*}} = cleave.mul
// SCALED-NEXT: {{.*}} = cleave.add
// SCALED-NEXT: return
func.func @scaled_rows(%x: tensor<?x?xf32, #M_K>, %v: tensor<?x?xf32, #K_N>, %w: tensor<?x?xf32, #K_N>, %g: tensor<?xf32, #M>) -> tensor<?x?xf32, #M_N> {
  %p = cleave.mul %x, %v : (tensor<?x?xf32, #M_K>, tensor<?x?xf32, #K_N>) -> tensor<?x?x?xf32, #K_M_N>
  %s = cleave.reduce_sum %p over [K] : (tensor<?x?x?xf32, #K_M_N>) -> tensor<?x?xf32, #M_N>
  %q = cleave.mul %x, %w : (tensor<?x?xf32, #M_K>, tensor<?x?xf32, #K_N>) -> tensor<?x?x?xf32, #K_M_N>
  %t = cleave.reduce_sum %q over [K] : (tensor<?x?x?xf32, #K_M_N>) -> tensor<?x?xf32, #M_N>
  %u = cleave.mul %t, %g : (tensor<?x?xf32, #M_N>, tensor<?xf32, #M>) -> tensor<?x?xf32, #M_N>
  %r = cleave.add %s, %u : (tensor<?x?xf32, #M_N>, tensor<?x?xf32, #M_N>) -> tensor<?x?xf32, #M_N>
  return %r : tensor<?x?xf32, #M_N>
}

// The scale has the summed axis, free.
// SCALED-LABEL: @scaled_captured(
// SCALED-NEXT: {{.*}} = cleave.mul
// SCALED-NEXT: {{.*}} = cleave.reduce_sum
// SCALED-NEXT: {{.*}} = cleave.mul
// SCALED-NEXT: {{.*}} = cleave.reduce_sum
// SCALED-NEXT: {{.*}} = cleave.mul
// SCALED-NEXT: {{.*}} = cleave.add
// SCALED-NEXT: return
func.func @scaled_captured(%x: tensor<?x?xf32, #M_K>, %v: tensor<?x?xf32, #K_N>, %w: tensor<?x?xf32, #K_N>, %g: tensor<?x?xf32, #K_N>) -> tensor<?x?x?xf32, #K_M_N> {
  %p = cleave.mul %x, %v : (tensor<?x?xf32, #M_K>, tensor<?x?xf32, #K_N>) -> tensor<?x?x?xf32, #K_M_N>
  %s = cleave.reduce_sum %p over [K] : (tensor<?x?x?xf32, #K_M_N>) -> tensor<?x?xf32, #M_N>
  %q = cleave.mul %x, %w : (tensor<?x?xf32, #M_K>, tensor<?x?xf32, #K_N>) -> tensor<?x?x?xf32, #K_M_N>
  %t = cleave.reduce_sum %q over [K] : (tensor<?x?x?xf32, #K_M_N>) -> tensor<?x?xf32, #M_N>
  %u = cleave.mul %t, %g : (tensor<?x?xf32, #M_N>, tensor<?x?xf32, #K_N>) -> tensor<?x?x?xf32, #K_M_N>
  %r = cleave.add %s, %u : (tensor<?x?xf32, #M_N>, tensor<?x?x?xf32, #K_M_N>) -> tensor<?x?x?xf32, #K_M_N>
  return %r : tensor<?x?x?xf32, #K_M_N>
}

// FACTOR-LABEL: @factor(
// FACTOR: %[[S:.*]] = cleave.add %arg0, %arg1
// FACTOR: cleave.mul %[[S]], %arg2
// FACTOR: return
func.func @factor(%x: tensor<?x?xf32, #K_M>, %y: tensor<?x?xf32, #K_M>, %f: tensor<?xf32, #M>) -> tensor<?x?xf32, #K_M> {
  %p = cleave.mul %x, %f : (tensor<?x?xf32, #K_M>, tensor<?xf32, #M>) -> tensor<?x?xf32, #K_M>
  %q = cleave.mul %y, %f : (tensor<?x?xf32, #K_M>, tensor<?xf32, #M>) -> tensor<?x?xf32, #K_M>
  %r = cleave.add %p, %q : (tensor<?x?xf32, #K_M>, tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  return %r : tensor<?x?xf32, #K_M>
}

// inf * 2 - inf is NaN.
// FACTOR-LABEL: @factor_inf(
// FACTOR-NEXT: {{.*}} = cleave.exp
// FACTOR-NEXT: {{.*}} = cleave.mul
// FACTOR-NEXT: {{.*}} = cleave.mul
// FACTOR-NEXT: {{.*}} = cleave.add
// FACTOR-NEXT: return
func.func @factor_inf(%x: tensor<?x?xf32, #K_M>, %y: tensor<?x?xf32, #K_M>, %f: tensor<?xf32, #M>) -> tensor<?x?xf32, #K_M> {
  %e = cleave.exp %f : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %p = cleave.mul %x, %e : (tensor<?x?xf32, #K_M>, tensor<?xf32, #M>) -> tensor<?x?xf32, #K_M>
  %q = cleave.mul %y, %e : (tensor<?x?xf32, #K_M>, tensor<?xf32, #M>) -> tensor<?x?xf32, #K_M>
  %r = cleave.add %p, %q : (tensor<?x?xf32, #K_M>, tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  return %r : tensor<?x?xf32, #K_M>
}

// [x, h] [w, b].
// CONCAT-LABEL: @concat(
// CONCAT-DAG: %[[A:.*]] = cleave.concat %arg0, %arg2 along [K, R] as K.R
// CONCAT-DAG: %[[B:.*]] = cleave.concat %arg1, %arg3 along [K, R] as K.R
// CONCAT: cleave.contract %[[A]], %[[B]] over [K.R]
// CONCAT: return
func.func @concat(%x: tensor<?x?xf32, #M_K>, %w: tensor<?x?xf32, #K_N>, %h: tensor<?x?xf32, #M_R>, %b: tensor<?x?xf32, #R_N>) -> tensor<?x?xf32, #M_N> {
  %s = cleave.contract %x, %w over [K] : (tensor<?x?xf32, #M_K>, tensor<?x?xf32, #K_N>) -> tensor<?x?xf32, #M_N>
  %t = cleave.contract %h, %b over [R] : (tensor<?x?xf32, #M_R>, tensor<?x?xf32, #R_N>) -> tensor<?x?xf32, #M_N>
  %r = cleave.add %s, %t : (tensor<?x?xf32, #M_N>, tensor<?x?xf32, #M_N>) -> tensor<?x?xf32, #M_N>
  return %r : tensor<?x?xf32, #M_N>
}

// h lacks M: it would be repeated.
// CONCAT-LABEL: @concat_broadcast(
// CONCAT-NEXT: {{.*}} = cleave.contract
// CONCAT-NEXT: {{.*}} = cleave.contract
// CONCAT-NEXT: {{.*}} = cleave.add
// CONCAT-NEXT: return
func.func @concat_broadcast(%x: tensor<?x?xf32, #M_K>, %w: tensor<?x?xf32, #K_N>, %h: tensor<?xf32, #R>, %b: tensor<?x?xf32, #R_N>) -> tensor<?x?xf32, #M_N> {
  %s = cleave.contract %x, %w over [K] : (tensor<?x?xf32, #M_K>, tensor<?x?xf32, #K_N>) -> tensor<?x?xf32, #M_N>
  %t = cleave.contract %h, %b over [R] : (tensor<?xf32, #R>, tensor<?x?xf32, #R_N>) -> tensor<?xf32, #N>
  %r = cleave.add %s, %t : (tensor<?x?xf32, #M_N>, tensor<?xf32, #N>) -> tensor<?x?xf32, #M_N>
  return %r : tensor<?x?xf32, #M_N>
}
