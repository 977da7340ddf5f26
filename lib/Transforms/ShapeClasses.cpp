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
      : axes(axes), target(target), splits(graph.splits) {
    for (const ScheduledKernel &kernel : graph.kernels) {
      kernels.push_back({kernel.problem, kernel.schedule, {}});
      llvm::Expected<LoopNest> nest =
          planLoopNest(kernel.problem, kernel.schedule);
      // It has been planned before.
      kernels.back().nest = llvm::cantFail(std::move(nest));
    }
  }

  double getTime(Bindings extents) {
    extents.insert(splits.begin(), splits.end());
    Bindings all = axes.representative(extents);
    Cost cost;
    for (Kernel &kernel : kernels) {
      setRepresentative(kernel.problem, all);
      cost += computeCost(kernel.problem, kernel.schedule, kernel.nest, target);
    }
    // What does not fit is worse than anything that does.
    return cost.time + (cost.excess - 1) * 1e9;
  }

private:
  struct Kernel {
    Problem problem;
    Schedule schedule;
    LoopNest nest;
  };
  const AxisTable &axes;
  const Target &target;
  const Bindings &splits;
  std::vector<Kernel> kernels;
};
} // namespace

std::vector<ClassOfExtents> cleave::chooseShapeClasses(
    func::FuncOp function, const AxisTable &axes, ArrayRef<Bindings> points,
    ArrayRef<const ScheduledGraph *> graphs, const Target &target) {
  std::vector<std::string> symbols = getSymbols(function, points);
  std::vector<CostedGraph> costed;
  for (const ScheduledGraph *graph : graphs)
    costed.emplace_back(*graph, axes, target);
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
    return costed[number].getTime(point);
  };
  std::vector<ClassOfExtents> classes;
  for (const ShapeClass &each :
       chooseClasses(extents, graphs.size(), getTime)) {
    ClassOfExtents &result = classes.emplace_back();
    result.point = each.schedule;
    for (auto [symbol, bound] : each.when)
      result.when.emplace_back(symbols[symbol], bound);
  }
  return classes;
}
