//===- EGraph.h - Hash-consed nodes under congruence ------------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An e-graph with deferred rebuilding. It knows nothing of IR: a node is a
// symbol, a payload (an interned id of whatever else distinguishes nodes) and
// child classes. A symbol may be a *multiset*: its children are kept sorted, so
// that associativity and commutativity need no rule.
//
// Every iteration is in order of creation: the same calls give the same graph.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_TRANSFORMS_EGRAPH_EGRAPH_H
#define CLEAVE_TRANSFORMS_EGRAPH_EGRAPH_H

#include "Cleave/Transforms/EGraph/Facts.h"
#include "Cleave/Transforms/EGraph/UnionFind.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

#include <memory>
#include <unordered_map>

namespace mlir::cleave::egraph {

using SymbolId = uint32_t;
using PayloadId = uint32_t;

/// What made a node or an equality: kInput, 1 + the index of a rule, or what
/// the graph does by itself.
using Origin = uint32_t;
constexpr Origin kInput = 0, kCongruence = ~0u, kNormalForm = ~0u - 1;

struct Node {
  SymbolId symbol = 0;
  PayloadId payload = 0;
  llvm::SmallVector<ClassId, 4> children;
  /// Not part of the node's identity.
  Origin origin = kInput;

  bool operator==(const Node &other) const {
    return symbol == other.symbol && payload == other.payload &&
           children == other.children;
  }
};

struct NodeHash {
  size_t operator()(const Node &node) const;
};

class EGraph;

/// How facts arise. `make` is the transfer function of one node over the facts
/// of its children; `modify` may add nodes to a class whose facts allow it (a
/// constant).
class Analysis {
public:
  virtual ~Analysis() = default;
  virtual Facts make(const EGraph &graph, const Node &node) = 0;
  virtual void modify(EGraph &graph, ClassId id) {}
};

/// Normal forms at construction. Sees each node before it is looked up; either
/// changes it in place, or answers with the class that already stands for it.
class Normalizer {
public:
  virtual ~Normalizer() = default;
  virtual std::optional<ClassId> normalize(EGraph &graph, Node &node) = 0;
};

struct EClass {
  /// In order of creation, children canonical after `rebuild`.
  std::vector<Node> nodes;
  /// Nodes that have this class as a child, and the ids they were made with.
  std::vector<std::pair<Node, ClassId>> parents;
  Facts facts;
};

/// Two classes that a rule declared equal though their invariants differ: a
/// wrong rule. The classes stay apart.
struct MergeError {
  std::string reason;
  std::string message;
};

class ProofLog;

class EGraph {
public:
  /// Both may be null, and must outlive the graph otherwise.
  explicit EGraph(Analysis *analysis = nullptr,
                  Normalizer *normalizer = nullptr);
  ~EGraph();

  /// Keeps from now on, the graph being empty, what explanations need. Then an
  /// id that `add` returns, and that is not passed through `find`, stands for
  /// the very term that was added.
  void recordProofs();
  /// Null unless proofs are recorded.
  const ProofLog *getProofs() const { return proofs.get(); }

  /// The id of a symbol, made at its first use.
  SymbolId getSymbol(llvm::StringRef name);
  /// The id of a symbol, if some node may have it.
  std::optional<SymbolId> findSymbol(llvm::StringRef name) const;
  void declareMultiset(llvm::StringRef name);
  llvm::StringRef getName(SymbolId symbol) const { return symbols[symbol]; }
  /// For a symbol whose children have no order but do not nest.
  void declareUnordered(llvm::StringRef name);
  bool isMultiset(SymbolId symbol) const { return multisets[symbol]; }
  bool isUnordered(SymbolId symbol) const { return unordered[symbol]; }

  ClassId add(Node node);
  ClassId add(llvm::StringRef symbol, PayloadId payload,
              llvm::ArrayRef<ClassId> children);
  /// The class of a node if it stands in the graph as it is.
  std::optional<ClassId> lookup(Node node) const;

  /// With proofs: the id of a term that differs from `like` only in children
  /// that are equal.
  ClassId addTerm(Node node, ClassId like);
  /// With proofs: the term that a node of a class came from.
  ClassId getTermOf(const Node &node) const { return table.at(node); }
  /// For a normalizer or an analysis, which must say so where it used that the
  /// class of a child has this node.
  void see(ClassId child, const Node &node);

  /// Declares two classes equal. False if they were, or cannot be (which is
  /// recorded as an error).
  bool merge(ClassId a, ClassId b, llvm::StringRef reason,
             Origin origin = kInput);
  /// Restores congruence and facts after merges.
  void rebuild();

  ClassId find(ClassId id) const { return sets.find(id); }
  const EClass &getClass(ClassId id) const { return classes[find(id)]; }
  const Facts &getFacts(ClassId id) const { return getClass(id).facts; }
  /// Sharpens the facts of a class from outside (a declared range).
  void refine(ClassId id, const Facts &facts);

  /// Canonical ids in increasing order.
  std::vector<ClassId> getClassIds() const;
  size_t getNumNodes() const { return table.size(); }
  size_t getNumClasses() const { return numClasses; }

  /// Whatever adds nodes from now on is this.
  void setOrigin(Origin origin) { currentOrigin = origin; }

  llvm::ArrayRef<MergeError> getErrors() const { return errors; }

private:
  Node canonicalize(Node node) const;
  ClassId insert(Node node, const Node &given);
  void modify(ClassId id);
  ClassId addNormalized(const Node &given);
  Node restoreTerms(Node node, const Node &given) const;
  Node getTermKey(Node node) const;
  llvm::SmallVector<ClassId, 4> matchChildren(ClassId a, ClassId b) const;
  void replaceSeen(llvm::SmallVectorImpl<ClassId> &children) const;
  void repair(ClassId id);
  void updateParents(ClassId id);

  Analysis *analysis;
  Normalizer *normalizer;
  std::vector<std::string> symbols;
  /// A multiset is unordered, too.
  std::vector<bool> multisets, unordered;
  llvm::StringMap<SymbolId> symbolIds;
  UnionFind sets;
  std::vector<EClass> classes;
  /// The ids that nodes were made with.
  std::unordered_map<Node, ClassId, NodeHash> table;
  /// Classes whose parents may have become congruent, or have old facts.
  std::vector<ClassId> dirty, stale;
  size_t numClasses = 0;
  Origin currentOrigin = kInput;
  std::vector<MergeError> errors;
  std::unique_ptr<ProofLog> proofs;
};

} // namespace mlir::cleave::egraph

#endif // CLEAVE_TRANSFORMS_EGRAPH_EGRAPH_H
