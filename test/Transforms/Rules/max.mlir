// RUN: cleave-opt %s --cleave-apply-rules=names=Max_PullSummands 2>/dev/null | FileCheck %s --check-prefix=ADD
// RUN: cleave-opt %s --cleave-apply-rules=names=Max_PullFactors 2>/dev/null | FileCheck %s --check-prefix=MUL
// RUN: cleave-opt %s --cleave-apply-rules=names=Max_PullIncreasing,Max_PullIncreasing 2>/dev/null | FileCheck %s --check-prefix=MONO

#M = #cleave.axes<M>
#K_M = #cleave.axes<K, M>
#s = #cleave.axes<>

// ADD-LABEL: @bias
// ADD-SAME: %[[C:.*]]: tensor<?xf32, #M>, %[[X:.*]]: tensor<?x?xf32, #K_M>
// ADD: %[[M:.*]] = cleave.reduce_max %[[X]] over [K]
// ADD: cleave.add %[[C]], %[[M]]
func.func @bias(%c: tensor<?xf32, #M>, %x: tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M> {
  %a = cleave.add %x, %c : (tensor<?x?xf32, #K_M>, tensor<?xf32, #M>) -> tensor<?x?xf32, #K_M>
  %m = cleave.reduce_max %a over [K] : (tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M>
  return %m : tensor<?xf32, #M>
}

// An infinite bias and an empty maximum would give NaN.
// ADD-LABEL: @infinite_bias
// ADD: %[[A:.*]] = cleave.add
// ADD: cleave.reduce_max %[[A]]
func.func @infinite_bias(%c: tensor<?xf32, #M>, %x: tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M> {
  %i = cleave.exp %c : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %a = cleave.add %x, %i : (tensor<?x?xf32, #K_M>, tensor<?xf32, #M>) -> tensor<?x?xf32, #K_M>
  %m = cleave.reduce_max %a over [K] : (tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M>
  return %m : tensor<?xf32, #M>
}

// MUL-LABEL: @scale
// MUL-SAME: %[[X:.*]]: tensor<?x?xf32, #K_M>
// MUL: %[[M:.*]] = cleave.reduce_max %[[X]] over [K]
// MUL: cleave.mul %[[M]], %{{.*}}
func.func @scale(%x: tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M> {
  %c = cleave.constant 5.0e-1 : tensor<f32, #s>
  %a = cleave.mul %x, %c : (tensor<?x?xf32, #K_M>, tensor<f32, #s>) -> tensor<?x?xf32, #K_M>
  %m = cleave.reduce_max %a over [K] : (tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M>
  return %m : tensor<?xf32, #M>
}

// MUL-LABEL: @sign_unknown
// MUL: %[[A:.*]] = cleave.mul
// MUL: cleave.reduce_max %[[A]]
func.func @sign_unknown(%c: tensor<?xf32, #M>, %x: tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M> {
  %a = cleave.mul %x, %c : (tensor<?x?xf32, #K_M>, tensor<?xf32, #M>) -> tensor<?x?xf32, #K_M>
  %m = cleave.reduce_max %a over [K] : (tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M>
  return %m : tensor<?xf32, #M>
}

// MONO-LABEL: @monotone
// MONO-DAG: %[[A:.*]] = cleave.reduce_max %arg0
// MONO-DAG: %[[B:.*]] = cleave.reduce_max %arg1
// MONO-DAG: cleave.exp %[[A]]
// MONO-DAG: cleave.sigmoid %[[B]]
// MONO: return
func.func @monotone(%x: tensor<4x?xf32, #K_M>, %y: tensor<4x?xf32, #K_M>) -> (tensor<?xf32, #M>, tensor<?xf32, #M>) {
  %a = cleave.exp %x : (tensor<4x?xf32, #K_M>) -> tensor<4x?xf32, #K_M>
  %m = cleave.reduce_max %a over [K] : (tensor<4x?xf32, #K_M>) -> tensor<?xf32, #M>
  %b = cleave.sigmoid %y : (tensor<4x?xf32, #K_M>) -> tensor<4x?xf32, #K_M>
  %n = cleave.reduce_max %b over [K] : (tensor<4x?xf32, #K_M>) -> tensor<?xf32, #M>
  return %m, %n : tensor<?xf32, #M>, tensor<?xf32, #M>
}

// The maximum of nothing is -inf, and exp of that is 0.
// MONO-LABEL: @may_be_empty
// MONO: %[[A:.*]] = cleave.exp
// MONO: cleave.reduce_max %[[A]]
// MONO: %[[B:.*]] = cleave.sigmoid
// MONO: cleave.reduce_max %[[B]]
func.func @may_be_empty(%x: tensor<?x?xf32, #K_M>) -> (tensor<?xf32, #M>, tensor<?xf32, #M>) {
  %a = cleave.exp %x : (tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  %m = cleave.reduce_max %a over [K] : (tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M>
  %b = cleave.sigmoid %x : (tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  %n = cleave.reduce_max %b over [K] : (tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M>
  return %m, %n : tensor<?xf32, #M>, tensor<?xf32, #M>
}
