//===- ClassesTest.cpp - Tests of shape classes ---------------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With schedules whose times are formulas.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Transforms/Schedule/Classes.h"
#include "gtest/gtest.h"
#include <cmath>
#include <random>

using namespace mlir::cleave::schedule;

namespace {

using Conditions = std::vector<std::pair<unsigned, int64_t>>;

/// Starts slowly and goes on fast, the more so the larger the number.
double getRamp(unsigned number, const Extents &extents) {
  double work = 1;
  for (int64_t extent : extents)
    work *= double(extent);
  return std::pow(8, number) + work / std::pow(4, number);
}

unsigned choose(const std::vector<ShapeClass> &classes,
                const Extents &extents) {
  for (const ShapeClass &each : classes) {
    bool holds = true;
    for (auto [symbol, bound] : each.when)
      holds &= extents[symbol] <= bound;
    if (holds)
      return each.schedule;
  }
  ADD_FAILURE() << "no schedule";
  return 0;
}

} // namespace

TEST(ClassesTest, SamplesAreFewAndRound) {
  EXPECT_EQ(getSamples(1, 8), (std::vector<int64_t>{1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(getSamples(16, 64), (std::vector<int64_t>{16, 32, 48, 64}));
  EXPECT_EQ(getSamples(5, 6), (std::vector<int64_t>{5, 6}));
  EXPECT_EQ(getSamples(0, 1), (std::vector<int64_t>{0, 1}));
  EXPECT_LT(getSamples(1, 1 << 20).size(), 90u);
}

TEST(ClassesTest, OnePoint) {
  std::vector<ShapeClass> classes = chooseClasses({{16}}, 1, getRamp);
  ASSERT_EQ(classes.size(), 1u);
  EXPECT_EQ(classes[0].when, Conditions());
}

TEST(ClassesTest, BoundIsWhereTheOtherGetsFaster) {
  // 1 + M against 8 + M / 4: equal at 9.3, between the samples 8 and 10.
  std::vector<ShapeClass> classes = chooseClasses({{1}, {64}}, 2, getRamp);
  ASSERT_EQ(classes.size(), 2u);
  EXPECT_EQ(classes[0].schedule, 0u);
  EXPECT_EQ(classes[0].when, (Conditions{{0, 8}}));
  EXPECT_EQ(classes[1].schedule, 1u);
  EXPECT_EQ(classes[1].when, Conditions());
}

TEST(ClassesTest, OrderOfPointsDoesNotMatter) {
  std::vector<ShapeClass> classes =
      chooseClasses({{4096}, {1}, {64}}, 3, getRamp);
  ASSERT_EQ(classes.size(), 3u);
  EXPECT_EQ(choose(classes, {0}), 0u);
  EXPECT_EQ(choose(classes, {64}), 1u);
  EXPECT_EQ(choose(classes, {1 << 20}), 2u);
}

TEST(ClassesTest, OneScheduleServesPointsWhereItIsHardlySlower) {
  auto time = [](unsigned number, const Extents &extents) {
    return extents[0] == (number ? 2048 : 16) ? 1.0 : 1.005;
  };
  EXPECT_EQ(chooseClasses({{16}, {2048}}, 2, time).size(), 1u);
  auto slower = [](unsigned number, const Extents &extents) {
    return extents[0] == (number ? 2048 : 16) ? 1.0 : 1.02;
  };
  EXPECT_EQ(chooseClasses({{16}, {2048}}, 2, slower).size(), 2u);
}

TEST(ClassesTest, ABetterScheduleOfAnotherPointIsTaken) {
  // The search at the first point missed what it found at the second.
  auto time = [](unsigned number, const Extents &) {
    return number ? 1.0 : 2.0;
  };
  std::vector<ShapeClass> classes = chooseClasses({{16}, {2048}}, 2, time);
  ASSERT_EQ(classes.size(), 1u);
  EXPECT_EQ(classes[0].schedule, 1u);
}

TEST(ClassesTest, NeighboursWithOneScheduleAreOneClass) {
  std::vector<ShapeClass> classes =
      chooseClasses({{1}, {2}, {2048}, {4096}}, 2, getRamp);
  ASSERT_EQ(classes.size(), 2u);
  EXPECT_EQ(classes[0].when, (Conditions{{0, 8}}));
}

TEST(ClassesTest, SeveralSymbols) {
  // Queries alone tell them apart, as do keys: the wider gap is taken.
  std::vector<ShapeClass> classes =
      chooseClasses({{1, 4096}, {2048, 2048}}, 2,
                    [](unsigned number, const Extents &extents) {
                      return number == (extents[0] > 100) ? 1.0 : 2.0;
                    });
  ASSERT_EQ(classes.size(), 2u);
  EXPECT_EQ(classes[0].when, (Conditions{{0, 96}}));
  EXPECT_EQ(classes[0].schedule, 0u);
}

TEST(ClassesTest, TreesOverSymbolsBecomeLists) {
  // A schedule of its own for each corner.
  auto time = [](unsigned number, const Extents &extents) {
    unsigned best = (extents[0] > 30 ? 1 : 0) + (extents[1] > 30 ? 2 : 0);
    return number == best ? 1.0 : 2.0;
  };
  std::vector<ShapeClass> classes =
      chooseClasses({{1, 1}, {1, 1024}, {1024, 1}, {1024, 1024}}, 4, time);
  EXPECT_EQ(classes.size(), 4u);
  EXPECT_EQ(choose(classes, {0, 0}), 0u);
  EXPECT_EQ(choose(classes, {1, 1024}), 2u);
  EXPECT_EQ(choose(classes, {1024, 1}), 1u);
  EXPECT_EQ(choose(classes, {4096, 4096}), 3u);
}

TEST(ClassesTest, RandomPointsKeepTheirSchedules) {
  std::mt19937 random(1);
  for (int round = 0; round < 100; ++round) {
    std::vector<Extents> points;
    std::vector<unsigned> best;
    unsigned count = 1 + random() % 6;
    for (unsigned i = 0; i < count; ++i) {
      Extents point = {1 << (random() % 12), 1 << (random() % 12)};
      if (std::find(points.begin(), points.end(), point) == points.end())
        points.push_back(point);
    }
    count = points.size();
    // Each point has a schedule that is best there and, in the logarithm,
    // around.
    auto time = [&](unsigned number, const Extents &extents) {
      double distance = 1;
      for (unsigned i : {0u, 1u})
        distance += std::abs(std::log2(double(extents[i] + 1)) -
                             std::log2(double(points[number][i] + 1)));
      return distance;
    };
    std::vector<ShapeClass> classes = chooseClasses(points, count, time);
    ASSERT_FALSE(classes.empty());
    EXPECT_EQ(classes.back().when, Conditions());
    for (unsigned i = 0; i < count; ++i)
      EXPECT_EQ(choose(classes, points[i]), i);
  }
}
