//===- NamedArrayTest.cpp - Arrays with named axes ------------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cleave/Evaluator/NamedArray.h"

#include "gtest/gtest.h"
#include <cmath>
#include <limits>

using namespace mlir::cleave;

namespace {

using Names = std::vector<std::string>;
constexpr double infinity = std::numeric_limits<double>::infinity();

NamedArray make(Names names, std::vector<int64_t> extents,
                std::vector<double> values) {
  HostArray host(ElementKind::F64, extents);
  host.assign(values);
  return fromHost(host, names);
}

/// Small integers that differ from position to position.
NamedArray makeRange(Names names, std::vector<int64_t> extents, int seed = 1) {
  std::vector<double> values(countElements(extents));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = double((i * 7 + seed * 13) % 11) - 5;
  return make(names, extents, values);
}

std::vector<double> values(const NamedArray &array, Names names) {
  HostArray host = toHost(array, names, ElementKind::F64);
  std::vector<double> result(host.size());
  host.copyTo(result);
  return result;
}

TEST(NamedArray, BroadcastsByName) {
  NamedArray x = make({"M", "K"}, {2, 3}, {1, 2, 3, 4, 5, 6});
  NamedArray g = make({"K"}, {3}, {10, 20, 30});
  NamedArray s = make({"M"}, {2}, {100, 200});
  NamedArray sum = applyPointwise(Pointwise::Add, {g, s, x}, ElementKind::F64);
  EXPECT_EQ(values(sum, {"K", "M"}),
            (std::vector<double>{111, 214, 122, 225, 133, 236}));
  NamedArray outer = applyPointwise(Pointwise::Mul, {g, s}, ElementKind::F64);
  EXPECT_EQ(values(outer, {"M", "K"}),
            (std::vector<double>{1000, 2000, 3000, 2000, 4000, 6000}));
}

TEST(NamedArray, KeepsNaNInMaximum) {
  double nan = std::nan("");
  NamedArray x = make({"K"}, {3}, {1, nan, -infinity});
  NamedArray y = make({"K"}, {3}, {nan, 2, 3});
  std::vector<double> max =
      values(applyPointwise(Pointwise::Max, {x, y}, ElementKind::F64), {"K"});
  EXPECT_TRUE(std::isnan(max[0]) && std::isnan(max[1]));
  EXPECT_EQ(max[2], 3);
  EXPECT_TRUE(std::isnan(
      values(reduce(Reduction::Max, x, Names{"K"}, {}, ElementKind::F64), {})
          .front()));
}

TEST(NamedArray, ReducesAnyAxesOfAnyView) {
  NamedArray x = makeRange({"A", "B", "C"}, {3, 4, 5});
  std::vector<double> all = values(x, {"A", "B", "C"});
  std::vector<double> overAC(4, 0), maxB(15, -infinity);
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 4; ++b)
      for (int c = 0; c < 5; ++c) {
        double value = all[(a * 4 + b) * 5 + c];
        overAC[b] += value;
        maxB[a * 5 + c] = std::max(maxB[a * 5 + c], value);
      }
  EXPECT_EQ(
      values(reduce(Reduction::Sum, x, Names{"A", "C"}, {}, ElementKind::F64),
             {"B"}),
      overAC);
  EXPECT_EQ(values(reduce(Reduction::Max, x, Names{"B"}, {}, ElementKind::F64),
                   {"A", "C"}),
            maxB);
  NamedArray wide = makeRange({"A"}, {3}).broadcast("B", 4);
  EXPECT_EQ(
      values(reduce(Reduction::Sum, wide, Names{"B"}, {}, ElementKind::F64),
             {"A"}),
      values(applyPointwise(Pointwise::Mul,
                            {wide.slice("B", 0, 1),
                             NamedArray::splat(ElementKind::F64, 4, {})},
                            ElementKind::F64),
             {"A", "B"}));
}

TEST(NamedArray, ReducesNothingToTheUnit) {
  NamedArray x = make({"M", "K"}, {2, 0}, {});
  EXPECT_EQ(values(reduce(Reduction::Sum, x, Names{"K"}, {}, ElementKind::F64),
                   {"M"}),
            (std::vector<double>{0, 0}));
  EXPECT_EQ(values(reduce(Reduction::Max, x, Names{"K"}, {}, ElementKind::F64),
                   {"M"}),
            (std::vector<double>{-infinity, -infinity}));
  NamedArray y = make({"K", "N"}, {0, 3}, {});
  EXPECT_EQ(
      values(contract(x, y, Names{"K"}, {}, ElementKind::F64), {"M", "N"}),
      std::vector<double>(6, 0));
}

/// The sum of products by the definition.
NamedArray contractSlowly(const NamedArray &lhs, const NamedArray &rhs,
                          Names axes, std::vector<Domain> domains) {
  NamedArray product =
      applyPointwise(Pointwise::Mul, {lhs, rhs}, ElementKind::F64);
  return reduce(Reduction::Sum, product, axes, domains, ElementKind::F64);
}

TEST(NamedArray, ContractsEveryShape) {
  for (int64_t m : {1, 2, 7, 67})
    for (int64_t n : {1, 5, 8, 521})
      for (int64_t k : {1, 3, 259}) {
        NamedArray x = makeRange({"M", "K"}, {m, k}, 1);
        NamedArray y = makeRange({"N", "K"}, {n, k}, 2);
        ASSERT_EQ(values(contract(x, y, Names{"K"}, {}, ElementKind::F64),
                         {"M", "N"}),
                  values(contractSlowly(x, y, {"K"}, {}), {"M", "N"}))
            << m << " " << n << " " << k;
      }
}

TEST(NamedArray, ContractsEveryRoleOfAxes) {
  // Batch B, two depths of which one stands on one side only, two rows.
  NamedArray x = makeRange({"M", "B", "K", "P", "J"}, {2, 3, 4, 2, 5}, 1);
  NamedArray y = makeRange({"K", "N", "B"}, {4, 6, 3}, 2);
  Names axes = {"K", "J"};
  Names order = {"B", "M", "N", "P"};
  EXPECT_EQ(values(contract(x, y, axes, {}, ElementKind::F64), order),
            values(contractSlowly(x, y, axes, {}), order));
  EXPECT_EQ(values(contract(y, x, axes, {}, ElementKind::F64), order),
            values(contractSlowly(x, y, axes, {}), order));
}

TEST(NamedArray, SplitsSkipWhatDoesNotExist) {
  for (int64_t extent : {0, 1, 5, 7, 12})
    for (int64_t parts : {1, 2, 3, 5, 16}) {
      int64_t inner = (extent + parts - 1) / parts;
      NamedArray x = makeRange({"K", "M"}, {extent, 2}, 1);
      NamedArray w = makeRange({"N", "K"}, {3, extent}, 2);
      Axis outerAxis{"S", parts, 0}, innerAxis{"Ki", inner, 0};
      Domain domain{"S", "Ki", inner, extent, 0, 0};
      NamedArray xs = splitAxis(x, "K", outerAxis, innerAxis);
      NamedArray ws = splitAxis(w, "K", outerAxis, innerAxis);
      NamedArray part = contract(xs, ws, Names{"Ki"}, domain, ElementKind::F64);
      EXPECT_EQ(
          values(reduce(Reduction::Sum, part, Names{"S"}, domain,
                        ElementKind::F64),
                 {"M", "N"}),
          values(contract(x, w, Names{"K"}, {}, ElementKind::F64), {"M", "N"}));
      // The other order of reductions, and maxima.
      NamedArray first =
          reduce(Reduction::Max, xs, Names{"S"}, domain, ElementKind::F64);
      EXPECT_EQ(
          values(reduce(Reduction::Max, first, Names{"Ki"}, domain,
                        ElementKind::F64),
                 {"M"}),
          values(reduce(Reduction::Max, x, Names{"K"}, {}, ElementKind::F64),
                 {"M"}));
      EXPECT_EQ(values(mergeAxes(xs, "S", "Ki", "K", extent), {"K", "M"}),
                values(x, {"K", "M"}));
    }
}

TEST(NamedArray, ADomainMasksOperandsWithoutItsOuterAxis) {
  // |K| = 3 in 2 parts: position (1, 1) does not exist, though y has a NaN
  // there for every part.
  Domain domain{"S", "Ki", 2, 3, 0, 0};
  NamedArray x =
      splitAxis(make({"K"}, {3}, {1, 2, 3}), "K", {"S", 2, 0}, {"Ki", 2, 0});
  NamedArray y = make({"Ki"}, {2}, {1, infinity});
  std::vector<double> sums =
      values(contract(x, y, Names{"Ki"}, domain, ElementKind::F64), {"S"});
  EXPECT_EQ(sums, (std::vector<double>{infinity, 3}));
}

TEST(NamedArray, WindowsOfAnAxisKeepTheirDomain) {
  Domain domain{"S", "Ki", 4, 7, 0, 0};
  NamedArray x = splitAxis(make({"K"}, {7}, {1, 2, 3, 4, 5, 6, 7}), "K",
                           {"S", 2, 0}, {"Ki", 4, 0});
  Domain moved = domain;
  moved.innerOffset = 2;
  EXPECT_EQ(values(reduce(Reduction::Sum, x.slice("Ki", 2, 2), Names{"Ki"},
                          moved, ElementKind::F64),
                   {"S"}),
            (std::vector<double>{7, 7}));
}

TEST(NamedArray, RoundsCopies) {
  NamedArray x = make({"K"}, {2}, {1 + 1.0 / 4096, 70000});
  EXPECT_EQ(values(rounded(x, ElementKind::F16), {"K"}),
            (std::vector<double>{1, infinity}));
  EXPECT_EQ(values(x, {"K"})[1], 70000);
}

} // namespace
