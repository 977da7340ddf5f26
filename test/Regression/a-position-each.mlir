// Each sequence writes into its own rows in place: where they begin is an
// element of an argument of unknown extent, which is no tile of the kernel.

// RUN: cleave-opt --cleave-to-gpu %s -o %t
// RUN: cleave-run --device=emulator --source=%s %t --check --scale P=6 --bind 'B=3,T=7;B=1,T=2;B=0,T=5;B=2,T=0' | FileCheck %s
// CHECK-COUNT-4: KV{{.*}}: ok

#B = #cleave.axes<B>
#B_S_D = #cleave.axes<B, S, D>
#B_T_D = #cleave.axes<B, T, D>
#B_D_T = #cleave.axes<B, D, T>

func.func @cache(
    %k: tensor<?x2x8xf16, #B_S_D> {cleave.name = "K"},
    %c: tensor<?x?x8xf16, #B_T_D> {cleave.name = "C"},
    %p: tensor<?xi32, #B> {cleave.name = "P"})
    -> (tensor<?x?x8xf16, #B_T_D> {cleave.name = "KV", cleave.alias = "C"}) {
  %n = cleave.insert %k S into %c T at %p
     : (tensor<?x2x8xf16, #B_S_D>, tensor<?x?x8xf16, #B_T_D>, tensor<?xi32, #B>) -> tensor<?x8x?xf16, #B_D_T>
  %r = cleave.relayout %n : tensor<?x8x?xf16, #B_D_T> to tensor<?x?x8xf16, #B_T_D>
  return %r : tensor<?x?x8xf16, #B_T_D>
}
