//===- AssignLayouts.cpp - Give every tile value a layout -----------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --cleave-assign-layouts: writes the decisions of LayoutAssignment into the
// IR and resolves every difference between the layout a value has and the
// layout a user needs, by making the value again or by a conversion.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Conversion/Passes.h"
#include "GlobalAccess.h"
#include "KernelInfo.h"
#include "LayoutAssignment.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::cleave {
#define GEN_PASS_DEF_ASSIGNLAYOUTSPASS
#include "Cleave/Conversion/Passes.h.inc"
} // namespace mlir::cleave

using namespace mlir;
using namespace mlir::cleave;
using tile::ConvertLayoutOp;

namespace {

/// How far a conversion looks for a cheaper place above the value.
constexpr unsigned kMaxHoist = 8;

class LayoutWriter {
public:
  LayoutWriter(gpu::GPUFuncOp func, const LayoutAssignment &assignment,
               int64_t warps)
      : func(func), assignment(assignment), warps(warps) {}

  void run();

private:
  LayoutAttr layoutOf(Value value);
  void resolveOperands(Operation *op);
  void resolveOperand(OpOperand &operand);
  /// `value` in `layout`.
  Value materialize(Value value, LayoutAttr layout);
  Value recompute(Value value, LayoutAttr layout);
  Value convert(Value value, LayoutAttr layout);
  /// Bytes that move to have `value` in `layout`.
  int64_t getCost(Value value, LayoutAttr layout, unsigned depth);
  std::optional<int64_t> getHoistedCost(Value value, LayoutAttr layout,
                                        unsigned depth);
  void annotate(Operation *op);

  gpu::GPUFuncOp func;
  const LayoutAssignment &assignment;
  int64_t warps;
  /// Layouts of values that the assignment does not know.
  DenseMap<Value, LayoutAttr> own;
  DenseMap<std::pair<Value, LayoutAttr>, Value> versions;
};

} // namespace

LayoutAttr LayoutWriter::layoutOf(Value value) {
  if (LayoutAttr layout = own.lookup(value))
    return layout;
  return assignment.lookup(value);
}

/// Ops that may be computed in the user's layout instead: no more work than
/// a cast, a product, or reading a tile that is in shared memory.
static bool isHoistable(Operation *op) {
  return op &&
         (isa<vector::BroadcastOp, vector::TransposeOp, tile::ReadOp>(op) ||
          (isElementwiseTileOp(op) &&
           isa<arith::ArithDialect>(op->getDialect())));
}

std::optional<int64_t>
LayoutWriter::getHoistedCost(Value value, LayoutAttr layout, unsigned depth) {
  Operation *op = value.getDefiningOp();
  if (!isHoistable(op) || depth >= kMaxHoist)
    return std::nullopt;
  int64_t cost = 0;
  SmallVector<Value> seen;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isTile(operand.get()) || llvm::is_contained(seen, operand.get()))
      continue;
    seen.push_back(operand.get());
    LayoutAttr required =
        getRequiredLayout(operand, [&](Value) { return layout; }, warps);
    cost += getCost(operand.get(), required, depth + 1);
  }
  return cost;
}

int64_t LayoutWriter::getCost(Value value, LayoutAttr layout, unsigned depth) {
  LayoutAttr current = layoutOf(value);
  if (current == layout || assignment.isRematerializable(value) ||
      versions.contains({value, layout}))
    return 0;
  if (current && current.getLayout().getRegisterPermutation(layout.getLayout()))
    return 0;
  auto type = cast<VectorType>(value.getType());
  int64_t cost = type.getNumElements() * getElementBytes(type.getElementType());
  if (std::optional<int64_t> hoisted = getHoistedCost(value, layout, depth))
    cost = std::min(cost, *hoisted);
  return cost;
}

/// Makes `value` by its op again, in `layout`.
Value LayoutWriter::recompute(Value value, LayoutAttr layout) {
  Operation *op = value.getDefiningOp();
  bool first = !layoutOf(value);
  OpBuilder builder(op);
  // The clone stands in front of its op, so that its operands dominate it.
  Operation *target = first ? op : builder.clone(*op);
  Value result = target->getResult(0);
  own[result] = layout;
  versions[{value, layout}] = result;
  resolveOperands(target);
  return result;
}

Value LayoutWriter::convert(Value value, LayoutAttr layout) {
  OpBuilder builder(func.getContext());
  builder.setInsertionPointAfterValue(value);
  // Behind a loop its rings end: the conversion may take their memory.
  Block::iterator end = builder.getInsertionPoint();
  while (isa<NVVM::CpAsyncWaitGroupOp, memref::DeallocOp>(*end))
    ++end;
  builder.setInsertionPoint(value.getParentBlock(), end);
  Value result = ConvertLayoutOp::create(
      builder, value.getLoc(), value.getType(), value, layoutOf(value), layout);
  own[result] = layout;
  versions[{value, layout}] = result;
  return result;
}

Value LayoutWriter::materialize(Value value, LayoutAttr layout) {
  if (layoutOf(value) == layout)
    return value;
  if (Value version = versions.lookup({value, layout}))
    return version;
  if (assignment.isRematerializable(value))
    return recompute(value, layout);
  auto type = cast<VectorType>(value.getType());
  int64_t bytes =
      type.getNumElements() * getElementBytes(type.getElementType());
  std::optional<int64_t> hoisted = getHoistedCost(value, layout, 0);
  if (hoisted && *hoisted < bytes)
    return recompute(value, layout);
  return convert(value, layout);
}

void LayoutWriter::resolveOperand(OpOperand &operand) {
  Operation *op = operand.getOwner();
  Value value = operand.get();
  LayoutAttr required;
  if (auto write = dyn_cast<vector::TransferWriteOp>(op)) {
    if (value == write.getVector())
      required = getStoreLayout(write, layoutOf(value), warps);
  } else if (isa<vector::ExtractOp, tile::FetchOp, tile::WriteOp>(op)) {
    required = layoutOf(value);
    if (!required)
      required = assignment.getDefaultLayout(value);
  } else if (isa<vector::TransferReadOp>(op)) {
    required = {};
  } else if (auto reduction = dyn_cast<vector::MultiDimReductionOp>(op)) {
    // A source made on demand takes the default (see settleReductions).
    required =
        operand.getOperandNumber() == 0
            ? (assignment.lookup(value) ? assignment.lookup(value)
                                        : assignment.getDefaultLayout(value))
            : layoutOf(reduction.getResult());
  } else {
    required =
        getRequiredLayout(operand, [&](Value v) { return layoutOf(v); }, warps);
  }
  if (required)
    operand.set(materialize(value, required));
}

/// The layout of a mask, whose dimensions are the memref's in order, for an
/// access whose tile has `layout`.
static LayoutAttr getMaskLayout(const GlobalAccess &access, LayoutAttr layout) {
  SmallVector<std::pair<unsigned, int64_t>> order;
  for (int64_t d = 0; d < access.getTileType().getRank(); ++d)
    order.push_back({*access.getMemDim(d), d});
  llvm::sort(order);
  SmallVector<int64_t> perm;
  for (auto [mem, d] : order)
    perm.push_back(d);
  return LayoutAttr::get(layout.getContext(),
                         layout.getLayout().transpose(perm));
}

void LayoutWriter::resolveOperands(Operation *op) {
  for (OpOperand &operand : op->getOpOperands())
    if (isTile(operand.get()))
      resolveOperand(operand);
  // A mask follows the tile; masks made of bounds are not distributed at all.
  auto transfer = dyn_cast<VectorTransferOpInterface>(op);
  if (!transfer || !transfer.getMask())
    return;
  FailureOr<GlobalAccess> access = GlobalAccess::get(transfer);
  if (failed(access) || !access->getGeneralMask())
    return;
  Value tile = isa<vector::TransferReadOp>(op) ? Value(op->getResult(0))
                                               : transfer.getVector();
  LayoutAttr required = getMaskLayout(*access, layoutOf(tile));
  Value mask = materialize(transfer.getMask(), required);
  for (OpOperand &operand : op->getOpOperands())
    if (operand.get() == transfer.getMask())
      operand.set(mask);
}

void LayoutWriter::annotate(Operation *op) {
  if (isa<ConvertLayoutOp>(op) || !llvm::any_of(op->getResults(), isTile))
    return;
  SmallVector<LayoutAttr> layouts;
  for (Value result : op->getResults())
    layouts.push_back(isTile(result) ? layoutOf(result) : LayoutAttr());
  if (llvm::any_of(layouts, [](LayoutAttr l) { return bool(l); }))
    tile::setResultLayouts(op, layouts);
}

void LayoutWriter::run() {
  SmallVector<Operation *> ops;
  func.walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : ops) {
    bool onDemand = op->getNumResults() == 1 &&
                    assignment.isRematerializable(op->getResult(0));
    if (!onDemand)
      resolveOperands(op);
  }
  // What nobody asked for, or was replaced by other versions, goes.
  for (Operation *op : llvm::reverse(ops))
    if (isOpTriviallyDead(op))
      op->erase();
  // Masks that loads read the bounds of have no layout and need none, but
  // everything printed should have one.
  func.walk([&](Operation *op) {
    if (op->getNumResults() == 1 && isTile(op->getResult(0)) &&
        !layoutOf(op->getResult(0)) && !isa<ConvertLayoutOp>(op) &&
        !isa<vector::CreateMaskOp, vector::ConstantMaskOp>(op))
      own[op->getResult(0)] = assignment.getDefaultLayout(op->getResult(0));
    annotate(op);
  });
}

namespace {

struct AssignLayoutsPass
    : public cleave::impl::AssignLayoutsPassBase<AssignLayoutsPass> {
  void runOnOperation() override {
    gpu::GPUFuncOp func = getOperation();
    FailureOr<int64_t> warps = getKernelWarps(func);
    if (failed(warps))
      return signalPassFailure();
    LayoutAssignment assignment(func, *warps);
    if (failed(assignment.run()))
      return signalPassFailure();
    LayoutWriter(func, assignment, *warps).run();
  }
};

} // namespace
