//===- Pipelines.cpp - From the scheduled form to GPU code ------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The GPU path's pipelines; each stage can be stopped at and re-entered from
// its printed IR.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Conversion/Pipelines.h"
#include "Cleave/Conversion/Passes.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/NVGPUToNVVM/NVGPUToNVVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

static void addCleanup(OpPassManager &pm) {
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

/// Tiles of a block to registers of its threads.
static void addDistributeTiles(OpPassManager &pm, int64_t prefetchBytes) {
  OpPassManager &kernels = pm.nest<gpu::GPUModuleOp>().nest<gpu::GPUFuncOp>();
  kernels.addPass(cleave::createAssumeRowsPass());
  kernels.addPass(cleave::createSkipRescalingPass());
  kernels.addPass(cleave::createScaleExponentsPass());
  kernels.addPass(cleave::createStageTilesPass());
  cleave::PrefetchTilesPassOptions prefetch;
  prefetch.freeBytes = prefetchBytes;
  kernels.addPass(cleave::createPrefetchTilesPass(prefetch));
  // Behind these, which look at loads in the loop itself.
  kernels.addPass(cleave::createVersionLoopsPass());
  // Of what the loops have by then; layouts know the slices only.
  kernels.addPass(cleave::createPipelineFragmentsPass());
  addCleanup(kernels);
  kernels.addPass(cleave::createAssignLayoutsPass());
  kernels.addPass(cleave::createDistributePass());
  addCleanup(kernels);
  // After the cleanup: loads that nobody uses need no barrier.
  kernels.addPass(cleave::createInsertBarriersPass());
}

/// The kernels of a gpu.module to LLVM with NVVM; hosts stay as they are.
static void addLowerKernels(OpPassManager &pm) {
  OpPassManager &kernels = pm.nest<gpu::GPUModuleOp>();
  // Upstream would turn these functions into library calls.
  kernels.addPass(cleave::createLowerGPUMathPass());
  kernels.addPass(createConvertNVGPUToNVVMPass());
  kernels.addPass(memref::createExpandStridedMetadataPass());
  kernels.addPass(createLowerAffinePass());
  kernels.addPass(createSCFToControlFlowPass());
  kernels.addPass(cleave::createLowerArrivalsPass());
  kernels.addPass(cleave::createLowerGPUVectorsPass());
  kernels.addPass(createConvertGpuOpsToNVVMOps());
  kernels.addPass(createReconcileUnrealizedCastsPass());
  // Both change launches and kernels together.
  pm.addPass(cleave::createFlattenKernelParamsPass());
  pm.addPass(cleave::createUseDynamicSharedPass());
  // Kernels side by side.
  addCleanup(pm.nest<gpu::GPUModuleOp>());
  addCleanup(pm.nest<func::FuncOp>());
  pm.addPass(cleave::createOverlapLaunchesPass());
}

void cleave::buildTilesToGPUPipeline(OpPassManager &pm,
                                     const TilesToGPUOptions &options) {
  // Equal tile sizes are recognised as equal values.
  pm.addPass(createCSEPass());
  pm.addPass(createVectorizeTilesPass());
  AttachTargetPassOptions target;
  target.chip = options.chip;
  pm.addPass(createAttachTargetPass(target));
  addCleanup(pm);
  addDistributeTiles(pm, options.prefetchBytes);
  pm.addPass(cleave::createShareLaunchesPass());
  pm.addPass(cleave::createSplitKernelsPass());
  addLowerKernels(pm);
}

void cleave::buildTilesToCubinPipeline(OpPassManager &pm,
                                       const TilesToCubinOptions &options) {
  buildTilesToGPUPipeline(pm, options);
  SerializeKernelsPassOptions serialize;
  serialize.format = options.format;
  pm.addPass(createSerializeKernelsPass(serialize));
}

void cleave::registerTilesToGPUPipelines() {
  PassPipelineRegistration<TilesToGPUOptions>(
      "cleave-tiles-to-gpu",
      "Lower the scheduled form to kernels in the NVVM dialect",
      buildTilesToGPUPipeline);
  PassPipelineRegistration<TilesToCubinOptions>(
      "cleave-tiles-to-cubin",
      "Lower the scheduled form to a gpu.binary and its host form",
      buildTilesToCubinPipeline);
}
