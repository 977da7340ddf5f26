//===- Problem.h - What the scheduler knows of a graph ----------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The graph of one region as plain data: axes with extents, hash-consed nodes
// (pointwise operations, reductions, folds, arguments). Scheduling decides on
// this and never looks at IR; the emitter reads bodies from the same nodes.
// Named subgraphs do not exist here: a fold is a list of states, no softmax.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_TRANSFORMS_SCHEDULE_PROBLEM_H
#define CLEAVE_TRANSFORMS_SCHEDULE_PROBLEM_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mlir::cleave::schedule {

using AxisId = unsigned;
using NodeId = unsigned;
/// Axes in increasing order.
using AxisSet = llvm::SmallVector<AxisId, 4>;

constexpr int64_t kDynamic = -1;

enum class Element { I1, I8, I16, I32, I64, F16, BF16, F32, F64 };
unsigned getBits(Element element);
bool isFloat(Element element);
llvm::StringRef getName(Element element);

/// An axis in parts: position (o, i) is position o * |inner| + i of `whole`,
/// and exists only where that is one.
struct PartOf {
  AxisId whole = 0, outer = 0;
};

struct Axis {
  std::string name;
  /// kDynamic if only known at run time.
  int64_t extent = kDynamic;
  /// The extent that decisions are made for.
  int64_t representative = 1;
  /// A tile has one position: the axis is the outer part of a dimension in
  /// memory. Tiles have no dimension for it.
  bool unit = false;
  /// A block may have fewer positions than there are: see Place.
  bool clipped = false;
  /// Set if parts may be short or empty.
  std::optional<PartOf> part;
  /// Of a product: the axes that it is, in the order of their strides.
  llvm::SmallVector<AxisId, 2> factors;

  /// Whether a tile has all of the axis.
  bool isCoveredBy(int64_t tile) const {
    return extent != kDynamic && tile >= extent && !part && !clipped;
  }
};

enum class NodeKind {
  Argument,  // a tensor in device memory
  Constant,  // a splat
  Extent,    // the extent of an axis as a number
  Pointwise, // an operation on elements, broadcast by axis
  Reduce,    // a sum, maximum, ... over axes
  Contract,  // a sum of products over axes
  FoldState, // a fold's state after its last step, unguarded
  FoldRef,   // inside a fold: an earlier state at the newest step
  FoldOld    // inside a fold: a state before the current step
};

enum class Pointwise {
  Add,
  Mul,
  Max,
  Min,
  Sub,
  Div,
  Pow,
  Neg,
  Recip,
  Recip0,
  Abs,
  Exp,
  Exp2,
  Log,
  Tanh,
  Erf,
  Sqrt,
  Rsqrt,
  Sigmoid,
  IsFinite,
  CmpEq,
  CmpNe,
  CmpLt,
  CmpLe,
  CmpGt,
  CmpGe,
  Select,
  Iota, // the position along the node's axis plus its value; no operands
  Cast  // to the node's element type; also a plain copy
};
llvm::StringRef getName(Pointwise op);

enum class Combiner { Sum, Max, Min, Prod };
llvm::StringRef getName(Combiner combiner);

/// Which positions of a dimension in memory are read or written: `offset`, plus
/// that along its axis, plus `stride` times that along `outer`.
struct Cut {
  int64_t offset = 0;
  /// 0 if there is no outer axis, kDynamic for the extent of the axis.
  int64_t stride = 0;
  AxisId outer = 0;
  /// There is an axis.
  bool kept = true;
  /// The axis is as long as the dimension.
  bool whole = true;
  /// The outer axis and the axis are the dimension.
  bool full = false;
};

/// The axes that each dimension of a tensor in memory is made of.
using Dimensions = llvm::SmallVector<llvm::SmallVector<AxisId, 2>, 4>;

struct Node {
  NodeKind kind = NodeKind::Constant;
  Element element = Element::F32;
  /// The free axes.
  AxisSet axes;
  llvm::SmallVector<NodeId, 2> operands;
  Pointwise op = Pointwise::Cast;
  Combiner combiner = Combiner::Sum;
  /// Reduce, Contract: what is reduced. Extent: the one axis.
  AxisSet reduced;
  /// Constant: what it is. Iota: the first position.
  double value = 0;
  /// Argument: its number, its axes in storage order, and how each of its
  /// dimensions is read (none if all are whole).
  unsigned argument = 0;
  llvm::SmallVector<AxisId, 4> storage;
  llvm::SmallVector<Cut, 4> cuts;
  /// The tensor's own dimensions, if those of `storage` are others.
  Dimensions dims;
  /// FoldState, FoldRef, FoldOld: which.
  unsigned fold = 0, state = 0;

  bool isReduction() const {
    return kind == NodeKind::Reduce || kind == NodeKind::Contract;
  }
};

struct FoldState {
  /// A contraction sums the product of its two operands.
  bool contraction = false;
  Combiner combiner = Combiner::Sum;
  /// What a step reduces, at the newest references: one node, or two for a
  /// contraction.
  llvm::SmallVector<NodeId, 2> body;
  /// The state before the step, moved to the newest references.
  NodeId rebased = 0;
  NodeId ref = 0, old = 0, result = 0;
  AxisSet axes;
  Element element = Element::F32;
};

struct Fold {
  AxisSet axes;
  std::vector<FoldState> states;
};

/// Where a kernel writes positions of an argument in place: those of the result
/// along `axis` start at the number in argument `position`, and what is before
/// or behind `along` is dropped.
struct Place {
  unsigned argument = 0;
  AxisId axis = 0, along = 0;
  unsigned position = 0;
  /// The axes of `position` in storage order; blocks have one position of each.
  llvm::SmallVector<AxisId, 4> positionAxes;

  bool sameRows(const Place &other) const {
    return axis == other.axis && along == other.along &&
           position == other.position && positionAxes == other.positionAxes;
  }
};

struct Result {
  NodeId node = 0;
  /// Its axes in storage order, and how each dimension is written (none if all
  /// are whole).
  llvm::SmallVector<AxisId, 4> storage;
  llvm::SmallVector<Cut, 4> cuts;
  /// The tensor's own dimensions, if those of `storage` are others.
  Dimensions dims;
  /// Of a kernel: set if the result is written in place.
  std::optional<Place> place;
};

/// A result that is an argument with some positions replaced by `source`.
struct Update {
  NodeId source = 0;
  Place place;
};

class Problem {
public:
  std::vector<Axis> axes;
  /// Axes with one extent.
  std::vector<std::pair<AxisId, AxisId>> equalAxes;
  std::vector<Fold> folds;
  std::vector<Result> results;
  /// By their node, the results that are stored in place.
  std::map<NodeId, Update> updates;
  std::vector<std::string> argumentNames, resultNames;
  /// Of the nodes that stand for a value of the IR, each another.
  std::map<NodeId, std::string> nodeNames;

  AxisId addAxis(llvm::StringRef name, int64_t extent, int64_t representative);
  /// The axis of that name, or -1.
  int findAxis(llvm::StringRef name) const;

  /// The node equal to `node`, made if there is none.
  NodeId add(Node node);
  NodeId addArgument(unsigned number, Element element,
                     llvm::ArrayRef<AxisId> storage,
                     llvm::ArrayRef<Cut> cuts = {}, Dimensions dims = {});
  NodeId addConstant(double value, Element element = Element::F32);
  /// The axes are those of the operands.
  NodeId addPointwise(Pointwise op, llvm::ArrayRef<NodeId> operands,
                      Element element = Element::F32);
  NodeId addReduce(Combiner combiner, NodeId operand, AxisSet reduced,
                   Element element = Element::F32);
  NodeId addContract(NodeId lhs, NodeId rhs, AxisSet reduced,
                     Element element = Element::F32);
  /// `node` in `element`, or itself if it already is.
  NodeId addCast(NodeId node, Element element);

  const Node &operator[](NodeId id) const { return nodes[id]; }

  /// Makes one axis of `outer` and `inner`, which must always occur together
  /// (see Products.h), and returns it.
  AxisId multiplyAxes(AxisId outer, AxisId inner);
  size_t size() const { return nodes.size(); }

  /// What must be known before `id` can be: a fold's state depends on all
  /// bodies of its fold.
  llvm::SmallVector<NodeId, 4> getDependencies(NodeId id) const;
  /// The axes that `id` reduces; empty for other nodes.
  const AxisSet &getReducedAxes(NodeId id) const;
  /// Whether `id` is computed from constants and extents only, and thus costs
  /// nothing to repeat wherever it is used.
  bool isScalar(NodeId id) const { return scalars[id]; }
  /// Which extents of axes tell problems apart.
  enum class KeyExtents { None, Known, All };
  /// Equal for graphs of kernels that differ in names, and in other extents,
  /// only: all are those that decisions are made for too. Arguments from number
  /// `arguments` on are stored values, whose numbers do not matter.
  std::vector<int64_t> getKey(unsigned arguments, KeyExtents extents) const;
  /// How many nodes and results use each node.
  std::vector<unsigned> countUses() const;
  /// The references and old states that `id` is computed from.
  const std::vector<NodeId> &getFoldLeaves(NodeId id) const {
    return foldLeaves[id];
  }

private:
  std::vector<Node> nodes;
  std::vector<std::vector<NodeId>> foldLeaves;
  std::vector<bool> scalars;
  std::map<std::vector<int64_t>, NodeId> known;
};

/// The neutral element of a combiner.
double getUnit(Combiner combiner);

bool contains(llvm::ArrayRef<AxisId> axes, AxisId axis);
AxisSet unite(llvm::ArrayRef<AxisId> a, llvm::ArrayRef<AxisId> b);
AxisSet subtract(llvm::ArrayRef<AxisId> a, llvm::ArrayRef<AxisId> b);

} // namespace mlir::cleave::schedule

#endif // CLEAVE_TRANSFORMS_SCHEDULE_PROBLEM_H
