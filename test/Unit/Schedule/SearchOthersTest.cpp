//===- SearchOthersTest.cpp - Tests of what is to be measured -------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Schedules that a search returns beside the best, and searches without tiles
// of reduced axes.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Transforms/Schedule/PartitionSearch.h"
#include "Cleave/Transforms/Schedule/Search.h"
#include "Graphs.h"
#include "gtest/gtest.h"
#include <set>
#include <tuple>

using namespace mlir::cleave::schedule;

namespace {

using Fields =
    std::tuple<std::vector<int64_t>, std::vector<int64_t>, int64_t, int64_t>;

Fields getFields(const Schedule &schedule) {
  std::vector<int64_t> grid, loop;
  for (const AxisTile &range : schedule.grid)
    grid.push_back(range.tile);
  for (const AxisTile &range : schedule.loop)
    loop.push_back(range.tile);
  return {grid, loop, schedule.warps, schedule.stages};
}

SearchResult search(const Problem &problem, const SearchOptions &options) {
  llvm::Expected<SearchResult> result =
      searchSchedule(problem, getTestTarget(), options);
  EXPECT_TRUE(bool(result));
  return result ? std::move(*result) : SearchResult();
}

} // namespace

TEST(SearchOthersTest, NoneUnlessAsked) {
  EXPECT_TRUE(search(LinearWithNorm().problem, SearchOptions()).others.empty());
}

TEST(SearchOthersTest, DifferentLegalAndNotMuchSlower) {
  LinearWithNorm graph;
  SearchOptions options;
  options.others = 8;
  SearchResult result = search(graph.problem, options);
  SearchResult alone = search(graph.problem, SearchOptions());
  EXPECT_EQ(getFields(result.schedule), getFields(alone.schedule));
  EXPECT_GE(result.others.size(), 4u);
  std::set<Fields> seen = {getFields(result.schedule)};
  for (const CostedSchedule &other : result.others) {
    EXPECT_TRUE(seen.insert(getFields(other.schedule)).second);
    EXPECT_FALSE(bool(checkSchedule(graph.problem, other.schedule)));
    EXPECT_LE(other.cost.time, result.cost.time * 1.25);
    EXPECT_LE(other.cost.excess, result.cost.excess);
    // In the order of its own grid.
    llvm::Expected<LoopNest> nest = planLoopNest(graph.problem, other.schedule);
    ASSERT_TRUE(bool(nest));
    EXPECT_EQ(other.cost.time,
              computeCost(graph.problem, other.schedule, *nest, getTestTarget())
                  .time);
  }
}

TEST(SearchOthersTest, PartitionsOfTheSameValues) {
  LinearWithNorm graph;
  SearchOptions options;
  options.others = 4;
  llvm::Expected<PartitionResult> result =
      searchPartition(graph.problem, getTestTarget(), options);
  ASSERT_TRUE(bool(result));
  EXPECT_GE(result->others.size(), 4u);
  for (const PartitionResult &other : result->others) {
    ASSERT_FALSE(other.kernels.empty());
    EXPECT_TRUE(llvm::is_contained(other.kernels.back().stores, graph.result));
    EXPECT_EQ(other.cost.kernels.size(), other.kernels.size());
  }
}

TEST(SearchOthersTest, WholeAxesWithoutIterativeTiling) {
  LinearWithNorm graph(16, 500);
  SearchOptions options;
  options.iterative = false;
  options.others = 4;
  SearchResult result = search(graph.problem, options);
  EXPECT_EQ(getTile(result.schedule.loop, graph.k), 512);
  for (const CostedSchedule &other : result.others)
    EXPECT_EQ(getTile(other.schedule.loop, graph.k), 512);
  // Fragments take no fewer than this.
  LinearWithNorm small(16, 3);
  EXPECT_EQ(getTile(search(small.problem, options).schedule.loop, small.k),
            kMinContractK);
}
