// What the GPU calls a library for: functions of f64, and powers of f32.

// RUN: cleave-opt %s --cleave-to-gpu -o %t
// RUN: FileCheck %s --check-prefix=CALLS < %t
// CALLS-DAG: llvm.call @__nv_exp(
// CALLS-DAG: llvm.call @__nv_powf(
// RUN: cleave-run --device=emulator --source=%s %t --entry=wide --check --bind 'M=5;M=1;M=0' | FileCheck %s
// RUN: cleave-run --device=emulator --source=%s %t --entry=power --check --bind 'M=5;M=1;M=0' | FileCheck %s
// CHECK-COUNT-3: Y[{{.*}}: ok

#M = #cleave.axes<M>
!d = tensor<?xf64, #M>
!f = tensor<?xf32, #M>

func.func @wide(%x: !d {cleave.name = "X"}) -> (!d {cleave.name = "Y"}) {
  %a = cleave.abs %x : (!d) -> !d
  %0 = cleave.exp %x : (!d) -> !d
  %1 = cleave.exp2 %x : (!d) -> !d
  %2 = cleave.log %a : (!d) -> !d
  %3 = cleave.sqrt %a : (!d) -> !d
  %4 = cleave.rsqrt %a : (!d) -> !d
  %5 = cleave.tanh %x : (!d) -> !d
  %6 = cleave.erf %x : (!d) -> !d
  %7 = cleave.pow %a, %x : (!d, !d) -> !d
  %y = cleave.add %0, %1, %2, %3, %4, %5, %6, %7 : (!d, !d, !d, !d, !d, !d, !d, !d) -> !d
  return %y : !d
}

func.func @power(%x: !f {cleave.name = "X"}) -> (!f {cleave.name = "Y"}) {
  %a = cleave.abs %x : (!f) -> !f
  %y = cleave.pow %a, %x : (!f, !f) -> !f
  return %y : !f
}
