//===- CostModelTest.cpp - Tests of known trade-offs ----------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the model counts, and that the search follows it.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Transforms/Schedule/Search.h"
#include "Graphs.h"
#include "gtest/gtest.h"

using namespace mlir::cleave::schedule;

namespace {

SearchResult search(const Problem &problem) {
  llvm::Expected<SearchResult> result =
      searchSchedule(problem, *getTarget("sm_90a"), SearchOptions());
  EXPECT_TRUE(bool(result));
  return result ? std::move(*result) : SearchResult();
}

Cost getCost(const Problem &problem, const Schedule &schedule) {
  llvm::Expected<LoopNest> nest = planLoopNest(problem, schedule);
  EXPECT_TRUE(bool(nest));
  if (!nest)
    return {};
  return computeCost(problem, schedule, *nest, *getTarget("sm_90a"));
}

} // namespace

TEST(CostModelTest, CountsBytesAndBlocks) {
  LinearWithNorm graph(100);
  Schedule schedule;
  schedule.grid = {{graph.m, 16}, {graph.n, 64}};
  schedule.loop = {{graph.k, 64}};
  Cost cost = getCost(graph.problem, schedule);
  ASSERT_EQ(cost.kernels.size(), 1u);
  // 7 row tiles of 16, 64 column tiles.
  EXPECT_EQ(cost.kernels[0].blocks, 7 * 64);
  // A row tile of X and a column tile of W, once.
  EXPECT_EQ(cost.kernels[0].loadedBytes, 2.0 * 4096 * (16 + 64));
  EXPECT_EQ(cost.kernels[0].tensorMacs, 16.0 * 64 * 4096);
  EXPECT_EQ(cost.kernels[0].sharedBytes, 2 * 64 * (16 + 64) + 16 * (64 + 64));
}

TEST(CostModelTest, SecondSweepCosts) {
  LinearWithNorm graph;
  Schedule schedule;
  schedule.grid = {{graph.m, 16}, {graph.n, 64}};
  schedule.loop = {{graph.k, 64}};
  double together = getCost(graph.problem, schedule).time;
  schedule.horizontal = false;
  EXPECT_LT(together, getCost(graph.problem, schedule).time);
}

TEST(CostModelTest, TooLargeTilesDoNotFit) {
  LinearWithNorm graph(8192);
  Schedule schedule;
  schedule.grid = {{graph.m, 1024}, {graph.n, 1024}};
  schedule.loop = {{graph.k, 64}};
  EXPECT_GT(getCost(graph.problem, schedule).excess, 1);
}

namespace {
/// P[S, M, N] summed over S, as partial results are.
struct Merge {
  Problem problem;
  AxisId m, n, s;

  Merge(int64_t rows, int64_t columns, int64_t parts) {
    m = problem.addAxis("M", kDynamic, rows);
    n = problem.addAxis("N", columns, columns);
    s = problem.addAxis("S", parts, parts);
    NodeId p = problem.addArgument(0, Element::F32, {s, m, n});
    problem.results = {{problem.addReduce(Combiner::Sum, p, {s}), {m, n}}};
  }

  /// In the launch in front, in tiles of that one.
  double getJoined(int64_t rows, int64_t columns, int64_t warps) {
    Schedule schedule;
    schedule.grid = {{m, rows}, {n, columns}};
    schedule.loop = {{s, 1}};
    schedule.warps = warps;
    schedule.stages = 4;
    schedule.join = true;
    return getCost(problem, schedule).time;
  }
};
} // namespace

// The fences and the count cost as much as a launch; a merge of little work is
// as fast either way, but only a launch of its own spreads much.
TEST(CostModelTest, TheLastBlockMergesLittle) {
  Merge few(16, 4096, 2);
  EXPECT_LT(few.getJoined(16, 32, 4), search(few.problem).cost.time + 1);
  Merge heads(32, 128, 8);
  EXPECT_LT(heads.getJoined(4, 128, 4), search(heads.problem).cost.time + 1);
  Merge many(128, 128, 64);
  EXPECT_GT(many.getJoined(128, 128, 8), search(many.problem).cost.time + 30);
  Merge wide(8192, 4096, 2);
  EXPECT_GT(wide.getJoined(128, 128, 8) * 1.2, search(wide.problem).cost.time);
}

// 0.6 us for each 32 KB that one block reads, beside what does not depend on it.
TEST(CostModelTest, AJoinedMergeCostsWhatWasMeasured) {
  for (int64_t parts : {8, 32, 128}) {
    double measured =
        4 + 0.6 * static_cast<double>(parts) * 64 * 64 * 4 / 32768;
    double time = Merge(64, 64, parts).getJoined(64, 64, 8);
    EXPECT_LT(time, 1.7 * measured) << parts;
    EXPECT_GT(time, measured / 1.7) << parts;
  }
}

// Few rows want many small blocks, many rows want large tiles that reuse more.
TEST(SearchTest, TilesGrowWithTheProblem) {
  SearchResult few = search(LinearWithNorm(1).problem);
  SearchResult many = search(LinearWithNorm(8192).problem);
  auto size = [](const Schedule &s) { return s.grid[0].tile * s.grid[1].tile; };
  EXPECT_GE(few.cost.kernels[0].blocks, 128);
  EXPECT_GT(size(many.schedule), size(few.schedule));
  EXPECT_EQ(many.cost.excess, 1);
}

// X[B, M, H, K] W[H, K, N] over H and K: one axis is a fragment's dimension.
TEST(SearchTest, OneAxisInEachPlaceHasATile) {
  Problem p;
  AxisId b = p.addAxis("B", kDynamic, 4), h = p.addAxis("H", 8, 8);
  AxisId k = p.addAxis("K", 128, 128), m = p.addAxis("M", kDynamic, 64);
  AxisId n = p.addAxis("N", 256, 256);
  NodeId x = p.addArgument(0, Element::F16, {b, m, h, k});
  NodeId w = p.addArgument(1, Element::F16, {h, k, n});
  p.results = {{p.addContract(x, w, {h, k}), {b, m, n}}};
  Schedule schedule = search(p).schedule;
  EXPECT_EQ(getTile(schedule.grid, b), 1);
  EXPECT_GE(getTile(schedule.grid, m), kMinContractM);
  EXPECT_GE(getTile(schedule.grid, n), kMinContractM);
  EXPECT_EQ(getTile(schedule.loop, h), 1);
  EXPECT_GE(getTile(schedule.loop, k), kMinContractK);
}

// X[M, K] W[K, L] V[L, K]: K is contracted first and a side of the result.
TEST(SearchTest, AnAxisThatComesBackIsTiled) {
  Problem p;
  AxisId k = p.addAxis("K", 4096, 4096), l = p.addAxis("L", 1024, 1024);
  AxisId m = p.addAxis("M", kDynamic, 64);
  NodeId x = p.addArgument(0, Element::F16, {m, k});
  NodeId w = p.addArgument(1, Element::F16, {k, l});
  NodeId hidden = p.addCast(p.addContract(x, w, {k}), Element::F16);
  NodeId v = p.addArgument(2, Element::F16, {l, k});
  p.results = {{p.addContract(hidden, v, {l}), {m, k}}};
  SearchResult result = search(p);
  EXPECT_LE(getTile(result.schedule.grid, k), 128);
  EXPECT_EQ(result.cost.excess, 1);
}

TEST(SearchTest, IsDeterministic) {
  SearchResult a = search(LinearWithNorm(77).problem);
  SearchResult b = search(LinearWithNorm(77).problem);
  EXPECT_EQ(a.candidates, b.candidates);
  EXPECT_EQ(a.schedule.grid[1].tile, b.schedule.grid[1].tile);
  EXPECT_TRUE(a.converged);
}

TEST(SearchTest, SaysWhenItStopsAtTheLimit) {
  SearchOptions options;
  options.maxCandidates = 3;
  llvm::Expected<SearchResult> result =
      searchSchedule(LinearWithNorm().problem, *getTarget("sm_90a"), options);
  ASSERT_TRUE(bool(result));
  EXPECT_FALSE(result->converged);
}

TEST(TargetTest, UnknownChipHasNone) {
  EXPECT_FALSE(getTarget("sm_70").has_value());
}
