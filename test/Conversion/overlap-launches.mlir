// RUN: cleave-opt --cleave-overlap-launches %s | FileCheck %s

module attributes {gpu.container_module} {
  // CHECK-LABEL: func.func @host
  // CHECK:         gpu.launch_func @hopper::@straight {{.*}} {cleave.overlap}
  // CHECK:         gpu.launch_func @hopper::@straight {{.*}} {cleave.overlap}
  // CHECK:         gpu.launch_func @hopper::@branches {{.*}} {cleave.overlap}
  // CHECK:         gpu.launch_func @ampere::@straight
  // CHECK-NOT:     cleave.overlap
  // CHECK:         return
  func.func @host(%m: memref<4xf32>) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @hopper::@straight blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%m : memref<4xf32>)
    gpu.launch_func @hopper::@straight blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%m : memref<4xf32>)
    gpu.launch_func @hopper::@branches blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%m : memref<4xf32>)
    gpu.launch_func @ampere::@straight blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%m : memref<4xf32>)
    return
  }

  // The wait stands in front of the first access, behind what needs no memory;
  // once, however many launches there are. The next grid starts at the store.
  gpu.module @hopper [#nvvm.target<chip = "sm_90a">] {
    // CHECK-LABEL: llvm.func @straight
    // CHECK:         llvm.getelementptr
    // CHECK-NEXT:    llvm.inline_asm has_side_effects {{.*}} "griddepcontrol.wait;", "~{memory}"
    // CHECK-NEXT:    llvm.load
    // CHECK-NEXT:    nvvm.griddepcontrol launch_dependents
    // CHECK-NEXT:    llvm.store
    // CHECK-NOT:     griddepcontrol
    llvm.func @straight(%p: !llvm.ptr) attributes {gpu.kernel} {
      %q = llvm.getelementptr %p[1] : (!llvm.ptr) -> !llvm.ptr, f32
      %x = llvm.load %q : !llvm.ptr -> f32
      llvm.store %x, %p : f32, !llvm.ptr
      llvm.return
    }
    // Nobody may pass a branch without having waited. Stores in a loop and in
    // the branch behind it: in front of both.
    // CHECK-LABEL: llvm.func @branches
    // CHECK:         "griddepcontrol.wait;"
    // CHECK:         llvm.cond_br %{{.*}}, ^{{.*}}, ^[[BEFORE:bb[0-9]+]]
    // CHECK:       ^[[BEFORE]]:
    // CHECK-NEXT:    nvvm.griddepcontrol launch_dependents
    // CHECK-NEXT:    llvm.br ^[[LOOP:bb[0-9]+]]
    // CHECK:       ^[[LOOP]]:
    // CHECK:         llvm.cond_br %{{.*}}, ^[[LOOP]]
    // CHECK-NOT:     griddepcontrol
    llvm.func @branches(%p: !llvm.ptr, %q: !llvm.ptr<3>, %c: i1, %x: f32) attributes {gpu.kernel} {
      llvm.br ^first
    ^first:
      llvm.store %x, %q : f32, !llvm.ptr<3>
      llvm.cond_br %c, ^first, ^before
    ^before:
      llvm.br ^loop
    ^loop:
      llvm.store %x, %p : f32, !llvm.ptr
      llvm.cond_br %c, ^loop, ^behind
    ^behind:
      llvm.cond_br %c, ^then, ^exit
    ^then:
      llvm.store %x, %p : f32, !llvm.ptr
      llvm.br ^exit
    ^exit:
      llvm.return
    }
  }

  // CHECK-LABEL: gpu.module @ampere
  // CHECK-NOT:     griddepcontrol
  gpu.module @ampere [#nvvm.target<chip = "sm_80">] {
    llvm.func @straight(%p: !llvm.ptr) attributes {gpu.kernel} {
      llvm.return
    }
  }
}
