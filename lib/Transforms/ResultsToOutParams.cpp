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
// last. Where extents choose a branch, it writes the results itself.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

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

/// Writes `value` to `out` where it is computed: in each branch that yields it.
static void write(OpBuilder &b, Value value, Value out) {
  OpBuilder::InsertionGuard guard(b);
  auto branch = value.getDefiningOp<scf::IfOp>();
  if (!branch) {
    bufferization::MaterializeInDestinationOp::create(
        b, value.getLoc(), /*result=*/Type(), value, out, /*restrict=*/true,
        /*writable=*/true);
    return;
  }
  unsigned number = cast<OpResult>(value).getResultNumber();
  for (Block *block : {branch.thenBlock(), branch.elseBlock()}) {
    Operation *yield = block->getTerminator();
    b.setInsertionPoint(yield);
    write(b, yield->getOperand(number), out);
  }
}

/// Replaces `branch`, whose results have been written, by one without results.
static void dropResults(scf::IfOp branch) {
  if (!branch.use_empty() || branch.getNumResults() == 0)
    return;
  OpBuilder b(branch);
  auto bare =
      scf::IfOp::create(b, branch.getLoc(), TypeRange(), branch.getCondition());
  bare->setDiscardableAttrs(branch->getDiscardableAttrDictionary());
  bare.getThenRegion().takeBody(branch.getThenRegion());
  bare.getElseRegion().takeBody(branch.getElseRegion());
  for (Block *block : {bare.thenBlock(), bare.elseBlock()})
    block->getTerminator()->setOperands({});
  branch.erase();
  for (Block *block : {bare.thenBlock(), bare.elseBlock()})
    for (scf::IfOp inner : llvm::to_vector(block->getOps<scf::IfOp>()))
      dropResults(inner);
}

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
  // To the caller arguments are values, whatever has the memory of one.
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (isa<TensorType>(function.getArgumentTypes()[i]))
      function.setArgAttr(
          i, bufferization::BufferizationDialect::kWritableAttrName,
          BoolAttr::get(&getContext(), false));
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
    write(b, value, function.getArgument(index));
  }
  ret->setOperands({});
  for (scf::IfOp branch : llvm::to_vector(function.front().getOps<scf::IfOp>()))
    dropResults(branch);
  llvm::BitVector all(function.getNumResults(), true);
  return function.eraseResults(all);
}
