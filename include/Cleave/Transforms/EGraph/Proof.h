//===- Proof.h - Why the terms of a class are equal -------------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an e-graph keeps so that it can be asked for explanations. An id stands
// not only for a class but also for one *term*: the node that it was made for,
// with the ids it was made with. The equalities that joined terms are a forest:
// between two terms of a class there is one path.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_TRANSFORMS_EGRAPH_PROOF_H
#define CLEAVE_TRANSFORMS_EGRAPH_PROOF_H

#include "Cleave/Transforms/EGraph/EGraph.h"

namespace mlir::cleave::egraph {

/// Two terms that were made equal, and by whom.
struct Equality {
  ClassId a, b;
  Origin origin;
  /// For congruences and normal forms: terms that were equal to the children of
  /// `a`, in their order. With these for children, a congruent term is `b`, and
  /// a term that has a normal form has `b` for one.
  llvm::SmallVector<ClassId, 4> partners;
};

class ProofLog {
public:
  /// Children of multisets are in order.
  void addTerm(ClassId id, Node node) {
    ids.emplace(node, id);
    terms.push_back(std::move(node));
    equalities.emplace_back();
  }
  std::optional<ClassId> lookup(const Node &node) const {
    auto it = ids.find(node);
    return it == ids.end() ? std::nullopt : std::optional(it->second);
  }
  const Node &getTerm(ClassId id) const { return terms[id]; }

  void addEquality(Equality equality) {
    equalities[equality.a].push_back(log.size());
    equalities[equality.b].push_back(log.size());
    log.push_back(std::move(equality));
  }
  llvm::ArrayRef<uint32_t> getEqualitiesOf(ClassId term) const {
    return equalities[term];
  }
  const Equality &getEquality(uint32_t index) const { return log[index]; }

  /// What a normal form saw of the children of the node at hand: class and
  /// term.
  std::vector<std::pair<ClassId, ClassId>> sightings;

private:
  std::vector<Node> terms;
  std::unordered_map<Node, ClassId, NodeHash> ids;
  std::vector<Equality> log;
  std::vector<llvm::SmallVector<uint32_t, 2>> equalities;
};

} // namespace mlir::cleave::egraph

#endif // CLEAVE_TRANSFORMS_EGRAPH_PROOF_H
