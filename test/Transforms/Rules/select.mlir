// RUN: cleave-opt %s --cleave-apply-rules=names=Select_Push 2>/dev/null | FileCheck %s --check-prefix=PUSH
// RUN: cleave-opt %s --cleave-apply-rules=names=Select_Pull 2>/dev/null | FileCheck %s --check-prefix=PULL

#s = #cleave.axes<>
#K_M = #cleave.axes<K, M>
#M = #cleave.axes<M>

// PUSH-LABEL: @mask(
// PUSH-DAG: %[[P:.*]] = cleave.cmp
// PUSH-DAG: %[[E:.*]] = cleave.exp %arg0
// PUSH-DAG: %[[I:.*]] = cleave.constant 0xFFF0000000000000
// PUSH-DAG: %[[F:.*]] = cleave.exp %[[I]]
// PUSH: cleave.select %[[P]], %[[E]], %[[F]]
// PUSH: return
func.func @mask(%x: tensor<?x?xf32, #K_M>, %y: tensor<?xf32, #M>) -> tensor<?x?xf32, #K_M> {
  %p = cleave.cmp lt %x, %y : (tensor<?x?xf32, #K_M>, tensor<?xf32, #M>) -> tensor<?x?xi1, #K_M>
  %i = cleave.constant 0xFFF0000000000000 : tensor<f32, #s>
  %z = cleave.select %p, %x, %i : (tensor<?x?xi1, #K_M>, tensor<?x?xf32, #K_M>, tensor<f32, #s>) -> tensor<?x?xf32, #K_M>
  %r = cleave.exp %z : (tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  return %r : tensor<?x?xf32, #K_M>
}

// Two exps instead of one.
// PUSH-LABEL: @no_mask(
// PUSH-NEXT: {{.*}} = cleave.cmp
// PUSH-NEXT: {{.*}} = cleave.select
// PUSH-NEXT: {{.*}} = cleave.exp
// PUSH-NEXT: return
func.func @no_mask(%x: tensor<?x?xf32, #K_M>, %y: tensor<?xf32, #M>) -> tensor<?x?xf32, #K_M> {
  %p = cleave.cmp lt %x, %y : (tensor<?x?xf32, #K_M>, tensor<?xf32, #M>) -> tensor<?x?xi1, #K_M>
  %z = cleave.select %p, %x, %y : (tensor<?x?xi1, #K_M>, tensor<?x?xf32, #K_M>, tensor<?xf32, #M>) -> tensor<?x?xf32, #K_M>
  %r = cleave.exp %z : (tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  return %r : tensor<?x?xf32, #K_M>
}

// PULL-LABEL: @both(
// PULL: %[[P:.*]] = cleave.cmp
// PULL: %[[Z:.*]] = cleave.select %[[P]], %arg0, %arg1
// PULL: cleave.exp %[[Z]]
// PULL: return
func.func @both(%x: tensor<?x?xf32, #K_M>, %y: tensor<?xf32, #M>) -> tensor<?x?xf32, #K_M> {
  %p = cleave.cmp lt %x, %y : (tensor<?x?xf32, #K_M>, tensor<?xf32, #M>) -> tensor<?x?xi1, #K_M>
  %a = cleave.exp %x : (tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  %b = cleave.exp %y : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %r = cleave.select %p, %a, %b : (tensor<?x?xi1, #K_M>, tensor<?x?xf32, #K_M>, tensor<?xf32, #M>) -> tensor<?x?xf32, #K_M>
  return %r : tensor<?x?xf32, #K_M>
}

// PULL-LABEL: @differ(
// PULL-NEXT: {{.*}} = cleave.cmp
// PULL-NEXT: {{.*}} = cleave.exp
// PULL-NEXT: {{.*}} = cleave.tanh
// PULL-NEXT: {{.*}} = cleave.select
// PULL-NEXT: return
func.func @differ(%x: tensor<?x?xf32, #K_M>, %y: tensor<?xf32, #M>) -> tensor<?x?xf32, #K_M> {
  %p = cleave.cmp lt %x, %y : (tensor<?x?xf32, #K_M>, tensor<?xf32, #M>) -> tensor<?x?xi1, #K_M>
  %a = cleave.exp %x : (tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  %b = cleave.tanh %y : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %r = cleave.select %p, %a, %b : (tensor<?x?xi1, #K_M>, tensor<?x?xf32, #K_M>, tensor<?xf32, #M>) -> tensor<?x?xf32, #K_M>
  return %r : tensor<?x?xf32, #K_M>
}
