//===- FormFoldsTest.cpp - Which reductions run in one pass ---------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table of bodies: what is accepted (and gives the same numbers in every
// tiling), and what is refused. The reasons are checked in form-folds.mlir.
//
//===----------------------------------------------------------------------===//

#include "GraphBuilder.h"

using namespace mlir;
using namespace mlir::cleave;

namespace {

class FormFoldsTest : public FoldsFixture {};

/// exp(s - shift) and the row sums, over T.
struct Softmax {
  Value exp, sum;
  Softmax(Graph &g, Value s) {
    exp = g.exp(g.sub(s, g.shift(g.max(s, "T"))));
    sum = g.sum(exp, "T");
  }
};

TEST_F(FormFoldsTest, SoftmaxTimesVDividedInside) {
  expectFolds(
      [](Graph &g) {
        Value s = g.argument("ST", gauss(0, 20));
        Value v = g.argument("TN", gauss(0, 1));
        Softmax softmax(g, s);
        Value p = g.mul({softmax.exp, g.unary<Recip0Op>(softmax.sum)});
        g.finish(g.contract(p, v, "T"));
      },
      {3});
}

TEST_F(FormFoldsTest, SoftmaxTimesVDividedOutside) {
  expectFolds(
      [](Graph &g) {
        Value s = g.argument("ST", gauss(0, 20));
        Value v = g.argument("TN", gauss(0, 1));
        Softmax softmax(g, s);
        g.finish(g.div(g.contract(softmax.exp, v, "T"), softmax.sum));
      },
      {3});
}

TEST_F(FormFoldsTest, SoftmaxOfScaledMaskedScores) {
  expectFolds(
      [](Graph &g) {
        Value q = g.argument("SD", gauss(0, 3)),
              k = g.argument("TD", gauss(0, 3));
        Value v = g.argument("TN", gauss(0, 1)),
              b = g.argument("T", gauss(0, 1));
        Value s = g.mul({g.contract(q, k, "D"), g.number(0.3)});
        Softmax softmax(g, g.add({s, b}));
        g.finish({g.contract(softmax.exp, v, "T"), softmax.sum});
      },
      {3});
}

TEST_F(FormFoldsTest, ScaleBehindTheMaximum) {
  // exp(c * (s - max s)): the product is multiplied out.
  expectFolds(
      [](Graph &g) {
        Value s = g.argument("ST", gauss(0, 20));
        Value c = g.number(0.125);
        Value d = g.mul({c, g.sub(s, g.shift(g.max(s, "T")))});
        g.finish(g.sum(g.exp(d), "T"));
      },
      {2});
}

TEST_F(FormFoldsTest, RawSoftmax) {
  expectFolds(
      [](Graph &g) {
        Value s = g.argument("ST", gauss(0, 20));
        Value v = g.argument("TN", gauss(0, 1));
        Value e = g.exp(g.sub(s, g.max(s, "T")));
        g.finish(g.div(g.contract(e, v, "T"), g.sum(e, "T")));
      },
      {3});
}

TEST_F(FormFoldsTest, ClampedMaximum) {
  expectFolds(
      [](Graph &g) {
        Value s = g.argument("ST", gauss(0, 20));
        Value m = g.variadic<MaxOp>({g.max(s, "T"), g.number(-1e4)});
        g.finish(g.sum(g.exp(g.sub(s, m)), "T"));
      },
      {2});
}

TEST_F(FormFoldsTest, MaximumOfSeveralBoundsEach) {
  expectFolds(
      [](Graph &g) {
        Value s = g.argument("ST", gauss(0, 20));
        Value a = g.variadic<MaxOp>({s, g.unary<NegOp>(s)});
        Value m = g.max(a, "T");
        g.finish({g.sum(g.exp(g.sub(s, m)), "T"), m});
      },
      {2});
}

TEST_F(FormFoldsTest, Variance) {
  // States: count, sum, first and second moment.
  expectFolds(
      [](Graph &g) {
        Value x = g.argument("MK", gauss(1000, 1e-2));
        Value d = g.sub(x, g.mean(x, 'K'));
        g.finish(g.mean(g.mul({d, d}), 'K'));
      },
      {4}, 1e-8);
}

TEST_F(FormFoldsTest, ThirdPowerAboutTheMean) {
  expectFolds(
      [](Graph &g) {
        Value x = g.argument("MK", gauss(3, 1));
        Value d = g.sub(x, g.mean(x, 'K'));
        g.finish({g.sum(g.mul({d, d, d}), "K"), g.sum(g.pow(d, 3), "K")});
      },
      {6}, 1e-8);
}

TEST_F(FormFoldsTest, VarianceOverTwoAxes) {
  expectFolds(
      [](Graph &g) {
        Value x = g.argument("MKT", gauss(100, 1e-2));
        Value n = g.mul(
            {g.unary<RecipOp>(g.extent('K')), g.unary<RecipOp>(g.extent('T'))});
        Value d = g.sub(x, g.mul({g.sum(x, "KT"), n}));
        g.finish(g.mul({g.sum(g.mul({d, d}), "KT"), n}));
      },
      {4}, 1e-8);
}

TEST_F(FormFoldsTest, WeightedVarianceUnderSoftmax) {
  // The factor corrects the moments, and the moments follow a weighted mean.
  expectFolds(
      [](Graph &g) {
        Value s = g.argument("ST", gauss(0, 20));
        Value x = g.argument("T", gauss(10, 1));
        Softmax softmax(g, s);
        Value r = g.unary<Recip0Op>(softmax.sum);
        Value mean = g.mul({g.sum(g.mul({softmax.exp, x}), "T"), r});
        Value d = g.sub(x, mean);
        g.finish(g.mul({g.sum(g.mul({softmax.exp, d, d}), "T"), r}));
      },
      {5}, 1e-9);
}

TEST_F(FormFoldsTest, LayerNormTimesMatrix) {
  for (bool half : {false, true})
    expectFolds(
        [half](Graph &g) {
          Value x = g.argument("MK", gauss(1, 1), 30, half);
          Value w = g.argument("KN", gauss(0, 1), 10, half);
          Value gain = g.argument("K", gauss(1, 0.1), 8, half);
          Value d = g.sub(x, g.mean(x, 'K'));
          Value variance = g.mean(g.mul({d, d}), 'K');
          Value r = g.unary<RsqrtOp>(g.add({variance, g.number(1e-6)}));
          g.finish(g.contract(g.mul({d, r, gain}), w, "K"));
        },
        // Count, sum, two moments; two moments of the product.
        {6}, 1e-9);
}

TEST_F(FormFoldsTest, ScalesLeaveWithoutAFold) {
  // RMSNorm times a matrix, and a product scaled by the largest magnitude.
  expectFolds(
      [](Graph &g) {
        Value x = g.argument("MK", gauss(0, 1)),
              w = g.argument("KN", gauss(0, 1));
        Value gain = g.argument("K", gauss(1, 0.1));
        Value r = g.unary<RsqrtOp>(
            g.add({g.mean(g.mul({x, x}), 'K'), g.number(1e-6)}));
        g.finish(g.contract(g.mul({x, r, gain}), w, "K"));
      },
      {});
  expectFolds(
      [](Graph &g) {
        Value x = g.argument("MK", gauss(0, 1)),
              w = g.argument("KN", gauss(0, 1));
        Value amax = g.max(g.variadic<MaxOp>({x, g.unary<NegOp>(x)}), "K");
        g.finish(g.contract(g.div(x, amax), w, "K"));
      },
      {});
}

/// The axes of the operands of the contraction over K, to see that nothing of
/// the row stayed.
TEST_F(FormFoldsTest, NothingOfTheRowStays) {
  Graph g(context, Guise());
  Value x = g.argument("MK", gauss(0, 1)), w = g.argument("KN", gauss(0, 1));
  Value r = g.unary<RsqrtOp>(g.sum(g.mul({x, x}), "K"));
  g.finish(g.contract(g.mul({x, r}), w, "K"));
  g.formFolds();
  bool found = false;
  g.getFunction().walk([&](ContractOp contract) {
    found = true;
    EXPECT_EQ(contract.getLhs(), x);
    EXPECT_EQ(contract.getRhs(), w);
  });
  EXPECT_TRUE(found);
}

TEST_F(FormFoldsTest, QKNormAttention) {
  expectFolds(
      [](Graph &g) {
        Value q = g.argument("SD", gauss(0, 3)),
              k = g.argument("TD", gauss(0, 3));
        Value v = g.argument("TN", gauss(0, 1));
        Value qn = g.unary<RsqrtOp>(g.sum(g.mul({q, q}), "D"));
        Value kn = g.unary<RsqrtOp>(g.sum(g.mul({k, k}), "D"));
        Value s = g.mul({g.contract(q, k, "D"), qn, kn, g.number(30)});
        Softmax softmax(g, s);
        g.finish(g.div(g.contract(softmax.exp, v, "T"), softmax.sum));
      },
      {3});
}

TEST_F(FormFoldsTest, TwoSoftmaxesShareV) {
  expectFolds(
      [](Graph &g) {
        Value a = g.argument("ST", gauss(0, 20)),
              b = g.argument("ST", gauss(0, 20));
        Value v = g.argument("TN", gauss(0, 1));
        Softmax first(g, a), second(g, b);
        Value x = g.div(g.contract(first.exp, v, "T"), first.sum);
        Value y = g.div(g.contract(second.exp, v, "T"), second.sum);
        g.finish(g.sub(x, y));
      },
      {3, 3});
}

TEST_F(FormFoldsTest, FoldsShareTheCount) {
  expectFolds(
      [](Graph &g) {
        Value x = g.argument("MK", gauss(10, 1));
        Value y = g.argument("KN", gauss(10, 1));
        Value d = g.sub(x, g.mean(x, 'K')), e = g.sub(y, g.mean(y, 'K'));
        g.finish({g.sum(g.mul({d, d}), "K"), g.sum(g.mul({e, e}), "K")});
      },
      {4, 4}, 1e-9);
}

TEST_F(FormFoldsTest, EqualReductionsAreOne) {
  // Written twice: the product's exponent refers to both maxima.
  expectFolds(
      [](Graph &g) {
        Value s = g.argument("ST", gauss(0, 20));
        Value a = g.exp(g.sub(s, g.max(s, "T")));
        Value b = g.exp(g.sub(s, g.max(s, "T")));
        g.finish(g.sum(g.mul({a, b}), "T"));
      },
      {2});
}

TEST_F(FormFoldsTest, PowersOfTheMeanBelowFractionBars) {
  // x / (2 / d^2)
  expectFolds(
      [](Graph &g) {
        Value x = g.argument("MK", gauss(10, 1));
        Value d = g.sub(x, g.mean(x, 'K'));
        Value q = g.div(x, g.div(g.number(2), g.mul({d, d})));
        g.finish(g.sum(q, "K"));
      },
      {5}, 1e-9, Numerics::Real);
}

TEST_F(FormFoldsTest, MaximumOfAnEarlierSumPlus) {
  // max(s + c) is c + max(s), whatever c depends on.
  expectFolds(
      [](Graph &g) {
        Value s = g.argument("ST", gauss(0, 20));
        Value c = g.sum(s, "T");
        g.finish(g.max(g.add({s, c}), "T"));
      },
      {});
}

//===----------------------------------------------------------------------===//
// Refusals: the input stays as it is
//===----------------------------------------------------------------------===//

TEST_F(FormFoldsTest, RefusesRounding) {
  expectFolds(
      [](Graph &g) {
        Value x = g.argument("MK", gauss(0, 1)),
              w = g.argument("KN", gauss(0, 1));
        Value amax = g.max(g.variadic<MaxOp>({x, g.unary<NegOp>(x)}), "K");
        g.finish(g.contract(g.toHalf(g.div(x, amax)), w, "K"));
      },
      {});
}

TEST_F(FormFoldsTest, RefusesNonlinearFunctions) {
  expectFolds(
      [](Graph &g) {
        Value x = g.argument("MK", gauss(0, 1));
        Value d = g.sub(x, g.mean(x, 'K'));
        g.finish(g.sum(g.unary<SigmoidOp>(d), "K"));
      },
      {});
}

TEST_F(FormFoldsTest, SoftmaxOfSoftmaxIsTwoSweeps) {
  expectFolds(
      [](Graph &g) {
        Value s = g.argument("ST", gauss(0, 2));
        Value v = g.argument("TN", gauss(0, 1));
        Softmax first(g, s);
        Softmax second(g, g.mul({first.exp, g.unary<Recip0Op>(first.sum)}));
        g.finish(g.div(g.contract(second.exp, v, "T"), second.sum));
      },
      {2, 3});
}

TEST_F(FormFoldsTest, RefusesTheSecondNorm) {
  // Residuals mixed with a learned rate per channel, normalised twice.
  expectFolds(
      [](Graph &g) {
        Value h = g.argument("MK", gauss(0, 1)),
              f = g.argument("MK", gauss(0, 1));
        Value rate = g.argument("K", gauss(0.5, 0.1));
        Value norm = g.unary<RsqrtOp>(g.sum(g.mul({f, f}), "K"));
        Value mixed = g.add(
            {g.mul({h, g.sub(g.number(1), rate)}), g.mul({rate, f, norm})});
        g.finish(g.sum(g.mul({mixed, mixed}), "K"));
      },
      {});
}

TEST_F(FormFoldsTest, RefusesUnboundedExponentsUnlessReal) {
  auto build = [](Graph &g) {
    Value x = g.argument("MK", gauss(0, 1));
    g.finish(g.sum(g.exp(g.sub(x, g.mean(x, 'K'))), "K"));
  };
  expectFolds(build, {});
  expectFolds(build, {3}, 1e-12, Numerics::Real);
}

TEST_F(FormFoldsTest, RefusesMaximaOfOtherValues) {
  // Where the maximum is -inf the exponent need not be.
  auto build = [](Graph &g) {
    Value x = g.argument("MK", gauss(0, 1)), y = g.argument("MK", gauss(0, 1));
    g.finish(g.sum(g.exp(g.sub(x, g.shift(g.max(y, "K")))), "K"));
  };
  expectFolds(build, {});
  expectFolds(build, {}, 1e-12, Numerics::Real);
}

TEST_F(FormFoldsTest, RefusesReferencesThatAreNoMean) {
  // (x - sum)^2: the sum of a part is not near the sum of all.
  auto build = [](Graph &g) {
    Value x = g.argument("MK", gauss(0, 1));
    Value d = g.sub(x, g.sum(x, "K"));
    g.finish(g.sum(g.mul({d, d}), "K"));
  };
  expectFolds(build, {});
  expectFolds(build, {4}, 1e-9, Numerics::Real);
}

TEST_F(FormFoldsTest, RefusesOperandsThatMayOverflow) {
  auto build = [](double range) {
    return [range](Graph &g) {
      Value x = g.argument("MK", gauss(0, 1), range, /*half=*/true);
      Value w = g.argument("KN", gauss(0, 1), range, /*half=*/true);
      Value gain = g.argument("K", gauss(1, 0.1), range, /*half=*/true);
      Value r = g.unary<RsqrtOp>(g.sum(g.mul({x, x}), "K"));
      g.finish(g.contract(g.mul({x, r, gain}), w, "K"));
    };
  };
  auto countsMuls = [&](double range, Numerics numerics) {
    Graph g(context, Guise());
    build(range)(g);
    g.formFolds(numerics);
    bool scaledInside = false;
    g.getFunction().walk([&](ContractOp contract) {
      if (auto mul = contract.getLhs().getDefiningOp<MulOp>())
        scaledInside |= mul.getInputs().size() == 3;
    });
    return scaledInside;
  };
  EXPECT_TRUE(countsMuls(0, Numerics::Strict));
  EXPECT_FALSE(countsMuls(100, Numerics::Strict));
  EXPECT_FALSE(countsMuls(0, Numerics::Real));
}

TEST_F(FormFoldsTest, RefusesLargeExponentialsAsHalfOperands) {
  // exp(s - max s + 12) / sum is at most 1, without the quotient 162755.
  auto build = [](double bias) {
    return [bias](Graph &g) {
      Value s = g.argument("ST", gauss(0, 20), 0, /*half=*/true);
      Value v = g.argument("TN", gauss(0, 1), 0, /*half=*/true);
      Value d = g.add({g.sub(s, g.shift(g.max(s, "T"))), g.number(bias)});
      Value e = g.exp(d);
      g.finish(g.contract(g.div(e, g.sum(e, "T")), v, "T"));
    };
  };
  expectFolds(build(3), {3});
  expectFolds(build(12), {2});
}

TEST_F(FormFoldsTest, CastsBoundWhatTheyRound) {
  // V is a product of unknown size; rounded, it is at most 65504.
  auto build = [](bool half) {
    return [half](Graph &g) {
      Value s = g.argument("ST", gauss(0, 20));
      Value a = g.argument("TD", gauss(0, 1)),
            b = g.argument("DN", gauss(0, 1));
      Value v = g.contract(g.exp(a), g.exp(b), "D");
      Softmax softmax(g, s);
      Value p = g.div(softmax.exp, softmax.sum);
      g.finish(g.contract(p, half ? g.toHalf(v) : v, "T"));
    };
  };
  expectFolds(build(true), {3});
  expectFolds(build(false), {2});
}

TEST_F(FormFoldsTest, RefusesWhatGrowsExponentially) {
  // 60 squarings are 2^60 factors when multiplied out.
  Graph g(context, Guise());
  auto square = [&](Value x) {
    for (int i = 0; i < 60; ++i)
      x = g.mul({x, x});
    return x;
  };
  Value x = g.argument("MK", gauss(0, 1));
  Value s = square(x);
  Value e = square(g.exp(g.sub(s, g.max(s, "K"))));
  Value d = g.sub(x, square(g.sum(x, "K")));
  g.finish({g.sum(e, "K"), g.sum(g.mul({d, d}), "K")});
  EXPECT_TRUE(g.formFolds().empty());
}

TEST_F(FormFoldsTest, RefusesCorrectionsByOtherValues) {
  // A row's temperature is no state, and a rebase sees states only.
  expectFolds(
      [](Graph &g) {
        Value s = g.argument("ST", gauss(0, 2)),
              t = g.argument("S", gauss(1, 0.1));
        Value d = g.mul({t, g.sub(s, g.max(s, "T"))});
        g.finish(g.sum(g.exp(d), "T"));
      },
      {});
}

} // namespace
