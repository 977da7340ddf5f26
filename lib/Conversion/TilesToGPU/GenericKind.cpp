//===- GenericKind.cpp - What a linalg.generic computes ---------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: scheduled form to vector form.
//
//===----------------------------------------------------------------------===//

#include "GenericKind.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::cleave;

/// Finds the combiner behind a reduction's yielded value and what it adds.
static LogicalResult addCombiner(linalg::GenericOp op, unsigned output,
                                 GenericKind &info) {
  Block *body = op.getBody();
  BlockArgument acc = body->getArgument(op.getNumDpsInputs() + output);
  Operation *combiner =
      body->getTerminator()->getOperand(output).getDefiningOp();
  if (!combiner ||
      !isa<arith::AddFOp, arith::MulFOp, arith::MaximumFOp, arith::MinimumFOp>(
          combiner))
    return op.emitOpError("expected output #")
           << output
           << " to be reduced by arith.addf, mulf, maximumf or minimumf of the "
              "output's element";
  bool accFirst = combiner->getOperand(0) == acc;
  bool accSecond = combiner->getOperand(1) == acc;
  if (accFirst == accSecond || !acc.hasOneUse())
    return op.emitOpError("expected the element of reduced output #")
           << output << " to be used by its combiner alone, and once";
  info.combiners.push_back(combiner);
  info.reduced.push_back(combiner->getOperand(accFirst ? 1 : 0));
  return success();
}

/// Returns the input that `value` is, or is an extension to f32 of.
static BlockArgument getExtendedInput(linalg::GenericOp op, Value value) {
  if (auto ext = value.getDefiningOp<arith::ExtFOp>())
    value = ext.getIn();
  auto arg = dyn_cast<BlockArgument>(value);
  if (!arg || arg.getOwner() != op.getBody() ||
      arg.getArgNumber() >= op.getNumDpsInputs())
    return {};
  return arg;
}

/// A reduction is a contraction if it sums the products of its two inputs and
/// each of them has a free dimension of its own; without one (a matrix by a
/// vector) it is better left to the reduction path.
static bool isContraction(linalg::GenericOp op, GenericKind &info) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 ||
      !isa<arith::AddFOp>(info.combiners.front()))
    return false;
  auto product = info.reduced.front().getDefiningOp<arith::MulFOp>();
  if (!product || !product.getType().isF32())
    return false;
  BlockArgument lhs = getExtendedInput(op, product.getLhs());
  BlockArgument rhs = getExtendedInput(op, product.getRhs());
  if (!lhs || !rhs || lhs == rhs || lhs.getType() != rhs.getType())
    return false;
  FailureOr<linalg::ContractionDimensions> dims =
      linalg::inferContractionDims(op);
  if (failed(dims) || dims->m.empty() || dims->n.empty() || dims->k.empty())
    return false;
  llvm::append_range(info.roles.m, dims->m);
  llvm::append_range(info.roles.n, dims->n);
  llvm::append_range(info.roles.k, dims->k);
  return true;
}

FailureOr<GenericKind> cleave::classifyGeneric(linalg::GenericOp op) {
  if (!op.hasPureTensorSemantics())
    return op.emitOpError("expected operands to be tensors");
  for (AffineMap map : op.getIndexingMapsArray())
    if (!map.isProjectedPermutation())
      return op.emitOpError(
                 "expected indexing maps to be projected permutations but got ")
             << AffineMapAttr::get(map);
  GenericKind info;
  unsigned numParallel = op.getNumParallelLoops();
  for (OpOperand &init : op.getDpsInitsMutable()) {
    AffineMap map = op.getMatchingIndexingMap(&init);
    if (map.getNumResults() != numParallel)
      return op.emitOpError("expected every output to range over all parallel "
                            "dimensions");
    for (AffineExpr dim : map.getResults()) {
      unsigned position = cast<AffineDimExpr>(dim).getPosition();
      if (op.getIteratorTypesArray()[position] != utils::IteratorType::parallel)
        return op.emitOpError("expected no output to range over a reduction "
                              "dimension");
    }
  }
  if (op.getNumReductionLoops() == 0)
    return info;
  info.kind = GenericKind::Reduction;
  for (unsigned output = 0, e = op.getNumDpsInits(); output < e; ++output)
    if (failed(addCombiner(op, output, info)))
      return failure();
  if (isContraction(op, info))
    info.kind = GenericKind::Contraction;
  return info;
}
