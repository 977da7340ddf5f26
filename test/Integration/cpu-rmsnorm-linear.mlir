// The whole path on the CPU: one compiled function for every M, with extents
// that no tile divides, against the f64 evaluator.

// RUN: cleave-run %examples/rmsnorm_linear.mlir --bind 'M=3;M=1;M=0' --check | FileCheck %s --check-prefix=EXAMPLE
// EXAMPLE: Y[M=3]: relative L2 {{.*}}: ok
// EXAMPLE-NEXT: Y[M=1]: relative L2 {{.*}}: ok
// EXAMPLE-NEXT: Y[M=0]: absolute L2 0.00e+00{{.*}}: ok

// RUN: cleave-run %s --bind 'M=7,N=3;M=1,N=1;M=17,N=67;M=64,N=64;M=0,N=5;M=5,N=0' --check --seed 2 | FileCheck %s
// CHECK-COUNT-6: Y[{{.*}}L2 {{.*}}: ok
// Tiles for other extents change nothing.
// RUN: cleave-run %s --bind 'M=7,N=3;M=130,N=131' --representative M=2048,N=4096 --check | FileCheck %s --check-prefix=LARGE
// LARGE-COUNT-2: Y[{{.*}}L2 {{.*}}: ok

// Rows of zeros give zeros: eps keeps the scale finite.
// RUN: python3 %S/Inputs/npy.py %t.npy f2 2,131 0
// RUN: cleave-run %s --input X=%t.npy --bind N=2 --print --check | FileCheck %s --check-prefix=ZERO
// ZERO: Y[N=2]: 2x2xf16 = 0 0 0 0
// ZERO: Y[N=2]: absolute L2 0.00e+00{{.*}}: ok

// Every alternative is the input, by the evaluator.
// RUN: cleave-opt %s --cleave-algebra -o %t.mlir
// RUN: cleave-run %t.mlir --device=evaluator --alternative=0 --bind M=7,N=9 --check | FileCheck %s --check-prefix=ALTERNATIVE
// RUN: cleave-run %t.mlir --device=evaluator --alternative=1 --bind M=7,N=9 --check | FileCheck %s --check-prefix=ALTERNATIVE
// ALTERNATIVE: Y[M=7,N=9]: relative L2 {{.*}}: ok

#K = #cleave.axes<K>
#M_K = #cleave.axes<M, K>
#K_M = #cleave.axes<K, M>
#N_K = #cleave.axes<N, K>
#M_N = #cleave.axes<M, N>

func.func @rmsnorm_linear(
    %x: tensor<?x131xf16, #M_K> {cleave.name = "X", cleave.range = 300.0 : f32},
    %g: tensor<131xf16, #K> {cleave.name = "g", cleave.range = 8.0 : f32},
    %w: tensor<?x131xf16, #N_K> {cleave.name = "W"})
    -> (tensor<?x?xf16, #M_N> {cleave.name = "Y"})
    attributes {cleave.symbols = #cleave.symbols<M: dynamic like 16, N: dynamic like 64>} {
  %n = cleave.rms_norm %x, %g over [K] eps 1.0e-6
     : (tensor<?x131xf16, #M_K>, tensor<131xf16, #K>) -> tensor<131x?xf32, #K_M>
  %y = cleave.contract %w, %n over [K]
     : (tensor<?x131xf16, #N_K>, tensor<131x?xf32, #K_M>) -> tensor<?x?xf32, #M_N>
  %h = cleave.cast %y : tensor<?x?xf32, #M_N> to tensor<?x?xf16, #M_N>
  return %h : tensor<?x?xf16, #M_N>
}
