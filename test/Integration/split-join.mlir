// Parts whose number follows from run-time extents, merged in the launch that
// makes them: on the CPU the same numbers as without parts, at any extent; in
// the host form one launch, whose grid follows the extents.

// RUN: cleave-opt %s --cleave-expand --cleave-form-folds --cleave-split-reductions=axes=T,K -o %t.parts.mlir
// RUN: sed -e '/@linear/s/attributes {/attributes {cleave.schedule = #cleave.schedule<region = 0, split = [K.s: fill 12 by 32], kernels = [<store = [v2], grid = [K.s: 1, M: 16, N: 16], loop = [K.i: 16], warps = 2, stages = 3>, <store = [result0], join, grid = [M: 16, N: 16], loop = [K.s: 2], warps = 2, stages = 1>]>, /' \
// RUN:   -e '/@attention/s/attributes {/attributes {cleave.schedule = #cleave.schedule<region = 0, split = [T.s: fill 8 by 16], kernels = [<store = [v3.0, v3.1, v3.2], grid = [T.s: 1, S: 16, E: 16], loop = [D: 16, T.i: 16], warps = 2, stages = 2>, <store = [result0], join, grid = [S: 16, E: 16], loop = [T.s: 2], warps = 2, stages = 1>]>, /' \
// RUN:   %t.parts.mlir > %t.join.mlir
// RUN: cleave-opt %t.join.mlir --cleave-print-loop-nest -o /dev/null 2>&1 | FileCheck %s --check-prefix=NEST
// RUN: cleave-opt %t.join.mlir --cleave-schedule | FileCheck %s
// RUN: cleave-run %t.join.mlir --source %s --entry=linear --check --bind 'M=3,K=67;M=1,K=1;M=2,K=0;M=0,K=5;M=17,K=64;M=40,K=200' | FileCheck %s --check-prefix=RIGHT
// RUN: cleave-run %t.join.mlir --source %s --entry=attention --check --bind 'S=3,T=67;S=1,T=1;S=2,T=0;S=0,T=9;S=17,T=128;S=1,T=131' | FileCheck %s --check-prefix=RIGHT
// RIGHT-COUNT-6: ok

// As PTX, with the blocks in several orders.
// RUN: cleave-opt %t.join.mlir "--cleave-to-cubin=chip=sm_90a no-algebra format=isa" -o %t.ptx.mlir
// RUN: env PYTHONPATH=%src/test/Conversion/Inputs %python %src/test/Conversion/Inputs/emulate_parts.py < %t.ptx.mlir | FileCheck %s --check-prefix=PTX
// PTX-COUNT-12: ok

// NEST: kernel 0: parallel K.s step 1, M step 16, N step 16,
// NEST: kernel 1 in the launch of kernel 0: parallel M step 16, N step 16,
// NEST: for K.s in |K.s| step 2

// CHECK-LABEL: func.func @linear
// CHECK: cleave.stages = 3
// CHECK: cleave.join = array<i64: 1, 2>

// Three column tiles: one row tile leaves room for 4 parts, if K has as many
// multiples of 32; with more row tiles than blocks to fill there is one.
// RUN: cleave-run %t.join.mlir --entry=linear --device=cuda --chip=sm_90a --dry-run --bind 'M=33,K=4096;M=1,K=4096;M=1,K=65;M=1,K=0;M=4096,K=4096' | FileCheck %s --check-prefix=GRID
// GRID: K=4096{{.*}}: 1
// GRID-NEXT: linear_0{{.*}} 9
// GRID: K=4096{{.*}}: 1
// GRID-NEXT: linear_0{{.*}} 12
// GRID: K=65{{.*}}: 1
// GRID-NEXT: linear_0{{.*}} 9
// GRID: K=0{{.*}}: 1
// GRID-NEXT: linear_0{{.*}} 3
// GRID: M=4096{{.*}}: 1
// GRID-NEXT: linear_0{{.*}} 768

#E_S = #cleave.axes<E, S>
#K_N = #cleave.axes<K, N>
#M_K = #cleave.axes<M, K>
#M_N = #cleave.axes<M, N>
#S_D = #cleave.axes<S, D>
#S_T = #cleave.axes<S, T>
#T_D = #cleave.axes<T, D>
#T_E = #cleave.axes<T, E>
!mk = tensor<?x?xf16, #M_K>
!kn = tensor<?x37xf16, #K_N>
!mn = tensor<?x37xf32, #M_N>

func.func @linear(%x: !mk {cleave.name = "X"}, %w: !kn {cleave.name = "W"}) -> (!mn {cleave.name = "Y"}) {
  %y = cleave.contract %x, %w over [K] : (!mk, !kn) -> !mn
  return %y : !mn
}

func.func @attention(%q: tensor<?x16xf16, #S_D> {cleave.name = "Q"}, %k: tensor<?x16xf16, #T_D> {cleave.name = "K"},
                     %v: tensor<?x16xf16, #T_E> {cleave.name = "V"}) -> (tensor<16x?xf32, #E_S> {cleave.name = "O"}) {
  %s = cleave.contract %q, %k over [D] : (tensor<?x16xf16, #S_D>, tensor<?x16xf16, #T_D>) -> tensor<?x?xf32, #S_T>
  %p = cleave.softmax %s over [T] : (tensor<?x?xf32, #S_T>) -> tensor<?x?xf32, #S_T>
  %o = cleave.contract %p, %v over [T] : (tensor<?x?xf32, #S_T>, tensor<?x16xf16, #T_E>) -> tensor<16x?xf32, #E_S>
  return %o : tensor<16x?xf32, #E_S>
}
