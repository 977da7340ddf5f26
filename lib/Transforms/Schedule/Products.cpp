//===- Products.cpp - Several axes as one ---------------------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Products.h. A kernel's graph is rewritten in place: its nodes keep their
// numbers, and the product is an axis behind all others.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Transforms/Schedule/Products.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

using namespace mlir::cleave;
using namespace mlir::cleave::schedule;

llvm::SmallVector<AxisId, 2> schedule::getFactors(const Problem &kernel,
                                                  AxisId axis) {
  if (kernel.axes[axis].factors.empty())
    return {axis};
  return kernel.axes[axis].factors;
}

//===----------------------------------------------------------------------===//
// Legality
//===----------------------------------------------------------------------===//

namespace {
/// Asks all that a kernel's graph says of two axes.
class PairCheck {
public:
  PairCheck(const Problem &kernel, AxisId outer, AxisId inner)
      : kernel(kernel), outer(outer), inner(inner) {}

  bool run() const {
    for (AxisId axis : {outer, inner}) {
      const Axis &info = kernel.axes[axis];
      if (info.unit || info.clipped || info.part)
        return false;
    }
    for (const Axis &axis : kernel.axes)
      if (axis.part && (isOne(axis.part->whole) || isOne(axis.part->outer)))
        return false;
    for (NodeId id = 0; id < kernel.size(); ++id)
      if (!check(kernel[id]))
        return false;
    return llvm::all_of(kernel.folds,
                        [&](const Fold &fold) { return check(fold); }) &&
           llvm::all_of(kernel.results,
                        [&](const Result &result) { return check(result); });
  }

private:
  bool isOne(AxisId axis) const { return axis == outer || axis == inner; }
  bool together(llvm::ArrayRef<AxisId> axes) const {
    return contains(axes, outer) == contains(axes, inner);
  }
  /// In memory too.
  bool adjacent(llvm::ArrayRef<AxisId> storage,
                llvm::ArrayRef<Cut> cuts) const {
    const auto *place = llvm::find(storage, outer);
    if (place == storage.end())
      return !contains(storage, inner);
    if (place + 1 == storage.end() || place[1] != inner)
      return false;
    size_t dim = 0;
    for (const Cut &cut : cuts) {
      if (cut.stride && isOne(cut.outer))
        return false;
      if (!cut.kept)
        continue;
      if (isOne(storage[dim++]) && (!cut.whole || cut.offset || cut.stride))
        return false;
    }
    // Nothing lies between them.
    size_t number = place - storage.begin();
    for (size_t i = 0, kept = 0; i + 1 < cuts.size(); ++i)
      if (cuts[i].kept && kept++ == number && !cuts[i + 1].kept)
        return false;
    return true;
  }
  bool check(const Node &node) const {
    return together(node.axes) && together(node.reduced) &&
           adjacent(node.storage, node.cuts);
  }
  bool check(const Fold &fold) const {
    return together(fold.axes) &&
           llvm::all_of(fold.states, [&](const FoldState &state) {
             return together(state.axes);
           });
  }
  bool check(const Result &result) const {
    if (result.place && (isOne(result.place->axis) ||
                         llvm::any_of(result.place->positionAxes,
                                      [&](AxisId a) { return isOne(a); })))
      return false;
    return adjacent(result.storage, result.cuts);
  }

  const Problem &kernel;
  AxisId outer, inner;
};
} // namespace

bool schedule::canMultiply(const Problem &kernel, AxisId outer, AxisId inner) {
  return outer != inner && PairCheck(kernel, outer, inner).run();
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

namespace {
/// Replaces two axes by their product.
struct Rewriter {
  AxisId outer, inner, product;

  void replace(AxisSet &axes) const {
    if (!contains(axes, outer))
      return;
    llvm::erase(axes, outer);
    llvm::erase(axes, inner);
    axes.push_back(product);
  }

  /// The dimensions of a tensor and how they are read or written.
  void replace(llvm::SmallVectorImpl<AxisId> &storage,
               llvm::SmallVectorImpl<Cut> &cuts, Dimensions &dims) const {
    auto *place = llvm::find(storage, outer);
    if (place == storage.end())
      return;
    size_t number = place - storage.begin(), dim = number;
    if (!cuts.empty())
      for (size_t i = 0, kept = 0; i < cuts.size(); ++i)
        if (cuts[i].kept && kept++ == number)
          dim = i;
    if (dims.empty()) {
      size_t next = 0, count = cuts.empty() ? storage.size() : cuts.size();
      for (size_t i = 0; i < count; ++i) {
        dims.emplace_back();
        if (cuts.empty() || cuts[i].kept)
          dims.back().push_back(storage[next++]);
      }
    }
    *place = product;
    storage.erase(place + 1);
    if (!cuts.empty())
      cuts.erase(cuts.begin() + dim + 1);
  }
};
} // namespace

AxisId Problem::multiplyAxes(AxisId outer, AxisId inner) {
  const Axis &first = axes[outer], &second = axes[inner];
  bool known = first.extent != kDynamic && second.extent != kDynamic;
  Axis info{first.name + "." + second.name,
            known ? first.extent * second.extent : kDynamic,
            first.representative * second.representative};
  info.factors = getFactors(*this, outer);
  llvm::append_range(info.factors, getFactors(*this, inner));
  axes.push_back(std::move(info));
  Rewriter rewriter{outer, inner, AxisId(axes.size() - 1)};
  for (Node &node : nodes) {
    rewriter.replace(node.axes);
    rewriter.replace(node.reduced);
    rewriter.replace(node.storage, node.cuts, node.dims);
  }
  for (Fold &fold : folds) {
    rewriter.replace(fold.axes);
    for (FoldState &state : fold.states)
      rewriter.replace(state.axes);
  }
  for (Result &result : results)
    rewriter.replace(result.storage, result.cuts, result.dims);
  return rewriter.product;
}

//===----------------------------------------------------------------------===//
// Choice
//===----------------------------------------------------------------------===//

/// Pairs of axes that are one dimension of a contraction.
static std::vector<std::pair<AxisId, AxisId>>
getCandidates(const Problem &kernel) {
  std::vector<std::pair<AxisId, AxisId>> pairs;
  auto addAll = [&](const AxisSet &axes) {
    for (AxisId a : axes)
      for (AxisId b : axes)
        if (a != b && !llvm::is_contained(pairs, std::make_pair(a, b)))
          pairs.push_back({a, b});
  };
  auto add = [&](NodeId lhs, NodeId rhs, const AxisSet &reduced) {
    const AxisSet &left = kernel[lhs].axes, &right = kernel[rhs].axes;
    addAll(reduced);
    addAll(subtract(subtract(left, right), reduced));
    addAll(subtract(subtract(right, left), reduced));
  };
  for (NodeId id = 0; id < kernel.size(); ++id)
    if (kernel[id].kind == NodeKind::Contract)
      add(kernel[id].operands[0], kernel[id].operands[1], kernel[id].reduced);
  for (const Fold &fold : kernel.folds)
    for (const FoldState &state : fold.states)
      if (state.contraction)
        add(state.body[0], state.body[1], fold.axes);
  return pairs;
}

void schedule::multiplyAxes(Problem &kernel) {
  for (bool changed = true; changed;) {
    changed = false;
    for (auto [outer, inner] : getCandidates(kernel))
      if (canMultiply(kernel, outer, inner)) {
        kernel.multiplyAxes(outer, inner);
        changed = true;
        break;
      }
  }
}

int schedule::findOrMultiply(Problem &kernel, llvm::StringRef name) {
  if (int axis = kernel.findAxis(name); axis >= 0)
    return axis;
  // Names of axes may have dots as well.
  for (size_t dot = name.rfind('.'); dot != llvm::StringRef::npos;
       dot = name.rfind('.', dot)) {
    int inner = kernel.findAxis(name.substr(dot + 1));
    int outer = inner < 0 ? -1 : findOrMultiply(kernel, name.take_front(dot));
    if (outer >= 0 && canMultiply(kernel, outer, inner))
      return kernel.multiplyAxes(outer, inner);
  }
  return -1;
}
