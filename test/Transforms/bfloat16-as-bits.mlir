// bf16 moves as 16 bits, so that no CPU calls a library to narrow what another
// block loaded.
// RUN: cleave-opt %s --split-input-file --verify-each \
// RUN:   --pass-pipeline='builtin.module(any(cleave-bfloat16-as-bits))' \
// RUN:   | FileCheck %s
// RUN: cleave-opt %S/Inputs/bfloat16.mlir --cleave-to-loops \
// RUN:   --cleave-loops-to-llvm | mlir-translate --mlir-to-llvmir > %t.ll
// RUN: llc -O0 -mtriple=x86_64 %t.ll -o - | FileCheck %s --check-prefix=ASM
// RUN: llc -O3 -mtriple=x86_64 -mcpu=x86-64-v3 %t.ll -o - \
// RUN:   | FileCheck %s --check-prefix=ASM

// ASM-NOT: truncsfbf2
// ASM-NOT: truncdfbf2

// CHECK-LABEL: llvm.func @move
//       CHECK:   %[[BITS:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i16
//       CHECK: ^bb1:
//   CHECK-NOT:   bitcast
//       CHECK:   llvm.store %[[BITS]], %{{.*}} : i16, !llvm.ptr
//       CHECK:   llvm.zext %[[BITS]]
llvm.func @move(%from: !llvm.ptr, %to: !llvm.ptr) -> i32 {
  %0 = llvm.load %from : !llvm.ptr -> bf16
  llvm.br ^bb1
^bb1:
  llvm.store %0, %to : bf16, !llvm.ptr
  %1 = llvm.bitcast %0 : bf16 to i16
  %2 = llvm.zext %1 : i16 to i32
  llvm.return %2 : i32
}

// -----

// What is used as a number stays one.
// CHECK-LABEL: llvm.func @number
//       CHECK:   %[[BITS:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i16
//       CHECK:   %[[NUMBER:.*]] = llvm.bitcast %[[BITS]] : i16 to bf16
//       CHECK:   llvm.fpext %[[NUMBER]] : bf16 to f32
//       CHECK:   llvm.load %{{.*}} : !llvm.ptr -> f16
llvm.func @number(%from: !llvm.ptr) -> f32 {
  %0 = llvm.load %from : !llvm.ptr -> bf16
  %1 = llvm.fpext %0 : bf16 to f32
  %2 = llvm.load %from : !llvm.ptr -> f16
  llvm.return %1 : f32
}
