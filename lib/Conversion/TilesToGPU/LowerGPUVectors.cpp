//===- LowerGPUVectors.cpp - n-d vectors to 1-d ones ------------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// Stage: kernels after distribution, before the conversion to LLVM.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Conversion/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::cleave {
#define GEN_PASS_DEF_LOWERGPUVECTORSPASS
#include "Cleave/Conversion/Passes.h.inc"
} // namespace mlir::cleave

using namespace mlir;

//===----------------------------------------------------------------------===//
// Elements where they were made
//===----------------------------------------------------------------------===//

namespace {
/// An element of a vector, or a number if that is no vector.
struct Element {
  Value source;
  int64_t index = 0;

  bool isNumber() const { return !isa<VectorType>(source.getType()); }
};
} // namespace

/// The one position of `op`, none if it is not known or not an element.
template <typename Op> static std::optional<int64_t> getPosition(Op op) {
  ArrayRef<int64_t> position = op.getStaticPosition();
  if (position.size() != 1 || ShapedType::isDynamic(position[0]) ||
      position[0] < 0)
    return std::nullopt;
  return position[0];
}

static bool isRow(Value value) {
  auto type = dyn_cast<VectorType>(value.getType());
  return type && type.getRank() == 1 && !type.isScalable();
}

/// One step towards where `element` was made; whether there was one.
static bool trace(Element &element) {
  Operation *op = element.source.getDefiningOp();
  if (auto extract = dyn_cast_or_null<vector::ExtractOp>(op)) {
    std::optional<int64_t> position = getPosition(extract);
    if (!element.isNumber() || !position || !isRow(extract.getSource()))
      return false;
    element = {extract.getSource(), *position};
    return true;
  }
  if (element.isNumber() || !isRow(element.source))
    return false;
  if (auto made = dyn_cast_or_null<vector::FromElementsOp>(op)) {
    element = {made.getElements()[element.index], 0};
    return true;
  }
  if (auto insert = dyn_cast_or_null<vector::InsertOp>(op)) {
    std::optional<int64_t> position = getPosition(insert);
    if (!position || isa<VectorType>(insert.getValueToStore().getType()))
      return false;
    element = *position == element.index
                  ? Element{insert.getValueToStore(), 0}
                  : Element{insert.getDest(), element.index};
    return true;
  }
  if (auto shuffle = dyn_cast_or_null<vector::ShuffleOp>(op)) {
    int64_t index = shuffle.getMask()[element.index];
    int64_t first = shuffle.getV1VectorType().getNumElements();
    if (index < 0 || !isRow(shuffle.getV1()))
      return false;
    element = index < first ? Element{shuffle.getV1(), index}
                            : Element{shuffle.getV2(), index - first};
    return true;
  }
  return false;
}

static Element traceAll(Value source, int64_t index) {
  Element element{source, index};
  while (trace(element))
    continue;
  return element;
}

/// The vector that has exactly these elements, or null.
static Value findWhole(ArrayRef<Element> elements, VectorType type) {
  for (auto [i, element] : llvm::enumerate(elements))
    if (element.source != elements.front().source ||
        element.index != static_cast<int64_t>(i))
      return {};
  Value source = elements.front().source;
  return source.getType() == type ? source : Value();
}

/// `shuffle` without the wide vector that it takes a part of, or null.
static Value takePart(vector::ShuffleOp shuffle) {
  VectorType type = shuffle.getResultVectorType();
  if (!isRow(shuffle.getResult()) ||
      type.getNumElements() >= shuffle.getV1VectorType().getNumElements())
    return {};
  SmallVector<Element> elements;
  for (int64_t i = 0; i < type.getNumElements(); ++i) {
    if (shuffle.getMask()[i] < 0)
      return {};
    elements.push_back(traceAll(shuffle.getResult(), i));
  }
  if (Value whole = findWhole(elements, type))
    return whole;
  auto isPart = [&](const Element &element) {
    return element.source == shuffle.getV1() ||
           element.source == shuffle.getV2();
  };
  if (llvm::any_of(elements, isPart))
    return {};
  OpBuilder b(shuffle);
  SmallVector<Value> numbers;
  for (const Element &element : elements)
    numbers.push_back(element.isNumber() ? element.source
                                         : vector::ExtractOp::create(
                                               b, shuffle.getLoc(),
                                               element.source, element.index));
  return vector::FromElementsOp::create(b, shuffle.getLoc(), type, numbers);
}

static Value takeElement(vector::ExtractOp extract) {
  if (isa<VectorType>(extract.getType()))
    return {};
  Element element = traceAll(extract.getResult(), 0);
  if (element.isNumber())
    return element.source == extract.getResult() ? Value() : element.source;
  if (element.source == extract.getSource())
    return {};
  OpBuilder b(extract);
  return vector::ExtractOp::create(b, extract.getLoc(), element.source,
                                   element.index);
}

/// What reads a part of a vector reads it where it was made: LLVM goes through
/// all elements of a wide vector for each part that is put in or taken out.
static void takeParts(Operation *root) {
  root->walk([](Operation *op) {
    Value value;
    if (auto shuffle = dyn_cast<vector::ShuffleOp>(op))
      value = takePart(shuffle);
    else if (auto extract = dyn_cast<vector::ExtractOp>(op))
      value = takeElement(extract);
    if (value)
      op->getResult(0).replaceAllUsesWith(value);
  });
  // Users come last.
  root->walk<WalkOrder::PostOrder, ReverseIterator>([&](Operation *op) {
    if (isa_and_nonnull<vector::VectorDialect>(op->getDialect()) &&
        isOpTriviallyDead(op))
      op->erase();
  });
}

namespace {
struct LowerGPUVectorsPass
    : cleave::impl::LowerGPUVectorsPassBase<LowerGPUVectorsPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    vector::populateVectorToVectorCanonicalizationPatterns(patterns);
    vector::populateVectorBitCastLoweringPatterns(patterns);
    vector::populateVectorBroadcastLoweringPatterns(patterns);
    vector::populateVectorShapeCastLoweringPatterns(patterns);
    vector::populateVectorTransposeLoweringPatterns(
        patterns, vector::VectorTransposeLowering::EltWise);
    vector::populateVectorInsertExtractStridedSliceTransforms(patterns);
    vector::populateVectorStepLoweringPatterns(patterns);
    vector::populateVectorMaskMaterializationPatterns(
        patterns, /*force32BitVectorIndices=*/false);
    vector::populateVectorRankReducingFMAPattern(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      return signalPassFailure();
    takeParts(getOperation());
  }
};
} // namespace
