// Every operation and attribute survives printing, in both forms.
// RUN: cleave-opt %s | cleave-opt | FileCheck %s
// RUN: cleave-opt %s --mlir-print-op-generic | cleave-opt | FileCheck %s
// RUN: cleave-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC

#K = #cleave.axes<K>
#M_K = #cleave.axes<M, K>
#K_M = #cleave.axes<K, M>
#K_N = #cleave.axes<K, N>
#M = #cleave.axes<M>
#M_N = #cleave.axes<M, N>
#N_M = #cleave.axes<N, M>
#scalar = #cleave.axes<>
!s = tensor<f32, #scalar>
!k = tensor<8xf32, #K>
!x = tensor<8x?xf32, #K_M>

// CHECK-DAG: #[[K:[A-Za-z0-9_]+]] = #cleave.axes<K>
// CHECK-DAG: #[[K_M:[A-Za-z0-9_]+]] = #cleave.axes<K, M>

// CHECK-LABEL: func.func @pointwise
// GENERIC-LABEL: sym_name = "pointwise"
func.func @pointwise(%h: tensor<?x8xf16, #M_K>, %x: !x, %k: !k, %s: !s) -> !x {
  // CHECK: %[[A:.*]] = cleave.add %{{.*}}, %{{.*}}, %{{.*}} : (tensor<?x8xf16, #{{.*}}>, tensor<8xf32, #[[K]]>, tensor<f32, #{{.*}}>) -> tensor<8x?xf32, #[[K_M]]>
  // GENERIC: "cleave.add"(%{{.*}}, %{{.*}}, %{{.*}}) : (
  %0 = cleave.add %h, %k, %s : (tensor<?x8xf16, #M_K>, !k, !s) -> !x
  // CHECK: cleave.mul %[[A]] :
  %1 = cleave.mul %0 : (!x) -> !x
  // CHECK: cleave.max
  %2 = cleave.max %1, %k : (!x, !k) -> !x
  // CHECK: cleave.min
  %3 = cleave.min %2, %k : (!x, !k) -> !x
  // CHECK: cleave.sub
  %4 = cleave.sub %3, %k : (!x, !k) -> !x
  // CHECK: cleave.div
  %5 = cleave.div %4, %k : (!x, !k) -> !x
  // CHECK: cleave.pow
  %6 = cleave.pow %5, %s : (!x, !s) -> !x
  // CHECK: cleave.neg
  %7 = cleave.neg %6 : (!x) -> !x
  // CHECK: cleave.recip %
  %8 = cleave.recip %7 : (!x) -> !x
  // CHECK: cleave.recip0 %
  %9 = cleave.recip0 %8 : (!x) -> !x
  // CHECK: cleave.exp
  %10 = cleave.exp %9 : (!x) -> !x
  // CHECK: cleave.sqrt
  %11 = cleave.sqrt %10 : (!x) -> !x
  // CHECK: cleave.rsqrt
  %12 = cleave.rsqrt %11 : (!x) -> !x
  // CHECK: cleave.sigmoid
  %13 = cleave.sigmoid %12 : (!x) -> !x
  // CHECK: cleave.is_finite %{{.*}} -> tensor<8x?xi1, #[[K_M]]>
  %14 = cleave.is_finite %13 : (!x) -> tensor<8x?xi1, #K_M>
  // CHECK: cleave.select
  %15 = cleave.select %14, %13, %s : (tensor<8x?xi1, #K_M>, !x, !s) -> !x
  // CHECK: cleave.cmp eq
  // GENERIC: "cleave.cmp"
  %16 = cleave.cmp eq %15, %k : (!x, !k) -> tensor<8x?xi1, #K_M>
  // CHECK: cleave.cmp ne
  %17 = cleave.cmp ne %15, %k : (!x, !k) -> tensor<8x?xi1, #K_M>
  // CHECK: cleave.cmp lt
  %18 = cleave.cmp lt %15, %k : (!x, !k) -> tensor<8x?xi1, #K_M>
  // CHECK: cleave.cmp le
  %19 = cleave.cmp le %15, %k : (!x, !k) -> tensor<8x?xi1, #K_M>
  // CHECK: cleave.cmp gt
  %20 = cleave.cmp gt %15, %k : (!x, !k) -> tensor<8x?xi1, #K_M>
  // CHECK: cleave.cmp ge
  %21 = cleave.cmp ge %15, %k : (!x, !k) -> tensor<8x?xi1, #K_M>
  // CHECK: cleave.cast %{{.*}} : tensor<8x?xf32, #[[K_M]]> to tensor<8x?xbf16, #[[K_M]]>
  %22 = cleave.cast %15 : !x to tensor<8x?xbf16, #K_M>
  // CHECK: cleave.cast %{{.*}} : tensor<8x?xbf16, #[[K_M]]> to tensor<8x?xf32, #[[K_M]]>
  %23 = cleave.cast %22 : tensor<8x?xbf16, #K_M> to !x
  return %23 : !x
}

// CHECK-LABEL: func.func @f64
func.func @f64(%x: tensor<8xf64, #K>, %y: !k) -> tensor<8xf64, #K> {
  // CHECK: -> tensor<8xf64, #[[K]]>
  %0 = cleave.add %x, %y : (tensor<8xf64, #K>, !k) -> tensor<8xf64, #K>
  return %0 : tensor<8xf64, #K>
}

// CHECK-LABEL: func.func @leaves
func.func @leaves(%k: !k) {
  // CHECK: cleave.constant 5.0{{0*}}e-01 : tensor<f32, #{{.*}}>
  %0 = cleave.constant 0.5 : !s
  // CHECK: cleave.constant 0xFFF0000000000000 : tensor<8x?xf32, #[[K_M]]>
  %1 = cleave.constant 0xFFF0000000000000 : !x
  // CHECK: cleave.extent K : tensor<f32, #{{.*}}>
  // GENERIC: "cleave.extent"() <{axis = "K"}>
  %2 = cleave.extent K : !s
  return
}

// CHECK-LABEL: func.func @reductions
func.func @reductions(%x: tensor<?x8xf16, #M_K>, %w: tensor<8x4xf16, #K_N>) {
  // CHECK: cleave.reduce_sum %{{.*}} over [K, M]
  %0 = cleave.reduce_sum %x over [K, M] : (tensor<?x8xf16, #M_K>) -> !s
  // Axes are a set, however they are written.
  // CHECK: cleave.reduce_sum %{{.*}} over [K, M]
  %4 = cleave.reduce_sum %x over [M, K] : (tensor<?x8xf16, #M_K>) -> !s
  // CHECK: cleave.reduce_max %{{.*}} over [K]
  // GENERIC: "cleave.reduce_max"(%{{.*}}) <{axes = #{{.*}}}>
  %1 = cleave.reduce_max %x over [K] : (tensor<?x8xf16, #M_K>) -> tensor<?xf32, #M>
  // CHECK: cleave.contract %{{.*}}, %{{.*}} over [K] :
  %2 = cleave.contract %x, %w over [K]
     : (tensor<?x8xf16, #M_K>, tensor<8x4xf16, #K_N>) -> tensor<?x4xf32, #M_N>
  // CHECK: cleave.contract %{{.*}}, %{{.*}} over [K] {operand_type = bf16} :
  %3 = cleave.contract %x, %w over [K] {operand_type = bf16}
     : (tensor<?x8xf16, #M_K>, tensor<8x4xf16, #K_N>) -> tensor<?x4xf32, #M_N>
  return
}

// CHECK-LABEL: func.func @fold
func.func @fold(%s: !x, %v: tensor<8x4xf16, #K_N>) -> tensor<?x4xf32, #M_N> {
  // CHECK: %[[F:.*]]:3 = cleave.fold over [K] ins(%{{.*}}, %{{.*}} : tensor<8x?xf32, #[[K_M]]>, tensor<8x4xf16, #{{.*}}>)
  // CHECK-NEXT: reduce_max body {
  // CHECK: } rebase {
  // CHECK-NEXT: }
  // CHECK-NEXT: reduce_sum body {
  // CHECK: } rebase {
  // CHECK: contract body {
  // CHECK: cleave.yield %{{.*}}, %{{.*}} :
  // CHECK: } rebase {
  // CHECK: } {operand_types = [f32, f32, f16]} -> (
  // GENERIC: "cleave.fold"
  // GENERIC-SAME: kinds = [#cleave.reduction_kind<reduce_max>, #cleave.reduction_kind<reduce_sum>, #cleave.reduction_kind<contract>]
  %m, %l, %o = cleave.fold over [K] ins(%s, %v : !x, tensor<8x4xf16, #K_N>)
    reduce_max body {
    ^bb0(%z: !x, %w: tensor<8x4xf16, #K_N>):
      cleave.yield %z : !x
    } rebase {
    }
    reduce_sum body {
    ^bb0(%z: !x, %w: tensor<8x4xf16, #K_N>, %m: tensor<?xf32, #M>):
      %d = cleave.sub %z, %m : (!x, tensor<?xf32, #M>) -> !x
      %p = cleave.exp %d : (!x) -> !x
      cleave.yield %p : !x
    } rebase {
    ^bb0(%m0: tensor<?xf32, #M>, %l: tensor<?xf32, #M>, %m1: tensor<?xf32, #M>):
      %d = cleave.sub %m0, %m1 : (tensor<?xf32, #M>, tensor<?xf32, #M>) -> tensor<?xf32, #M>
      %f = cleave.exp %d : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
      %r = cleave.mul %l, %f : (tensor<?xf32, #M>, tensor<?xf32, #M>) -> tensor<?xf32, #M>
      cleave.yield %r : tensor<?xf32, #M>
    }
    contract body {
    ^bb0(%z: !x, %w: tensor<8x4xf16, #K_N>, %m: tensor<?xf32, #M>, %l: tensor<?xf32, #M>):
      %d = cleave.sub %z, %m : (!x, tensor<?xf32, #M>) -> !x
      %p = cleave.exp %d : (!x) -> !x
      cleave.yield %p, %w : !x, tensor<8x4xf16, #K_N>
    } rebase {
    ^bb0(%m0: tensor<?xf32, #M>, %l0: tensor<?xf32, #M>, %o: tensor<?x4xf32, #M_N>,
         %m1: tensor<?xf32, #M>, %l1: tensor<?xf32, #M>):
      %d = cleave.sub %m0, %m1 : (tensor<?xf32, #M>, tensor<?xf32, #M>) -> tensor<?xf32, #M>
      %f = cleave.exp %d : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
      %r = cleave.mul %o, %f : (tensor<?x4xf32, #M_N>, tensor<?xf32, #M>) -> tensor<?x4xf32, #M_N>
      cleave.yield %r : tensor<?x4xf32, #M_N>
    } {operand_types = [f32, f32, f16]}
    -> (tensor<?xf32, #M>, tensor<?xf32, #M>, tensor<?x4xf32, #M_N>)
  // CHECK: return %[[F]]#2
  return %o : tensor<?x4xf32, #M_N>
}

// CHECK-LABEL: func.func @fold_axes_are_a_set
func.func @fold_axes_are_a_set(%x: tensor<?x8xf16, #M_K>) -> !s {
  // CHECK: cleave.fold over [K, M]
  %0 = cleave.fold over [M, K] ins(%x : tensor<?x8xf16, #M_K>)
    reduce_sum body {
    ^bb0(%z: tensor<?x8xf16, #M_K>):
      cleave.yield %z : tensor<?x8xf16, #M_K>
    } rebase {
    } -> (!s)
  return %0 : !s
}

// A fold of constants has no inputs.
// CHECK-LABEL: func.func @fold_without_inputs
func.func @fold_without_inputs() -> !s {
  // CHECK: cleave.fold over [K] ins()
  %n = cleave.fold over [K] ins()
    reduce_sum body {
      %one = cleave.constant 1.0 : !k
      cleave.yield %one : !k
    } rebase {
    } -> (!s)
  return %n : !s
}

// CHECK-LABEL: func.func @views
func.func @views(%x: tensor<?x4xf16, #K_N>, %m: tensor<?xi32, #M>) {
  // CHECK: %[[S:.*]] = cleave.split %{{.*}} K into(S, Ki) : tensor<?x4xf16, #{{.*}}> to tensor<?x4x?xf16, #{{.*}}>
  %0 = cleave.split %x K into (S, Ki)
     : tensor<?x4xf16, #K_N> to tensor<?x4x?xf16, #cleave.axes<Ki, N, S>>
  // CHECK: cleave.merge %[[S]](S, Ki) into K :
  %1 = cleave.merge %0 (S, Ki) into K
     : tensor<?x4x?xf16, #cleave.axes<Ki, N, S>> to tensor<?x4xf16, #K_N>
  // CHECK: cleave.rename %{{.*}} [M] to [T] : (tensor<?xi32, #{{.*}}>) -> tensor<?xi32, #{{.*}}>
  %2 = cleave.rename %m [M] to [T] : (tensor<?xi32, #M>) -> tensor<?xi32, #cleave.axes<T>>
  // These are lists: N becomes A.
  // CHECK: cleave.rename %{{.*}} [N, K] to [A, T] :
  %4 = cleave.rename %x [N, K] to [A, T] : (tensor<?x4xf16, #K_N>) -> tensor<4x?xf16, #cleave.axes<A, T>>
  // CHECK: cleave.relayout %{{.*}} : tensor<?x4xf16, #{{.*}}> to tensor<4x?xf16, #{{.*}}>
  %3 = cleave.relayout %x : tensor<?x4xf16, #K_N> to tensor<4x?xf16, #cleave.axes<N, K>>
  return
}

// CHECK-LABEL: func.func @alternatives
func.func @alternatives(%x: !k) -> !k {
  // CHECK: cleave.alternatives ["double", "input"] {
  // CHECK: cleave.yield
  // CHECK: }, {
  %0 = cleave.alternatives ["double", "input"] {
    %1 = cleave.add %x, %x : (!k, !k) -> !k
    cleave.yield %1 : !k
  }, {
    %two = cleave.constant 2.0 : !s
    %1 = cleave.mul %x, %two : (!k, !s) -> !k
    cleave.yield %1 : !k
  } : !k
  // CHECK: cleave.alternatives {
  // CHECK-NEXT: cleave.yield
  // CHECK-NEXT: }
  cleave.alternatives {
    cleave.yield
  }
  return %0 : !k
}

// CHECK-LABEL: func.func @sugar
func.func @sugar(%x: tensor<?x8xf16, #M_K>, %g: tensor<8xf16, #K>) {
  // CHECK: cleave.softmax %{{.*}} over [K]
  %0 = cleave.softmax %x over [K] : (tensor<?x8xf16, #M_K>) -> !x
  // CHECK: cleave.rms_norm %{{.*}}, %{{.*}} over [K] eps 5.0{{0*}}e-01
  %1 = cleave.rms_norm %x, %g over [K] eps 0.5 : (tensor<?x8xf16, #M_K>, tensor<8xf16, #K>) -> !x
  // CHECK: cleave.rms_norm %{{[a-z0-9]+}} over [K, M]
  %2 = cleave.rms_norm %x over [K, M] eps 0.0 : (tensor<?x8xf16, #M_K>) -> !x
  // CHECK: cleave.silu
  %3 = cleave.silu %x : (tensor<?x8xf16, #M_K>) -> !x
  return
}

// CHECK-LABEL: func.func @symbols
// CHECK-SAME: {cleave.name = "x", cleave.range = 3.{{0*}}e+02 : f32}
// CHECK-SAME: {cleave.name = "y"}
// CHECK-SAME: cleave.symbols = #cleave.symbols<M: dynamic like 16 | 2048, S: bound like 4, G: bound, R: dynamic, K: 8, Ki = ceil(K / S), H = G * R>
func.func @symbols(%x: tensor<?x8xf16, #M_K> {cleave.name = "x", cleave.range = 300.0 : f32})
    -> (tensor<?x8xf16, #M_K> {cleave.name = "y"})
    attributes {cleave.symbols = #cleave.symbols<M: dynamic like 16 | 2048, S: bound like 4, G: bound, R: dynamic,
                                                 K: 8, Ki = ceil(K / S), H = G * R>} {
  return %x : tensor<?x8xf16, #M_K>
}

// An entry can stand alone.
// CHECK-LABEL: func.func private @symbol
// CHECK-SAME: #cleave.symbol<K = ceil(M / S)>
// CHECK-SAME: #cleave.symbols<>
func.func private @symbol() attributes {test.a = #cleave.symbol<K = ceil(M / S)>, test.b = #cleave.symbols<>}
