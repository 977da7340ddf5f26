// Reductions in parts: any number of parts gives the same numbers, whether it
// divides the axis or not, with parts that are short or empty.

// RUN: cleave-opt %s --cleave-expand --cleave-form-folds --cleave-split-reductions -o %t.parts.mlir

// One row against a long axis is reduced in parts, and a second kernel merges;
// a fold's partial states come from one kernel.
// RUN: cleave-opt %t.parts.mlir --cleave-assign-schedule=representative=M=1,K=65536,S=1,T=131072 -o %t.chosen.mlir
// RUN: FileCheck %s --check-prefix=CHOSEN < %t.chosen.mlir
// RUN: cleave-opt %t.chosen.mlir --cleave-print-loop-nest -o /dev/null 2>&1 | FileCheck %s --check-prefix=NEST

// Many rows are not.
// RUN: cleave-opt %t.parts.mlir --cleave-assign-schedule=representative=M=8192,K=256,S=8192,T=256 -o %t.whole.mlir
// RUN: FileCheck %s --check-prefix=WHOLE < %t.whole.mlir
// RUN: cleave-opt %t.parts.mlir "--cleave-assign-schedule=no-split representative=M=1,K=65536,S=1,T=131072" | FileCheck %s --check-prefix=WHOLE

// RUN: sed -e 's/\(split = [^]]*[KT]\.s: \)[^]]*\]/\12]/' %t.chosen.mlir > %t.2.mlir
// RUN: sed -e 's/\(split = [^]]*[KT]\.s: \)[^]]*\]/\13]/' %t.chosen.mlir > %t.3.mlir
// RUN: sed -e 's/\(split = [^]]*[KT]\.s: \)[^]]*\]/\17]/' %t.chosen.mlir > %t.7.mlir
// RUN: cleave-run %t.whole.mlir --source %s --entry=linear --check --bind 'M=3,K=67;M=1,K=1;M=2,K=0' | FileCheck %s --check-prefix=LINEAR
// RUN: cleave-run %t.2.mlir --source %s --entry=linear --check --bind 'M=3,K=67;M=1,K=1;M=2,K=0' | FileCheck %s --check-prefix=LINEAR
// RUN: cleave-run %t.3.mlir --source %s --entry=linear --check --bind 'M=3,K=67;M=1,K=1;M=2,K=0' | FileCheck %s --check-prefix=LINEAR
// RUN: cleave-run %t.7.mlir --source %s --entry=linear --check --bind 'M=3,K=67;M=1,K=1;M=2,K=0' | FileCheck %s --check-prefix=LINEAR
// RUN: cleave-run %t.chosen.mlir --source %s --entry=linear --check --bind 'M=3,K=67;M=1,K=1;M=2,K=0' | FileCheck %s --check-prefix=LINEAR
// RUN: cleave-run %t.whole.mlir --source %s --entry=attention --check --bind 'S=3,T=67;S=1,T=1;S=2,T=0' | FileCheck %s --check-prefix=ATTENTION
// RUN: cleave-run %t.2.mlir --source %s --entry=attention --check --bind 'S=3,T=67;S=1,T=1;S=2,T=0' | FileCheck %s --check-prefix=ATTENTION
// RUN: cleave-run %t.3.mlir --source %s --entry=attention --check --bind 'S=3,T=67;S=1,T=1;S=2,T=0' | FileCheck %s --check-prefix=ATTENTION
// RUN: cleave-run %t.7.mlir --source %s --entry=attention --check --bind 'S=3,T=67;S=1,T=1;S=2,T=0' | FileCheck %s --check-prefix=ATTENTION
// RUN: cleave-run %t.chosen.mlir --source %s --entry=attention --check --bind 'S=3,T=67;S=1,T=1;S=2,T=0' | FileCheck %s --check-prefix=ATTENTION

// RUN: cleave-run %t.chosen.mlir --entry=attention --device=cuda --chip=sm_90a --dry-run --bind 'S=1,T=1000' | FileCheck %s --check-prefix=LAUNCH

// CHOSEN-LABEL: func.func @linear
// CHOSEN-SAME: split = [K.s: fill {{[0-9][0-9]+ by [0-9]+}}]
// CHOSEN-LABEL: func.func @attention
// CHOSEN-SAME: T.s: fill {{[0-9][0-9]+ by [0-9]+}}]

// NEST-LABEL: @linear
// NEST: kernel 0: parallel K.s step 1, M step
// NEST: for K.i in |K.i| step
// NEST: store [[PART:v[0-9]+]]
// NEST: kernel 1{{.*}}: parallel M
// NEST: load [[PART]]
// NEST: sum over [K.s] of [[PART]]
// NEST-LABEL: @attention
// NEST: kernel 0: {{.*}}T.s step 1
// NEST: for T.i in |T.i| step
// NEST-DAG: store [[FOLD:v[0-9]+]].0
// NEST-DAG: store [[FOLD]].1
// NEST-DAG: store [[FOLD]].2
// NEST: kernel 1{{.*}}:
// NEST-NOT: kernel

// WHOLE-LABEL: func.func @linear
// WHOLE-SAME: split = [K.s: 1]
// WHOLE-LABEL: func.func @attention
// WHOLE-SAME: T.s: 1]

// LINEAR: K=67{{.*}} ok
// LINEAR: K=1{{.*}} ok
// LINEAR: K=0{{.*}} ok
// ATTENTION: T=67{{.*}} ok
// ATTENTION: T=1{{.*}} ok
// ATTENTION: T=0{{.*}} ok
// LAUNCH: : 2
// LAUNCH: attention_0
// LAUNCH: attention_1

#S_D = #cleave.axes<S, D>
#T_D = #cleave.axes<T, D>
#T_E = #cleave.axes<T, E>
#S_T = #cleave.axes<S, T>
#E_S = #cleave.axes<E, S>
#M_K = #cleave.axes<M, K>
#K_N = #cleave.axes<K, N>
#M_N = #cleave.axes<M, N>
!mk = tensor<?x?xf16, #M_K>
!kn = tensor<?x37xf16, #K_N>
!mn = tensor<?x37xf32, #M_N>

func.func @linear(%x: !mk, %w: !kn) -> !mn {
  %y = cleave.contract %x, %w over [K] {operand_type = f16} : (!mk, !kn) -> !mn
  return %y : !mn
}

func.func @attention(%q: tensor<?x8xf16, #S_D>, %k: tensor<?x8xf16, #T_D>, %v: tensor<?x4xf16, #T_E>)
    -> tensor<4x?xf32, #E_S> {
  %s = cleave.contract %q, %k over [D] : (tensor<?x8xf16, #S_D>, tensor<?x8xf16, #T_D>) -> tensor<?x?xf32, #S_T>
  %p = cleave.softmax %s over [T] : (tensor<?x?xf32, #S_T>) -> tensor<?x?xf32, #S_T>
  %o = cleave.contract %p, %v over [T] : (tensor<?x?xf32, #S_T>, tensor<?x4xf16, #T_E>) -> tensor<4x?xf32, #E_S>
  return %o : tensor<4x?xf32, #E_S>
}
