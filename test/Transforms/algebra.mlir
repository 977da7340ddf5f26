// RUN: cleave-opt %s --split-input-file --cleave-algebra=split=false | FileCheck %s
// Determinism.
// RUN: cleave-opt %s --split-input-file --cleave-algebra=split=false > %t.1
// RUN: cleave-opt %s --split-input-file --cleave-algebra=split=false > %t.2
// RUN: cmp %t.1 %t.2

#K = #cleave.axes<K>
#M = #cleave.axes<M>
#M_K = #cleave.axes<M, K>
#K_M = #cleave.axes<K, M>
#K_N = #cleave.axes<K, N>
#M_N = #cleave.axes<M, N>
#s = #cleave.axes<>

// The rules that serve RMSNorm serve the L2 norm, written with a division.
// CHECK-LABEL: @l2_linear
// CHECK: cleave.alternatives
// CHECK: %[[R:.*]] = cleave.rsqrt
// CHECK: %[[Y:.*]] = cleave.contract %arg0, %arg1 over [K] {operand_type = f16}
// CHECK: cleave.mul %[[R]], %[[Y]]
// CHECK: cleave.yield
func.func @l2_linear(%x: tensor<?x512xf16, #M_K>, %w: tensor<512x64xf16, #K_N>) -> tensor<?x64xf32, #M_N> {
  %q = cleave.mul %x, %x : (tensor<?x512xf16, #M_K>, tensor<?x512xf16, #M_K>) -> tensor<512x?xf32, #K_M>
  %ss = cleave.reduce_sum %q over [K] : (tensor<512x?xf32, #K_M>) -> tensor<?xf32, #M>
  %e = cleave.constant 1.0e-12 : tensor<f32, #s>
  %mx = cleave.add %ss, %e : (tensor<?xf32, #M>, tensor<f32, #s>) -> tensor<?xf32, #M>
  %r = cleave.sqrt %mx : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %n = cleave.div %x, %r : (tensor<?x512xf16, #M_K>, tensor<?xf32, #M>) -> tensor<512x?xf32, #K_M>
  %y = cleave.contract %n, %w over [K] : (tensor<512x?xf32, #K_M>, tensor<512x64xf16, #K_N>) -> tensor<?x64xf32, #M_N>
  return %y : tensor<?x64xf32, #M_N>
}

// Without the epsilon a row of zeros divides by 0: the division stays inside.
// CHECK-LABEL: @l2_linear_without_eps
// CHECK: cleave.alternatives ["input"]
// CHECK: cleave.div
func.func @l2_linear_without_eps(%x: tensor<?x512xf16, #M_K>, %w: tensor<512x64xf16, #K_N>) -> tensor<?x64xf32, #M_N> {
  %q = cleave.mul %x, %x : (tensor<?x512xf16, #M_K>, tensor<?x512xf16, #M_K>) -> tensor<512x?xf32, #K_M>
  %ss = cleave.reduce_sum %q over [K] : (tensor<512x?xf32, #K_M>) -> tensor<?xf32, #M>
  %r = cleave.sqrt %ss : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %n = cleave.div %x, %r : (tensor<?x512xf16, #M_K>, tensor<?xf32, #M>) -> tensor<512x?xf32, #K_M>
  %y = cleave.contract %n, %w over [K] : (tensor<512x?xf32, #K_M>, tensor<512x64xf16, #K_N>) -> tensor<?x64xf32, #M_N>
  return %y : tensor<?x64xf32, #M_N>
}

// Two results that share an axis are best as they are.
// CHECK-LABEL: @unrelated_pair
// CHECK: cleave.alternatives ["input"]
// CHECK: cleave.yield %{{.*}}, %{{.*}} :
func.func @unrelated_pair(%x: tensor<?x512xf16, #M_K>, %w: tensor<512x64xf16, #K_N>) -> (tensor<?x64xf32, #M_N>, tensor<?xf32, #M>) {
  %m = cleave.reduce_max %x over [K] : (tensor<?x512xf16, #M_K>) -> tensor<?xf32, #M>
  %y = cleave.contract %x, %w over [K] : (tensor<?x512xf16, #M_K>, tensor<512x64xf16, #K_N>) -> tensor<?x64xf32, #M_N>
  return %y, %m : tensor<?x64xf32, #M_N>, tensor<?xf32, #M>
}

// A cast is never crossed: the scale stays below it.
// CHECK-LABEL: @cast_between
// CHECK: cleave.alternatives ["input"]
// CHECK: cleave.cast
// CHECK: cleave.contract
func.func @cast_between(%x: tensor<?x512xf16, #M_K>, %w: tensor<512x64xf16, #K_N>) -> tensor<?x64xf32, #M_N> {
  %n = cleave.rms_norm %x over [K] eps 1.0e-6
     : (tensor<?x512xf16, #M_K>) -> tensor<512x?xf32, #K_M>
  %h = cleave.cast %n : tensor<512x?xf32, #K_M> to tensor<512x?xf16, #K_M>
  %y = cleave.contract %h, %w over [K] : (tensor<512x?xf16, #K_M>, tensor<512x64xf16, #K_N>) -> tensor<?x64xf32, #M_N>
  return %y : tensor<?x64xf32, #M_N>
}

// -----

#S_D = #cleave.axes<S, D>
#T_D = #cleave.axes<T, D>
#T_E = #cleave.axes<T, E>
#E_S = #cleave.axes<E, S>
#S_T = #cleave.axes<S, T>

// The division moves behind the second contraction, and what stands in front of
// it is one fold.
// CHECK-LABEL: @attention
// CHECK: cleave.alternatives [{{.*}}, "input"]
// CHECK: cleave.contract %arg0, %arg1 over [D]
// CHECK: %[[F:.*]]:3 = cleave.fold over [T]
// CHECK: %[[R:.*]] = cleave.recip0 %[[F]]#1
// CHECK: cleave.mul %[[R]], %[[F]]#2
// CHECK: cleave.yield
func.func @attention(%q: tensor<?x128xf16, #S_D>, %k: tensor<?x128xf16, #T_D>, %v: tensor<?x128xf16, #T_E>) -> tensor<128x?xf32, #E_S> {
  %s = cleave.contract %q, %k over [D] : (tensor<?x128xf16, #S_D>, tensor<?x128xf16, #T_D>) -> tensor<?x?xf32, #S_T>
  %p = cleave.softmax %s over [T] : (tensor<?x?xf32, #S_T>) -> tensor<?x?xf32, #S_T>
  %o = cleave.contract %p, %v over [T] : (tensor<?x?xf32, #S_T>, tensor<?x128xf16, #T_E>) -> tensor<128x?xf32, #E_S>
  return %o : tensor<128x?xf32, #E_S>
}

// -----

#K_M = #cleave.axes<K, M>
#K_N = #cleave.axes<K, N>
#K_R = #cleave.axes<K, R>
#N_R = #cleave.axes<N, R>
#M_R = #cleave.axes<M, R>
#M_N = #cleave.axes<M, N>

// A chain of contractions the other way round, where the ranges allow its
// product of weights as an operand; the input is cheaper.
// CHECK-LABEL: @lora
// CHECK: cleave.alternatives ["input", {{.*}}]
// CHECK: cleave.yield
// CHECK: %[[AB:.*]] = cleave.contract %arg1, %arg2 over [R]
// CHECK: cleave.contract %arg0, %[[AB]] over [K]
func.func @lora(%x: tensor<64x?xf16, #K_M>, %a: tensor<64x16xf16, #K_R> {cleave.range = 8.0 : f32},
                %b: tensor<256x16xf16, #N_R> {cleave.range = 8.0 : f32}) -> tensor<?x256xf32, #M_N>
    attributes {cleave.symbols = #cleave.symbols<M: dynamic like 16>} {
  %h = cleave.contract %x, %a over [K] : (tensor<64x?xf16, #K_M>, tensor<64x16xf16, #K_R>) -> tensor<?x16xf32, #M_R>
  %y = cleave.contract %h, %b over [R] : (tensor<?x16xf32, #M_R>, tensor<256x16xf16, #N_R>) -> tensor<?x256xf32, #M_N>
  return %y : tensor<?x256xf32, #M_N>
}

// -----

#K_M = #cleave.axes<K, M>
#s = #cleave.axes<>

// Sums that meet by rewriting are one.
// CHECK-LABEL: @meet
// CHECK: cleave.alternatives [{{.*}}Sum_PullFactors{{.*}}]
func.func @meet(%x: tensor<8x4xf32, #K_M> {cleave.range = 8.0 : f32}) -> tensor<f32, #s> {
  %c = cleave.constant 2.0 : tensor<f32, #s>
  %p = cleave.mul %x, %c : (tensor<8x4xf32, #K_M>, tensor<f32, #s>) -> tensor<8x4xf32, #K_M>
  %a = cleave.reduce_sum %p over [K] : (tensor<8x4xf32, #K_M>) -> tensor<4xf32, #cleave.axes<M>>
  %b = cleave.reduce_sum %a over [M] : (tensor<4xf32, #cleave.axes<M>>) -> tensor<f32, #s>
  return %b : tensor<f32, #s>
}

// -----

#T = #cleave.axes<T>
#s = #cleave.axes<>

// No rule has anything to say, but a running maximum does: the input with a fold
// is a form of its own.
// CHECK-LABEL: @sum_of_exponentials
// CHECK: cleave.alternatives ["input, folded", "input"]
// CHECK: cleave.fold over [T]
func.func @sum_of_exponentials(%x: tensor<?xf32, #T>) -> (tensor<f32, #s>, tensor<f32, #s>) {
  %m = cleave.reduce_max %x over [T] : (tensor<?xf32, #T>) -> tensor<f32, #s>
  %f = cleave.is_finite %m : (tensor<f32, #s>) -> tensor<i1, #s>
  %z = cleave.constant 0.0 : tensor<f32, #s>
  %h = cleave.select %f, %m, %z : (tensor<i1, #s>, tensor<f32, #s>, tensor<f32, #s>) -> tensor<f32, #s>
  %d = cleave.sub %x, %h : (tensor<?xf32, #T>, tensor<f32, #s>) -> tensor<?xf32, #T>
  %e = cleave.exp %d : (tensor<?xf32, #T>) -> tensor<?xf32, #T>
  %l = cleave.reduce_sum %e over [T] : (tensor<?xf32, #T>) -> tensor<f32, #s>
  return %m, %l : tensor<f32, #s>, tensor<f32, #s>
}
