// RUN: cleave-opt %s --cleave-apply-rules=names=Div_ToRecip 2>/dev/null | FileCheck %s

#M = #cleave.axes<M>

// CHECK-LABEL: @positive
// CHECK: %[[D:.*]] = cleave.exp
// CHECK: %[[R:.*]] = cleave.recip %[[D]]
// CHECK: cleave.mul %{{.*}}, %[[R]]
func.func @positive(%a: tensor<?xf32, #M>, %b: tensor<?xf32, #M> {cleave.range = 8.0 : f32}) -> tensor<?xf32, #M> {
  %d = cleave.exp %b : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %q = cleave.div %a, %d : (tensor<?xf32, #M>, tensor<?xf32, #M>) -> tensor<?xf32, #M>
  return %q : tensor<?xf32, #M>
}

// exp underflows to 0 where nothing bounds its operand.
// CHECK-LABEL: @maybe_zero
// CHECK: cleave.div
func.func @maybe_zero(%a: tensor<?xf32, #M>, %b: tensor<?xf32, #M>) -> tensor<?xf32, #M> {
  %d = cleave.exp %b : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %q = cleave.div %a, %d : (tensor<?xf32, #M>, tensor<?xf32, #M>) -> tensor<?xf32, #M>
  return %q : tensor<?xf32, #M>
}
