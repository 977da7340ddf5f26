//===- ApplySchedule.cpp - Turn a scheduled function into loops -----------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: scheduling, second step. After it no named axes are left: the function
// is in the scheduled form.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Conversion/CleaveToLinalg.h"
#include "Cleave/Transforms/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::cleave {
#define GEN_PASS_DEF_CLEAVEAPPLYSCHEDULEPASS
#include "Cleave/Transforms/Passes.h.inc"
} // namespace mlir::cleave

using namespace mlir;
using namespace mlir::cleave;

namespace {
struct CleaveApplySchedulePass
    : cleave::impl::CleaveApplySchedulePassBase<CleaveApplySchedulePass> {
  using CleaveApplySchedulePassBase::CleaveApplySchedulePassBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (hasNamedAxes(function) && failed(apply(function)))
      signalPassFailure();
  }

private:
  LogicalResult apply(func::FuncOp function) {
    FailureOr<std::vector<ScheduledGraph>> graphs =
        getScheduledGraphs(function);
    if (failed(graphs))
      return failure();
    std::vector<std::vector<schedule::LoopNest>> nests;
    for (ScheduledGraph &graph : *graphs) {
      FailureOr<std::vector<schedule::LoopNest>> planned =
          planKernels(function, graph, !noHorizontal);
      if (failed(planned))
        return failure();
      nests.push_back(std::move(*planned));
    }
    return emitKernels(function, *graphs, nests);
  }
};
} // namespace
