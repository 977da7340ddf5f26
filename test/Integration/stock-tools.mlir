// What the algebra finds, as linalg that mlir-opt and mlir-runner compile and
// run without Cleave. Numbers are compared with those of the evaluator on the
// graph as it was written.

// DEFINE: %{convert} = cleave-opt %s --cleave-algebra --convert-cleave-to-linalg
// DEFINE: %{one} =
// DEFINE: %{other} = cleave-opt %s --symbol-privatize=exclude=%{one} --symbol-dce --cleave-algebra --convert-cleave-to-linalg
// DEFINE: %{run} = %python %S/Inputs/run_stock.py --source %s --libraries %mlir_lib_dir --dir %t/data --tool cleave-run --plain

// RUN: rm -rf %t && mkdir %t
// RUN: %{convert} -o %t/0.mlir
// RUN: FileCheck %s --check-prefix=PLAIN --input-file=%t/0.mlir
// PLAIN-NOT: cleave

// RUN: %{run} %t/0.mlir --entry=norm_linear --arguments 'X=3x17xf16 g=17xf16 W=17x19xf16' --results Y | FileCheck %s --check-prefix=ONE
// RUN: %{run} %t/0.mlir --entry=norm_linear --arguments 'X=1x1xf16 g=1xf16 W=1x1xf16' --results Y | FileCheck %s --check-prefix=ONE
// RUN: %{run} %t/0.mlir --entry=norm_linear --arguments 'X=2x0xf16 g=0xf16 W=0x3xf16' --results Y | FileCheck %s --check-prefix=ONE
// RUN: %{run} %t/0.mlir --entry=attention --arguments 'P=7x13xi1 Q=7x11xf16 K=13x11xf16 V=13x5xf16' --results O --fuse | FileCheck %s --check-prefix=ONE
// RUN: %{run} %t/0.mlir --entry=attention --arguments 'P=3x0xi1 Q=3x11xf16 K=0x11xf16 V=0x5xf16' --results O | FileCheck %s --check-prefix=ONE
// RUN: %{run} %t/0.mlir --entry=lora --arguments 'X=5x31xf16 W=31x7xf16 A=31x3xf16 B=3x7xf16' --results Y | FileCheck %s --check-prefix=ONE
// RUN: %{run} %t/0.mlir --entry=gated --arguments 'X=7x67xf16 W=67x5xf16 V=67x5xf16' --results Y --fuse | FileCheck %s --check-prefix=ONE
// RUN: %{run} %t/0.mlir --entry=layer_norm_linear --arguments 'X=5x37xf32 W=37x3xf32' --results Y | FileCheck %s --check-prefix=ONE
// ONE: {{[YO]}}: {{[0-9]+}} numbers, relative L2 {{.*}}: ok


// Other variants than the best, functions one by one.
// REDEFINE: %{one} = norm_linear
// RUN: %{other}=variant=1 -o %t/norm.mlir
// RUN: %{run} %t/norm.mlir --entry=norm_linear --arguments 'X=3x17xf16 g=17xf16 W=17x19xf16' --results Y | FileCheck %s --check-prefix=ONE
// REDEFINE: %{one} = attention
// RUN: %{other}=variant=1 -o %t/attention.mlir
// RUN: %{run} %t/attention.mlir --entry=attention --arguments 'P=7x13xi1 Q=7x11xf16 K=13x11xf16 V=13x5xf16' --results O | FileCheck %s --check-prefix=ONE
// RUN: %{other}=variant=2 -o %t/attention.mlir
// RUN: %{run} %t/attention.mlir --entry=attention --arguments 'P=7x13xi1 Q=7x11xf16 K=13x11xf16 V=13x5xf16' --results O | FileCheck %s --check-prefix=ONE
// REDEFINE: %{one} = layer_norm_linear
// RUN: %{other}=variant=1 -o %t/norm.mlir
// RUN: %{run} %t/norm.mlir --entry=layer_norm_linear --arguments 'X=5x37xf32 W=37x3xf32' --results Y | FileCheck %s --check-prefix=ONE

// In parts, of which the last are short or empty.
// REDEFINE: %{one} = norm_linear
// RUN: cleave-opt %s --symbol-privatize=exclude=%{one} --symbol-dce --cleave-algebra --cleave-split-reductions --convert-cleave-to-linalg=symbols=K.s=5 -o %t/parts.mlir
// RUN: %{run} %t/parts.mlir --entry=%{one} --arguments 'X=3x17xf16 g=17xf16 W=17x19xf16' --results Y | FileCheck %s --check-prefix=ONE
// RUN: %{run} %t/parts.mlir --entry=%{one} --arguments 'X=2x3xf16 g=3xf16 W=3x5xf16' --results Y | FileCheck %s --check-prefix=ONE
// REDEFINE: %{one} = attention
// RUN: cleave-opt %s --symbol-privatize=exclude=%{one} --symbol-dce --cleave-algebra --cleave-split-reductions=axes=T --convert-cleave-to-linalg=symbols=T.s=4 -o %t/parts.mlir
// RUN: %{run} %t/parts.mlir --entry=%{one} --arguments 'P=7x13xi1 Q=7x11xf16 K=13x11xf16 V=13x5xf16' --results O | FileCheck %s --check-prefix=ONE
// RUN: %{run} %t/parts.mlir --entry=%{one} --arguments 'P=3x2xi1 Q=3x11xf16 K=2x11xf16 V=2x5xf16' --results O | FileCheck %s --check-prefix=ONE

#M_K = #cleave.axes<M, K>
#K_M = #cleave.axes<K, M>
#K_N = #cleave.axes<K, N>
#K_R = #cleave.axes<K, R>
#R_N = #cleave.axes<R, N>
#M_R = #cleave.axes<M, R>
#M_N = #cleave.axes<M, N>
#S_T = #cleave.axes<S, T>
#S_D = #cleave.axes<S, D>
#T_D = #cleave.axes<T, D>
#T_E = #cleave.axes<T, E>
#E_S = #cleave.axes<E, S>
#S_E = #cleave.axes<S, E>
#M = #cleave.axes<M>
#K = #cleave.axes<K>
#s = #cleave.axes<>

func.func @norm_linear(%x: tensor<?x?xf16, #M_K> {cleave.name = "X", cleave.range = 8.0}, %g: tensor<?xf16, #K> {cleave.name = "g", cleave.range = 8.0},
                       %w: tensor<?x?xf16, #K_N> {cleave.name = "W"}) -> (tensor<?x?xf16, #M_N> {cleave.name = "Y"}) {
  %n = cleave.rms_norm %x, %g over [K] eps 1.0e-6 : (tensor<?x?xf16, #M_K>, tensor<?xf16, #K>) -> tensor<?x?xf32, #K_M>
  %y = cleave.contract %n, %w over [K] : (tensor<?x?xf32, #K_M>, tensor<?x?xf16, #K_N>) -> tensor<?x?xf32, #M_N>
  %h = cleave.cast %y : tensor<?x?xf32, #M_N> to tensor<?x?xf16, #M_N>
  return %h : tensor<?x?xf16, #M_N>
}

func.func @attention(%p: tensor<?x?xi1, #S_T> {cleave.name = "P"}, %q: tensor<?x?xf16, #S_D> {cleave.name = "Q"},
                     %k: tensor<?x?xf16, #T_D> {cleave.name = "K"}, %v: tensor<?x?xf16, #T_E> {cleave.name = "V"})
    -> (tensor<?x?xf16, #S_E> {cleave.name = "O"}) {
  %low = cleave.constant 0xFFF0000000000000 : tensor<f32, #s>
  %c = cleave.constant 0.3 : tensor<f32, #s>
  %s = cleave.contract %q, %k over [D] : (tensor<?x?xf16, #S_D>, tensor<?x?xf16, #T_D>) -> tensor<?x?xf32, #S_T>
  %t = cleave.mul %s, %c : (tensor<?x?xf32, #S_T>, tensor<f32, #s>) -> tensor<?x?xf32, #S_T>
  %z = cleave.select %p, %t, %low : (tensor<?x?xi1, #S_T>, tensor<?x?xf32, #S_T>, tensor<f32, #s>) -> tensor<?x?xf32, #S_T>
  %a = cleave.softmax %z over [T] : (tensor<?x?xf32, #S_T>) -> tensor<?x?xf32, #S_T>
  %o = cleave.contract %a, %v over [T] : (tensor<?x?xf32, #S_T>, tensor<?x?xf16, #T_E>) -> tensor<?x?xf32, #E_S>
  %h = cleave.cast %o : tensor<?x?xf32, #E_S> to tensor<?x?xf16, #E_S>
  %r = cleave.relayout %h : tensor<?x?xf16, #E_S> to tensor<?x?xf16, #S_E>
  return %r : tensor<?x?xf16, #S_E>
}

func.func @lora(%x: tensor<?x?xf16, #M_K> {cleave.name = "X"}, %w: tensor<?x?xf16, #K_N> {cleave.name = "W"},
                %a: tensor<?x?xf16, #K_R> {cleave.name = "A"}, %b: tensor<?x?xf16, #R_N> {cleave.name = "B"})
    -> (tensor<?x?xf32, #M_N> {cleave.name = "Y"}) {
  %y = cleave.contract %x, %w over [K] : (tensor<?x?xf16, #M_K>, tensor<?x?xf16, #K_N>) -> tensor<?x?xf32, #M_N>
  %l = cleave.contract %x, %a over [K] : (tensor<?x?xf16, #M_K>, tensor<?x?xf16, #K_R>) -> tensor<?x?xf32, #M_R>
  %d = cleave.contract %l, %b over [R] : (tensor<?x?xf32, #M_R>, tensor<?x?xf16, #R_N>) -> tensor<?x?xf32, #M_N>
  %r = cleave.add %y, %d : (tensor<?x?xf32, #M_N>, tensor<?x?xf32, #M_N>) -> tensor<?x?xf32, #M_N>
  return %r : tensor<?x?xf32, #M_N>
}

func.func @gated(%x: tensor<?x?xf16, #M_K> {cleave.name = "X"}, %w: tensor<?x?xf16, #K_N> {cleave.name = "W"},
                 %v: tensor<?x?xf16, #K_N> {cleave.name = "V"}) -> (tensor<?x?xf16, #M_N> {cleave.name = "Y"}) {
  %a = cleave.contract %x, %w over [K] : (tensor<?x?xf16, #M_K>, tensor<?x?xf16, #K_N>) -> tensor<?x?xf32, #M_N>
  %b = cleave.contract %x, %v over [K] : (tensor<?x?xf16, #M_K>, tensor<?x?xf16, #K_N>) -> tensor<?x?xf32, #M_N>
  %g = cleave.silu %a : (tensor<?x?xf32, #M_N>) -> tensor<?x?xf32, #M_N>
  %y = cleave.mul %g, %b : (tensor<?x?xf32, #M_N>, tensor<?x?xf32, #M_N>) -> tensor<?x?xf32, #M_N>
  %h = cleave.cast %y : tensor<?x?xf32, #M_N> to tensor<?x?xf16, #M_N>
  return %h : tensor<?x?xf16, #M_N>
}

func.func @layer_norm_linear(%x: tensor<?x?xf32, #M_K> {cleave.name = "X"}, %w: tensor<?x?xf32, #K_N> {cleave.name = "W"})
    -> (tensor<?x?xf32, #M_N> {cleave.name = "Y"}) {
  %n = cleave.extent K : tensor<f32, #s>
  %i = cleave.recip %n : (tensor<f32, #s>) -> tensor<f32, #s>
  %s = cleave.reduce_sum %x over [K] : (tensor<?x?xf32, #M_K>) -> tensor<?xf32, #M>
  %m = cleave.mul %s, %i : (tensor<?xf32, #M>, tensor<f32, #s>) -> tensor<?xf32, #M>
  %d = cleave.sub %x, %m : (tensor<?x?xf32, #M_K>, tensor<?xf32, #M>) -> tensor<?x?xf32, #K_M>
  %q = cleave.mul %d, %d : (tensor<?x?xf32, #K_M>, tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  %t = cleave.reduce_sum %q over [K] : (tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M>
  %v = cleave.mul %t, %i : (tensor<?xf32, #M>, tensor<f32, #s>) -> tensor<?xf32, #M>
  %e = cleave.constant 1.0e-6 : tensor<f32, #s>
  %b = cleave.add %v, %e : (tensor<?xf32, #M>, tensor<f32, #s>) -> tensor<?xf32, #M>
  %r = cleave.rsqrt %b : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %y = cleave.mul %d, %r : (tensor<?x?xf32, #K_M>, tensor<?xf32, #M>) -> tensor<?x?xf32, #K_M>
  %o = cleave.contract %y, %w over [K] : (tensor<?x?xf32, #K_M>, tensor<?x?xf32, #K_N>) -> tensor<?x?xf32, #M_N>
  return %o : tensor<?x?xf32, #M_N>
}
