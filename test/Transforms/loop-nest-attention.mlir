// RUN: cleave-opt %s --cleave-algebra=split=false --cleave-print-loop-nest -o /dev/null 2>&1 | FileCheck %s

#scalar = #cleave.axes<>
#S_D = #cleave.axes<S, D>
#T_D = #cleave.axes<T, D>
#T_E = #cleave.axes<T, E>
#S_T = #cleave.axes<S, T>
#S_E = #cleave.axes<S, E>
#E_S = #cleave.axes<E, S>

// One sweep over the keys; each tile of K and V is read once, Q before it; the
// division comes after the loop.
// CHECK: @attention, region 0
// CHECK-NEXT: kernel 0:
// CHECK-NEXT: load Q
// CHECK-COUNT-1: for T in |T|
// CHECK-COUNT-1: load K
// CHECK: max over [T]
// CHECK: [[L:%[0-9]+]][S: {{[0-9]+}}] = {{.*}} + sum over [T]
// CHECK-COUNT-1: load V
// CHECK: [[O:%[0-9]+]][E: {{[0-9]+}}, S: {{[0-9]+}}] = {{.*}} + contract over [T]
// CHECK-NOT: {{load|for}}
// CHECK: recip0([[L]])
// CHECK: store O
// CHECK-NOT: kernel 1
func.func @attention(%q: tensor<?x32xf16, #S_D> {cleave.name = "Q"}, %k: tensor<?x32xf16, #T_D> {cleave.name = "K"},
                     %v: tensor<?x32xf16, #T_E> {cleave.name = "V"}) -> (tensor<?x32xf16, #S_E> {cleave.name = "O"})
    attributes {cleave.symbols = #cleave.symbols<S: dynamic like 1024, T: dynamic like 1024>} {
  %s = cleave.contract %q, %k over [D] : (tensor<?x32xf16, #S_D>, tensor<?x32xf16, #T_D>) -> tensor<?x?xf32, #S_T>
  %c = cleave.constant 0.17677669 : tensor<f32, #scalar>
  %z = cleave.mul %s, %c : (tensor<?x?xf32, #S_T>, tensor<f32, #scalar>) -> tensor<?x?xf32, #S_T>
  %p = cleave.softmax %z over [T] : (tensor<?x?xf32, #S_T>) -> tensor<?x?xf32, #S_T>
  %o = cleave.contract %p, %v over [T] : (tensor<?x?xf32, #S_T>, tensor<?x32xf16, #T_E>) -> tensor<32x?xf32, #E_S>
  %h = cleave.cast %o : tensor<32x?xf32, #E_S> to tensor<32x?xf16, #E_S>
  %r = cleave.relayout %h : tensor<32x?xf16, #E_S> to tensor<?x32xf16, #S_E>
  return %r : tensor<?x32xf16, #S_E>
}
