//===- Sampling.cpp - Evaluating some rows of a large result --------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which axis can be sampled without changing what the samples are, and what a
// full evaluation would cost.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Evaluator/Evaluator.h"

#include "llvm/ADT/TypeSwitch.h"
#include <cstring>
#include <set>

using namespace mlir;
using namespace mlir::cleave;

/// The number of positions over the axes of all these types.
static double countPositions(TypeRange types, const Bindings &extents) {
  std::set<std::string> seen;
  double count = 1;
  for (Type type : types)
    if (isCleaveTensor(type))
      for (StringAttr axis : getAxes(type).getNames())
        if (seen.insert(axis.getValue().str()).second)
          count *= double(extents.at(axis.getValue().str()));
  return count;
}

static double countFlops(Operation *op, const Bindings &extents) {
  double positions = countPositions(op->getOperandTypes(), extents);
  return llvm::TypeSwitch<Operation *, double>(op)
      .Case<YieldOp, ConstantOp, ExtentOp, IotaOp, RenameOp, RelayoutOp,
            SplitOp, MergeOp, SliceOp, ConcatOp, StackOp, GatherOp, InsertOp,
            AlternativesOp, FoldOp>([](auto) { return 0.0; })
      .Case([&](ContractOp) { return 2 * positions; })
      .Case<SoftmaxOp, LogSumExpOp, RMSNormOp, LayerNormOp>(
          [&](auto) { return 5 * positions; })
      .Default([&](Operation *) { return positions; });
}

/// Reductions of fold states, at the types that their bodies yield.
static double countFold(FoldOp op, const Bindings &extents) {
  double flops = 0;
  for (size_t i = 0; i < op.getNumStates(); ++i) {
    Operation *yield = op.getBody(i).front().getTerminator();
    flops += 2 * countPositions(yield->getOperandTypes(), extents);
  }
  return flops;
}

double mlir::cleave::estimateFlops(FunctionOpInterface function,
                                   const Bindings &extents,
                                   unsigned alternative) {
  double flops = 0;
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    // Of alternatives one region counts.
    if (auto parent = dyn_cast<AlternativesOp>(op->getParentOp()))
      if (op->getParentRegion()->getRegionNumber() != alternative)
        return WalkResult::skip();
    if (!op->getDialect() || !isa<CleaveDialect>(op->getDialect()))
      return WalkResult::advance();
    flops += countFlops(op, extents);
    if (auto fold = dyn_cast<FoldOp>(op))
      flops += countFold(fold, extents);
    return WalkResult::advance();
  });
  return flops;
}

/// The axes that an operation reduces, measures, reshapes or renames, or whose
/// positions it looks at.
static void addTouched(Operation *op, std::set<std::string> &touched) {
  for (NamedAttribute attr : op->getAttrs()) {
    if (auto axes = dyn_cast<AxesAttr>(attr.getValue()))
      for (StringAttr axis : axes.getNames())
        touched.insert(axis.getValue().str());
    // Operations that mean one axis name it as a string, `concat` several.
    if (auto name = dyn_cast<StringAttr>(attr.getValue()))
      touched.insert(name.getValue().str());
    if (auto names = dyn_cast<ArrayAttr>(attr.getValue()))
      for (Attribute name : names)
        if (auto axis = dyn_cast<StringAttr>(name))
          touched.insert(axis.getValue().str());
  }
}

std::vector<std::string>
mlir::cleave::findSampledAxes(FunctionOpInterface function,
                              const Bindings &extents, int64_t count) {
  std::set<std::string> touched;
  function->walk([&](Operation *op) {
    if (op != function.getOperation())
      addTouched(op, touched);
  });
  std::vector<std::string> axes;
  for (const auto &[axis, extent] : extents)
    if (!touched.count(axis) && extent > count)
      axes.push_back(axis);
  return axes;
}

std::optional<std::string>
mlir::cleave::findSampledAxis(FunctionOpInterface function,
                              const Signature &signature,
                              const Bindings &extents, int64_t count) {
  std::vector<std::string> axes = findSampledAxes(function, extents, count);
  if (signature.results.empty())
    return std::nullopt;
  for (const std::string &axis : signature.results.front().axes) {
    bool everywhere = llvm::all_of(signature.results, [&](const Port &port) {
      return llvm::is_contained(port.axes, axis);
    });
    if (everywhere && llvm::is_contained(axes, axis))
      return axis;
  }
  return std::nullopt;
}

std::vector<int64_t> mlir::cleave::chooseSamples(int64_t extent, int64_t count,
                                                 uint64_t seed) {
  std::vector<int64_t> indices;
  if (extent <= count) {
    for (int64_t i = 0; i < extent; ++i)
      indices.push_back(i);
    return indices;
  }
  // One index out of each of `count` equal parts, and both ends.
  for (int64_t i = 0; i < count; ++i) {
    int64_t begin = extent * i / count, end = extent * (i + 1) / count;
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    indices.push_back(begin + int64_t((seed >> 33) % uint64_t(end - begin)));
  }
  indices.front() = 0;
  indices.back() = extent - 1;
  return indices;
}

HostArray mlir::cleave::gather(const HostArray &array, unsigned dimension,
                               ArrayRef<int64_t> indices) {
  SmallVector<int64_t> shape(array.getShape());
  int64_t outer = countElements(ArrayRef(shape).take_front(dimension));
  int64_t extent = shape[dimension];
  int64_t inner = countElements(ArrayRef(shape).drop_front(dimension + 1)) *
                  elementSize(array.getKind());
  shape[dimension] = indices.size();
  HostArray result(array.getKind(), shape);
  char *to = result.data();
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t index : indices) {
      if (inner)
        std::memcpy(to, array.data() + (o * extent + index) * inner, inner);
      to += inner;
    }
  return result;
}
