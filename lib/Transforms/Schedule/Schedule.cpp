//===- Schedule.cpp - Which schedules are legal ---------------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks what a hand-written schedule may get wrong; the search makes legal
// ones only and is checked by the same function.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Transforms/Schedule/Schedule.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir::cleave;
using namespace mlir::cleave::schedule;

int64_t schedule::getTile(llvm::ArrayRef<AxisTile> tiles, AxisId axis) {
  for (const AxisTile &range : tiles)
    if (range.axis == axis)
      return range.tile;
  return 0;
}

llvm::SmallVector<AxisId, 4> schedule::getResultAxes(const Problem &problem) {
  llvm::SmallVector<AxisId, 4> axes;
  auto add = [&](AxisId axis) {
    if (!contains(axes, axis))
      axes.push_back(axis);
  };
  for (const Result &result : problem.results)
    for (auto [dim, axis] : llvm::enumerate(result.storage)) {
      if (!result.cuts.empty() && result.cuts[dim].stride)
        add(result.cuts[dim].outer);
      add(axis);
    }
  return axes;
}

AxisSet schedule::getReducedAxes(const Problem &problem) {
  AxisSet axes;
  for (NodeId id = 0; id < problem.size(); ++id)
    axes = unite(axes, problem.getReducedAxes(id));
  return axes;
}

static llvm::Error makeError(const llvm::Twine &reason) {
  return llvm::createStringError(reason.str());
}

/// Checks one list of tiles against the axes that may stand in it.
static llvm::Error checkTiles(const Problem &problem,
                              llvm::ArrayRef<AxisTile> tiles,
                              llvm::ArrayRef<AxisId> allowed,
                              llvm::StringRef list, llvm::StringRef what) {
  AxisSet seen;
  for (const AxisTile &range : tiles) {
    const std::string &name = problem.axes[range.axis].name;
    if (!contains(allowed, range.axis))
      return makeError("expected an axis that " + what + " in '" + list +
                       "' but got '" + name + "'");
    if (contains(seen, range.axis))
      return makeError("expected axis '" + name + "' once in '" + list + "'");
    seen.push_back(range.axis);
    if (range.tile < 1 || !llvm::isPowerOf2_64(range.tile))
      return makeError("expected a power of two as tile of axis '" + name +
                       "' but got " + llvm::Twine(range.tile));
    if (problem.axes[range.axis].unit && range.tile != 1)
      return makeError("expected a tile of 1 for axis '" + name +
                       "', the outer part of a dimension, but got " +
                       llvm::Twine(range.tile));
  }
  return llvm::Error::success();
}

/// How long a part is depends on which it is.
static llvm::Error checkPart(const Problem &problem, const Schedule &schedule,
                             AxisId axis) {
  const std::optional<PartOf> &part = problem.axes[axis].part;
  if (!part || getTile(schedule.grid, part->outer))
    return llvm::Error::success();
  for (const AxisTile &range : schedule.loop) {
    if (range.axis == part->outer)
      break;
    if (range.axis == axis)
      return makeError("expected axis '" + problem.axes[part->outer].name +
                       "' before its parts '" + problem.axes[axis].name +
                       "' in 'loop'");
  }
  return llvm::Error::success();
}

llvm::Error schedule::checkSchedule(const Problem &problem,
                                    const Schedule &schedule) {
  llvm::SmallVector<AxisId, 4> results = getResultAxes(problem);
  AxisSet reduced = getReducedAxes(problem);
  if (llvm::Error error = checkTiles(problem, schedule.grid, results, "grid",
                                     "a result carries"))
    return error;
  if (llvm::Error error =
          checkTiles(problem, schedule.loop, reduced, "loop", "is reduced"))
    return error;
  for (AxisId axis : results)
    if (!getTile(schedule.grid, axis))
      return makeError("expected a tile for axis '" + problem.axes[axis].name +
                       "' of the results in 'grid'");
  for (AxisId axis : reduced) {
    int64_t whole = getTile(schedule.grid, axis);
    // A block that has the whole axis reduces it without a loop.
    if (whole && problem.axes[axis].isCoveredBy(whole))
      continue;
    if (!getTile(schedule.loop, axis))
      return makeError("expected a tile for reduced axis '" +
                       problem.axes[axis].name + "' in 'loop'");
    if (llvm::Error error = checkPart(problem, schedule, axis))
      return error;
  }
  if (schedule.warps < 1 || schedule.warps > 32 ||
      !llvm::isPowerOf2_64(schedule.warps))
    return makeError("expected 1, 2, 4, 8, 16 or 32 warps but got " +
                     llvm::Twine(schedule.warps));
  if (schedule.stages < 1 || schedule.stages > kMaxStages)
    return makeError("expected 1 to " + llvm::Twine(kMaxStages) +
                     " stages but got " + llvm::Twine(schedule.stages));
  return llvm::Error::success();
}
