// RUN: cleave-opt %S/Inputs/rmsnorm_linear.mlir --cleave-expand --cleave-print-loop-nest -o /dev/null 2>&1 | FileCheck %s --check-prefix=BEST
// RUN: cleave-opt %S/Inputs/rmsnorm_linear.mlir --cleave-expand --cleave-print-loop-nest="no-horizontal representative=M=256" -o /dev/null 2>&1 | FileCheck %s --check-prefix=SPLIT
// RUN: cleave-opt %S/Inputs/rmsnorm_linear.mlir --cleave-expand --cleave-print-loop-nest="no-algebra representative=M=256" -o /dev/null 2>&1 | FileCheck %s --check-prefix=INPUT

// The tile of X is read once for both reductions.
// BEST: @rmsnorm_linear, region 0
// BEST: kernel 0: parallel M step {{[0-9]+}}, N step
// BEST-COUNT-1: for K in 4096 step
// BEST-COUNT-1: load X
// BEST-DAG: [[SUM:%[0-9]+]][M: {{[0-9]+}}] += sum over [K] of mul(X, X)
// BEST-DAG: [[ACC:%[0-9]+]][M: {{[0-9]+}}, N: {{[0-9]+}}] += contract over [K]
// BEST-NOT: load
// BEST: rsqrt(add(mul([[SUM]]
// BEST: store Y

// With a loop each, the row's factor or the whole row is better stored than
// computed again in each block of columns.
// SPLIT: kernel 0: parallel M step
// SPLIT: sum over [K] of mul(X, X)
// SPLIT: store [[ROW:v[0-9]+(\.f16)?]]{{\[}}M:
// SPLIT: kernel 1: parallel {{.*}}M step
// SPLIT: contract over [K]
// SPLIT: store Y
// INPUT: @rmsnorm_linear, region 1
// INPUT: kernel 0: parallel M step
// INPUT: store [[ROW:v[0-9]+(\.f16)?]]{{\[}}M:
// INPUT: kernel 1: parallel {{.*}}M step
// INPUT-DAG: load [[ROW]]{{\[}}M:
// INPUT-DAG: for K in 4096 step
// INPUT: store Y
