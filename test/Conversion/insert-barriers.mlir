// RUN: cleave-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(cleave-insert-barriers)))' --split-input-file --verify-diagnostics | FileCheck %s

#ws = #gpu.address_space<workgroup>
gpu.module @m {
  // The loop's own barrier also keeps the next store behind this load.
  // CHECK-LABEL: gpu.func @two_buffers_in_a_loop
  gpu.func @two_buffers_in_a_loop(%out: memref<64xf32>) workgroup(%s: memref<1024xi8, #ws>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c512 = arith.constant 512 : index
    %v = arith.constant dense<0.0> : vector<1xf32>
    %t = gpu.thread_id x
    %a = memref.view %s[%c0][] : memref<1024xi8, #ws> to memref<64xf32, #ws>
    %b = memref.view %s[%c512][] : memref<1024xi8, #ws> to memref<64xf32, #ws>
    // CHECK: scf.for
    // CHECK-NEXT: vector.store %{{.*}}, %[[A:[a-z_0-9]+]]
    // CHECK-NEXT: gpu.barrier
    // CHECK-NEXT: vector.load %[[A]]
    // CHECK-NEXT: vector.store %{{.*}}, %[[B:[a-z_0-9]+]]
    // CHECK-NEXT: gpu.barrier
    // CHECK-NEXT: vector.load %[[B]]
    // CHECK-NEXT: vector.store
    // CHECK-NEXT: }
    scf.for %i = %c0 to %c8 step %c1 {
      vector.store %v, %a[%t] : memref<64xf32, #ws>, vector<1xf32>
      %x = vector.load %a[%i] : memref<64xf32, #ws>, vector<1xf32>
      vector.store %x, %b[%t] : memref<64xf32, #ws>, vector<1xf32>
      %y = vector.load %b[%i] : memref<64xf32, #ws>, vector<1xf32>
      vector.store %y, %out[%t] : memref<64xf32>, vector<1xf32>
    }
    gpu.return
  }

  // Alone in the loop, the load of one iteration meets the store of the next.
  // CHECK-LABEL: gpu.func @one_buffer_in_a_loop
  gpu.func @one_buffer_in_a_loop(%out: memref<64xf32>) workgroup(%s: memref<64xf32, #ws>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %v = arith.constant dense<0.0> : vector<1xf32>
    %t = gpu.thread_id x
    // CHECK: scf.for
    // CHECK-NEXT: gpu.barrier
    // CHECK-NEXT: vector.store
    // CHECK-NEXT: gpu.barrier
    // CHECK-NEXT: vector.load
    scf.for %i = %c0 to %c8 step %c1 {
      vector.store %v, %s[%t] : memref<64xf32, #ws>, vector<1xf32>
      %x = vector.load %s[%i] : memref<64xf32, #ws>, vector<1xf32>
      vector.store %x, %out[%t] : memref<64xf32>, vector<1xf32>
    }
    gpu.return
  }

  // What stands in front of a loop is waited for once, not in each iteration.
  // CHECK-LABEL: gpu.func @in_front_of_a_loop
  gpu.func @in_front_of_a_loop(%out: memref<64xf32>) workgroup(%s: memref<1024xi8, #ws>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c512 = arith.constant 512 : index
    %v = arith.constant dense<0.0> : vector<1xf32>
    %t = gpu.thread_id x
    %a = memref.view %s[%c0][] : memref<1024xi8, #ws> to memref<64xf32, #ws>
    %b = memref.view %s[%c512][] : memref<1024xi8, #ws> to memref<64xf32, #ws>
    // CHECK: vector.store
    // CHECK-NEXT: gpu.barrier
    // CHECK-NEXT: scf.for
    // CHECK-NEXT: vector.load
    // CHECK-NEXT: vector.store
    // CHECK-NEXT: gpu.barrier
    // CHECK-NEXT: vector.load
    // CHECK-NEXT: vector.store
    // CHECK-NEXT: gpu.barrier
    // CHECK-NEXT: }
    vector.store %v, %a[%t] : memref<64xf32, #ws>, vector<1xf32>
    scf.for %i = %c0 to %c8 step %c1 {
      %x = vector.load %a[%i] : memref<64xf32, #ws>, vector<1xf32>
      vector.store %x, %b[%t] : memref<64xf32, #ws>, vector<1xf32>
      gpu.barrier
      %y = vector.load %b[%i] : memref<64xf32, #ws>, vector<1xf32>
      vector.store %y, %out[%t] : memref<64xf32>, vector<1xf32>
      gpu.barrier
    }
    gpu.return
  }

  // Stores of one tile need none between them; those of two tiles do. One that
  // is there already is enough.
  // CHECK-LABEL: gpu.func @groups
  gpu.func @groups() workgroup(%s: memref<64xf32, #ws>) kernel {
    %c0 = arith.constant 0 : index
    %v = arith.constant dense<0.0> : vector<1xf32>
    %t = gpu.thread_id x
    // CHECK: vector.store
    // CHECK-NEXT: vector.store
    // CHECK-NEXT: gpu.barrier
    // CHECK-NEXT: vector.store
    // CHECK-NEXT: gpu.barrier
    // CHECK-NEXT: vector.load
    // CHECK-NEXT: gpu.return
    vector.store %v, %s[%t] {cleave_tile.group = 0 : i64} : memref<64xf32, #ws>, vector<1xf32>
    vector.store %v, %s[%c0] {cleave_tile.group = 0 : i64} : memref<64xf32, #ws>, vector<1xf32>
    vector.store %v, %s[%t] {cleave_tile.group = 1 : i64} : memref<64xf32, #ws>, vector<1xf32>
    gpu.barrier
    %x = vector.load %s[%t] : memref<64xf32, #ws>, vector<1xf32>
    gpu.return
  }

  // A block takes a branch on its number as a whole; what may be pending behind
  // it is what either side left.
  // CHECK-LABEL: gpu.func @branch
  gpu.func @branch(%n: index) workgroup(%s: memref<64xf32, #ws>) kernel {
    %v = arith.constant dense<0.0> : vector<1xf32>
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %last = arith.cmpi eq, %b, %n : index
    // CHECK: scf.if
    // CHECK-NEXT: vector.store
    // CHECK-NEXT: gpu.barrier
    // CHECK-NEXT: vector.load
    // CHECK: }
    // CHECK-NEXT: gpu.barrier
    // CHECK-NEXT: vector.store
    scf.if %last {
      vector.store %v, %s[%t] : memref<64xf32, #ws>, vector<1xf32>
      %x = vector.load %s[%n] : memref<64xf32, #ws>, vector<1xf32>
    }
    vector.store %v, %s[%t] : memref<64xf32, #ws>, vector<1xf32>
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>
gpu.module @m {
  gpu.func @divergent(%n: index) workgroup(%s: memref<64xf32, #ws>) kernel {
    %v = arith.constant dense<0.0> : vector<1xf32>
    %t = gpu.thread_id x
    %some = arith.cmpi slt, %t, %n : index
    scf.if %some {
      vector.store %v, %s[%t] : memref<64xf32, #ws>, vector<1xf32>
      // expected-error @below {{expected no conflicting shared memory access in a branch that threads may take differently}}
      %x = vector.load %s[%n] : memref<64xf32, #ws>, vector<1xf32>
    }
    gpu.return
  }
}
