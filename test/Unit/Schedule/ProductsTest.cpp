//===- ProductsTest.cpp - Several axes as one -----------------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cleave/Transforms/Schedule/Products.h"
#include "gtest/gtest.h"

using namespace mlir::cleave::schedule;

namespace {
/// X[B, S, H, E] W[H, E, N] over H and E.
struct Projection {
  Problem problem;
  AxisId b, e, h, n, s;
  NodeId x, w, product;

  explicit Projection(bool headsInside = false) {
    b = problem.addAxis("B", kDynamic, 4);
    e = problem.addAxis("E", 128, 128);
    h = problem.addAxis("H", 32, 32);
    n = problem.addAxis("N", 4096, 4096);
    s = problem.addAxis("S", kDynamic, 1);
    if (headsInside)
      x = problem.addArgument(0, Element::F16, {b, s, e, h});
    else
      x = problem.addArgument(0, Element::F16, {b, s, h, e});
    w = problem.addArgument(1, Element::F16, {h, e, n});
    product = problem.addContract(x, w, {e, h});
    problem.results = {{product, {b, s, n}}};
  }
};
} // namespace

TEST(ProductsTest, AxesOfOnePlaceBecomeOne) {
  Projection graph;
  multiplyAxes(graph.problem);
  int rows = graph.problem.findAxis("B.S");
  int heads = graph.problem.findAxis("H.E");
  ASSERT_GE(rows, 0);
  ASSERT_GE(heads, 0);
  EXPECT_EQ(graph.problem.axes[rows].extent, kDynamic);
  EXPECT_EQ(graph.problem.axes[rows].representative, 4);
  EXPECT_EQ(graph.problem.axes[heads].extent, 4096);
  const Node &product = graph.problem[graph.product];
  EXPECT_EQ(product.axes, AxisSet({graph.n, AxisId(rows)}));
  EXPECT_EQ(product.reduced, AxisSet({AxisId(heads)}));
  EXPECT_EQ(graph.problem[graph.x].storage,
            (llvm::SmallVector<AxisId, 4>{AxisId(rows), AxisId(heads)}));
  EXPECT_EQ(graph.problem[graph.x].dims,
            (Dimensions{{graph.b}, {graph.s}, {graph.h}, {graph.e}}));
  EXPECT_EQ(graph.problem.results[0].storage,
            (llvm::SmallVector<AxisId, 4>{AxisId(rows), graph.n}));
}

TEST(ProductsTest, OrdersInMemoryMustAgree) {
  Projection graph(/*headsInside=*/true);
  EXPECT_FALSE(canMultiply(graph.problem, graph.h, graph.e));
  EXPECT_FALSE(canMultiply(graph.problem, graph.e, graph.h));
  EXPECT_TRUE(canMultiply(graph.problem, graph.b, graph.s));
  EXPECT_FALSE(canMultiply(graph.problem, graph.s, graph.b));
}

TEST(ProductsTest, AnAxisThatIsUsedAloneStays) {
  Projection graph;
  NodeId scale = graph.problem.addArgument(2, Element::F32, {graph.s});
  NodeId scaled =
      graph.problem.addPointwise(Pointwise::Mul, {graph.product, scale});
  graph.problem.results = {{scaled, {graph.b, graph.s, graph.n}}};
  EXPECT_FALSE(canMultiply(graph.problem, graph.b, graph.s));
}

TEST(ProductsTest, NamesOfProductsAreMade) {
  Projection graph;
  EXPECT_EQ(findOrMultiply(graph.problem, "E.H"), -1);
  EXPECT_EQ(findOrMultiply(graph.problem, "Q.E"), -1);
  int heads = findOrMultiply(graph.problem, "H.E");
  ASSERT_GE(heads, 0);
  EXPECT_EQ(getFactors(graph.problem, heads),
            (llvm::SmallVector<AxisId, 2>{graph.h, graph.e}));
  EXPECT_EQ(findOrMultiply(graph.problem, "H.E"), heads);
}
