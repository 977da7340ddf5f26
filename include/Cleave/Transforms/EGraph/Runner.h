//===- Runner.h - Saturation with limits ------------------------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Applies rules to an e-graph until nothing changes or a limit is met. Limits
// are counts, never time, so that a run can be repeated. Why a run stopped is
// data.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_TRANSFORMS_EGRAPH_RUNNER_H
#define CLEAVE_TRANSFORMS_EGRAPH_RUNNER_H

#include "Cleave/Transforms/EGraph/EGraph.h"
#include <functional>

namespace mlir::cleave::egraph {

/// An equality to add: the class matched, and how to build the other side. An
/// empty answer means that the other side cannot be built.
struct Match {
  ClassId root;
  std::function<std::optional<ClassId>(EGraph &)> build;
  /// The term that was matched; only asked for with proofs.
  std::function<ClassId(EGraph &)> buildMatched;
};

/// A directed rule. `search` must not change the graph.
class Rule {
public:
  virtual ~Rule() = default;
  virtual llvm::StringRef getName() const = 0;
  /// Rules of phase n run, together with those of earlier phases, after phase
  /// n - 1 has stopped.
  virtual unsigned getPhase() const { return 0; }
  virtual void search(const EGraph &graph, std::vector<Match> &matches) = 0;
};

struct Limits {
  size_t maxNodes = 20000;
  /// In each phase.
  unsigned maxIterations = 30;
};

enum class StopReason { Saturated, NodeLimit, IterationLimit };
llvm::StringRef stringify(StopReason reason);

struct RunReport {
  StopReason reason = StopReason::Saturated;
  size_t nodes = 0;
  size_t classes = 0;
  unsigned iterations = 0;
  /// How often each rule changed the graph, by its index.
  std::vector<unsigned> firings;
};

/// Saturates `graph`. Nodes that the rule at index i adds have origin i + 1.
RunReport saturate(EGraph &graph, llvm::ArrayRef<Rule *> rules,
                   const Limits &limits);

/// The multiset law: mul(a, mul(b, c)) = mul(a, b, c), where the inner product
/// is any node of the child's class. Stops at `maxArity` children.
class FlattenRule final : public Rule {
public:
  explicit FlattenRule(unsigned maxArity = 12) : maxArity(maxArity) {}
  llvm::StringRef getName() const override { return "Normal_Flatten"; }
  void search(const EGraph &graph, std::vector<Match> &matches) override;

private:
  unsigned maxArity;
};

} // namespace mlir::cleave::egraph

#endif // CLEAVE_TRANSFORMS_EGRAPH_RUNNER_H
