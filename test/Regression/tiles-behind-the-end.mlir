// A ring with more tiles than the axis has asks for some behind its end, whose
// masks fold to constants; where a length comes from data they are asked for
// all the same. An f16 of 2 bytes was to be copied alone, which nothing can.
// RUN: cleave-run %s --device=emulator --chip=sm_90a --check | FileCheck %s
// RUN: cleave-run %s --device=emulator --chip=sm_80 --check | FileCheck %s
// CHECK: Y: relative L2 {{.*}}: ok

#none = #cleave.axes<>
#D = #cleave.axes<D>
#T = #cleave.axes<T>
#DT = #cleave.axes<D, T>
func.func @f(%l: tensor<i32, #none> {cleave.name = "Length", cleave.range = 100.0 : f32},
             %x: tensor<100x16xf16, #cleave.axes<T, D>> {cleave.name = "X", cleave.range = 2.0 : f32})
    -> (tensor<16xf32, #D> {cleave.name = "Y"})
    attributes {cleave.schedule = #cleave.schedule<region = 0, grid = [D: 16], loop = [T: 64], warps = 4, stages = 4>} {
  %t = cleave.iota T : tensor<100xf32, #T>
  %length = cleave.cast %l : tensor<i32, #none> to tensor<f32, #none>
  %isIn = cleave.cmp lt %t, %length : (tensor<100xf32, #T>, tensor<f32, #none>) -> tensor<100xi1, #T>
  %squares = cleave.mul %x, %x : (tensor<100x16xf16, #cleave.axes<T, D>>, tensor<100x16xf16, #cleave.axes<T, D>>) -> tensor<16x100xf32, #DT>
  %zero = cleave.constant 0.0 : tensor<f32, #none>
  %some = cleave.select %isIn, %squares, %zero : (tensor<100xi1, #T>, tensor<16x100xf32, #DT>, tensor<f32, #none>) -> tensor<16x100xf32, #DT>
  %y = cleave.reduce_sum %some over [T] : (tensor<16x100xf32, #DT>) -> tensor<16xf32, #D>
  return %y : tensor<16xf32, #D>
}
