// RUN: cleave-opt %s --cleave-apply-rules=names=Root_OfRecip 2>/dev/null | FileCheck %s --check-prefix=RECIP
// RUN: cleave-opt %s --cleave-apply-rules=names=Root_OfProduct 2>/dev/null | FileCheck %s --check-prefix=SQRT
// RUN: cleave-opt %s --cleave-apply-rules=names=Root_RecipOfProduct 2>/dev/null | FileCheck %s --check-prefix=RSQRT
// RUN: cleave-opt %s --cleave-apply-rules=names=Root_OfSquare 2>/dev/null | FileCheck %s --check-prefix=SQUARE
// RUN: cleave-opt %s --cleave-apply-rules=names=Root_RecipOfSquare 2>/dev/null | FileCheck %s --check-prefix=RSQUARE

#K_M = #cleave.axes<K, M>
#M = #cleave.axes<M>

// RECIP-LABEL: @recip(
// RECIP: %[[R:.*]] = cleave.rsqrt %arg0
// RECIP: return %[[R]]
func.func @recip(%x: tensor<?xf32, #M>) -> tensor<?xf32, #M> {
  %a = cleave.sqrt %x : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %r = cleave.recip %a : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  return %r : tensor<?xf32, #M>
}

// 0 has an rsqrt of infinity.
// RECIP-LABEL: @recip0(
// RECIP-NEXT: {{.*}} = cleave.sqrt
// RECIP-NEXT: {{.*}} = cleave.recip0
// RECIP-NEXT: return
func.func @recip0(%x: tensor<?xf32, #M>) -> tensor<?xf32, #M> {
  %a = cleave.sqrt %x : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %r = cleave.recip0 %a : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  return %r : tensor<?xf32, #M>
}

// SQRT-LABEL: @product(
// SQRT-DAG: %[[B:.*]] = cleave.exp %arg1
// SQRT-DAG: %[[A:.*]] = cleave.exp %arg0
// SQRT-DAG: %[[S:.*]] = cleave.sqrt %[[A]]
// SQRT-DAG: %[[T:.*]] = cleave.sqrt %[[B]]
// SQRT: cleave.mul %[[S]], %[[T]]
// SQRT: return
func.func @product(%x: tensor<?x?xf32, #K_M>, %y: tensor<?xf32, #M>) -> tensor<?x?xf32, #K_M> {
  %a = cleave.exp %x : (tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  %b = cleave.exp %y : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %p = cleave.mul %a, %b : (tensor<?x?xf32, #K_M>, tensor<?xf32, #M>) -> tensor<?x?xf32, #K_M>
  %r = cleave.sqrt %p : (tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  return %r : tensor<?x?xf32, #K_M>
}

// Two negative numbers have a root of their product.
// SQRT-LABEL: @product_negative(
// SQRT-NEXT: {{.*}} = cleave.mul
// SQRT-NEXT: {{.*}} = cleave.sqrt
// SQRT-NEXT: return
func.func @product_negative(%x: tensor<?x?xf32, #K_M>, %y: tensor<?xf32, #M>) -> tensor<?x?xf32, #K_M> {
  %p = cleave.mul %x, %y : (tensor<?x?xf32, #K_M>, tensor<?xf32, #M>) -> tensor<?x?xf32, #K_M>
  %r = cleave.sqrt %p : (tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  return %r : tensor<?x?xf32, #K_M>
}

// RSQRT-LABEL: @rproduct(
// RSQRT-DAG: %[[B:.*]] = cleave.exp %arg1
// RSQRT-DAG: %[[A:.*]] = cleave.exp %arg0
// RSQRT-DAG: %[[S:.*]] = cleave.rsqrt %[[A]]
// RSQRT-DAG: %[[T:.*]] = cleave.rsqrt %[[B]]
// RSQRT: cleave.mul %[[S]], %[[T]]
// RSQRT: return
func.func @rproduct(%x: tensor<?x?xf32, #K_M>, %y: tensor<?xf32, #M>) -> tensor<?x?xf32, #K_M> {
  %a = cleave.exp %x : (tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  %b = cleave.exp %y : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %p = cleave.mul %a, %b : (tensor<?x?xf32, #K_M>, tensor<?xf32, #M>) -> tensor<?x?xf32, #K_M>
  %r = cleave.rsqrt %p : (tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  return %r : tensor<?x?xf32, #K_M>
}

// RSQRT-LABEL: @rproduct_negative(
// RSQRT-NEXT: {{.*}} = cleave.mul
// RSQRT-NEXT: {{.*}} = cleave.rsqrt
// RSQRT-NEXT: return
func.func @rproduct_negative(%x: tensor<?x?xf32, #K_M>, %y: tensor<?xf32, #M>) -> tensor<?x?xf32, #K_M> {
  %p = cleave.mul %x, %y : (tensor<?x?xf32, #K_M>, tensor<?xf32, #M>) -> tensor<?x?xf32, #K_M>
  %r = cleave.rsqrt %p : (tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  return %r : tensor<?x?xf32, #K_M>
}

// c may have either sign.
// SQUARE-LABEL: @square(
// SQUARE-DAG: %[[A:.*]] = cleave.abs %arg0
// SQUARE-DAG: %[[B:.*]] = cleave.exp %arg1
// SQUARE-DAG: %[[S:.*]] = cleave.sqrt %[[B]]
// SQUARE: cleave.mul %[[A]], %[[S]]
// SQUARE: return
func.func @square(%c: tensor<?xf32, #M>, %x: tensor<?xf32, #M>) -> tensor<?xf32, #M> {
  %b = cleave.exp %x : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %p = cleave.mul %c, %c, %b : (tensor<?xf32, #M>, tensor<?xf32, #M>, tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %r = cleave.sqrt %p : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  return %r : tensor<?xf32, #M>
}

// 0 times the root of a negative number is NaN.
// SQUARE-LABEL: @square_negative(
// SQUARE-NEXT: {{.*}} = cleave.mul
// SQUARE-NEXT: {{.*}} = cleave.sqrt
// SQUARE-NEXT: return
func.func @square_negative(%c: tensor<?xf32, #M>, %x: tensor<?xf32, #M>) -> tensor<?xf32, #M> {
  %p = cleave.mul %c, %c, %x : (tensor<?xf32, #M>, tensor<?xf32, #M>, tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %r = cleave.sqrt %p : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  return %r : tensor<?xf32, #M>
}

// RSQUARE-LABEL: @rsquare(
// RSQUARE-DAG: %[[A:.*]] = cleave.abs %arg0
// RSQUARE-DAG: %[[R:.*]] = cleave.recip %[[A]]
// RSQUARE-DAG: %[[B:.*]] = cleave.exp %arg1
// RSQUARE-DAG: %[[S:.*]] = cleave.rsqrt %[[B]]
// RSQUARE: cleave.mul %[[R]], %[[S]]
// RSQUARE: return
func.func @rsquare(%c: tensor<?xf32, #M>, %x: tensor<?xf32, #M>) -> tensor<?xf32, #M> {
  %b = cleave.exp %x : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %p = cleave.mul %c, %c, %b : (tensor<?xf32, #M>, tensor<?xf32, #M>, tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %r = cleave.rsqrt %p : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  return %r : tensor<?xf32, #M>
}

// RSQUARE-LABEL: @rsquare_negative(
// RSQUARE-NEXT: {{.*}} = cleave.mul
// RSQUARE-NEXT: {{.*}} = cleave.rsqrt
// RSQUARE-NEXT: return
func.func @rsquare_negative(%c: tensor<?xf32, #M>, %x: tensor<?xf32, #M>) -> tensor<?xf32, #M> {
  %p = cleave.mul %c, %c, %x : (tensor<?xf32, #M>, tensor<?xf32, #M>, tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %r = cleave.rsqrt %p : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  return %r : tensor<?xf32, #M>
}
