//===- Pipelines.h - From cleave input to an end state ----------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The whole compiler, both phases included. Pipelines are named by the state
// that they end in.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_TRANSFORMS_PIPELINES_H
#define CLEAVE_TRANSFORMS_PIPELINES_H

#include "Cleave/Transforms/Algebra/Numerics.h"
#include "mlir/Pass/PassOptions.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace mlir::cleave {

/// What both phases can be told.
struct CompileOptions : PassPipelineOptions<CompileOptions> {
  PassOptions::Option<std::string> representative{
      *this, "representative",
      llvm::cl::desc(
          "Extents that schedules are chosen for, e.g. M=16|2048,K=4096")};
  PassOptions::Option<std::string> chip{
      *this, "chip", llvm::cl::desc("The GPU: sm_80 or sm_90a"),
      llvm::cl::init("sm_90a")};
  PassOptions::Option<unsigned> k{
      *this, "k", llvm::cl::desc("Number of alternatives"), llvm::cl::init(4)};
  PassOptions::Option<Numerics> numerics{
      *this, "numerics", llvm::cl::desc("What rewrites may rest on"),
      llvm::cl::values(
          clEnumValN(Numerics::Strict, "strict",
                     "never make safe numbers unsafe"),
          clEnumValN(Numerics::Real, "real", "compute as with real numbers")),
      llvm::cl::init(Numerics::Strict)};
  PassOptions::ListOption<std::string> rules{
      *this, "rules",
      llvm::cl::desc("Files with more rules, as mlir-pdll writes them")};
  PassOptions::Option<bool> noAlgebra{
      *this, "no-algebra",
      llvm::cl::desc("Schedule the graph as it was written"),
      llvm::cl::init(false)};
  PassOptions::Option<bool> noHorizontal{
      *this, "no-horizontal",
      llvm::cl::desc("Give every reduction a loop of its own"),
      llvm::cl::init(false)};
  PassOptions::Option<bool> noSplit{*this, "no-split",
                                    llvm::cl::desc("Reduce in one part"),
                                    llvm::cl::init(false)};
  PassOptions::Option<bool> noIterativeTiling{
      *this, "no-iterative-tiling",
      llvm::cl::desc("Reduce whole axes in one step, not in tiles"),
      llvm::cl::init(false)};
  PassOptions::Option<std::string> tuningTable{
      *this, "tuning-table",
      llvm::cl::desc("A file of measured schedules, which go before the "
                     "model's choice")};
  PassOptions::Option<std::string> format{
      *this, "format",
      llvm::cl::desc("cleave-to-cubin: bin (a cubin), isa (PTX text), fatbin, "
                     "llvm (bitcode)"),
      llvm::cl::init("bin")};
};

/// Both phases: from cleave functions to the scheduled form.
void buildCleavePhases(OpPassManager &pm, const CompileOptions &options);

/// To scf and memref: results are trailing arguments, tiles are buffers.
void buildCleaveToLoopsPipeline(OpPassManager &pm,
                                const CompileOptions &options);

/// From there to LLVM, for the JIT. Frees what the loops allocate.
void buildCleaveLoopsToLLVMPipeline(OpPassManager &pm);

/// To kernels in NVVM and the host form.
void buildCleaveToGPUPipeline(OpPassManager &pm, const CompileOptions &options);

/// To a gpu.binary and the host form.
void buildCleaveToCubinPipeline(OpPassManager &pm,
                                const CompileOptions &options);

/// Registers cleave-to-loops, cleave-loops-to-llvm, cleave-to-gpu and
/// cleave-to-cubin.
void registerCleavePipelines();

} // namespace mlir::cleave

#endif // CLEAVE_TRANSFORMS_PIPELINES_H
