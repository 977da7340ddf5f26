//===- ShapeClasses.cpp - From schedules at points to a whole -------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gives the choice of classes (Schedule/Classes.cpp), which knows numbers only,
// its symbols, schedules and times.
//
//===----------------------------------------------------------------------===//

#include "ShapeClasses.h"
#include "Cleave/Transforms/Schedule/Classes.h"
#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace mlir::cleave;
using namespace mlir::cleave::schedule;

static bool differs(const std::string &name, ArrayRef<Bindings> points) {
  return llvm::any_of(points, [&](const Bindings &point) {
    return point.at(name) != points.front().at(name);
  });
}

std::string cleave::describePoint(const Bindings &point,
                                  ArrayRef<Bindings> points) {
  std::string text;
  for (const auto &[name, extent] : point)
    if (differs(name, points))
      text +=
          (text.empty() ? "" : ", ") + name + " = " + std::to_string(extent);
  return text;
}

/// The axes that tell points apart and that a launcher can read.
static std::vector<std::string> getSymbols(func::FuncOp function,
                                           ArrayRef<Bindings> points) {
  std::vector<std::string> symbols;
  for (const auto &[name, extent] : points.front()) {
    auto axis = StringAttr::get(function.getContext(), name);
    if (differs(name, points) &&
        llvm::any_of(function.getArgumentTypes(), [&](Type type) {
          return isCleaveTensor(type) && getAxes(type).contains(axis);
        }))
      symbols.push_back(name);
  }
  return symbols;
}

namespace {
/// A schedule whose loops are planned once, for costs at any extents.
class CostedGraph {
public:
  CostedGraph(const ScheduledGraph &graph, const AxisTable &axes,
              const Target &target)
      : axes(axes), target(target), splits(graph.splits),
        kernels(graph.kernels),
        hasParts(llvm::any_of(
            splits, [](const auto &parts) { return parts.second > 1; })) {
    for (const ScheduledKernel &kernel : kernels)
      // It has been planned before.
      nests.push_back(
          llvm::cantFail(planLoopNest(kernel.problem, kernel.schedule)));
  }

  double getTime(Bindings extents) {
    extents.insert(splits.begin(), splits.end());
    Bindings all = axes.representative(extents);
    for (ScheduledKernel &kernel : kernels)
      setRepresentative(kernel.problem, all);
    Cost cost = computeGraphCost(kernels, nests, target);
    // What does not fit is worse than anything that does.
    return cost.time * getWeight(kernels.size(), hasParts) +
           (cost.excess - 1) * 1e9;
  }

private:
  const AxisTable &axes;
  const Target &target;
  const Bindings &splits;
  std::vector<ScheduledKernel> kernels;
  std::vector<LoopNest> nests;
  bool hasParts;
};
} // namespace

/// By how much the model is wrong about each schedule: where it was measured,
/// else about as much as about those that were.
static std::vector<double> getFactors(ArrayRef<GraphSchedule> schedules) {
  std::vector<double> factors(schedules.size(), 1);
  double sum = 0, count = 0;
  for (auto [factor, schedule] : llvm::zip_equal(factors, schedules)) {
    if (!schedule.measured || schedule.cost.time <= 0)
      continue;
    factor = std::max(*schedule.measured, 1e-3) / schedule.cost.time;
    sum += std::log(factor);
    ++count;
  }
  for (auto [factor, schedule] : llvm::zip_equal(factors, schedules))
    if (count && !schedule.measured)
      factor = std::exp(sum / count);
  return factors;
}

static bool isSame(func::FuncOp function, const GraphSchedule &a,
                   const GraphSchedule &b) {
  return &a == &b || getScheduleAttr(function.getContext(), a.graph) ==
                         getScheduleAttr(function.getContext(), b.graph);
}

std::vector<ClassOfExtents> cleave::chooseShapeClasses(
    func::FuncOp function, const AxisTable &axes, ArrayRef<Bindings> points,
    ArrayRef<GraphSchedule> schedules, const Target &target) {
  std::vector<std::string> symbols = getSymbols(function, points);
  std::vector<CostedGraph> costed;
  for (const GraphSchedule &schedule : schedules)
    costed.emplace_back(schedule.graph, axes, target);
  std::vector<double> factors = getFactors(schedules);
  // More than what makes one schedule of two.
  constexpr double kWorse = 1.1;
  std::vector<Extents> extents;
  for (const Bindings &point : points) {
    Extents &values = extents.emplace_back();
    for (const std::string &symbol : symbols)
      values.push_back(point.at(symbol));
  }
  auto getTime = [&](unsigned number, const Extents &at) {
    Bindings point = points.front();
    for (auto [symbol, extent] : llvm::zip_equal(symbols, at))
      point[symbol] = extent;
    double time = costed[number].getTime(point) * factors[number];
    // Only its own schedule is known to be fast where one was measured.
    for (auto [place, schedule] : llvm::enumerate(schedules))
      if (schedule.measured && extents[place] == at)
        return isSame(function, schedule, schedules[number])
                   ? *schedule.measured
                   : std::max(time, *schedule.measured * kWorse);
    return time;
  };
  std::vector<ClassOfExtents> classes;
  for (const ShapeClass &each :
       chooseClasses(extents, schedules.size(), getTime)) {
    ClassOfExtents &result = classes.emplace_back();
    result.point = each.schedule;
    for (auto [symbol, bound] : each.when)
      result.when.emplace_back(symbols[symbol], bound);
  }
  return classes;
}
