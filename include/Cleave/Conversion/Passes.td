//===- Passes.td - Conversion passes -----------------------*- tablegen -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_CONVERSION_PASSES_TD
#define CLEAVE_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def VectorizeTilesPass
    : Pass<"cleave-vectorize-tiles", "::mlir::ModuleOp"> {
  let summary = "Outline kernels of the scheduled form and vectorize them";
  let description = [{
    Input: functions in the scheduled form (docs/scheduled-form.md). Functions
    without a top-level `scf.forall` are left alone, but where no result has
    elements, by their types: nothing writes these.

    Each top-level `scf.forall` becomes a kernel `gpu.func`, the function
    becomes the host form. In the kernel every tile tensor is one vector, each
    dimension rounded up to a power of two; where a tile may be smaller than
    its vector, loads and stores are masked, and reductions select their unit.

    ```mlir
    %xt = tensor.extract_slice %x[%i, %k] [%tm, 64] [1, 1]
        : tensor<?x4096xf16> to tensor<?x64xf16>
    // becomes
    %mask = vector.create_mask %tm, %c64 : vector<16x64xi1>
    %xt = vector.transfer_read %x[%i, %k], %zero, %mask
        {in_bounds = [true, true]} : memref<?x4096xf16>, vector<16x64xf16>
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::cleave::tile::CleaveTileDialect",
    "::mlir::gpu::GPUDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def AssumeRowsPass : Pass<"cleave-assume-rows", "::mlir::gpu::GPUFuncOp"> {
  let summary = "Take rows of a dynamic length for whole vectors";
  let description = [{
    Input: a kernel in the vector form. Accesses of 16 bytes need rows that start
    at 16 bytes. Where the length of a tensor's rows is dynamic, the tensor and
    the extents that tiles of it start and end at get the attribute
    `cleave.row_multiple`: layouts and rings are made for accesses of so many
    elements. The kernel checks it, and reads element by element where it is not
    so.

    ```mlir
    gpu.func @f(%x: memref<?x?xf16> {cleave.row_multiple = 8},
                %n: index {cleave.row_multiple = 8}) kernel {
    ```
  }];
}

def StageTilesPass : Pass<"cleave-stage-tiles", "::mlir::gpu::GPUFuncOp"> {
  let summary = "Load a loop's tiles through a ring in shared memory";
  let description = [{
    For kernels in the vector form with `cleave.stages` S of 2 or more: the reads
    of an innermost loop that depend on its induction variable alone become
    asynchronous copies (`cp.async`) to a ring of S slots, S - 1 iterations ahead
    of their use. Reads that cannot be copied so (less than 4 aligned bytes at a
    time, a general mask, another padding than 0) stay.

    ```mlir
    scf.for %k = %c0 to %n step %c64 iter_args(%acc = %a) {
      %x = vector.transfer_read %p[%i, %k], ...
      // use of %x
    // becomes, for S = 2
    %ring = cleave_tile.ring : memref<2x16x64xf16, #gpu.address_space<workgroup>>
    %x0 = vector.transfer_read %p[%i, %c0], ...
    cleave_tile.fetch %x0, %ring[%c0] phase 0
    nvvm.cp.async.commit.group
    scf.for %k = %c0 to %n step %c64 iter_args(%acc = %a, %slot = %c0) {
      nvvm.cp.async.wait.group 0
      gpu.barrier
      scf.if %more {
        %x1 = vector.transfer_read %p[%i, %k + 64], ...
        cleave_tile.fetch %x1, %ring[%other] phase 1
      }
      nvvm.cp.async.commit.group
      %x = cleave_tile.read %ring[%slot]
      // use of %x
    }
    nvvm.cp.async.wait.group 0
    memref.dealloc %ring
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::cleave::tile::CleaveTileDialect", "::mlir::gpu::GPUDialect",
    "::mlir::memref::MemRefDialect", "::mlir::NVVM::NVVMDialect",
    "::mlir::scf::SCFDialect"
  ];
}

def PrefetchTilesPass : Pass<"cleave-prefetch-tiles", "::mlir::gpu::GPUFuncOp"> {
  let summary = "Load a loop's tiles an iteration ahead";
  let description = [{
    For kernels in the vector form with `cleave.stages` S of 2 or more: the reads
    of an innermost loop that depend on its induction variable alone are issued
    S - 1 iterations before their use and carried to it in registers, or one
    iteration where `cleave-stage-tiles` has taken others. Reads past the last
    iteration are masked. With one stage, they are issued one iteration
    ahead if they and the loop's states fit in `free-bytes` a thread.

    ```mlir
    scf.for %k = %c0 to %n step %c64 iter_args(%acc = %a) {
      %x = vector.transfer_read %p[%i, %k], ...
      // use of %x
    // becomes
    %x0 = vector.transfer_read %p[%i, %c0], ...
    scf.for %k = %c0 to %n step %c64 iter_args(%acc = %a, %x = %x0) {
      %x1 = vector.transfer_read %p[%i, %k + 64], ...
      // use of %x
    ```
  }];
  let options = [
    Option<"freeBytes", "free-bytes", "int64_t", /*default=*/"0",
           "registers in bytes a thread that may be taken without being asked">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

def ScaleExponentsPass
    : Pass<"cleave-scale-exponents", "::mlir::gpu::GPUFuncOp"> {
  let summary = "Turn exp of a difference into exp2 of one multiply-add";
  let description = [{
    For kernels in the vector form: in exp(x - y) where y repeats a smaller tile
    (the maximum of a row), y is scaled by log2(e) before it is repeated.
    Where |y| is at least 2^27 the factor is 1 instead: the rounding of the
    product would be an exponent of its own, and differences there are 0 or at
    least 16. In exp(min(y - z, 0)), where y is a loop's state and z what it
    becomes, both are scaled like that: their rounding is in the loop's sums.

    ```mlir
    %d = arith.subf %x, %rows : vector<128x64xf32>
    %e = math.exp %d : vector<128x64xf32>
    // becomes
    %x1 = math.fma %x, %factors, %shifts : vector<128x64xf32>
    %e = math.exp2 %x1 : vector<128x64xf32>
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def SkipRescalingPass
    : Pass<"cleave-skip-rescaling", "::mlir::gpu::GPUFuncOp"> {
  let summary = "Let sums of exponentials keep a reference that is near";
  let description = [{
    For kernels in the vector form: a loop whose state y is the maximum of rows,
    and which multiplies other states by exp(old y - new y), keeps its y while the
    maximum is not beyond it by more than 5.5. The factors are then 1, and a thread
    goes around such products (`cleave_tile.rescale`). Only where it has 128 values
    or more, and where nothing that leaves the loop tells which y that was: the
    sums are divided by each other, or y is added to the logarithm of one.

    ```mlir
    %new = vector.multi_reduction <maximumf>, %x, %old [1]
    // becomes
    %most = vector.multi_reduction <maximumf>, %x, %old [1]
    %beyond = arith.subf %most, %old : vector<128xf32>
    %far = arith.cmpf ugt, %beyond, %limit : vector<128xf32>
    %new = arith.select %far, %most, %old : vector<128xi1>, vector<128xf32>
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cleave::tile::CleaveTileDialect"
  ];
}

def VersionLoopsPass : Pass<"cleave-version-loops", "::mlir::gpu::GPUFuncOp"> {
  let summary = "Give iterations on whole tiles a body without masks";
  let description = [{
    For kernels in the vector form: where an innermost loop selects by masks of
    sizes (`vector.create_mask`) or by comparisons of positions that are monotone
    along a tile (`vector.step`, sums, differences, casts), an iteration for which
    all of them are true everywhere takes a copy of the body without them. What
    starts copies and waits for them stays in front of both. A loop with a state
    that is only accumulated stays as it is: `cleave-distribute` keeps such states
    in parts.

    ```mlir
    %m = vector.create_mask %c128, %size : vector<128x64xi1>
    %y = arith.select %m, %x, %unit : vector<128x64xi1>, vector<128x64xf32>
    // use of %y
    // becomes
    %whole = arith.cmpi sge, %size, %c64 : index
    scf.if %whole {
      // use of %x
    } else {
      // as it was
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def PipelineFragmentsPass
    : Pass<"cleave-pipeline-fragments", "::mlir::gpu::GPUFuncOp"> {
  let summary = "Read the operands of products a slice ahead";
  let description = [{
    Input: a kernel after `cleave-stage-tiles`. A loop whose contractions only
    accumulate, on tiles from rings and what is cheaply made of them, multiplies
    slices of 16 along K. While one is multiplied the next one is read, the
    first one of an iteration in the iteration before: the wait and the barrier
    move there. Registers hold two slices instead of whole tiles. Loops in which
    warps split K, or that may have no iteration, are not read ahead: their
    products are cut where they stand. There the left side may be what other
    warps have made, a product of more warps than rows or an exponential: it
    goes through a slot of shared memory first.

    ```mlir
    nvvm.cp.async.wait.group 1
    gpu.barrier
    %a0 = cleave_tile.read %ring[%c0] {offsets = array<i64: 0, 0>}
    scf.for ... iter_args(%acc = %c, %slot = %c0, %a = %a0, ...) {
      %a1 = cleave_tile.read %ring[%slot] {offsets = array<i64: 0, 16>}
      %acc1 = vector.contract %a, ...
      // copies of later tiles
      nvvm.cp.async.wait.group 1
      gpu.barrier
      %a2 = cleave_tile.read %ring[%next] {offsets = array<i64: 0, 0>, phase = 1}
      %acc2 = vector.contract %a1, ...
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cleave::tile::CleaveTileDialect",
    "::mlir::memref::MemRefDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def LowerGPUMathPass : Pass<"cleave-lower-gpu-math", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Lower f32 functions to single GPU instructions";
  let description = [{
    f16 products that are rounded to f16 lose their way through f32, which is
    exact. exp, exp2, log, log2, rsqrt and division become the `.approx` or `.full`
    instructions (at most a few ulp; infinities, NaN and 0 are exact), sqrt,
    abs, fma, floor, ceil and copysign LLVM intrinsics, tanh and erf
    polynomials, of one element of a vector after the other. What is left is a
    library call after convert-gpu-to-nvvm.

    ```mlir
    %e = math.exp %x : f32
    // becomes
    %s = arith.mulf %x, %log2e : f32
    %e = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"(%s) : (f32) -> f32
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::math::MathDialect", "::mlir::vector::VectorDialect"
  ];
}

def LowerArrivalsPass : Pass<"cleave-lower-arrivals", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Count the blocks that arrive, and let the last one go on";
  let description = [{
    Input: kernels of plain control flow (after `convert-scf-to-cf`). Each
    `cleave_tile.arrive` becomes a count by the block's first thread, between
    fences of the device, and a vote that tells all of its threads whether
    theirs is the last block. The count wraps to 0 with the last one, for the
    next launch.

    ```mlir
    cleave_tile.arrive %counters[%tile] of %blocks stages 1 : memref<?xi32>
    // becomes
      gpu.barrier
      cf.cond_br %isThread0, ^ticket, ^vote(%false)
    ^ticket:
      llvm.fence syncscope("device") acq_rel
      %n = llvm.atomicrmw uinc_wrap %counter, %last syncscope("device") monotonic
      llvm.fence syncscope("device") acq_rel
      %mine = arith.cmpi eq, %n, %last : i32
      cf.br ^vote(%mine)
    ^vote(%m: i1):
      %any = nvvm.barrier #nvvm.reduction<or> %m32 -> i32
      cf.cond_br %isLast, ^rest, ^end
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::gpu::GPUDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::memref::MemRefDialect", "::mlir::NVVM::NVVMDialect"
  ];
}

def LowerGPUVectorsPass
    : Pass<"cleave-lower-gpu-vectors", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Take vectors apart that convert-gpu-to-nvvm cannot";
  let description = [{
    What `convert-vector-to-llvm` does before its conversion. That pass itself
    does not know the GPU's memory spaces.

    Then parts and elements of a vector are read where they were made, rather
    than from what they were put together to: LLVM goes through all elements of
    a wide vector for each part that is put in or taken out, which was a third
    of its time.
    ```mlir
    %tile = vector.shuffle %a, %b [0, 1, 2, 3] : vector<2xf16>, vector<2xf16>
    %part = vector.shuffle %tile, %tile [2, 3] : vector<4xf16>, vector<4xf16>
    ```
    is `%b`.
  }];
  let dependentDialects = ["::mlir::vector::VectorDialect"];
}

def FlattenKernelParamsPass
    : Pass<"cleave-flatten-kernel-params", "::mlir::ModuleOp"> {
  let summary = "Pass memrefs as a pointer and their dynamic sizes";
  let description = [{
    Replaces the memref descriptors among the parameters of kernels in LLVM:
    for each memref operand of a launch the kernel takes one pointer, then one
    i64 a dynamic dimension. Memrefs have the identity layout, are aligned to
    16 bytes and do not overlap one that the kernel writes.

    An op of another dialect that is left in a kernel is an error: the
    conversions before this pass leave alone what they do not know.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def AttachTargetPass : Pass<"cleave-attach-target", "::mlir::ModuleOp"> {
  let summary = "Give each gpu.module its NVVM target";
  let options = [
    Option<"chip", "chip", "std::string", [{"sm_80"}],
           "The GPU: sm_80 or sm_90a">
  ];
  let dependentDialects = ["::mlir::NVVM::NVVMDialect"];
}

def SerializeKernelsPass
    : Pass<"cleave-serialize-kernels", "::mlir::ModuleOp"> {
  let summary = "Compile each gpu.module to a gpu.binary";
  let description = [{
    As `gpu-module-to-binary`, but equal kernels give equal IR, and a missing
    or failing ptxas is an error. ptxas is looked for in PATH and CUDA_HOME.
    Modules are compiled at one time, as far as the context has threads.
  }];
  let options = [
    Option<"format", "format", "std::string", [{"bin"}],
           "bin (a cubin), isa (PTX text), fatbin, llvm (bitcode)">
  ];
  let dependentDialects = ["::mlir::gpu::GPUDialect"];
}

def AssignLayoutsPass : Pass<"cleave-assign-layouts", "::mlir::gpu::GPUFuncOp"> {
  let summary = "Give every tile value of a kernel a layout";
  let description = [{
    Input: a kernel on vectors of block tile shape (sizes are powers of two),
    with `cleave.warps` on the `gpu.func`. Every op that makes such a vector
    gets the attribute `cleave_tile.layout`; where an op needs an operand in
    another layout than the one it was made in, `cleave_tile.convert_layout`
    stands in between.

    Contractions (tensor core fragments) and memory accesses (coalesced) have
    layouts of their own; all other values take their neighbours', inner loops
    first. Constants, masks and small loads are made again in each layout that
    asks for them; a conversion moves up through casts and broadcasts where that
    moves fewer bytes.
  }];
  let dependentDialects = ["::mlir::cleave::tile::CleaveTileDialect"];
}

def DistributePass : Pass<"cleave-distribute", "::mlir::gpu::GPUFuncOp"> {
  let summary = "Replace tile values by what one thread holds";
  let description = [{
    Input: a kernel after `cleave-assign-layouts`. Each vector of block shape
    becomes a 1-d vector of the thread's registers. Memory accesses become
    vector loads and stores of up to 16 bytes where alignment is provable, under
    predicates where the tile may reach past its bounds; contractions become
    `nvvm.mma.sync`; reductions and conversions between layouts go through
    registers, shuffles and shared memory. The kernel's shared memory is one
    workgroup attribution.

    Shared memory accesses are not ordered yet: `cleave-insert-barriers` follows.
    Pointers of memrefs are assumed to be aligned to 16 bytes, which the
    launcher guarantees.
  }];
  let options = [
    Option<"maxSharedBytes", "max-shared-bytes", "int64_t", /*default=*/"0",
           "shared memory that a block may use (0: what the target has)">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::gpu::GPUDialect", "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::NVVM::NVVMDialect",
    "::mlir::nvgpu::NVGPUDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def InsertBarriersPass : Pass<"cleave-insert-barriers", "::mlir::gpu::GPUFuncOp"> {
  let summary = "Order shared memory accesses with the fewest barriers";
  let description = [{
    Puts a `gpu.barrier` in front of each access of workgroup memory that may
    touch bytes which another thread accessed since the last barrier, one of
    both writing: read after write, write after read (also of the previous
    iteration of a loop) and write after write. Ranges of bytes are told apart
    where they come from constant `memref.view`s of one buffer.
  }];
  let dependentDialects = ["::mlir::gpu::GPUDialect"];
}

def ShareLaunchesPass : Pass<"cleave-share-launches", "::mlir::ModuleOp"> {
  let summary = "Put kernels that do not depend on each other in one launch";
  let description = [{
    Input: distributed kernels (`gpu.func`) and their launches. A kernel with
    `cleave.beside` (from the scheduled form) shares the launch of the one in
    front: the grid is as large as both grids together, and a block does what a
    block of the one or the other did. Both have the same number of warps.

    ```mlir
    gpu.launch_func @m::@f_0 blocks in (%n0, ..) threads in (%c128, ..) args(..)
    gpu.launch_func @m::@f_1 blocks in (%n1, ..) threads in (%c128, ..) args(..)
    // becomes, with `if blockIdx.x < n0` in the kernel
    gpu.launch_func @m::@f_0 blocks in (%sum, ..) threads in (%c128, ..) args(..)
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def SplitKernelsPass : Pass<"cleave-split-kernels", "::mlir::ModuleOp"> {
  let summary = "Give each kernel a module";
  let description = [{
    Input: kernels (`gpu.func`) and their launches. What follows works on
    modules, several at a time. Of equal kernels only the first is left. Modules
    that hold anything else stay as they are.

    ```mlir
    gpu.module @m { gpu.func @f_0 .. gpu.func @f_1 .. }
    // becomes
    gpu.module @m { gpu.func @f_0 .. }
    gpu.module @m_0 { gpu.func @f_1 .. }
    ```
  }];
  let dependentDialects = ["::mlir::gpu::GPUDialect"];
}

def UseDynamicSharedPass
    : Pass<"cleave-use-dynamic-shared", "::mlir::ModuleOp"> {
  let summary = "Get shared memory beyond 48 KiB at the launch";
  let description = [{
    Input: kernels in LLVM. Shared memory that exceeds the static limit becomes
    an external array without a size, and the kernel's launches say how many
    bytes they bring. `nvvm.minctasm` tells ptxas how many blocks of that size
    a multiprocessor holds.

    ```mlir
    gpu.launch_func @m::@f blocks in (...) threads in (...)
        dynamic_shared_memory_size %c65536_i32 args(...)
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def OverlapLaunchesPass
    : Pass<"cleave-overlap-launches", "::mlir::ModuleOp"> {
  let summary = "Let kernels start while the ones before them end";
  let description = [{
    Input: kernels in LLVM, with a target of sm_90 or later. Each waits for the
    grids before it where it first may touch memory, and lets the next one start
    where it stores results: that one's launch and its addresses cost no time
    then. Launches that may do so carry `cleave.overlap`; launched in any other
    way the kernels are as right. Source: PTX ISA, griddepcontrol; CUDA programming guide,
    programmatic dependent launch.

    ```mlir
    llvm.inline_asm has_side_effects "griddepcontrol.wait;", "~{memory}" : () -> ()
    ...
    nvvm.griddepcontrol launch_dependents
    llvm.store %y, %q : f32, !llvm.ptr
    ...
    gpu.launch_func @m::@f blocks in (...) threads in (...) args(...) {cleave.overlap}
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
                           "::mlir::NVVM::NVVMDialect"];
}

#endif // CLEAVE_CONVERSION_PASSES_TD
