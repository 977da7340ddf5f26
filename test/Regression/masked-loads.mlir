// A mask that leaves nothing: no tile of X is loaded, which is less than the
// bound of a kernel's time took for granted.

// RUN: cleave-opt %s --cleave-algebra --cleave-schedule=representative=T=100000 -o /dev/null
// RUN: cleave-run %s --check --representative T=100000 --bind 'T=3;T=0' | FileCheck %s
// CHECK-COUNT-2: Y[{{.*}} L2 0.00e+00{{.*}}: ok

#C = #cleave.axes<C>
#K = #cleave.axes<K>
#K_T_C = #cleave.axes<K, T, C>
#scalar = #cleave.axes<>

func.func @nothing(%x: tensor<5x?x7xf16, #K_T_C> {cleave.name = "X"}, %w: tensor<5xf32, #K> {cleave.name = "W"})
    -> (tensor<7xf32, #C> {cleave.name = "Y"}) {
  %k = cleave.iota K : tensor<5xf32, #K>
  %first = cleave.constant 7.0 : tensor<f32, #scalar>
  %p = cleave.cmp ge %k, %first : (tensor<5xf32, #K>, tensor<f32, #scalar>) -> tensor<5xi1, #K>
  %zero = cleave.constant 0.0 : tensor<f32, #scalar>
  %s = cleave.select %p, %w, %zero : (tensor<5xi1, #K>, tensor<5xf32, #K>, tensor<f32, #scalar>) -> tensor<5xf32, #K>
  %y = cleave.contract %x, %s over [K, T] : (tensor<5x?x7xf16, #K_T_C>, tensor<5xf32, #K>) -> tensor<7xf32, #C>
  return %y : tensor<7xf32, #C>
}
