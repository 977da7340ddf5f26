// An axis that only positions have is reduced: the loop over a tile had nothing
// to tell its range. And an axis that no argument has but under another name is
// reduced in parts: their extent was not found.

// RUN: cleave-run %s --entry=stacked --check --bind 'K=5;K=1;K=0' | FileCheck %s
// RUN: cleave-opt %s --cleave-algebra=split=true -o %t.mlir
// RUN: sed -e '/@renamed/s/attributes {/attributes {cleave.schedule = #cleave.schedule<region = 1, split = [A.s: 3], kernels = [<store = [result0], grid = [], loop = [A.s: 1, A.i: 2], warps = 4, stages = 1>]>, /' %t.mlir > %t.parts.mlir
// RUN: cleave-run %t.parts.mlir --source %s --entry=renamed --check --bind 'K=5;K=1;K=0' | FileCheck %s
// CHECK: Y[K=5]: {{.*}}: ok
// CHECK: Y[K=1]: {{.*}}: ok
// CHECK: Y[K=0]: {{.*}}: ok

#K = #cleave.axes<K>
#K_T = #cleave.axes<K, T>
#A = #cleave.axes<A>
#scalar = #cleave.axes<>

func.func @stacked(%x: tensor<?xf32, #K>) -> (tensor<f32, #scalar> {cleave.name = "Y"})
    attributes {cleave.schedule = #cleave.schedule<region = 0, grid = [], loop = [K: 4, T: 1], warps = 4, stages = 1>} {
  %p = cleave.stack %x, %x as T : (tensor<?xf32, #K>, tensor<?xf32, #K>) -> tensor<?x2xf32, #K_T>
  %y = cleave.reduce_sum %p over [K, T] : (tensor<?x2xf32, #K_T>) -> tensor<f32, #scalar>
  return %y : tensor<f32, #scalar>
}

func.func @renamed(%x: tensor<?xf32, #K>) -> (tensor<f32, #scalar> {cleave.name = "Y"}) {
  %a = cleave.rename %x [K] to [A] : (tensor<?xf32, #K>) -> tensor<?xf32, #A>
  %y = cleave.reduce_sum %a over [A] : (tensor<?xf32, #A>) -> tensor<f32, #scalar>
  return %y : tensor<f32, #scalar>
}
