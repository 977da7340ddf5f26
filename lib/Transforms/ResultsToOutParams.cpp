//===- ResultsToOutParams.cpp - Write results into arguments --------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: after scheduling, on the way to the CPU. The calling convention is
// that of the host form (docs/scheduled-form.md): row-major memrefs, results
// last.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlir::cleave {
#define GEN_PASS_DEF_CLEAVERESULTSTOOUTPARAMSPASS
#include "Cleave/Transforms/Passes.h.inc"
} // namespace mlir::cleave

using namespace mlir;
using namespace mlir::cleave;

namespace {
struct CleaveResultsToOutParamsPass
    : cleave::impl::CleaveResultsToOutParamsPassBase<
          CleaveResultsToOutParamsPass> {
  using CleaveResultsToOutParamsPassBase::CleaveResultsToOutParamsPassBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal() || function.getNumResults() == 0)
      return;
    if (failed(convert(function)))
      signalPassFailure();
  }

private:
  LogicalResult convert(func::FuncOp function);
};
} // namespace

LogicalResult CleaveResultsToOutParamsPass::convert(func::FuncOp function) {
  if (!function.getBody().hasOneBlock())
    return function.emitOpError("expected a body of one block");
  for (Type type : function.getResultTypes()) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || tensor.getEncoding())
      return function.emitOpError("expected results to be plain ranked tensors "
                                  "but got ")
             << type;
  }
  Operation *ret = function.front().getTerminator();
  OpBuilder b(ret);
  for (auto [number, value] : llvm::enumerate(ret->getOperands())) {
    auto tensor = cast<RankedTensorType>(value.getType());
    auto type = MemRefType::get(tensor.getShape(), tensor.getElementType());
    NamedAttrList attrs(function.getResultAttrDict(number));
    attrs.set("cleave.result", b.getI64IntegerAttr(number));
    unsigned index = function.getNumArguments();
    if (failed(function.insertArgument(
            index, type, attrs.getDictionary(&getContext()), value.getLoc())))
      return failure();
    auto write = bufferization::MaterializeInDestinationOp::create(
        b, ret->getLoc(), /*result=*/Type(), value, function.getArgument(index),
        /*restrict=*/true, /*writable=*/true);
    (void)write;
  }
  ret->setOperands({});
  llvm::BitVector all(function.getNumResults(), true);
  return function.eraseResults(all);
}
