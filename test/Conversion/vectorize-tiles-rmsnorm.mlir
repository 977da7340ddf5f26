// RMSNorm + linear: the whole of a host function and of a kernel.
// RUN: cleave-opt --cleave-vectorize-tiles --canonicalize --cse \
// RUN:   %S/Inputs/rmsnorm_linear.mlir | FileCheck %s

// CHECK: #[[TAIL:.*]] = affine_map<()[s0, s1] -> (16, s0 - s1)>
// CHECK-LABEL: func.func @rmsnorm_linear
// CHECK-SAME:  (%[[X:[^:]*]]: memref<?x4096xf16> {cleave.name = "X"}, %{{.*}}: memref<4096xf16> {cleave.name = "g"}, %{{.*}}: memref<4096x4096xf16> {cleave.name = "W"}, %[[Y:.*]]: memref<?x4096xf16> {cleave.name = "Y", cleave.result = 0 : i64})
// CHECK-DAG:   %[[C16:.*]] = arith.constant 16
// CHECK-DAG:   %[[C64:.*]] = arith.constant 64
// CHECK-DAG:   %[[C128:.*]] = arith.constant 128
// CHECK:       %[[M:.*]] = memref.dim %[[X]]
// CHECK:       %[[ROWS:.*]] = arith.ceildivui %[[M]], %[[C16]]
// CHECK:       %[[BLOCKS:.*]] = arith.muli %[[ROWS]], %[[C64]]
// CHECK:       gpu.launch_func @rmsnorm_linear_kernels::@rmsnorm_linear_0 blocks in (%[[BLOCKS]], %{{.*}}, %{{.*}}) threads in (%[[C128]]
// CHECK-NEXT:  return

// CHECK:       gpu.module @rmsnorm_linear_kernels
// CHECK:       gpu.func @rmsnorm_linear_0(%[[KM:[^:]*]]: index, %[[KX:[^:]*]]: memref<?x4096xf16>
// CHECK-SAME:    kernel attributes {cleave.stages = 1 : i64, cleave.warps = 4 : i64, known_block_size = array<i32: 128, 1, 1>}
// CHECK-DAG:   %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<16xf32>
// CHECK:       %[[ID:.*]] = gpu.block_id x
// CHECK:       arith.remui
// CHECK:       arith.divui
// CHECK:       %[[TM:.*]] = affine.min #[[TAIL]]
// CHECK:       %[[R:.*]]:2 = scf.for {{.*}} iter_args(%[[SQ:.*]] = %[[ZERO]], %[[ACC:.*]] = %{{.*}}) -> (vector<16xf32>, vector<16x64xf32>)
// CHECK:         %[[MASK:.*]] = vector.create_mask %[[TM]], %{{.*}} : vector<16x64xi1>
// CHECK:         %[[XT:.*]] = vector.transfer_read %[[KX]][{{.*}}], %{{.*}}, %[[MASK]] {in_bounds = [true, true]} : memref<?x4096xf16>, vector<16x64xf16>
// CHECK:         %[[GT:.*]] = vector.transfer_read {{.*}} {in_bounds = [true]} : memref<4096xf16>, vector<64xf16>
// CHECK:         %[[WT:.*]] = vector.transfer_read {{.*}} {in_bounds = [true, true]} : memref<4096x4096xf16>, vector<64x64xf16>
// CHECK:         vector.multi_reduction <add>, %{{.*}}, %[[SQ]] [1]
// CHECK:         vector.broadcast %{{.*}} : vector<64xf32> to vector<16x64xf32>
// CHECK:         %[[XG:.*]] = arith.truncf
// CHECK:         vector.contract {{.*}} %[[XG]], %[[WT]], %[[ACC]] : vector<16x64xf16>, vector<64x64xf16> into vector<16x64xf32>
// The norm's factor is one value a row.
// CHECK:       math.rsqrt %{{.*}} : vector<16xf32>
// CHECK:       vector.transfer_write {{.*}} : vector<16x64xf16>, memref<?x4096xf16>
// CHECK-NEXT:  gpu.return
