//===- EGraph.cpp - Hash-consed nodes under congruence --------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cleave/Transforms/EGraph/Proof.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace mlir::cleave::egraph;

size_t NodeHash::operator()(const Node &node) const {
  size_t hash = node.symbol * 0x9e3779b97f4a7c15ull + node.payload;
  for (ClassId child : node.children)
    hash = (hash ^ child) * 0x100000001b3ull + (hash >> 29);
  return hash;
}

EGraph::EGraph(Analysis *analysis, Normalizer *normalizer)
    : analysis(analysis), normalizer(normalizer) {}

EGraph::~EGraph() = default;

void EGraph::recordProofs() {
  assert(classes.empty() && "proofs start with an empty graph");
  proofs = std::make_unique<ProofLog>();
}

SymbolId EGraph::getSymbol(llvm::StringRef name) {
  auto [it, isNew] = symbolIds.try_emplace(name, symbols.size());
  if (isNew) {
    symbols.push_back(name.str());
    multisets.push_back(false);
    unordered.push_back(false);
  }
  return it->second;
}

std::optional<SymbolId> EGraph::findSymbol(llvm::StringRef name) const {
  auto it = symbolIds.find(name);
  if (it == symbolIds.end())
    return std::nullopt;
  return it->second;
}

void EGraph::declareMultiset(llvm::StringRef name) {
  multisets[getSymbol(name)] = true;
  declareUnordered(name);
}

void EGraph::declareUnordered(llvm::StringRef name) {
  unordered[getSymbol(name)] = true;
}

Node EGraph::canonicalize(Node node) const {
  for (ClassId &child : node.children)
    child = find(child);
  if (unordered[node.symbol])
    llvm::sort(node.children);
  return node;
}

ClassId EGraph::add(llvm::StringRef symbol, PayloadId payload,
                    llvm::ArrayRef<ClassId> children) {
  Node node;
  node.symbol = getSymbol(symbol);
  node.payload = payload;
  node.children.assign(children.begin(), children.end());
  return add(std::move(node));
}

ClassId EGraph::add(Node node) {
  if (proofs) {
    // Normal forms add nodes of their own.
    auto outer = std::exchange(proofs->sightings, {});
    ClassId id = addNormalized(node);
    proofs->sightings = std::move(outer);
    return id;
  }
  node = canonicalize(std::move(node));
  if (normalizer) {
    if (std::optional<ClassId> id = normalizer->normalize(*this, node))
      return find(*id);
    node = canonicalize(std::move(node));
  }
  return find(insert(node, node));
}

/// The id that a node was or is made with, `given` being its term.
ClassId EGraph::insert(Node node, const Node &given) {
  if (auto it = table.find(node); it != table.end())
    return it->second;
  node.origin = currentOrigin;
  ClassId id = sets.makeSet();
  table.emplace(node, id);
  EClass &fresh = classes.emplace_back();
  fresh.nodes.push_back(node);
  ++numClasses;
  if (proofs)
    proofs->addTerm(id, getTermKey(given));
  if (analysis)
    fresh.facts = analysis->make(*this, node);
  llvm::SmallVector<ClassId, 4> children = node.children;
  llvm::sort(children);
  children.erase(std::unique(children.begin(), children.end()), children.end());
  for (ClassId child : children)
    classes[child].parents.emplace_back(node, id);
  modify(id);
  return id;
}

void EGraph::modify(ClassId id) {
  if (!analysis)
    return;
  std::vector<std::pair<ClassId, ClassId>> outer;
  if (proofs)
    std::swap(outer, proofs->sightings);
  analysis->modify(*this, id);
  if (proofs)
    proofs->sightings = std::move(outer);
}

std::optional<ClassId> EGraph::lookup(Node node) const {
  auto it = table.find(canonicalize(std::move(node)));
  if (it == table.end())
    return std::nullopt;
  return find(it->second);
}

bool EGraph::merge(ClassId a, ClassId b, llvm::StringRef reason,
                   Origin origin) {
  ClassId oldA = a, oldB = b;
  a = find(a);
  b = find(b);
  if (a == b)
    return false;
  if (b < a)
    std::swap(a, b);
  Facts joined = classes[a].facts;
  bool changedA = false, changedB = false;
  if (auto message = joinFacts(joined, classes[b].facts, changedA)) {
    errors.push_back({reason.str(), *message});
    return false;
  }
  (void)joinFacts(classes[b].facts, classes[a].facts, changedB);
  classes[a].facts = joined;
  if (proofs) {
    Equality equality{oldA, oldB, origin, {}};
    if (origin == kCongruence)
      equality.partners = matchChildren(oldA, oldB);
    else if (origin == kNormalForm)
      replaceSeen(equality.partners = proofs->getTerm(oldA).children);
    proofs->addEquality(std::move(equality));
  }
  sets.join(a, b);
  --numClasses;
  llvm::append_range(classes[a].nodes, classes[b].nodes);
  llvm::append_range(classes[a].parents, classes[b].parents);
  classes[b].nodes.clear();
  classes[b].parents.clear();
  dirty.push_back(a);
  if (changedA || changedB)
    stale.push_back(a);
  modify(a);
  return true;
}

void EGraph::refine(ClassId id, const Facts &facts) {
  id = find(id);
  bool changed = false;
  if (auto message = joinFacts(classes[id].facts, facts, changed))
    errors.push_back({"declared fact", *message});
  if (changed)
    stale.push_back(id);
}

/// Makes the parents of a merged class canonical again, and merges those that
/// became congruent.
void EGraph::repair(ClassId id) {
  id = find(id);
  std::vector<std::pair<Node, ClassId>> parents =
      std::move(classes[id].parents);
  classes[id].parents.clear();
  for (auto &[node, parent] : parents)
    table.erase(node);
  std::unordered_map<Node, ClassId, NodeHash> seen;
  std::vector<std::pair<Node, ClassId>> fresh;
  for (auto &[node, parent] : parents) {
    Node canonical = canonicalize(node);
    auto [it, isNew] = seen.try_emplace(canonical, parent);
    if (!isNew) {
      merge(it->second, parent, "congruence", kCongruence);
      continue;
    }
    if (auto old = table.find(canonical); old != table.end())
      merge(old->second, parent, "congruence", kCongruence);
    table[canonical] = parent;
    fresh.emplace_back(std::move(canonical), parent);
  }
  // A merge above may have taken this class away.
  llvm::append_range(classes[find(id)].parents, fresh);
}

/// Recomputes the facts of the users of a class whose facts got sharper.
void EGraph::updateParents(ClassId id) {
  if (!analysis)
    return;
  std::vector<std::pair<Node, ClassId>> parents = classes[find(id)].parents;
  for (const auto &[node, parent] : parents) {
    ClassId target = find(parent);
    Facts facts = analysis->make(*this, canonicalize(node));
    bool changed = false;
    if (auto message = joinFacts(classes[target].facts, facts, changed)) {
      errors.push_back({"congruence", *message});
      continue;
    }
    if (!changed)
      continue;
    stale.push_back(target);
    modify(parent);
  }
}

void EGraph::rebuild() {
  // Intervals can sharpen for ever around a cycle; the facts stay true wherever
  // this stops.
  size_t budget = 64 * (table.size() + 16);
  while (!dirty.empty() || !stale.empty()) {
    std::vector<ClassId> work;
    std::swap(work, dirty);
    for (ClassId &id : work)
      id = find(id);
    llvm::sort(work);
    work.erase(std::unique(work.begin(), work.end()), work.end());
    for (ClassId id : work)
      repair(id);
    if (!dirty.empty())
      continue;
    std::swap(work, stale);
    stale.clear();
    for (ClassId id : work)
      if (budget > 0) {
        --budget;
        updateParents(id);
      }
  }
  for (ClassId id : getClassIds()) {
    std::unordered_map<Node, size_t, NodeHash> seen;
    std::vector<Node> kept;
    for (const Node &node : classes[id].nodes) {
      Node canonical = canonicalize(node);
      auto [it, isNew] = seen.try_emplace(canonical, kept.size());
      if (isNew)
        kept.push_back(std::move(canonical));
      else if (canonical.origin == kInput)
        kept[it->second].origin = kInput;
    }
    classes[id].nodes = std::move(kept);
  }
}

std::vector<ClassId> EGraph::getClassIds() const {
  std::vector<ClassId> ids;
  for (ClassId id = 0; id < sets.size(); ++id)
    if (sets.find(id) == id)
      ids.push_back(id);
  return ids;
}

//===----------------------------------------------------------------------===//
// Proofs
//===----------------------------------------------------------------------===//

Node EGraph::getTermKey(Node node) const {
  if (unordered[node.symbol])
    llvm::sort(node.children);
  return node;
}

/// Adds a node and returns the id of its term. Where a normal form rests on
/// more than the term, that is not the normal form's.
ClassId EGraph::addNormalized(const Node &given) {
  Node node = canonicalize(given);
  llvm::SmallVector<ClassId, 4> partners = given.children;
  std::optional<ClassId> result;
  if (normalizer)
    result = normalizer->normalize(*this, node);
  if (!result) {
    Node term = given;
    if (!(node == canonicalize(given)))
      term = restoreTerms(node, given);
    node = canonicalize(std::move(node));
    result = addTerm(term, insert(node, term));
  } else if (auto child = llvm::find_if(
                 given.children,
                 [&](ClassId id) { return find(id) == find(*result); });
             child != given.children.end()) {
    result = *child;
  } else {
    // Made of the classes, not of the terms.
    for (ClassId &partner : partners)
      partner = find(partner);
  }
  replaceSeen(partners);
  if (partners == given.children)
    return *result;
  if (std::optional<ClassId> id = proofs->lookup(getTermKey(given)))
    return *id;
  ClassId id = sets.makeSet();
  classes.emplace_back();
  // The partners follow the order of the children.
  std::vector<std::pair<ClassId, ClassId>> pairs;
  for (auto [child, partner] : llvm::zip_equal(given.children, partners))
    pairs.emplace_back(child, partner);
  if (unordered[given.symbol])
    llvm::stable_sort(pairs, llvm::less_first());
  for (auto [partner, pair] : llvm::zip_equal(partners, pairs))
    partner = pair.second;
  proofs->addTerm(id, getTermKey(given));
  sets.join(*result, id);
  proofs->addEquality({id, *result, kNormalForm, std::move(partners)});
  return id;
}

/// The node with the terms that were handed in, not others of their classes.
Node EGraph::restoreTerms(Node node, const Node &given) const {
  llvm::SmallVector<ClassId, 4> left = given.children;
  for (ClassId &child : node.children) {
    auto same = llvm::find_if(
        left, [&](ClassId id) { return find(id) == find(child); });
    if (same == left.end())
      continue;
    child = *same;
    left.erase(same);
  }
  return node;
}

ClassId EGraph::addTerm(Node node, ClassId like) {
  Node key = getTermKey(std::move(node));
  if (std::optional<ClassId> id = proofs->lookup(key))
    return *id;
  ClassId id = sets.makeSet();
  classes.emplace_back();
  proofs->addTerm(id, std::move(key));
  llvm::SmallVector<ClassId, 4> partners = matchChildren(id, like);
  sets.join(like, id);
  proofs->addEquality({id, like, kCongruence, std::move(partners)});
  return id;
}

void EGraph::see(ClassId child, const Node &node) {
  if (!proofs)
    return;
  Node canonical = canonicalize(node);
  auto it = table.find(canonical);
  if (it == table.end())
    it = table.find(node);
  if (it != table.end())
    proofs->sightings.emplace_back(find(child), addTerm(canonical, it->second));
}

/// The children of the term `b` in the order of those of `a`.
llvm::SmallVector<ClassId, 4> EGraph::matchChildren(ClassId a,
                                                    ClassId b) const {
  const Node &from = proofs->getTerm(a), &to = proofs->getTerm(b);
  if (!unordered[from.symbol])
    return to.children;
  llvm::SmallVector<ClassId, 4> result, left = to.children;
  for (ClassId child : from.children) {
    auto same = llvm::find(left, child);
    if (same == left.end())
      same = llvm::find_if(
          left, [&](ClassId other) { return find(other) == find(child); });
    result.push_back(*same);
    left.erase(same);
  }
  return result;
}

void EGraph::replaceSeen(llvm::SmallVectorImpl<ClassId> &children) const {
  for (ClassId &child : children)
    for (auto [id, term] : proofs->sightings)
      if (find(child) == find(id))
        child = term;
}
