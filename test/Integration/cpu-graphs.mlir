// Graphs of other kinds than the examples, at extents that nothing divides,
// compiled for the CPU once each and checked against the f64 evaluator.

// RUN: cleave-run %s --entry=norm2_linear --bind 'M=7,K=67,N=5;M=1,K=1,N=1;M=17,K=130,N=70;M=3,K=0,N=2;M=0,K=3,N=2' --check | FileCheck %s --check-prefix=NORM2LINEAR
// NORM2LINEAR-COUNT-5: result{{[01]}}[{{.*}} L2 {{.*}}: ok
// RUN: cleave-run %s --entry=gated --bind 'M=7,K=67,N=5;M=17,K=130,N=70;M=3,K=0,N=2' --check | FileCheck %s --check-prefix=GATED
// GATED-COUNT-3: result{{[01]}}[{{.*}} L2 {{.*}}: ok
// RUN: cleave-run %s --entry=two_products --bind 'M=7,K=67,N=5,P=3;M=17,K=130,N=70,P=65;M=2,K=3,N=0,P=2' --check | FileCheck %s --check-prefix=TWOPRODUCTS
// TWOPRODUCTS-COUNT-3: result{{[01]}}[{{.*}} L2 {{.*}}: ok
// RUN: cleave-run %s --entry=batched --bind 'B=3,M=7,K=67,N=5;B=0,M=1,K=1,N=1' --check | FileCheck %s --check-prefix=BATCHED
// BATCHED-COUNT-2: result{{[01]}}[{{.*}} L2 {{.*}}: ok
// RUN: cleave-run %s --entry=layer_norm --bind 'M=7,K=67;M=1,K=1;M=17,K=130;M=3,K=0;M=0,K=3' --check | FileCheck %s --check-prefix=LAYERNORM
// LAYERNORM-COUNT-5: result{{[01]}}[{{.*}} L2 {{.*}}: ok
// RUN: cleave-run %s --entry=pointwise --bind 'M=7,K=67;M=1,K=1;M=3,K=0' --check | FileCheck %s --check-prefix=POINTWISE
// POINTWISE-COUNT-6: result{{[01]}}[{{.*}} L2 {{.*}}: ok
// RUN: cleave-run %s --entry=unrelated_reductions --bind 'M=7,K=67;M=1,K=1;M=3,K=0' --check | FileCheck %s --check-prefix=UNRELATEDREDUCTIONS
// UNRELATEDREDUCTIONS-COUNT-6: result{{[01]}}[{{.*}} L2 {{.*}}: ok
// RUN: cleave-run %s --entry=wide --bind 'M=7,K=67,N=5;M=3,K=0,N=2' --check | FileCheck %s --check-prefix=WIDE
// WIDE-COUNT-2: result{{[01]}}[{{.*}} L2 {{.*}}: ok

#M_K = #cleave.axes<M, K>
#K_M = #cleave.axes<K, M>
#K_N = #cleave.axes<K, N>
#M_N = #cleave.axes<M, N>
#B_M_K = #cleave.axes<B, M, K>
#B_K_N = #cleave.axes<B, K, N>
#B_M_N = #cleave.axes<B, M, N>
#N_P = #cleave.axes<N, P>
#M_P = #cleave.axes<M, P>
#M = #cleave.axes<M>
#K = #cleave.axes<K>
#s = #cleave.axes<>

func.func @norm2_linear(%x: tensor<?x?xf16, #M_K>, %w: tensor<?x?xf16, #K_N>) -> tensor<?x?xf32, #M_N> {
  %q = cleave.mul %x, %x : (tensor<?x?xf16, #M_K>, tensor<?x?xf16, #M_K>) -> tensor<?x?xf32, #K_M>
  %s = cleave.reduce_sum %q over [K] : (tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M>
  %e = cleave.constant 1.0e-6 : tensor<f32, #s>
  %b = cleave.add %s, %e : (tensor<?xf32, #M>, tensor<f32, #s>) -> tensor<?xf32, #M>
  %r = cleave.rsqrt %b : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %n = cleave.mul %x, %r : (tensor<?x?xf16, #M_K>, tensor<?xf32, #M>) -> tensor<?x?xf32, #K_M>
  %y = cleave.contract %n, %w over [K] : (tensor<?x?xf32, #K_M>, tensor<?x?xf16, #K_N>) -> tensor<?x?xf32, #M_N>
  return %y : tensor<?x?xf32, #M_N>
}

func.func @gated(%x: tensor<?x?xf16, #M_K>, %w: tensor<?x?xf16, #K_N>, %v: tensor<?x?xf16, #K_N>) -> tensor<?x?xf16, #M_N> {
  %a = cleave.contract %x, %w over [K] : (tensor<?x?xf16, #M_K>, tensor<?x?xf16, #K_N>) -> tensor<?x?xf32, #M_N>
  %b = cleave.contract %x, %v over [K] : (tensor<?x?xf16, #M_K>, tensor<?x?xf16, #K_N>) -> tensor<?x?xf32, #M_N>
  %g = cleave.silu %a : (tensor<?x?xf32, #M_N>) -> tensor<?x?xf32, #M_N>
  %y = cleave.mul %g, %b : (tensor<?x?xf32, #M_N>, tensor<?x?xf32, #M_N>) -> tensor<?x?xf32, #M_N>
  %h = cleave.cast %y : tensor<?x?xf32, #M_N> to tensor<?x?xf16, #M_N>
  return %h : tensor<?x?xf16, #M_N>
}

func.func @two_products(%x: tensor<?x?xf16, #M_K>, %w: tensor<?x?xf16, #K_N>, %v: tensor<?x?xf16, #N_P>) -> tensor<?x?xf16, #M_P> {
  %a = cleave.contract %x, %w over [K] : (tensor<?x?xf16, #M_K>, tensor<?x?xf16, #K_N>) -> tensor<?x?xf32, #M_N>
  %b = cleave.contract %a, %v over [N] : (tensor<?x?xf32, #M_N>, tensor<?x?xf16, #N_P>) -> tensor<?x?xf32, #M_P>
  %h = cleave.cast %b : tensor<?x?xf32, #M_P> to tensor<?x?xf16, #M_P>
  return %h : tensor<?x?xf16, #M_P>
}

func.func @batched(%x: tensor<?x?x?xf16, #B_M_K>, %w: tensor<?x?x?xbf16, #B_K_N>) -> tensor<?x?x?xf32, #B_M_N> {
  %y = cleave.contract %x, %w over [K] {operand_type = bf16} : (tensor<?x?x?xf16, #B_M_K>, tensor<?x?x?xbf16, #B_K_N>) -> tensor<?x?x?xf32, #B_M_N>
  return %y : tensor<?x?x?xf32, #B_M_N>
}

func.func @layer_norm(%x: tensor<?x?xf32, #M_K>) -> tensor<?x?xf32, #M_K> {
  %n = cleave.extent K : tensor<f32, #s>
  %s = cleave.reduce_sum %x over [K] : (tensor<?x?xf32, #M_K>) -> tensor<?xf32, #M>
  %mu = cleave.div %s, %n : (tensor<?xf32, #M>, tensor<f32, #s>) -> tensor<?xf32, #M>
  %d = cleave.sub %x, %mu : (tensor<?x?xf32, #M_K>, tensor<?xf32, #M>) -> tensor<?x?xf32, #K_M>
  %q = cleave.mul %d, %d : (tensor<?x?xf32, #K_M>, tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  %v = cleave.reduce_sum %q over [K] : (tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M>
  %var = cleave.div %v, %n : (tensor<?xf32, #M>, tensor<f32, #s>) -> tensor<?xf32, #M>
  %e = cleave.constant 1.0e-5 : tensor<f32, #s>
  %b = cleave.add %var, %e : (tensor<?xf32, #M>, tensor<f32, #s>) -> tensor<?xf32, #M>
  %r = cleave.rsqrt %b : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %y = cleave.mul %d, %r : (tensor<?x?xf32, #K_M>, tensor<?xf32, #M>) -> tensor<?x?xf32, #K_M>
  %z = cleave.relayout %y : tensor<?x?xf32, #K_M> to tensor<?x?xf32, #M_K>
  return %z : tensor<?x?xf32, #M_K>
}

func.func @pointwise(%x: tensor<?x?xf16, #M_K>, %g: tensor<?xbf16, #K>, %c: tensor<f32, #s>) -> (tensor<?x?xbf16, #M_K>, tensor<?xf32, #M>) {
  %a = cleave.pow %g, %c : (tensor<?xbf16, #K>, tensor<f32, #s>) -> tensor<?xf32, #K>
  %b = cleave.max %x, %g, %c : (tensor<?x?xf16, #M_K>, tensor<?xbf16, #K>, tensor<f32, #s>) -> tensor<?x?xf32, #K_M>
  %p = cleave.cmp lt %x, %g : (tensor<?x?xf16, #M_K>, tensor<?xbf16, #K>) -> tensor<?x?xi1, #K_M>
  %d = cleave.select %p, %b, %a : (tensor<?x?xi1, #K_M>, tensor<?x?xf32, #K_M>, tensor<?xf32, #K>) -> tensor<?x?xf32, #K_M>
  %s = cleave.sigmoid %d : (tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  %h = cleave.cast %s : tensor<?x?xf32, #K_M> to tensor<?x?xbf16, #K_M>
  %z = cleave.relayout %h : tensor<?x?xbf16, #K_M> to tensor<?x?xbf16, #M_K>
  %m = cleave.reduce_max %h over [K] : (tensor<?x?xbf16, #K_M>) -> tensor<?xf32, #M>
  return %z, %m : tensor<?x?xbf16, #M_K>, tensor<?xf32, #M>
}

func.func @unrelated_reductions(%x: tensor<?x?xf32, #M_K>, %y: tensor<?x?xf32, #M_K>) -> (tensor<?xf32, #M>, tensor<?xf32, #M>) {
  %a = cleave.mul %x, %y : (tensor<?x?xf32, #M_K>, tensor<?x?xf32, #M_K>) -> tensor<?x?xf32, #K_M>
  %s = cleave.reduce_sum %a over [K] : (tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M>
  %n = cleave.neg %y : (tensor<?x?xf32, #M_K>) -> tensor<?x?xf32, #K_M>
  %m = cleave.reduce_max %n over [K] : (tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M>
  %t = cleave.add %s, %m : (tensor<?xf32, #M>, tensor<?xf32, #M>) -> tensor<?xf32, #M>
  return %s, %t : tensor<?xf32, #M>, tensor<?xf32, #M>
}

func.func @wide(%x: tensor<?x?xf64, #M_K>, %w: tensor<?x?xf64, #K_N>) -> tensor<?x?xf64, #M_N> {
  %y = cleave.contract %x, %w over [K] : (tensor<?x?xf64, #M_K>, tensor<?x?xf64, #K_N>) -> tensor<?x?xf64, #M_N>
  return %y : tensor<?x?xf64, #M_N>
}
