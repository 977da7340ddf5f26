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
#include "Cleave/Transforms/Schedule/Products.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include <set>

using namespace mlir;
using namespace mlir::cleave;
using namespace mlir::cleave::schedule;

namespace {
/// Writes the function around the kernels.
class FunctionEmitter {
public:
  explicit FunctionEmitter(func::FuncOp function)
      : function(function), b(function.getContext()), loc(function.getLoc()) {}

  LogicalResult run(ArrayRef<ScheduledGraph> graphs,
                    ArrayRef<std::vector<LoopNest>> nests);

private:
  bool hasWideArgument();
  void replaceTypes();
  Value getDim(unsigned argument, unsigned dim);
  Value emitCondition(const ScheduledGraph &graph);
  FailureOr<SmallVector<Value>>
  emitFirst(ArrayRef<ScheduledGraph> graphs,
            ArrayRef<std::vector<LoopNest>> nests);
  FailureOr<SmallVector<Value>> emitGraph(const ScheduledGraph &graph,
                                          ArrayRef<LoopNest> nests);

  func::FuncOp function;
  OpBuilder b;
  Location loc;
  /// As they were.
  SmallVector<AxesAttr> argumentAxes;
  SmallVector<RankedTensorType> resultTypes;
  /// The extents that are read from arguments, and the last operation of these.
  std::map<std::pair<unsigned, unsigned>, Value> dims;
  Operation *lastDim = nullptr;
};

/// Writes the kernels of one graph.
class GraphEmitter {
public:
  GraphEmitter(func::FuncOp function, const ScheduledGraph &graph, OpBuilder &b)
      : function(function), graph(graph), problem(graph.problem), b(b),
        loc(function.getLoc()) {
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      around.arguments[i] = function.getArgument(i);
  }

  LogicalResult
  addExtents(ArrayRef<AxesAttr> argumentAxes,
             function_ref<Value(unsigned argument, unsigned dim)> getDim);
  /// What the function returns.
  SmallVector<Value> run(ArrayRef<LoopNest> nests,
                         ArrayRef<RankedTensorType> resultTypes);

private:
  LogicalResult checkExtents(const Problem &kernel);
  std::vector<bool> findNeeded() const;
  void emit(const ScheduledKernel &kernel, const LoopNest &nest,
            ArrayRef<RankedTensorType> resultTypes);
  RankedTensorType getStoredType(NodeId id);

  func::FuncOp function;
  const ScheduledGraph &graph;
  const Problem &problem;
  OpBuilder &b;
  Location loc;
  Surroundings around;
  /// By the number of the function's result.
  SmallVector<Value> results;
};
} // namespace

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

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
LogicalResult GraphEmitter::addExtents(
    ArrayRef<AxesAttr> argumentAxes,
    function_ref<Value(unsigned argument, unsigned dim)> getDim) {
  std::map<AxisId, std::pair<unsigned, unsigned>> places;
  for (NodeId id = 0; id < problem.size(); ++id)
    if (problem[id].kind == NodeKind::Argument)
      addPlaces(problem[id], places);
  for (auto [number, axes] : llvm::enumerate(argumentAxes))
    for (auto [dim, name] : llvm::enumerate(axes.getNames()))
      places.try_emplace(problem.findAxis(name.getValue()), number, dim);
  for (size_t before = 0; before != places.size();) {
    before = places.size();
    for (auto [from, to] : problem.equalAxes)
      for (auto [known, other] : {std::pair(from, to), {to, from}})
        if (auto place = places.find(known); place != places.end())
          places.try_emplace(other, place->second);
  }
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
          getDim(place->second.first, place->second.second));
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

LogicalResult GraphEmitter::checkExtents(const Problem &kernel) {
  AxisSet needed;
  for (const Result &result : kernel.results)
    needed = unite(needed, kernel[result.node].axes);
  for (NodeId id = 0; id < kernel.size(); ++id)
    needed =
        unite(needed, unite(kernel.getReducedAxes(id), kernel[id].reduced));
  for (AxisId product : needed)
    for (AxisId axis : getFactors(kernel, product))
      if (!around.extents[axis])
        return function.emitOpError("expected an argument with axis '")
               << problem.axes[axis].name << "' to read its extent from";
  return success();
}

RankedTensorType GraphEmitter::getStoredType(NodeId id) {
  SmallVector<int64_t> shape;
  for (AxisId axis : getStorage(problem, id)) {
    int64_t extent = problem.axes[axis].extent;
    shape.push_back(extent == kDynamic ? ShapedType::kDynamic : extent);
  }
  return RankedTensorType::get(
      shape, getElementType(b.getContext(), problem[id].element));
}

void GraphEmitter::emit(const ScheduledKernel &kernel, const LoopNest &nest,
                        ArrayRef<RankedTensorType> resultTypes) {
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

/// Whether the function returns, or a kernel that is needed reads, what each
/// kernel stores. Others would be erased later, and then those beside them be
/// beside kernels that they depend on.
std::vector<bool> GraphEmitter::findNeeded() const {
  std::vector<bool> needed(graph.kernels.size());
  std::set<NodeId> read;
  for (size_t number = needed.size(); number-- > 0;) {
    const ScheduledKernel &kernel = graph.kernels[number];
    needed[number] = llvm::any_of(kernel.stores, [&](NodeId id) {
      return isResult(problem, id) || read.count(id);
    });
    if (!needed[number])
      continue;
    for (size_t other = 0; other < number; ++other)
      for (NodeId id : graph.kernels[other].stores)
        if (readsArgument(kernel.problem, problem.argumentNames.size() + id))
          read.insert(id);
  }
  return needed;
}

SmallVector<Value> GraphEmitter::run(ArrayRef<LoopNest> nests,
                                     ArrayRef<RankedTensorType> resultTypes) {
  results.resize(resultTypes.size());
  for (auto [kernel, nest, isNeeded] :
       llvm::zip_equal(graph.kernels, nests, findNeeded())) {
    around.inLaunch &= kernel.sharesLaunch();
    if (!isNeeded)
      continue;
    emit(kernel, nest, resultTypes);
    around.front = &kernel;
    around.inLaunch |= !hasNoBlocks(kernel.problem, nest);
  }
  return results;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

static RankedTensorType getPlainType(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return RankedTensorType::get(tensor.getShape(), tensor.getElementType());
}

/// Whether a declared range exceeds what rewrites assume without one.
bool FunctionEmitter::hasWideArgument() {
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    auto range =
        function.getArgAttrOfType<FloatAttr>(i, CleaveDialect::kRangeAttrName);
    if (range && range.getValueAsDouble() > CleaveDialect::kDefaultRange)
      return true;
  }
  return false;
}

/// Empties the function and gives it plain types.
void FunctionEmitter::replaceTypes() {
  SmallVector<Type> arguments;
  for (Type type : function.getArgumentTypes())
    arguments.push_back(getPlainType(type));
  for (Type type : function.getArgumentTypes())
    argumentAxes.push_back(getAxes(type));
  for (Type type : function.getResultTypes())
    resultTypes.push_back(getPlainType(type));
  function.getBody().front().dropAllReferences();
  function.getBody().getBlocks().clear();
  function.setFunctionType(b.getFunctionType(
      arguments, SmallVector<Type>(resultTypes.begin(), resultTypes.end())));
  b.setInsertionPointToStart(function.addEntryBlock());
  function->removeAttr(CleaveDialect::kSymbolsAttrName);
  function->removeAttr(CleaveDialect::kScheduleAttrName);
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    function.removeArgAttr(i, CleaveDialect::kRangeAttrName);
}

/// At the function's start, so that all branches share it.
Value FunctionEmitter::getDim(unsigned argument, unsigned dim) {
  Value &value = dims[{argument, dim}];
  if (value)
    return value;
  OpBuilder::InsertionGuard guard(b);
  if (lastDim)
    b.setInsertionPointAfter(lastDim);
  else
    b.setInsertionPointToStart(&function.front());
  value = tensor::DimOp::create(b, loc, function.getArgument(argument), dim);
  lastDim = value.getDefiningOp();
  return value;
}

Value FunctionEmitter::emitCondition(const ScheduledGraph &graph) {
  Value all;
  for (const auto &[name, bound] : graph.when) {
    auto axis = StringAttr::get(b.getContext(), name);
    const auto *argument = llvm::find_if(
        argumentAxes, [&](AxesAttr axes) { return axes.contains(axis); });
    Value extent =
        getDim(argument - argumentAxes.begin(), argument->indexOf(axis));
    Value holds =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle, extent,
                              arith::ConstantIndexOp::create(b, loc, bound));
    all = all ? arith::AndIOp::create(b, loc, all, holds).getResult() : holds;
  }
  return all;
}

FailureOr<SmallVector<Value>>
FunctionEmitter::emitGraph(const ScheduledGraph &graph,
                           ArrayRef<LoopNest> nests) {
  GraphEmitter emitter(function, graph, b);
  if (failed(emitter.addExtents(argumentAxes,
                                [&](unsigned argument, unsigned dim) {
                                  return getDim(argument, dim);
                                })))
    return failure();
  return emitter.run(nests, resultTypes);
}

/// The first of `graphs` whose conditions hold.
FailureOr<SmallVector<Value>>
FunctionEmitter::emitFirst(ArrayRef<ScheduledGraph> graphs,
                           ArrayRef<std::vector<LoopNest>> nests) {
  if (graphs.size() == 1)
    return emitGraph(graphs.front(), nests.front());
  auto branch = scf::IfOp::create(
      b, loc, SmallVector<Type>(resultTypes.begin(), resultTypes.end()),
      emitCondition(graphs.front()), /*withElseRegion=*/true);
  ScheduleAttr schedule = getScheduleAttr(b.getContext(), graphs.front());
  branch->setAttr("cleave.when", b.getStringAttr(schedule.describeWhen()));
  OpBuilder::InsertionGuard guard(b);
  auto emitBranch = [&](Block *block, auto emit) -> LogicalResult {
    b.setInsertionPointToStart(block);
    FailureOr<SmallVector<Value>> values = emit();
    if (failed(values))
      return failure();
    scf::YieldOp::create(b, loc, *values);
    return success();
  };
  if (failed(emitBranch(
          branch.thenBlock(),
          [&] { return emitGraph(graphs.front(), nests.front()); })) ||
      failed(emitBranch(branch.elseBlock(), [&] {
        return emitFirst(graphs.drop_front(), nests.drop_front());
      })))
    return failure();
  return SmallVector<Value>(branch.getResults());
}

LogicalResult FunctionEmitter::run(ArrayRef<ScheduledGraph> graphs,
                                   ArrayRef<std::vector<LoopNest>> nests) {
  bool isWide = hasWideArgument();
  replaceTypes();
  FailureOr<SmallVector<Value>> results = emitFirst(graphs, nests);
  if (failed(results))
    return failure();
  if (isWide)
    function.walk(
        [&](scf::ForallOp op) { op->setAttr("cleave.wide", b.getUnitAttr()); });
  func::ReturnOp::create(b, loc, *results);
  return success();
}

LogicalResult cleave::emitKernels(func::FuncOp function,
                                  ArrayRef<ScheduledGraph> graphs,
                                  ArrayRef<std::vector<LoopNest>> nests) {
  return FunctionEmitter(function).run(graphs, nests);
}
