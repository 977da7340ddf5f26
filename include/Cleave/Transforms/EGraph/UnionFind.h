//===- UnionFind.h - Disjoint sets of e-class ids ---------------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Disjoint sets over dense ids. The smallest id represents its set, so that
// the representative depends only on the order of creation.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_TRANSFORMS_EGRAPH_UNIONFIND_H
#define CLEAVE_TRANSFORMS_EGRAPH_UNIONFIND_H

#include <cassert>
#include <cstdint>
#include <utility>
#include <vector>

namespace mlir::cleave::egraph {

using ClassId = uint32_t;

class UnionFind {
public:
  ClassId makeSet() {
    parents.push_back(static_cast<ClassId>(parents.size()));
    return parents.back();
  }

  ClassId find(ClassId id) const {
    assert(id < parents.size() && "not an id of this graph");
    while (parents[id] != id) {
      parents[id] = parents[parents[id]];
      id = parents[id];
    }
    return id;
  }

  /// Joins two sets and returns the representative of the union.
  ClassId join(ClassId a, ClassId b) {
    a = find(a);
    b = find(b);
    if (b < a)
      std::swap(a, b);
    parents[b] = a;
    return a;
  }

  size_t size() const { return parents.size(); }

private:
  /// Path halving in `find` changes no answer.
  mutable std::vector<ClassId> parents;
};

} // namespace mlir::cleave::egraph

#endif // CLEAVE_TRANSFORMS_EGRAPH_UNIONFIND_H
