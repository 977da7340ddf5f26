//===- EmitKernel.cpp - What is around the body of a kernel ---------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: scheduling. Tensors with the dimensions that the kernel's axes give
// them, its grid, and what its blocks store.
//
//===----------------------------------------------------------------------===//

#include "LoopEmitter.h"

#include "Cleave/Conversion/EmitBody.h"
#include "Cleave/Transforms/Schedule/Products.h"
#include "EmitDomain.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::cleave;
using namespace mlir::cleave::schedule;

/// An output with the dimensions that the kernel's axes give it.
Value LoopEmitter::emitOutput(const Result &result, Type element) {
  SmallVector<OpFoldResult> sizes;
  const AxisId *axis = result.storage.begin();
  for (const Cut &cut : getCuts(result.storage, result.cuts)) {
    OpFoldResult extent = getExtent(*axis++);
    if (cut.stride)
      extent = b.getIndexAttr(cut.stride * problem.axes[cut.outer].extent);
    sizes.push_back(extent);
  }
  return tensor::EmptyOp::create(b, loc, sizes, element);
}

/// The extents of products.
void LoopEmitter::addProducts() {
  extents = around.extents;
  extents.resize(problem.axes.size());
  for (auto [axis, info] : llvm::enumerate(problem.axes))
    if (!info.factors.empty())
      extents[axis] = getProduct(b, loc, extents, info.factors);
}

/// Arguments as the kernel's axes have them.
void LoopEmitter::addViews() {
  std::map<unsigned, std::vector<std::pair<Dimensions, Value>>> known;
  for (NodeId id = 0; id < problem.size(); ++id) {
    const Node &node = problem[id];
    if (node.kind != NodeKind::Argument || node.dims.empty())
      continue;
    Dimensions to = getDimensions(problem, node.storage, node.cuts);
    auto &sameArgument = known[node.argument];
    auto found = llvm::find_if(
        sameArgument, [&](const auto &entry) { return entry.first == to; });
    if (found != sameArgument.end()) {
      views[id] = found->second;
      continue;
    }
    views[id] = reshape(b, loc, extents, around.arguments.at(node.argument),
                        node.dims, to);
    sameArgument.push_back({to, views[id]});
  }
}

SmallVector<Value> LoopEmitter::emitOutputs(ArrayRef<RankedTensorType> types) {
  SmallVector<Value> outputs;
  for (auto [result, type] : llvm::zip_equal(problem.results, types)) {
    if (result.place) {
      Value argument = around.arguments.at(result.place->argument);
      outputs.push_back(
          result.dims.empty()
              ? argument
              : reshape(b, loc, extents, argument, result.dims,
                        getDimensions(problem, result.storage, result.cuts)));
      continue;
    }
    if (!result.dims.empty()) {
      outputs.push_back(emitOutput(result, type.getElementType()));
      continue;
    }
    SmallVector<Value> sizes;
    for (auto [axis, cut, size] :
         llvm::zip_equal(result.storage, getCuts(result.storage, result.cuts),
                         type.getShape())) {
      if (!ShapedType::isDynamic(size))
        continue;
      OpFoldResult extent = getExtent(axis);
      if (cut.stride)
        extent = b.getIndexAttr(cut.stride * problem.axes[cut.outer].extent);
      sizes.push_back(getValueOrCreateConstantIndexOp(b, loc, extent));
    }
    outputs.push_back(tensor::EmptyOp::create(b, loc, type, sizes));
  }
  return outputs;
}

/// Says in whose launch the kernel runs, if not in its own.
void LoopEmitter::addLaunch(scf::ForallOp forall) {
  if (kernel.beside && around.inLaunch)
    forall->setAttr("cleave.beside", b.getUnitAttr());
  if (!kernel.join)
    return;
  SmallVector<int64_t> dims;
  for (const AxisTile &range : chosen.grid)
    dims.push_back(*findInGrid(*around.front, problem, range.axis));
  forall->setAttr("cleave.join", b.getDenseI64ArrayAttr(dims));
}

scf::ForallOp LoopEmitter::emitForall(const LoopNest &nest,
                                      ValueRange outputs) {
  SmallVector<OpFoldResult> begins, ends, steps;
  for (const AxisTile &range : nest.grid) {
    begins.push_back(b.getIndexAttr(0));
    ends.push_back(getExtent(range.axis));
    steps.push_back(b.getIndexAttr(range.tile));
  }
  // A kernel without axes is one block.
  if (nest.grid.empty()) {
    begins.push_back(b.getIndexAttr(0));
    ends.push_back(b.getIndexAttr(1));
    steps.push_back(b.getIndexAttr(1));
  }
  auto forall =
      scf::ForallOp::create(b, loc, begins, ends, steps, outputs, std::nullopt);
  forall->setAttr("cleave.warps", b.getI64IntegerAttr(chosen.warps));
  forall->setAttr("cleave.stages", b.getI64IntegerAttr(chosen.stages));
  AxisSet lengthening = getLengtheningAxes(problem, nest);
  SmallVector<int64_t> backwards;
  for (auto [dim, range] : llvm::enumerate(nest.grid))
    if (contains(lengthening, range.axis))
      backwards.push_back(dim);
  if (!backwards.empty())
    forall->setAttr("cleave.backwards", b.getDenseI64ArrayAttr(backwards));
  addLaunch(forall);
  return forall;
}

void LoopEmitter::addExtentNumbers() {
  for (NodeId id = 0; id < problem.size(); ++id) {
    const Node &node = problem[id];
    if (node.kind != NodeKind::Extent)
      continue;
    Value size = getValueOrCreateConstantIndexOp(
        b, loc, getExtent(node.reduced.front()));
    size = arith::IndexCastOp::create(b, loc, b.getI64Type(), size);
    extentNumbers[id] = arith::SIToFPOp::create(
        b, loc, getElementType(b.getContext(), node.element), size);
  }
}

/// Writes a block's part of a result.
void LoopEmitter::emitStore(NestBlock &root, const Result &result, Value output,
                            Block *stores) {
  Tile tile = *lookup(root, result.node);
  SmallVector<OpFoldResult> offsets, sizes;
  getPlaces(root, result.storage, getCuts(result.storage, result.cuts), offsets,
            sizes);
  if (result.place) {
    const auto *axis = llvm::find(result.storage, result.place->axis);
    OpFoldResult &offset = offsets[axis - result.storage.begin()];
    offset =
        arith::AddIOp::create(b, loc, toValue(offset), firstRow).getResult();
  }
  SmallVector<OpFoldResult> ones(offsets.size(), b.getIndexAttr(1));
  OpBuilder::InsertionGuard inner(b);
  b.setInsertionPointToEnd(stores);
  tensor::ParallelInsertSliceOp::create(b, loc, tile.value, output, offsets,
                                        sizes, ones);
}

/// What a kernel stored, with the dimensions that it has in memory.
SmallVector<Value> LoopEmitter::finish(ValueRange outputs) {
  SmallVector<Value> stored;
  for (auto [result, value] : llvm::zip_equal(problem.results, outputs))
    stored.push_back(
        result.dims.empty()
            ? value
            : reshape(b, loc, extents, value,
                      getDimensions(problem, result.storage, result.cuts),
                      result.dims));
  return stored;
}

bool cleave::hasNoBlocks(const Problem &kernel, const LoopNest &nest) {
  return llvm::any_of(nest.grid, [&](const AxisTile &range) {
    return kernel.axes[range.axis].extent == 0;
  });
}

SmallVector<Value> LoopEmitter::run(const LoopNest &nest,
                                    ArrayRef<RankedTensorType> types) {
  addProducts();
  SmallVector<Value> outputs = emitOutputs(types);
  // Nothing to compute, and no slice of an axis without positions is valid.
  if (hasNoBlocks(problem, nest))
    return finish(outputs);
  addViews();
  scf::ForallOp forall = emitForall(nest, outputs);
  emitBody(nest, forall);
  return finish(forall.getResults());
}

void LoopEmitter::emitBody(const LoopNest &nest, scf::ForallOp forall) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(forall.getTerminator());
  bindGrid(nest, forall);
  addExtentNumbers();
  emitBlock(*nest.root);
  for (auto [output, result] :
       llvm::zip_equal(forall.getRegionIterArgs(), problem.results))
    emitStore(*nest.root, result, output, forall.getTerminator().getBody());
}

SmallVector<Value> cleave::emitKernel(OpBuilder &b, Location loc,
                                      const ScheduledKernel &kernel,
                                      const Surroundings &around,
                                      const LoopNest &nest,
                                      ArrayRef<RankedTensorType> types) {
  return LoopEmitter(b, loc, kernel, around).run(nest, types);
}
