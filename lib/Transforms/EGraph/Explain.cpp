//===- Explain.cpp - From one term to another, rule by rule ---------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cleave/Transforms/EGraph/Explain.h"
#include "Cleave/Transforms/EGraph/Proof.h"
#include "llvm/ADT/STLExtras.h"

#include <deque>
#include <set>

using namespace mlir::cleave::egraph;

namespace {

/// One rewrite of one term.
struct TermStep {
  ClassId term;
  Origin origin;
  bool isReversed;
};
using Path = std::vector<TermStep>;

/// Explains single terms.
class TermExplainer {
public:
  explicit TermExplainer(EGraph &graph)
      : graph(graph), proofs(*graph.getProofs()) {}

  /// The steps between two terms of one class.
  const Path &explain(ClassId from, ClassId to);

private:
  /// An equality, taken from `a` to `b` unless `isReversed`.
  struct Edge {
    uint32_t index;
    bool isReversed;
  };
  std::vector<Edge> findEdges(ClassId from, ClassId to) const;
  void follow(Edge edge, Path &path);
  void replaceChildren(ClassId like, Node node,
                       llvm::ArrayRef<ClassId> children, Path &path);

  EGraph &graph;
  const ProofLog &proofs;
  std::map<std::pair<ClassId, ClassId>, Path> paths;
};

} // namespace

/// Cuts what leads back to a term that was there before.
template <typename Step, typename Key>
static std::vector<Step> cutLoops(Key start, std::vector<Step> steps,
                                  Key Step::*key) {
  std::map<Key, size_t> seen{{std::move(start), 0}};
  std::vector<Step> result;
  for (Step &step : steps) {
    auto [it, isNew] = seen.try_emplace(step.*key, result.size() + 1);
    if (isNew) {
      result.push_back(std::move(step));
      continue;
    }
    for (size_t i = it->second; i < result.size(); ++i)
      seen.erase(result[i].*key);
    result.resize(it->second);
  }
  return result;
}

std::vector<TermExplainer::Edge> TermExplainer::findEdges(ClassId from,
                                                          ClassId to) const {
  std::map<ClassId, Edge> reachedBy;
  std::deque<ClassId> open{from};
  std::set<ClassId> seen{from};
  while (!open.empty() && !seen.count(to)) {
    ClassId term = open.front();
    open.pop_front();
    for (uint32_t index : proofs.getEqualitiesOf(term)) {
      const Equality &equality = proofs.getEquality(index);
      bool isReversed = equality.b == term;
      ClassId other = isReversed ? equality.a : equality.b;
      if (!seen.insert(other).second)
        continue;
      reachedBy[other] = {index, isReversed};
      open.push_back(other);
    }
  }
  std::vector<Edge> edges;
  while (to != from) {
    Edge edge = reachedBy.at(to);
    edges.push_back(edge);
    const Equality &equality = proofs.getEquality(edge.index);
    to = edge.isReversed ? equality.b : equality.a;
  }
  std::reverse(edges.begin(), edges.end());
  return edges;
}

/// Rewrites the children of a term one by one; equal ones at once.
void TermExplainer::replaceChildren(ClassId like, Node node,
                                    llvm::ArrayRef<ClassId> children,
                                    Path &path) {
  for (size_t i = 0; i < children.size(); ++i) {
    ClassId from = node.children[i];
    if (from == children[i])
      continue;
    llvm::SmallVector<size_t> positions;
    for (size_t j = i; j < children.size(); ++j)
      if (node.children[j] == from && children[j] == children[i])
        positions.push_back(j);
    for (const TermStep &step : Path(explain(from, children[i]))) {
      for (size_t position : positions)
        node.children[position] = step.term;
      path.push_back({graph.addTerm(node, like), step.origin, step.isReversed});
    }
  }
}

void TermExplainer::follow(Edge edge, Path &path) {
  // Terms that are added on the way move what references point to.
  const Equality equality = proofs.getEquality(edge.index);
  if (equality.origin != kCongruence && equality.origin != kNormalForm) {
    path.push_back({edge.isReversed ? equality.a : equality.b, equality.origin,
                    edge.isReversed});
    return;
  }
  Node node = proofs.getTerm(equality.a);
  Node seen = node;
  seen.children = equality.partners;
  bool hasNormalForm = equality.origin == kNormalForm;
  if (!edge.isReversed) {
    replaceChildren(equality.a, node, seen.children, path);
    if (hasNormalForm)
      path.push_back({equality.b, kNormalForm, false});
    return;
  }
  if (hasNormalForm)
    path.push_back({graph.addTerm(seen, equality.a), kNormalForm, true});
  replaceChildren(equality.a, seen, node.children, path);
}

const Path &TermExplainer::explain(ClassId from, ClassId to) {
  auto it = paths.find({from, to});
  if (it != paths.end())
    return it->second;
  Path path;
  for (Edge edge : findEdges(from, to))
    follow(edge, path);
  return paths[{from, to}] = cutLoops(from, std::move(path), &TermStep::term);
}

namespace {

/// Rewrites all roots at once.
class Rewriter {
public:
  Rewriter(EGraph &graph, llvm::ArrayRef<ClassId> roots,
           const Selection &selection)
      : graph(graph), selection(selection), terms(graph),
        roots(roots.begin(), roots.end()), start(this->roots) {}

  std::vector<ExplainedStep> run();

private:
  const Node &getSelected(ClassId id) const {
    return graph.getClass(id).nodes[selection.at(id)];
  }
  /// The term of a class as far as it has been rewritten.
  ClassId assemble(ClassId id, std::map<ClassId, ClassId> &assembled);
  void emit(const TermStep &step);

  EGraph &graph;
  const Selection &selection;
  TermExplainer terms;
  std::vector<ClassId> roots;
  std::vector<ClassId> start;
  /// Classes whose shape is the selected one.
  std::set<ClassId> done;
  /// The class that is being rewritten.
  std::optional<std::pair<ClassId, ClassId>> current;
  std::vector<ExplainedStep> steps;
};

} // namespace

ClassId Rewriter::assemble(ClassId id, std::map<ClassId, ClassId> &assembled) {
  if (auto it = assembled.find(id); it != assembled.end())
    return it->second;
  ClassId term = id;
  if (current && current->first == id) {
    term = current->second;
  } else if (done.count(id)) {
    Node node = getSelected(id);
    for (ClassId &child : node.children)
      child = assemble(child, assembled);
    term = graph.addTerm(node, graph.getTermOf(getSelected(id)));
  }
  return assembled[id] = term;
}

void Rewriter::emit(const TermStep &step) {
  std::map<ClassId, ClassId> assembled;
  ExplainedStep result{step.origin, step.isReversed, {}};
  for (ClassId root : roots)
    result.roots.push_back(graph.find(root) == root ? assemble(root, assembled)
                                                    : root);
  steps.push_back(std::move(result));
}

std::vector<ExplainedStep> Rewriter::run() {
  // Roots stand for themselves until they are the term of their class.
  for (ClassId &root : roots) {
    ClassId first = root;
    for (const TermStep &step : Path(terms.explain(first, graph.find(first)))) {
      root = step.term;
      emit(step);
    }
  }
  auto order = sortSelection(graph, roots, selection);
  for (ClassId id : llvm::reverse(*order)) {
    const Node &node = getSelected(id);
    ClassId shape = graph.addTerm(node, graph.getTermOf(node));
    for (const TermStep &step : Path(terms.explain(id, shape))) {
      current = {id, step.term};
      emit(step);
    }
    current.reset();
    done.insert(id);
  }
  return cutLoops(start, std::move(steps), &ExplainedStep::roots);
}

std::vector<ExplainedStep>
mlir::cleave::egraph::explain(EGraph &graph, llvm::ArrayRef<ClassId> roots,
                              const Selection &selection) {
  return Rewriter(graph, roots, selection).run();
}
