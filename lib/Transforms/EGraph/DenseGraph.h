//===- DenseGraph.h - An e-graph laid out for extraction --------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to extraction, which looks at tens of thousands of selections: the
// classes that the roots can reach, numbered, with the nodes that may be
// selected.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_LIB_TRANSFORMS_EGRAPH_DENSEGRAPH_H
#define CLEAVE_LIB_TRANSFORMS_EGRAPH_DENSEGRAPH_H

#include "Cleave/Transforms/EGraph/Cost.h"

namespace mlir::cleave::egraph {

/// For each class the number of its node, or -1.
using Choice = std::vector<int>;

struct DenseNode {
  const NodeCost *cost;
  llvm::SmallVector<uint32_t, 4> children;
  /// The position in the class.
  unsigned index;
  bool isUnordered;
};

class DenseGraph {
public:
  DenseGraph(const EGraph &graph, llvm::ArrayRef<ClassId> roots,
             const CostTable &table);

  size_t size() const { return classes.size(); }
  llvm::ArrayRef<uint32_t> getRoots() const { return roots; }
  llvm::ArrayRef<DenseNode> getNodes(uint32_t id) const { return classes[id]; }
  const DenseNode &getNode(const Choice &choice, uint32_t id) const {
    return classes[id][choice[id]];
  }
  unsigned getNumAxes() const { return numAxes; }
  const CostModel &getModel() const { return model; }

  /// The classes that the roots need, children first; empty where there is a
  /// cycle or a class without a node.
  std::optional<std::vector<uint32_t>> sort(const Choice &choice) const;
  std::optional<Evaluation> evaluate(const Choice &choice) const;

  Choice fromSelection(const Selection &selection) const;
  /// What the roots need.
  Selection toSelection(const Choice &choice) const;

private:
  std::vector<ClassId> ids;
  std::map<ClassId, uint32_t> positions;
  std::vector<std::vector<DenseNode>> classes;
  llvm::SmallVector<uint32_t, 4> roots;
  unsigned numAxes = 0;
  const CostModel &model;
};

} // namespace mlir::cleave::egraph

#endif // CLEAVE_LIB_TRANSFORMS_EGRAPH_DENSEGRAPH_H
