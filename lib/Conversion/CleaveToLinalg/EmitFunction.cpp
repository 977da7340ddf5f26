//===- EmitFunction.cpp - A function's planned kernels as IR --------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: scheduling. The function around the kernels: plain types, extents,
// what it returns (docs/scheduled-form.md).
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"

#include "Cleave/Conversion/EmitBody.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::cleave;
using namespace mlir::cleave::schedule;

namespace {
/// Writes the function around the kernels.
class FunctionEmitter {
public:
  FunctionEmitter(func::FuncOp function, const ScheduledGraph &graph)
      : function(function), graph(graph), problem(graph.problem),
        b(function.getContext()), loc(function.getLoc()) {}

  LogicalResult run(ArrayRef<LoopNest> nests);

private:
  void replaceTypes();
  LogicalResult addExtents(ArrayRef<AxesAttr> argumentAxes);
  LogicalResult checkExtents(const Problem &kernel);
  void emit(const ScheduledKernel &kernel, const LoopNest &nest);
  RankedTensorType getStoredType(NodeId id);

  func::FuncOp function;
  const ScheduledGraph &graph;
  const Problem &problem;
  OpBuilder b;
  Location loc;
  Surroundings around;
  SmallVector<RankedTensorType> resultTypes;
  /// By the number of the function's result.
  SmallVector<Value> results;
};
} // namespace

/// Which dimensions of which arguments have the extents of axes.
static void addPlaces(const Node &argument,
                      std::map<AxisId, std::pair<unsigned, unsigned>> &places) {
  const AxisId *axis = argument.storage.begin();
  for (auto [dim, cut] :
       llvm::enumerate(getCuts(argument.storage, argument.cuts))) {
    if (!cut.kept)
      continue;
    if (cut.whole)
      places.try_emplace(*axis, argument.argument, dim);
    ++axis;
  }
}

/// The extents of all axes, read from arguments where they are dynamic.
LogicalResult FunctionEmitter::addExtents(ArrayRef<AxesAttr> argumentAxes) {
  std::map<AxisId, std::pair<unsigned, unsigned>> places;
  for (NodeId id = 0; id < problem.size(); ++id)
    if (problem[id].kind == NodeKind::Argument)
      addPlaces(problem[id], places);
  for (auto [number, axes] : llvm::enumerate(argumentAxes))
    for (auto [dim, name] : llvm::enumerate(axes.getNames()))
      places.try_emplace(problem.findAxis(name.getValue()), number, dim);
  SmallVector<AxisId> parts;
  for (auto [axis, info] : llvm::enumerate(problem.axes)) {
    auto place = places.find(axis);
    if (info.part && info.extent == kDynamic)
      parts.push_back(axis);
    if (info.extent != kDynamic)
      around.extents.push_back(b.getIndexAttr(info.extent));
    else if (info.part || place == places.end())
      around.extents.push_back({});
    else
      around.extents.push_back(
          tensor::DimOp::create(b, loc,
                                function.getArgument(place->second.first),
                                place->second.second)
              .getResult());
  }
  for (AxisId axis : parts) {
    auto [whole, outer] = *problem.axes[axis].part;
    if (around.extents[whole])
      around.extents[axis] = affine::makeComposedFoldedAffineApply(
          b, loc, b.getAffineDimExpr(0).ceilDiv(problem.axes[outer].extent),
          around.extents[whole]);
  }
  return success(llvm::all_of(graph.kernels, [&](const ScheduledKernel &k) {
    return succeeded(checkExtents(k.problem));
  }));
}

LogicalResult FunctionEmitter::checkExtents(const Problem &kernel) {
  AxisSet needed;
  for (const Result &result : kernel.results)
    needed = unite(needed, kernel[result.node].axes);
  for (NodeId id = 0; id < kernel.size(); ++id)
    needed =
        unite(needed, unite(kernel.getReducedAxes(id), kernel[id].reduced));
  for (AxisId axis : needed)
    if (!around.extents[axis])
      return function.emitOpError("expected an argument with axis '")
             << problem.axes[axis].name << "' to read its extent from";
  return success();
}

static RankedTensorType getPlainType(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return RankedTensorType::get(tensor.getShape(), tensor.getElementType());
}

/// Empties the function and gives it plain types.
void FunctionEmitter::replaceTypes() {
  SmallVector<Type> arguments;
  for (Type type : function.getArgumentTypes())
    arguments.push_back(getPlainType(type));
  for (Type type : function.getResultTypes())
    resultTypes.push_back(getPlainType(type));
  results.resize(resultTypes.size());
  function.getBody().front().dropAllReferences();
  function.getBody().getBlocks().clear();
  function.setFunctionType(b.getFunctionType(
      arguments, SmallVector<Type>(resultTypes.begin(), resultTypes.end())));
  b.setInsertionPointToStart(function.addEntryBlock());
  function->removeAttr(CleaveDialect::kSymbolsAttrName);
  function->removeAttr(CleaveDialect::kScheduleAttrName);
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    function.removeArgAttr(i, CleaveDialect::kRangeAttrName);
    around.arguments[i] = function.getArgument(i);
  }
}

RankedTensorType FunctionEmitter::getStoredType(NodeId id) {
  SmallVector<int64_t> shape;
  for (AxisId axis : getStorage(problem, id)) {
    int64_t extent = problem.axes[axis].extent;
    shape.push_back(extent == kDynamic ? ShapedType::kDynamic : extent);
  }
  return RankedTensorType::get(
      shape, getElementType(b.getContext(), problem[id].element));
}

void FunctionEmitter::emit(const ScheduledKernel &kernel,
                           const LoopNest &nest) {
  // As extractKernel lists them.
  SmallVector<RankedTensorType> types;
  SmallVector<std::pair<NodeId, std::optional<unsigned>>> stored;
  for (NodeId id : kernel.stores) {
    if (!isResult(problem, id)) {
      stored.push_back({id, std::nullopt});
      types.push_back(getStoredType(id));
    }
    for (auto [number, result] : llvm::enumerate(problem.results))
      if (result.node == id) {
        stored.push_back({id, number});
        types.push_back(resultTypes[number]);
      }
  }
  SmallVector<Value> values = emitKernel(b, loc, kernel, around, nest, types);
  for (auto [place, value] : llvm::zip_equal(stored, values)) {
    around.arguments[problem.argumentNames.size() + place.first] = value;
    if (place.second)
      results[*place.second] = value;
  }
}

LogicalResult FunctionEmitter::run(ArrayRef<LoopNest> nests) {
  SmallVector<AxesAttr> argumentAxes;
  for (Type type : function.getArgumentTypes())
    argumentAxes.push_back(getAxes(type));
  replaceTypes();
  if (failed(addExtents(argumentAxes)))
    return failure();
  for (auto [kernel, nest] : llvm::zip_equal(graph.kernels, nests))
    emit(kernel, nest);
  func::ReturnOp::create(b, loc, results);
  return success();
}

LogicalResult cleave::emitKernels(func::FuncOp function,
                                  const ScheduledGraph &graph,
                                  ArrayRef<LoopNest> nests) {
  return FunctionEmitter(function, graph).run(nests);
}
