#tail = affine_map<(d0)[s0] -> (16, -d0 + s0)>
func.func @rmsnorm_linear(%x: tensor<?x4096xf16> {cleave.name = "X"}, %g: tensor<4096xf16> {cleave.name = "g"},
                          %w: tensor<4096x4096xf16> {cleave.name = "W"}) -> (tensor<?x4096xf16> {cleave.name = "Y"}) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c4096 = arith.constant 4096 : index
  %zero = arith.constant 0.0 : f32
  %inv = arith.constant 2.44140625e-4 : f32
  %eps = arith.constant 1.0e-6 : f32
  %m = tensor.dim %x, %c0 : tensor<?x4096xf16>
  %y0 = tensor.empty(%m) : tensor<?x4096xf16>
  %y = scf.forall (%i, %j) = (0, 0) to (%m, 4096) step (16, 64) shared_outs(%out = %y0) -> (tensor<?x4096xf16>) {
    %tm = affine.min #tail(%i)[%m]
    %e0 = tensor.empty(%tm) : tensor<?xf32>
    %e1 = tensor.empty(%tm) : tensor<?x64xf32>
    %sq0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<?xf32>) -> tensor<?xf32>
    %acc0 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<?x64xf32>) -> tensor<?x64xf32>
    %r:2 = scf.for %k = %c0 to %c4096 step %c64 iter_args(%sq = %sq0, %acc = %acc0) -> (tensor<?xf32>, tensor<?x64xf32>) {
      %xt = tensor.extract_slice %x[%i, %k] [%tm, 64] [1, 1] : tensor<?x4096xf16> to tensor<?x64xf16>
      %gt = tensor.extract_slice %g[%k] [64] [1] : tensor<4096xf16> to tensor<64xf16>
      %wt = tensor.extract_slice %w[%k, %j] [64, 64] [1, 1] : tensor<4096x4096xf16> to tensor<64x64xf16>
      %sq1 = linalg.generic {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m)>],
                             iterator_types = ["parallel", "reduction"]}
          ins(%xt : tensor<?x64xf16>) outs(%sq : tensor<?xf32>) {
      ^bb0(%a: f16, %s: f32):
        %f = arith.extf %a : f16 to f32
        %p = arith.mulf %f, %f : f32
        %t = arith.addf %s, %p : f32
        linalg.yield %t : f32
      } -> tensor<?xf32>
      %e2 = tensor.empty(%tm) : tensor<?x64xf16>
      %xg = linalg.generic {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (k)>, affine_map<(m, k) -> (m, k)>],
                            iterator_types = ["parallel", "parallel"]}
          ins(%xt, %gt : tensor<?x64xf16>, tensor<64xf16>) outs(%e2 : tensor<?x64xf16>) {
      ^bb0(%a: f16, %b: f16, %s: f16):
        %f = arith.extf %a : f16 to f32
        %h = arith.extf %b : f16 to f32
        %p = arith.mulf %f, %h : f32
        %t = arith.truncf %p : f32 to f16
        linalg.yield %t : f16
      } -> tensor<?x64xf16>
      %acc1 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                              iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%xg, %wt : tensor<?x64xf16>, tensor<64x64xf16>) outs(%acc : tensor<?x64xf32>) {
      ^bb0(%a: f16, %b: f16, %s: f32):
        %f = arith.extf %a : f16 to f32
        %h = arith.extf %b : f16 to f32
        %p = arith.mulf %f, %h : f32
        %t = arith.addf %s, %p : f32
        linalg.yield %t : f32
      } -> tensor<?x64xf32>
      scf.yield %sq1, %acc1 : tensor<?xf32>, tensor<?x64xf32>
    }
    %e3 = tensor.empty(%tm) : tensor<?x64xf16>
    %o = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>],
                         iterator_types = ["parallel", "parallel"]}
        ins(%r#0, %r#1 : tensor<?xf32>, tensor<?x64xf32>) outs(%e3 : tensor<?x64xf16>) {
    ^bb0(%s: f32, %a: f32, %u: f16):
      %mean = arith.mulf %s, %inv : f32
      %e = arith.addf %mean, %eps : f32
      %q = math.rsqrt %e : f32
      %p = arith.mulf %a, %q : f32
      %t = arith.truncf %p : f32 to f16
      linalg.yield %t : f16
    } -> tensor<?x64xf16>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %o into %out[%i, %j] [%tm, 64] [1, 1] : tensor<?x64xf16> into tensor<?x4096xf16>
    }
  } {cleave.warps = 4 : i64, cleave.stages = 1 : i64}
  return %y : tensor<?x4096xf16>
}
