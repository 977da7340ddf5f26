//===- ExtractTest.cpp - Costs, brute force, skeletons --------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cleave/Transforms/EGraph/Extract.h"
#include "gtest/gtest.h"

#include <random>

using namespace mlir::cleave::egraph;

namespace {

/// "arg" reads 10 bytes, "sum" sweeps the axes of its payload's bits, "refused"
/// must not be taken; each other node costs its payload.
class TestModel : public CostModel {
public:
  unsigned getNumWorkTerms() const override { return 1; }
  std::optional<NodeCost> getCost(const EGraph &graph, ClassId,
                                  const Node &node) override {
    llvm::StringRef name = graph.getName(node.symbol);
    if (name == "refused")
      return std::nullopt;
    NodeCost cost;
    cost.work = {1};
    cost.identity = node.payload;
    if (name == "arg") {
      cost.storage = node.payload;
      cost.storageAxes = AxisSet::fromBits(~uint64_t(0));
      cost.bytes = 10;
    } else if (name == "sum") {
      cost.sweeps = AxisSet::fromBits(node.payload);
    } else {
      cost.work = {double(node.payload)};
    }
    return cost;
  }
};

Extraction run(const EGraph &g, llvm::ArrayRef<ClassId> roots,
               ExtractOptions options = {}) {
  TestModel model;
  return extract(g, roots, model, options);
}

TEST(Cost, SharingCountsOnceOverAllRoots) {
  EGraph g;
  ClassId shared = g.add("f", 100, {g.add("arg", 0, {})});
  ClassId roots[] = {g.add("g", 1, {shared, shared}), g.add("h", 1, {shared})};
  Extraction result = run(g, roots);
  ASSERT_EQ(result.best.size(), 1u);
  EXPECT_EQ(result.best[0].evaluation.cost, (Cost{0, 10, 103}));
}

TEST(Cost, SweepsAreLevelsAndRereadStorage) {
  EGraph g;
  ClassId x = g.add("arg", 0, {});
  ClassId s = g.add("sum", 1, {x});
  // Beside each other: one sweep. On top of each other: two, and x twice.
  ClassId beside = g.add("f", 0, {s, g.add("sum", 1, {g.add("h", 0, {x})})});
  ClassId above = g.add("sum", 1, {g.add("f", 0, {x, s})});
  EXPECT_EQ(run(g, beside).best[0].evaluation.cost[0], 1);
  EXPECT_EQ(run(g, beside).best[0].evaluation.cost[1], 10);
  EXPECT_EQ(run(g, above).best[0].evaluation.cost[0], 2);
  EXPECT_EQ(run(g, above).best[0].evaluation.cost[1], 20);
}

TEST(Cost, SweepsThatNothingWaitsForShareReads) {
  EGraph g;
  ClassId x = g.add("arg", 0, {}), y = g.add("arg", 1, {});
  // y is read with the second sweep's x, or, by what that waits for, before.
  ClassId first = g.add("sum", 1, {x});
  ClassId late = g.add("sum", 1, {g.add("f", 0, {x, y, first})});
  ClassId free = g.add("sum", 1, {g.add("g", 0, {y})});
  ClassId roots[] = {late, free};
  EXPECT_EQ(run(g, roots).best[0].evaluation.cost[1], 30);
  ClassId waiting = g.add("sum", 1, {g.add("f", 0, {x, y, first, free})});
  EXPECT_EQ(run(g, waiting).best[0].evaluation.cost[1], 40);
}

TEST(Extract, GreedyTreeCostIsNotDagCost) {
  // f(p, q) with p = u or s, q = v or s: each alone prefers its own leaf, both
  // together the shared one.
  for (unsigned maxExact : {1000u, 0u}) {
    EGraph g;
    ClassId s = g.add("s", 6, {});
    ClassId p = g.add("u", 5, {}), q = g.add("v", 5, {});
    g.merge(p, g.add("p", 0, {s}), "test");
    g.merge(q, g.add("q", 0, {s}), "test");
    ClassId root = g.add("f", 0, {p, q});
    g.rebuild();
    ExtractOptions options;
    options.maxExact = maxExact;
    Extraction result = run(g, root, options);
    EXPECT_EQ(result.exact, maxExact != 0);
    // One change at a time cannot find it, and says so by `exact`.
    EXPECT_EQ(result.best[0].evaluation.cost[2], maxExact ? 6 : 10);
  }
}

TEST(Extract, CyclesAndRefusedNodes) {
  EGraph g;
  ClassId a = g.add("a", 50, {});
  g.merge(a, g.add("f", 0, {a}), "test");
  g.merge(a, g.add("refused", 0, {}), "test");
  g.rebuild();
  for (unsigned maxExact : {1000u, 0u}) {
    ExtractOptions options;
    options.maxExact = maxExact;
    Extraction result = run(g, a, options);
    ASSERT_EQ(result.best.size(), 1u);
    EXPECT_EQ(result.best[0].evaluation.cost[2], 50);
  }
  EGraph none;
  EXPECT_TRUE(run(none, none.add("refused", 0, {})).best.empty());
}

TEST(Extract, DistinctSkeletonsBestFirst) {
  EGraph g;
  ClassId x = g.add("arg", 0, {});
  ClassId one = g.add("sum", 1, {x}), y = g.add("k", 0, {x});
  // The same skeleton with more work, and a second one with two sweeps.
  g.merge(one, g.add("f", 7, {g.add("sum", 1, {g.add("g", 1, {x})})}), "test");
  g.merge(one, g.add("sum", 1, {g.add("h", 0, {x, g.add("sum", 1, {y})})}),
          "test");
  g.rebuild();
  for (unsigned maxExact : {1000u, 0u}) {
    ExtractOptions options;
    options.maxExact = maxExact;
    options.k = 4;
    Extraction result = run(g, one, options);
    ASSERT_EQ(result.best.size(), 2u);
    EXPECT_EQ(result.best[0].evaluation.cost, (Cost{1, 10, 2}));
    EXPECT_EQ(result.best[1].evaluation.cost[0], 2);
    options.k = 1;
    EXPECT_EQ(run(g, one, options).best.size(), 1u);
  }
}

/// Random graphs with merges; every selection by the definition: an index for
/// each class, whether the roots need it or not.
TEST(Extract, ExactEqualsBruteForce) {
  unsigned found = 0, answered = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::mt19937 rng(seed);
    EGraph g;
    std::vector<ClassId> ids = {g.add("arg", 0, {}), g.add("arg", 1, {})};
    auto any = [&] { return ids[rng() % ids.size()]; };
    for (unsigned i = 0; i < 9; ++i) {
      static const char *const names[] = {"f", "g", "sum", "h"};
      unsigned kind = rng() % 4;
      llvm::SmallVector<ClassId> children = {any()};
      if (kind != 2)
        children.push_back(any());
      ids.push_back(g.add(names[kind], 1 + rng() % 3, children));
    }
    for (unsigned i = 0; i < 3; ++i)
      g.merge(any(), any(), "test");
    g.rebuild();
    ClassId roots[] = {g.find(ids[10]), g.find(ids[9])};

    TestModel model;
    CostTable table(g, model);
    std::map<uint64_t, Cost> best;
    std::vector<ClassId> classes = g.getClassIds();
    std::function<void(unsigned, Selection &)> each = [&](unsigned i,
                                                          Selection &s) {
      if (i == classes.size()) {
        auto evaluation = evaluate(g, roots, s, table);
        if (!evaluation)
          return;
        auto [it, isNew] =
            best.try_emplace(evaluation->skeleton, evaluation->cost);
        if (!isNew)
          it->second = std::min(it->second, evaluation->cost);
        return;
      }
      for (unsigned n = 0; n < g.getClass(classes[i]).nodes.size(); ++n) {
        s[classes[i]] = n;
        each(i + 1, s);
      }
    };
    Selection selection;
    each(0, selection);
    std::vector<Cost> expected;
    for (auto &[skeleton, cost] : best)
      expected.push_back(cost);
    std::sort(expected.begin(), expected.end());

    ExtractOptions options;
    options.k = 100;
    options.maxExact = 1000000;
    Extraction exact = extract(g, roots, model, options);
    ASSERT_TRUE(exact.exact);
    ASSERT_EQ(exact.best.size(), expected.size()) << "seed " << seed;
    for (size_t i = 0; i < expected.size(); ++i)
      EXPECT_EQ(exact.best[i].evaluation.cost, expected[i]) << "seed " << seed;

    // The local search answers too, never with less than the truth.
    options.maxExact = 0;
    Extraction local = extract(g, roots, model, options);
    ASSERT_EQ(local.best.empty(), expected.empty());
    if (!local.best.empty()) {
      EXPECT_GE(local.best[0].evaluation.cost, expected[0]);
      found += local.best[0].evaluation.cost == expected[0];
    }
    answered += !local.best.empty();
  }
  EXPECT_GE(found + 1, answered);
}

/// Each of three users can do without what they share, which pays only if all
/// do.
TEST(Extract, AllUsersChangeAtOnce) {
  EGraph g;
  ClassId x = g.add("arg", 0, {});
  ClassId shared = g.add("f", 40, {x});
  llvm::SmallVector<ClassId> users;
  for (unsigned i = 0; i < 3; ++i) {
    ClassId user = g.add("sum", 1, {g.add("g", i, {shared})});
    g.merge(user, g.add("h", 9, {g.add("sum", 1, {g.add("k", i, {x})})}),
            "test");
    users.push_back(user);
  }
  ClassId root = g.add("f", 0, users);
  g.rebuild();
  ExtractOptions options;
  options.maxExact = 0;
  // Not more looks than the three changes of one user each and this one.
  options.maxLocal = 20;
  Extraction result = run(g, root, options);
  EXPECT_EQ(result.best[0].evaluation.cost[2], 1 + 3 + 3 + 27);
}

} // namespace
