// The verdict on each reduction that uses an earlier one, and the reason of a
// refusal.
// RUN: cleave-opt %s --cleave-form-folds --remarks-filter=cleave-form-folds -verify-diagnostics -o /dev/null
// RUN: cleave-opt %s --cleave-form-folds=numerics=real | FileCheck %s --check-prefix=REAL

#K_N = #cleave.axes<K, N>
!x = tensor<8x?xf32, #cleave.axes<K, M>>
!m = tensor<?xf32, #cleave.axes<M>>
!s = tensor<f32, #cleave.axes<>>
!w = tensor<8x4xf32, #K_N>
!y = tensor<?x4xf32, #cleave.axes<M, N>>

func.func @accepted(%x: !x, %w: !w) -> (!m, !y) {
  %m = cleave.reduce_max %x over [K] : (!x) -> !m
  %d = cleave.sub %x, %m : (!x, !m) -> !x
  %e = cleave.exp %d : (!x) -> !x
  // expected-remark @below {{one pass over [K]: a factor corrects for its references}}
  %l = cleave.reduce_sum %e over [K] : (!x) -> !m
  %p = cleave.div %e, %l : (!x, !m) -> !x
  // expected-remark @below {{one pass over [K]: a factor corrects for its references, a scale is applied behind it}}
  %y = cleave.contract %p, %w over [K] : (!x, !w) -> !y
  return %l, %y : !m, !y
}

func.func @variance(%x: !x) -> !m {
  %n = cleave.extent K : !s
  %s = cleave.reduce_sum %x over [K] : (!x) -> !m
  %mu = cleave.div %s, %n : (!m, !s) -> !m
  %d = cleave.sub %x, %mu : (!x, !m) -> !x
  %q = cleave.mul %d, %d : (!x, !x) -> !x
  // expected-remark @below {{one pass over [K]: moments 0 to 2 follow its references}}
  %t = cleave.reduce_sum %q over [K] : (!x) -> !m
  return %t : !m
}

func.func @rounding(%x: !x, %w: !w) -> !y {
  %n = cleave.neg %x : (!x) -> !x
  %a = cleave.max %x, %n : (!x, !x) -> !x
  %m = cleave.reduce_max %a over [K] : (!x) -> !m
  %d = cleave.div %x, %m : (!x, !m) -> !x
  %h = cleave.cast %d : !x to tensor<8x?xf16, #cleave.axes<K, M>>
  // expected-remark @below {{not one pass over [K]: 'cleave.cast' to f16 mixes an earlier reduction with what varies along the axis}}
  %y = cleave.contract %h, %w over [K] : (tensor<8x?xf16, #cleave.axes<K, M>>, !w) -> !y
  return %y : !y
}

func.func @nonlinear(%x: !x) -> !m {
  %n = cleave.extent K : !s
  %s = cleave.reduce_sum %x over [K] : (!x) -> !m
  %mu = cleave.div %s, %n : (!m, !s) -> !m
  %d = cleave.sub %x, %mu : (!x, !m) -> !x
  %q = cleave.sigmoid %d : (!x) -> !x
  // expected-remark @below {{not one pass over [K]: 'cleave.sigmoid' mixes}}
  %t = cleave.reduce_sum %q over [K] : (!x) -> !m
  return %t : !m
}

func.func @softmax_of_softmax(%x: !x) -> !m {
  %m = cleave.reduce_max %x over [K] : (!x) -> !m
  %d = cleave.sub %x, %m : (!x, !m) -> !x
  %e = cleave.exp %d : (!x) -> !x
  // expected-remark @below {{one pass over [K]: a factor corrects}}
  %l = cleave.reduce_sum %e over [K] : (!x) -> !m
  %p = cleave.div %e, %l : (!x, !m) -> !x
  // expected-remark @below {{not one pass over [K]: 'cleave.div' in a maximum mixes an earlier reduction with what varies along the axis}}
  %m1 = cleave.reduce_max %p over [K] : (!x) -> !m
  %d1 = cleave.sub %p, %m1 : (!x, !m) -> !x
  %e1 = cleave.exp %d1 : (!x) -> !x
  // expected-remark @below {{one pass over [K]: a factor corrects}}
  %l1 = cleave.reduce_sum %e1 over [K] : (!x) -> !m
  return %l1 : !m
}

func.func @second_norm(%x: !x, %f: !x, %a: tensor<8xf32, #cleave.axes<K>>) -> !m {
  %q = cleave.mul %f, %f : (!x, !x) -> !x
  %n = cleave.reduce_sum %q over [K] : (!x) -> !m
  %r = cleave.rsqrt %n : (!m) -> !m
  %g = cleave.mul %a, %f, %r : (tensor<8xf32, #cleave.axes<K>>, !x, !m) -> !x
  %h = cleave.add %x, %g : (!x, !x) -> !x
  %h2 = cleave.mul %h, %h : (!x, !x) -> !x
  // expected-remark @below {{not one pass over [K]: 'cleave.rsqrt' in the sum is multiplied with what varies along the axis}}
  %t = cleave.reduce_sum %h2 over [K] : (!x) -> !m
  return %t : !m
}

func.func @other_axis(%x: !x) -> !s {
  %m = cleave.reduce_max %x over [K] : (!x) -> !m
  %t = cleave.reduce_sum %m over [M] : (!m) -> !s
  %d = cleave.sub %x, %t : (!x, !s) -> !x
  %e = cleave.exp %d : (!x) -> !x
  // expected-remark @below {{not one pass over [K]: a reference goes through 'cleave.reduce_sum'}}
  %l = cleave.reduce_sum %e over [K] : (!x) -> !m
  // expected-remark @below {{not one pass over [M]: the body uses an earlier reduction through 'cleave.reduce_sum'}}
  %y = cleave.reduce_sum %l over [M] : (!m) -> !s
  return %y : !s
}

func.func @two_bases(%x: !x, %z: !x) -> !m {
  %n = cleave.extent K : !s
  %s = cleave.reduce_sum %x over [K] : (!x) -> !m
  %mu = cleave.div %s, %n : (!m, !s) -> !m
  %d = cleave.sub %x, %mu : (!x, !m) -> !x
  %c = cleave.sub %z, %mu : (!x, !m) -> !x
  %q = cleave.mul %d, %c : (!x, !x) -> !x
  // expected-remark @below {{not one pass over [K]: two different sums use earlier reductions}}
  %t = cleave.reduce_sum %q over [K] : (!x) -> !m
  return %t : !m
}

func.func @fifth_power(%x: !x) -> !m {
  %n = cleave.extent K : !s
  %s = cleave.reduce_sum %x over [K] : (!x) -> !m
  %mu = cleave.div %s, %n : (!m, !s) -> !m
  %d = cleave.sub %x, %mu : (!x, !m) -> !x
  %q = cleave.mul %d, %d, %d, %d, %d : (!x, !x, !x, !x, !x) -> !x
  // expected-remark @below {{not one pass over [K]: a sum to a power that is not 1, 2, 3 or 4}}
  %t = cleave.reduce_sum %q over [K] : (!x) -> !m
  return %t : !m
}

// REAL-LABEL: func.func @no_mean
// REAL: cleave.fold
func.func @no_mean(%x: !x) -> !m {
  %s = cleave.reduce_sum %x over [K] : (!x) -> !m
  %d = cleave.sub %x, %s : (!x, !m) -> !x
  %q = cleave.mul %d, %d : (!x, !x) -> !x
  // expected-remark @below {{not one pass over [K]: a reference in a sum is no mean}}
  %t = cleave.reduce_sum %q over [K] : (!x) -> !m
  return %t : !m
}

// REAL-LABEL: func.func @unbounded
// REAL: cleave.fold
func.func @unbounded(%x: !x) -> !m {
  %s = cleave.reduce_sum %x over [K] : (!x) -> !m
  %d = cleave.sub %x, %s : (!x, !m) -> !x
  %e = cleave.exp %d : (!x) -> !x
  // expected-remark @below {{not one pass over [K]: no maximum over the axis is known to bound the exponent}}
  %t = cleave.reduce_sum %e over [K] : (!x) -> !m
  return %t : !m
}

// REAL-LABEL: func.func @may_overflow
// REAL: %[[C:.*]] = cleave.contract
// REAL: cleave.mul %[[C]],
func.func @may_overflow(%x: tensor<?x8xf16, #cleave.axes<M, K>>, %g: tensor<8xf16, #cleave.axes<K>>, %w: tensor<8x4xf16, #K_N>) -> !y {
  %q = cleave.mul %x, %x : (tensor<?x8xf16, #cleave.axes<M, K>>, tensor<?x8xf16, #cleave.axes<M, K>>) -> !x
  %n = cleave.reduce_sum %q over [K] : (!x) -> !m
  %r = cleave.rsqrt %n : (!m) -> !m
  %h = cleave.mul %x, %r, %g : (tensor<?x8xf16, #cleave.axes<M, K>>, !m, tensor<8xf16, #cleave.axes<K>>) -> !x
  // expected-remark @below {{not one pass over [K]: without its scale, an operand is only known to be at most 4.29077e+09, which may overflow f16 (declare cleave.range)}}
  %y = cleave.contract %h, %w over [K] : (!x, tensor<8x4xf16, #K_N>) -> !y
  return %y : !y
}

func.func @temperature(%x: !x, %t: !m) -> !m {
  %m = cleave.reduce_max %x over [K] : (!x) -> !m
  %d = cleave.sub %x, %m : (!x, !m) -> !x
  %c = cleave.mul %d, %t : (!x, !m) -> !x
  %e = cleave.exp %c : (!x) -> !x
  // expected-remark @below {{not one pass over [K]: a correction needs a value that is no state}}
  %l = cleave.reduce_sum %e over [K] : (!x) -> !m
  return %l : !m
}

func.func @cancelled(%x: !x) -> !m {
  %m = cleave.reduce_max %x over [K] : (!x) -> !m
  %d = cleave.sub %x, %m : (!x, !m) -> !x
  %e = cleave.exp %d : (!x) -> !x
  %q = cleave.div %e, %e : (!x, !x) -> !x
  // expected-remark @below {{not one pass over [K]: earlier reductions cancel in the exponent}}
  %l = cleave.reduce_sum %q over [K] : (!x) -> !m
  return %l : !m
}

func.func @magnitude(%x: !x) -> !m {
  %n = cleave.extent K : !s
  %s = cleave.reduce_sum %x over [K] : (!x) -> !m
  %mu = cleave.div %s, %n : (!m, !s) -> !m
  %d = cleave.sub %x, %mu : (!x, !m) -> !x
  %a = cleave.abs %d : (!x) -> !x
  // expected-remark @below {{not one pass over [K]: 'cleave.abs' mixes an earlier reduction with what varies along the axis}}
  %t = cleave.reduce_sum %a over [K] : (!x) -> !m
  return %t : !m
}

func.func @minimum(%x: !x) -> !m {
  %s = cleave.reduce_min %x over [K] : (!x) -> !m
  %y = cleave.mul %x, %s : (!x, !m) -> !x
  // expected-remark @below {{not one pass over [K]: 'cleave.mul' in a minimum mixes an earlier reduction with what varies along the axis}}
  %m = cleave.reduce_min %y over [K] : (!x) -> !m
  return %m : !m
}

func.func @product(%x: !x) -> (!m, !m) {
  %p = cleave.reduce_prod %x over [K] : (!x) -> !m
  %y = cleave.mul %x, %p : (!x, !m) -> !x
  // expected-remark @below {{not one pass over [K]: a product over the axis of what uses an earlier reduction}}
  %q = cleave.reduce_prod %y over [K] : (!x) -> !m
  %d = cleave.sub %x, %p : (!x, !m) -> !x
  %e = cleave.exp %d : (!x) -> !x
  // expected-remark @below {{not one pass over [K]: a product is no state}}
  %l = cleave.reduce_sum %e over [K] : (!x) -> !m
  return %q, %l : !m, !m
}

func.func @select(%x: !x, %keep: tensor<8x?xi1, #cleave.axes<K, M>>) -> !m {
  %low = cleave.constant 0xFFF0000000000000 : !s
  %zero = cleave.constant 0.0 : !s
  %z = cleave.select %keep, %x, %low : (tensor<8x?xi1, #cleave.axes<K, M>>, !x, !s) -> !x
  %m = cleave.reduce_max %z over [K] : (!x) -> !m
  %d = cleave.sub %x, %m : (!x, !m) -> !x
  %e = cleave.exp %d : (!x) -> !x
  %k = cleave.select %keep, %e, %zero : (tensor<8x?xi1, #cleave.axes<K, M>>, !x, !s) -> !x
  // expected-remark @below {{not one pass over [K]: a reference under a 'cleave.select' may be infinite}}
  %l = cleave.reduce_sum %k over [K] : (!x) -> !m
  return %l : !m
}

// Written by the logsumexp: it leaves the loop but for the maximum.
func.func @logsumexp(%x: !x, %w: !w) -> !y {
  %m = cleave.reduce_max %x over [K] : (!x) -> !m
  %d = cleave.sub %x, %m : (!x, !m) -> !x
  %e = cleave.exp %d : (!x) -> !x
  // expected-remark @below {{one pass over [K]: a factor corrects for its references}}
  %l = cleave.reduce_sum %e over [K] : (!x) -> !m
  %g = cleave.log %l : (!m) -> !m
  %lse = cleave.add %m, %g : (!m, !m) -> !m
  %z = cleave.sub %x, %lse : (!x, !m) -> !x
  %p = cleave.exp %z : (!x) -> !x
  // expected-remark @below {{one pass over [K]: a factor corrects for its references, a scale is applied behind it}}
  %y = cleave.contract %p, %w over [K] : (!x, !w) -> !y
  return %y : !y
}

func.func @cancels(%x: !x) -> !m {
  %m = cleave.reduce_max %x over [K] : (!x) -> !m
  %s = cleave.reduce_sum %x over [K] : (!x) -> !m
  %r = cleave.recip %s : (!m) -> !m
  %a = cleave.add %x, %r : (!x, !m) -> !x
  %b = cleave.add %m, %r : (!m, !m) -> !m
  %d = cleave.sub %a, %b : (!x, !m) -> !x
  %e = cleave.exp %d : (!x) -> !x
  // expected-remark @below {{not one pass over [K]: earlier reductions cancel in the exponent}}
  %l = cleave.reduce_sum %e over [K] : (!x) -> !m
  return %l : !m
}

func.func @distances(%x: !x, %z: !x) -> (!m, !m) {
  %m = cleave.reduce_max %x over [K] : (!x) -> !m
  %d = cleave.sub %x, %m : (!x, !m) -> !x
  %q = cleave.mul %d, %d : (!x, !x) -> !x
  // expected-remark @below {{one pass over [K]: moments 0 to 2 follow its references}}
  %t = cleave.reduce_sum %q over [K] : (!x) -> !m
  %e = cleave.sub %z, %m : (!x, !m) -> !x
  %r = cleave.mul %e, %e : (!x, !x) -> !x
  // expected-remark @below {{not one pass over [K]: a maximum in a sum that is multiplied out and may cancel}}
  %u = cleave.reduce_sum %r over [K] : (!x) -> !m
  return %t, %u : !m, !m
}
