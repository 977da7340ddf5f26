//===- InterchangeGenerics.cpp - Loops that run along memory --------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: CPU path, after bufferization and before linalg becomes loops.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::cleave {
#define GEN_PASS_DEF_CLEAVEINTERCHANGEGENERICSPASS
#include "Cleave/Transforms/Passes.h.inc"
} // namespace mlir::cleave

using namespace mlir;
using namespace mlir::cleave;

/// How many operands have `dim` last or lack it, less those that have it
/// elsewhere.
static int getContiguity(linalg::GenericOp op, unsigned dim) {
  int score = 0;
  for (AffineMap map : op.getIndexingMapsArray()) {
    unsigned rank = map.getNumResults();
    std::optional<unsigned> position =
        map.getResultPosition(getAffineDimExpr(dim, op.getContext()));
    if (!position)
      continue;
    score += *position + 1 == rank ? 1 : -1;
  }
  return score;
}

/// The iteration order with the best dimension last, or none if it is already.
static std::optional<SmallVector<unsigned>> getOrder(linalg::GenericOp op) {
  unsigned loops = op.getNumLoops();
  if (loops < 2 ||
      llvm::any_of(
          op.getIndexingMapsArray(),
          [](AffineMap map) { return !map.isProjectedPermutation(); }))
    return std::nullopt;
  unsigned best = loops - 1;
  for (unsigned dim = 0; dim < loops; ++dim)
    if (getContiguity(op, dim) > getContiguity(op, best))
      best = dim;
  if (best == loops - 1)
    return std::nullopt;
  SmallVector<unsigned> order;
  for (unsigned dim = 0; dim < loops; ++dim)
    if (dim != best)
      order.push_back(dim);
  order.push_back(best);
  return order;
}

namespace {
struct CleaveInterchangeGenericsPass
    : cleave::impl::CleaveInterchangeGenericsPassBase<
          CleaveInterchangeGenericsPass> {
  void runOnOperation() override {
    SmallVector<linalg::GenericOp> generics;
    getOperation().walk([&](linalg::GenericOp op) { generics.push_back(op); });
    IRRewriter rewriter(&getContext());
    SmallVector<memref::CopyOp> copies;
    getOperation().walk([&](memref::CopyOp copy) { copies.push_back(copy); });
    for (memref::CopyOp copy : copies) {
      rewriter.setInsertionPoint(copy);
      linalg::makeMemRefCopyOp(rewriter, copy.getLoc(), copy.getSource(),
                               copy.getTarget());
      rewriter.eraseOp(copy);
    }
    for (linalg::GenericOp op : generics)
      if (std::optional<SmallVector<unsigned>> order = getOrder(op)) {
        rewriter.setInsertionPoint(op);
        (void)linalg::interchangeGenericOp(rewriter, op, *order);
      }
  }
};
} // namespace
