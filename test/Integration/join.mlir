// Parts are merged in the launch that makes them: the numbers are right in
// every order of blocks, for fewer positions than parts, and for none.

// RUN: cleave-opt %s --cleave-print-loop-nest -o /dev/null 2>&1 | FileCheck %s --check-prefix=NEST
// NEST-LABEL: @linear
// NEST: kernel 0: parallel K.s step 1, M step 16, N step 16, warps 2, stages 3:
// NEST: store [[PARTS:v[0-9]+]]
// NEST: kernel 1 (join): parallel N step 16, M step 16, warps 2, stages 2:
// NEST: for K.s in 3 step 2:
// NEST: load [[PARTS]][K.s: 2, M: 16, N: 16]

// RUN: cleave-opt %s --cleave-apply-schedule -o %t.linear.mlir
// RUN: FileCheck %s --check-prefix=FORM < %t.linear.mlir
// FORM: cleave.stages = 3 : i64, cleave.warps = 2 : i64}
// FORM: cleave.join = array<i64: 2, 1>, cleave.stages = 2 : i64, cleave.warps = 2 : i64}

// RUN: cleave-run %t.linear.mlir --source %s --check --bind 'M=17,K=67;M=1,K=1;M=2,K=0;M=0,K=5' | FileCheck %s
// RUN: cleave-run %t.linear.mlir --source %s --check --device=emulator --bind 'M=17,K=67;M=1,K=1;M=2,K=0;M=0,K=5' | FileCheck %s
// RUN: cleave-run %t.linear.mlir --source %s --check --device=emulator --chip=sm_80 --emulator-last-block-first --bind 'M=17,K=67;M=1,K=1;M=2,K=0;M=0,K=5' | FileCheck %s
// CHECK-COUNT-4: ok

// Decoding, merged by the last of a group's parts.
// RUN: cleave-opt %examples/gqa_decode.mlir --cleave-expand --cleave-form-folds --cleave-split-reductions -o %t.parts.mlir
// RUN: sed -e 's/attributes {/attributes {cleave.schedule = #cleave.schedule<region = 0, split = [D.s: 1, T.s: 7], kernels = [ \
// RUN:     <store = [v6.0, v6.1, v6.2], grid = [B: 1, G: 1, T.s: 1, R: 16, E: 128], loop = [D.i: 128, T.i: 32], warps = 4, stages = 3>, \
// RUN:     <store = [result0], join, grid = [B: 1, G: 1, R: 16, E: 128], loop = [T.s: 4], warps = 4, stages = 1>]>, /' %t.parts.mlir > %t.gqa.mlir
// RUN: cleave-opt %t.gqa.mlir --cleave-print-loop-nest -o /dev/null 2>&1 | FileCheck %s --check-prefix=GQA
// GQA: kernel 1 (join): parallel B step 1, G step 1, R step 16, E step 128, warps 4, stages 1:
// GQA: for T.s in 7 step 4:
// RUN: cleave-run %t.gqa.mlir --source %examples/gqa_decode.mlir --check --bind 'B=1,T=67;B=3,T=1;B=2,T=0;B=0,T=5' | FileCheck %s
// RUN: cleave-run %t.gqa.mlir --source %examples/gqa_decode.mlir --check --device=emulator --bind 'B=1,T=67;B=1,T=1;B=1,T=0;B=0,T=5' | FileCheck %s
// RUN: cleave-run %t.gqa.mlir --source %examples/gqa_decode.mlir --check --device=emulator --chip=sm_80 --emulator-last-block-first --bind 'B=1,T=67;B=1,T=3;B=1,T=0;B=0,T=5' | FileCheck %s
// One launch.
// RUN: cleave-run %t.gqa.mlir --source %examples/gqa_decode.mlir --device=cuda --chip=sm_90a --dry-run --bind B=1,T=1000 | FileCheck %s --check-prefix=LAUNCH
// LAUNCH: gqa_decode_0
// LAUNCH-NOT: gqa_decode_1

#M_K = #cleave.axes<M, K>
#K_N = #cleave.axes<K, N>
#Ki_Ks_M = #cleave.axes<K.i, K.s, M>
#Ki_Ks_N = #cleave.axes<K.i, K.s, N>
#Ks_M_N = #cleave.axes<K.s, M, N>
#M_N = #cleave.axes<M, N>

func.func @linear(%x: tensor<?x?xf16, #M_K>, %w: tensor<?x37xf16, #K_N>) -> tensor<?x37xf32, #M_N>
    attributes {cleave.symbols = #cleave.symbols<K: dynamic like 64, M: dynamic like 16, K.s: bound like 3, K.i = ceil(K / K.s)>,
      cleave.schedule = #cleave.schedule<region = 0, split = [K.s: 3], kernels = [
        <store = [v2], grid = [K.s: 1, M: 16, N: 16], loop = [K.i: 32], warps = 2, stages = 3>,
        <store = [result0], join, grid = [N: 16, M: 16], loop = [K.s: 2], warps = 2, stages = 2>]>} {
  %a = cleave.split %x K into (K.s, K.i) : tensor<?x?xf16, #M_K> to tensor<?x?x?xf16, #Ki_Ks_M>
  %b = cleave.split %w K into (K.s, K.i) : tensor<?x37xf16, #K_N> to tensor<?x?x37xf16, #Ki_Ks_N>
  %p = cleave.contract %a, %b over [K.i] : (tensor<?x?x?xf16, #Ki_Ks_M>, tensor<?x?x37xf16, #Ki_Ks_N>) -> tensor<?x?x37xf32, #Ks_M_N>
  %y = cleave.reduce_sum %p over [K.s] : (tensor<?x?x37xf32, #Ks_M_N>) -> tensor<?x37xf32, #M_N>
  return %y : tensor<?x37xf32, #M_N>
}
