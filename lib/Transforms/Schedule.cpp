//===- Schedule.cpp - Choose and apply a schedule -------------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: scheduling, both steps.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Transforms/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/PassManager.h"

namespace mlir::cleave {
#define GEN_PASS_DEF_CLEAVESCHEDULEPASS
#include "Cleave/Transforms/Passes.h.inc"
} // namespace mlir::cleave

using namespace mlir;
using namespace mlir::cleave;

namespace {
struct CleaveSchedulePass
    : cleave::impl::CleaveSchedulePassBase<CleaveSchedulePass> {
  using CleaveSchedulePassBase::CleaveSchedulePassBase;

  void runOnOperation() override {
    OpPassManager pipeline(ModuleOp::getOperationName());
    pipeline.addNestedPass<func::FuncOp>(createCleaveAssignSchedulePass(
        {representative, target, noHorizontal, noAlgebra, noSplit,
         noIterativeTiling, tuningTable}));
    pipeline.addNestedPass<func::FuncOp>(
        createCleaveApplySchedulePass({noHorizontal}));
    if (failed(runPipeline(pipeline, getOperation())))
      signalPassFailure();
  }
};
} // namespace
