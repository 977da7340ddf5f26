//===- CompareTest.cpp - Comparison and random arrays ---------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cleave/Runtime/Compare.h"
#include "Cleave/Runtime/Random.h"

#include "gtest/gtest.h"
#include <cmath>
#include <limits>

using namespace mlir::cleave;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

HostArray make(ElementKind kind, std::vector<double> values) {
  HostArray array(kind, {int64_t(values.size())});
  array.assign(values);
  return array;
}

Comparison compareValues(std::vector<double> actual,
                         std::vector<double> reference) {
  return compare(make(ElementKind::F16, actual),
                 make(ElementKind::F64, reference), 2e-3);
}

TEST(Compare, MeasuresTheDistance) {
  Comparison result = compareValues({3, 4}, {3, 5});
  EXPECT_DOUBLE_EQ(result.l2, 1 / std::sqrt(34.0));
  EXPECT_EQ(result.maxError, 1);
  EXPECT_FALSE(result.isAbsolute);
  result = compareValues({0, 0.5}, {0, 0});
  EXPECT_TRUE(result.isAbsolute);
  EXPECT_EQ(result.l2, 0.5);
  EXPECT_TRUE(compareValues({}, {}).isWithin(0));
}

TEST(Compare, NonFiniteValuesMatchByPositionAndKind) {
  double nan = std::nan("");
  EXPECT_TRUE(compareValues({nan, infinity, -infinity, 1},
                            {nan, infinity, -infinity, 1})
                  .isWithin(0));
  EXPECT_EQ(compareValues({nan, 1}, {1, nan}).nonFiniteMismatches, 2);
  EXPECT_EQ(compareValues({infinity}, {-infinity}).nonFiniteMismatches, 1);
  EXPECT_EQ(compareValues({infinity}, {nan}).nonFiniteMismatches, 1);
  EXPECT_EQ(compareValues({1, infinity}, {1, 5}).firstMismatch, 1);
}

TEST(Compare, OverflowOfTheResultTypeIsRight) {
  EXPECT_TRUE(compareValues({infinity}, {1e6}).isWithin(0));
  EXPECT_TRUE(compareValues({infinity}, {65500}).isWithin(0));
  EXPECT_FALSE(compareValues({infinity}, {60000}).isWithin(0));
  EXPECT_FALSE(compareValues({-infinity}, {1e6}).isWithin(0));
}

TEST(Random, DependsOnSeedNameAndIndexOnly) {
  HostArray a = makeRandom(ElementKind::F32, {100, 100}, 1, "X", 2);
  HostArray b = makeRandom(ElementKind::F32, {10000}, 1, "X", 2);
  EXPECT_EQ(a.bytes(), b.bytes());
  EXPECT_NE(a.bytes(),
            makeRandom(ElementKind::F32, {100, 100}, 2, "X", 2).bytes());
  EXPECT_NE(a.bytes(),
            makeRandom(ElementKind::F32, {100, 100}, 1, "W", 2).bytes());
  std::vector<double> values(10000);
  a.copyTo(values);
  double sum = 0, squares = 0;
  for (double value : values) {
    sum += value;
    squares += value * value;
    EXPECT_LE(std::abs(value), 2 * randomBound * 1.000001);
  }
  EXPECT_NEAR(sum / 10000, 0, 0.1);
  EXPECT_NEAR(squares / 10000, 4, 0.2);
}

TEST(Random, MakesIntegers) {
  std::vector<double> values(1000);
  makeRandom(ElementKind::I32, {1000}, 1, "I", 3).copyTo(values);
  for (int64_t i = 0; i <= 3; ++i)
    EXPECT_TRUE(std::count(values.begin(), values.end(), double(i)));
  EXPECT_EQ(*std::max_element(values.begin(), values.end()), 3);
}

} // namespace
