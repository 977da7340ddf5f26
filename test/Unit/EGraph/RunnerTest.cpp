//===- RunnerTest.cpp - Limits, phases, stop reasons ----------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cleave/Transforms/EGraph/Runner.h"
#include "gtest/gtest.h"

using namespace mlir::cleave::egraph;

namespace {

/// Wraps each class of `from` into `symbol`: f(x) = symbol(f(x)) if `grow`,
/// else merges each `from` node with a leaf.
class TestRule : public Rule {
public:
  TestRule(llvm::StringRef name, unsigned phase, bool grow)
      : name(name), phase(phase), grow(grow) {}
  llvm::StringRef getName() const override { return name; }
  unsigned getPhase() const override { return phase; }
  void search(const EGraph &graph, std::vector<Match> &matches) override {
    for (ClassId id : graph.getClassIds())
      for (const Node &node : graph.getClass(id).nodes)
        if (graph.getName(node.symbol) == "f")
          matches.push_back({id, [this, node](EGraph &g) {
                               return grow ? g.add("f", node.payload + 1,
                                                   node.children)
                                           : g.add("leaf", 0, {});
                             }});
  }

private:
  std::string name;
  unsigned phase;
  bool grow;
};

TEST(Runner, Saturates) {
  EGraph g;
  ClassId f = g.add("f", 0, {g.add("a", 0, {})});
  TestRule rule("Test_Leaf", 0, false);
  Rule *rules[] = {&rule};
  RunReport report = saturate(g, rules, {});
  EXPECT_EQ(report.reason, StopReason::Saturated);
  EXPECT_EQ(report.iterations, 2u);
  EXPECT_EQ(report.firings[0], 1u);
  EXPECT_EQ(g.find(f), g.lookup(Node{g.getSymbol("leaf"), 0, {}}));
}

TEST(Runner, NodeAndIterationLimits) {
  TestRule grow("Test_Grow", 0, true);
  Rule *rules[] = {&grow};
  {
    EGraph g;
    g.add("f", 0, {g.add("a", 0, {})});
    RunReport report = saturate(g, rules, {/*maxNodes=*/10, 100});
    EXPECT_EQ(report.reason, StopReason::NodeLimit);
    EXPECT_EQ(report.nodes, 10u);
  }
  {
    EGraph g;
    g.add("f", 0, {g.add("a", 0, {})});
    RunReport report = saturate(g, rules, {1000, /*maxIterations=*/3});
    EXPECT_EQ(report.reason, StopReason::IterationLimit);
    EXPECT_EQ(report.iterations, 3u);
    EXPECT_EQ(stringify(report.reason), "iteration limit");
  }
}

TEST(Runner, LaterPhaseStartsFromSaturatedGraph) {
  EGraph g;
  g.add("f", 0, {g.add("a", 0, {})});
  TestRule leaf("Test_Leaf", 0, false), grow("Test_Grow", 1, true);
  Rule *rules[] = {&grow, &leaf};
  RunReport report = saturate(g, rules, {1000, 2});
  // Two iterations saturate phase 0, two more are phase 1's limit.
  EXPECT_EQ(report.iterations, 4u);
  EXPECT_EQ(report.reason, StopReason::IterationLimit);
  EXPECT_EQ(report.firings[0], 2u);
}

TEST(Runner, FlattenMeetsAllNestings) {
  EGraph g;
  g.declareMultiset("mul");
  ClassId a = g.add("a", 0, {}), b = g.add("b", 0, {}), c = g.add("c", 0, {});
  ClassId left = g.add("mul", 0, {g.add("mul", 0, {a, b}), c});
  ClassId right = g.add("mul", 0, {a, g.add("mul", 0, {c, b})});
  FlattenRule flatten;
  Rule *rules[] = {&flatten};
  RunReport report = saturate(g, rules, {});
  EXPECT_EQ(report.reason, StopReason::Saturated);
  EXPECT_EQ(g.find(left), g.find(right));
  EXPECT_EQ(g.getNumNodes(), 3u + 4u + 1u);
}

TEST(Runner, FlattenLeavesCyclesAlone) {
  EGraph g;
  g.declareMultiset("mul");
  ClassId a = g.add("a", 0, {}), one = g.add("one", 0, {});
  g.merge(a, g.add("mul", 0, {a, one}), "unit");
  g.rebuild();
  FlattenRule flatten;
  Rule *rules[] = {&flatten};
  EXPECT_EQ(saturate(g, rules, {}).reason, StopReason::Saturated);
  EXPECT_EQ(g.getNumNodes(), 3u);
}

} // namespace
