// H = G * R in parts of two positions: each is a position along G, of which there
// are three. A fourth part is empty, but what is computed for it read the row of
// X behind those of G, which does not exist.

// RUN: cleave-opt %s --cleave-algebra=split=true -o %t.mlir
// RUN: sed -e 's/attributes {/attributes {cleave.schedule = #cleave.schedule<region = 1, split = [H.s: 3], grid = [M: 4, N: 4], loop = [H.s: 1, H.i: 2], warps = 4, stages = 1>, /' %t.mlir > %t.3.mlir
// RUN: cleave-run %t.3.mlir --source %s --check --bind 'M=5,N=3;M=1,N=1;M=0,N=2' | FileCheck %s
// CHECK-COUNT-3: Y[{{.*}}: ok
// RUN: sed -e 's/H.s: 3/H.s: 4/' %t.3.mlir > %t.4.mlir
// RUN: not cleave-run %t.4.mlir --source %s --bind M=5,N=3 2>&1 | FileCheck %s --check-prefix=MORE
// MORE: expected axis 'H' to be used in the same parts

#P_M = #cleave.axes<P, M>
#H_N = #cleave.axes<H, N>
#G_M = #cleave.axes<G, M>
#M_R = #cleave.axes<M, R>
#G_M_R = #cleave.axes<G, M, R>
#H_M = #cleave.axes<H, M>
#M_N = #cleave.axes<M, N>

func.func @f(%x: tensor<5x?xf32, #P_M> {cleave.name = "X"}, %r: tensor<?x2xf32, #M_R>, %w: tensor<6x?xf32, #H_N>)
    -> (tensor<?x?xf32, #M_N> {cleave.name = "Y"}) {
  %g = cleave.slice %x P at 2 as G : tensor<5x?xf32, #P_M> to tensor<3x?xf32, #G_M>
  %m = cleave.mul %g, %r : (tensor<3x?xf32, #G_M>, tensor<?x2xf32, #M_R>) -> tensor<3x?x2xf32, #G_M_R>
  %h = cleave.merge %m(G, R) into H : tensor<3x?x2xf32, #G_M_R> to tensor<6x?xf32, #H_M>
  %y = cleave.contract %h, %w over [H] : (tensor<6x?xf32, #H_M>, tensor<6x?xf32, #H_N>) -> tensor<?x?xf32, #M_N>
  return %y : tensor<?x?xf32, #M_N>
}
