// Softmax of rows of any length in two kernels: the first folds each row's max
// and sum, the second normalises. A row that is all -inf, or empty, gives 0.
#t4 = affine_map<(d0)[s0] -> (4, -d0 + s0)>
#t256 = affine_map<(d0)[s0] -> (256, -d0 + s0)>
#id = affine_map<(m, k) -> (m, k)>
#row = affine_map<(m, k) -> (m)>
#id1 = affine_map<(m) -> (m)>
func.func @softmax(%x: tensor<?x?xf16> {cleave.name = "X"}) -> (tensor<?x?xf16> {cleave.name = "Y"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf16>
  %k = tensor.dim %x, %c1 : tensor<?x?xf16>
  %r0 = tensor.empty(%m) : tensor<?xf32>
  %y0 = tensor.empty(%m, %k) : tensor<?x?xf16>
  %stats:2 = scf.forall (%i) = (0) to (%m) step (4) shared_outs(%om = %r0, %ol = %r0) -> (tensor<?xf32>, tensor<?xf32>) {
    %tm = affine.min #t4(%i)[%m]
    %e = tensor.empty(%tm) : tensor<?xf32>
    %m0 = linalg.fill ins(%ninf : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    %l0 = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    %r:2 = scf.for %j = %c0 to %k step %c256 iter_args(%mx = %m0, %l = %l0) -> (tensor<?xf32>, tensor<?xf32>) {
      %tk = affine.min #t256(%j)[%k]
      %xt = tensor.extract_slice %x[%i, %j] [%tm, %tk] [1, 1] : tensor<?x?xf16> to tensor<?x?xf16>
      %m1 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
          ins(%xt : tensor<?x?xf16>) outs(%mx : tensor<?xf32>) {
      ^bb0(%v: f16, %c: f32):
        %f = arith.extf %v : f16 to f32
        %t = arith.maximumf %c, %f : f32
        linalg.yield %t : f32
      } -> tensor<?xf32>
      %mm = linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]}
          ins(%m1 : tensor<?xf32>) outs(%e : tensor<?xf32>) {
      ^bb0(%v: f32, %u: f32):
        %none = arith.cmpf oeq, %v, %ninf : f32
        %t = arith.select %none, %zero, %v : f32
        linalg.yield %t : f32
      } -> tensor<?xf32>
      %l1 = linalg.generic {indexing_maps = [#id1, #id1, #id1, #id1], iterator_types = ["parallel"]}
          ins(%l, %mx, %mm : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) {
      ^bb0(%v: f32, %old: f32, %new: f32, %u: f32):
        %d = arith.subf %old, %new : f32
        %f = math.exp %d : f32
        %t = arith.mulf %v, %f : f32
        linalg.yield %t : f32
      } -> tensor<?xf32>
      %l2 = linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]}
          ins(%xt, %mm : tensor<?x?xf16>, tensor<?xf32>) outs(%l1 : tensor<?xf32>) {
      ^bb0(%v: f16, %c: f32, %s: f32):
        %f = arith.extf %v : f16 to f32
        %d = arith.subf %f, %c : f32
        %p = math.exp %d : f32
        %t = arith.addf %s, %p : f32
        linalg.yield %t : f32
      } -> tensor<?xf32>
      scf.yield %m1, %l2 : tensor<?xf32>, tensor<?xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %r#0 into %om[%i] [%tm] [1] : tensor<?xf32> into tensor<?xf32>
      tensor.parallel_insert_slice %r#1 into %ol[%i] [%tm] [1] : tensor<?xf32> into tensor<?xf32>
    }
  } {cleave.warps = 4 : i64, cleave.stages = 1 : i64}
  %y = scf.forall (%i, %j) = (0, 0) to (%m, %k) step (4, 256) shared_outs(%out = %y0) -> (tensor<?x?xf16>) {
    %tm = affine.min #t4(%i)[%m]
    %tk = affine.min #t256(%j)[%k]
    %xt = tensor.extract_slice %x[%i, %j] [%tm, %tk] [1, 1] : tensor<?x?xf16> to tensor<?x?xf16>
    %mt = tensor.extract_slice %stats#0[%i] [%tm] [1] : tensor<?xf32> to tensor<?xf32>
    %lt = tensor.extract_slice %stats#1[%i] [%tm] [1] : tensor<?xf32> to tensor<?xf32>
    %e = tensor.empty(%tm, %tk) : tensor<?x?xf16>
    %o = linalg.generic {indexing_maps = [#id, #row, #row, #id], iterator_types = ["parallel", "parallel"]}
        ins(%xt, %mt, %lt : tensor<?x?xf16>, tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf16>) {
    ^bb0(%v: f16, %mx: f32, %l: f32, %u: f16):
      %f = arith.extf %v : f16 to f32
      %none = arith.cmpf oeq, %mx, %ninf : f32
      %c = arith.select %none, %zero, %mx : f32
      %d = arith.subf %f, %c : f32
      %p = math.exp %d : f32
      %empty = arith.cmpf oeq, %l, %zero : f32
      %q = arith.divf %one, %l : f32
      %q1 = arith.select %empty, %zero, %q : f32
      %t = arith.mulf %p, %q1 : f32
      %h = arith.truncf %t : f32 to f16
      linalg.yield %h : f16
    } -> tensor<?x?xf16>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %o into %out[%i, %j] [%tm, %tk] [1, 1] : tensor<?x?xf16> into tensor<?x?xf16>
    }
  } {cleave.warps = 4 : i64, cleave.stages = 1 : i64}
  return %y : tensor<?x?xf16>
}
