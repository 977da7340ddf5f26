// A mask by positions limits the loop whose reductions it leaves at their units.

// RUN: cleave-opt %s --mlir-disable-threading --cleave-expand --cleave-form-folds --cleave-print-loop-nest -o /dev/null 2>&1 | FileCheck %s
// RUN: cleave-opt %s --cleave-expand --cleave-form-folds --cleave-schedule | FileCheck %s --check-prefix=LOOPS

#S_T = #cleave.axes<S, T>
#S = #cleave.axes<S>
#T = #cleave.axes<T>
#E_S = #cleave.axes<E, S>
#T_E = #cleave.axes<T, E>
#scalar = #cleave.axes<>

// Softmax and what it weighs: the loop ends with the last row's last key.
// CHECK-LABEL: @causal
// CHECK: for T in |T| step {{[0-9]+}}, T <= iota(S):
// CHECK: max over [T]
// LOOPS-LABEL: func.func @causal
// LOOPS: scf.forall (%{{.*}}, %[[S:.*]]) = (0, 0)
// LOOPS: %[[LAST:.*]] = arith.addi %[[S]]
// LOOPS: arith.fptosi
// LOOPS: %[[MIN:.*]] = arith.minsi
// LOOPS: %[[END:.*]] = arith.maxsi %[[MIN]]
// LOOPS: scf.for %{{.*}} = %c0{{.*}} to %[[END]]
// LOOPS: cleave.backwards = array<i64: 1>
func.func @causal(%z: tensor<?x?xf32, #S_T>, %v: tensor<?x64xf16, #T_E>) -> tensor<64x?xf32, #E_S> {
  %qs = cleave.iota S : tensor<?xf32, #S>
  %ks = cleave.iota T : tensor<?xf32, #T>
  %visible = cleave.cmp le %ks, %qs : (tensor<?xf32, #T>, tensor<?xf32, #S>) -> tensor<?x?xi1, #S_T>
  %low = cleave.constant 0xFFF0000000000000 : tensor<f32, #scalar>
  %masked = cleave.select %visible, %z, %low : (tensor<?x?xi1, #S_T>, tensor<?x?xf32, #S_T>, tensor<f32, #scalar>) -> tensor<?x?xf32, #S_T>
  %p = cleave.softmax %masked over [T] : (tensor<?x?xf32, #S_T>) -> tensor<?x?xf32, #S_T>
  %o = cleave.contract %p, %v over [T] : (tensor<?x?xf32, #S_T>, tensor<?x64xf16, #T_E>) -> tensor<64x?xf32, #E_S>
  return %o : tensor<64x?xf32, #E_S>
}

// Both ends, the position on the right, and one that is a number at run time.
// CHECK-LABEL: @window
// CHECK: for T in |T| step {{[0-9]+}}, T <= add(iota(S), %0), T > sub(%1, 100):
// LOOPS-LABEL: func.func @window
// LOOPS: tensor.extract %{{.*}}[] : tensor<i32>
// LOOPS: %[[TILES:.*]] = arith.divsi
// LOOPS: %[[BEGIN:.*]] = arith.muli %[[TILES]]
// LOOPS: scf.for %{{.*}} = %[[BEGIN]] to
func.func @window(%x: tensor<?x?xf32, #S_T>, %pos: tensor<i32, #scalar>) -> tensor<?xf32, #S> {
  %qs = cleave.iota S : tensor<?xf32, #S>
  %ks = cleave.iota T : tensor<?xf32, #T>
  %at = cleave.cast %pos : tensor<i32, #scalar> to tensor<f32, #scalar>
  %last = cleave.add %qs, %at : (tensor<?xf32, #S>, tensor<f32, #scalar>) -> tensor<?xf32, #S>
  %size = cleave.constant 100.0 : tensor<f32, #scalar>
  %before = cleave.sub %last, %size : (tensor<?xf32, #S>, tensor<f32, #scalar>) -> tensor<?xf32, #S>
  %a = cleave.cmp lt %before, %ks : (tensor<?xf32, #S>, tensor<?xf32, #T>) -> tensor<?x?xi1, #S_T>
  %b = cleave.cmp le %ks, %last : (tensor<?xf32, #T>, tensor<?xf32, #S>) -> tensor<?x?xi1, #S_T>
  %zero = cleave.constant 0.0 : tensor<f32, #scalar>
  %x0 = cleave.select %a, %x, %zero : (tensor<?x?xi1, #S_T>, tensor<?x?xf32, #S_T>, tensor<f32, #scalar>) -> tensor<?x?xf32, #S_T>
  %x1 = cleave.select %b, %x0, %zero : (tensor<?x?xi1, #S_T>, tensor<?x?xf32, #S_T>, tensor<f32, #scalar>) -> tensor<?x?xf32, #S_T>
  %sum = cleave.reduce_sum %x1 over [T] : (tensor<?x?xf32, #S_T>) -> tensor<?xf32, #S>
  return %sum : tensor<?xf32, #S>
}

// A sum of what is not masked shares the loop.
// CHECK-LABEL: @shared
// CHECK: for T in |T| step {{[0-9]+}}:
// LOOPS-LABEL: func.func @shared
func.func @shared(%x: tensor<?x?xf32, #S_T>) -> (tensor<?xf32, #S>) {
  %qs = cleave.iota S : tensor<?xf32, #S>
  %ks = cleave.iota T : tensor<?xf32, #T>
  %visible = cleave.cmp le %ks, %qs : (tensor<?xf32, #T>, tensor<?xf32, #S>) -> tensor<?x?xi1, #S_T>
  %low = cleave.constant 0xFFF0000000000000 : tensor<f32, #scalar>
  %masked = cleave.select %visible, %x, %low : (tensor<?x?xi1, #S_T>, tensor<?x?xf32, #S_T>, tensor<f32, #scalar>) -> tensor<?x?xf32, #S_T>
  %a = cleave.reduce_sum %x over [T] : (tensor<?x?xf32, #S_T>) -> tensor<?xf32, #S>
  %b = cleave.reduce_max %masked over [T] : (tensor<?x?xf32, #S_T>) -> tensor<?xf32, #S>
  %c = cleave.add %a, %b : (tensor<?xf32, #S>, tensor<?xf32, #S>) -> tensor<?xf32, #S>
  return %c : tensor<?xf32, #S>
}

// 1 is no unit of a sum.
// CHECK-LABEL: @one
// CHECK: for T in |T| step {{[0-9]+}}:
// LOOPS-LABEL: func.func @one
func.func @one(%x: tensor<?x?xf32, #S_T>) -> (tensor<?xf32, #S>) {
  %qs = cleave.iota S : tensor<?xf32, #S>
  %ks = cleave.iota T : tensor<?xf32, #T>
  %visible = cleave.cmp le %ks, %qs : (tensor<?xf32, #T>, tensor<?xf32, #S>) -> tensor<?x?xi1, #S_T>
  %one = cleave.constant 1.0 : tensor<f32, #scalar>
  %ones = cleave.select %visible, %x, %one : (tensor<?x?xi1, #S_T>, tensor<?x?xf32, #S_T>, tensor<f32, #scalar>) -> tensor<?x?xf32, #S_T>
  %a = cleave.reduce_sum %ones over [T] : (tensor<?x?xf32, #S_T>) -> tensor<?xf32, #S>
  return %a : tensor<?xf32, #S>
}

// The exponential of -inf less a maximum that nothing guards may be NaN. So may
// 0 times a reciprocal.
// CHECK-LABEL: @unguarded
// CHECK: for T in |T| step {{[0-9]+}}:
// LOOPS-LABEL: func.func @unguarded
func.func @unguarded(%x: tensor<?x?xf32, #S_T>, %m: tensor<?xf32, #S>) -> (tensor<?xf32, #S>) {
  %qs = cleave.iota S : tensor<?xf32, #S>
  %ks = cleave.iota T : tensor<?xf32, #T>
  %visible = cleave.cmp le %ks, %qs : (tensor<?xf32, #T>, tensor<?xf32, #S>) -> tensor<?x?xi1, #S_T>
  %low = cleave.constant 0xFFF0000000000000 : tensor<f32, #scalar>
  %masked = cleave.select %visible, %x, %low : (tensor<?x?xi1, #S_T>, tensor<?x?xf32, #S_T>, tensor<f32, #scalar>) -> tensor<?x?xf32, #S_T>
  %d = cleave.sub %masked, %m : (tensor<?x?xf32, #S_T>, tensor<?xf32, #S>) -> tensor<?x?xf32, #S_T>
  %e = cleave.exp %d : (tensor<?x?xf32, #S_T>) -> tensor<?x?xf32, #S_T>
  %f = cleave.reduce_sum %e over [T] : (tensor<?x?xf32, #S_T>) -> tensor<?xf32, #S>
  return %f : tensor<?xf32, #S>
}

// CHECK-LABEL: @reciprocal
// CHECK: for T in |T| step {{[0-9]+}}:
// LOOPS-LABEL: func.func @reciprocal
func.func @reciprocal(%x: tensor<?x?xf32, #S_T>) -> (tensor<?xf32, #S>) {
  %qs = cleave.iota S : tensor<?xf32, #S>
  %ks = cleave.iota T : tensor<?xf32, #T>
  %visible = cleave.cmp le %ks, %qs : (tensor<?xf32, #T>, tensor<?xf32, #S>) -> tensor<?x?xi1, #S_T>
  %one = cleave.constant 1.0 : tensor<f32, #scalar>
  %zero = cleave.constant 0.0 : tensor<f32, #scalar>
  %w = cleave.select %visible, %one, %zero : (tensor<?x?xi1, #S_T>, tensor<f32, #scalar>, tensor<f32, #scalar>) -> tensor<?x?xf32, #S_T>
  %r = cleave.recip %x : (tensor<?x?xf32, #S_T>) -> tensor<?x?xf32, #S_T>
  %p = cleave.mul %w, %r : (tensor<?x?xf32, #S_T>, tensor<?x?xf32, #S_T>) -> tensor<?x?xf32, #S_T>
  %a = cleave.reduce_sum %p over [T] : (tensor<?x?xf32, #S_T>) -> tensor<?xf32, #S>
  return %a : tensor<?xf32, #S>
}
