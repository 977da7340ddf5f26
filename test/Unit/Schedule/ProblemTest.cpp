//===- ProblemTest.cpp - Tests of the scheduling problem ------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nodes are hash-consed; illegal schedules say why.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Transforms/Schedule/Schedule.h"
#include "Graphs.h"
#include "gtest/gtest.h"

using namespace mlir::cleave::schedule;

TEST(ProblemTest, EqualNodesAreOne) {
  LinearWithNorm graph;
  Problem &p = graph.problem;
  size_t before = p.size();
  EXPECT_EQ(p.addContract(graph.x, graph.w, {graph.k}), graph.product);
  EXPECT_EQ(p.size(), before);
  EXPECT_NE(p.addContract(graph.w, graph.x, {graph.k}), graph.product);
  EXPECT_EQ(p.addConstant(0.0), p.addConstant(0.0));
  EXPECT_NE(p.addConstant(0.0), p.addConstant(-0.0));
}

TEST(ProblemTest, AxesFollowFromOperands) {
  LinearWithNorm graph;
  EXPECT_EQ(graph.problem[graph.product].axes, AxisSet({graph.m, graph.n}));
  EXPECT_EQ(graph.problem[graph.squares].axes, AxisSet({graph.m}));
  EXPECT_EQ(getReducedAxes(graph.problem), AxisSet({graph.k}));
}

TEST(ProblemTest, CastToTheSameElementIsNothing) {
  LinearWithNorm graph;
  EXPECT_EQ(graph.problem.addCast(graph.x, Element::F16), graph.x);
  EXPECT_NE(graph.problem.addCast(graph.x, Element::F32), graph.x);
}

namespace {
std::string getReason(const Problem &problem, const Schedule &schedule) {
  return llvm::toString(checkSchedule(problem, schedule));
}
} // namespace

TEST(ScheduleTest, IllegalOnesSayWhy) {
  LinearWithNorm graph;
  Schedule legal;
  legal.grid = {{graph.m, 16}, {graph.n, 64}};
  legal.loop = {{graph.k, 64}};
  EXPECT_EQ(getReason(graph.problem, legal), "");

  Schedule schedule = legal;
  schedule.grid[0].tile = 24;
  EXPECT_EQ(getReason(graph.problem, schedule),
            "expected a power of two as tile of axis 'M' but got 24");
  schedule = legal;
  schedule.grid.push_back({graph.k, 16});
  EXPECT_EQ(getReason(graph.problem, schedule),
            "expected an axis that a result carries in 'grid' but got 'K'");
  schedule = legal;
  schedule.loop[0].axis = graph.n;
  EXPECT_EQ(getReason(graph.problem, schedule),
            "expected an axis that is reduced in 'loop' but got 'N'");
  schedule = legal;
  schedule.grid.pop_back();
  EXPECT_EQ(getReason(graph.problem, schedule),
            "expected a tile for axis 'N' of the results in 'grid'");
  schedule = legal;
  schedule.loop.clear();
  EXPECT_EQ(getReason(graph.problem, schedule),
            "expected a tile for reduced axis 'K' in 'loop'");
  schedule = legal;
  schedule.grid[1] = schedule.grid[0];
  EXPECT_EQ(getReason(graph.problem, schedule),
            "expected axis 'M' once in 'grid'");
  schedule = legal;
  schedule.warps = 3;
  EXPECT_EQ(getReason(graph.problem, schedule),
            "expected 1, 2, 4, 8, 16 or 32 warps but got 3");
  schedule = legal;
  schedule.stages = 17;
  EXPECT_EQ(getReason(graph.problem, schedule),
            "expected 1 to 16 stages but got 17");
}
