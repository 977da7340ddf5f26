//===- FactsTest.cpp - Transfer functions and normal forms ----------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cleave/Transforms/Algebra/AlgebraGraph.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace mlir;
using namespace mlir::cleave;
using namespace mlir::cleave::egraph;

namespace {

class FactsTest : public testing::Test {
protected:
  FactsTest() : graph(&context) {
    context.loadDialect<CleaveDialect>();
    AxisBounds fixed;
    fixed.min = fixed.max = fixed.type = 4;
    graph.addAxis(StringAttr::get(&context, "K"), fixed);
    graph.addAxis(StringAttr::get(&context, "M"), AxisBounds());
  }

  AxesAttr axes(ArrayRef<StringRef> names) {
    return AxesAttr::get(&context, names);
  }
  ClassId argument(ArrayRef<StringRef> names, double range,
                   bool isHalf = false) {
    SmallVector<int64_t> shape;
    for (StringRef name : names)
      shape.push_back(name == "K" ? 4 : ShapedType::kDynamic);
    Type element = isHalf ? Type(Float16Type::get(&context))
                          : Type(Float32Type::get(&context));
    return graph.addArgument(
        next++, RankedTensorType::get(shape, element, axes(names)), range);
  }
  ClassId op(StringRef name, ArrayRef<ClassId> operands) {
    return graph.add(("cleave." + name).str(), DictionaryAttr::get(&context),
                     operands);
  }
  ClassId reduce(StringRef name, ClassId operand, ArrayRef<StringRef> names) {
    Builder builder(&context);
    return graph.add(
        ("cleave." + name).str(),
        builder.getDictionaryAttr(builder.getNamedAttr("axes", axes(names))),
        operand);
  }
  const Facts &facts(ClassId id) { return graph.getGraph().getFacts(id); }

  MLIRContext context;
  AlgebraGraph graph;
  unsigned next = 0;
};

TEST_F(FactsTest, SquaresAndSums) {
  ClassId x = argument({"K", "M"}, 3);
  ClassId square = op("mul", {x, x});
  EXPECT_EQ(facts(square).lo, 0);
  EXPECT_EQ(facts(square).hi, 9);
  ClassId sum = reduce("reduce_sum", square, {"K"});
  EXPECT_EQ(facts(sum).hi, 36);
  EXPECT_TRUE(facts(sum).finite);
  EXPECT_EQ(facts(sum).axes, AxisSet::of(1));
  // M may be empty and has no bound that matters here.
  EXPECT_EQ(facts(reduce("reduce_sum", op("exp", {x}), {"M"})).lo, 0);
  ClassId eps = graph.addConstant(1e-6);
  ClassId r = op("rsqrt", {op("add", {sum, eps})});
  EXPECT_TRUE(facts(r).finite);
  EXPECT_LE(facts(r).hi, 1001);
  EXPECT_FALSE(facts(op("rsqrt", {sum})).finite);
}

TEST_F(FactsTest, OverflowIsNotFinite) {
  ClassId x = argument({"K"}, 1e30);
  EXPECT_TRUE(facts(x).finite);
  EXPECT_FALSE(facts(op("mul", {x, x})).finite);
  EXPECT_FALSE(facts(op("exp", {x})).finite);
  EXPECT_TRUE(facts(op("sigmoid", {x})).finite);
  EXPECT_FALSE(facts(op("exp", {argument({"K"}, 200)})).isNonZero());
  EXPECT_TRUE(facts(op("exp", {argument({"K"}, 20)})).isNonZero());
}

TEST_F(FactsTest, ProductsUnderflow) {
  ClassId tiny = graph.addConstant(1e-30);
  ClassId x = op("exp", {argument({"K"}, 1)});
  EXPECT_GT(facts(op("mul", {tiny, x})).lo, 0);
  ClassId zero = op("mul", {op("mul", {tiny, x}), op("mul", {tiny, x})});
  EXPECT_EQ(facts(zero).lo, 0);
  EXPECT_FALSE(facts(zero).isNonZero());
}

/// Weights that are divided by their sum give a mean, however many they are.
TEST_F(FactsTest, MeansLieBetweenTheirValues) {
  ClassId e = op("exp", {argument({"K", "M"}, 5)});
  ClassId x = argument({"M"}, 3), y = argument({"M"}, 3);
  auto mean = [&](ClassId weights, ClassId values) {
    return op("mul", {op("recip0", {reduce("reduce_sum", weights, {"M"})}),
                      reduce("reduce_sum", op("mul", {e, values}), {"M"})});
  };
  EXPECT_NEAR(facts(mean(e, x)).hi, 3, 0.1);
  EXPECT_NEAR(facts(mean(e, x)).lo, -3, 0.1);
  EXPECT_NEAR(facts(mean(e, op("mul", {x, y}))).hi, 9, 0.3);
  // Not the sum of these weights, or not of weights alone.
  EXPECT_GT(facts(mean(op("exp", {x}), x)).hi, 1e6);
  EXPECT_GT(facts(mean(x, x)).hi, 1e6);
}

TEST_F(FactsTest, EmptyMaximum) {
  ClassId x = argument({"K", "M"}, 3);
  EXPECT_TRUE(facts(reduce("reduce_max", x, {"K"})).finite);
  EXPECT_FALSE(facts(reduce("reduce_max", x, {"M"})).finite);
}

/// x - max(x) <= 0, and a maximum that is replaced by 0 where it is infinite is
/// finite: exp of it is at most 1.
TEST_F(FactsTest, DifferenceToMaximum) {
  ClassId x = argument({"K", "M"}, 1e4);
  ClassId max = reduce("reduce_max", x, {"M"});
  ClassId finite = op("is_finite", {max});
  ClassId shift = op("select", {finite, max, graph.addConstant(0)});
  EXPECT_TRUE(facts(shift).finite);
  ClassId p = op("exp", {op("sub", {x, shift})});
  EXPECT_EQ(facts(p).hi, 1);
  EXPECT_TRUE(facts(p).finite);
  // Not so for another maximum.
  ClassId other = reduce("reduce_max", argument({"K", "M"}, 1e4), {"M"});
  EXPECT_FALSE(facts(op("exp", {op("sub", {x, other})})).finite);
}

/// A mask's -inf is an exponent like any other, unless the row may hold +inf.
TEST_F(FactsTest, MaskedExponent) {
  ClassId x = argument({"K", "M"}, 1e4);
  ClassId hidden = graph.addConstant(-INFINITY);
  ClassId masked = op("select", {op("is_finite", {x}), x, hidden});
  EXPECT_TRUE(facts(masked).notNaN);
  EXPECT_FALSE(facts(masked).finite);
  ClassId max = reduce("reduce_max", masked, {"M"});
  ClassId shift =
      op("select", {op("is_finite", {max}), max, graph.addConstant(0)});
  ClassId p = op("exp", {op("sub", {masked, shift})});
  EXPECT_EQ(facts(p).hi, 1);
  EXPECT_TRUE(facts(p).finite);
  ClassId wide = op("add", {masked, op("exp", {x})});
  EXPECT_FALSE(facts(wide).notNaN);
}

TEST_F(FactsTest, NormalForms) {
  ClassId x = argument({"K"}, 3), y = argument({"M"}, 3);
  ClassId zero = graph.addConstant(0), one = graph.addConstant(1);
  EXPECT_EQ(op("add", {x, zero}), x);
  EXPECT_EQ(op("mul", {one, x}), x);
  EXPECT_EQ(op("sub", {x, y}),
            op("add", {op("mul", {graph.addConstant(-1), y}), x}));
  EXPECT_EQ(op("neg", {x}), op("mul", {x, graph.addConstant(-1)}));
  EXPECT_EQ(op("mul", {graph.addConstant(2), x, graph.addConstant(3)}),
            op("mul", {graph.addConstant(6), x}));
  // A constant's axes are dropped only where another operand has them.
  ClassId wide = graph.addConstant(1, AxisSet::of(1));
  ClassId kept = op("mul", {x, wide});
  EXPECT_NE(kept, x);
  EXPECT_EQ(facts(kept).axes.getBits(), 3u);
  EXPECT_EQ(op("mul", {y, wide}), y);
  // 0 * x is not 0.
  EXPECT_FALSE(facts(op("mul", {x, zero})).constant.has_value());
}

TEST_F(FactsTest, NestedReductionsAreOne) {
  ClassId x = argument({"K", "M"}, 3);
  EXPECT_EQ(reduce("reduce_sum", reduce("reduce_sum", x, {"K"}), {"M"}),
            reduce("reduce_sum", reduce("reduce_sum", x, {"M"}), {"K"}));
  ClassId y = argument({"K"}, 3);
  EXPECT_EQ(reduce("reduce_max", y, {}), y);
}

/// Arithmetic widens f16: a product of one factor stands for that where the
/// type matters, and no operation takes it as an operand.
TEST_F(FactsTest, Widening) {
  ClassId half = argument({"K"}, 3, /*isHalf=*/true);
  ClassId wide = op("mul", {half, graph.addConstant(1)});
  EXPECT_NE(wide, half);
  EXPECT_TRUE(graph.getElementType(wide).isF32());
  EXPECT_EQ(op("exp", {wide}), op("exp", {half}));
  EXPECT_EQ(op("mul", {wide, wide}), op("mul", {half, half}));
}

} // namespace
