//===- AssumeRows.cpp - Rows that are most likely whole vectors -----------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: vector form, before tiles are staged. Whether rows of a dynamic length
// start at 16 bytes is known at run time only; nearly always they do. Layouts
// and rings are made for that, and accesses check it (DistributeMemory.cpp).
//
//===----------------------------------------------------------------------===//

#include "Cleave/Conversion/Passes.h"
#include "GlobalAccess.h"
#include "KernelInfo.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::cleave {
#define GEN_PASS_DEF_ASSUMEROWSPASS
#include "Cleave/Conversion/Passes.h.inc"
} // namespace mlir::cleave

using namespace mlir;
using namespace mlir::cleave;

/// A vector of the widest access.
static constexpr int64_t kVectorBytes = 16;

namespace {
struct AssumeRowsPass : cleave::impl::AssumeRowsPassBase<AssumeRowsPass> {
  void runOnOperation() override {
    seen.clear();
    arguments.clear();
    multiple = 1;
    getOperation().walk([&](VectorTransferOpInterface op) { collect(op); });
    Builder b(&getContext());
    for (BlockArgument argument : arguments)
      getOperation().setArgAttr(argument.getArgNumber(), kRowMultipleAttrName,
                                b.getI64IntegerAttr(multiple));
  }

private:
  void collect(VectorTransferOpInterface op);
  void addExtents(Value value);
  /// Of the kernel, or null.
  BlockArgument getArgument(Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument && argument.getOwner() == &getOperation().front() &&
                   argument.getArgNumber() < getOperation().getNumArguments()
               ? argument
               : BlockArgument();
  }

  /// Memory with such rows, and what starts and ends within them are made of.
  SmallVector<BlockArgument> arguments;
  DenseSet<Value> seen;
  /// Elements of a vector.
  int64_t multiple = 1;
};
} // namespace

/// Follows index arithmetic up to arguments.
void AssumeRowsPass::addExtents(Value value) {
  if (!value || !value.getType().isIntOrIndex() || !seen.insert(value).second)
    return;
  if (BlockArgument argument = getArgument(value)) {
    if (value.getType().isIndex())
      arguments.push_back(argument);
    return;
  }
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (loop && argument == loop.getInductionVar())
      addExtents(loop.getLowerBound());
    return;
  }
  // Which block it is counts whole tiles.
  if (isa<arith::DivUIOp, arith::RemUIOp, arith::DivSIOp, arith::RemSIOp,
          arith::CmpIOp>(value.getDefiningOp()))
    return;
  for (Value operand : value.getDefiningOp()->getOperands())
    addExtents(operand);
}

void AssumeRowsPass::collect(VectorTransferOpInterface op) {
  BlockArgument memory = getArgument(op.getBase());
  auto type = dyn_cast<MemRefType>(op.getShapedType());
  if (!memory || !type || type.getRank() < 2 ||
      !type.isDynamicDim(type.getRank() - 1) ||
      !type.getElementType().isIntOrFloat() ||
      type.getElementType().isInteger(1))
    return;
  int64_t bytes = getElementBytes(type.getElementType());
  FailureOr<GlobalAccess> access = GlobalAccess::get(op);
  if (failed(access) || access->getGeneralMask() || bytes >= kVectorBytes)
    return;
  std::optional<unsigned> dim = access->getContiguousDim();
  if (!dim || op.getVectorType().getDimSize(*dim) * bytes < kVectorBytes)
    return;
  if (seen.insert(memory).second)
    arguments.push_back(memory);
  multiple = std::max(multiple, kVectorBytes / bytes);
  addExtents(op.getIndices().back());
  addExtents(dyn_cast_if_present<Value>(access->getMaskBound(*dim)));
}
