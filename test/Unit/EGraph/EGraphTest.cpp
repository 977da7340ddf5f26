//===- EGraphTest.cpp - Hash-consing, congruence, facts -------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cleave/Transforms/EGraph/EGraph.h"
#include "Cleave/Transforms/EGraph/Dot.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace mlir::cleave::egraph;

namespace {

/// Leaves have the axis of their payload, sums are intervals added up.
class TestAnalysis : public Analysis {
public:
  Facts make(const EGraph &graph, const Node &node) override {
    Facts facts;
    if (node.children.empty()) {
      facts.axes = AxisSet::of(node.payload);
      return facts;
    }
    facts.lo = facts.hi = 0;
    for (ClassId child : node.children) {
      facts.axes |= graph.getFacts(child).axes;
      facts.lo += graph.getFacts(child).lo;
      facts.hi += graph.getFacts(child).hi;
    }
    return facts;
  }
};

TEST(EGraph, HashConsingAndMultisets) {
  EGraph g;
  g.declareMultiset("mul");
  ClassId a = g.add("a", 0, {}), b = g.add("b", 0, {});
  EXPECT_EQ(g.add("mul", 0, {a, b}), g.add("mul", 0, {b, a}));
  EXPECT_NE(g.add("pow", 0, {a, b}), g.add("pow", 0, {b, a}));
  EXPECT_NE(g.add("mul", 0, {a, a}), g.add("mul", 0, {a}));
  EXPECT_NE(g.add("a", 0, {}), g.add("a", 1, {}));
}

TEST(EGraph, CongruenceReachesGrandparents) {
  EGraph g;
  g.declareMultiset("mul");
  ClassId a = g.add("a", 0, {}), b = g.add("b", 0, {}), c = g.add("c", 0, {});
  ClassId fa = g.add("f", 0, {g.add("mul", 0, {c, a})});
  ClassId fb = g.add("f", 0, {g.add("mul", 0, {b, c})});
  size_t before = g.getNumNodes();
  EXPECT_NE(g.find(fa), g.find(fb));
  EXPECT_TRUE(g.merge(a, b, "test"));
  EXPECT_FALSE(g.merge(b, a, "test"));
  g.rebuild();
  EXPECT_EQ(g.find(fa), g.find(fb));
  EXPECT_EQ(g.getNumNodes(), before - 2);
  EXPECT_EQ(g.getNumClasses(), 4u);
  EXPECT_EQ(g.getClass(fa).nodes.size(), 1u);
}

TEST(EGraph, CycleByMerge) {
  EGraph g;
  ClassId a = g.add("a", 0, {});
  ClassId fa = g.add("f", 0, {a});
  ClassId ffa = g.add("f", 0, {fa});
  g.merge(a, fa, "test");
  g.rebuild();
  EXPECT_EQ(g.find(ffa), g.find(a));
  EXPECT_EQ(g.getNumClasses(), 1u);
}

TEST(EGraph, UnequalAxesAreAnErrorAndStayApart) {
  TestAnalysis analysis;
  EGraph g(&analysis);
  ClassId a = g.add("a", 0, {}), b = g.add("b", 1, {});
  EXPECT_FALSE(g.merge(a, b, "Family_Wrong"));
  g.rebuild();
  EXPECT_NE(g.find(a), g.find(b));
  ASSERT_EQ(g.getErrors().size(), 1u);
  EXPECT_EQ(g.getErrors()[0].reason, "Family_Wrong");
  EXPECT_EQ(g.getErrors()[0].message, "expected axes {0} but got {1}");
}

TEST(EGraph, FactsSharpenUpwards) {
  TestAnalysis analysis;
  EGraph g(&analysis);
  ClassId a = g.add("a", 0, {}), b = g.add("b", 0, {});
  ClassId sum = g.add("add", 0, {a, a});
  ClassId top = g.add("add", 0, {sum, b});
  Facts known = g.getFacts(a);
  known.lo = 1;
  known.hi = 2;
  g.refine(a, known);
  g.merge(a, b, "test");
  g.rebuild();
  EXPECT_EQ(g.getFacts(sum).hi, 4);
  EXPECT_EQ(g.getFacts(top).lo, 3);
  EXPECT_EQ(g.getFacts(top).hi, 6);
}

/// The order in which classes were made must not keep products apart.
TEST(EGraph, UnorderedChildrenStayCongruent) {
  EGraph g;
  g.declareUnordered("dot");
  ClassId a = g.add("a", 0, {}), b = g.add("b", 0, {}), c = g.add("c", 0, {});
  ClassId bc = g.add("dot", 0, {b, c}), ba = g.add("dot", 0, {b, a});
  EXPECT_NE(g.find(bc), g.find(ba));
  g.merge(a, c, "test");
  g.rebuild();
  EXPECT_EQ(g.find(bc), g.find(ba));
}

TEST(EGraph, DotQuotesPayloads) {
  EGraph g;
  g.add("f", 0, {g.add("a", 0, {})});
  std::string text;
  llvm::raw_string_ostream os(text);
  writeDot(
      g, os, [](ClassId id) { return std::to_string(id); },
      [](const Node &) { return std::string("\"x\""); });
  EXPECT_NE(text.find("\\\"x\\\""), std::string::npos);
  EXPECT_NE(text.find("n1_0 -> n0_0"), std::string::npos);
}

} // namespace
