// Several representative extents give several schedules, where they differ.

// RUN: cleave-opt %examples/lora_linear.mlir --cleave-algebra=split=false "--cleave-print-loop-nest=representative=M=16|8192" -o /dev/null 2>&1 | FileCheck %s --check-prefix=LORA
// RUN: cleave-opt %examples/lora_linear.mlir --cleave-algebra=split=false "--cleave-assign-schedule=representative=M=16|8192" --remarks-filter=cleave-schedule 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: cleave-opt %s --cleave-assign-schedule --mlir-disable-threading --remarks-filter=cleave-schedule 2>&1 | FileCheck %s --check-prefix=POINTS
// RUN: cleave-opt %s "--cleave-assign-schedule=representative=S=8" --mlir-disable-threading | FileCheck %s --check-prefix=ONE
// RUN: not cleave-opt %s "--cleave-assign-schedule=representative=D=8|128" 2>&1 | FileCheck %s --check-prefix=STATIC
// RUN: not cleave-opt %s "--cleave-assign-schedule=representative=S=8|x" 2>&1 | FileCheck %s --check-prefix=BAD
// STATIC: error: expected one extent of axis 'D', which is not dynamic, but got 2
// BAD: error: expected extents like M=16,K=4096 but got 'S=8|x'

// Many tokens are worth adding A B to W once; few are not.
// LORA-LABEL: @lora_linear when M upto {{[0-9]+}}, region
// LORA-NOT: add(W,
// LORA-LABEL: @lora_linear otherwise, region 1
// LORA-NEXT: kernel 0:
// LORA: f16(add(W,
// LORA: kernel 1: parallel M step
// REMARK: at M = 16: region {{[0-9]+}} (input
// REMARK: at M = 8192: region 1 ({{.*}}Sum_Merge
// REMARK: when M upto [[BOUND:[0-9]+]]: as at M = 16
// REMARK: kernel 0 when M upto [[BOUND]]:
// REMARK: otherwise: as at M = 8192
// REMARK: kernel 1: {{.*}} us
// REMARK: cleave.schedule = #cleave.schedules<[<when = [M upto [[BOUND]]], region =

#S_D = #cleave.axes<S, D>
#T_D = #cleave.axes<T, D>
#S_T = #cleave.axes<S, T>
#S = #cleave.axes<S>

// The i-th value of each list; a shorter one goes on with its last.
// POINTS: at S = 1, T = 64: region 0
// POINTS: at S = 4096, T = 4096: region 0
// POINTS: at S = 8192, T = 4096: region 0
// POINTS: when {{[ST]}} upto
// POINTS: otherwise:
// ONE-LABEL: func.func @product
// ONE-SAME: cleave.schedule = #cleave.schedule
func.func @product(%q: tensor<?x128xf16, #S_D>, %k: tensor<?x128xf16, #T_D>) -> tensor<?x?xf32, #S_T>
    attributes {cleave.symbols = #cleave.symbols<S: dynamic like 1 | 4096 | 8192, T: dynamic like 64 | 4096>} {
  %z = cleave.contract %q, %k over [D] : (tensor<?x128xf16, #S_D>, tensor<?x128xf16, #T_D>) -> tensor<?x?xf32, #S_T>
  return %z : tensor<?x?xf32, #S_T>
}

// One schedule is best for all: one class.
// POINTS: at S = 1: region 0
// POINTS: otherwise: as at S = {{[12]"}}
// POINTS: func.func @copy(%arg0{{.*}}cleave.schedule = #cleave.schedule<region = 0
func.func @copy(%x: tensor<?xf16, #S>) -> tensor<?xf32, #S>
    attributes {cleave.symbols = #cleave.symbols<S: dynamic like 1 | 2>} {
  %y = cleave.cast %x : tensor<?xf16, #S> to tensor<?xf32, #S>
  return %y : tensor<?xf32, #S>
}
