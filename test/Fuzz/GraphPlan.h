//===- GraphPlan.h - A random graph as plain data ---------------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A graph before it is IR, so that it can be made smaller one node at a time
// while a failure lasts: nodes by number, types follow from axes.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_TEST_FUZZ_GRAPHPLAN_H
#define CLEAVE_TEST_FUZZ_GRAPHPLAN_H

#include "Cleave/Dialect/SymbolicDim.h"
#include "mlir/IR/BuiltinOps.h"
#include <functional>

namespace mlir::cleave {

using AxisNames = SmallVector<std::string, 4>;

/// An axis with its extent in each run.
struct AxisPlan {
  bool isDynamic = false;
  SmallVector<int64_t, 3> extents;
};

struct NodePlan {
  /// The operation's name without the dialect, or "argument".
  std::string op;
  SmallVector<unsigned, 3> operands;
  /// Of the value, in storage order.
  AxisNames axes;
  Type element;
  SmallVector<NamedAttribute, 3> attributes;
};

struct GraphPlan {
  std::map<std::string, AxisPlan> axes;
  std::vector<NodePlan> nodes;
  std::vector<unsigned> results;

  /// A module with the function `f`; null where it is not valid.
  OwningOpRef<ModuleOp> build(MLIRContext &context) const;
  /// The extents of run `number`.
  Bindings getExtents(size_t number) const;
  size_t countRuns() const;
  /// Operations that results need.
  size_t countOps() const;
  /// Drops the nodes and axes that no result needs.
  void prune();
};

/// The graph of a seed: 3 to 15 operations over 2 to 5 axes, some of which
/// appear in the graph only.
GraphPlan makeRandomGraph(MLIRContext &context, unsigned seed);

/// The smallest graph found from `plan` for which `fails` holds as it does for
/// the plan itself.
GraphPlan shrink(GraphPlan plan,
                 const std::function<bool(const GraphPlan &)> &fails);

} // namespace mlir::cleave

#endif // CLEAVE_TEST_FUZZ_GRAPHPLAN_H
