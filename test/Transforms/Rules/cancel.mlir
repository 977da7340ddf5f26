// RUN: cleave-opt %s --cleave-apply-rules=names=Cancel_Difference 2>/dev/null | FileCheck %s --check-prefix=DIFF
// RUN: cleave-opt %s --cleave-apply-rules=names=Cancel_ZeroFactor 2>/dev/null | FileCheck %s --check-prefix=ZERO
// RUN: cleave-opt %s --cleave-apply-rules=names=Cancel_Quotient 2>/dev/null | FileCheck %s --check-prefix=QUOT
// RUN: cleave-opt %s --cleave-apply-rules=names=Cancel_ZeroQuotient 2>/dev/null | FileCheck %s --check-prefix=QUOT0

// What comes out keeps its axes; infinite values do not cancel.

#s = #cleave.axes<>
#K_M = #cleave.axes<K, M>

// DIFF-LABEL: @difference(
// DIFF: %[[Z:.*]] = cleave.constant 0.000000e+00 : tensor<?x?xf32, #K_M>
// DIFF: return %[[Z]]
func.func @difference(%x: tensor<?x?xf32, #K_M> {cleave.range = 8.0 : f32}) -> tensor<?x?xf32, #K_M> {
  %d = cleave.sub %x, %x : (tensor<?x?xf32, #K_M>, tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  return %d : tensor<?x?xf32, #K_M>
}

// inf - inf is NaN.
// DIFF-LABEL: @difference_inf(
// DIFF-NEXT: {{.*}} = cleave.exp
// DIFF-NEXT: {{.*}} = cleave.sub
// DIFF-NEXT: return
func.func @difference_inf(%x: tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M> {
  %e = cleave.exp %x : (tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  %d = cleave.sub %e, %e : (tensor<?x?xf32, #K_M>, tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  return %d : tensor<?x?xf32, #K_M>
}

// ZERO-LABEL: @zero(
// ZERO: %[[Z:.*]] = cleave.constant 0.000000e+00 : tensor<?x?xf32, #K_M>
// ZERO: return %[[Z]]
func.func @zero(%x: tensor<?x?xf32, #K_M> {cleave.range = 8.0 : f32}) -> tensor<?x?xf32, #K_M> {
  %z = cleave.constant 0.0 : tensor<f32, #s>
  %p = cleave.mul %x, %z : (tensor<?x?xf32, #K_M>, tensor<f32, #s>) -> tensor<?x?xf32, #K_M>
  return %p : tensor<?x?xf32, #K_M>
}

// An argument without a range may be infinite.
// DIFF-LABEL: @difference_undeclared(
// DIFF-NEXT: {{.*}} = cleave.sub
// DIFF-NEXT: return
func.func @difference_undeclared(%x: tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M> {
  %d = cleave.sub %x, %x : (tensor<?x?xf32, #K_M>, tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  return %d : tensor<?x?xf32, #K_M>
}

// ZERO-LABEL: @zero_undeclared(
// ZERO-NEXT: {{.*}} = cleave.constant
// ZERO-NEXT: {{.*}} = cleave.mul
// ZERO-NEXT: return
func.func @zero_undeclared(%x: tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M> {
  %z = cleave.constant 0.0 : tensor<f32, #s>
  %p = cleave.mul %x, %z : (tensor<?x?xf32, #K_M>, tensor<f32, #s>) -> tensor<?x?xf32, #K_M>
  return %p : tensor<?x?xf32, #K_M>
}

// inf * 0 is NaN.
// ZERO-LABEL: @zero_inf(
// ZERO-NEXT: {{.*}} = cleave.constant
// ZERO-NEXT: {{.*}} = cleave.exp
// ZERO-NEXT: {{.*}} = cleave.mul
// ZERO-NEXT: return
func.func @zero_inf(%x: tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M> {
  %z = cleave.constant 0.0 : tensor<f32, #s>
  %e = cleave.exp %x : (tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  %p = cleave.mul %e, %z : (tensor<?x?xf32, #K_M>, tensor<f32, #s>) -> tensor<?x?xf32, #K_M>
  return %p : tensor<?x?xf32, #K_M>
}

// QUOT-LABEL: @quotient(
// QUOT: %[[O:.*]] = cleave.constant 1.000000e+00 : tensor<?x?xf32, #K_M>
// QUOT: return %[[O]]
func.func @quotient(%x: tensor<?x?xf32, #K_M> {cleave.range = 8.0 : f32}) -> tensor<?x?xf32, #K_M> {
  %e = cleave.exp %x : (tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  %r = cleave.recip %e : (tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  %p = cleave.mul %e, %r : (tensor<?x?xf32, #K_M>, tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  return %p : tensor<?x?xf32, #K_M>
}

// 0 * inf is NaN.
// QUOT-LABEL: @quotient_zero(
// QUOT-NEXT: {{.*}} = cleave.recip
// QUOT-NEXT: {{.*}} = cleave.mul
// QUOT-NEXT: return
func.func @quotient_zero(%x: tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M> {
  %r = cleave.recip %x : (tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  %p = cleave.mul %x, %r : (tensor<?x?xf32, #K_M>, tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  return %p : tensor<?x?xf32, #K_M>
}

// QUOT0-LABEL: @quotient0(
// QUOT0: %[[O:.*]] = cleave.constant 1.000000e+00 : tensor<?x?xf32, #K_M>
// QUOT0: return %[[O]]
func.func @quotient0(%x: tensor<?x?xf32, #K_M> {cleave.range = 8.0 : f32}) -> tensor<?x?xf32, #K_M> {
  %e = cleave.exp %x : (tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  %r = cleave.recip0 %e : (tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  %p = cleave.mul %e, %r : (tensor<?x?xf32, #K_M>, tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  return %p : tensor<?x?xf32, #K_M>
}

// 0 * recip0(0) is 0.
// QUOT0-LABEL: @quotient0_zero(
// QUOT0-NEXT: {{.*}} = cleave.recip0
// QUOT0-NEXT: {{.*}} = cleave.mul
// QUOT0-NEXT: return
func.func @quotient0_zero(%x: tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M> {
  %r = cleave.recip0 %x : (tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  %p = cleave.mul %x, %r : (tensor<?x?xf32, #K_M>, tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  return %p : tensor<?x?xf32, #K_M>
}
