// Y = X * W over K in three parts; the kernel that adds
// the parts joins the one that makes them. Two parts a step.
#part = affine_map<()[s0] -> (s0 ceildiv 3)>
#rows = affine_map<(d0)[s0] -> (16, -d0 + s0)>
#columns = affine_map<(d0) -> (16, -d0 + 37)>
#steps = affine_map<(d0)[s0] -> (32, -d0 + s0)>
#parts = affine_map<(d0) -> (2, -d0 + 3)>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#s = affine_map<(m, n, k) -> (k, m, n)>
func.func @join(%x: tensor<?x?xf16>, %w: tensor<?x37xf16>) -> tensor<?x37xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf16>
  %k = tensor.dim %x, %c1 : tensor<?x?xf16>
  %length = affine.apply #part()[%k]
  %p0 = tensor.empty(%m) : tensor<3x?x37xf32>
  %p = scf.forall (%s, %i, %j) = (0, 0, 0) to (3, %m, 37) step (1, 16, 16) shared_outs(%out = %p0) -> (tensor<3x?x37xf32>) {
    %tm = affine.min #rows(%i)[%m]
    %tn = affine.min #columns(%j)
    %e = tensor.empty(%tm, %tn) : tensor<?x?xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
    %begin = arith.muli %s, %length : index
    %left = arith.subi %k, %begin : index
    %some = arith.maxsi %left, %c0 : index
    %end = arith.minsi %some, %length : index
    %r = scf.for %l = %c0 to %end step %c32 iter_args(%acc = %z) -> (tensor<?x?xf32>) {
      %tk = affine.min #steps(%l)[%end]
      %o = arith.addi %begin, %l : index
      %xt = tensor.extract_slice %x[%i, %o] [%tm, %tk] [1, 1] : tensor<?x?xf16> to tensor<?x?xf16>
      %wt = tensor.extract_slice %w[%o, %j] [%tk, %tn] [1, 1] : tensor<?x37xf16> to tensor<?x?xf16>
      %n = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%xt, %wt : tensor<?x?xf16>, tensor<?x?xf16>) outs(%acc : tensor<?x?xf32>) {
      ^bb0(%u: f16, %v: f16, %t: f32):
        %f = arith.extf %u : f16 to f32
        %g = arith.extf %v : f16 to f32
        %h = arith.mulf %f, %g : f32
        %q = arith.addf %t, %h : f32
        linalg.yield %q : f32
      } -> tensor<?x?xf32>
      scf.yield %n : tensor<?x?xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %r into %out[%s, %i, %j] [1, %tm, %tn] [1, 1, 1] : tensor<?x?xf32> into tensor<3x?x37xf32>
    }
  } {cleave.stages = 3 : i64, cleave.warps = 2 : i64}
  %y0 = tensor.empty(%m) : tensor<?x37xf32>
  %y = scf.forall (%i, %j) = (0, 0) to (%m, 37) step (16, 16) shared_outs(%out = %y0) -> (tensor<?x37xf32>) {
    %tm = affine.min #rows(%i)[%m]
    %tn = affine.min #columns(%j)
    %e = tensor.empty(%tm, %tn) : tensor<?x?xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
    %r = scf.for %l = %c0 to %c3 step %c2 iter_args(%acc = %z) -> (tensor<?x?xf32>) {
      %ts = affine.min #parts(%l)
      %pt = tensor.extract_slice %p[%l, %i, %j] [%ts, %tm, %tn] [1, 1, 1] : tensor<3x?x37xf32> to tensor<?x?x?xf32>
      %n = linalg.generic {indexing_maps = [#s, #c], iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%pt : tensor<?x?x?xf32>) outs(%acc : tensor<?x?xf32>) {
      ^bb0(%u: f32, %t: f32):
        %q = arith.addf %t, %u : f32
        linalg.yield %q : f32
      } -> tensor<?x?xf32>
      scf.yield %n : tensor<?x?xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %r into %out[%i, %j] [%tm, %tn] [1, 1] : tensor<?x?xf32> into tensor<?x37xf32>
    }
  } {cleave.join = array<i64: 1, 2>, cleave.stages = 1 : i64, cleave.warps = 2 : i64}
  return %y : tensor<?x37xf32>
}
