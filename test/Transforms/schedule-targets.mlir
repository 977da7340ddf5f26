// The GPU that the cost model knows: by name, in a file, as an attribute.

// RUN: cleave-opt %s --cleave-assign-schedule=target=sm_80 --remarks-filter=cleave-schedule -o /dev/null 2>&1 | FileCheck %s --check-prefix=A100
// RUN: cleave-opt %s --cleave-assign-schedule=target=sm_90a --remarks-filter=cleave-schedule -o /dev/null 2>&1 | FileCheck %s --check-prefix=H200
// RUN: cleave-opt %s --cleave-assign-schedule=target=%src/lib/Transforms/Targets/a100.mlir --remarks-filter=cleave-schedule -o /dev/null 2>&1 | FileCheck %s --check-prefix=A100
// RUN: not cleave-opt %s --cleave-assign-schedule=target=sm_70 -o /dev/null 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not cleave-opt %s --cleave-assign-schedule=target=%s -o /dev/null 2>&1 | FileCheck %s --check-prefix=NONE
// The number of bytes over the memory's rate, 2^29 / 1.7e6 = 316 and / 4.6e6 = 117 us, a launch, and what does not overlap.
// A100: region 0: 3{{[23].}}.{{.}} us
// H200: region 0: 12{{.}}.{{.}} us
// UNKNOWN: expected target sm_80, sm_90a or a file but got 'sm_70'
// NONE: expected '{{.*}}schedule-targets.mlir' to be a module with 'cleave.target'

#M = #cleave.axes<M>
func.func @copy(%x: tensor<67108864xf32, #M>) -> tensor<67108864xf32, #M> {
  return %x : tensor<67108864xf32, #M>
}
