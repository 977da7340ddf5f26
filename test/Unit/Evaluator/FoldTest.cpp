//===- FoldTest.cpp - Folds, whole and in tiles ---------------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EvaluatorFixture.h"

using namespace mlir;
using namespace mlir::cleave;

namespace {

/// The tiles and parts that every fold must not depend on.
constexpr std::pair<int64_t, int64_t> tilings[] = {
    {0, 1}, {1, 1}, {3, 1}, {4, 1}, {100, 1}, {1, 2}, {3, 3}, {2, 7}};

class FoldTest : public EvaluatorFixture {
protected:
  /// The results of all tilings, which must agree.
  std::vector<std::vector<double>> runAll(StringRef text,
                                          ArrayRef<HostArray> arguments,
                                          const Bindings &symbols = {}) {
    std::vector<std::vector<double>> first;
    for (auto [tile, parts] : tilings) {
      EvaluatorOptions options;
      options.foldTile = tile;
      options.foldParts = parts;
      std::vector<HostArray> results = run(text, arguments, symbols, options);
      for (size_t i = 0; i < results.size(); ++i) {
        std::vector<double> got = valuesOf(results[i]);
        if (tile == 0)
          first.push_back(got);
        for (size_t j = 0; j < got.size(); ++j)
          if (std::isfinite(first[i][j]))
            EXPECT_NEAR(got[j], first[i][j], 1e-12)
                << tile << " " << parts << " " << i << " " << j;
          else
            EXPECT_EQ(got[j], first[i][j]) << tile << " " << parts;
      }
    }
    return first;
  }
};

/// shift = the maximum where it is finite, else 0; rescaling by exp(min(..,
/// 0)).
constexpr StringRef softmaxTimesV = R"mlir(
#S_T = #cleave.axes<S, T>
#T_E = #cleave.axes<T, E>
#S = #cleave.axes<S>
#E_S = #cleave.axes<E, S>
#scalar = #cleave.axes<>
!s = tensor<?x?xf32, #S_T>
!v = tensor<?x?xf32, #T_E>
!m = tensor<?xf32, #S>
!b = tensor<?xi1, #S>
!o = tensor<?x?xf32, #E_S>
!c = tensor<f32, #scalar>
func.func @f(%s: !s, %v: !v) -> (!o, !m, !m) {
  %m, %l, %o = cleave.fold over [T] ins(%s, %v : !s, !v)
    reduce_max body {
    ^bb0(%z: !s, %w: !v):
      cleave.yield %z : !s
    } rebase {
    }
    reduce_sum body {
    ^bb0(%z: !s, %w: !v, %a: !m):
      %zero = cleave.constant 0.0 : !c
      %i = cleave.is_finite %a : (!m) -> !b
      %h = cleave.select %i, %a, %zero : (!b, !m, !c) -> !m
      %d = cleave.sub %z, %h : (!s, !m) -> !s
      %p = cleave.exp %d : (!s) -> !s
      cleave.yield %p : !s
    } rebase {
    ^bb0(%a0: !m, %b: !m, %a1: !m):
      %zero = cleave.constant 0.0 : !c
      %i0 = cleave.is_finite %a0 : (!m) -> !b
      %h0 = cleave.select %i0, %a0, %zero : (!b, !m, !c) -> !m
      %i1 = cleave.is_finite %a1 : (!m) -> !b
      %h1 = cleave.select %i1, %a1, %zero : (!b, !m, !c) -> !m
      %d = cleave.sub %h0, %h1 : (!m, !m) -> !m
      %e = cleave.min %d, %zero : (!m, !c) -> !m
      %f = cleave.exp %e : (!m) -> !m
      %r = cleave.mul %b, %f : (!m, !m) -> !m
      cleave.yield %r : !m
    }
    contract body {
    ^bb0(%z: !s, %w: !v, %a: !m, %b: !m):
      %zero = cleave.constant 0.0 : !c
      %i = cleave.is_finite %a : (!m) -> !b
      %h = cleave.select %i, %a, %zero : (!b, !m, !c) -> !m
      %d = cleave.sub %z, %h : (!s, !m) -> !s
      %p = cleave.exp %d : (!s) -> !s
      cleave.yield %p, %w : !s, !v
    } rebase {
    ^bb0(%a0: !m, %b0: !m, %c: !o, %a1: !m, %b1: !m):
      %zero = cleave.constant 0.0 : !c
      %i0 = cleave.is_finite %a0 : (!m) -> !b
      %h0 = cleave.select %i0, %a0, %zero : (!b, !m, !c) -> !m
      %i1 = cleave.is_finite %a1 : (!m) -> !b
      %h1 = cleave.select %i1, %a1, %zero : (!b, !m, !c) -> !m
      %d = cleave.sub %h0, %h1 : (!m, !m) -> !m
      %e = cleave.min %d, %zero : (!m, !c) -> !m
      %f = cleave.exp %e : (!m) -> !m
      %r = cleave.mul %c, %f : (!o, !m) -> !o
      cleave.yield %r : !o
    }
    -> (!m, !m, !o)
  %q = cleave.recip0 %l : (!m) -> !m
  %y = cleave.mul %o, %q : (!o, !m) -> !o
  return %y, %l, %m : !o, !m, !m
})mlir";

TEST_F(FoldTest, SoftmaxTimesV) {
  HostArray s =
      makeHost(ElementKind::F64, {2, 5}, {1, 2, 3, -1, 0, 7, 7, 7, 7, 100});
  HostArray v = makeHost(ElementKind::F64, {5, 1}, {1, 2, 3, 4, 5});
  auto results = runAll(softmaxTimesV, {s, v});
  double sum = 0, weighted = 0;
  for (int i = 0; i < 5; ++i) {
    double p = std::exp(valuesOf(s)[i] - 3);
    sum += p;
    weighted += p * (i + 1);
  }
  EXPECT_NEAR(results[0][0], weighted / sum, 1e-14);
  EXPECT_NEAR(results[0][1], 5, 1e-14);
  EXPECT_NEAR(results[1][0], sum, 1e-14);
}

TEST_F(FoldTest, FirstTilesWithoutKeys) {
  // FlagGems PR 330: exp(-inf - -inf) in the first block.
  HostArray s =
      makeHost(ElementKind::F64, {1, 4}, {-infinity, -infinity, 0, 1});
  HostArray v = makeHost(ElementKind::F64, {4, 1}, {0, 0, 0, 1});
  auto results = runAll(softmaxTimesV, {s, v});
  EXPECT_NEAR(results[0][0], 0.731059, 1e-6);
}

TEST_F(FoldTest, RowsWithoutKeys) {
  // iree#24175: a row of -inf only gives 0, and so does no key at all.
  HostArray s =
      makeHost(ElementKind::F64, {2, 2}, {-infinity, -infinity, 0, -infinity});
  HostArray v = makeHost(ElementKind::F64, {2, 1}, {3, 5});
  auto results = runAll(softmaxTimesV, {s, v});
  EXPECT_EQ(results[0], (std::vector<double>{0, 3}));
  EXPECT_EQ(results[2][0], -infinity);
  results = runAll(softmaxTimesV, {makeHost(ElementKind::F64, {3, 0}, {}),
                                   makeHost(ElementKind::F64, {0, 2}, {})});
  EXPECT_EQ(results[0], std::vector<double>(6, 0));
}

TEST_F(FoldTest, TailsAddNothing) {
  // tilelang#1213: a padded score of 0 counted beside scores of -5.
  HostArray s = makeHost(ElementKind::F64, {1, 3}, {-5, -5, -5});
  HostArray v = makeHost(ElementKind::F64, {3, 1}, {1, 1, 1});
  auto results = runAll(softmaxTimesV, {s, v});
  EXPECT_NEAR(results[0][0], 1, 1e-15);
  EXPECT_NEAR(results[2][0] + std::log(results[1][0]), -3.90139, 1e-5);
}

/// Count, sum and the sum of squares about the mean: combine is Chan's merge.
constexpr StringRef variance = R"mlir(
#K = #cleave.axes<K>
#scalar = #cleave.axes<>
!x = tensor<?xf32, #K>
!s = tensor<f32, #scalar>
func.func @f(%x: !x) -> (!s, !s, !s) {
  %n, %t, %q = cleave.fold over [K] ins(%x : !x)
    reduce_sum body {
    ^bb0(%a: !x):
      %one = cleave.constant 1.0 : !x
      cleave.yield %one : !x
    } rebase {
    }
    reduce_sum body {
    ^bb0(%a: !x, %n: !s):
      cleave.yield %a : !x
    } rebase {
    }
    reduce_sum body {
    ^bb0(%a: !x, %n: !s, %t: !s):
      %in = cleave.recip0 %n : (!s) -> !s
      %mu = cleave.mul %t, %in : (!s, !s) -> !s
      %d = cleave.sub %a, %mu : (!x, !s) -> !x
      %dd = cleave.mul %d, %d : (!x, !x) -> !x
      cleave.yield %dd : !x
    } rebase {
    ^bb0(%n0: !s, %t0: !s, %q: !s, %n1: !s, %t1: !s):
      %in0 = cleave.recip0 %n0 : (!s) -> !s
      %mu0 = cleave.mul %t0, %in0 : (!s, !s) -> !s
      %in1 = cleave.recip0 %n1 : (!s) -> !s
      %mu1 = cleave.mul %t1, %in1 : (!s, !s) -> !s
      %d = cleave.sub %mu0, %mu1 : (!s, !s) -> !s
      %r = cleave.mul %d, %d, %n0 : (!s, !s, !s) -> !s
      %u = cleave.add %q, %r : (!s, !s) -> !s
      cleave.yield %u : !s
    }
    -> (!s, !s, !s)
  return %n, %t, %q : !s, !s, !s
})mlir";

TEST_F(FoldTest, VarianceIsChansMerge) {
  // A part of one element has a sum of squares of 0, and is not empty.
  auto results =
      runAll(variance, makeHost(ElementKind::F64, {5}, {1, 2, 4, 8, 1}));
  EXPECT_EQ(results[0][0], 5);
  EXPECT_EQ(results[1][0], 16);
  EXPECT_NEAR(results[2][0], 86 - 256.0 / 5, 1e-12);
  runAll(variance, makeHost(ElementKind::F64, {1}, {3}));
  results = runAll(variance, makeHost(ElementKind::F64, {0}, {}));
  EXPECT_EQ(results[2][0], 0);
}

/// A fold over the inner part of a split: tiles see their part's domain.
constexpr StringRef splitMaximum = R"mlir(
#K = #cleave.axes<K>
#S = #cleave.axes<S>
#Ki_S = #cleave.axes<Ki, S>
#scalar = #cleave.axes<>
!x = tensor<?xf32, #K>
!v = tensor<?x?xf32, #Ki_S>
!p = tensor<?xf32, #S>
!b = tensor<?xi1, #S>
!s = tensor<f32, #scalar>
func.func @f(%x: !x) -> (!p, !p, !x) {
  %v = cleave.split %x K into (S, Ki) : !x to !v
  %m, %l = cleave.fold over [Ki] ins(%v : !v)
    reduce_max body {
    ^bb0(%z: !v):
      cleave.yield %z : !v
    } rebase {
    }
    reduce_sum body {
    ^bb0(%z: !v, %a: !p):
      %zero = cleave.constant 0.0 : !s
      %i = cleave.is_finite %a : (!p) -> !b
      %h = cleave.select %i, %a, %zero : (!b, !p, !s) -> !p
      %d = cleave.sub %z, %h : (!v, !p) -> !v
      %e = cleave.exp %d : (!v) -> !v
      cleave.yield %e : !v
    } rebase {
    ^bb0(%a0: !p, %b: !p, %a1: !p):
      %zero = cleave.constant 0.0 : !s
      %i0 = cleave.is_finite %a0 : (!p) -> !b
      %h0 = cleave.select %i0, %a0, %zero : (!b, !p, !s) -> !p
      %i1 = cleave.is_finite %a1 : (!p) -> !b
      %h1 = cleave.select %i1, %a1, %zero : (!b, !p, !s) -> !p
      %d = cleave.sub %h0, %h1 : (!p, !p) -> !p
      %e = cleave.min %d, %zero : (!p, !s) -> !p
      %f = cleave.exp %e : (!p) -> !p
      %r = cleave.mul %b, %f : (!p, !p) -> !p
      cleave.yield %r : !p
    }
    -> (!p, !p)
  %back = cleave.merge %v (S, Ki) into K : !v to !x
  return %m, %l, %back : !p, !p, !x
})mlir";

TEST_F(FoldTest, FoldsOverPartsOfASplit) {
  HostArray x = makeHost(ElementKind::F64, {5}, {1, 2, 3, 4, 5});
  // ceil(5 / 4) = 2 a part: the third is short, the fourth empty.
  auto results = runAll(splitMaximum, x, {{"S", 4}});
  EXPECT_EQ(results[0], (std::vector<double>{2, 4, 5, -infinity}));
  EXPECT_NEAR(results[1][1], 1 + std::exp(-1.0), 1e-15);
  EXPECT_EQ(results[1][2], 1);
  EXPECT_EQ(results[1][3], 0);
  EXPECT_EQ(results[2], valuesOf(x));
  runAll(splitMaximum, makeHost(ElementKind::F64, {0}, {}), {{"S", 3}});
}

} // namespace
