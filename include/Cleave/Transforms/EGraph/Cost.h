//===- Cost.h - The cost of a selection -------------------------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A *selection* picks one node of each class that the roots need: a DAG. Its
// cost is a vector:
//   [0] sweeps: summed over axes, how often one after the other an axis has to
//       be swept. A node that sweeps axis k is at level 1 + the largest below.
//   [1] bytes read from storage: a storage is read once for each level at which
//       the longest of its axes that are swept is; a sweep that nothing waits
//       for may share a later level's.
//   [2...] sums over the nodes, each counted once however often it is used.
// Selections are compared by what the model makes of the vector, then
// lexicographically.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_TRANSFORMS_EGRAPH_COST_H
#define CLEAVE_TRANSFORMS_EGRAPH_COST_H

#include "Cleave/Transforms/EGraph/EGraph.h"
#include <map>
#include <tuple>

namespace mlir::cleave::egraph {

using Cost = std::vector<double>;

/// What one node contributes.
struct NodeCost {
  /// The axes that the node sweeps; empty for one that does not.
  AxisSet sweeps;
  /// Tells sweeps of different kinds apart in a skeleton.
  uint64_t kind = 0;
  /// For a storage: an id, the same for nodes that read the same bytes.
  std::optional<uint32_t> storage;
  AxisSet storageAxes;
  double bytes = 0;
  /// For a view: axes that its result has in place of others.
  llvm::SmallVector<std::pair<AxisSet, AxisSet>, 1> renamed;
  /// Each node of a model has the same number of these.
  llvm::SmallVector<double, 4> work;
  /// Symbol and payload by content rather than by id: breaks ties in a way that
  /// does not depend on the order in which nodes were made.
  uint64_t identity = 0;
};

class CostModel {
public:
  virtual ~CostModel() = default;
  virtual unsigned getNumWorkTerms() const = 0;
  /// Empty where the node must not be selected.
  virtual std::optional<NodeCost> getCost(const EGraph &graph, ClassId id,
                                          const Node &node) = 0;
  /// One number that comes before the vector.
  virtual double weigh(const Cost &cost) const { return 0; }
  virtual double getExtent(unsigned axis) const { return 1; }
};

/// The costs of all nodes of a rebuilt graph, each asked for once.
class CostTable {
public:
  CostTable(const EGraph &graph, CostModel &model);
  const std::optional<NodeCost> &get(ClassId id, unsigned node) const {
    return costs.at(id)[node];
  }
  const CostModel &getModel() const { return model; }

private:
  std::map<ClassId, std::vector<std::optional<NodeCost>>> costs;
  const CostModel &model;
};

/// For each class the index of its node. Ordered, as it reaches output.
using Selection = std::map<ClassId, unsigned>;

struct Evaluation {
  /// What the model makes of the cost.
  double weight = 0;
  Cost cost;
  /// Names the DAG of the sweeps: equal for selections that differ only in
  /// pointwise work and in what they share.
  uint64_t skeleton = 0;
  /// A hash of the whole expression; breaks ties.
  uint64_t form = 0;

  bool operator<(const Evaluation &other) const {
    return std::tie(weight, cost, form) <
           std::tie(other.weight, other.cost, other.form);
  }
};

/// The classes that `roots` need, children first. Empty for a selection that
/// has a cycle or leaves a class out.
std::optional<std::vector<ClassId>> sortSelection(const EGraph &graph,
                                                  llvm::ArrayRef<ClassId> roots,
                                                  const Selection &selection);

/// Empty if the selection is no DAG, or has a refused node.
std::optional<Evaluation> evaluate(const EGraph &graph,
                                   llvm::ArrayRef<ClassId> roots,
                                   const Selection &selection,
                                   const CostTable &table);

/// Mixes `value` into `seed`; the same on each machine.
uint64_t mixHash(uint64_t seed, uint64_t value);

} // namespace mlir::cleave::egraph

#endif // CLEAVE_TRANSFORMS_EGRAPH_COST_H
