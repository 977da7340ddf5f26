// The folds that formation makes give the input's numbers by their definition and
// in tiles and parts of any size, non-dividing and empty ones included.

// RUN: rm -rf %t && mkdir %t
// RUN: cleave-opt %s --cleave-expand --cleave-form-folds -o %t/f.mlir
// RUN: FileCheck %s --check-prefix=FOLD < %t/f.mlir
// FOLD: cleave.fold over [T]

// RUN: python3 %S/Inputs/npy.py %t/s.npy f4 3,7 6*-inf 2 7*-inf 5 1 -inf 3 0 -inf 1
// RUN: python3 %S/Inputs/npy.py %t/v.npy f4 7,2 1 2 3 4 5 6 7 8
// RUN: cleave-run %t/f.mlir --source %s --device=evaluator --input S=%t/s.npy --input V=%t/v.npy --check --tolerance 1e-6 --print | FileCheck %s
// RUN: cleave-run %t/f.mlir --source %s --device=evaluator --input S=%t/s.npy --input V=%t/v.npy --check --tolerance 1e-6 --print --fold-tile=1 | FileCheck %s
// RUN: cleave-run %t/f.mlir --source %s --device=evaluator --input S=%t/s.npy --input V=%t/v.npy --check --tolerance 1e-6 --print --fold-tile=3 | FileCheck %s
// RUN: cleave-run %t/f.mlir --source %s --device=evaluator --input S=%t/s.npy --input V=%t/v.npy --check --tolerance 1e-6 --print --fold-tile=4 --fold-parts=2 | FileCheck %s
// RUN: cleave-run %t/f.mlir --source %s --device=evaluator --input S=%t/s.npy --input V=%t/v.npy --check --tolerance 1e-6 --print --fold-tile=2 --fold-parts=3 | FileCheck %s
// RUN: cleave-run %t/f.mlir --source %s --device=evaluator --input S=%t/s.npy --input V=%t/v.npy --check --tolerance 1e-6 --print --fold-tile=2 --fold-parts=11 | FileCheck %s
// CHECK: O: 2x3xf32 = 5 0 {{[0-9.]+}} 6 0 {{[0-9.]+}}
// CHECK: O: relative L2 {{.*}}: ok
// RUN: cleave-run %t/f.mlir --source %s --device=evaluator --bind 'S=4,T=0,E=3;S=5,T=13,E=1' --check --tolerance 1e-6 --fold-tile=4 --fold-parts=2 | FileCheck %s --check-prefix=RANDOM
// RANDOM: O[E=3,S=4,T=0]: absolute L2 0.00e+00{{.*}}: ok
// RANDOM: O[E=1,S=5,T=13]: relative L2 {{.*}}: ok

#S_T = #cleave.axes<S, T>
#T_E = #cleave.axes<T, E>
#E_S = #cleave.axes<E, S>
func.func @f(%s: tensor<?x?xf32, #S_T> {cleave.name = "S"}, %v: tensor<?x?xf32, #T_E> {cleave.name = "V"})
    -> (tensor<?x?xf32, #E_S> {cleave.name = "O"}) {
  %a = cleave.softmax %s over [T] : (tensor<?x?xf32, #S_T>) -> tensor<?x?xf32, #S_T>
  %o = cleave.contract %a, %v over [T] : (tensor<?x?xf32, #S_T>, tensor<?x?xf32, #T_E>) -> tensor<?x?xf32, #E_S>
  return %o : tensor<?x?xf32, #E_S>
}
