//===- PositionRange.cpp - The extremes of tiles of positions -------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rounding is monotone: sums and differences of floats, rounded at the corner
// as they are everywhere, bound all elements exactly.
//
//===----------------------------------------------------------------------===//

#include "PositionRange.h"
#include "LayoutTies.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::cleave;

/// `op` on scalars.
static Value createScalar(ImplicitLocOpBuilder &b, Operation *op,
                          ValueRange operands) {
  OperationState state(b.getLoc(), op->getName());
  state.addOperands(operands);
  state.addTypes(getElementTypeOrSelf(op->getResult(0).getType()));
  state.addAttributes(op->getAttrs());
  return b.create(state)->getResult(0);
}

Value cleave::createExtreme(ImplicitLocOpBuilder &b, Value tile, bool largest) {
  if (!isTile(tile))
    return tile;
  Operation *op = tile.getDefiningOp();
  if (!op)
    return {};
  if (auto step = dyn_cast<vector::StepOp>(op))
    return arith::ConstantIndexOp::create(
        b, largest ? step.getType().getNumElements() - 1 : 0);
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto splat = dyn_cast<SplatElementsAttr>(constant.getValue());
    if (!splat)
      return {};
    return arith::ConstantOp::create(b, splat.getSplatValue<TypedAttr>());
  }
  if (isa<vector::BroadcastOp, vector::TransposeOp, vector::ShapeCastOp>(op))
    return createExtreme(b, op->getOperand(0), largest);
  bool difference = isa<arith::SubFOp, arith::SubIOp>(op);
  if (!difference && !isa<arith::AddFOp, arith::AddIOp, arith::IndexCastOp,
                          arith::SIToFPOp, arith::ExtFOp, arith::ExtSIOp>(op))
    return {};
  SmallVector<Value> corner;
  for (OpOperand &operand : op->getOpOperands()) {
    bool subtracted = difference && operand.getOperandNumber() == 1;
    Value value = createExtreme(b, operand.get(), largest != subtracted);
    if (!value)
      return {};
    corner.push_back(value);
  }
  return createScalar(b, op, corner);
}
