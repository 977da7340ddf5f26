//===- Classes.cpp - Which schedule runs at which extents -----------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A cover of the points by few schedules, then a decision tree over symbols,
// flattened to a list: what an earlier class takes, later ones need not
// exclude.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Transforms/Schedule/Classes.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

using namespace mlir::cleave;
using namespace mlir::cleave::schedule;

namespace {

/// Where two sets of points part: one has extents up to `low`, the other from
/// `high` on.
struct Gap {
  unsigned symbol = 0;
  int64_t low = 0, high = 0;
  /// The points of either side that are nearest to each other.
  unsigned below = 0, above = 0;
  /// These have different schedules.
  bool parts = false;
};

class Chooser {
public:
  Chooser(llvm::ArrayRef<Extents> points, unsigned count, const TimeAt &timeAt)
      : points(points), count(count), timeAt(timeAt) {}

  std::vector<ShapeClass> run();

private:
  void cover();
  std::optional<Gap> findGap(llvm::ArrayRef<unsigned> members);
  int64_t findBound(const Gap &gap);
  void separate(llvm::ArrayRef<unsigned> members, ShapeClass around);
  void merge();

  llvm::ArrayRef<Extents> points;
  unsigned count;
  const TimeAt &timeAt;
  /// By point: its schedule.
  std::vector<unsigned> own;
  std::vector<ShapeClass> classes;
};

} // namespace

static double getLog(int64_t extent) {
  return std::log2(static_cast<double>(std::max<int64_t>(extent, 1)));
}

static double getDistance(const Extents &a, const Extents &b) {
  double distance = 0;
  for (auto [x, y] : llvm::zip_equal(a, b))
    distance += std::abs(getLog(x) - getLog(y));
  return distance;
}

std::vector<int64_t> schedule::getSamples(int64_t low, int64_t high) {
  std::vector<int64_t> samples = {low};
  double octaves = getLog(high) - getLog(low);
  auto steps = static_cast<int64_t>(std::ceil(octaves * 4));
  for (int64_t step = 1; step < steps; ++step) {
    double exact =
        std::exp2(getLog(low) + octaves * double(step) / double(steps));
    double unit = exact > 16 ? 16 : 1;
    auto sample = static_cast<int64_t>(std::round(exact / unit) * unit);
    if (sample > samples.back() && sample < high)
      samples.push_back(sample);
  }
  if (high > low)
    samples.push_back(high);
  return samples;
}

/// Greedy: the schedule that serves the most points that none serves yet.
void Chooser::cover() {
  constexpr double kSlack = 1.01;
  std::vector<std::vector<double>> times(points.size());
  std::vector<double> limit(points.size());
  for (auto [number, point] : llvm::enumerate(points)) {
    for (unsigned schedule = 0; schedule < count; ++schedule)
      times[number].push_back(timeAt(schedule, point));
    limit[number] =
        *std::min_element(times[number].begin(), times[number].end()) * kSlack;
  }
  std::vector<unsigned> taken;
  std::vector<bool> served(points.size());
  while (!llvm::all_of(served, [](bool is) { return is; })) {
    unsigned best = 0, most = 0;
    double least = 0;
    for (unsigned schedule = 0; schedule < count; ++schedule) {
      unsigned serves = 0;
      double total = 0;
      for (size_t point = 0; point < points.size(); ++point) {
        serves += !served[point] && times[point][schedule] <= limit[point];
        total += std::log(times[point][schedule]);
      }
      if (serves > most || (serves == most && serves && total < least)) {
        best = schedule;
        most = serves;
        least = total;
      }
    }
    taken.push_back(best);
    for (size_t point = 0; point < points.size(); ++point)
      served[point] = served[point] || times[point][best] <= limit[point];
  }
  for (size_t point = 0; point < points.size(); ++point)
    own.push_back(*llvm::min_element(taken, [&](unsigned a, unsigned b) {
      return times[point][a] < times[point][b];
    }));
}

/// The widest gap between points with different schedules.
std::optional<Gap> Chooser::findGap(llvm::ArrayRef<unsigned> members) {
  std::optional<Gap> widest;
  double width = 0;
  for (unsigned symbol = 0; symbol < points.front().size(); ++symbol) {
    std::vector<int64_t> values;
    for (unsigned point : members)
      values.push_back(points[point][symbol]);
    llvm::sort(values);
    for (auto [low, high] : llvm::zip(values, llvm::drop_begin(values))) {
      if (low == high)
        continue;
      Gap gap{symbol, low, high};
      double nearest = std::numeric_limits<double>::infinity();
      for (unsigned below : members)
        for (unsigned above : members) {
          if (points[below][symbol] > low || points[above][symbol] < high)
            continue;
          double distance = getDistance(points[below], points[above]);
          if (distance >= nearest)
            continue;
          nearest = distance;
          gap.below = below;
          gap.above = above;
        }
      gap.parts = own[gap.below] != own[gap.above];
      double apart = getLog(high) - getLog(low);
      if (widest && std::make_pair(gap.parts, apart) <=
                        std::make_pair(widest->parts, width))
        continue;
      widest = gap;
      width = apart;
    }
  }
  return widest;
}

/// The last extent for the schedule of the points below.
int64_t Chooser::findBound(const Gap &gap) {
  const Extents &below = points[gap.below], &above = points[gap.above];
  std::vector<int64_t> samples = getSamples(gap.low, gap.high);
  double start = getLog(below[gap.symbol]);
  double length = getLog(above[gap.symbol]) - start;
  // What is lost up to each sample with the one schedule, and from it on with
  // the other.
  std::vector<double> advantage;
  for (int64_t sample : samples) {
    double part = (getLog(sample) - start) / length;
    Extents between;
    for (auto [x, y] : llvm::zip_equal(below, above))
      between.push_back(
          std::llround(std::exp2(getLog(x) * (1 - part) + getLog(y) * part)));
    between[gap.symbol] = sample;
    advantage.push_back(std::log(timeAt(own[gap.below], between) /
                                 timeAt(own[gap.above], between)));
  }
  double loss = 0;
  for (double each : advantage)
    loss += std::max(-each, 0.0);
  double least = std::numeric_limits<double>::infinity();
  int64_t bound = gap.low;
  for (auto [sample, each] :
       llvm::drop_end(llvm::zip_equal(samples, advantage))) {
    loss += each;
    if (loss >= least)
      continue;
    least = loss;
    bound = sample;
  }
  return bound;
}

/// Appends classes for `members`, which all conditions of `around` let through.
void Chooser::separate(llvm::ArrayRef<unsigned> members, ShapeClass around) {
  std::optional<Gap> gap;
  if (llvm::any_of(members, [&](unsigned point) {
        return own[point] != own[members.front()];
      }))
    gap = findGap(members);
  if (!gap) {
    around.schedule = own[members.front()];
    classes.push_back(std::move(around));
    return;
  }
  std::vector<unsigned> below, above;
  for (unsigned point : members)
    (points[point][gap->symbol] <= gap->low ? below : above).push_back(point);
  ShapeClass inner = around;
  llvm::erase_if(inner.when, [&](const auto &condition) {
    return condition.first == gap->symbol;
  });
  inner.when.emplace_back(gap->symbol, findBound(*gap));
  llvm::sort(inner.when);
  separate(below, std::move(inner));
  separate(above, std::move(around));
}

/// Whether `outer` holds wherever `inner` does.
static bool covers(const ShapeClass &outer, const ShapeClass &inner) {
  return llvm::all_of(outer.when, [&](const auto &condition) {
    return llvm::any_of(inner.when, [&](const auto &other) {
      return other.first == condition.first && other.second <= condition.second;
    });
  });
}

/// Drops classes whose extents go to the same schedule without them.
void Chooser::merge() {
  for (size_t number = classes.size() - 1; number-- > 0;)
    if (classes[number].schedule == classes[number + 1].schedule &&
        covers(classes[number + 1], classes[number]))
      classes.erase(classes.begin() + number);
}

std::vector<ShapeClass> Chooser::run() {
  cover();
  std::vector<unsigned> all;
  for (unsigned point = 0; point < points.size(); ++point)
    all.push_back(point);
  separate(all, {});
  merge();
  return classes;
}

std::vector<ShapeClass> schedule::chooseClasses(llvm::ArrayRef<Extents> points,
                                                unsigned count,
                                                const TimeAt &timeAt) {
  return Chooser(points, count, timeAt).run();
}
