// Identities that no rule states: others make both sides one value. Two results
// are then one, or their difference is 0 (which, as rounding goes, the check of
// the alternatives does not find).
// RUN: cleave-opt %s --cleave-algebra=check=none | FileCheck %s

#s = #cleave.axes<>
#D_L = #cleave.axes<D, L>
#D_S = #cleave.axes<D, S>
#D_T = #cleave.axes<D, T>
#E_N = #cleave.axes<E, N>
#E_S = #cleave.axes<E, S>
#E_T = #cleave.axes<E, T>
#H_M = #cleave.axes<H, M>
#I = #cleave.axes<I>
#I_M = #cleave.axes<I, M>
#K = #cleave.axes<K>
#K_M = #cleave.axes<K, M>
#K_N = #cleave.axes<K, N>
#K_R = #cleave.axes<K, R>
#K_S = #cleave.axes<K, S>
#K_T = #cleave.axes<K, T>
#L_E = #cleave.axes<L, E>
#L_S = #cleave.axes<L, S>
#M = #cleave.axes<M>
#M_H = #cleave.axes<M, H>
#M_K = #cleave.axes<M, K>
#M_N = #cleave.axes<M, N>
#M_R = #cleave.axes<M, R>
#M_S = #cleave.axes<M, S>
#M_T = #cleave.axes<M, T>
#N_S = #cleave.axes<N, S>
#N_T = #cleave.axes<N, T>
#R_N = #cleave.axes<R, N>
#S = #cleave.axes<S>
#S_D = #cleave.axes<S, D>
#S_E = #cleave.axes<S, E>
#S_K = #cleave.axes<S, K>
#S_M = #cleave.axes<S, M>
#S_R = #cleave.axes<S, R>
#S_T = #cleave.axes<S, T>
#T = #cleave.axes<T>
#T_D = #cleave.axes<T, D>
#T_K = #cleave.axes<T, K>
#T_L = #cleave.axes<T, L>
#T_R = #cleave.axes<T, R>

// (a / b) / c and a / (b * c).
// CHECK-LABEL: @quotients(
// CHECK: cleave.alternatives
// CHECK-NEXT: %[[Z:.*]] = cleave.constant 0.0
// CHECK-NEXT: cleave.yield %[[Z]]
func.func @quotients(%a: tensor<?x?xf32, #K_M> {cleave.range = 8.0 : f32}, %x: tensor<?xf32, #M> {cleave.range = 8.0 : f32}, %y: tensor<?xf32, #M> {cleave.range = 8.0 : f32}) -> tensor<?x?xf32, #K_M> {
  %b = cleave.exp %x : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %c = cleave.exp %y : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %p = cleave.div %a, %b : (tensor<?x?xf32, #K_M>, tensor<?xf32, #M>) -> tensor<?x?xf32, #K_M>
  %u = cleave.div %p, %c : (tensor<?x?xf32, #K_M>, tensor<?xf32, #M>) -> tensor<?x?xf32, #K_M>
  %q = cleave.mul %b, %c : (tensor<?xf32, #M>, tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %v = cleave.div %a, %q : (tensor<?x?xf32, #K_M>, tensor<?xf32, #M>) -> tensor<?x?xf32, #K_M>
  %zero = cleave.sub %u, %v : (tensor<?x?xf32, #K_M>, tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  return %zero : tensor<?x?xf32, #K_M>
}

// sum_k a / b and (sum_k a) / b.
// CHECK-LABEL: @quotient_of_sum(
// CHECK: cleave.alternatives
// CHECK-NEXT: %[[Z:.*]] = cleave.constant 0.0
// CHECK-NEXT: cleave.yield %[[Z]]
func.func @quotient_of_sum(%a: tensor<?x?xf32, #K_M> {cleave.range = 8.0 : f32}, %x: tensor<?xf32, #M> {cleave.range = 8.0 : f32}) -> tensor<?xf32, #M> {
  %b = cleave.exp %x : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %p = cleave.div %a, %b : (tensor<?x?xf32, #K_M>, tensor<?xf32, #M>) -> tensor<?x?xf32, #K_M>
  %u = cleave.reduce_sum %p over [K] : (tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M>
  %s = cleave.reduce_sum %a over [K] : (tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M>
  %v = cleave.div %s, %b : (tensor<?xf32, #M>, tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %zero = cleave.sub %u, %v : (tensor<?xf32, #M>, tensor<?xf32, #M>) -> tensor<?xf32, #M>
  return %zero : tensor<?xf32, #M>
}

// A scale of the rows, before and after the contraction.
// CHECK-LABEL: @scale(
// CHECK: cleave.alternatives
// CHECK-NEXT: %[[Z:.*]] = cleave.constant 0.0
// CHECK-NEXT: cleave.yield %[[Z]]
func.func @scale(%x: tensor<?x?xf32, #M_K> {cleave.range = 8.0 : f32}, %r: tensor<?xf32, #M> {cleave.range = 8.0 : f32}, %w: tensor<?x?xf32, #K_N> {cleave.range = 8.0 : f32}) -> tensor<?x?xf32, #M_N> {
  %p = cleave.mul %x, %r : (tensor<?x?xf32, #M_K>, tensor<?xf32, #M>) -> tensor<?x?xf32, #K_M>
  %u = cleave.contract %p, %w over [K] : (tensor<?x?xf32, #K_M>, tensor<?x?xf32, #K_N>) -> tensor<?x?xf32, #M_N>
  %s = cleave.contract %x, %w over [K] : (tensor<?x?xf32, #M_K>, tensor<?x?xf32, #K_N>) -> tensor<?x?xf32, #M_N>
  %v = cleave.mul %s, %r : (tensor<?x?xf32, #M_N>, tensor<?xf32, #M>) -> tensor<?x?xf32, #M_N>
  %zero = cleave.sub %u, %v : (tensor<?x?xf32, #M_N>, tensor<?x?xf32, #M_N>) -> tensor<?x?xf32, #M_N>
  return %zero : tensor<?x?xf32, #M_N>
}

// A norm's weight, with either operand.
// CHECK-LABEL: @weight(
// CHECK: cleave.alternatives
// CHECK-NEXT: %[[Z:.*]] = cleave.constant 0.0
// CHECK-NEXT: cleave.yield %[[Z]]
func.func @weight(%x: tensor<?x?xf32, #M_K> {cleave.range = 8.0 : f32}, %g: tensor<?xf32, #K> {cleave.range = 8.0 : f32}, %w: tensor<?x?xf32, #K_N> {cleave.range = 8.0 : f32}) -> tensor<?x?xf32, #M_N> {
  %p = cleave.mul %x, %g : (tensor<?x?xf32, #M_K>, tensor<?xf32, #K>) -> tensor<?x?xf32, #K_M>
  %u = cleave.contract %p, %w over [K] : (tensor<?x?xf32, #K_M>, tensor<?x?xf32, #K_N>) -> tensor<?x?xf32, #M_N>
  %q = cleave.mul %g, %w : (tensor<?xf32, #K>, tensor<?x?xf32, #K_N>) -> tensor<?x?xf32, #K_N>
  %v = cleave.contract %x, %q over [K] : (tensor<?x?xf32, #M_K>, tensor<?x?xf32, #K_N>) -> tensor<?x?xf32, #M_N>
  %zero = cleave.sub %u, %v : (tensor<?x?xf32, #M_N>, tensor<?x?xf32, #M_N>) -> tensor<?x?xf32, #M_N>
  return %zero : tensor<?x?xf32, #M_N>
}

// (x a) b and x (a b).
// CHECK-LABEL: @chain(
// CHECK: cleave.alternatives
// CHECK-NEXT: %[[Z:.*]] = cleave.constant 0.0
// CHECK-NEXT: cleave.yield %[[Z]]
func.func @chain(%x: tensor<?x?xf32, #M_K> {cleave.range = 8.0 : f32}, %a: tensor<?x?xf32, #K_R> {cleave.range = 8.0 : f32}, %b: tensor<?x?xf32, #R_N> {cleave.range = 8.0 : f32}) -> tensor<?x?xf32, #M_N> {
  %p = cleave.contract %x, %a over [K] : (tensor<?x?xf32, #M_K>, tensor<?x?xf32, #K_R>) -> tensor<?x?xf32, #M_R>
  %u = cleave.contract %p, %b over [R] : (tensor<?x?xf32, #M_R>, tensor<?x?xf32, #R_N>) -> tensor<?x?xf32, #M_N>
  %q = cleave.contract %a, %b over [R] : (tensor<?x?xf32, #K_R>, tensor<?x?xf32, #R_N>) -> tensor<?x?xf32, #K_N>
  %v = cleave.contract %x, %q over [K] : (tensor<?x?xf32, #M_K>, tensor<?x?xf32, #K_N>) -> tensor<?x?xf32, #M_N>
  %zero = cleave.sub %u, %v : (tensor<?x?xf32, #M_N>, tensor<?x?xf32, #M_N>) -> tensor<?x?xf32, #M_N>
  return %zero : tensor<?x?xf32, #M_N>
}

// x w + (x a) b and x (w + a b).
// CHECK-LABEL: @update(
// CHECK: cleave.alternatives
// CHECK-NEXT: %[[Z:.*]] = cleave.constant 0.0
// CHECK-NEXT: cleave.yield %[[Z]]
func.func @update(%x: tensor<?x?xf32, #M_K> {cleave.range = 8.0 : f32}, %w: tensor<?x?xf32, #K_N> {cleave.range = 8.0 : f32}, %a: tensor<?x?xf32, #K_R> {cleave.range = 8.0 : f32}, %b: tensor<?x?xf32, #R_N> {cleave.range = 8.0 : f32}) -> tensor<?x?xf32, #M_N> {
  %s = cleave.contract %x, %w over [K] : (tensor<?x?xf32, #M_K>, tensor<?x?xf32, #K_N>) -> tensor<?x?xf32, #M_N>
  %p = cleave.contract %x, %a over [K] : (tensor<?x?xf32, #M_K>, tensor<?x?xf32, #K_R>) -> tensor<?x?xf32, #M_R>
  %t = cleave.contract %p, %b over [R] : (tensor<?x?xf32, #M_R>, tensor<?x?xf32, #R_N>) -> tensor<?x?xf32, #M_N>
  %u = cleave.add %s, %t : (tensor<?x?xf32, #M_N>, tensor<?x?xf32, #M_N>) -> tensor<?x?xf32, #M_N>
  %q = cleave.contract %a, %b over [R] : (tensor<?x?xf32, #K_R>, tensor<?x?xf32, #R_N>) -> tensor<?x?xf32, #K_N>
  %c = cleave.add %w, %q : (tensor<?x?xf32, #K_N>, tensor<?x?xf32, #K_N>) -> tensor<?x?xf32, #K_N>
  %v = cleave.contract %x, %c over [K] : (tensor<?x?xf32, #M_K>, tensor<?x?xf32, #K_N>) -> tensor<?x?xf32, #M_N>
  %zero = cleave.sub %u, %v : (tensor<?x?xf32, #M_N>, tensor<?x?xf32, #M_N>) -> tensor<?x?xf32, #M_N>
  return %zero : tensor<?x?xf32, #M_N>
}

// Keys from a latent: expanded, and absorbed by the query.
// CHECK-LABEL: @absorbed(
// CHECK: cleave.alternatives
// CHECK-NEXT: %[[Z:.*]] = cleave.constant 0.0
// CHECK-NEXT: cleave.yield %[[Z]]
func.func @absorbed(%q: tensor<4x2xf32, #S_D> {cleave.range = 8.0 : f32}, %c: tensor<?x?xf32, #T_L> {cleave.range = 8.0 : f32}, %w: tensor<2x?xf32, #D_L> {cleave.range = 8.0 : f32}) -> tensor<4x?xf32, #S_T> {
  %k = cleave.contract %c, %w over [L] : (tensor<?x?xf32, #T_L>, tensor<2x?xf32, #D_L>) -> tensor<2x?xf32, #D_T>
  %u = cleave.contract %q, %k over [D] : (tensor<4x2xf32, #S_D>, tensor<2x?xf32, #D_T>) -> tensor<4x?xf32, #S_T>
  %p = cleave.contract %q, %w over [D] : (tensor<4x2xf32, #S_D>, tensor<2x?xf32, #D_L>) -> tensor<?x4xf32, #L_S>
  %v = cleave.contract %p, %c over [L] : (tensor<?x4xf32, #L_S>, tensor<?x?xf32, #T_L>) -> tensor<4x?xf32, #S_T>
  %zero = cleave.sub %u, %v : (tensor<4x?xf32, #S_T>, tensor<4x?xf32, #S_T>) -> tensor<4x?xf32, #S_T>
  return %zero : tensor<4x?xf32, #S_T>
}

// Values from a latent.
// CHECK-LABEL: @absorbed_values(
// CHECK: cleave.alternatives
// CHECK-NEXT: %[[Z:.*]] = cleave.constant 0.0
// CHECK-NEXT: cleave.yield %[[Z]]
func.func @absorbed_values(%p: tensor<4x?xf32, #S_T> {cleave.range = 8.0 : f32}, %c: tensor<?x?xf32, #T_L> {cleave.range = 8.0 : f32}, %w: tensor<?x?xf32, #L_E> {cleave.range = 8.0 : f32}) -> tensor<?x4xf32, #E_S> {
  %k = cleave.contract %c, %w over [L] : (tensor<?x?xf32, #T_L>, tensor<?x?xf32, #L_E>) -> tensor<?x?xf32, #E_T>
  %u = cleave.contract %p, %k over [T] : (tensor<4x?xf32, #S_T>, tensor<?x?xf32, #E_T>) -> tensor<?x4xf32, #E_S>
  %q = cleave.contract %p, %c over [T] : (tensor<4x?xf32, #S_T>, tensor<?x?xf32, #T_L>) -> tensor<?x4xf32, #L_S>
  %v = cleave.contract %q, %w over [L] : (tensor<?x4xf32, #L_S>, tensor<?x?xf32, #L_E>) -> tensor<?x4xf32, #E_S>
  %zero = cleave.sub %u, %v : (tensor<?x4xf32, #E_S>, tensor<?x4xf32, #E_S>) -> tensor<?x4xf32, #E_S>
  return %zero : tensor<?x4xf32, #E_S>
}

// Query and key norms, inside and outside.
// CHECK-LABEL: @scaled_keys(
// CHECK: cleave.alternatives
// CHECK-NEXT: %[[Z:.*]] = cleave.constant 0.0
// CHECK-NEXT: cleave.yield %[[Z]]
func.func @scaled_keys(%q: tensor<4x2xf32, #S_D> {cleave.range = 8.0 : f32}, %k: tensor<?x2xf32, #T_D> {cleave.range = 8.0 : f32}, %r: tensor<4xf32, #S> {cleave.range = 8.0 : f32}, %t: tensor<?xf32, #T> {cleave.range = 8.0 : f32}) -> tensor<4x?xf32, #S_T> {
  %a = cleave.mul %q, %r : (tensor<4x2xf32, #S_D>, tensor<4xf32, #S>) -> tensor<2x4xf32, #D_S>
  %b = cleave.mul %k, %t : (tensor<?x2xf32, #T_D>, tensor<?xf32, #T>) -> tensor<2x?xf32, #D_T>
  %u = cleave.contract %a, %b over [D] : (tensor<2x4xf32, #D_S>, tensor<2x?xf32, #D_T>) -> tensor<4x?xf32, #S_T>
  %p = cleave.contract %q, %k over [D] : (tensor<4x2xf32, #S_D>, tensor<?x2xf32, #T_D>) -> tensor<4x?xf32, #S_T>
  %v = cleave.mul %p, %r, %t : (tensor<4x?xf32, #S_T>, tensor<4xf32, #S>, tensor<?xf32, #T>) -> tensor<4x?xf32, #S_T>
  %zero = cleave.sub %u, %v : (tensor<4x?xf32, #S_T>, tensor<4x?xf32, #S_T>) -> tensor<4x?xf32, #S_T>
  return %zero : tensor<4x?xf32, #S_T>
}

// The scale c leaves a norm with eps c^2.
// CHECK-LABEL: @norm_of_scaled(
// CHECK: cleave.yield %[[V:.*]], %[[V]] :
func.func @norm_of_scaled(%x: tensor<?x?xf32, #M_K> {cleave.range = 8.0 : f32}, %c: tensor<?xf32, #M> {cleave.range = 8.0 : f32}, %e: tensor<?xf32, #M> {cleave.range = 8.0 : f32}) -> (tensor<?xf32, #M>, tensor<?xf32, #M>) {
  %z = cleave.exp %e : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %y = cleave.mul %x, %c : (tensor<?x?xf32, #M_K>, tensor<?xf32, #M>) -> tensor<?x?xf32, #K_M>
  %y2 = cleave.mul %y, %y : (tensor<?x?xf32, #K_M>, tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  %s = cleave.reduce_sum %y2 over [K] : (tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M>
  %ce = cleave.mul %c, %c, %z : (tensor<?xf32, #M>, tensor<?xf32, #M>, tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %b = cleave.add %s, %ce : (tensor<?xf32, #M>, tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %u = cleave.rsqrt %b : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %x2 = cleave.mul %x, %x : (tensor<?x?xf32, #M_K>, tensor<?x?xf32, #M_K>) -> tensor<?x?xf32, #K_M>
  %t = cleave.reduce_sum %x2 over [K] : (tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M>
  %d = cleave.add %t, %z : (tensor<?xf32, #M>, tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %r = cleave.rsqrt %d : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %n = cleave.abs %c : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %i = cleave.recip %n : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %v = cleave.mul %i, %r : (tensor<?xf32, #M>, tensor<?xf32, #M>) -> tensor<?xf32, #M>
  return %u, %v : tensor<?xf32, #M>, tensor<?xf32, #M>
}

// The root of a mean is that of a sum times that of the extent.
// CHECK-LABEL: @rms_and_length(
// CHECK: cleave.alternatives
// CHECK-NEXT: %[[Z:.*]] = cleave.constant 0.0
// CHECK-NEXT: cleave.yield %[[Z]]
func.func @rms_and_length(%y: tensor<?x256xf32, #M_H> {cleave.range = 8.0 : f32}) -> tensor<?xf32, #M> {
  %x = cleave.exp %y : (tensor<?x256xf32, #M_H>) -> tensor<256x?xf32, #H_M>
  %x2 = cleave.mul %x, %x : (tensor<256x?xf32, #H_M>, tensor<256x?xf32, #H_M>) -> tensor<256x?xf32, #H_M>
  %s = cleave.reduce_sum %x2 over [H] : (tensor<256x?xf32, #H_M>) -> tensor<?xf32, #M>
  %n = cleave.constant 3.90625e-3 : tensor<f32, #s>
  %m = cleave.mul %s, %n : (tensor<?xf32, #M>, tensor<f32, #s>) -> tensor<?xf32, #M>
  %u = cleave.rsqrt %m : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %l = cleave.rsqrt %s : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %h = cleave.constant 16.0 : tensor<f32, #s>
  %v = cleave.mul %l, %h : (tensor<?xf32, #M>, tensor<f32, #s>) -> tensor<?xf32, #M>
  %zero = cleave.sub %u, %v : (tensor<?xf32, #M>, tensor<?xf32, #M>) -> tensor<?xf32, #M>
  return %zero : tensor<?xf32, #M>
}

// A function before and after a gather.
// CHECK-LABEL: @gathered(
// CHECK: cleave.yield %[[V:.*]], %[[V]] :
func.func @gathered(%x: tensor<4x?xf32, #S_M> {cleave.range = 8.0 : f32}, %i: tensor<?xi32, #I>) -> (tensor<?x?xf32, #I_M>, tensor<?x?xf32, #I_M>) {
  %g = cleave.gather %x S at %i : (tensor<4x?xf32, #S_M>, tensor<?xi32, #I>) -> tensor<?x?xf32, #I_M>
  %u = cleave.exp %g : (tensor<?x?xf32, #I_M>) -> tensor<?x?xf32, #I_M>
  %e = cleave.exp %x : (tensor<4x?xf32, #S_M>) -> tensor<?x4xf32, #M_S>
  %v = cleave.gather %e S at %i : (tensor<?x4xf32, #M_S>, tensor<?xi32, #I>) -> tensor<?x?xf32, #I_M>
  return %u, %v : tensor<?x?xf32, #I_M>, tensor<?x?xf32, #I_M>
}

// Two weights in one contraction, and one of them alone.
// CHECK-LABEL: @part_of_fused(
// CHECK: cleave.alternatives
// CHECK-NEXT: %[[Z:.*]] = cleave.constant 0.0
// CHECK-NEXT: cleave.yield %[[Z]]
func.func @part_of_fused(%x: tensor<?x?xf32, #M_K> {cleave.range = 8.0 : f32}, %a: tensor<?x4xf32, #K_S> {cleave.range = 8.0 : f32}, %b: tensor<?x?xf32, #K_T> {cleave.range = 8.0 : f32}) -> tensor<?x?xf32, #M_T> {
  %w = cleave.concat %a, %b along [S, T] as N : (tensor<?x4xf32, #K_S>, tensor<?x?xf32, #K_T>) -> tensor<?x?xf32, #K_N>
  %p = cleave.contract %x, %w over [K] : (tensor<?x?xf32, #M_K>, tensor<?x?xf32, #K_N>) -> tensor<?x?xf32, #M_N>
  %u = cleave.slice %p N at 4 as T : tensor<?x?xf32, #M_N> to tensor<?x?xf32, #M_T>
  %v = cleave.contract %x, %b over [K] : (tensor<?x?xf32, #M_K>, tensor<?x?xf32, #K_T>) -> tensor<?x?xf32, #M_T>
  %zero = cleave.sub %u, %v : (tensor<?x?xf32, #M_T>, tensor<?x?xf32, #M_T>) -> tensor<?x?xf32, #M_T>
  return %zero : tensor<?x?xf32, #M_T>
}

// A head in two parts: one contraction, or the sum of two.
// CHECK-LABEL: @split_heads(
// CHECK: cleave.alternatives
// CHECK-NEXT: %[[Z:.*]] = cleave.constant 0.0
// CHECK-NEXT: cleave.yield %[[Z]]
func.func @split_heads(%a: tensor<4x?xf32, #S_K> {cleave.range = 8.0 : f32}, %b: tensor<4x?xf32, #S_R> {cleave.range = 8.0 : f32}, %c: tensor<?x?xf32, #T_K> {cleave.range = 8.0 : f32}, %d: tensor<?x?xf32, #T_R> {cleave.range = 8.0 : f32}) -> tensor<4x?xf32, #S_T> {
  %q = cleave.concat %a, %b along [K, R] as N : (tensor<4x?xf32, #S_K>, tensor<4x?xf32, #S_R>) -> tensor<?x4xf32, #N_S>
  %k = cleave.concat %c, %d along [K, R] as N : (tensor<?x?xf32, #T_K>, tensor<?x?xf32, #T_R>) -> tensor<?x?xf32, #N_T>
  %u = cleave.contract %q, %k over [N] : (tensor<?x4xf32, #N_S>, tensor<?x?xf32, #N_T>) -> tensor<4x?xf32, #S_T>
  %s = cleave.contract %a, %c over [K] : (tensor<4x?xf32, #S_K>, tensor<?x?xf32, #T_K>) -> tensor<4x?xf32, #S_T>
  %t = cleave.contract %b, %d over [R] : (tensor<4x?xf32, #S_R>, tensor<?x?xf32, #T_R>) -> tensor<4x?xf32, #S_T>
  %v = cleave.add %s, %t : (tensor<4x?xf32, #S_T>, tensor<4x?xf32, #S_T>) -> tensor<4x?xf32, #S_T>
  %zero = cleave.sub %u, %v : (tensor<4x?xf32, #S_T>, tensor<4x?xf32, #S_T>) -> tensor<4x?xf32, #S_T>
  return %zero : tensor<4x?xf32, #S_T>
}

// A bias of the rows leaves a maximum.
// CHECK-LABEL: @row_terms(
// CHECK: cleave.yield %[[V:.*]], %[[V]] :
func.func @row_terms(%x: tensor<4x?xf32, #S_T> {cleave.range = 8.0 : f32}, %c: tensor<4xf32, #S> {cleave.range = 8.0 : f32}) -> (tensor<4xf32, #S>, tensor<4xf32, #S>) {
  %z = cleave.add %x, %c : (tensor<4x?xf32, #S_T>, tensor<4xf32, #S>) -> tensor<4x?xf32, #S_T>
  %u = cleave.reduce_max %z over [T] : (tensor<4x?xf32, #S_T>) -> tensor<4xf32, #S>
  %m = cleave.reduce_max %x over [T] : (tensor<4x?xf32, #S_T>) -> tensor<4xf32, #S>
  %v = cleave.add %m, %c : (tensor<4xf32, #S>, tensor<4xf32, #S>) -> tensor<4xf32, #S>
  return %u, %v : tensor<4xf32, #S>, tensor<4xf32, #S>
}

// A softmax's division behind the next projection.
// CHECK-LABEL: @projection(
// CHECK: cleave.alternatives
// CHECK-NEXT: %[[Z:.*]] = cleave.constant 0.0
// CHECK-NEXT: cleave.yield %[[Z]]
func.func @projection(%o: tensor<4x?xf32, #S_E> {cleave.range = 8.0 : f32}, %l: tensor<4xf32, #S> {cleave.range = 8.0 : f32}, %w: tensor<?x?xf32, #E_N> {cleave.range = 8.0 : f32}) -> tensor<?x4xf32, #N_S> {
  %e = cleave.exp %l : (tensor<4xf32, #S>) -> tensor<4xf32, #S>
  %p = cleave.div %o, %e : (tensor<4x?xf32, #S_E>, tensor<4xf32, #S>) -> tensor<?x4xf32, #E_S>
  %u = cleave.contract %p, %w over [E] : (tensor<?x4xf32, #E_S>, tensor<?x?xf32, #E_N>) -> tensor<?x4xf32, #N_S>
  %q = cleave.contract %o, %w over [E] : (tensor<4x?xf32, #S_E>, tensor<?x?xf32, #E_N>) -> tensor<?x4xf32, #N_S>
  %v = cleave.div %q, %e : (tensor<?x4xf32, #N_S>, tensor<4xf32, #S>) -> tensor<?x4xf32, #N_S>
  %zero = cleave.sub %u, %v : (tensor<?x4xf32, #N_S>, tensor<?x4xf32, #N_S>) -> tensor<?x4xf32, #N_S>
  return %zero : tensor<?x4xf32, #N_S>
}
