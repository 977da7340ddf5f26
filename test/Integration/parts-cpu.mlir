// Axes in static parts: results and arguments that have them whole, products
// over them, a value that has an axis beside one of its parts' names.

// RUN: cleave-opt %s --cleave-to-loops=no-algebra -o %t.mlir
// RUN: cleave-run %t.mlir --source %s --entry=heads --bind 'M=3;M=1;M=0' --check | FileCheck %s --check-prefix=EXACT
// RUN: cleave-run %t.mlir --source %s --entry=interleaved --bind 'M=3;M=1;M=0' --check | FileCheck %s --check-prefix=EXACT
// RUN: cleave-run %t.mlir --source %s --entry=positions --bind 'M=3;M=1;M=0' --check | FileCheck %s --check-prefix=EXACT
// RUN: cleave-run %t.mlir --source %s --entry=beside --bind 'M=3;M=1;M=0' --check | FileCheck %s --check-prefix=EXACT
// EXACT-COUNT-3: result0[{{.*}} L2 0.00e+00{{.*}}: ok
// RUN: cleave-run %t.mlir --source %s --entry=product --bind 'M=3;M=1;M=0' --check | FileCheck %s --check-prefix=PRODUCT
// PRODUCT-COUNT-6: result{{[01]}}[{{.*}} L2 {{.*}}: ok

#D = #cleave.axes<D>
#D_J = #cleave.axes<D, J>
#D_M = #cleave.axes<D, M>
#I_J = #cleave.axes<I, J>
#I_M = #cleave.axes<I, M>
#I_J_M = #cleave.axes<I, J, M>
#J = #cleave.axes<J>
#J_M = #cleave.axes<J, M>
#M = #cleave.axes<M>
#M_D = #cleave.axes<M, D>
#s = #cleave.axes<>
!x = tensor<?x15xf32, #M_D>
!d = tensor<15x?xf32, #D_M>
!p = tensor<5x3x?xf32, #I_J_M>

func.func @heads(%x: !x) -> !d {
  %v = cleave.split %x D into (J, I) : !x to !p
  %n = cleave.neg %v : (!p) -> !p
  %y = cleave.merge %n (J, I) into D : !p to !d
  return %y : !d
}

// The outer position of an interleaved pair is the long one.
func.func @interleaved(%x: tensor<?x14xf32, #M_D>) -> tensor<7x?xf32, #I_M> {
  %v = cleave.split %x D into (I, J) : tensor<?x14xf32, #M_D> to tensor<7x2x?xf32, #I_J_M>
  %a = cleave.slice %v J at 0 : tensor<7x2x?xf32, #I_J_M> to tensor<7x?xf32, #I_M>
  %b = cleave.slice %v J at 1 : tensor<7x2x?xf32, #I_J_M> to tensor<7x?xf32, #I_M>
  %y = cleave.max %a, %b : (tensor<7x?xf32, #I_M>, tensor<7x?xf32, #I_M>) -> tensor<7x?xf32, #I_M>
  return %y : tensor<7x?xf32, #I_M>
}

func.func @positions(%x: !x) -> !d {
  %i = cleave.iota D : tensor<15xf32, #D>
  %n = cleave.extent D : tensor<f32, #s>
  %c = cleave.cmp eq %i, %i : (tensor<15xf32, #D>, tensor<15xf32, #D>) -> tensor<15xi1, #D>
  %k = cleave.select %c, %i, %n : (tensor<15xi1, #D>, tensor<15xf32, #D>, tensor<f32, #s>) -> tensor<15xf32, #D>
  %v = cleave.split %x D into (J, I) : !x to !p
  %a = cleave.abs %v : (!p) -> !p
  %w = cleave.merge %a (J, I) into D : !p to !d
  %y = cleave.max %w, %k : (!d, tensor<15xf32, #D>) -> !d
  return %y : !d
}

func.func @beside(%x: !x, %r: tensor<3xf32, #J>) -> tensor<15x3x?xf32, #cleave.axes<D, J, M>> {
  %v = cleave.split %x D into (J, I) : !x to !p
  %n = cleave.neg %v : (!p) -> !p
  %w = cleave.merge %n (J, I) into D : !p to !d
  %y = cleave.max %w, %r : (!d, tensor<3xf32, #J>) -> tensor<15x3x?xf32, #cleave.axes<D, J, M>>
  return %y : tensor<15x3x?xf32, #cleave.axes<D, J, M>>
}

func.func @product(%x: !x, %w: tensor<15xf32, #D>) -> (tensor<?xf32, #M>, tensor<3x?xf32, #J_M>) {
  %v = cleave.split %x D into (J, I) : !x to !p
  %e = cleave.exp %v : (!p) -> !p
  %m = cleave.merge %e (J, I) into D : !p to !d
  %y = cleave.contract %m, %w over [D] : (!d, tensor<15xf32, #D>) -> tensor<?xf32, #M>
  %z = cleave.reduce_max %e over [I] : (!p) -> tensor<3x?xf32, #J_M>
  return %y, %z : tensor<?xf32, #M>, tensor<3x?xf32, #J_M>
}
