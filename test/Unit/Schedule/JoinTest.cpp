//===- JoinTest.cpp - Tests of kernels in the launch of the one in front --===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// When the search lets the last blocks of a kernel go on with the next one.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Transforms/Schedule/PartitionSearch.h"
#include "Graphs.h"
#include "gtest/gtest.h"

using namespace mlir::cleave::schedule;

namespace {

/// The sums over P of P products X[P, M, K] W[P, K, N], each stored.
struct ProductInParts {
  Problem problem;
  AxisId k, m, n, p;
  NodeId parts, result;

  explicit ProductInParts(int64_t count, int64_t width) {
    k = problem.addAxis("K", 512, 512);
    m = problem.addAxis("M", kDynamic, 16);
    n = problem.addAxis("N", width, width);
    p = problem.addAxis("P", count, count);
    NodeId x = problem.addArgument(0, Element::F16, {p, m, k});
    NodeId w = problem.addArgument(1, Element::F16, {p, k, n});
    problem.argumentNames = {"X", "W"};
    parts = problem.addContract(x, w, {k});
    result = problem.addReduce(Combiner::Sum, parts, {p});
    problem.results = {{result, {m, n}}};
    problem.resultNames = {"Y"};
  }
};

Target getTarget(double launch, double arrival) {
  Target target = getTestTarget();
  target.launch = launch;
  target.arrival = arrival;
  return target;
}

PartitionResult search(const ProductInParts &graph, const Target &target) {
  Partition partition = {{graph.parts}, {graph.result}};
  llvm::Expected<PartitionResult> found = searchPartition(
      graph.problem, target, SearchOptions(), nullptr, &partition);
  EXPECT_TRUE(bool(found));
  return found ? std::move(*found) : PartitionResult();
}

} // namespace

// Which is less decides: to launch a kernel or to count blocks.
TEST(JoinTest, InsteadOfALongLaunch) {
  ProductInParts graph(8, 256);
  PartitionResult found = search(graph, getTarget(4, 1));
  ASSERT_EQ(found.kernels.size(), 2u);
  EXPECT_FALSE(found.kernels[0].join);
  EXPECT_TRUE(found.kernels[1].join);
  EXPECT_FALSE(bool(checkOrder(graph.problem, found.kernels)));
  EXPECT_EQ(found.cost.time,
            found.cost.kernels[0].time + found.cost.kernels[1].time - 4 + 1);
  EXPECT_FALSE(search(graph, getTarget(0.6, 1)).kernels[1].join);
}

// A kernel of its own spreads a long merge over the device.
TEST(JoinTest, NotWhereFewBlocksMergeMuch) {
  EXPECT_FALSE(
      search(ProductInParts(256, 64), getTarget(4, 1)).kernels[1].join);
}

// The dynamic rows of parts might be none where there are rows of sums.
TEST(JoinTest, NotWhereTheKernelInFrontMayHaveNoBlocks) {
  ProductInParts graph(8, 256);
  graph.problem.axes[graph.p].extent = kDynamic;
  EXPECT_FALSE(search(graph, getTarget(4, 1)).kernels[1].join);
}
