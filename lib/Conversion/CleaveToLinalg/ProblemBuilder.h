//===- ProblemBuilder.h - A cleave function as a scheduling problem -------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: scheduling. Builds the nodes of a problem; BuildViews.cpp has the
// views and what looks up positions, BuildFolds.cpp the folds.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_LIB_CONVERSION_CLEAVETOLINALG_PROBLEMBUILDER_H
#define CLEAVE_LIB_CONVERSION_CLEAVETOLINALG_PROBLEMBUILDER_H

#include "Cleave/Conversion/CleaveToLinalg.h"
#include <map>
#include <set>
#include <tuple>

namespace mlir::cleave {

using schedule::AxisId;
using schedule::AxisSet;
using schedule::Combiner;
using schedule::Element;
using schedule::NodeId;

/// What the positions along an axis in the IR are where a value is used:
/// `offset`, plus that along an axis of the problem, plus `stride` times that
/// along another.
struct View {
  std::optional<AxisId> axis;
  int64_t offset = 0;
  std::optional<AxisId> outer;
  int64_t stride = 0;
  /// The two axes are equally long.
  bool whole = true;

  auto key() const { return std::tie(axis, offset, outer, stride, whole); }
  bool isPosition() const { return !axis && !outer; }
  bool operator<(const View &other) const { return key() < other.key(); }
  bool operator==(const View &other) const { return key() == other.key(); }
};

/// Axes of a value in the IR that are something else where it is used.
using Renaming = std::map<AxisId, View>;

/// Nodes of values under a renaming (restricted to the axes of the value).
using NodeMap =
    std::map<std::pair<const void *, std::vector<std::pair<AxisId, View>>>,
             NodeId>;

/// The rows that an insert writes, and into what.
struct Insertion {
  NodeId cache = 0;
  schedule::Update update;
};

/// A function's body, or a fold's region.
struct Scope {
  NodeMap nodes;
  /// Of a region: its arguments' nodes where axes are named as `renaming` says,
  /// and the values outside that they stand for, if not for states.
  DenseMap<Value, NodeId> arguments;
  DenseMap<Value, Value> outside;
  Renaming renaming;
};

/// A reduction over one part of a concatenated axis, or over a whole axis.
struct ReducedPart {
  SmallVector<NodeId> operands;
  AxisSet reduced;
};

/// A fold of the problem, under one renaming of its results' axes.
struct FoldInstance {
  unsigned fold = 0;
  Renaming renaming;
  /// Its states by those of the operation.
  std::map<unsigned, unsigned> places;
};

class ProblemBuilder {
public:
  ProblemBuilder(func::FuncOp function, AlternativesOp alternatives,
                 unsigned region)
      : function(function), alternatives(alternatives), region(region) {}

  LogicalResult addAxes(const AxisTable &axes, const Bindings &representative);
  void numberOps();
  void addPairs();
  void findViewedAxes();
  LogicalResult addResults();
  schedule::Problem problem;

private:
  FailureOr<NodeId> build(Value value, const Renaming &renaming);
  FailureOr<NodeId> buildNew(Value value, const Renaming &renaming);
  FailureOr<NodeId> buildRegionArgument(Value argument, NodeId node,
                                        const Renaming &renaming);
  FailureOr<NodeId> buildArgument(BlockArgument argument,
                                  const Renaming &renaming);
  FailureOr<NodeId> buildOp(Operation *op, const Renaming &renaming);
  FailureOr<NodeId> buildPointwise(Operation *op, schedule::Pointwise kind,
                                   const Renaming &renaming);
  FailureOr<NodeId> buildReduction(Operation *op, AxesAttr axes,
                                   const Renaming &renaming);
  FailureOr<NodeId> buildFold(FoldOp op, unsigned state,
                              const Renaming &renaming);
  FailureOr<NodeId> buildSingleStep(FoldOp op, unsigned state,
                                    const Renaming &outer,
                                    const Renaming &inside);
  FailureOr<SmallVector<NodeId>> buildBody(FoldOp op, unsigned state,
                                           ArrayRef<NodeId> arguments,
                                           const Renaming &renaming);
  LogicalResult addState(FoldOp op, unsigned index, schedule::Fold &fold,
                         FoldInstance &instance, const Renaming &renaming);
  bool namesAllAxes(FoldOp op, unsigned state);
  FailureOr<NodeId> buildRegion(Region &region, unsigned yielded,
                                ArrayRef<NodeId> arguments, ValueRange outside,
                                const Renaming &renaming);

  // Views, and choices by position.
  FailureOr<NodeId> buildSlice(SliceOp op, const Renaming &renaming);
  FailureOr<NodeId> buildSplit(SplitOp op, const Renaming &renaming);
  FailureOr<NodeId> buildMerge(MergeOp op, const Renaming &renaming);
  FailureOr<NodeId> buildConcat(ConcatOp op, const Renaming &renaming);
  FailureOr<NodeId> buildGather(GatherOp op, const Renaming &renaming);
  FailureOr<NodeId> buildInsert(InsertOp op, const Renaming &renaming);
  void addInsertion(InsertOp op, const Renaming &renaming, NodeId cache,
                    NodeId position, NodeId result);
  LogicalResult addUpdate(unsigned number, NodeId value,
                          const schedule::Result &result);
  FailureOr<NodeId> buildChoice(Value table, StringAttr axis, Value result,
                                NodeId position, NodeId otherwise,
                                const Renaming &renaming);
  View viewOf(const Renaming &renaming, AxisId axis) const;
  schedule::Cut getCut(StringAttr name, const View &view);
  NodeId addIota(const View &view, Element element);
  NodeId addExtent(AxisId axis, Element element);
  Element getCounter(ArrayRef<AxisId> axes);

  Renaming enterReduction(AxesAttr axes, const Renaming &renaming,
                          AxesAttr resultAxes, AxisSet &reduced,
                          const Renaming &chosen = {});
  LogicalResult addParts(Operation *op, AxesAttr axes, const Renaming &renaming,
                         Renaming chosen, std::vector<ReducedPart> &parts);
  AxisId getUntaken(AxisId axis, const AxisSet &taken);
  AxisSet getFreeAxes(AxesAttr axes, const Renaming &renaming);
  NodeId addReduction(Combiner combiner, ArrayRef<NodeId> operands,
                      const AxisSet &reduced, Element element);
  LogicalResult roundOperands(MutableArrayRef<NodeId> operands,
                              std::optional<Type> declared);
  Element getNarrowestArgument(ArrayRef<NodeId> roots);
  NodeId foldConstants(NodeId id);
  bool isEmpty(const AxisSet &reduced);
  NodeId addUnit(Combiner combiner, Element element, Value result,
                 const Renaming &renaming);
  int64_t getExtent(StringAttr name) {
    return problem.axes[getAxis(name)].extent;
  }
  AxisId getAxis(StringAttr name) { return problem.findAxis(name.getValue()); }
  FailureOr<Element> getElement(Type type, Location loc);
  void addName(NodeId id, const std::string &name);
  void addName(NodeId id, Value value);

  func::FuncOp function;
  AlternativesOp alternatives;
  unsigned region;
  /// The innermost is that of the fold's region being built.
  std::vector<Scope> scopes{1};
  /// What stands for an axis that a merge makes: axes of its parts, and the
  /// extent of the inner one.
  std::map<AxisId, View> pairs;
  /// The parts of concatenated axes.
  std::map<AxisId, SmallVector<AxisId>> sums;
  /// By value, what could be written in place.
  std::map<NodeId, Insertion> insertions;
  std::map<Operation *, std::vector<FoldInstance>> foldInstances;
  /// Axes that are other ones below some operation.
  std::set<AxisId> viewed;
  /// The operations outside of folds, in order.
  DenseMap<Operation *, unsigned> numbers;
  std::set<std::string> names;
};

} // namespace mlir::cleave

#endif // CLEAVE_LIB_CONVERSION_CLEAVETOLINALG_PROBLEMBUILDER_H
