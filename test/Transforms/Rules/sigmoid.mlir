// RUN: cleave-opt %s --cleave-apply-rules=names=Sigmoid_FromExp 2>/dev/null | FileCheck %s --check-prefix=EXP
// RUN: cleave-opt %s --cleave-apply-rules=names=Sigmoid_OfNegative 2>/dev/null | FileCheck %s --check-prefix=NEG
// RUN: cleave-opt %s --cleave-apply-rules=names=Sigmoid_ToTanh 2>/dev/null | FileCheck %s --check-prefix=TANH

#s = #cleave.axes<>
#M = #cleave.axes<M>

// EXP-LABEL: @from_exp(
// EXP: %[[N:.*]] = cleave.neg %arg0
// EXP: %[[R:.*]] = cleave.sigmoid %[[N]]
// EXP: return %[[R]]
func.func @from_exp(%x: tensor<?xf32, #M>) -> tensor<?xf32, #M> {
  %e = cleave.exp %x : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %o = cleave.constant 1.0 : tensor<f32, #s>
  %a = cleave.add %e, %o : (tensor<?xf32, #M>, tensor<f32, #s>) -> tensor<?xf32, #M>
  %r = cleave.recip %a : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  return %r : tensor<?xf32, #M>
}

// EXP-LABEL: @from_exp_two(
// EXP-NEXT: {{.*}} = cleave.exp
// EXP-NEXT: {{.*}} = cleave.constant
// EXP-NEXT: {{.*}} = cleave.add
// EXP-NEXT: {{.*}} = cleave.recip
// EXP-NEXT: return
func.func @from_exp_two(%x: tensor<?xf32, #M>) -> tensor<?xf32, #M> {
  %e = cleave.exp %x : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %o = cleave.constant 2.0 : tensor<f32, #s>
  %a = cleave.add %e, %o : (tensor<?xf32, #M>, tensor<f32, #s>) -> tensor<?xf32, #M>
  %r = cleave.recip %a : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  return %r : tensor<?xf32, #M>
}

// NEG-LABEL: @of_negative(
// NEG: %[[N:.*]] = cleave.neg %arg0
// NEG: %[[R:.*]] = cleave.sigmoid %[[N]]
// NEG: return %[[R]]
func.func @of_negative(%x: tensor<?xf32, #M>) -> tensor<?xf32, #M> {
  %o = cleave.constant 1.0 : tensor<f32, #s>
  %e = cleave.sigmoid %x : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %r = cleave.sub %o, %e : (tensor<f32, #s>, tensor<?xf32, #M>) -> tensor<?xf32, #M>
  return %r : tensor<?xf32, #M>
}

// NEG-LABEL: @of_negative_two(
// NEG-NEXT: {{.*}} = cleave.constant
// NEG-NEXT: {{.*}} = cleave.sigmoid
// NEG-NEXT: {{.*}} = cleave.sub
// NEG-NEXT: return
func.func @of_negative_two(%x: tensor<?xf32, #M>) -> tensor<?xf32, #M> {
  %o = cleave.constant 2.0 : tensor<f32, #s>
  %e = cleave.sigmoid %x : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %r = cleave.sub %o, %e : (tensor<f32, #s>, tensor<?xf32, #M>) -> tensor<?xf32, #M>
  return %r : tensor<?xf32, #M>
}

// TANH-LABEL: @tanh(
// TANH: %[[R:.*]] = cleave.tanh %arg0
// TANH: return %[[R]]
func.func @tanh(%x: tensor<?xf32, #M>) -> tensor<?xf32, #M> {
  %t = cleave.constant 2.0 : tensor<f32, #s>
  %o = cleave.constant -1.0 : tensor<f32, #s>
  %y = cleave.mul %x, %t : (tensor<?xf32, #M>, tensor<f32, #s>) -> tensor<?xf32, #M>
  %e = cleave.sigmoid %y : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %z = cleave.mul %e, %t : (tensor<?xf32, #M>, tensor<f32, #s>) -> tensor<?xf32, #M>
  %r = cleave.add %z, %o : (tensor<?xf32, #M>, tensor<f32, #s>) -> tensor<?xf32, #M>
  return %r : tensor<?xf32, #M>
}

// The slope differs.
// TANH-LABEL: @tanh_once(
// TANH-NEXT: {{.*}} = cleave.constant
// TANH-NEXT: {{.*}} = cleave.constant
// TANH-NEXT: {{.*}} = cleave.sigmoid
// TANH-NEXT: {{.*}} = cleave.mul
// TANH-NEXT: {{.*}} = cleave.add
// TANH-NEXT: return
func.func @tanh_once(%x: tensor<?xf32, #M>) -> tensor<?xf32, #M> {
  %t = cleave.constant 2.0 : tensor<f32, #s>
  %o = cleave.constant -1.0 : tensor<f32, #s>
  %e = cleave.sigmoid %x : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %z = cleave.mul %e, %t : (tensor<?xf32, #M>, tensor<f32, #s>) -> tensor<?xf32, #M>
  %r = cleave.add %z, %o : (tensor<?xf32, #M>, tensor<f32, #s>) -> tensor<?xf32, #M>
  return %r : tensor<?xf32, #M>
}
