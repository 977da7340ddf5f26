//===- Runner.cpp - Saturation with limits --------------------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cleave/Transforms/EGraph/Runner.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::cleave::egraph;

llvm::StringRef mlir::cleave::egraph::stringify(StopReason reason) {
  switch (reason) {
  case StopReason::Saturated:
    return "saturated";
  case StopReason::NodeLimit:
    return "node limit";
  case StopReason::IterationLimit:
    return "iteration limit";
  }
  return "";
}

namespace {
/// One phase: all matches of all rules first, then their application, so that
/// the order of the rules does not decide what is found.
class PhaseRunner {
public:
  PhaseRunner(EGraph &graph, llvm::ArrayRef<Rule *> rules, const Limits &limits,
              RunReport &report)
      : graph(graph), rules(rules), limits(limits), report(report) {}

  StopReason run(unsigned phase) {
    for (unsigned i = 0; i < limits.maxIterations; ++i) {
      ++report.iterations;
      std::optional<bool> changed = iterate(phase);
      if (!changed)
        return StopReason::NodeLimit;
      if (!*changed)
        return StopReason::Saturated;
    }
    return StopReason::IterationLimit;
  }

private:
  /// Whether anything changed; empty at the node limit.
  std::optional<bool> iterate(unsigned phase) {
    std::vector<std::vector<Match>> matches(rules.size());
    for (auto [rule, found] : llvm::zip(rules, matches))
      if (rule->getPhase() <= phase)
        rule->search(graph, found);
    bool changed = false;
    for (auto [index, found] : llvm::enumerate(matches)) {
      graph.setOrigin(index + 1);
      for (const Match &match : found) {
        if (graph.getNumNodes() >= limits.maxNodes) {
          graph.rebuild();
          return std::nullopt;
        }
        std::optional<ClassId> other = match.build(graph);
        ClassId root = match.root;
        if (graph.getProofs() && match.buildMatched)
          root = match.buildMatched(graph);
        if (!other ||
            !graph.merge(root, *other, rules[index]->getName(), index + 1))
          continue;
        changed = true;
        ++report.firings[index];
      }
    }
    graph.rebuild();
    return changed;
  }

  EGraph &graph;
  llvm::ArrayRef<Rule *> rules;
  const Limits &limits;
  RunReport &report;
};
} // namespace

RunReport mlir::cleave::egraph::saturate(EGraph &graph,
                                         llvm::ArrayRef<Rule *> rules,
                                         const Limits &limits) {
  RunReport report;
  report.firings.resize(rules.size());
  unsigned lastPhase = 0;
  for (Rule *rule : rules)
    lastPhase = std::max(lastPhase, rule->getPhase());
  graph.rebuild();
  PhaseRunner runner(graph, rules, limits, report);
  for (unsigned phase = 0; phase <= lastPhase; ++phase) {
    report.reason = runner.run(phase);
    if (report.reason == StopReason::NodeLimit)
      break;
  }
  graph.setOrigin(kInput);
  report.nodes = graph.getNumNodes();
  report.classes = graph.getNumClasses();
  return report;
}

void FlattenRule::search(const EGraph &graph, std::vector<Match> &matches) {
  for (ClassId id : graph.getClassIds()) {
    if (graph.getFacts(id).constant)
      continue;
    for (const Node &outer : graph.getClass(id).nodes) {
      if (!graph.isMultiset(outer.symbol))
        continue;
      for (auto [position, child] : llvm::enumerate(outer.children)) {
        if (graph.getFacts(child).constant)
          continue;
        // Equal children give equal results.
        if (position > 0 && outer.children[position - 1] == child)
          continue;
        for (const Node &inner : graph.getClass(child).nodes) {
          // A product that contains itself or its user has no finite form.
          if (inner.symbol != outer.symbol || child == id ||
              llvm::is_contained(inner.children, child) ||
              llvm::is_contained(inner.children, id) ||
              inner.children.size() + outer.children.size() - 1 > maxArity)
            continue;
          Node flat = outer;
          flat.children.erase(flat.children.begin() + position);
          flat.children.append(inner.children.begin(), inner.children.end());
          if (graph.lookup(flat) == id)
            continue;
          auto build = [flat](EGraph &g) { return g.add(flat); };
          auto buildMatched = [outer, inner, position = position](EGraph &g) {
            Node term = outer;
            term.children[position] = g.addTerm(inner, g.getTermOf(inner));
            return g.addTerm(term, g.getTermOf(outer));
          };
          matches.push_back({id, build, buildMatched});
        }
      }
    }
  }
}
