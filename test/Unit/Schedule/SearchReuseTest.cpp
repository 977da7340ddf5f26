//===- SearchReuseTest.cpp - Tests of what searches need not do again -----===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops are planned once for all extents, and what a block does is counted once
// for all numbers of stages: neither may change what is chosen or what it
// costs.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Transforms/Schedule/Search.h"
#include "Graphs.h"
#include "gtest/gtest.h"
#include <set>

using namespace mlir::cleave::schedule;

namespace {

SearchResult search(const Problem &problem, const SearchOptions &options) {
  llvm::Expected<SearchResult> result =
      searchSchedule(problem, getTestTarget(), options);
  EXPECT_TRUE(bool(result));
  return result ? std::move(*result) : SearchResult();
}

/// The cost of `schedule` where nothing is known before.
Cost computeAlone(const Problem &problem, const Schedule &schedule) {
  llvm::Expected<LoopNest> nest = planLoopNest(problem, schedule);
  EXPECT_TRUE(bool(nest));
  return nest ? computeCost(problem, schedule, *nest, getTestTarget()) : Cost();
}

void expectSame(const Cost &a, const Cost &b) {
  EXPECT_EQ(a.excess, b.excess);
  EXPECT_EQ(a.time, b.time);
  ASSERT_EQ(a.kernels.size(), 1u);
  ASSERT_EQ(b.kernels.size(), 1u);
  EXPECT_EQ(a.kernels[0].sharedBytes, b.kernels[0].sharedBytes);
  EXPECT_EQ(a.kernels[0].registersPerThread, b.kernels[0].registersPerThread);
  EXPECT_EQ(a.kernels[0].movedBytes, b.kernels[0].movedBytes);
}

} // namespace

TEST(SearchReuseTest, CostsAreThoseOfTheScheduleAlone) {
  for (int64_t rows : {1, 16, 300, 8192}) {
    LinearWithNorm graph(rows);
    SearchOptions options;
    options.others = 8;
    SearchResult result = search(graph.problem, options);
    expectSame(result.cost, computeAlone(graph.problem, result.schedule));
    std::set<int64_t> stages;
    for (const CostedSchedule &other : result.others) {
      stages.insert(other.schedule.stages);
      expectSame(other.cost, computeAlone(graph.problem, other.schedule));
    }
    EXPECT_GT(stages.size(), 1u);
  }
}

TEST(SearchReuseTest, LoopsOfOtherExtents) {
  PlannedNests nests;
  SearchOptions options, shared;
  shared.nests = &nests;
  size_t planned = 0;
  for (int64_t rows : {2048, 1, 64}) {
    LargestScore graph(/*masked=*/true, rows);
    SearchResult alone = search(graph.problem, options);
    SearchResult again = search(graph.problem, shared);
    expectSame(alone.cost, again.cost);
    EXPECT_EQ(alone.candidates, again.candidates);
    // The second and third search plan nothing.
    EXPECT_GT(nests.size(), 0u);
    if (planned)
      EXPECT_EQ(nests.size(), planned);
    planned = nests.size();
  }
}
