//===- PrintLoopNest.cpp - Show the loops that a schedule makes -----------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: between the steps of scheduling, for people and tests. The function
// keeps no trace of it.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Conversion/CleaveToLinalg.h"
#include "Cleave/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::cleave {
#define GEN_PASS_DEF_CLEAVEPRINTLOOPNESTPASS
#include "Cleave/Transforms/Passes.h.inc"
} // namespace mlir::cleave

using namespace mlir;
using namespace mlir::cleave;

namespace {
struct CleavePrintLoopNestPass
    : cleave::impl::CleavePrintLoopNestPassBase<CleavePrintLoopNestPass> {
  using CleavePrintLoopNestPassBase::CleavePrintLoopNestPassBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (hasNamedAxes(function) && failed(print(function)))
      signalPassFailure();
  }

private:
  LogicalResult print(func::FuncOp function);
};
} // namespace

LogicalResult CleavePrintLoopNestPass::print(func::FuncOp function) {
  bool scheduled = function->hasAttr(CleaveDialect::kScheduleAttrName);
  if (!scheduled) {
    OpPassManager pipeline(func::FuncOp::getOperationName());
    pipeline.addPass(createCleaveAssignSchedulePass(
        {representative, target, noHorizontal, noAlgebra, noSplit,
         noIterativeTiling, tuningTable}));
    if (failed(runPipeline(pipeline, function)))
      return failure();
  }
  FailureOr<std::vector<ScheduledGraph>> graphs = getScheduledGraphs(function);
  if (!scheduled)
    function->removeAttr(CleaveDialect::kScheduleAttrName);
  if (failed(graphs))
    return failure();
  // One write, so that functions printed in parallel do not mix.
  std::string text;
  llvm::raw_string_ostream os(text);
  for (ScheduledGraph &graph : *graphs) {
    FailureOr<std::vector<schedule::LoopNest>> nests =
        planKernels(function, graph, !noHorizontal);
    if (failed(nests))
      return failure();
    os << "@" << function.getName();
    if (!graph.when.empty())
      os << " when " << getScheduleAttr(&getContext(), graph).describeWhen();
    else if (graphs->size() > 1)
      os << " otherwise";
    os << ", region " << graph.region << "\n";
    for (auto [number, nest] : llvm::enumerate(*nests)) {
      const schedule::ScheduledKernel &kernel = graph.kernels[number];
      std::string title = "kernel " + std::to_string(number);
      if (kernel.sharesLaunch())
        title += kernel.join ? " (join)" : " (beside)";
      schedule::printLoopNest(kernel.problem, kernel.schedule, nest, title, os);
    }
  }
  llvm::errs() << text;
  return success();
}
