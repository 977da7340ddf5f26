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
      searchSchedule(problem, getTestTarget(), SearchOptions());
  EXPECT_TRUE(bool(result));
  return result ? std::move(*result) : SearchResult();
}

Cost getCost(const Problem &problem, const Schedule &schedule) {
  llvm::Expected<LoopNest> nest = planLoopNest(problem, schedule);
  EXPECT_TRUE(bool(nest));
  if (!nest)
    return {};
  return computeCost(problem, schedule, *nest, getTestTarget());
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

// Each warp reads its rows of one operand and its columns of the other.
// Tensor cores take neither a sum that one side alone has, nor f64: registers
// hold all that is reduced at once.
TEST(CostModelTest, ProductsWithoutFragmentsAreHeldWhole) {
  auto getLargest = [](Element element, bool bothSides) {
    Problem p;
    AxisId m = p.addAxis("M", kDynamic, 64), k = p.addAxis("K", 512, 512);
    AxisId n = p.addAxis("N", 512, 512);
    NodeId x = p.addArgument(0, element, {m, k});
    NodeId w =
        p.addArgument(1, element, bothSides ? AxisSet{k, n} : AxisSet{n});
    p.results = {{p.addContract(x, w, {k}), {m, n}}};
    Schedule schedule;
    schedule.grid = {{m, 16}, {n, 32}};
    schedule.loop = {{k, 64}};
    return getCost(p, schedule).kernels[0].largestTile;
  };
  EXPECT_EQ(getLargest(Element::F16, true), 0);
  EXPECT_EQ(getLargest(Element::F16, false), 16 * 32 * 64);
  EXPECT_EQ(getLargest(Element::F64, true), 2 * 16 * 32 * 64);
}

TEST(CostModelTest, MoreWarpsReadMoreFragments) {
  LinearWithNorm graph(2048);
  Schedule schedule;
  schedule.grid = {{graph.m, 128}, {graph.n, 128}};
  schedule.loop = {{graph.k, 64}};
  schedule.stages = 3;
  schedule.warps = 4;
  KernelCost four = getCost(graph.problem, schedule).kernels[0];
  schedule.warps = 8;
  KernelCost eight = getCost(graph.problem, schedule).kernels[0];
  EXPECT_EQ(eight.sharedTraffic - four.sharedTraffic,
            2.0 * 4096 * (8 * (64 + 32) - 4 * (64 + 64)));
}

// 16 row tiles share what they read of W if they run at one time; 112 column
// tiles would read all of W once a row tile.
TEST(SearchTest, BlocksThatRunTogetherShareTiles) {
  Problem p;
  AxisId k = p.addAxis("K", 4096, 4096), m = p.addAxis("M", kDynamic, 2048);
  AxisId n = p.addAxis("N", 14336, 14336);
  NodeId x = p.addArgument(0, Element::F16, {m, k});
  NodeId w = p.addArgument(1, Element::F16, {k, n});
  p.results = {{p.addContract(x, w, {k}), {m, n}}};
  SearchResult result = search(p);
  EXPECT_EQ(result.schedule.grid.back().axis, m);
  EXPECT_EQ(result.cost.excess, 1);
}

// Tiles above the diagonal are not visited, which are half of them.
TEST(CostModelTest, CountsTheTilesInsideOfAMask) {
  LargestScore all(false), some(true);
  Schedule schedule;
  schedule.grid = {{all.s, 64}};
  schedule.loop = {{all.d, 64}, {all.t, 64}};
  double every = getCost(all.problem, schedule).kernels[0].tensorMacs;
  double visited = getCost(some.problem, schedule).kernels[0].tensorMacs;
  EXPECT_EQ(every, 64.0 * 2048 * 64);
  EXPECT_EQ(visited, 64.0 * (2048 + 64) / 2 * 64);
}

// More warps than 16 rows each share rows whose maximum is wanted.
TEST(CostModelTest, WarpsShareRowsIfThereAreTooFew) {
  LargestScore graph(false);
  Schedule schedule;
  schedule.grid = {{graph.s, 64}};
  schedule.loop = {{graph.d, 64}, {graph.t, 64}};
  schedule.warps = 4;
  double four = getCost(graph.problem, schedule).kernels[0].tensorMacs;
  schedule.warps = 8;
  double eight = getCost(graph.problem, schedule).kernels[0].tensorMacs;
  EXPECT_EQ(eight, four);
}

// 80 elements are a tile of 64 and one of 16; what does not change in the loop
// around them is loaded once.
TEST(CostModelTest, CountsWhatIsWrittenOutOnce) {
  Problem p;
  AxisId s = p.addAxis("S", kDynamic, 64), t = p.addAxis("T", kDynamic, 2048);
  AxisId d = p.addAxis("D", 80, 80);
  NodeId q = p.addArgument(0, Element::F16, {s, d});
  NodeId k = p.addArgument(1, Element::F16, {t, d});
  NodeId largest = p.addReduce(Combiner::Max, p.addContract(q, k, {d}), {t});
  p.results = {{largest, {s}}};
  Schedule schedule;
  schedule.grid = {{s, 64}};
  schedule.loop = {{d, 64}, {t, 64}};
  schedule.stages = 3;
  KernelCost cost = getCost(p, schedule).kernels[0];
  EXPECT_EQ(cost.tensorMacs, 64.0 * 2048 * 80);
  EXPECT_EQ(cost.loadedBytes, 2.0 * (64 + 2048) * 80);
  EXPECT_EQ(cost.loadSteps, 2048 / 64);
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

// At M = 1 tiles of 128 columns would leave most multiprocessors idle.
TEST(SearchTest, OneRowWantsManyBlocks) {
  LinearWithNorm graph(1);
  Schedule narrow;
  narrow.grid = {{graph.m, 16}, {graph.n, 32}};
  narrow.loop = {{graph.k, 128}};
  narrow.stages = 4;
  Schedule wide = narrow;
  wide.grid[1].tile = 128;
  EXPECT_LT(getCost(graph.problem, narrow).time,
            getCost(graph.problem, wide).time);
}

// 132 blocks are one wave of one block each, 133 are not.
TEST(CostModelTest, TheLastWaveCostsAWhole) {
  auto getTime = [](int64_t blocks) {
    LinearWithNorm graph(128 * blocks / 32);
    Schedule schedule;
    schedule.grid = {{graph.m, 128}, {graph.n, 128}};
    schedule.loop = {{graph.k, 64}};
    schedule.warps = 8;
    schedule.stages = 3;
    Cost cost = getCost(graph.problem, schedule);
    return std::make_pair(cost.kernels[0].blocks, cost.time);
  };
  auto [full, fullTime] = getTime(4 * 128);
  auto [more, moreTime] = getTime(5 * 128);
  EXPECT_EQ(full, 512);
  EXPECT_EQ(more, 640);
  // 640 tiles take longer than 512 by more than their share only if a wave
  // begins for them.
  EXPECT_GT(moreTime, fullTime);
}

TEST(CostModelTest, StagesHideLatency) {
  LinearWithNorm graph(16);
  Schedule schedule;
  schedule.grid = {{graph.m, 16}, {graph.n, 32}};
  schedule.loop = {{graph.k, 64}};
  double one = getCost(graph.problem, schedule).time;
  schedule.stages = 2;
  double two = getCost(graph.problem, schedule).time;
  schedule.stages = 4;
  EXPECT_LT(two, one);
  EXPECT_LT(getCost(graph.problem, schedule).time, two);
}

// X[M, N] S[M]: all lanes along a row have its factor, so long columns of
// factors take registers.
TEST(CostModelTest, LanesOfARowShareItsValues) {
  Problem problem;
  AxisId m = problem.addAxis("M", kDynamic, 8192);
  AxisId n = problem.addAxis("N", 4096, 4096);
  NodeId x = problem.addArgument(0, Element::F16, {m, n});
  NodeId s = problem.addArgument(1, Element::F32, {m});
  problem.argumentNames = {"X", "S"};
  NodeId scaled = problem.addPointwise(Pointwise::Mul, {x, s});
  problem.results = {{problem.addCast(scaled, Element::F16), {m, n}}};
  problem.resultNames = {"Y"};
  Schedule tall, wide;
  tall.grid = {{m, 64}, {n, 128}};
  wide.grid = {{m, 16}, {n, 512}};
  tall.warps = wide.warps = 1;
  EXPECT_GT(getCost(problem, tall).kernels[0].registersPerThread,
            getCost(problem, wide).kernels[0].registersPerThread + 8);
}

// Small kernels beside each other take as long as the longer one; of large ones
// the work adds up.
TEST(CostModelTest, KernelsOfOneLaunch) {
  Target target = getTestTarget();
  KernelCost small, large;
  small.time = target.launch + 4;
  small.busy = 1;
  large.time = target.launch + 10;
  large.busy = 9;
  EXPECT_EQ(getSharedTime({small, small}, target), target.launch + 4);
  EXPECT_EQ(getSharedTime({small, large}, target), target.launch + 10);
  EXPECT_EQ(getSharedTime({large, large}, target), target.launch + 18);
  // What finds no place beside the one in front comes after it.
  small.blocks = large.blocks = 0.9 * double(target.multiprocessors);
  EXPECT_EQ(getSharedTime({large, small}, target),
            target.launch + 14 - 2.5 * target.latency);
  small.resident = 4;
  large.resident = 2;
  EXPECT_EQ(getSharedTime({large, small}, target), target.launch + 10);
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
      searchSchedule(LinearWithNorm().problem, getTestTarget(), options);
  ASSERT_TRUE(bool(result));
  EXPECT_FALSE(result->converged);
}
