//===- ProductInterval.cpp - Intervals of products ------------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a product is known to be, from its factors and from what they are made
// of.
//
//===----------------------------------------------------------------------===//

#include "ProductInterval.h"

#include <cmath>

using namespace mlir;
using namespace mlir::cleave;
using namespace mlir::cleave::egraph;

double mlir::cleave::times(double a, double b) {
  return a == 0 || b == 0 ? 0 : a * b;
}

std::pair<double, double> mlir::cleave::multiply(std::pair<double, double> a,
                                                 std::pair<double, double> b) {
  double corners[] = {times(a.first, b.first), times(a.first, b.second),
                      times(a.second, b.first), times(a.second, b.second)};
  return {*llvm::min_element(corners), *llvm::max_element(corners)};
}

std::pair<double, double> mlir::cleave::multiplyAll(const EGraph &graph,
                                                    ArrayRef<ClassId> factors) {
  std::pair<double, double> result{1, 1};
  SmallVector<ClassId> sorted(factors);
  llvm::sort(sorted);
  for (size_t i = 0; i < sorted.size();) {
    size_t count = 1;
    while (i + count < sorted.size() && sorted[i + count] == sorted[i])
      ++count;
    const Facts &facts = graph.getFacts(sorted[i]);
    std::pair<double, double> power{1, 1}, base{facts.lo, facts.hi};
    for (size_t n = 0; n < count; ++n)
      power = multiply(power, base);
    if (count % 2 == 0)
      power.first = std::max(power.first, 0.0);
    result = multiply(result, power);
    i += count;
  }
  return result;
}

bool mlir::cleave::isPartFinite(const EGraph &graph, const Node &product) {
  double largest = 1;
  for (ClassId child : product.children)
    largest *= std::max(graph.getFacts(child).magnitude(), 1.0);
  return largest <= kLargest;
}

namespace {
/// Looks for a square in a sum, in a bounded number of nodes: classes may
/// contain themselves.
class SquareBound {
public:
  SquareBound(const AlgebraGraph &graph, ClassId x) : graph(graph), x(x) {}

  /// The largest known c >= 0 such that the value is at least c * x * x, where
  /// x carries the axes that the value sums over.
  double get(ClassId id) {
    double best = 0;
    for (const Node &node : graph.getGraph().getClass(id).nodes) {
      if (left == 0)
        return best;
      --left;
      switch (graph.getKind(node)) {
      case OpKind::ReduceSum:
        if (isSquare(node.children[0]))
          return 1;
        break;
      case OpKind::Mul:
      case OpKind::Add:
        for (size_t i = 0; i < node.children.size(); ++i)
          best = std::max(best, getFromTerm(node, i));
        break;
      case OpKind::Max:
        for (ClassId child : node.children)
          best = std::max(best, get(child));
        break;
      default:
        break;
      }
    }
    return best;
  }

private:
  const AlgebraGraph &graph;
  ClassId x;
  unsigned left = 64;

  bool isSquare(ClassId id) const {
    return llvm::any_of(graph.getGraph().getClass(id).nodes, [&](auto &node) {
      return graph.getKind(node) == OpKind::Mul && node.children.size() == 2 &&
             node.children[0] == x && node.children[1] == x;
    });
  }

  /// Of a positive multiple of term i, or with something added to it that is
  /// not negative.
  double getFromTerm(const Node &node, size_t i) {
    double factor = 1;
    for (size_t j = 0; j < node.children.size(); ++j) {
      double lo = graph.getGraph().getFacts(node.children[j]).lo;
      if (j != i && graph.getKind(node) == OpKind::Mul)
        factor *= std::max(lo, 0.0);
      else if (j != i && lo < 0)
        factor = 0;
    }
    return factor > 0 ? factor * get(node.children[i]) : 0;
  }
};
} // namespace

/// A value divided by its norm: |x * rsqrt(s)| <= 1 / sqrt(c) where s >= c * x
/// * x. The interval of the other factors, times that.
static std::pair<double, double> multiplyNorms(const AlgebraGraph &graph,
                                               ArrayRef<ClassId> factors) {
  const EGraph &g = graph.getGraph();
  std::pair<double, double> result = multiplyAll(g, factors);
  for (size_t i = 0; i < factors.size(); ++i)
    for (const Node &root : g.getClass(factors[i]).nodes) {
      if (graph.getKind(root) != OpKind::Rsqrt)
        continue;
      for (size_t j = 0; j < factors.size(); ++j) {
        if (j == i)
          continue;
        double c = SquareBound(graph, factors[j]).get(root.children[0]);
        if (c <= 0)
          continue;
        SmallVector<ClassId> others;
        for (size_t n = 0; n < factors.size(); ++n)
          if (n != i && n != j)
            others.push_back(factors[n]);
        double limit = 1 / std::sqrt(c) * (1 + 0x1p-10);
        auto [lo, hi] = multiply(multiplyAll(g, others), {-limit, limit});
        result = {std::max(result.first, lo), std::min(result.second, hi)};
      }
    }
  return result;
}

/// Calls `found` with the values that a sum over `axes` weighs by `weight`.
template <typename Fn>
static void forEachWeighted(const AlgebraGraph &graph, ClassId sum,
                            Attribute axes, ClassId weight, Fn found) {
  const EGraph &g = graph.getGraph();
  auto visit = [&](const Node &product) {
    SmallVector<ClassId, 4> rest = product.children;
    auto it = llvm::find_if(
        rest, [&](ClassId child) { return g.find(child) == weight; });
    if (it == rest.end())
      return;
    rest.erase(it);
    found(ArrayRef<ClassId>(rest));
  };
  for (const Node &node : g.getClass(sum).nodes) {
    if (graph.getPayload(node).get("axes") != axes)
      continue;
    if (graph.getKind(node) == OpKind::Contract)
      visit(node);
    if (graph.getKind(node) == OpKind::ReduceSum)
      for (const Node &product : g.getClass(node.children[0]).nodes)
        if (graph.getKind(product) == OpKind::Mul)
          visit(product);
  }
}

/// A mean: sum(w * x) * recip(sum(w)) lies where the x do, for w >= 0.
static std::pair<double, double>
multiplyMeans(const AlgebraGraph &graph, ArrayRef<ClassId> factors,
              std::pair<double, double> result) {
  const EGraph &g = graph.getGraph();
  auto forEachWeights = [&](ClassId factor, auto fn) {
    for (const Node &recip : g.getClass(factor).nodes)
      if (graph.getKind(recip) == OpKind::Recip0 ||
          graph.getKind(recip) == OpKind::Recip)
        for (const Node &weights : g.getClass(recip.children[0]).nodes)
          if (graph.getKind(weights) == OpKind::ReduceSum &&
              g.getFacts(weights.children[0]).isNonNegative() &&
              g.getFacts(weights.children[0]).notNaN)
            fn(weights);
  };
  for (size_t i = 0; i < factors.size(); ++i)
    forEachWeights(factors[i], [&](const Node &weights) {
      for (size_t j = 0; j < factors.size(); ++j) {
        SmallVector<ClassId> others;
        for (size_t n = 0; n < factors.size(); ++n)
          if (n != i && n != j)
            others.push_back(factors[n]);
        if (j == i)
          continue;
        auto narrow = [&](ArrayRef<ClassId> values) {
          // Operands are rounded, and there may be no position.
          auto [min, max] = multiplyAll(g, values);
          double slack = 1 + 0x1p-6;
          auto [lo, hi] =
              multiply(multiplyAll(g, others), {std::min(min, 0.0) * slack,
                                                std::max(max, 0.0) * slack});
          result = {std::max(result.first, lo), std::min(result.second, hi)};
        };
        forEachWeighted(graph, factors[j],
                        graph.getPayload(weights).get("axes"),
                        g.find(weights.children[0]), narrow);
      }
    });
  return result;
}

std::pair<double, double>
mlir::cleave::getProductInterval(const AlgebraGraph &graph,
                                 ArrayRef<ClassId> factors) {
  return multiplyMeans(graph, factors, multiplyNorms(graph, factors));
}
