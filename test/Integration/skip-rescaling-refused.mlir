// Other references would show: what is beyond the maximum may not fit 16 bits,
// sums over rows would have several, constants may stand for it, and behind the
// loop nothing bounds its exponentials. So the products stay.

// RUN: cleave-opt %s --mlir-disable-threading --cleave-to-gpu=chip=sm_90a --mlir-print-ir-after=cleave-skip-rescaling -o /dev/null 2>&1 | FileCheck %s --check-prefix=TILES
// RUN: cleave-run %s --entry=above --device=emulator --chip=sm_90a --check --bind M=33,K=131 --scale X=8 | FileCheck %s
// RUN: cleave-run %s --entry=crows --device=emulator --chip=sm_90a --check --bind K=131 --scale X=2 | FileCheck %s
// RUN: cleave-run %s --entry=sel --device=emulator --chip=sm_90a --check --bind M=33,K=131 --scale X=8 --scale W=3 | FileCheck %s
// RUN: cleave-run %s --entry=sinkv --device=emulator --chip=sm_90a --check --bind M=33,K=131 --scale X=2 --scale W=20 | FileCheck %s
// TILES-COUNT-4: gpu.func
// TILES-NOT:     cleave_tile.rescale
// CHECK: : ok

#M_K = #cleave.axes<M, K>
#K_M = #cleave.axes<K, M>
#K_N = #cleave.axes<K, N>
#M_N = #cleave.axes<M, N>
#N_M = #cleave.axes<N, M>
#K = #cleave.axes<K>
#M = #cleave.axes<M>
#N = #cleave.axes<N>
#s = #cleave.axes<>
#M_J = #cleave.axes<M, J>
#J_N = #cleave.axes<J, N>

func.func @above(%x: tensor<?x?xf16, #M_K> {cleave.name = "X"}, %v: tensor<?x128xf16, #K_N> {cleave.name = "V"})
    -> (tensor<?x128xf32, #M_N> {cleave.name = "Y"})
    attributes {cleave.symbols = #cleave.symbols<M: dynamic like 64, K: dynamic like 1024>,
                cleave.schedule = #cleave.schedule<region = 0, grid = [M: 32, N: 128], loop = [K: 32], warps = 1, stages = 2>} {
  %c = cleave.constant 7.0 : tensor<f32, #s>
  %0 = cleave.constant 0.0 : tensor<f32, #s>
  %mm = cleave.reduce_max %x over [K] : (tensor<?x?xf16, #M_K>) -> tensor<?xf32, #M>
  %f = cleave.is_finite %mm : (tensor<?xf32, #M>) -> tensor<?xi1, #M>
  %m = cleave.select %f, %mm, %0 : (tensor<?xi1, #M>, tensor<?xf32, #M>, tensor<f32, #s>) -> tensor<?xf32, #M>
  %z = cleave.add %x, %c : (tensor<?x?xf16, #M_K>, tensor<f32, #s>) -> tensor<?x?xf32, #K_M>
  %d = cleave.sub %z, %m : (tensor<?x?xf32, #K_M>, tensor<?xf32, #M>) -> tensor<?x?xf32, #K_M>
  %e = cleave.exp %d : (tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  %l = cleave.reduce_sum %e over [K] : (tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M>
  %o = cleave.contract %e, %v over [K] : (tensor<?x?xf32, #K_M>, tensor<?x128xf16, #K_N>) -> tensor<?x128xf32, #M_N>
  %y = cleave.div %o, %l : (tensor<?x128xf32, #M_N>, tensor<?xf32, #M>) -> tensor<?x128xf32, #M_N>
  return %y : tensor<?x128xf32, #M_N>
}

func.func @crows(%x: tensor<32x?xf32, #M_K> {cleave.name = "X"}, %v: tensor<?x128xf32, #K_N> {cleave.name = "V"}, %u: tensor<32x16xf32, #M_J> {cleave.name = "U"}, %u2: tensor<32x16xf32, #M_J> {cleave.name = "U2"})
    -> (tensor<32x128xf32, #M_N> {cleave.name = "Y"})
    attributes {cleave.symbols = #cleave.symbols<K: dynamic like 1024>,
                cleave.schedule = #cleave.schedule<region = 0, grid = [M: 32, N: 128], loop = [K: 32, J: 16], warps = 1, stages = 2>} {
  %0 = cleave.constant 0.0 : tensor<f32, #s>
  %mm = cleave.reduce_max %x over [K] : (tensor<32x?xf32, #M_K>) -> tensor<32xf32, #M>
  %f = cleave.is_finite %mm : (tensor<32xf32, #M>) -> tensor<32xi1, #M>
  %m = cleave.select %f, %mm, %0 : (tensor<32xi1, #M>, tensor<32xf32, #M>, tensor<f32, #s>) -> tensor<32xf32, #M>
  %d = cleave.sub %x, %m : (tensor<32x?xf32, #M_K>, tensor<32xf32, #M>) -> tensor<?x32xf32, #K_M>
  %e = cleave.exp %d : (tensor<?x32xf32, #K_M>) -> tensor<?x32xf32, #K_M>
  %l = cleave.reduce_sum %e over [K] : (tensor<?x32xf32, #K_M>) -> tensor<32xf32, #M>
  %o = cleave.contract %e, %v over [K] : (tensor<?x32xf32, #K_M>, tensor<?x128xf32, #K_N>) -> tensor<32x128xf32, #M_N>
  %q = cleave.contract %o, %u over [M] : (tensor<32x128xf32, #M_N>, tensor<32x16xf32, #M_J>) -> tensor<16x128xf32, #J_N>
  %q2 = cleave.contract %o, %u2 over [M] : (tensor<32x128xf32, #M_N>, tensor<32x16xf32, #M_J>) -> tensor<16x128xf32, #J_N>
  %qq = cleave.div %q, %q2 : (tensor<16x128xf32, #J_N>, tensor<16x128xf32, #J_N>) -> tensor<16x128xf32, #J_N>
  %qs = cleave.reduce_sum %qq over [J] : (tensor<16x128xf32, #J_N>) -> tensor<128xf32, #N>
  %y0 = cleave.div %o, %l : (tensor<32x128xf32, #M_N>, tensor<32xf32, #M>) -> tensor<32x128xf32, #M_N>
  %y = cleave.add %y0, %qs : (tensor<32x128xf32, #M_N>, tensor<128xf32, #N>) -> tensor<32x128xf32, #M_N>
  return %y : tensor<32x128xf32, #M_N>
}

func.func @sel(%x: tensor<?x?xf16, #M_K> {cleave.name = "X"}, %v: tensor<?x128xf16, #K_N> {cleave.name = "V"}, %w: tensor<?xf32, #M> {cleave.name = "W"})
    -> (tensor<?x128xf32, #M_N> {cleave.name = "Y"})
    attributes {cleave.symbols = #cleave.symbols<M: dynamic like 64, K: dynamic like 1024>,
                cleave.schedule = #cleave.schedule<region = 0, grid = [M: 32, N: 128], loop = [K: 32], warps = 1, stages = 2>} {
  %0 = cleave.constant 0.0 : tensor<f32, #s>
  %mm = cleave.reduce_max %x over [K] : (tensor<?x?xf16, #M_K>) -> tensor<?xf32, #M>
  %f = cleave.is_finite %mm : (tensor<?xf32, #M>) -> tensor<?xi1, #M>
  %m = cleave.select %f, %mm, %0 : (tensor<?xi1, #M>, tensor<?xf32, #M>, tensor<f32, #s>) -> tensor<?xf32, #M>
  %d = cleave.sub %x, %m : (tensor<?x?xf16, #M_K>, tensor<?xf32, #M>) -> tensor<?x?xf32, #K_M>
  %e = cleave.exp %d : (tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  %l = cleave.reduce_sum %e over [K] : (tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M>
  %o = cleave.contract %e, %v over [K] : (tensor<?x?xf32, #K_M>, tensor<?x128xf16, #K_N>) -> tensor<?x128xf32, #M_N>
  %c5 = cleave.constant 0.5 : tensor<f32, #s>
  %c = cleave.cmp gt %w, %c5 : (tensor<?xf32, #M>, tensor<f32, #s>) -> tensor<?xi1, #M>
  %m2 = cleave.select %c, %m, %0 : (tensor<?xi1, #M>, tensor<?xf32, #M>, tensor<f32, #s>) -> tensor<?xf32, #M>
  %b = cleave.sub %w, %m2 : (tensor<?xf32, #M>, tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %be = cleave.exp %b : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %l2 = cleave.add %l, %be : (tensor<?xf32, #M>, tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %y = cleave.div %o, %l2 : (tensor<?x128xf32, #M_N>, tensor<?xf32, #M>) -> tensor<?x128xf32, #M_N>
  return %y : tensor<?x128xf32, #M_N>
}

func.func @sinkv(%x: tensor<?x?xf16, #M_K> {cleave.name = "X"}, %v: tensor<?x128xf16, #K_N> {cleave.name = "V"}, %w: tensor<?xf32, #M> {cleave.name = "W"}, %n: tensor<128xf32, #N> {cleave.name = "A"})
    -> (tensor<?x128xf32, #M_N> {cleave.name = "Y"})
    attributes {cleave.symbols = #cleave.symbols<M: dynamic like 64, K: dynamic like 1024>,
                cleave.schedule = #cleave.schedule<region = 0, grid = [M: 32, N: 128], loop = [K: 32], warps = 1, stages = 2>} {
  %0 = cleave.constant 0.0 : tensor<f32, #s>
  %mm = cleave.reduce_max %x over [K] : (tensor<?x?xf16, #M_K>) -> tensor<?xf32, #M>
  %f = cleave.is_finite %mm : (tensor<?xf32, #M>) -> tensor<?xi1, #M>
  %m = cleave.select %f, %mm, %0 : (tensor<?xi1, #M>, tensor<?xf32, #M>, tensor<f32, #s>) -> tensor<?xf32, #M>
  %d = cleave.sub %x, %m : (tensor<?x?xf16, #M_K>, tensor<?xf32, #M>) -> tensor<?x?xf32, #K_M>
  %e = cleave.exp %d : (tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  %l = cleave.reduce_sum %e over [K] : (tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M>
  %o = cleave.contract %e, %v over [K] : (tensor<?x?xf32, #K_M>, tensor<?x128xf16, #K_N>) -> tensor<?x128xf32, #M_N>
  %b = cleave.sub %w, %m : (tensor<?xf32, #M>, tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %be = cleave.exp %b : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %l2 = cleave.add %l, %be : (tensor<?xf32, #M>, tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %vb = cleave.mul %be, %n : (tensor<?xf32, #M>, tensor<128xf32, #N>) -> tensor<?x128xf32, #M_N>
  %o2 = cleave.add %o, %vb : (tensor<?x128xf32, #M_N>, tensor<?x128xf32, #M_N>) -> tensor<?x128xf32, #M_N>
  %y = cleave.div %o2, %l2 : (tensor<?x128xf32, #M_N>, tensor<?xf32, #M>) -> tensor<?x128xf32, #M_N>
  return %y : tensor<?x128xf32, #M_N>
}
