// What a contraction makes is the left side of the next one, wherever it stood:
// there each warp has whole rows of it, and no layout is converted in between.
// RUN: cleave-opt %s --cleave-vectorize-tiles | FileCheck %s

#lhs = affine_map<(d0, d1, d2) -> (d0, d2)>
#rhs = affine_map<(d0, d1, d2) -> (d1, d2)>
#rhs_t = affine_map<(d0, d1, d2) -> (d2, d1)>
#out = affine_map<(d0, d1, d2) -> (d0, d1)>
#id = affine_map<(d0, d1) -> (d0, d1)>

// CHECK-LABEL: gpu.func @chained_0
// CHECK:       %[[S:.*]] = vector.contract
// CHECK:       %[[P:.*]] = arith.truncf %[[S]]
// CHECK:       vector.contract {{.*}} %[[P]], %{{.*}}, %{{.*}} : vector<128x64xf16>, vector<64x64xf16> into vector<128x64xf32>
func.func @chained(%q: tensor<1024x64xf16>, %k: tensor<64x64xf16>, %v: tensor<64x64xf16>) -> tensor<1024x64xf32> {
  %zero = arith.constant 0.0 : f32
  %y0 = tensor.empty() : tensor<1024x64xf32>
  %y = scf.forall (%i) = (0) to (1024) step (128) shared_outs(%o = %y0) -> (tensor<1024x64xf32>) {
    %qt = tensor.extract_slice %q[%i, 0] [128, 64] [1, 1] : tensor<1024x64xf16> to tensor<128x64xf16>
    %kt = tensor.extract_slice %k[0, 0] [64, 64] [1, 1] : tensor<64x64xf16> to tensor<64x64xf16>
    %vt = tensor.extract_slice %v[0, 0] [64, 64] [1, 1] : tensor<64x64xf16> to tensor<64x64xf16>
    %e = tensor.empty() : tensor<128x64xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<128x64xf32>) -> tensor<128x64xf32>
    %s = linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%qt, %kt : tensor<128x64xf16>, tensor<64x64xf16>) outs(%f : tensor<128x64xf32>) {
    ^bb0(%a: f16, %b: f16, %c: f32):
      %ae = arith.extf %a : f16 to f32
      %be = arith.extf %b : f16 to f32
      %m = arith.mulf %ae, %be : f32
      %r = arith.addf %c, %m : f32
      linalg.yield %r : f32
    } -> tensor<128x64xf32>
    %pe = tensor.empty() : tensor<128x64xf16>
    %p = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%s : tensor<128x64xf32>) outs(%pe : tensor<128x64xf16>) {
    ^bb0(%a: f32, %c: f16):
      %r = arith.truncf %a : f32 to f16
      linalg.yield %r : f16
    } -> tensor<128x64xf16>
    %t = linalg.generic {indexing_maps = [#rhs_t, #lhs, #out], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%vt, %p : tensor<64x64xf16>, tensor<128x64xf16>) outs(%f : tensor<128x64xf32>) {
    ^bb0(%a: f16, %b: f16, %c: f32):
      %ae = arith.extf %a : f16 to f32
      %be = arith.extf %b : f16 to f32
      %m = arith.mulf %ae, %be : f32
      %r = arith.addf %c, %m : f32
      linalg.yield %r : f32
    } -> tensor<128x64xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %t into %o[%i, 0] [128, 64] [1, 1] : tensor<128x64xf32> into tensor<1024x64xf32>
    }
  } {cleave.warps = 8 : i64}
  return %y : tensor<1024x64xf32>
}
