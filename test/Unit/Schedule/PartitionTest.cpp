//===- PartitionTest.cpp - Tests of what becomes a kernel -----------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels' graphs, and known trade-offs between storing and computing again.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Transforms/Schedule/PartitionSearch.h"
#include "Graphs.h"
#include "gtest/gtest.h"

using namespace mlir::cleave::schedule;

namespace {

/// (X[M, K] W[K, N] as f16) V[N, P].
struct TwoLinears {
  Problem problem;
  AxisId k, m, n, p;
  NodeId product, rounded, result;

  explicit TwoLinears(int64_t rows, int64_t width) {
    k = problem.addAxis("K", width, width);
    m = problem.addAxis("M", kDynamic, rows);
    n = problem.addAxis("N", width, width);
    p = problem.addAxis("P", width, width);
    NodeId x = problem.addArgument(0, Element::F16, {m, k});
    NodeId w = problem.addArgument(1, Element::F16, {k, n});
    NodeId v = problem.addArgument(2, Element::F16, {n, p});
    problem.argumentNames = {"X", "W", "V"};
    product = problem.addContract(x, w, {k});
    rounded = problem.addCast(product, Element::F16);
    result = problem.addContract(rounded, v, {n});
    problem.results = {{result, {m, p}}};
    problem.resultNames = {"Y"};
  }
};

PartitionResult search(const Problem &problem, bool horizontal = true) {
  SearchOptions options;
  options.horizontal = horizontal;
  llvm::Expected<PartitionResult> result =
      searchPartition(problem, getTestTarget(), options);
  EXPECT_TRUE(bool(result));
  return result ? std::move(*result) : PartitionResult();
}

std::string getMessage(llvm::Error error) {
  return llvm::toString(std::move(error));
}

} // namespace

TEST(PartitionTest, ResultsWithOtherAxesAreAnotherKernel) {
  LinearWithNorm graph;
  graph.problem.results.push_back({graph.squares, {graph.m}});
  graph.problem.results.push_back({graph.product, {graph.n, graph.m}});
  graph.problem.resultNames = {"Y", "S", "P"};
  EXPECT_EQ(getFusedPartition(graph.problem),
            Partition({{graph.result, graph.product}, {graph.squares}}));
}

TEST(PartitionTest, AKernelReadsWhatIsStored) {
  TwoLinears graph(16, 64);
  Problem first = extractKernel(graph.problem, {graph.rounded}, {});
  ASSERT_EQ(first.results.size(), 1u);
  EXPECT_EQ(first[first.results[0].node].element, Element::F16);
  EXPECT_EQ(first.results[0].storage,
            (llvm::SmallVector<AxisId, 4>{graph.m, graph.n}));
  Problem second =
      extractKernel(graph.problem, {graph.result}, {graph.rounded});
  EXPECT_EQ(getReducedAxes(second), AxisSet({graph.n}));
  // Nothing else is read.
  Problem both = extractKernel(graph.problem, {graph.result}, {});
  EXPECT_EQ(getReducedAxes(both), AxisSet({graph.k, graph.n}));
}

TEST(PartitionTest, StoredValuesOfOneKernelHaveTheAxesOfOne) {
  LinearWithNorm graph;
  EXPECT_TRUE(canShareKernel(graph.problem, {graph.result, graph.squares}));
  // A block that does not exist writes nothing.
  graph.problem.axes[graph.n].extent = kDynamic;
  EXPECT_FALSE(canShareKernel(graph.problem, {graph.result, graph.squares}));
  EXPECT_FALSE(canStore(graph.problem, graph.x));
}

TEST(PartitionTest, IllegalOnesSayWhy) {
  TwoLinears graph(16, 64);
  EXPECT_EQ(getMessage(checkPartition(graph.problem, {{graph.rounded}})),
            "expected a kernel that stores 'result0'");
  EXPECT_EQ(getMessage(checkPartition(graph.problem,
                                      {{graph.result}, {graph.result}})),
            "expected 'result0' in one 'store' but got two");
  EXPECT_FALSE(
      bool(checkPartition(graph.problem, {{graph.rounded}, {graph.result}})));
}

// Every block of P would compute all of the first product.
TEST(PartitionSearchTest, AProductThatFeedsAProductIsStored) {
  TwoLinears graph(2048, 4096);
  PartitionResult found = search(graph.problem);
  ASSERT_EQ(found.kernels.size(), 2u);
  // Rounded: half the bytes.
  EXPECT_EQ(found.kernels[0].stores, Stores({graph.rounded}));
}

// A launch costs more than computing a small product again.
TEST(PartitionSearchTest, ASmallProductIsComputedAgain) {
  EXPECT_EQ(search(TwoLinears(16, 16).problem).kernels.size(), 1u);
}

// One loop reads X once for both; with a loop each, every block of columns
// would read its rows twice.
TEST(PartitionSearchTest, ReductionsThatShareTheirLoopStayTogether) {
  EXPECT_EQ(search(LinearWithNorm().problem).kernels.size(), 1u);
  EXPECT_EQ(
      search(LinearWithNorm(256).problem, /*horizontal=*/false).kernels.size(),
      2u);
}

// What another problem stores need not be there.
TEST(PartitionSearchTest, StartsAnywhereFromAnotherProblemsKernels) {
  LinearWithNorm graph;
  auto search = [&](const Partition &start) {
    llvm::Expected<PartitionResult> found = searchPartition(
        graph.problem, getTestTarget(), SearchOptions(), nullptr, &start);
    EXPECT_TRUE(bool(found));
    return found ? found->kernels.size() : 0;
  };
  NodeId result = graph.problem.results.front().node;
  EXPECT_EQ(search({{NodeId(999)}, {result}}), 1u);
  EXPECT_EQ(search({{NodeId(0)}}), 1u);
}

TEST(PartitionSearchTest, StopsAtTheLimit) {
  SearchOptions options;
  options.maxKernels = 0;
  TwoLinears graph(2048, 4096);
  Partition start = getFusedPartition(graph.problem);
  llvm::Expected<PartitionResult> result = searchPartition(
      graph.problem, getTestTarget(), options, /*cache=*/nullptr, &start);
  ASSERT_TRUE(bool(result));
  // Where the search begins is looked at in any case.
  EXPECT_EQ(result->kernels.size(), 1u);
  EXPECT_FALSE(result->converged);
}

TEST(PartitionSearchTest, GoesOnFromTheStart) {
  TwoLinears graph(2048, 4096);
  Partition start = getFusedPartition(graph.problem);
  llvm::Expected<PartitionResult> result =
      searchPartition(graph.problem, getTestTarget(), SearchOptions(),
                      /*cache=*/nullptr, &start);
  ASSERT_TRUE(bool(result));
  EXPECT_EQ(result->kernels.size(), 2u);
}
