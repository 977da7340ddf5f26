//===- LowerArrivals.cpp - The last block of a tile goes on ---------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: kernels of plain control flow, before they become LLVM. Why the last
// block sees what the others wrote: their threads' stores come before the
// barrier, that before the first thread's fence, that before its count; the
// last count comes before a fence, and that before the barrier behind which the
// last block reads.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Conversion/Passes.h"
#include "Cleave/Conversion/TileDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::cleave {
#define GEN_PASS_DEF_LOWERARRIVALSPASS
#include "Cleave/Conversion/Passes.h.inc"
} // namespace mlir::cleave

using namespace mlir;
using namespace mlir::cleave;

static constexpr llvm::StringLiteral kDevice = "device";

static void createFence(ImplicitLocOpBuilder &b) {
  LLVM::FenceOp::create(b, LLVM::AtomicOrdering::acq_rel, kDevice);
}

/// Counts one more block at the counter; whether all are there. The counter is
/// 0 again then.
static Value createTicket(ImplicitLocOpBuilder &b, tile::ArriveOp arrive) {
  Value base =
      memref::ExtractAlignedPointerAsIndexOp::create(b, arrive.getCounters());
  Value address = arith::AddIOp::create(
      b, base,
      arith::MulIOp::create(b, arrive.getTile(),
                            arith::ConstantIndexOp::create(b, 4)));
  Value number = arith::IndexCastOp::create(b, b.getI64Type(), address);
  Value pointer = LLVM::IntToPtrOp::create(
      b, LLVM::LLVMPointerType::get(b.getContext()), number);
  Value blocks =
      arith::IndexCastOp::create(b, b.getI32Type(), arrive.getBlocks());
  Value last =
      arith::SubIOp::create(b, blocks, arith::ConstantIntOp::create(b, 1, 32));
  createFence(b);
  // Ordered by the fences: orders of its own are lost on the way to PTX.
  Value before =
      LLVM::AtomicRMWOp::create(b, LLVM::AtomicBinOp::uinc_wrap, pointer, last,
                                LLVM::AtomicOrdering::monotonic, kDevice);
  createFence(b);
  return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, before, last);
}

static void lower(tile::ArriveOp arrive) {
  ImplicitLocOpBuilder b(arrive.getLoc(), arrive);
  Block *front = arrive->getBlock();
  Block *rest = front->splitBlock(arrive);
  Region *body = front->getParent();
  Block *ticket = b.createBlock(rest);
  Block *vote = b.createBlock(rest, b.getI1Type(), b.getLoc());
  Block *end = b.createBlock(body, body->end());
  gpu::ReturnOp::create(b);

  b.setInsertionPointToEnd(front);
  gpu::BarrierOp::create(b);
  Value thread = gpu::ThreadIdOp::create(b, gpu::Dimension::x);
  Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, thread,
                                        arith::ConstantIndexOp::create(b, 0));
  Value no = arith::ConstantIntOp::create(b, 0, 1);
  cf::CondBranchOp::create(b, isFirst, ticket, ValueRange(), vote,
                           ValueRange(no));

  b.setInsertionPointToEnd(ticket);
  cf::BranchOp::create(b, vote, ValueRange(createTicket(b, arrive)));

  b.setInsertionPointToEnd(vote);
  Value mine = arith::ExtUIOp::create(b, b.getI32Type(), vote->getArgument(0));
  auto any =
      NVVM::BarrierOp::create(b, b.getI32Type(), Value(), Value(),
                              NVVM::BarrierReductionAttr::get(
                                  b.getContext(), NVVM::BarrierReduction::OR),
                              mine);
  Value isLast =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ne, any.getRes(),
                            arith::ConstantIntOp::create(b, 0, 32));
  cf::CondBranchOp::create(b, isLast, rest, end);
  arrive->erase();
}

namespace {
struct LowerArrivalsPass
    : cleave::impl::LowerArrivalsPassBase<LowerArrivalsPass> {
  void runOnOperation() override {
    SmallVector<tile::ArriveOp> arrivals;
    getOperation().walk(
        [&](tile::ArriveOp arrive) { arrivals.push_back(arrive); });
    for (tile::ArriveOp arrive : arrivals)
      lower(arrive);
  }
};
} // namespace
