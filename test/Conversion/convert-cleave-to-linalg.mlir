// RUN: cleave-opt %s --convert-cleave-to-linalg | FileCheck %s
// RUN: cleave-opt %s --convert-cleave-to-linalg="variant=1 symbols=S=3" | FileCheck %s --check-prefix=OTHER
// CHECK-NOT: cleave

#M_K = #cleave.axes<M, K>
#K_M = #cleave.axes<K, M>
#K_N = #cleave.axes<K, N>
#M_N = #cleave.axes<M, N>
#M = #cleave.axes<M>
#K = #cleave.axes<K>
#Ki_S = #cleave.axes<Ki, S>
#s = #cleave.axes<>

// A contraction starts from zero and rounds what is wider than its operands.
// CHECK: #[[$MK:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK: #[[$KN:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK: #[[$MN:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func.func @product(
// CHECK-SAME: %[[X:.*]]: tensor<?x8xf32>, %[[W:.*]]: tensor<8x4xf16>) -> tensor<?x4xf32>
// CHECK: %[[M:.*]] = tensor.dim %[[X]]
// CHECK: %[[H:.*]] = linalg.generic {{.*}} ins(%[[X]] : tensor<?x8xf32>) outs({{.*}} : tensor<?x8xf16>)
// CHECK: arith.truncf
// CHECK: %[[E:.*]] = tensor.empty(%[[M]]) : tensor<?x4xf32>
// CHECK: %[[Z:.*]] = linalg.fill ins({{.*}} : f32) outs(%[[E]] : tensor<?x4xf32>)
// CHECK: %[[Y:.*]] = linalg.generic {indexing_maps = [#[[$MK]], #[[$KN]], #[[$MN]]], iterator_types = ["parallel", "parallel", "reduction"]}
// CHECK-SAME: ins(%[[H]], %[[W]] : tensor<?x8xf16>, tensor<8x4xf16>) outs(%[[Z]] : tensor<?x4xf32>)
// CHECK: arith.mulf
// CHECK: arith.addf
// CHECK: return %[[Y]]
func.func @product(%x: tensor<?x8xf32, #M_K> {cleave.name = "X", cleave.range = 2.0}, %w: tensor<8x4xf16, #K_N>) -> tensor<?x4xf32, #M_N> {
  %y = cleave.contract %x, %w over [K] : (tensor<?x8xf32, #M_K>, tensor<8x4xf16, #K_N>) -> tensor<?x4xf32, #M_N>
  return %y : tensor<?x4xf32, #M_N>
}

// Only a returned value has a storage order; the rename costs nothing.
// CHECK-LABEL: func.func @order(
// CHECK: %[[T:.*]] = linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]} ins(%{{.*}} : tensor<?x8xf32>) outs(%{{.*}} : tensor<8x?xf32>)
// CHECK-NOT: linalg.generic
// CHECK: return %[[T]]
func.func @order(%x: tensor<?x8xf32, #M_K>) -> tensor<8x?xf32, #K_N> {
  %y = cleave.rename %x [M] to [N] : (tensor<?x8xf32, #M_K>) -> tensor<8x?xf32, #K_N>
  return %y : tensor<8x?xf32, #K_N>
}

// The states of a fold are whole reductions, one after another.
// CHECK-LABEL: func.func @states(
// CHECK: %[[LOW:.*]] = arith.constant 0xFF800000 : f32
// CHECK: linalg.fill ins(%[[LOW]]
// CHECK: %[[MAX:.*]] = linalg.generic
// CHECK: arith.maximumf
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[MAX]] :
// CHECK: arith.subf
// CHECK: math.exp
// CHECK: %[[SUM:.*]] = linalg.generic
// CHECK: arith.addf
// CHECK: return %[[MAX]], %[[SUM]]
func.func @states(%x: tensor<?x8xf32, #M_K>) -> (tensor<?xf32, #M>, tensor<?xf32, #M>) {
  %m, %l = cleave.fold over [K] ins(%x : tensor<?x8xf32, #M_K>)
    reduce_max body {
    ^bb0(%z: tensor<?x8xf32, #M_K>):
      cleave.yield %z : tensor<?x8xf32, #M_K>
    } rebase {
    }
    reduce_sum body {
    ^bb0(%z: tensor<?x8xf32, #M_K>, %a: tensor<?xf32, #M>):
      %d = cleave.sub %z, %a : (tensor<?x8xf32, #M_K>, tensor<?xf32, #M>) -> tensor<8x?xf32, #K_M>
      %p = cleave.exp %d : (tensor<8x?xf32, #K_M>) -> tensor<8x?xf32, #K_M>
      cleave.yield %p : tensor<8x?xf32, #K_M>
    } rebase {
    ^bb0(%m0: tensor<?xf32, #M>, %s: tensor<?xf32, #M>, %m1: tensor<?xf32, #M>):
      cleave.yield %s : tensor<?xf32, #M>
    }
    -> (tensor<?xf32, #M>, tensor<?xf32, #M>)
  return %m, %l : tensor<?xf32, #M>, tensor<?xf32, #M>
}

// Ten positions in four parts of three: two do not exist.
// The other run takes three parts of four.
// CHECK-LABEL: func.func @parts(
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<3x4xf32>)
// CHECK: arith.minui
// CHECK: tensor.extract
// CHECK: linalg.generic {{.*}}iterator_types = ["reduction", "reduction"]}
// CHECK: %[[IN:.*]] = arith.cmpi ult
// CHECK: arith.select %[[IN]]
// OTHER-LABEL: func.func @parts(
// OTHER: linalg.generic {{.*}} outs(%{{.*}} : tensor<4x3xf32>)
func.func @parts(%x: tensor<10xf32, #K>) -> tensor<f32, #s> attributes {cleave.symbols = #cleave.symbols<S: bound like 4>} {
  %v = cleave.split %x K into (S, Ki) : tensor<10xf32, #K> to tensor<?x?xf32, #Ki_S>
  %y = cleave.reduce_sum %v over [Ki, S] : (tensor<?x?xf32, #Ki_S>) -> tensor<f32, #s>
  return %y : tensor<f32, #s>
}

// Parts that are all full need no mask.
// CHECK-LABEL: func.func @full_parts(
// CHECK-NOT: arith.select
// CHECK: return
func.func @full_parts(%x: tensor<12xf32, #K>) -> tensor<f32, #s> attributes {cleave.symbols = #cleave.symbols<S: bound like 4>} {
  %v = cleave.split %x K into (S, Ki) : tensor<12xf32, #K> to tensor<?x?xf32, #Ki_S>
  %y = cleave.reduce_sum %v over [Ki, S] : (tensor<?x?xf32, #Ki_S>) -> tensor<f32, #s>
  return %y : tensor<f32, #s>
}

// CHECK-LABEL: func.func @variants(
// CHECK: math.exp
// OTHER-LABEL: func.func @variants(
// OTHER-NOT: math.exp
// OTHER: math.sqrt
func.func @variants(%x: tensor<?xf32, #K>) -> tensor<?xf32, #K> {
  %y = cleave.alternatives {
    %a = cleave.exp %x : (tensor<?xf32, #K>) -> tensor<?xf32, #K>
    cleave.yield %a : tensor<?xf32, #K>
  }, {
    %a = cleave.sqrt %x : (tensor<?xf32, #K>) -> tensor<?xf32, #K>
    cleave.yield %a : tensor<?xf32, #K>
  } : tensor<?xf32, #K>
  return %y : tensor<?xf32, #K>
}

// Another dialect's functions stay.
// CHECK-LABEL: func.func private @plain(%{{.*}}: tensor<?xf32>) -> tensor<?xf32>
func.func private @plain(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}
