//===- VersionLoops.cpp - Loop bodies without masks -----------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: vector form, before layouts. Most iterations of a loop have whole
// tiles, which lie inside of every mask: they get a body of their own. Masks
// are those of sizes and comparisons of positions; nothing is known of where
// they come from.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Conversion/Passes.h"
#include "LayoutTies.h"
#include "LoopReads.h"
#include "PositionRange.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::cleave {
#define GEN_PASS_DEF_VERSIONLOOPSPASS
#include "Cleave/Conversion/Passes.h.inc"
} // namespace mlir::cleave

using namespace mlir;
using namespace mlir::cleave;

namespace {
/// Gives one loop's body two versions.
class LoopVersioner {
public:
  explicit LoopVersioner(scf::ForOp loop)
      : loop(loop), b(loop.getLoc(), loop.getBody()->getTerminator()) {}

  void run();

private:
  bool accumulatesOnly();
  Operation *getStart();
  bool isUniform(Value condition);
  void collectMasks();
  Value getCondition(Value mask);
  void collectInside();
  void fillThen(scf::IfOp branch, ArrayRef<unsigned> yielded);

  scf::ForOp loop;
  ImplicitLocOpBuilder b;
  /// Conditions of selects that hold everywhere if `whole` does.
  DenseSet<Value> masks;
  Value whole;
  SmallVector<Operation *> inside;
};
} // namespace

/// A state that is nothing but accumulated is kept in parts until the loop has
/// ended, for which its op must stand in the loop itself.
bool LoopVersioner::accumulatesOnly() {
  return llvm::any_of(loop.getRegionIterArgs(), [](BlockArgument state) {
    if (!isTile(state) || !state.hasOneUse())
      return false;
    Operation *user = *state.getUsers().begin();
    if (auto contract = dyn_cast<vector::ContractionOp>(user))
      return isLoopAccumulation(contract);
    auto reduction = dyn_cast<vector::MultiDimReductionOp>(user);
    return reduction && reduction.getAcc() == state &&
           reduction.getResult().hasOneUse() &&
           isa<scf::YieldOp>(*reduction.getResult().getUsers().begin());
  });
}

/// The first op behind those that all iterations share: copies and barriers.
Operation *LoopVersioner::getStart() {
  Operation *start = &loop.getBody()->front();
  for (Operation &op : *loop.getBody())
    if (isa<NVVM::CpAsyncCommitGroupOp, NVVM::CpAsyncWaitGroupOp,
            gpu::BarrierOp>(op))
      start = op.getNextNode();
  return start;
}

/// A scalar that is true if all elements of `mask` are; null if that is not
/// known to be cheap.
Value LoopVersioner::getCondition(Value mask) {
  Operation *op = mask.getDefiningOp();
  if (!op)
    return {};
  if (isa<vector::BroadcastOp, vector::TransposeOp>(op))
    return isTile(op->getOperand(0)) ? getCondition(op->getOperand(0))
                                     : Value();
  if (auto create = dyn_cast<vector::CreateMaskOp>(op)) {
    Value condition;
    for (auto [bound, size] :
         llvm::zip_equal(create.getOperands(), create.getType().getShape())) {
      Value full =
          arith::CmpIOp::create(b, arith::CmpIPredicate::sge, bound,
                                arith::ConstantIndexOp::create(b, size));
      condition =
          condition ? Value(arith::AndIOp::create(b, condition, full)) : full;
    }
    return condition;
  }
  auto compare = dyn_cast<arith::CmpFOp>(op);
  if (!compare)
    return {};
  bool less =
      llvm::is_contained({arith::CmpFPredicate::OLT, arith::CmpFPredicate::OLE},
                         compare.getPredicate());
  bool greater =
      llvm::is_contained({arith::CmpFPredicate::OGT, arith::CmpFPredicate::OGE},
                         compare.getPredicate());
  if (!less && !greater)
    return {};
  Value lhs = createExtreme(b, compare.getLhs(), /*largest=*/less);
  Value rhs = createExtreme(b, compare.getRhs(), /*largest=*/greater);
  if (!lhs || !rhs)
    return {};
  return arith::CmpFOp::create(b, compare.getPredicate(), lhs, rhs);
}

/// Whether all threads know `condition` without what an iteration loads: they
/// have to take the same branch.
bool LoopVersioner::isUniform(Value condition) {
  SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.inclusive = true;
  options.filter = [&](Operation *op) {
    return op->getBlock() == loop.getBody();
  };
  return succeeded(getBackwardSlice(condition, &slice, options)) &&
         llvm::all_of(slice, [](Operation *op) {
           return isPure(op) && !llvm::any_of(op->getOperandTypes(),
                                              llvm::IsaPred<VectorType>);
         });
}

void LoopVersioner::collectMasks() {
  DenseSet<Value> seen;
  for (auto select : loop.getOps<arith::SelectOp>()) {
    Value mask = select.getCondition();
    auto type = dyn_cast<VectorType>(mask.getType());
    if (!type || type.getRank() < 2 || !seen.insert(mask).second)
      continue;
    Value condition = getCondition(mask);
    if (!condition || !isUniform(condition))
      continue;
    masks.insert(mask);
    whole =
        whole ? Value(arith::AndIOp::create(b, whole, condition)) : condition;
  }
}

/// Everything behind the start but scalars that do not depend on tiles.
void LoopVersioner::collectInside() {
  DenseSet<Operation *> moved;
  for (Operation *op = getStart(); !op->hasTrait<OpTrait::IsTerminator>();
       op = op->getNextNode()) {
    auto usesMoved = [&](Value operand) {
      return moved.contains(operand.getDefiningOp());
    };
    bool scalar = isPure(op) && !op->getNumRegions() &&
                  llvm::none_of(op->getResults(), isTile) &&
                  llvm::none_of(op->getOperands(), isTile) &&
                  llvm::none_of(op->getOperands(), usesMoved);
    if (scalar)
      continue;
    moved.insert(op);
    inside.push_back(op);
  }
}

void LoopVersioner::fillThen(scf::IfOp branch, ArrayRef<unsigned> yielded) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  IRMapping map;
  for (Operation *op : inside) {
    auto select = dyn_cast<arith::SelectOp>(op);
    if (select && masks.contains(select.getCondition())) {
      map.map(select.getResult(), map.lookupOrDefault(select.getTrueValue()));
      continue;
    }
    b.clone(*op, map);
  }
  SmallVector<Value> values;
  for (unsigned i : yielded)
    values.push_back(map.lookupOrDefault(loop.getYieldedValues()[i]));
  scf::YieldOp::create(b, values);
}

void LoopVersioner::run() {
  if (accumulatesOnly())
    return;
  collectMasks();
  if (!whole)
    return;
  collectInside();
  SmallVector<unsigned> yielded;
  SmallVector<Type> types;
  for (auto [i, value] : llvm::enumerate(loop.getYieldedValues()))
    if (llvm::is_contained(inside, value.getDefiningOp())) {
      yielded.push_back(i);
      types.push_back(value.getType());
    }
  auto branch = scf::IfOp::create(b, types, whole, /*addThenBlock=*/true,
                                  /*addElseBlock=*/true);
  fillThen(branch, yielded);
  Block *otherwise = branch.elseBlock();
  for (Operation *op : inside)
    op->moveBefore(otherwise, otherwise->end());
  b.setInsertionPointToEnd(otherwise);
  SmallVector<Value> values;
  Operation *terminator = loop.getBody()->getTerminator();
  for (unsigned i : yielded)
    values.push_back(terminator->getOperand(i));
  scf::YieldOp::create(b, values);
  for (auto [i, result] : llvm::zip_equal(yielded, branch.getResults()))
    terminator->setOperand(i, result);
}

namespace {
struct VersionLoopsPass
    : public cleave::impl::VersionLoopsPassBase<VersionLoopsPass> {
  void runOnOperation() override {
    for (scf::ForOp loop : getInnermostLoops(getOperation()))
      LoopVersioner(loop).run();
  }
};
} // namespace
