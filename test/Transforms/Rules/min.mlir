// RUN: cleave-opt %s --cleave-apply-rules=names=Min_PullSummands 2>/dev/null | FileCheck %s --check-prefix=ADD
// RUN: cleave-opt %s --cleave-apply-rules=names=Min_PullFactors 2>/dev/null | FileCheck %s --check-prefix=MUL
// RUN: cleave-opt %s --cleave-apply-rules=names=Min_PullNegative 2>/dev/null | FileCheck %s --check-prefix=NEG
// RUN: cleave-opt %s --cleave-apply-rules=names=Min_PullMinima 2>/dev/null | FileCheck %s --check-prefix=SAME
// RUN: cleave-opt %s --cleave-apply-rules=names=Min_PullMaxima 2>/dev/null | FileCheck %s --check-prefix=OTHER
// RUN: cleave-opt %s --cleave-apply-rules=names=Min_PullIncreasing 2>/dev/null | FileCheck %s --check-prefix=INC
// RUN: cleave-opt %s --cleave-apply-rules=names=Min_PullDecreasing 2>/dev/null | FileCheck %s --check-prefix=DEC
// RUN: cleave-opt %s --cleave-apply-rules=names=Min_MergeIncreasing 2>/dev/null | FileCheck %s --check-prefix=MINC
// RUN: cleave-opt %s --cleave-apply-rules=names=Min_MergeDecreasing 2>/dev/null | FileCheck %s --check-prefix=MDEC

// An empty reduction is inf: a rule keeps that, or asks for a position.

#s = #cleave.axes<>
#K_M = #cleave.axes<K, M>
#M = #cleave.axes<M>
#M_S = #cleave.axes<M, S>
#S_M = #cleave.axes<S, M>

// ADD-LABEL: @bias(
// ADD: %[[M:.*]] = cleave.reduce_min %arg1 over [K]
// ADD: cleave.add %arg0, %[[M]]
// ADD: return
func.func @bias(%c: tensor<?xf32, #M>, %x: tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M> {
  %a = cleave.add %x, %c : (tensor<?x?xf32, #K_M>, tensor<?xf32, #M>) -> tensor<?x?xf32, #K_M>
  %r = cleave.reduce_min %a over [K] : (tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M>
  return %r : tensor<?xf32, #M>
}

// An infinite bias and an empty reduction would give NaN.
// ADD-LABEL: @bias_inf(
// ADD-NEXT: {{.*}} = cleave.exp
// ADD-NEXT: {{.*}} = cleave.add
// ADD-NEXT: {{.*}} = cleave.reduce_min
// ADD-NEXT: return
func.func @bias_inf(%c: tensor<?xf32, #M>, %x: tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M> {
  %i = cleave.exp %c : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %a = cleave.add %x, %i : (tensor<?x?xf32, #K_M>, tensor<?xf32, #M>) -> tensor<?x?xf32, #K_M>
  %r = cleave.reduce_min %a over [K] : (tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M>
  return %r : tensor<?xf32, #M>
}

// MUL-LABEL: @scale(
// MUL: %[[M:.*]] = cleave.reduce_min %arg0 over [K]
// MUL: cleave.mul %[[M]], %{{.*}}
// MUL: return
func.func @scale(%x: tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M> {
  %c = cleave.constant 5.0e-1 : tensor<f32, #s>
  %a = cleave.mul %x, %c : (tensor<?x?xf32, #K_M>, tensor<f32, #s>) -> tensor<?x?xf32, #K_M>
  %r = cleave.reduce_min %a over [K] : (tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M>
  return %r : tensor<?xf32, #M>
}

// MUL-LABEL: @scale_any_sign(
// MUL-NEXT: {{.*}} = cleave.mul
// MUL-NEXT: {{.*}} = cleave.reduce_min
// MUL-NEXT: return
func.func @scale_any_sign(%c: tensor<?xf32, #M>, %x: tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M> {
  %a = cleave.mul %x, %c : (tensor<?x?xf32, #K_M>, tensor<?xf32, #M>) -> tensor<?x?xf32, #K_M>
  %r = cleave.reduce_min %a over [K] : (tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M>
  return %r : tensor<?xf32, #M>
}

// inf * 0 is NaN.
// MUL-LABEL: @scale_inf(
// MUL-NEXT: {{.*}} = cleave.constant
// MUL-NEXT: {{.*}} = cleave.exp
// MUL-NEXT: {{.*}} = cleave.add
// MUL-NEXT: {{.*}} = cleave.mul
// MUL-NEXT: {{.*}} = cleave.reduce_min
// MUL-NEXT: return
func.func @scale_inf(%c: tensor<?xf32, #M>, %x: tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M> {
  %o = cleave.constant 1.0 : tensor<f32, #s>
  %e = cleave.exp %c : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %p = cleave.add %e, %o : (tensor<?xf32, #M>, tensor<f32, #s>) -> tensor<?xf32, #M>
  %a = cleave.mul %x, %p : (tensor<?x?xf32, #K_M>, tensor<?xf32, #M>) -> tensor<?x?xf32, #K_M>
  %r = cleave.reduce_min %a over [K] : (tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M>
  return %r : tensor<?xf32, #M>
}

// NEG-LABEL: @negative(
// NEG: %[[M:.*]] = cleave.reduce_max %arg0 over [K]
// NEG: cleave.mul %[[M]], %{{.*}}
// NEG: return
func.func @negative(%x: tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M> {
  %c = cleave.constant -5.0e-1 : tensor<f32, #s>
  %a = cleave.mul %x, %c : (tensor<?x?xf32, #K_M>, tensor<f32, #s>) -> tensor<?x?xf32, #K_M>
  %r = cleave.reduce_min %a over [K] : (tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M>
  return %r : tensor<?xf32, #M>
}

// NEG-LABEL: @negative_any_sign(
// NEG-NEXT: {{.*}} = cleave.mul
// NEG-NEXT: {{.*}} = cleave.reduce_min
// NEG-NEXT: return
func.func @negative_any_sign(%c: tensor<?xf32, #M>, %x: tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M> {
  %a = cleave.mul %x, %c : (tensor<?x?xf32, #K_M>, tensor<?xf32, #M>) -> tensor<?x?xf32, #K_M>
  %r = cleave.reduce_min %a over [K] : (tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M>
  return %r : tensor<?xf32, #M>
}

// SAME-LABEL: @same(
// SAME: %[[M:.*]] = cleave.reduce_min %arg1 over [S]
// SAME: cleave.min %arg0, %[[M]]
// SAME: return
func.func @same(%c: tensor<?xf32, #M>, %x: tensor<4x?xf32, #S_M>) -> tensor<?xf32, #M> {
  %a = cleave.min %x, %c : (tensor<4x?xf32, #S_M>, tensor<?xf32, #M>) -> tensor<?x4xf32, #M_S>
  %r = cleave.reduce_min %a over [S] : (tensor<?x4xf32, #M_S>) -> tensor<?xf32, #M>
  return %r : tensor<?xf32, #M>
}

// There may be no position.
// SAME-LABEL: @same_empty(
// SAME-NEXT: {{.*}} = cleave.min
// SAME-NEXT: {{.*}} = cleave.reduce_min
// SAME-NEXT: return
func.func @same_empty(%c: tensor<?xf32, #M>, %x: tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M> {
  %a = cleave.min %x, %c : (tensor<?x?xf32, #K_M>, tensor<?xf32, #M>) -> tensor<?x?xf32, #K_M>
  %r = cleave.reduce_min %a over [K] : (tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M>
  return %r : tensor<?xf32, #M>
}

// OTHER-LABEL: @other(
// OTHER: %[[M:.*]] = cleave.reduce_min %arg1 over [K]
// OTHER: cleave.max %arg0, %[[M]]
// OTHER: return
func.func @other(%c: tensor<?xf32, #M>, %x: tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M> {
  %a = cleave.max %x, %c : (tensor<?x?xf32, #K_M>, tensor<?xf32, #M>) -> tensor<?x?xf32, #K_M>
  %r = cleave.reduce_min %a over [K] : (tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M>
  return %r : tensor<?xf32, #M>
}

// What is NaN would show where there is no position.
// OTHER-LABEL: @other_nan(
// OTHER-NEXT: {{.*}} = cleave.log
// OTHER-NEXT: {{.*}} = cleave.max
// OTHER-NEXT: {{.*}} = cleave.reduce_min
// OTHER-NEXT: return
func.func @other_nan(%c: tensor<?xf32, #M>, %x: tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M> {
  %l = cleave.log %c : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %a = cleave.max %x, %l : (tensor<?x?xf32, #K_M>, tensor<?xf32, #M>) -> tensor<?x?xf32, #K_M>
  %r = cleave.reduce_min %a over [K] : (tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M>
  return %r : tensor<?xf32, #M>
}

// INC-LABEL: @increasing(
// INC: %[[M:.*]] = cleave.reduce_min %arg0 over [S]
// INC: cleave.tanh %[[M]]
// INC: return
func.func @increasing(%x: tensor<4x?xf32, #S_M>) -> tensor<?xf32, #M> {
  %a = cleave.tanh %x : (tensor<4x?xf32, #S_M>) -> tensor<?x4xf32, #M_S>
  %r = cleave.reduce_min %a over [S] : (tensor<?x4xf32, #M_S>) -> tensor<?xf32, #M>
  return %r : tensor<?xf32, #M>
}

// A negative number has no root.
// INC-LABEL: @increasing_root(
// INC-NEXT: {{.*}} = cleave.sqrt
// INC-NEXT: {{.*}} = cleave.reduce_min
// INC-NEXT: return
func.func @increasing_root(%x: tensor<4x?xf32, #S_M>) -> tensor<?xf32, #M> {
  %a = cleave.sqrt %x : (tensor<4x?xf32, #S_M>) -> tensor<?x4xf32, #M_S>
  %r = cleave.reduce_min %a over [S] : (tensor<?x4xf32, #M_S>) -> tensor<?xf32, #M>
  return %r : tensor<?xf32, #M>
}

// The reduction of nothing is infinite; exp of -inf is 0.
// INC-LABEL: @increasing_empty(
// INC-NEXT: {{.*}} = cleave.exp
// INC-NEXT: {{.*}} = cleave.reduce_min
// INC-NEXT: return
func.func @increasing_empty(%x: tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M> {
  %a = cleave.exp %x : (tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  %r = cleave.reduce_min %a over [K] : (tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M>
  return %r : tensor<?xf32, #M>
}

// DEC-LABEL: @decreasing(
// DEC: %[[E:.*]] = cleave.exp %arg0
// DEC: %[[M:.*]] = cleave.reduce_max %[[E]] over [S]
// DEC: cleave.rsqrt %[[M]]
// DEC: return
func.func @decreasing(%x: tensor<4x?xf32, #S_M> {cleave.range = 8.0 : f32}) -> tensor<?xf32, #M> {
  %e = cleave.exp %x : (tensor<4x?xf32, #S_M>) -> tensor<?x4xf32, #M_S>
  %a = cleave.rsqrt %e : (tensor<?x4xf32, #M_S>) -> tensor<?x4xf32, #M_S>
  %r = cleave.reduce_min %a over [S] : (tensor<?x4xf32, #M_S>) -> tensor<?xf32, #M>
  return %r : tensor<?xf32, #M>
}

// On both sides of 0, the reciprocal is not monotone.
// DEC-LABEL: @decreasing_recip(
// DEC-NEXT: {{.*}} = cleave.recip
// DEC-NEXT: {{.*}} = cleave.reduce_min
// DEC-NEXT: return
func.func @decreasing_recip(%x: tensor<4x?xf32, #S_M>) -> tensor<?xf32, #M> {
  %a = cleave.recip %x : (tensor<4x?xf32, #S_M>) -> tensor<?x4xf32, #M_S>
  %r = cleave.reduce_min %a over [S] : (tensor<?x4xf32, #M_S>) -> tensor<?xf32, #M>
  return %r : tensor<?xf32, #M>
}

// MINC-LABEL: @merge(
// MINC: %[[M:.*]] = cleave.min %arg0, %arg1
// MINC: cleave.exp %[[M]]
// MINC: return
func.func @merge(%x: tensor<?x?xf32, #K_M>, %y: tensor<?xf32, #M>) -> tensor<?x?xf32, #K_M> {
  %a = cleave.exp %x : (tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  %b = cleave.exp %y : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %r = cleave.min %a, %b : (tensor<?x?xf32, #K_M>, tensor<?xf32, #M>) -> tensor<?x?xf32, #K_M>
  return %r : tensor<?x?xf32, #K_M>
}

// MINC-LABEL: @merge_differ(
// MINC-NEXT: {{.*}} = cleave.exp
// MINC-NEXT: {{.*}} = cleave.exp2
// MINC-NEXT: {{.*}} = cleave.min
// MINC-NEXT: return
func.func @merge_differ(%x: tensor<?x?xf32, #K_M>, %y: tensor<?xf32, #M>) -> tensor<?x?xf32, #K_M> {
  %a = cleave.exp %x : (tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  %b = cleave.exp2 %y : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %r = cleave.min %a, %b : (tensor<?x?xf32, #K_M>, tensor<?xf32, #M>) -> tensor<?x?xf32, #K_M>
  return %r : tensor<?x?xf32, #K_M>
}

// MDEC-LABEL: @merge_down(
// MDEC-DAG: %[[E:.*]] = cleave.exp %arg0
// MDEC-DAG: %[[F:.*]] = cleave.exp %arg1
// MDEC: %[[M:.*]] = cleave.max %[[E]], %[[F]]
// MDEC: cleave.recip %[[M]]
// MDEC: return
func.func @merge_down(%x: tensor<?x?xf32, #K_M> {cleave.range = 8.0 : f32}, %y: tensor<?xf32, #M> {cleave.range = 8.0 : f32}) -> tensor<?x?xf32, #K_M> {
  %e = cleave.exp %x : (tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  %f = cleave.exp %y : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %a = cleave.recip %e : (tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  %b = cleave.recip %f : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %r = cleave.min %a, %b : (tensor<?x?xf32, #K_M>, tensor<?xf32, #M>) -> tensor<?x?xf32, #K_M>
  return %r : tensor<?x?xf32, #K_M>
}

// One on each side of 0.
// MDEC-LABEL: @merge_down_sign(
// MDEC-NEXT: {{.*}} = cleave.exp
// MDEC-NEXT: {{.*}} = cleave.exp
// MDEC-NEXT: {{.*}} = cleave.neg
// MDEC-NEXT: {{.*}} = cleave.recip
// MDEC-NEXT: {{.*}} = cleave.recip
// MDEC-NEXT: {{.*}} = cleave.min
// MDEC-NEXT: return
func.func @merge_down_sign(%x: tensor<?x?xf32, #K_M> {cleave.range = 8.0 : f32}, %y: tensor<?xf32, #M> {cleave.range = 8.0 : f32}) -> tensor<?x?xf32, #K_M> {
  %e = cleave.exp %x : (tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  %f = cleave.exp %y : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %g = cleave.neg %f : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %a = cleave.recip %e : (tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  %b = cleave.recip %g : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %r = cleave.min %a, %b : (tensor<?x?xf32, #K_M>, tensor<?xf32, #M>) -> tensor<?x?xf32, #K_M>
  return %r : tensor<?x?xf32, #K_M>
}
