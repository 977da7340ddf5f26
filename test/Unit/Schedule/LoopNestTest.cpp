//===- LoopNestTest.cpp - Tests of where values are computed --------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops, their order and what they share.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Transforms/Schedule/LoopNest.h"
#include "Graphs.h"
#include "gtest/gtest.h"

using namespace mlir::cleave::schedule;

namespace {

/// The loops of a block, in order.
std::vector<const Loop *> getLoops(const NestBlock &block) {
  std::vector<const Loop *> loops;
  for (const Step &step : block.steps)
    if (step.kind == Step::Nest)
      loops.push_back(step.loop.get());
  return loops;
}

LoopNest plan(const Problem &problem, const Schedule &schedule) {
  llvm::Expected<LoopNest> nest = planLoopNest(problem, schedule);
  EXPECT_TRUE(bool(nest));
  return nest ? std::move(*nest) : LoopNest();
}

} // namespace

TEST(LoopNestTest, IndependentReductionsShareALoop) {
  LinearWithNorm graph;
  Schedule schedule;
  schedule.grid = {{graph.m, 16}, {graph.n, 64}};
  schedule.loop = {{graph.k, 64}};
  LoopNest nest = plan(graph.problem, schedule);
  auto loops = getLoops(*nest.root);
  ASSERT_EQ(loops.size(), 1u);
  EXPECT_EQ(loops[0]->carried.size(), 2u);
  EXPECT_EQ(loops[0]->body.available.count(graph.x), 1u);

  schedule.horizontal = false;
  nest = plan(graph.problem, schedule);
  EXPECT_EQ(getLoops(*nest.root).size(), 2u);
}

TEST(LoopNestTest, AWholeAxisNeedsNoLoop) {
  LinearWithNorm graph(16, 100);
  Schedule schedule;
  schedule.grid = {{graph.m, 16}, {graph.n, 64}};
  schedule.loop = {{graph.k, 128}};
  LoopNest nest = plan(graph.problem, schedule);
  EXPECT_TRUE(getLoops(*nest.root).empty());
}

// sum over K of (X - max over K of X): the maximum's loop comes first.
TEST(LoopNestTest, DependentReductionsFollowEachOther) {
  Problem p;
  AxisId k = p.addAxis("K", kDynamic, 100), m = p.addAxis("M", kDynamic, 10);
  NodeId x = p.addArgument(0, Element::F32, {m, k});
  NodeId max = p.addReduce(Combiner::Max, x, {k});
  NodeId difference = p.addPointwise(Pointwise::Sub, {x, max});
  NodeId sum = p.addReduce(Combiner::Sum, difference, {k});
  p.results = {{sum, {m}}};
  Schedule schedule;
  schedule.grid = {{m, 4}};
  schedule.loop = {{k, 32}};
  LoopNest nest = plan(p, schedule);
  auto loops = getLoops(*nest.root);
  ASSERT_EQ(loops.size(), 2u);
  EXPECT_EQ(loops[0]->carried, std::vector<NodeId>({max}));
  EXPECT_EQ(loops[1]->carried, std::vector<NodeId>({sum}));
  // Both read X.
  EXPECT_EQ(loops[1]->body.available.count(x), 1u);
}

// sum over T of (sum over D of Q K) * V: D's loop is inside T's.
TEST(LoopNestTest, ReductionsNest) {
  Problem p;
  AxisId d = p.addAxis("D", kDynamic, 64), e = p.addAxis("E", kDynamic, 64);
  AxisId s = p.addAxis("S", kDynamic, 64), t = p.addAxis("T", kDynamic, 64);
  NodeId q = p.addArgument(0, Element::F16, {s, d});
  NodeId k = p.addArgument(1, Element::F16, {t, d});
  NodeId v = p.addArgument(2, Element::F16, {t, e});
  NodeId scores = p.addContract(q, k, {d});
  NodeId rounded = p.addCast(scores, Element::F16);
  NodeId out = p.addContract(rounded, v, {t});
  p.results = {{out, {s, e}}};
  Schedule schedule;
  schedule.grid = {{s, 16}, {e, 16}};
  schedule.loop = {{d, 16}, {t, 32}};
  LoopNest nest = plan(p, schedule);
  auto outer = getLoops(*nest.root);
  ASSERT_EQ(outer.size(), 1u);
  EXPECT_EQ(outer[0]->range.axis, t);
  auto inner = getLoops(outer[0]->body);
  ASSERT_EQ(inner.size(), 1u);
  EXPECT_EQ(inner[0]->range.axis, d);
  EXPECT_EQ(inner[0]->carried, std::vector<NodeId>({scores}));
}

// X[M, K] minus its row maximum, written over tiles of K: the maximum needs
// all of the row, so its own loop binds K again.
TEST(LoopNestTest, AReductionOverAnOpenAxisReadsAllOfIt) {
  Problem p;
  AxisId k = p.addAxis("K", kDynamic, 100), m = p.addAxis("M", kDynamic, 10);
  NodeId x = p.addArgument(0, Element::F32, {m, k});
  NodeId max = p.addReduce(Combiner::Max, x, {k});
  NodeId difference = p.addPointwise(Pointwise::Sub, {x, max});
  p.results = {{difference, {m, k}}};
  Schedule schedule;
  schedule.grid = {{m, 4}, {k, 16}};
  schedule.loop = {{k, 32}};
  LoopNest nest = plan(p, schedule);
  NestBlock &root = *nest.root;
  auto loops = getLoops(root);
  ASSERT_EQ(loops.size(), 1u);
  EXPECT_EQ(loops[0]->body.available.count(x), 1u);
  EXPECT_EQ(root.available.count(x), 1u);
}

TEST(LoopNestTest, AMaskLimitsItsLoop) {
  LargestScore graph(true);
  Schedule schedule;
  schedule.grid = {{graph.s, 64}};
  schedule.loop = {{graph.d, 64}, {graph.t, 64}};
  LoopNest nest = plan(graph.problem, schedule);
  auto loops = getLoops(*nest.root);
  ASSERT_EQ(loops.size(), 1u);
  ASSERT_EQ(loops[0]->domain.size(), 1u);
  const DomainBound &bound = loops[0]->domain[0];
  EXPECT_TRUE(bound.upper);
  EXPECT_FALSE(bound.strict);
  EXPECT_EQ(bound.plus.size(), 1u);
  EXPECT_TRUE(bound.minus.empty());

  LargestScore whole(false);
  nest = plan(whole.problem, schedule);
  EXPECT_TRUE(getLoops(*nest.root)[0]->domain.empty());
}
