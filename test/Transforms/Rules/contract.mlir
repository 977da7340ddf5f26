// RUN: cleave-opt %s --cleave-apply-rules=names=Contract_Unmark 2>/dev/null | FileCheck %s --check-prefix=UNMARK
// RUN: cleave-opt %s --cleave-apply-rules=names=Contract_Mark 2>/dev/null | FileCheck %s --check-prefix=MARK

#K = #cleave.axes<K>
#M = #cleave.axes<M>
#K_M = #cleave.axes<K, M>
#K_N = #cleave.axes<K, N>
#M_N = #cleave.axes<M, N>
#K_M_N = #cleave.axes<K, M, N>

// UNMARK-LABEL: @contract
// UNMARK-SAME: %[[A:.*]]: tensor<?x?xf16, #K_M>, %[[B:.*]]: tensor<?x?xf16, #K_N>
// UNMARK: %[[P:.*]] = cleave.mul %[[A]], %[[B]]
// UNMARK: cleave.reduce_sum %[[P]] over [K]
// MARK-LABEL: @contract
// MARK: cleave.contract
// MARK-NOT: cleave.reduce_sum
// MARK: return
func.func @contract(%a: tensor<?x?xf16, #K_M>, %b: tensor<?x?xf16, #K_N>) -> tensor<?x?xf32, #M_N> {
  %y = cleave.contract %b, %a over [K] {operand_type = bf16} : (tensor<?x?xf16, #K_N>, tensor<?x?xf16, #K_M>) -> tensor<?x?xf32, #M_N>
  return %y : tensor<?x?xf32, #M_N>
}

// Operands of one type are rounded to it, others to f32.
// UNMARK-LABEL: @sums
// UNMARK-NOT: cleave.contract
// UNMARK: return
// MARK-LABEL: @sums
// MARK-SAME: %[[A:.*]]: tensor<?x?xf16, #K_M>, %[[B:.*]]: tensor<?x?xf16, #K_N>
// MARK: cleave.contract %[[A]], %[[B]] over [K] {operand_type = f16}
func.func @sums(%a: tensor<?x?xf16, #K_M>, %b: tensor<?x?xf16, #K_N>) -> tensor<?x?xf32, #M_N> {
  %p = cleave.mul %a, %b : (tensor<?x?xf16, #K_M>, tensor<?x?xf16, #K_N>) -> tensor<?x?x?xf32, #K_M_N>
  %y = cleave.reduce_sum %p over [K] : (tensor<?x?x?xf32, #K_M_N>) -> tensor<?x?xf32, #M_N>
  return %y : tensor<?x?xf32, #M_N>
}
// MARK-LABEL: @three
// MARK: %[[P:.*]] = cleave.mul
// MARK: cleave.contract {{.*}} {operand_type = f32}
func.func @three(%a: tensor<?x?xf16, #K_M>, %g: tensor<?xf16, #K>, %b: tensor<?x?xf16, #K_N>) -> tensor<?x?xf32, #M_N> {
  %p = cleave.mul %a, %g, %b : (tensor<?x?xf16, #K_M>, tensor<?xf16, #K>, tensor<?x?xf16, #K_N>) -> tensor<?x?x?xf32, #K_M_N>
  %y = cleave.reduce_sum %p over [K] : (tensor<?x?x?xf32, #K_M_N>) -> tensor<?x?xf32, #M_N>
  return %y : tensor<?x?xf32, #M_N>
}

// A sum of squares is no contraction: one side has no axis of its own.
// MARK-LABEL: @squares
// MARK-NOT: cleave.contract
// MARK: return
func.func @squares(%a: tensor<?x?xf16, #K_M>) -> tensor<?xf32, #M> {
  %p = cleave.mul %a, %a : (tensor<?x?xf16, #K_M>, tensor<?x?xf16, #K_M>) -> tensor<?x?xf32, #K_M>
  %y = cleave.reduce_sum %p over [K] : (tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M>
  return %y : tensor<?xf32, #M>
}
