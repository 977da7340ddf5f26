// RUN: cleave-opt %s --cleave-apply-rules=names=Slice_Push 2>/dev/null | FileCheck %s --check-prefix=SLICE
// RUN: cleave-opt %s --cleave-apply-rules=names=Slice_PushIntoContract 2>/dev/null | FileCheck %s --check-prefix=SDOT
// RUN: cleave-opt %s --cleave-apply-rules=names=Slice_OfConcat 2>/dev/null | FileCheck %s --check-prefix=PART
// RUN: cleave-opt %s --cleave-apply-rules=names=Concat_Push 2>/dev/null | FileCheck %s --check-prefix=CPUSH
// RUN: cleave-opt %s --cleave-apply-rules=names=Concat_PushBoth 2>/dev/null | FileCheck %s --check-prefix=CBOTH
// RUN: cleave-opt %s --cleave-apply-rules=names=Concat_Pull 2>/dev/null | FileCheck %s --check-prefix=CPULL
// RUN: cleave-opt %s --cleave-apply-rules=names=Concat_PullFromContract 2>/dev/null | FileCheck %s --check-prefix=CDOT
// RUN: cleave-opt %s --cleave-apply-rules=names=Concat_SplitContract 2>/dev/null | FileCheck %s --check-prefix=SPLIT
// RUN: cleave-opt %s --cleave-apply-rules=names=Concat_SplitSum 2>/dev/null | FileCheck %s --check-prefix=SSUM
// RUN: cleave-opt %s --cleave-apply-rules=names=Concat_SplitMax 2>/dev/null | FileCheck %s --check-prefix=SMAX
// RUN: cleave-opt %s --cleave-apply-rules=names=Concat_SplitMin 2>/dev/null | FileCheck %s --check-prefix=SMIN
// RUN: cleave-opt %s --cleave-apply-rules=names=Concat_SplitProd 2>/dev/null | FileCheck %s --check-prefix=SPROD
// RUN: cleave-opt %s --cleave-apply-rules=names=Gather_Push 2>/dev/null | FileCheck %s --check-prefix=GATHER
// RUN: cleave-opt %s --cleave-apply-rules=names=Gather_Pull 2>/dev/null | FileCheck %s --check-prefix=GPULL
// RUN: cleave-opt %s --cleave-apply-rules=names=Gather_PushIntoContract 2>/dev/null | FileCheck %s --check-prefix=GDOT

// Slices, concatenations and gathers.

#D = #cleave.axes<D>
#D_M = #cleave.axes<D, M>
#I = #cleave.axes<I>
#I_M = #cleave.axes<I, M>
#K = #cleave.axes<K>
#K_M = #cleave.axes<K, M>
#K_M_N = #cleave.axes<K, M, N>
#K_N = #cleave.axes<K, N>
#K_P = #cleave.axes<K, P>
#K_R = #cleave.axes<K, R>
#L_M = #cleave.axes<L, M>
#M = #cleave.axes<M>
#M_K = #cleave.axes<M, K>
#M_N = #cleave.axes<M, N>
#M_N_P = #cleave.axes<M, N, P>
#M_P = #cleave.axes<M, P>
#M_R = #cleave.axes<M, R>
#M_S = #cleave.axes<M, S>
#M_T = #cleave.axes<M, T>
#N = #cleave.axes<N>
#N_P = #cleave.axes<N, P>
#P = #cleave.axes<P>
#P_N = #cleave.axes<P, N>
#R = #cleave.axes<R>
#R_N = #cleave.axes<R, N>
#S = #cleave.axes<S>
#S_M = #cleave.axes<S, M>
#S_N = #cleave.axes<S, N>
#T = #cleave.axes<T>

// y lacks the axis.
// SLICE-LABEL: @slice(
// SLICE: %[[S:.*]] = cleave.slice %arg0 K at 0 as L
// SLICE: cleave.add %[[S]], %arg1
// SLICE: return
func.func @slice(%x: tensor<?x?xf32, #K_M>, %y: tensor<?xf32, #M>) -> tensor<?x?xf32, #L_M> {
  %a = cleave.add %x, %y : (tensor<?x?xf32, #K_M>, tensor<?xf32, #M>) -> tensor<?x?xf32, #K_M>
  %r = cleave.slice %a K at 0 as L : tensor<?x?xf32, #K_M> to tensor<?x?xf32, #L_M>
  return %r : tensor<?x?xf32, #L_M>
}

// SLICE-LABEL: @slice_sum(
// SLICE-NEXT: {{.*}} = cleave.reduce_sum
// SLICE-NEXT: {{.*}} = cleave.slice
// SLICE-NEXT: return
func.func @slice_sum(%x: tensor<?x?x?xf32, #K_M_N>) -> tensor<?x?xf32, #L_M> {
  %a = cleave.reduce_sum %x over [N] : (tensor<?x?x?xf32, #K_M_N>) -> tensor<?x?xf32, #K_M>
  %r = cleave.slice %a K at 0 as L : tensor<?x?xf32, #K_M> to tensor<?x?xf32, #L_M>
  return %r : tensor<?x?xf32, #L_M>
}

// SDOT-LABEL: @slice_dot(
// SDOT: %[[S:.*]] = cleave.slice %arg1 N at 0 as L
// SDOT: cleave.contract %arg0, %[[S]] over [K]
// SDOT: return
func.func @slice_dot(%x: tensor<?x?xf32, #M_K>, %w: tensor<?x?xf32, #K_N>) -> tensor<?x?xf32, #L_M> {
  %a = cleave.contract %x, %w over [K] : (tensor<?x?xf32, #M_K>, tensor<?x?xf32, #K_N>) -> tensor<?x?xf32, #M_N>
  %r = cleave.slice %a N at 0 as L : tensor<?x?xf32, #M_N> to tensor<?x?xf32, #L_M>
  return %r : tensor<?x?xf32, #L_M>
}

// The part has the name of the contracted axis.
// SDOT-LABEL: @slice_captured(
// SDOT-NEXT: {{.*}} = cleave.contract
// SDOT-NEXT: {{.*}} = cleave.slice
// SDOT-NEXT: return
func.func @slice_captured(%x: tensor<?x?xf32, #M_K>, %w: tensor<?x?xf32, #K_N>) -> tensor<?x?xf32, #K_M> {
  %a = cleave.contract %x, %w over [K] : (tensor<?x?xf32, #M_K>, tensor<?x?xf32, #K_N>) -> tensor<?x?xf32, #M_N>
  %r = cleave.slice %a N at 0 as K : tensor<?x?xf32, #M_N> to tensor<?x?xf32, #K_M>
  return %r : tensor<?x?xf32, #K_M>
}

// Behind the four of S stands all of T.
// PART-LABEL: @part(
// PART-NEXT: return %arg1
func.func @part(%x: tensor<?x4xf32, #M_S>, %y: tensor<?x?xf32, #M_T>) -> tensor<?x?xf32, #M_T> {
  %c = cleave.concat %x, %y along [S, T] as N : (tensor<?x4xf32, #M_S>, tensor<?x?xf32, #M_T>) -> tensor<?x?xf32, #M_N>
  %r = cleave.slice %c N at 4 as T : tensor<?x?xf32, #M_N> to tensor<?x?xf32, #M_T>
  return %r : tensor<?x?xf32, #M_T>
}

// Not from the start of it.
// PART-LABEL: @part_other(
// PART-NEXT: {{.*}} = cleave.concat
// PART-NEXT: {{.*}} = cleave.slice
// PART-NEXT: return
func.func @part_other(%x: tensor<?x4xf32, #M_S>, %y: tensor<?x?xf32, #M_T>) -> tensor<?x?xf32, #M_T> {
  %c = cleave.concat %x, %y along [S, T] as N : (tensor<?x4xf32, #M_S>, tensor<?x?xf32, #M_T>) -> tensor<?x?xf32, #M_N>
  %r = cleave.slice %c N at 3 as T : tensor<?x?xf32, #M_N> to tensor<?x?xf32, #M_T>
  return %r : tensor<?x?xf32, #M_T>
}

// y would lose the axis M.
// PART-LABEL: @part_broadcast(
// PART-NEXT: {{.*}} = cleave.concat
// PART-NEXT: {{.*}} = cleave.slice
// PART-NEXT: return
func.func @part_broadcast(%x: tensor<?x4xf32, #M_S>, %y: tensor<?xf32, #T>) -> tensor<?x?xf32, #M_T> {
  %c = cleave.concat %x, %y along [S, T] as N : (tensor<?x4xf32, #M_S>, tensor<?xf32, #T>) -> tensor<?x?xf32, #M_N>
  %r = cleave.slice %c N at 4 as T : tensor<?x?xf32, #M_N> to tensor<?x?xf32, #M_T>
  return %r : tensor<?x?xf32, #M_T>
}

// CPUSH-LABEL: @concat(
// CPUSH-DAG: %[[A:.*]] = cleave.exp %arg0
// CPUSH-DAG: %[[B:.*]] = cleave.exp %arg1
// CPUSH: cleave.concat %[[A]], %[[B]] along [K, R] as N
// CPUSH: return
func.func @concat(%x: tensor<?x?xf32, #M_K>, %y: tensor<?x?xf32, #M_R>) -> tensor<?x?xf32, #M_N> {
  %c = cleave.concat %x, %y along [K, R] as N : (tensor<?x?xf32, #M_K>, tensor<?x?xf32, #M_R>) -> tensor<?x?xf32, #M_N>
  %r = cleave.exp %c : (tensor<?x?xf32, #M_N>) -> tensor<?x?xf32, #M_N>
  return %r : tensor<?x?xf32, #M_N>
}

// CPUSH-LABEL: @concat_scale(
// CPUSH-DAG: %[[A:.*]] = cleave.mul %arg0, %arg2
// CPUSH-DAG: %[[B:.*]] = cleave.mul %arg1, %arg2
// CPUSH: cleave.concat %[[A]], %[[B]] along [K, R] as N
// CPUSH: return
func.func @concat_scale(%x: tensor<?x?xf32, #M_K>, %y: tensor<?x?xf32, #M_R>, %z: tensor<?xf32, #M>) -> tensor<?x?xf32, #M_N> {
  %c = cleave.concat %x, %y along [K, R] as N : (tensor<?x?xf32, #M_K>, tensor<?x?xf32, #M_R>) -> tensor<?x?xf32, #M_N>
  %r = cleave.mul %c, %z : (tensor<?x?xf32, #M_N>, tensor<?xf32, #M>) -> tensor<?x?xf32, #M_N>
  return %r : tensor<?x?xf32, #M_N>
}

// z has the axis.
// CPUSH-LABEL: @concat_two(
// CPUSH-NEXT: {{.*}} = cleave.concat
// CPUSH-NEXT: {{.*}} = cleave.add
// CPUSH-NEXT: return
func.func @concat_two(%x: tensor<?x?xf32, #M_K>, %y: tensor<?x?xf32, #M_R>, %z: tensor<?x?xf32, #M_N>) -> tensor<?x?xf32, #M_N> {
  %c = cleave.concat %x, %y along [K, R] as N : (tensor<?x?xf32, #M_K>, tensor<?x?xf32, #M_R>) -> tensor<?x?xf32, #M_N>
  %r = cleave.add %c, %z : (tensor<?x?xf32, #M_N>, tensor<?x?xf32, #M_N>) -> tensor<?x?xf32, #M_N>
  return %r : tensor<?x?xf32, #M_N>
}

// z has the axis of the parts, free.
// CPUSH-LABEL: @concat_captured(
// CPUSH-NEXT: {{.*}} = cleave.concat
// CPUSH-NEXT: {{.*}} = cleave.add
// CPUSH-NEXT: return
func.func @concat_captured(%x: tensor<?x?xf32, #M_K>, %y: tensor<?x?xf32, #M_K>, %z: tensor<?xf32, #K>) -> tensor<?x?x?xf32, #K_M_N> {
  %c = cleave.concat %x, %y along [K, K] as N : (tensor<?x?xf32, #M_K>, tensor<?x?xf32, #M_K>) -> tensor<?x?xf32, #M_N>
  %r = cleave.add %c, %z : (tensor<?x?xf32, #M_N>, tensor<?xf32, #K>) -> tensor<?x?x?xf32, #K_M_N>
  return %r : tensor<?x?x?xf32, #K_M_N>
}

// CBOTH-LABEL: @concat_both(
// CBOTH-DAG: %[[A:.*]] = cleave.add %arg0, %arg2
// CBOTH-DAG: %[[B:.*]] = cleave.add %arg1, %arg3
// CBOTH: cleave.concat %[[A]], %[[B]] along [K, R] as N
// CBOTH: return
func.func @concat_both(%x: tensor<?x?xf32, #M_K>, %y: tensor<?x?xf32, #M_R>, %v: tensor<?xf32, #K>, %w: tensor<?xf32, #R>) -> tensor<?x?xf32, #M_N> {
  %c = cleave.concat %x, %y along [K, R] as N : (tensor<?x?xf32, #M_K>, tensor<?x?xf32, #M_R>) -> tensor<?x?xf32, #M_N>
  %d = cleave.concat %v, %w along [K, R] as N : (tensor<?xf32, #K>, tensor<?xf32, #R>) -> tensor<?xf32, #N>
  %r = cleave.add %c, %d : (tensor<?x?xf32, #M_N>, tensor<?xf32, #N>) -> tensor<?x?xf32, #M_N>
  return %r : tensor<?x?xf32, #M_N>
}

// Two axes, free of each other.
// CBOTH-LABEL: @concat_both_axes(
// CBOTH-NEXT: {{.*}} = cleave.concat
// CBOTH-NEXT: {{.*}} = cleave.concat
// CBOTH-NEXT: {{.*}} = cleave.add
// CBOTH-NEXT: return
func.func @concat_both_axes(%x: tensor<?x?xf32, #M_K>, %y: tensor<?x?xf32, #M_R>, %v: tensor<?xf32, #K>, %w: tensor<?xf32, #R>) -> tensor<?x?x?xf32, #M_N_P> {
  %c = cleave.concat %x, %y along [K, R] as N : (tensor<?x?xf32, #M_K>, tensor<?x?xf32, #M_R>) -> tensor<?x?xf32, #M_N>
  %d = cleave.concat %v, %w along [K, R] as P : (tensor<?xf32, #K>, tensor<?xf32, #R>) -> tensor<?xf32, #P>
  %r = cleave.add %c, %d : (tensor<?x?xf32, #M_N>, tensor<?xf32, #P>) -> tensor<?x?x?xf32, #M_N_P>
  return %r : tensor<?x?x?xf32, #M_N_P>
}

// CPULL-LABEL: @concat_same(
// CPULL: %[[C:.*]] = cleave.concat %arg0, %arg1 along [K, R] as N
// CPULL: cleave.exp %[[C]]
// CPULL: return
func.func @concat_same(%x: tensor<?x?xf32, #M_K>, %y: tensor<?x?xf32, #M_R>) -> tensor<?x?xf32, #M_N> {
  %a = cleave.exp %x : (tensor<?x?xf32, #M_K>) -> tensor<?x?xf32, #K_M>
  %b = cleave.exp %y : (tensor<?x?xf32, #M_R>) -> tensor<?x?xf32, #M_R>
  %r = cleave.concat %a, %b along [K, R] as N : (tensor<?x?xf32, #K_M>, tensor<?x?xf32, #M_R>) -> tensor<?x?xf32, #M_N>
  return %r : tensor<?x?xf32, #M_N>
}

// CPULL-LABEL: @concat_differ(
// CPULL-NEXT: {{.*}} = cleave.exp
// CPULL-NEXT: {{.*}} = cleave.tanh
// CPULL-NEXT: {{.*}} = cleave.concat
// CPULL-NEXT: return
func.func @concat_differ(%x: tensor<?x?xf32, #M_K>, %y: tensor<?x?xf32, #M_R>) -> tensor<?x?xf32, #M_N> {
  %a = cleave.exp %x : (tensor<?x?xf32, #M_K>) -> tensor<?x?xf32, #K_M>
  %b = cleave.tanh %y : (tensor<?x?xf32, #M_R>) -> tensor<?x?xf32, #M_R>
  %r = cleave.concat %a, %b along [K, R] as N : (tensor<?x?xf32, #K_M>, tensor<?x?xf32, #M_R>) -> tensor<?x?xf32, #M_N>
  return %r : tensor<?x?xf32, #M_N>
}

// CDOT-LABEL: @concat_dot(
// CDOT: %[[C:.*]] = cleave.concat %arg1, %arg2 along [P, R] as N
// CDOT: cleave.contract %arg0, %[[C]] over [K]
// CDOT: return
func.func @concat_dot(%x: tensor<?x?xf32, #M_K>, %v: tensor<?x?xf32, #K_P>, %w: tensor<?x?xf32, #K_R>) -> tensor<?x?xf32, #M_N> {
  %a = cleave.contract %x, %v over [K] : (tensor<?x?xf32, #M_K>, tensor<?x?xf32, #K_P>) -> tensor<?x?xf32, #M_P>
  %b = cleave.contract %x, %w over [K] : (tensor<?x?xf32, #M_K>, tensor<?x?xf32, #K_R>) -> tensor<?x?xf32, #M_R>
  %r = cleave.concat %a, %b along [P, R] as N : (tensor<?x?xf32, #M_P>, tensor<?x?xf32, #M_R>) -> tensor<?x?xf32, #M_N>
  return %r : tensor<?x?xf32, #M_N>
}

// CDOT-LABEL: @concat_rows(
// CDOT-NEXT: {{.*}} = cleave.contract
// CDOT-NEXT: {{.*}} = cleave.contract
// CDOT-NEXT: {{.*}} = cleave.concat
// CDOT-NEXT: return
func.func @concat_rows(%x: tensor<?x?xf32, #M_K>, %v: tensor<?x?xf32, #K_P>, %y: tensor<?x?xf32, #M_K>, %w: tensor<?x?xf32, #K_R>) -> tensor<?x?xf32, #M_N> {
  %a = cleave.contract %x, %v over [K] : (tensor<?x?xf32, #M_K>, tensor<?x?xf32, #K_P>) -> tensor<?x?xf32, #M_P>
  %b = cleave.contract %y, %w over [K] : (tensor<?x?xf32, #M_K>, tensor<?x?xf32, #K_R>) -> tensor<?x?xf32, #M_R>
  %r = cleave.concat %a, %b along [P, R] as N : (tensor<?x?xf32, #M_P>, tensor<?x?xf32, #M_R>) -> tensor<?x?xf32, #M_N>
  return %r : tensor<?x?xf32, #M_N>
}

// SPLIT-LABEL: @split(
// SPLIT-DAG: %[[A:.*]] = cleave.contract %arg0, %arg2 over [K]
// SPLIT-DAG: %[[B:.*]] = cleave.contract %arg1, %arg3 over [R]
// SPLIT: cleave.add %[[A]], %[[B]]
// SPLIT: return
func.func @split(%a: tensor<?x?xf32, #M_K>, %c: tensor<?x?xf32, #M_R>, %b: tensor<?x?xf32, #K_N>, %d: tensor<?x?xf32, #R_N>) -> tensor<?x?xf32, #M_N> {
  %x = cleave.concat %a, %c along [K, R] as P : (tensor<?x?xf32, #M_K>, tensor<?x?xf32, #M_R>) -> tensor<?x?xf32, #M_P>
  %y = cleave.concat %b, %d along [K, R] as P : (tensor<?x?xf32, #K_N>, tensor<?x?xf32, #R_N>) -> tensor<?x?xf32, #N_P>
  %r = cleave.contract %x, %y over [P] : (tensor<?x?xf32, #M_P>, tensor<?x?xf32, #N_P>) -> tensor<?x?xf32, #M_N>
  return %r : tensor<?x?xf32, #M_N>
}

// SPLIT-LABEL: @split_one(
// SPLIT-NEXT: {{.*}} = cleave.concat
// SPLIT-NEXT: {{.*}} = cleave.contract
// SPLIT-NEXT: return
func.func @split_one(%a: tensor<?x?xf32, #M_K>, %c: tensor<?x?xf32, #M_R>, %b: tensor<?x?xf32, #P_N>) -> tensor<?x?xf32, #M_N> {
  %x = cleave.concat %a, %c along [K, R] as P : (tensor<?x?xf32, #M_K>, tensor<?x?xf32, #M_R>) -> tensor<?x?xf32, #M_P>
  %r = cleave.contract %x, %b over [P] : (tensor<?x?xf32, #M_P>, tensor<?x?xf32, #P_N>) -> tensor<?x?xf32, #M_N>
  return %r : tensor<?x?xf32, #M_N>
}

// SSUM-LABEL: @split_sum(
// SSUM-DAG: %[[A:.*]] = cleave.reduce_sum %arg0 over [K]
// SSUM-DAG: %[[B:.*]] = cleave.reduce_sum %arg1 over [R]
// SSUM: cleave.add %[[A]], %[[B]]
// SSUM: return
func.func @split_sum(%a: tensor<?x?xf32, #M_K>, %c: tensor<?x?xf32, #M_R>) -> tensor<?xf32, #M> {
  %x = cleave.concat %a, %c along [K, R] as P : (tensor<?x?xf32, #M_K>, tensor<?x?xf32, #M_R>) -> tensor<?x?xf32, #M_P>
  %r = cleave.reduce_sum %x over [P] : (tensor<?x?xf32, #M_P>) -> tensor<?xf32, #M>
  return %r : tensor<?xf32, #M>
}

// SSUM-LABEL: @rows_sum(
// SSUM-NEXT: {{.*}} = cleave.concat
// SSUM-NEXT: {{.*}} = cleave.reduce_sum
// SSUM-NEXT: return
func.func @rows_sum(%a: tensor<?x?xf32, #M_K>, %c: tensor<?x?xf32, #M_R>) -> tensor<?xf32, #P> {
  %x = cleave.concat %a, %c along [K, R] as P : (tensor<?x?xf32, #M_K>, tensor<?x?xf32, #M_R>) -> tensor<?x?xf32, #M_P>
  %r = cleave.reduce_sum %x over [M] : (tensor<?x?xf32, #M_P>) -> tensor<?xf32, #P>
  return %r : tensor<?xf32, #P>
}

// SMAX-LABEL: @split_max(
// SMAX-DAG: %[[A:.*]] = cleave.reduce_max %arg0 over [K]
// SMAX-DAG: %[[B:.*]] = cleave.reduce_max %arg1 over [R]
// SMAX: cleave.max %[[A]], %[[B]]
// SMAX: return
func.func @split_max(%a: tensor<?x?xf32, #M_K>, %c: tensor<?x?xf32, #M_R>) -> tensor<?xf32, #M> {
  %x = cleave.concat %a, %c along [K, R] as P : (tensor<?x?xf32, #M_K>, tensor<?x?xf32, #M_R>) -> tensor<?x?xf32, #M_P>
  %r = cleave.reduce_max %x over [P] : (tensor<?x?xf32, #M_P>) -> tensor<?xf32, #M>
  return %r : tensor<?xf32, #M>
}

// SMAX-LABEL: @rows_max(
// SMAX-NEXT: {{.*}} = cleave.concat
// SMAX-NEXT: {{.*}} = cleave.reduce_max
// SMAX-NEXT: return
func.func @rows_max(%a: tensor<?x?xf32, #M_K>, %c: tensor<?x?xf32, #M_R>) -> tensor<?xf32, #P> {
  %x = cleave.concat %a, %c along [K, R] as P : (tensor<?x?xf32, #M_K>, tensor<?x?xf32, #M_R>) -> tensor<?x?xf32, #M_P>
  %r = cleave.reduce_max %x over [M] : (tensor<?x?xf32, #M_P>) -> tensor<?xf32, #P>
  return %r : tensor<?xf32, #P>
}

// SMIN-LABEL: @split_min(
// SMIN-DAG: %[[A:.*]] = cleave.reduce_min %arg0 over [K]
// SMIN-DAG: %[[B:.*]] = cleave.reduce_min %arg1 over [R]
// SMIN: cleave.min %[[A]], %[[B]]
// SMIN: return
func.func @split_min(%a: tensor<?x?xf32, #M_K>, %c: tensor<?x?xf32, #M_R>) -> tensor<?xf32, #M> {
  %x = cleave.concat %a, %c along [K, R] as P : (tensor<?x?xf32, #M_K>, tensor<?x?xf32, #M_R>) -> tensor<?x?xf32, #M_P>
  %r = cleave.reduce_min %x over [P] : (tensor<?x?xf32, #M_P>) -> tensor<?xf32, #M>
  return %r : tensor<?xf32, #M>
}

// SMIN-LABEL: @rows_min(
// SMIN-NEXT: {{.*}} = cleave.concat
// SMIN-NEXT: {{.*}} = cleave.reduce_min
// SMIN-NEXT: return
func.func @rows_min(%a: tensor<?x?xf32, #M_K>, %c: tensor<?x?xf32, #M_R>) -> tensor<?xf32, #P> {
  %x = cleave.concat %a, %c along [K, R] as P : (tensor<?x?xf32, #M_K>, tensor<?x?xf32, #M_R>) -> tensor<?x?xf32, #M_P>
  %r = cleave.reduce_min %x over [M] : (tensor<?x?xf32, #M_P>) -> tensor<?xf32, #P>
  return %r : tensor<?xf32, #P>
}

// SPROD-LABEL: @split_prod(
// SPROD-DAG: %[[A:.*]] = cleave.reduce_prod %arg0 over [K]
// SPROD-DAG: %[[B:.*]] = cleave.reduce_prod %arg1 over [R]
// SPROD: cleave.mul %[[A]], %[[B]]
// SPROD: return
func.func @split_prod(%a: tensor<?x?xf32, #M_K>, %c: tensor<?x?xf32, #M_R>) -> tensor<?xf32, #M> {
  %x = cleave.concat %a, %c along [K, R] as P : (tensor<?x?xf32, #M_K>, tensor<?x?xf32, #M_R>) -> tensor<?x?xf32, #M_P>
  %r = cleave.reduce_prod %x over [P] : (tensor<?x?xf32, #M_P>) -> tensor<?xf32, #M>
  return %r : tensor<?xf32, #M>
}

// SPROD-LABEL: @rows_prod(
// SPROD-NEXT: {{.*}} = cleave.concat
// SPROD-NEXT: {{.*}} = cleave.reduce_prod
// SPROD-NEXT: return
func.func @rows_prod(%a: tensor<?x?xf32, #M_K>, %c: tensor<?x?xf32, #M_R>) -> tensor<?xf32, #P> {
  %x = cleave.concat %a, %c along [K, R] as P : (tensor<?x?xf32, #M_K>, tensor<?x?xf32, #M_R>) -> tensor<?x?xf32, #M_P>
  %r = cleave.reduce_prod %x over [M] : (tensor<?x?xf32, #M_P>) -> tensor<?xf32, #P>
  return %r : tensor<?xf32, #P>
}

// GATHER-LABEL: @gather(
// GATHER: %[[G:.*]] = cleave.gather %arg0 K at %arg2
// GATHER: cleave.add %[[G]], %arg1
// GATHER: return
func.func @gather(%x: tensor<?x?xf32, #K_M>, %y: tensor<?xf32, #M>, %i: tensor<?xi32, #I>) -> tensor<?x?xf32, #I_M> {
  %a = cleave.add %x, %y : (tensor<?x?xf32, #K_M>, tensor<?xf32, #M>) -> tensor<?x?xf32, #K_M>
  %r = cleave.gather %a K at %i : (tensor<?x?xf32, #K_M>, tensor<?xi32, #I>) -> tensor<?x?xf32, #I_M>
  return %r : tensor<?x?xf32, #I_M>
}

// pow(NaN, 0) is 1, and an index may be outside.
// GATHER-LABEL: @gather_pow(
// GATHER-NEXT: {{.*}} = cleave.pow
// GATHER-NEXT: {{.*}} = cleave.gather
// GATHER-NEXT: return
func.func @gather_pow(%x: tensor<?x?xf32, #K_M>, %y: tensor<?xf32, #M>, %i: tensor<?xi32, #I>) -> tensor<?x?xf32, #I_M> {
  %a = cleave.pow %x, %y : (tensor<?x?xf32, #K_M>, tensor<?xf32, #M>) -> tensor<?x?xf32, #K_M>
  %r = cleave.gather %a K at %i : (tensor<?x?xf32, #K_M>, tensor<?xi32, #I>) -> tensor<?x?xf32, #I_M>
  return %r : tensor<?x?xf32, #I_M>
}

// GPULL-LABEL: @gathered(
// GPULL: %[[E:.*]] = cleave.exp %arg0
// GPULL: cleave.gather %[[E]] S at %arg1
// GPULL: return
func.func @gathered(%x: tensor<4x?xf32, #S_M>, %i: tensor<?xi32, #I>) -> tensor<?x?xf32, #I_M> {
  %g = cleave.gather %x S at %i : (tensor<4x?xf32, #S_M>, tensor<?xi32, #I>) -> tensor<?x?xf32, #I_M>
  %r = cleave.exp %g : (tensor<?x?xf32, #I_M>) -> tensor<?x?xf32, #I_M>
  return %r : tensor<?x?xf32, #I_M>
}

// More rows than are read.
// GPULL-LABEL: @gathered_large(
// GPULL-NEXT: {{.*}} = cleave.gather
// GPULL-NEXT: {{.*}} = cleave.exp
// GPULL-NEXT: return
func.func @gathered_large(%x: tensor<?x?xf32, #K_M>, %i: tensor<2xi32, #D>) -> tensor<2x?xf32, #D_M> {
  %g = cleave.gather %x K at %i : (tensor<?x?xf32, #K_M>, tensor<2xi32, #D>) -> tensor<2x?xf32, #D_M>
  %r = cleave.exp %g : (tensor<2x?xf32, #D_M>) -> tensor<2x?xf32, #D_M>
  return %r : tensor<2x?xf32, #D_M>
}

// GDOT-LABEL: @gather_dot(
// GDOT: %[[G:.*]] = cleave.gather %arg1 N at %arg2
// GDOT: cleave.contract %arg0, %[[G]] over [S]
// GDOT: return
func.func @gather_dot(%x: tensor<?x4xf32, #M_S>, %w: tensor<4x?xf32, #S_N>, %i: tensor<?xi32, #I>) -> tensor<?x?xf32, #I_M> {
  %a = cleave.contract %x, %w over [S] : (tensor<?x4xf32, #M_S>, tensor<4x?xf32, #S_N>) -> tensor<?x?xf32, #M_N>
  %r = cleave.gather %a N at %i : (tensor<?x?xf32, #M_N>, tensor<?xi32, #I>) -> tensor<?x?xf32, #I_M>
  return %r : tensor<?x?xf32, #I_M>
}

// An empty sum is 0 where an index is outside.
// GDOT-LABEL: @gather_empty(
// GDOT-NEXT: {{.*}} = cleave.contract
// GDOT-NEXT: {{.*}} = cleave.gather
// GDOT-NEXT: return
func.func @gather_empty(%x: tensor<?x?xf32, #M_K>, %w: tensor<?x?xf32, #K_N>, %i: tensor<?xi32, #I>) -> tensor<?x?xf32, #I_M> {
  %a = cleave.contract %x, %w over [K] : (tensor<?x?xf32, #M_K>, tensor<?x?xf32, #K_N>) -> tensor<?x?xf32, #M_N>
  %r = cleave.gather %a N at %i : (tensor<?x?xf32, #M_N>, tensor<?xi32, #I>) -> tensor<?x?xf32, #I_M>
  return %r : tensor<?x?xf32, #I_M>
}

// The index has the contracted axis.
// GDOT-LABEL: @gather_captured(
// GDOT-NEXT: {{.*}} = cleave.contract
// GDOT-NEXT: {{.*}} = cleave.gather
// GDOT-NEXT: return
func.func @gather_captured(%x: tensor<?x4xf32, #M_S>, %w: tensor<4x?xf32, #S_N>, %i: tensor<4xi32, #S>) -> tensor<?x4xf32, #M_S> {
  %a = cleave.contract %x, %w over [S] : (tensor<?x4xf32, #M_S>, tensor<4x?xf32, #S_N>) -> tensor<?x?xf32, #M_N>
  %r = cleave.gather %a N at %i : (tensor<?x?xf32, #M_N>, tensor<4xi32, #S>) -> tensor<?x4xf32, #M_S>
  return %r : tensor<?x4xf32, #M_S>
}
