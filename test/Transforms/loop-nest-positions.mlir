// Views leave nothing behind but where arguments are read: an offset, and two
// axes where the parts of one are used.

// RUN: cleave-opt %s --mlir-disable-threading --cleave-print-loop-nest -o /dev/null 2>&1 | FileCheck %s
// RUN: cleave-opt %s --cleave-schedule | FileCheck %s --check-prefix=LOOPS

#C_T = #cleave.axes<C, T>
#C = #cleave.axes<C>
#H_T = #cleave.axes<H, T>
#L_T = #cleave.axes<L, T>
#L = #cleave.axes<L>
#T = #cleave.axes<T>
#I_J_T = #cleave.axes<I, J, T>
#I_J = #cleave.axes<I, J>

// CHECK-LABEL: @window
// CHECK: load arg0[L: {{[0-9]+}}, T: {{[0-9]+}}]
// CHECK: max over [L] of mul(arg0, iota(L + 3))
// LOOPS-LABEL: func.func @window
// LOOPS: tensor.extract_slice %{{.*}}[3, %{{.*}}] [290,
func.func @window(%x: tensor<300x?xf32, #C_T>) -> tensor<?xf32, #T> {
  %i = cleave.iota C : tensor<300xf32, #C>
  %p = cleave.mul %x, %i : (tensor<300x?xf32, #C_T>, tensor<300xf32, #C>) -> tensor<300x?xf32, #C_T>
  %w = cleave.slice %p C at 3 as L : tensor<300x?xf32, #C_T> to tensor<290x?xf32, #L_T>
  %m = cleave.reduce_max %w over [L] : (tensor<290x?xf32, #L_T>) -> tensor<?xf32, #T>
  return %m : tensor<?xf32, #T>
}

// CHECK-LABEL: @parts
// CHECK: kernel 0: parallel J step {{[0-9]+}}, I step {{[0-9]+}}, T step
// CHECK: load arg0[J: {{[0-9]+}}, I: {{[0-9]+}}, T:
// CHECK: store result0[J: {{[0-9]+}}, I: {{[0-9]+}}, T:
// LOOPS-LABEL: func.func @parts
// LOOPS: %[[X:.*]] = tensor.expand_shape %{{.*}} {{\[}}[0, 1], [2]] output_shape [3, 4, %{{.*}}]
// LOOPS: %[[OUT:.*]] = scf.forall (%[[J:.*]], %[[I:.*]], %[[T:.*]]) =
// LOOPS: tensor.extract_slice %[[X]][{{.*}}, %[[T]]]
// LOOPS: tensor.collapse_shape %[[OUT]] {{\[}}[0, 1], [2]]
func.func @parts(%x: tensor<12x?xf32, #H_T>, %w: tensor<4x3xf32, #I_J>) -> tensor<12x?xf32, #H_T> {
  %v = cleave.split %x H into (J, I) : tensor<12x?xf32, #H_T> to tensor<4x3x?xf32, #I_J_T>
  %p = cleave.mul %v, %w : (tensor<4x3x?xf32, #I_J_T>, tensor<4x3xf32, #I_J>) -> tensor<4x3x?xf32, #I_J_T>
  %y = cleave.merge %p (J, I) into H : tensor<4x3x?xf32, #I_J_T> to tensor<12x?xf32, #H_T>
  return %y : tensor<12x?xf32, #H_T>
}
