// Nothing but a constant has axis K, which is reduced in one part: the part has
// the extent of K, which no argument but X has.

// RUN: cleave-opt %s --cleave-split-reductions --cleave-assign-schedule=no-split -o %t.mlir
// RUN: cleave-run %t.mlir --source %s --check --bind 'K=5,M=3;K=1,M=1;K=0,M=2' | FileCheck %s
// CHECK-COUNT-3: Y[{{.*}}: ok

#K = #cleave.axes<K>
#K_M = #cleave.axes<K, M>
#M = #cleave.axes<M>
#scalar = #cleave.axes<>

func.func @f(%x: tensor<?x?xf32, #K_M> {cleave.name = "X"}, %y: tensor<?xf32, #M>) -> (tensor<?xf32, #M> {cleave.name = "Y"}) {
  %c = cleave.constant 0.5 : tensor<?xf32, #K>
  %s = cleave.reduce_sum %c over [K] : (tensor<?xf32, #K>) -> tensor<f32, #scalar>
  %z = cleave.mul %y, %s : (tensor<?xf32, #M>, tensor<f32, #scalar>) -> tensor<?xf32, #M>
  return %z : tensor<?xf32, #M>
}
