//===- Pipelines.h - From the scheduled form to GPU code --------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: after scheduling. Pipelines are named by the state that they end in.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_CONVERSION_PIPELINES_H
#define CLEAVE_CONVERSION_PIPELINES_H

#include "mlir/Pass/PassOptions.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace mlir::cleave {

struct TilesToGPUOptions : PassPipelineOptions<TilesToGPUOptions> {
  PassOptions::Option<std::string> chip{
      *this, "chip", llvm::cl::desc("The GPU: sm_80 or sm_90a"),
      llvm::cl::init("sm_80")};
  PassOptions::Option<int64_t> prefetchBytes{
      *this, "prefetch-bytes",
      llvm::cl::desc("Registers in bytes a thread for a loop's states and "
                     "tiles that kernels of one stage load ahead; 0 for none"),
      llvm::cl::init(360)};
};

struct TilesToCubinOptions : TilesToGPUOptions {
  PassOptions::Option<std::string> format{
      *this, "format",
      llvm::cl::desc("bin (a cubin), isa (PTX text), fatbin, llvm (bitcode)"),
      llvm::cl::init("bin")};
};

/// From the scheduled form to kernels in NVVM, with a target, and the host
/// form.
void buildTilesToGPUPipeline(OpPassManager &pm,
                             const TilesToGPUOptions &options);

/// As above, then to a gpu.binary.
void buildTilesToCubinPipeline(OpPassManager &pm,
                               const TilesToCubinOptions &options);

/// Registers cleave-tiles-to-gpu and cleave-tiles-to-cubin.
void registerTilesToGPUPipelines();

} // namespace mlir::cleave

#endif // CLEAVE_CONVERSION_PIPELINES_H
