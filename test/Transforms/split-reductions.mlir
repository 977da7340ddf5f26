// RUN: cleave-opt %s --cleave-expand --cleave-form-folds --cleave-split-reductions | FileCheck %s
// RUN: cleave-opt %s --cleave-expand --cleave-form-folds --cleave-split-reductions | cleave-opt --cleave-split-reductions | FileCheck %s
// RUN: cleave-opt %s --cleave-expand --cleave-form-folds --cleave-split-reductions=axes=T | FileCheck %s --check-prefix=ONLY

#S_D = #cleave.axes<S, D>
#T_D = #cleave.axes<T, D>
#T_E = #cleave.axes<T, E>
#S_T = #cleave.axes<S, T>
#E_S = #cleave.axes<E, S>
#M_K = #cleave.axes<M, K>
#K_N = #cleave.axes<K, N>
#M_N = #cleave.axes<M, N>
#M = #cleave.axes<M>
!mk = tensor<?x?xf16, #M_K>
!kn = tensor<?x?xf16, #K_N>
!mn = tensor<?x?xf32, #M_N>
!m = tensor<?xf32, #M>

// The partial result keeps the outer part; the second sum is over it.
// CHECK-DAG: #[[I_S_M:[A-Za-z0-9_.]+]] = #cleave.axes<K.i, K.s, M>
// CHECK-DAG: #[[S_M_N:[A-Za-z0-9_.]+]] = #cleave.axes<K.s, M, N>
// CHECK-LABEL: func.func @linear
// CHECK-SAME: (%[[X:[a-z0-9]+]]: tensor<{{[^>]*}}>, %[[W:[a-z0-9]+]]: tensor
// CHECK-SAME: #cleave.symbols<K.s: bound like 1, K.i = ceil(K / K.s)>
// CHECK: %[[XS:[a-z0-9]+]] = cleave.split %[[X]] K into(K.s, K.i) : {{.*}} to tensor<?x?x?xf16, #[[I_S_M]]>
// CHECK: %[[WS:[a-z0-9]+]] = cleave.split %[[W]] K into(K.s, K.i)
// CHECK: %[[P:[a-z0-9]+]] = cleave.contract %[[XS]], %[[WS]] over [K.i] {operand_type = f16} : {{.*}} -> tensor<?x?x?xf32, #[[S_M_N]]>
// CHECK: %[[Y:[a-z0-9]+]] = cleave.reduce_sum %[[P]] over [K.s]
// CHECK: return %[[Y]]
// ONLY-LABEL: func.func @linear
// ONLY-NOT: cleave.split
// ONLY: return
func.func @linear(%x: !mk, %w: !kn) -> !mn {
  %y = cleave.contract %x, %w over [K] {operand_type = f16} : (!mk, !kn) -> !mn
  return %y : !mn
}

// One symbol for what runs in one sweep, a second one for the second sweep. The
// names that the function uses are left alone.
// CHECK-LABEL: func.func @sweeps
// CHECK-SAME: #cleave.symbols<K.s: dynamic like 3, K.s1: bound like 1, K.i1 = ceil(K / K.s1), K.s2: bound like 1, K.i2 = ceil(K / K.s2)>
// CHECK: %[[XS:[a-z0-9]+]] = cleave.split %[[X:[a-z0-9]+]] K into(K.s1, K.i1)
// CHECK-NEXT: %[[P:[a-z0-9]+]] = cleave.reduce_max %[[XS]] over [K.i1]
// CHECK-NEXT: %[[A:[a-z0-9]+]] = cleave.reduce_max %[[P]] over [K.s1]
// CHECK-NEXT: %[[Q:[a-z0-9]+]] = cleave.reduce_sum %[[XS]] over [K.i1]
// CHECK-NEXT: %[[B:[a-z0-9]+]] = cleave.reduce_sum %[[Q]] over [K.s1]
// CHECK: %[[D:[a-z0-9]+]] = cleave.add %[[X]], %[[A]], %[[B]]
// CHECK: %[[G:[a-z0-9]+]] = cleave.sigmoid %[[D]]
// CHECK: %[[GS:[a-z0-9]+]] = cleave.split %[[G]] K into(K.s2, K.i2)
// CHECK: cleave.reduce_sum %[[GS]] over [K.i2]
func.func @sweeps(%x: !mk, %u: tensor<?xf32, #cleave.axes<K.s>>) -> !m
    attributes {cleave.symbols = #cleave.symbols<K.s: dynamic like 3>} {
  %a = cleave.reduce_max %x over [K] : (!mk) -> !m
  %b = cleave.reduce_sum %x over [K] : (!mk) -> !m
  %d = cleave.add %x, %a, %b : (!mk, !m, !m) -> tensor<?x?xf32, #cleave.axes<K, M>>
  %g = cleave.sigmoid %d : (tensor<?x?xf32, #cleave.axes<K, M>>) -> tensor<?x?xf32, #cleave.axes<K, M>>
  %c = cleave.reduce_sum %g over [K] : (tensor<?x?xf32, #cleave.axes<K, M>>) -> !m
  return %c : !m
}

// Of several axes, one after the other.
// CHECK-LABEL: func.func @two_axes
// CHECK: %[[P:[a-z0-9]+]] = cleave.reduce_sum %{{[a-z0-9]+}} over [K.i, M.i]
// CHECK: %[[Q:[a-z0-9]+]] = cleave.reduce_sum %[[P]] over [M.s]
// CHECK: %[[R:[a-z0-9]+]] = cleave.reduce_sum %[[Q]] over [K.s]
// CHECK: return %[[R]]
func.func @two_axes(%x: !mk) -> tensor<f32, #cleave.axes<>> {
  %y = cleave.reduce_sum %x over [K, M] : (!mk) -> tensor<f32, #cleave.axes<>>
  return %y : tensor<f32, #cleave.axes<>>
}

// A part is not split.
// CHECK-LABEL: func.func @parts
// CHECK-SAME: #cleave.symbols<S: bound like 4>
// CHECK: %[[V:[a-z0-9]+]] = cleave.split %{{[a-z0-9]+}} K into(S, Ki)
// CHECK-NEXT: %[[P:[a-z0-9]+]] = cleave.reduce_sum %[[V]] over [Ki]
// CHECK-NEXT: cleave.reduce_sum %[[P]] over [S]
func.func @parts(%x: !mk) -> !m attributes {cleave.symbols = #cleave.symbols<S: bound like 4>} {
  %v = cleave.split %x K into (S, Ki) : !mk to tensor<?x?x?xf16, #cleave.axes<Ki, M, S>>
  %p = cleave.reduce_sum %v over [Ki] : (tensor<?x?x?xf16, #cleave.axes<Ki, M, S>>) -> tensor<?x?xf32, #cleave.axes<M, S>>
  %y = cleave.reduce_sum %p over [S] : (tensor<?x?xf32, #cleave.axes<M, S>>) -> !m
  return %y : !m
}

// The merge of a fold is a fold: a body is the rebase of the partial state to
// the merged references.
// CHECK-LABEL: func.func @attention
// CHECK: %[[P:[a-z0-9]+]]:3 = cleave.fold over [T.i] ins(%{{[a-z0-9]+}}, %{{[a-z0-9]+}} :
// CHECK: {operand_types = [f32, f32, f16]}
// CHECK: %[[F:[a-z0-9]+]]:3 = cleave.fold over [T.s] ins(%[[P]]#0, %[[P]]#1, %[[P]]#2 :
// CHECK-NEXT: reduce_max body {
// CHECK-NEXT: ^bb0(%[[M:[a-z0-9]+]]:
// CHECK-NEXT: cleave.yield %[[M]]
// CHECK-NEXT: } rebase {
// CHECK-NEXT: }
// CHECK-NEXT: reduce_sum body {
// CHECK-NEXT: ^bb0(%[[M:[a-z0-9]+]]: {{.*}}, %[[L:[a-z0-9]+]]: {{.*}}, %{{[a-z0-9]+}}: {{.*}}, %[[N:[a-z0-9]+]]: tensor<?xf32,
// CHECK: cleave.is_finite %[[M]]
// CHECK: cleave.is_finite %[[N]]
// CHECK: %[[X:[a-z0-9]+]] = cleave.exp
// CHECK: %[[R:[a-z0-9]+]] = cleave.mul %[[L]], %[[X]]
// CHECK: cleave.yield %[[R]]
// CHECK: } rebase {
// CHECK: cleave.exp
// CHECK: reduce_sum body {
// CHECK: cleave.recip0 %[[F]]#1
// ONLY-LABEL: func.func @attention
// ONLY: cleave.contract {{.*}} over [D]
// ONLY: cleave.fold over [T.i]
// ONLY: cleave.fold over [T.s]
func.func @attention(%q: tensor<?x8xf16, #S_D>, %k: tensor<?x8xf16, #T_D>, %v: tensor<?x4xf16, #T_E>)
    -> tensor<4x?xf32, #E_S> {
  %s = cleave.contract %q, %k over [D] : (tensor<?x8xf16, #S_D>, tensor<?x8xf16, #T_D>) -> tensor<?x?xf32, #S_T>
  %p = cleave.softmax %s over [T] : (tensor<?x?xf32, #S_T>) -> tensor<?x?xf32, #S_T>
  %o = cleave.contract %p, %v over [T] : (tensor<?x?xf32, #S_T>, tensor<?x4xf16, #T_E>) -> tensor<4x?xf32, #E_S>
  return %o : tensor<4x?xf32, #E_S>
}

// Every region of alternatives; the same sweep has the same symbol in all.
// CHECK-LABEL: func.func @alternatives
// CHECK-SAME: #cleave.symbols<K.s: bound like 1, K.i = ceil(K / K.s)>
// CHECK: cleave.contract {{.*}} over [K.i]
// CHECK: cleave.contract {{.*}} over [K.i]
func.func @alternatives(%x: !mk, %w: !kn) -> !mn {
  %y = cleave.alternatives {
    %0 = cleave.contract %x, %w over [K] : (!mk, !kn) -> !mn
    cleave.yield %0 : !mn
  }, {
    %0 = cleave.contract %w, %x over [K] : (!kn, !mk) -> !mn
    cleave.yield %0 : !mn
  } : !mn
  return %y : !mn
}

// Nothing to split.
// CHECK-LABEL: func.func @single
// CHECK-NOT: cleave.split
// CHECK: return
func.func @single(%x: tensor<1x?xf32, #M_K>) -> tensor<?xf32, #cleave.axes<K>> {
  %y = cleave.reduce_sum %x over [M] : (tensor<1x?xf32, #M_K>) -> tensor<?xf32, #cleave.axes<K>>
  return %y : tensor<?xf32, #cleave.axes<K>>
}

// A minimum merges by a minimum, a product by a product.
// CHECK-LABEL: func.func @kinds
// CHECK: %[[P:[a-z0-9]+]] = cleave.reduce_min %{{[a-z0-9]+}} over [K.i]
// CHECK-NEXT: cleave.reduce_min %[[P]] over [K.s]
// CHECK-NEXT: %[[Q:[a-z0-9]+]] = cleave.reduce_prod %{{[a-z0-9]+}} over [K.i]
// CHECK-NEXT: cleave.reduce_prod %[[Q]] over [K.s]
func.func @kinds(%x: !mk) -> (!m, !m) {
  %a = cleave.reduce_min %x over [K] : (!mk) -> !m
  %b = cleave.reduce_prod %x over [K] : (!mk) -> !m
  return %a, %b : !m, !m
}
