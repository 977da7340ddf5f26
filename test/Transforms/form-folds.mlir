// RUN: cleave-opt %s --cleave-expand --cleave-form-folds | FileCheck %s
// RUN: cleave-opt %s --cleave-expand --cleave-form-folds | cleave-opt | FileCheck %s

#S_D = #cleave.axes<S, D>
#T_D = #cleave.axes<T, D>
#T_E = #cleave.axes<T, E>
#M_K = #cleave.axes<M, K>
#K_N = #cleave.axes<K, N>
!s = tensor<f32, #cleave.axes<>>
!st = tensor<?x?xf32, #cleave.axes<S, T>>
!es = tensor<4x?xf32, #cleave.axes<E, S>>
!km = tensor<8x?xf32, #cleave.axes<K, M>>
!m = tensor<?xf32, #cleave.axes<M>>

// The scores are an input, their scale is applied in the bodies, the division
// stands behind the fold.
// CHECK-LABEL: func.func @attention
// CHECK-SAME: (%{{[a-z0-9]+}}: tensor<{{[^>]*}}>, %{{[a-z0-9]+}}: tensor<{{[^>]*}}>, %[[V:[a-z0-9]+]]: tensor
// CHECK: %[[S:[a-z0-9]+]] = cleave.contract
// CHECK: %[[F:[a-z0-9]+]]:3 = cleave.fold over [T] ins(%[[S]], %[[V]] :
// CHECK-NEXT: reduce_max body {
// CHECK: ^bb0(%[[Z:[a-z0-9]+]]: tensor<{{[^>]*}}>, %{{[a-z0-9]+}}: tensor<{{[^>]*}}>):
// CHECK: %[[Y:[a-z0-9]+]] = cleave.mul %[[Z]],
// CHECK: cleave.yield %[[Y]]
// CHECK: } rebase {
// CHECK-NEXT: }
// CHECK-NEXT: reduce_sum body {
// CHECK: cleave.exp
// CHECK: } rebase {
// CHECK: ^bb0(%{{[a-z0-9]+}}: tensor<{{[^>]*}}>, %[[L:[a-z0-9]+]]: tensor<{{[^>]*}}>, %{{[a-z0-9]+}}: tensor<{{[^>]*}}>):
// CHECK: %[[D:[a-z0-9]+]] = cleave.sub
// CHECK: %[[E:[a-z0-9]+]] = cleave.min %[[D]],
// CHECK: %[[X:[a-z0-9]+]] = cleave.exp %[[E]]
// CHECK: cleave.mul %[[L]], %[[X]]
// CHECK: contract body {
// CHECK: } rebase {
// CHECK: } {operand_types = [f32, f32, f16]}
// CHECK: %[[R:[a-z0-9]+]] = cleave.recip0 %[[F]]#1
// CHECK: %[[O:[a-z0-9]+]] = cleave.mul %[[F]]#2, %[[R]]
// CHECK: return %[[O]]
func.func @attention(%q: tensor<?x8xf16, #S_D>, %k: tensor<?x8xf16, #T_D>, %v: tensor<?x4xf16, #T_E>) -> !es {
  %s = cleave.contract %q, %k over [D] : (tensor<?x8xf16, #S_D>, tensor<?x8xf16, #T_D>) -> !st
  %c = cleave.constant 0.125 : !s
  %z = cleave.mul %s, %c : (!st, !s) -> !st
  %p = cleave.softmax %z over [T] : (!st) -> !st
  %o = cleave.contract %p, %v over [T] : (!st, tensor<?x4xf16, #T_E>) -> !es
  return %o : !es
}

// A running mean divides by the positions seen.
// CHECK-LABEL: func.func @variance
// CHECK: cleave.fold over [K] ins(%{{[a-z0-9]+}} : tensor<8x?xf32, #{{[A-Z_]+}}>)
// CHECK-NEXT: reduce_sum body {
// CHECK: %[[ONE:[a-z0-9]+]] = cleave.constant 1.0{{0*}}e+00 : tensor<8xf32
// CHECK: cleave.yield %[[ONE]]
// CHECK: } rebase {
// CHECK-NEXT: }
// CHECK-NEXT: reduce_sum body {
// CHECK: } rebase {
// CHECK-NEXT: }
// CHECK-NEXT: reduce_sum body {
// CHECK: ^bb0(%{{[a-z0-9]+}}: tensor<{{[^>]*}}>, %[[N:[a-z0-9]+]]: tensor<{{[^>]*}}>, %[[T:[a-z0-9]+]]: tensor<{{[^>]*}}>):
// CHECK: %[[I:[a-z0-9]+]] = cleave.recip %[[N]]
// CHECK: %[[MU:[a-z0-9]+]] = cleave.mul %[[T]], %[[I]]
// CHECK: cleave.sub %{{[a-z0-9]+}}, %[[MU]]
// CHECK-NOT: cleave.reduce_sum
func.func @variance(%x: !km) -> !m {
  %n = cleave.extent K : !s
  %r = cleave.recip %n : (!s) -> !s
  %s = cleave.reduce_sum %x over [K] : (!km) -> !m
  %mu = cleave.mul %s, %r : (!m, !s) -> !m
  %d = cleave.sub %x, %mu : (!km, !m) -> !km
  %q = cleave.mul %d, %d : (!km, !km) -> !km
  %t = cleave.reduce_sum %q over [K] : (!km) -> !m
  %v = cleave.mul %t, %r : (!m, !s) -> !m
  return %v : !m
}

// A scale that leaves the loop needs no fold, in every region of alternatives.
// CHECK-LABEL: func.func @rms_norm_linear
// CHECK-SAME: (%[[X:[a-z0-9]+]]: tensor<{{[^>]*}}>, %[[W:[a-z0-9]+]]: tensor
// CHECK: cleave.alternatives
// CHECK: %[[C:[a-z0-9]+]] = cleave.contract %[[X]], %[[W]] over [K] {operand_type = f16}
// CHECK: cleave.mul %[[C]],
// CHECK: }, {
// CHECK-NOT: cleave.fold
// CHECK: %[[C:[a-z0-9]+]] = cleave.contract %[[W]], %[[X]] over [K] {operand_type = f16}
func.func @rms_norm_linear(%x: tensor<?x8xf16, #M_K>, %w: tensor<8x4xf16, #K_N>)
    -> tensor<?x4xf32, #cleave.axes<M, N>> {
  %y = cleave.alternatives {
    %n = cleave.rms_norm %x over [K] eps 0.5 : (tensor<?x8xf16, #M_K>) -> !km
    %0 = cleave.contract %n, %w over [K] : (!km, tensor<8x4xf16, #K_N>) -> tensor<?x4xf32, #cleave.axes<M, N>>
    cleave.yield %0 : tensor<?x4xf32, #cleave.axes<M, N>>
  }, {
    %n = cleave.rms_norm %x over [K] eps 0.5 : (tensor<?x8xf16, #M_K>) -> !km
    %0 = cleave.contract %w, %n over [K] : (tensor<8x4xf16, #K_N>, !km) -> tensor<?x4xf32, #cleave.axes<M, N>>
    cleave.yield %0 : tensor<?x4xf32, #cleave.axes<M, N>>
  } : tensor<?x4xf32, #cleave.axes<M, N>>
  return %y : tensor<?x4xf32, #cleave.axes<M, N>>
}

// What does not vary is computed outside; what is unused is no input.
// CHECK-LABEL: func.func @inputs
// CHECK-SAME: (%[[S:[a-z0-9]+]]: tensor<{{[^>]*}}>, %[[B:[a-z0-9]+]]: tensor<{{[^>]*}}>, %[[U:[a-z0-9]+]]: tensor
// CHECK: %[[E:[a-z0-9]+]] = cleave.sigmoid %[[B]]
// CHECK: cleave.fold over [T] ins(%[[S]], %[[E]] :
func.func @inputs(%s: !st, %b: tensor<?xf32, #cleave.axes<S>>, %u: !st) -> tensor<?xf32, #cleave.axes<S>> {
  %e = cleave.sigmoid %b : (tensor<?xf32, #cleave.axes<S>>) -> tensor<?xf32, #cleave.axes<S>>
  %z = cleave.mul %s, %e : (!st, tensor<?xf32, #cleave.axes<S>>) -> !st
  %m = cleave.reduce_max %z over [T] : (!st) -> tensor<?xf32, #cleave.axes<S>>
  %d = cleave.sub %z, %m : (!st, tensor<?xf32, #cleave.axes<S>>) -> !st
  %p = cleave.exp %d : (!st) -> !st
  %l = cleave.reduce_sum %p over [T] : (!st) -> tensor<?xf32, #cleave.axes<S>>
  return %l : tensor<?xf32, #cleave.axes<S>>
}

// Reductions that do not use each other stay.
// CHECK-LABEL: func.func @independent
// CHECK-NOT: cleave.fold
// CHECK: return
func.func @independent(%x: !km) -> (!m, !m) {
  %0 = cleave.reduce_sum %x over [K] : (!km) -> !m
  %1 = cleave.reduce_max %x over [K] : (!km) -> !m
  return %0, %1 : !m, !m
}

// A minimum is a maximum upside down; powers of 2 stay powers of 2.
// CHECK-LABEL: func.func @softmin2
// CHECK: cleave.fold over [T] ins(%{{[a-z0-9]+}} : tensor<?x?xf32, #S_T>)
// CHECK-NEXT: reduce_min body {
// CHECK: reduce_sum body {
// CHECK: ^bb0(%[[S:[a-z0-9]+]]: {{.*}}, %[[M:[a-z0-9]+]]:
// CHECK: %[[G:[a-z0-9]+]] = cleave.select {{.*}}, %[[M]]
// CHECK: %[[D:[a-z0-9]+]] = cleave.sub %[[G]], %[[S]]
// CHECK: cleave.exp2 %[[D]]
// CHECK: } rebase {
// CHECK: %[[E:[a-z0-9]+]] = cleave.min
// CHECK: cleave.exp2 %[[E]]
// CHECK-NOT: cleave.exp %
func.func @softmin2(%s: !st) -> tensor<?xf32, #cleave.axes<S>> {
  %m = cleave.reduce_min %s over [T] : (!st) -> tensor<?xf32, #cleave.axes<S>>
  %d = cleave.sub %m, %s : (tensor<?xf32, #cleave.axes<S>>, !st) -> !st
  %p = cleave.exp2 %d : (!st) -> !st
  %l = cleave.reduce_sum %p over [T] : (!st) -> tensor<?xf32, #cleave.axes<S>>
  return %l : tensor<?xf32, #cleave.axes<S>>
}
