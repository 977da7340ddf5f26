// Both phases for people: which graph won and by which rules, which lost and by
// how much, what the winner's kernels spend their time on.

// RUN: cleave-opt %s --cleave-algebra=derivations -o %t.forms.mlir
// RUN: FileCheck %s --check-prefix=FORMS < %t.forms.mlir
// RUN: cleave-opt %t.forms.mlir "--cleave-explain=representative=M=16|2048" -o %t.after.mlir 2> %t.txt
// RUN: FileCheck %s < %t.txt
// The function stays as it is.
// RUN: cmp %t.forms.mlir %t.after.mlir

// Each time the same, and in cleave-run for the function that is asked for.
// RUN: cleave-run %s --entry=norm_linear --explain "--representative=M=16|2048" > %t.run.txt
// RUN: FileCheck %s < %t.run.txt
// RUN: cleave-run %s --entry=norm_linear --explain "--representative=M=16|2048" | cmp - %t.run.txt

// An ablation, and another chip.
// RUN: cleave-opt %t.forms.mlir "--cleave-explain=no-algebra target=sm_80 representative=M=16" -o /dev/null 2>&1 | FileCheck %s --check-prefix=INPUT

// A schedule that is already there.
// RUN: cleave-opt %t.forms.mlir "--cleave-assign-schedule=representative=M=16|2048" --cleave-explain -o /dev/null 2>&1 | FileCheck %s --check-prefix=GIVEN

// RUN: not cleave-run %t.forms.mlir --entry=plain --explain 2>&1 | FileCheck %s --check-prefix=PLAIN
// PLAIN: error: expected a cleave function with --explain
// RUN: not cleave-run %s --entry=norm_linear --explain --tune 2>&1 | FileCheck %s --check-prefix=BOTH
// BOTH: error: expected --tune or --explain, not both

#K = #cleave.axes<K>
#M_K = #cleave.axes<M, K>
#K_M = #cleave.axes<K, M>
#K_N = #cleave.axes<K, N>
#M_N = #cleave.axes<M, N>

// FORMS: cleave.derivations = {{\[}}[{{.*}}"Sum_PullFactors"{{.*}}], [{{\]\]}}
// CHECK-LABEL: @norm_linear on sm_90a at M = 16
// CHECK-NEXT: region [[#]] ({{.*Sum_PullFactors.*}}): [[#]].[[#]] us{{.*}}, wins
// CHECK: from the input by {{.*}}Sum_PullFactors
// CHECK: region 1 (input): [[#]].[[#]] us{{.*}}, [[#]] % more
// CHECK: kernel 0: [[#]].[[#]] us, bound by {{memory|waiting for loads|loads of all blocks}}
// CHECK-NEXT: alone: memory [[#]].[[#]], loads of all blocks [[#]].[[#]], tensor cores [[#]].[[#]], arithmetic [[#]].[[#]], launch [[#]].[[#]]
// CHECK-NEXT: [[#]] blocks, [[#]] {{waves?}} of [[#]] a multiprocessor ({{.*}}); a block: [[#]] bytes loaded in [[#]] steps, [[#]] bytes of shared memory, [[#]] registers a thread
// CHECK-NEXT: parallel {{.*}}M step 16, N step
// CHECK-NEXT: for K{{(.i)?}} in {{[0-9]+}} step
// CHECK: store Y
// CHECK: @norm_linear on sm_90a at M = 2048
// CHECK-NEXT: region {{.*}}, wins
// CHECK: kernel 0: {{.*}} us, bound by
// CHECK: store Y
// CHECK: @norm_linear runs
// CHECK-NEXT: when M upto [[#]]: as at M = 16
// CHECK-NEXT: otherwise: as at M = 2048

// INPUT: @norm_linear on sm_80 at M = 16
// INPUT-NEXT: region 1 (input): {{.*}} us{{.*}}, wins
// INPUT-NOT: more
// INPUT: kernel 0

// GIVEN: @norm_linear on sm_90a when M upto [[#]]
// GIVEN-NEXT: region [[#]] ({{.*}}): {{.*}}, as the function says
// GIVEN: kernel 0:
// GIVEN: @norm_linear on sm_90a otherwise
// GIVEN: kernel 0:
func.func @norm_linear(
    %x: tensor<?x4096xf16, #M_K> {cleave.name = "X", cleave.range = 300.0 : f32},
    %g: tensor<4096xf16, #K> {cleave.name = "g", cleave.range = 8.0 : f32},
    %w: tensor<4096x4096xf16, #K_N> {cleave.name = "W"})
    -> (tensor<?x4096xf16, #M_N> {cleave.name = "Y"}) {
  %n = cleave.rms_norm %x, %g over [K] eps 1.0e-6
     : (tensor<?x4096xf16, #M_K>, tensor<4096xf16, #K>) -> tensor<4096x?xf32, #K_M>
  %y = cleave.contract %n, %w over [K]
     : (tensor<4096x?xf32, #K_M>, tensor<4096x4096xf16, #K_N>) -> tensor<?x4096xf32, #M_N>
  %h = cleave.cast %y : tensor<?x4096xf32, #M_N> to tensor<?x4096xf16, #M_N>
  return %h : tensor<?x4096xf16, #M_N>
}

// Of no concern here.
// CHECK-NOT: @plain
func.func @plain() {
  return
}
