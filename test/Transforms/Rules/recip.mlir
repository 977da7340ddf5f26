// RUN: cleave-opt %s --cleave-apply-rules=names=Div_ToRecip 2>/dev/null | FileCheck %s --check-prefix=DIV
// RUN: cleave-opt %s --cleave-apply-rules=names=Recip_OfProduct 2>/dev/null | FileCheck %s --check-prefix=PROD
// RUN: cleave-opt %s --cleave-apply-rules=names=Recip_ZeroOfProduct 2>/dev/null | FileCheck %s --check-prefix=PROD0
// RUN: cleave-opt %s --cleave-apply-rules=names=Recip_OfRecip 2>/dev/null | FileCheck %s --check-prefix=TWICE
// RUN: cleave-opt %s --cleave-apply-rules=names=Recip_ZeroOfZero 2>/dev/null | FileCheck %s --check-prefix=TWICE0

#K_M = #cleave.axes<K, M>
#M = #cleave.axes<M>

// DIV-LABEL: @div_positive(
// DIV: %[[D:.*]] = cleave.exp
// DIV: %[[R:.*]] = cleave.recip %[[D]]
// DIV: cleave.mul %{{.*}}, %[[R]]
// DIV: return
func.func @div_positive(%a: tensor<?xf32, #M>, %b: tensor<?xf32, #M> {cleave.range = 8.0 : f32}) -> tensor<?xf32, #M> {
  %d = cleave.exp %b : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %q = cleave.div %a, %d : (tensor<?xf32, #M>, tensor<?xf32, #M>) -> tensor<?xf32, #M>
  return %q : tensor<?xf32, #M>
}

// exp underflows to 0 where nothing bounds its operand.
// DIV-LABEL: @div_maybe_zero(
// DIV-NEXT: {{.*}} = cleave.exp
// DIV-NEXT: {{.*}} = cleave.div
// DIV-NEXT: return
func.func @div_maybe_zero(%a: tensor<?xf32, #M>, %b: tensor<?xf32, #M>) -> tensor<?xf32, #M> {
  %d = cleave.exp %b : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %q = cleave.div %a, %d : (tensor<?xf32, #M>, tensor<?xf32, #M>) -> tensor<?xf32, #M>
  return %q : tensor<?xf32, #M>
}

// PROD-LABEL: @product(
// PROD-DAG: %[[A:.*]] = cleave.exp %arg0
// PROD-DAG: %[[B:.*]] = cleave.exp %arg1
// PROD-DAG: %[[R:.*]] = cleave.recip %[[A]]
// PROD-DAG: %[[S:.*]] = cleave.recip %[[B]]
// PROD: cleave.mul %[[R]], %[[S]]
// PROD: return
func.func @product(%x: tensor<?x?xf32, #K_M> {cleave.range = 8.0 : f32}, %y: tensor<?xf32, #M> {cleave.range = 8.0 : f32}) -> tensor<?x?xf32, #K_M> {
  %a = cleave.exp %x : (tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  %b = cleave.exp %y : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %p = cleave.mul %a, %b : (tensor<?x?xf32, #K_M>, tensor<?xf32, #M>) -> tensor<?x?xf32, #K_M>
  %r = cleave.recip %p : (tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  return %r : tensor<?x?xf32, #K_M>
}

// A factor may be 0.
// PROD-LABEL: @product_zero(
// PROD-NEXT: {{.*}} = cleave.mul
// PROD-NEXT: {{.*}} = cleave.recip
// PROD-NEXT: return
func.func @product_zero(%x: tensor<?x?xf32, #K_M>, %y: tensor<?xf32, #M>) -> tensor<?x?xf32, #K_M> {
  %p = cleave.mul %x, %y : (tensor<?x?xf32, #K_M>, tensor<?xf32, #M>) -> tensor<?x?xf32, #K_M>
  %r = cleave.recip %p : (tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  return %r : tensor<?x?xf32, #K_M>
}

// PROD0-LABEL: @product0(
// PROD0-DAG: %[[R:.*]] = cleave.recip0 %arg0
// PROD0-DAG: %[[S:.*]] = cleave.recip0 %arg1
// PROD0: cleave.mul %[[R]], %[[S]]
// PROD0: return
func.func @product0(%x: tensor<?x?xf32, #K_M>, %y: tensor<?xf32, #M>) -> tensor<?x?xf32, #K_M> {
  %p = cleave.mul %x, %y : (tensor<?x?xf32, #K_M>, tensor<?xf32, #M>) -> tensor<?x?xf32, #K_M>
  %r = cleave.recip0 %p : (tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  return %r : tensor<?x?xf32, #K_M>
}

// The reciprocal of what may be infinite is 0.
// PROD0-LABEL: @product0_large(
// PROD0-NEXT: {{.*}} = cleave.exp
// PROD0-NEXT: {{.*}} = cleave.mul
// PROD0-NEXT: {{.*}} = cleave.recip0
// PROD0-NEXT: return
func.func @product0_large(%x: tensor<?x?xf32, #K_M>, %y: tensor<?xf32, #M>) -> tensor<?x?xf32, #K_M> {
  %e = cleave.exp %x : (tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  %p = cleave.mul %e, %y : (tensor<?x?xf32, #K_M>, tensor<?xf32, #M>) -> tensor<?x?xf32, #K_M>
  %r = cleave.recip0 %p : (tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  return %r : tensor<?x?xf32, #K_M>
}

// TWICE-LABEL: @twice(
// TWICE-NEXT: return %arg0
func.func @twice(%x: tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M> {
  %a = cleave.recip %x : (tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  %r = cleave.recip %a : (tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  return %r : tensor<?x?xf32, #K_M>
}

// The reciprocal of a large number is flushed to 0.
// TWICE-LABEL: @twice_large(
// TWICE-NEXT: {{.*}} = cleave.exp
// TWICE-NEXT: {{.*}} = cleave.recip
// TWICE-NEXT: {{.*}} = cleave.recip
// TWICE-NEXT: return
func.func @twice_large(%x: tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M> {
  %e = cleave.exp %x : (tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  %a = cleave.recip %e : (tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  %r = cleave.recip %a : (tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  return %r : tensor<?x?xf32, #K_M>
}

// TWICE0-LABEL: @twice0(
// TWICE0-NEXT: return %arg0
func.func @twice0(%x: tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M> {
  %a = cleave.recip0 %x : (tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  %r = cleave.recip0 %a : (tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  return %r : tensor<?x?xf32, #K_M>
}

// Nor is 0 the reciprocal of infinity here.
// TWICE0-LABEL: @twice0_large(
// TWICE0-NEXT: {{.*}} = cleave.exp
// TWICE0-NEXT: {{.*}} = cleave.recip0
// TWICE0-NEXT: {{.*}} = cleave.recip0
// TWICE0-NEXT: return
func.func @twice0_large(%x: tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M> {
  %e = cleave.exp %x : (tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  %a = cleave.recip0 %e : (tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  %r = cleave.recip0 %a : (tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  return %r : tensor<?x?xf32, #K_M>
}
