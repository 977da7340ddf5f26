//===- SpecialValuesTest.cpp - Folds of infinities, NaN and nothing -------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A formed fold gives what its input gave for every value: rows and first tiles
// of -inf, +inf, NaN, and axes without positions.
//
//===----------------------------------------------------------------------===//

#include "GraphBuilder.h"

using namespace mlir;
using namespace mlir::cleave;

namespace {

class SpecialValuesTest : public FoldsFixture {
protected:
  /// Rows of 11 scores.
  std::vector<std::vector<double>> rows = {
      std::vector<double>(11, -kInfinity),
      {-kInfinity, -kInfinity, -kInfinity, -kInfinity, -5, 3, 0, 1, 2, 3, 4},
      {-1000, -1001, -kInfinity, -kInfinity, -kInfinity, -kInfinity, -kInfinity,
       -kInfinity, -kInfinity, -kInfinity, -1000},
      {1, 2, 3, 4, kInfinity, 5, -kInfinity, 7, 8, 9, 10},
      {1, 2, 3, 4, std::nan(""), 5, -kInfinity, 7, 8, 9, 10},
      {700, -700, 0, 1, 2, 3, 4, 5, 6, 7, 8}};

  Value scores(Graph &g) {
    g.extents['S'] = rows.size();
    std::vector<double> all;
    for (const std::vector<double> &row : rows)
      llvm::append_range(all, row);
    return g.argument("ST", always(all));
  }

  void expectSame(function_ref<void(Graph &)> build, size_t folds) {
    Graph g(context, Guise());
    build(g);
    std::vector<double> expected = g.evaluate(0, 1);
    EXPECT_EQ(g.formFolds().size(), folds);
    g.expectResults(expected, 1e-12);
  }
};

TEST_F(SpecialValuesTest, Softmax) {
  expectSame(
      [&](Graph &g) {
        Value s = scores(g), v = g.argument("TN", gauss(0, 1));
        Value m = g.max(s, "T");
        Value e = g.exp(g.sub(s, g.shift(m)));
        Value l = g.sum(e, "T");
        g.finish({g.mul({g.contract(e, v, "T"), g.unary<Recip0Op>(l)}), m, l});
      },
      1);
}

TEST_F(SpecialValuesTest, RawFormulasKeepNaN) {
  expectSame(
      [&](Graph &g) {
        Value s = scores(g), v = g.argument("TN", gauss(0, 1));
        Value m = g.max(s, "T");
        Value e = g.exp(g.sub(s, m));
        Value l = g.sum(e, "T");
        g.finish({g.div(g.contract(e, v, "T"), l), m, l});
      },
      1);
}

TEST_F(SpecialValuesTest, ExponentialsOfDistancesToTheLogarithm) {
  expectSame(
      [&](Graph &g) {
        Value s = scores(g), v = g.argument("TN", gauss(0, 1));
        Value shift = g.shift(g.max(s, "T"));
        Value l = g.sum(g.exp(g.sub(s, shift)), "T");
        Value lse = g.add({shift, g.unary<LogOp>(l)});
        g.finish({g.contract(g.exp(g.sub(s, lse)), v, "T"), lse});
      },
      1);
}

TEST_F(SpecialValuesTest, Minima) {
  for (std::vector<double> &row : rows)
    for (double &value : row)
      value = -value;
  for (bool guarded : {false, true})
    expectSame(
        [&](Graph &g) {
          Value s = scores(g), v = g.argument("TN", gauss(0, 1));
          Value m = g.min(s, "T");
          Value e = g.exp(g.sub(guarded ? g.shift(m) : m, s));
          g.finish({g.contract(e, v, "T"), g.sum(e, "T"), m});
        },
        1);
}

TEST_F(SpecialValuesTest, PowersOfTwo) {
  expectSame(
      [&](Graph &g) {
        Value s = scores(g), v = g.argument("TN", gauss(0, 1));
        Value m = g.max(s, "T");
        Value e = g.unary<Exp2Op>(g.sub(s, m));
        g.finish({g.contract(e, v, "T"), g.sum(e, "T")});
      },
      1);
}

/// Rows of which nothing is selected give 0; what is not selected may be NaN.
TEST_F(SpecialValuesTest, SelectsBehindExponentials) {
  for (bool guarded : {false, true})
    expectSame(
        [&](Graph &g) {
          Value s = scores(g);
          Value b = g.argument(
              "ST", always({-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
                            1,  -1, 1,  1,  -1, 1,  -1, 1,  1,  1,  1}));
          Value keep = g.compare(CmpPredicate::ge, b, g.number(0));
          Value m = g.max(g.select(keep, s, g.number(-kInfinity)), "T");
          Value e = g.exp(g.sub(s, guarded ? g.shift(m) : m));
          g.finish(g.sum(g.select(keep, e, g.number(0)), "T"));
        },
        guarded);
}

TEST_F(SpecialValuesTest, DeviationsFromTheMaximum) {
  expectSame(
      [&](Graph &g) {
        Value s = scores(g);
        Value d = g.sub(s, g.max(s, "T"));
        g.finish({g.sum(g.mul({d, d}), "T"), g.sum(g.mul({d, d, d}), "T"),
                  g.sum(g.mul({g.exp(d), d}), "T")});
      },
      1);
}

TEST_F(SpecialValuesTest, VarianceOfInfinitiesAndNaN) {
  rows = {{1, 2, 3, 4, kInfinity, 5, 6, 7, 8, 9, 10},
          {1, 2, 3, 4, std::nan(""), 5, 6, 7, 8, 9, 10},
          {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1},
          {-1, 1, -1, 1, -1, 1, -1, 1, -1, 1, 0}};
  expectSame(
      [&](Graph &g) {
        Value x = scores(g);
        Value d = g.sub(x, g.mean(x, 'T'));
        g.finish(g.mean(g.mul({d, d}), 'T'));
      },
      1);
}

/// No positions: sums are 0 and maxima -inf, whatever scales them.
TEST_F(SpecialValuesTest, EmptyAxes) {
  auto empty = [&](function_ref<void(Graph &)> build, size_t folds) {
    expectSame(
        [&](Graph &g) {
          g.extents['T'] = 0;
          build(g);
        },
        folds);
  };
  empty(
      [](Graph &g) {
        Value s = g.argument("ST", gauss(0, 1)),
              v = g.argument("TN", gauss(0, 1));
        Value e = g.exp(g.sub(s, g.shift(g.max(s, "T"))));
        Value p = g.mul({e, g.unary<Recip0Op>(g.sum(e, "T"))});
        g.finish(g.contract(p, v, "T"));
      },
      1);
  empty(
      [](Graph &g) {
        Value s = g.argument("ST", gauss(0, 1)),
              v = g.argument("TN", gauss(0, 1));
        Value e = g.exp(g.sub(s, g.max(s, "T")));
        Value p = g.div(e, g.sum(e, "T"));
        g.finish({g.contract(p, v, "T"), g.sum(e, "T")});
      },
      1);
  empty(
      [](Graph &g) {
        Value x = g.argument("ST", gauss(0, 1)),
              w = g.argument("TN", gauss(0, 1));
        Value r = g.unary<RsqrtOp>(g.mean(g.mul({x, x}), 'T'));
        Value d = g.sub(x, g.mean(x, 'T'));
        g.finish({g.contract(g.mul({x, r}), w, "T"), g.mean(g.mul({d, d}), 'T'),
                  g.sum(g.mul({d, d}), "T")});
      },
      1);
  empty(
      [](Graph &g) {
        Value s = g.argument("ST", gauss(0, 1));
        Value c = g.unary<RecipOp>(g.sum(s, "T"));
        g.finish(g.max(g.add({s, c}), "T"));
      },
      0);
}

/// Parts of a split may be short or empty, each row's for itself: 11 positions
/// in 4, 5, 7 and 13 parts.
TEST_F(SpecialValuesTest, PartsOfASplit) {
  for (int64_t parts : {4, 5, 7, 13}) {
    for (Guise guise : kGuises) {
      Graph g(context, guise);
      g.bound['B'] = parts;
      Value s = g.split(g.argument("ST", gauss(0, 20)), 'T', 'B', 'I');
      Value v = g.split(g.argument("TN", gauss(0, 1)), 'T', 'B', 'I');
      Value m = g.max(s, "I"), raw = g.exp(g.sub(s, m));
      Value e = g.exp(g.sub(s, g.shift(m)));
      Value x = g.mul({v, g.unary<RecipOp>(g.sum(v, "I"))});
      g.finish({g.contract(e, v, "I"), g.sum(raw, "I"), m, g.sum(x, "I"),
                g.max(g.add({v, g.unary<RecipOp>(g.sum(v, "I"))}), "I")});
      std::vector<double> expected = g.evaluate(0, 1);
      EXPECT_EQ(g.formFolds().size(), 1u);
      g.expectResults(expected, 1e-12);
    }
  }
}

/// The extent of a part is not the number of positions in it.
TEST_F(SpecialValuesTest, MeansOfPartsKeepTheirExtent) {
  for (Numerics numerics : {Numerics::Strict, Numerics::Real}) {
    Graph g(context, Guise());
    g.bound['B'] = 4;
    Value x = g.split(g.argument("ST", gauss(0, 1)), 'T', 'B', 'I');
    Value d = g.sub(x, g.mean(x, 'I'));
    g.finish(g.sum(g.mul({d, d}), "I"));
    std::vector<double> expected = g.evaluate(0, 1);
    EXPECT_EQ(g.formFolds(numerics).size(), numerics == Numerics::Real);
    g.expectResults(expected, 1e-9);
  }
}

/// One position.
TEST_F(SpecialValuesTest, SinglePositions) {
  expectSame(
      [&](Graph &g) {
        g.extents['T'] = 1;
        Value x = g.argument("ST", gauss(5, 1));
        Value d = g.sub(x, g.mean(x, 'T'));
        Value e = g.exp(g.sub(x, g.max(x, "T")));
        g.finish({g.sum(g.mul({d, d}), "T"), g.sum(e, "T")});
      },
      2);
}

} // namespace
