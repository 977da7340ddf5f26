//===- Pipelines.cpp - From cleave input to an end state ------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One page that shows the compiler's stages; each can be stopped at and entered
// again from its printed IR.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Transforms/Pipelines.h"
#include "Cleave/Conversion/Pipelines.h"
#include "Cleave/Transforms/Passes.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/BufferizationToMemRef/BufferizationToMemRef.h"
#include "mlir/Conversion/ConvertToLLVM/ToLLVMPass.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/Transforms/RequestCWrappers.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::cleave;

static void addCleanup(OpPassManager &pm) {
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

void cleave::buildCleavePhases(OpPassManager &pm,
                               const CompileOptions &options) {
  // What to compute: equal graphs, the best first.
  if (options.noAlgebra) {
    pm.addPass(createCleaveExpandPass());
  } else {
    CleaveAlgebraPassOptions algebra;
    algebra.k = options.k;
    algebra.numerics = options.numerics;
    algebra.rules.assign(options.rules.begin(), options.rules.end());
    pm.addNestedPass<func::FuncOp>(createCleaveAlgebraPass(algebra));
  }
  // How: one of them as loops over tiles.
  CleaveSchedulePassOptions schedule;
  schedule.representative = options.representative;
  schedule.target = options.chip;
  schedule.noAlgebra = options.noAlgebra;
  schedule.noHorizontal = options.noHorizontal;
  schedule.noSplit = options.noSplit;
  schedule.noIterativeTiling = options.noIterativeTiling;
  schedule.tuningTable = options.tuningTable;
  pm.addPass(createCleaveSchedulePass(schedule));
}

void cleave::buildCleaveToLoopsPipeline(OpPassManager &pm,
                                        const CompileOptions &options) {
  buildCleavePhases(pm, options);
  // No CSE before results have buffers: two accumulators of one shape would
  // become one value, and that one the first result's place.
  pm.addNestedPass<func::FuncOp>(createCanonicalizerPass());
  // Results are computed where the caller wants them.
  pm.addNestedPass<func::FuncOp>(createCleaveResultsToOutParamsPass());
  pm.addPass(bufferization::createEmptyTensorEliminationPass());
  bufferization::OneShotBufferizePassOptions bufferize;
  bufferize.bufferizeFunctionBoundaries = true;
  // A fold's step needs the old maximum beside the new one.
  bufferize.allowReturnAllocsFromLoops = true;
  bufferize.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  pm.addPass(bufferization::createOneShotBufferizePass(bufferize));
  // Copies of a buffer to itself go once both sides are seen to be equal.
  OpPassManager &functions = pm.nest<func::FuncOp>();
  addCleanup(functions);
  functions.addPass(createCanonicalizerPass());
  functions.addPass(createCleaveInterchangeGenericsPass());
  functions.addPass(createConvertLinalgToLoopsPass());
  functions.addPass(createForallToForLoopPass());
  // Tiles of one size in every step are allocated once.
  functions.addPass(bufferization::createBufferHoistingPass());
  functions.addPass(bufferization::createBufferLoopHoistingPass());
  addCleanup(functions);
}

void cleave::buildCleaveLoopsToLLVMPipeline(OpPassManager &pm) {
  bufferization::BufferDeallocationPipelineOptions deallocation;
  bufferization::buildBufferDeallocationPipeline(pm, deallocation);
  pm.addPass(createConvertBufferizationToMemRefPass());
  pm.addNestedPass<func::FuncOp>(LLVM::createLLVMRequestCWrappersPass());
  pm.addNestedPass<func::FuncOp>(createCleaveLowerExpansionsPass());
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createCleaveExpandBFloat16Pass());
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createConvertMathToLibmPass());
  pm.addPass(createConvertToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  pm.addNestedPass<LLVM::LLVMFuncOp>(createCleaveBFloat16AsBitsPass());
}

void cleave::buildCleaveToGPUPipeline(OpPassManager &pm,
                                      const CompileOptions &options) {
  buildCleavePhases(pm, options);
  TilesToGPUOptions gpu;
  gpu.chip = options.chip;
  buildTilesToGPUPipeline(pm, gpu);
}

void cleave::buildCleaveToCubinPipeline(OpPassManager &pm,
                                        const CompileOptions &options) {
  buildCleavePhases(pm, options);
  TilesToCubinOptions gpu;
  gpu.chip = options.chip;
  gpu.format = options.format;
  buildTilesToCubinPipeline(pm, gpu);
}

void cleave::registerCleavePipelines() {
  PassPipelineRegistration<CompileOptions>(
      "cleave-to-loops",
      "Compile cleave functions to scf and memref, for a CPU",
      buildCleaveToLoopsPipeline);
  PassPipelineRegistration<>("cleave-loops-to-llvm",
                             "Lower the result of cleave-to-loops to LLVM",
                             buildCleaveLoopsToLLVMPipeline);
  PassPipelineRegistration<CompileOptions>(
      "cleave-to-gpu", "Compile cleave functions to kernels in NVVM",
      buildCleaveToGPUPipeline);
  PassPipelineRegistration<CompileOptions>(
      "cleave-to-cubin", "Compile cleave functions to a gpu.binary",
      buildCleaveToCubinPipeline);
}
