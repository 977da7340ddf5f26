// Results that no tile enters: numbers, extents and what is computed from them.

// RUN: cleave-run %s --entry=constant --print --check | FileCheck %s --check-prefix=CONSTANT
// CONSTANT: result0: f32 = 2.5
// CONSTANT: result0: {{.*}}: ok
// RUN: cleave-run %s --entry=extent --bind 'M=2,K=5' --print --check | FileCheck %s --check-prefix=EXTENT
// EXTENT: result0{{.*}}: f32 = 5
// EXTENT: result0{{.*}}: ok
// RUN: cleave-run %s --entry=computed --bind 'K=5' --check | FileCheck %s --check-prefix=COMPUTED
// COMPUTED: result0{{.*}}: ok
// RUN: cleave-run %s --entry=beside --bind 'K=5;K=0' --check | FileCheck %s --check-prefix=BESIDE
// BESIDE-COUNT-6: result{{.*}}: ok

#MK = #cleave.axes<M, K>
#K = #cleave.axes<K>
#s = #cleave.axes<>

func.func @constant() -> tensor<f32, #s> {
  %c = cleave.constant 2.5 : tensor<f32, #s>
  return %c : tensor<f32, #s>
}

func.func @extent(%x: tensor<?x?xf32, #MK>) -> tensor<f32, #s> {
  %k = cleave.extent K : tensor<f32, #s>
  return %k : tensor<f32, #s>
}

func.func @computed(%x: tensor<?xf32, #K>) -> tensor<f16, #s> {
  %c = cleave.constant 0.5 : tensor<f32, #s>
  %e = cleave.exp %c : (tensor<f32, #s>) -> tensor<f32, #s>
  %k = cleave.extent K : tensor<f32, #s>
  %p = cleave.mul %e, %k : (tensor<f32, #s>, tensor<f32, #s>) -> tensor<f32, #s>
  %h = cleave.cast %p : tensor<f32, #s> to tensor<f16, #s>
  return %h : tensor<f16, #s>
}

func.func @beside(%x: tensor<?xf32, #K>) -> (tensor<f32, #s>, tensor<f32, #s>, tensor<f32, #s>) {
  %c = cleave.constant 2.5 : tensor<f32, #s>
  %a = cleave.reduce_sum %x over [K] : (tensor<?xf32, #K>) -> tensor<f32, #s>
  return %c, %a, %c : tensor<f32, #s>, tensor<f32, #s>, tensor<f32, #s>
}
