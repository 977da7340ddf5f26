//===- Extraction.h - From the e-graph back to IR ---------------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a node costs, which ones strict numerics refuses, and how a selection
// becomes operations.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_TRANSFORMS_ALGEBRA_EXTRACTION_H
#define CLEAVE_TRANSFORMS_ALGEBRA_EXTRACTION_H

#include "Cleave/Transforms/Algebra/AlgebraGraph.h"
#include "Cleave/Transforms/EGraph/Extract.h"

namespace mlir::cleave {

/// Why strict numerics refuses a node, and the value that is to blame.
struct Refusal {
  std::string reason;
  egraph::ClassId culprit;
};

/// Work at the representative extents. Nodes of the input are never refused.
class AlgebraCostModel final : public egraph::CostModel {
public:
  explicit AlgebraCostModel(const AlgebraGraph &graph) : graph(graph) {}

  /// Pointwise and tensor-core work, and the number of nodes.
  unsigned getNumWorkTerms() const override { return 2; }
  std::optional<egraph::NodeCost> getCost(const egraph::EGraph &,
                                          egraph::ClassId id,
                                          const egraph::Node &node) override;

  double weigh(const egraph::Cost &cost) const override;
  double getExtent(unsigned axis) const override {
    return graph.getBounds(axis).representative;
  }

  /// Empty where a node is safe.
  std::optional<Refusal> getRefusal(egraph::ClassId id,
                                    const egraph::Node &node) const;

private:
  double getWork(egraph::ClassId id, const egraph::Node &node) const;

  const AlgebraGraph &graph;
};

/// A hash of symbol and payload that depends neither on the order of creation
/// nor on the names of axes.
uint64_t hashNode(const AlgebraGraph &graph, const egraph::Node &node);

/// The function as it was written.
egraph::Selection getInputSelection(const AlgebraGraph &graph,
                                    ArrayRef<egraph::ClassId> roots);

/// Creates the operations of a selection at the insertion point and returns the
/// values of the roots. Operands of multisets are put into an order that
/// depends only on what they compute. Empty where a type is not the inferred
/// one.
std::optional<SmallVector<Value>>
exportSelection(const AlgebraGraph &graph, ArrayRef<egraph::ClassId> roots,
                const egraph::Selection &selection, OpBuilder &builder,
                Location location, ValueRange arguments);

/// Creates the operations of terms, in a graph that records proofs.
SmallVector<Value> exportTerms(const AlgebraGraph &graph,
                               ArrayRef<egraph::ClassId> roots,
                               OpBuilder &builder, Location location,
                               ValueRange arguments);

} // namespace mlir::cleave

#endif // CLEAVE_TRANSFORMS_ALGEBRA_EXTRACTION_H
