// Attention with keys and queries of any number, in the storage order batch,
// sequence, heads, head dimension; causal, aligned at the bottom right. One
// loop over the keys folds the row's max, sum and output. m starts at -inf and
// a block of keys may be wholly masked: then shift by 0, not by -inf.
#tail_s = affine_map<(d0)[s0] -> (64, -d0 + s0)>
#id2 = affine_map<(s, t) -> (s, t)>
#row = affine_map<(s, t) -> (s)>
func.func @attention(%q: tensor<?x?x16x128xf16> {cleave.name = "Q"}, %k: tensor<?x?x16x128xf16> {cleave.name = "K"},
                     %v: tensor<?x?x16x128xf16> {cleave.name = "V"}) -> (tensor<?x?x16x128xf16> {cleave.name = "O"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.0883883461 : f32
  %nb = tensor.dim %q, %c0 : tensor<?x?x16x128xf16>
  %ns = tensor.dim %q, %c1 : tensor<?x?x16x128xf16>
  %nt = tensor.dim %k, %c1 : tensor<?x?x16x128xf16>
  %shift = arith.subi %nt, %ns : index
  %o0 = tensor.empty(%nb, %ns) : tensor<?x?x16x128xf16>
  %res = scf.forall (%b, %h, %i) = (0, 0, 0) to (%nb, 16, %ns) step (1, 1, 64) shared_outs(%out = %o0) -> (tensor<?x?x16x128xf16>) {
    %ts = affine.min #tail_s(%i)[%ns]
    %qt = tensor.extract_slice %q[%b, %i, %h, 0] [1, %ts, 1, 128] [1, 1, 1, 1] : tensor<?x?x16x128xf16> to tensor<?x128xf16>
    %er = tensor.empty(%ts) : tensor<?xf32>
    %eo = tensor.empty(%ts) : tensor<?x128xf32>
    %m0 = linalg.fill ins(%ninf : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
    %l0 = linalg.fill ins(%zero : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
    %a0 = linalg.fill ins(%zero : f32) outs(%eo : tensor<?x128xf32>) -> tensor<?x128xf32>
    %r:3 = scf.for %j = %c0 to %nt step %c64 iter_args(%m = %m0, %l = %l0, %a = %a0) -> (tensor<?xf32>, tensor<?xf32>, tensor<?x128xf32>) {
      %tt = affine.min #tail_s(%j)[%nt]
      %kt = tensor.extract_slice %k[%b, %j, %h, 0] [1, %tt, 1, 128] [1, 1, 1, 1] : tensor<?x?x16x128xf16> to tensor<?x128xf16>
      %vt = tensor.extract_slice %v[%b, %j, %h, 0] [1, %tt, 1, 128] [1, 1, 1, 1] : tensor<?x?x16x128xf16> to tensor<?x128xf16>
      %es = tensor.empty(%ts, %tt) : tensor<?x?xf32>
      %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<?x?xf32>) -> tensor<?x?xf32>
      %s = linalg.generic {indexing_maps = [affine_map<(s, t, d) -> (s, d)>, affine_map<(s, t, d) -> (t, d)>, affine_map<(s, t, d) -> (s, t)>],
                           iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%qt, %kt : tensor<?x128xf16>, tensor<?x128xf16>) outs(%s0 : tensor<?x?xf32>) {
      ^bb0(%x: f16, %y: f16, %c: f32):
        %xf = arith.extf %x : f16 to f32
        %yf = arith.extf %y : f16 to f32
        %p = arith.mulf %xf, %yf : f32
        %t = arith.addf %c, %p : f32
        linalg.yield %t : f32
      } -> tensor<?x?xf32>
      %z = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]}
          ins(%s : tensor<?x?xf32>) outs(%es : tensor<?x?xf32>) {
      ^bb0(%x: f32, %u: f32):
        %x1 = arith.mulf %x, %scale : f32
        %row = linalg.index 0 : index
        %col = linalg.index 1 : index
        %row1 = arith.addi %row, %i : index
        %row2 = arith.addi %row1, %shift : index
        %col1 = arith.addi %col, %j : index
        %in = arith.cmpi sle, %col1, %row2 : index
        %x2 = arith.select %in, %x1, %ninf : f32
        linalg.yield %x2 : f32
      } -> tensor<?x?xf32>
      %m1 = linalg.generic {indexing_maps = [#id2, #row], iterator_types = ["parallel", "reduction"]}
          ins(%z : tensor<?x?xf32>) outs(%m : tensor<?xf32>) {
      ^bb0(%x: f32, %c: f32):
        %t = arith.maximumf %c, %x : f32
        linalg.yield %t : f32
      } -> tensor<?xf32>
      %mm = linalg.generic {indexing_maps = [affine_map<(s) -> (s)>, affine_map<(s) -> (s)>], iterator_types = ["parallel"]}
          ins(%m1 : tensor<?xf32>) outs(%er : tensor<?xf32>) {
      ^bb0(%x: f32, %u: f32):
        %none = arith.cmpf oeq, %x, %ninf : f32
        %t = arith.select %none, %zero, %x : f32
        linalg.yield %t : f32
      } -> tensor<?xf32>
      %f = linalg.generic {indexing_maps = [affine_map<(s) -> (s)>, affine_map<(s) -> (s)>, affine_map<(s) -> (s)>], iterator_types = ["parallel"]}
          ins(%m, %mm : tensor<?xf32>, tensor<?xf32>) outs(%er : tensor<?xf32>) {
      ^bb0(%old: f32, %new: f32, %u: f32):
        %d = arith.subf %old, %new : f32
        %t = math.exp %d : f32
        linalg.yield %t : f32
      } -> tensor<?xf32>
      %p = linalg.generic {indexing_maps = [#id2, #row, #id2], iterator_types = ["parallel", "parallel"]}
          ins(%z, %mm : tensor<?x?xf32>, tensor<?xf32>) outs(%es : tensor<?x?xf32>) {
      ^bb0(%x: f32, %c: f32, %u: f32):
        %d = arith.subf %x, %c : f32
        %t = math.exp %d : f32
        linalg.yield %t : f32
      } -> tensor<?x?xf32>
      %l1 = linalg.generic {indexing_maps = [affine_map<(s) -> (s)>, affine_map<(s) -> (s)>, affine_map<(s) -> (s)>], iterator_types = ["parallel"]}
          ins(%l, %f : tensor<?xf32>, tensor<?xf32>) outs(%er : tensor<?xf32>) {
      ^bb0(%x: f32, %c: f32, %u: f32):
        %t = arith.mulf %x, %c : f32
        linalg.yield %t : f32
      } -> tensor<?xf32>
      %l2 = linalg.generic {indexing_maps = [#id2, #row], iterator_types = ["parallel", "reduction"]}
          ins(%p : tensor<?x?xf32>) outs(%l1 : tensor<?xf32>) {
      ^bb0(%x: f32, %c: f32):
        %t = arith.addf %c, %x : f32
        linalg.yield %t : f32
      } -> tensor<?xf32>
      %eh = tensor.empty(%ts, %tt) : tensor<?x?xf16>
      %ph = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]}
          ins(%p : tensor<?x?xf32>) outs(%eh : tensor<?x?xf16>) {
      ^bb0(%x: f32, %u: f16):
        %t = arith.truncf %x : f32 to f16
        linalg.yield %t : f16
      } -> tensor<?x?xf16>
      %a1 = linalg.generic {indexing_maps = [#id2, #row, #id2], iterator_types = ["parallel", "parallel"]}
          ins(%a, %f : tensor<?x128xf32>, tensor<?xf32>) outs(%eo : tensor<?x128xf32>) {
      ^bb0(%x: f32, %c: f32, %u: f32):
        %t = arith.mulf %x, %c : f32
        linalg.yield %t : f32
      } -> tensor<?x128xf32>
      %a2 = linalg.generic {indexing_maps = [affine_map<(s, e, t) -> (s, t)>, affine_map<(s, e, t) -> (t, e)>, affine_map<(s, e, t) -> (s, e)>],
                            iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%ph, %vt : tensor<?x?xf16>, tensor<?x128xf16>) outs(%a1 : tensor<?x128xf32>) {
      ^bb0(%x: f16, %y: f16, %c: f32):
        %xf = arith.extf %x : f16 to f32
        %yf = arith.extf %y : f16 to f32
        %pr = arith.mulf %xf, %yf : f32
        %t = arith.addf %c, %pr : f32
        linalg.yield %t : f32
      } -> tensor<?x128xf32>
      scf.yield %m1, %l2, %a2 : tensor<?xf32>, tensor<?xf32>, tensor<?x128xf32>
    }
    %eh = tensor.empty(%ts) : tensor<?x128xf16>
    %o = linalg.generic {indexing_maps = [#row, #id2, #id2], iterator_types = ["parallel", "parallel"]}
        ins(%r#1, %r#2 : tensor<?xf32>, tensor<?x128xf32>) outs(%eh : tensor<?x128xf16>) {
    ^bb0(%l: f32, %x: f32, %u: f16):
      %none = arith.cmpf oeq, %l, %zero : f32
      %q1 = arith.divf %one, %l : f32
      %q2 = arith.select %none, %zero, %q1 : f32
      %t = arith.mulf %x, %q2 : f32
      %t1 = arith.truncf %t : f32 to f16
      linalg.yield %t1 : f16
    } -> tensor<?x128xf16>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %o into %out[%b, %i, %h, 0] [1, %ts, 1, 128] [1, 1, 1, 1] : tensor<?x128xf16> into tensor<?x?x16x128xf16>
    }
  } {cleave.warps = 4 : i64, cleave.stages = 1 : i64}
  return %res : tensor<?x?x16x128xf16>
}
