// RUN: cleave-opt --pass-pipeline="builtin.module(gpu.module(cleave-lower-arrivals))" %s | FileCheck %s

gpu.module @m {
  // CHECK-LABEL: gpu.func @arrive
  // CHECK-SAME:  (%[[C:[^:]*]]: memref<?xi32>, %[[T:[^:]*]]: index, %[[N:[^:]*]]: index, %[[Y:[^:]*]]: memref<1xf32>)
  // CHECK:         memref.store
  // CHECK:         gpu.barrier
  // CHECK:         %[[FIRST:.*]] = arith.cmpi eq, %{{.*}}, %{{.*}} : index
  // CHECK:         cf.cond_br %[[FIRST]], ^[[TICKET:.*]], ^[[VOTE:[^(]*]](%{{.*}} : i1)
  // CHECK:       ^[[TICKET]]:
  // CHECK:         memref.extract_aligned_pointer_as_index %[[C]]
  // CHECK:         %[[P:.*]] = llvm.inttoptr
  // CHECK:         %[[LAST:.*]] = arith.subi
  // CHECK:         llvm.fence syncscope("device") acq_rel
  // CHECK:         %[[OLD:.*]] = llvm.atomicrmw uinc_wrap %[[P]], %[[LAST]] syncscope("device") monotonic
  // CHECK:         llvm.fence syncscope("device") acq_rel
  // CHECK:         %[[MINE:.*]] = arith.cmpi eq, %[[OLD]], %[[LAST]]
  // CHECK:         cf.br ^[[VOTE]](%[[MINE]] : i1)
  // CHECK:       ^[[VOTE]](%[[V:.*]]: i1):
  // CHECK:         %[[V32:.*]] = arith.extui %[[V]]
  // CHECK:         nvvm.barrier #nvvm.reduction<or> %[[V32]]
  // CHECK:         cf.cond_br %{{.*}}, ^[[REST:.*]], ^[[END:.*]]
  // CHECK:       ^[[REST]]:
  // CHECK:         memref.store
  // CHECK:         gpu.return
  // CHECK:       ^[[END]]:
  // CHECK-NEXT:    gpu.return
  gpu.func @arrive(%counters: memref<?xi32>, %tile: index, %blocks: index, %y: memref<1xf32>) kernel {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1.0 : f32
    memref.store %one, %y[%c0] : memref<1xf32>
    cleave_tile.arrive %counters[%tile] of %blocks stages 1 : memref<?xi32>
    memref.store %one, %y[%c0] : memref<1xf32>
    gpu.return
  }
}
