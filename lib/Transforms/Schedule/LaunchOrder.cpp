//===- LaunchOrder.cpp - Kernels one after the other and together ---------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which kernels may follow each other, run beside each other, or go on in the
// launch of the one in front.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Transforms/Schedule/Partition.h"
#include "Cleave/Transforms/Schedule/Products.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::cleave;
using namespace mlir::cleave::schedule;

bool schedule::readsArgument(const Problem &kernel, unsigned number) {
  for (NodeId id = 0; id < kernel.size(); ++id)
    if (kernel[id].kind == NodeKind::Argument && kernel[id].argument == number)
      return true;
  return false;
}

/// Whether `kernel` needs what `other` stores, or changes what `other` reads.
bool schedule::dependsOn(const Problem &problem, const ScheduledKernel &kernel,
                         const ScheduledKernel &other) {
  unsigned arguments = problem.argumentNames.size();
  return llvm::any_of(other.stores,
                      [&](NodeId id) {
                        return readsArgument(kernel.problem, arguments + id);
                      }) ||
         llvm::any_of(kernel.problem.results, [&](const Result &result) {
           return result.place &&
                  readsArgument(other.problem, result.place->argument);
         });
}

//===----------------------------------------------------------------------===//
// Beside each other
//===----------------------------------------------------------------------===//

/// Why a kernel cannot run beside those in front of it, or success.
static llvm::Error checkBeside(const Problem &problem,
                               llvm::ArrayRef<ScheduledKernel> kernels,
                               size_t number) {
  if (number == 0)
    return llvm::createStringError(
        "expected a kernel in front of one with 'beside'");
  for (size_t other = number; other-- > 0;) {
    if (kernels[other].join)
      return llvm::createStringError("expected kernel " + llvm::Twine(number) +
                                     " not to run beside kernel " +
                                     llvm::Twine(other) +
                                     ", which joins the one in front");
    if (dependsOn(problem, kernels[number], kernels[other]))
      return llvm::createStringError("expected kernel " + llvm::Twine(number) +
                                     " not to depend on kernel " +
                                     llvm::Twine(other) + " beside it");
    if (kernels[number].schedule.warps != kernels[other].schedule.warps)
      return llvm::createStringError(
          "expected kernel " + llvm::Twine(number) + " to have " +
          llvm::Twine(kernels[other].schedule.warps) + " warps like kernel " +
          llvm::Twine(other) + " beside it but got " +
          llvm::Twine(kernels[number].schedule.warps));
    if (!kernels[other].beside)
      break;
  }
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// In the launch of the kernel in front
//===----------------------------------------------------------------------===//

std::optional<size_t> schedule::findInGrid(const ScheduledKernel &front,
                                           const Problem &kernel, AxisId axis) {
  llvm::SmallVector<AxisId, 2> factors = getFactors(kernel, axis);
  for (auto [dim, range] : llvm::enumerate(front.schedule.grid))
    if (getFactors(front.problem, range.axis) == factors)
      return dim;
  return std::nullopt;
}

namespace {
/// Asks whether the last of the blocks in front that have the position of a
/// block of `kernel` may go on with it.
class JoinCheck {
public:
  JoinCheck(const Problem &problem, llvm::ArrayRef<ScheduledKernel> kernels,
            size_t number)
      : problem(problem), kernel(kernels[number]), front(kernels[number - 1]),
        number(number) {}

  llvm::Error run() const;

private:
  llvm::Error fail(const llvm::Twine &reason) const {
    return llvm::createStringError("kernel " + llvm::Twine(number) +
                                   " joins kernel " + llvm::Twine(number - 1) +
                                   ": " + reason);
  }
  llvm::Error checkGrid() const;
  llvm::Error checkOthers() const;
  bool reads(NodeId id) const {
    return readsArgument(kernel.problem, problem.argumentNames.size() + id);
  }
  llvm::Error checkWriters(NodeId id) const;
  llvm::Error checkReads() const;
  llvm::Error checkPlaces() const;

  const Problem &problem;
  const ScheduledKernel &kernel, &front;
  size_t number;
};
} // namespace

/// Each block has a tile of the kernel in front.
llvm::Error JoinCheck::checkGrid() const {
  if (kernel.schedule.grid.empty())
    return fail("expected an axis in 'grid'");
  for (const AxisTile &range : kernel.schedule.grid) {
    const std::string &name = kernel.problem.axes[range.axis].name;
    std::optional<size_t> dim = findInGrid(front, kernel.problem, range.axis);
    if (!dim)
      return fail("expected axis '" + name + "' in 'grid' of both");
    if (front.schedule.grid[*dim].tile != range.tile)
      return fail("expected equal tiles of axis '" + name + "' but got " +
                  llvm::Twine(front.schedule.grid[*dim].tile) + " and " +
                  llvm::Twine(range.tile));
  }
  return llvm::Error::success();
}

/// Blocks in front at every position: none go on where there are none.
llvm::Error JoinCheck::checkOthers() const {
  std::set<size_t> shared;
  for (const AxisTile &range : kernel.schedule.grid)
    shared.insert(*findInGrid(front, kernel.problem, range.axis));
  for (auto [dim, range] : llvm::enumerate(front.schedule.grid)) {
    const Axis &axis = front.problem.axes[range.axis];
    if (!shared.count(dim) && (axis.extent == kDynamic || axis.extent < 1))
      return fail("expected a static extent of at least 1 of axis '" +
                  axis.name + "', which only the one in front has in 'grid'");
  }
  return llvm::Error::success();
}

/// What lacks an axis of the grid only the first block along it writes.
llvm::Error JoinCheck::checkWriters(NodeId id) const {
  AxisSet written = getWrittenAxes(problem, id);
  for (const AxisTile &range : kernel.schedule.grid) {
    const Axis &axis = kernel.problem.axes[range.axis];
    bool oneBlock = axis.extent != kDynamic && axis.extent <= range.tile;
    if (!oneBlock &&
        !subtract(getFactors(kernel.problem, range.axis), written).empty())
      return fail("expected '" + getStoreName(problem, id) +
                  "', which it reads, to have axis '" + axis.name +
                  "' of its grid");
  }
  return llvm::Error::success();
}

/// Only what blocks with its own positions wrote.
llvm::Error JoinCheck::checkReads() const {
  if (llvm::none_of(front.stores, [&](NodeId id) { return reads(id); }))
    return fail("expected it to read what the one in front stores");
  for (NodeId id : front.stores) {
    if (!reads(id))
      continue;
    if (problem.updates.count(id))
      return fail("expected it not to read '" + getStoreName(problem, id) +
                  "', which the one in front writes in place");
    if (llvm::Error error = checkWriters(id))
      return error;
  }
  AxisSet reduced = getReducedAxes(kernel.problem);
  for (const AxisTile &range : kernel.schedule.grid) {
    const Axis &axis = kernel.problem.axes[range.axis];
    if (contains(reduced, range.axis) && !axis.isCoveredBy(range.tile))
      return fail("expected a block to have all of axis '" + axis.name +
                  "', which it reduces");
  }
  return llvm::Error::success();
}

/// Other blocks in front may still read what was there.
llvm::Error JoinCheck::checkPlaces() const {
  for (const Result &result : kernel.problem.results)
    if (result.place && readsArgument(front.problem, result.place->argument))
      return fail("expected the one in front not to read '" +
                  problem.argumentNames[result.place->argument] +
                  "', which it changes where it stands");
  return llvm::Error::success();
}

llvm::Error JoinCheck::run() const {
  if (front.beside || front.join)
    return fail("expected the one in front to have a launch of its own");
  if (kernel.schedule.warps != front.schedule.warps)
    return fail("expected equally many warps but got " +
                llvm::Twine(front.schedule.warps) + " and " +
                llvm::Twine(kernel.schedule.warps));
  if (llvm::Error error = checkGrid())
    return error;
  if (llvm::Error error = checkOthers())
    return error;
  if (llvm::Error error = checkPlaces())
    return error;
  return checkReads();
}

/// Why a kernel cannot go on in the launch of the one in front, or success.
static llvm::Error checkJoin(const Problem &problem,
                             llvm::ArrayRef<ScheduledKernel> kernels,
                             size_t number) {
  if (number == 0)
    return llvm::createStringError(
        "expected a kernel in front of one with 'join'");
  return JoinCheck(problem, kernels, number).run();
}

//===----------------------------------------------------------------------===//
// All kernels
//===----------------------------------------------------------------------===//

llvm::Error schedule::checkOrder(const Problem &problem,
                                 llvm::ArrayRef<ScheduledKernel> kernels) {
  for (size_t number = 0; number < kernels.size(); ++number) {
    if (kernels[number].beside)
      if (llvm::Error error = checkBeside(problem, kernels, number))
        return error;
    if (kernels[number].join)
      if (llvm::Error error = checkJoin(problem, kernels, number))
        return error;
  }
  for (auto [number, kernel] : llvm::enumerate(kernels))
    for (auto [result, name] :
         llvm::zip_equal(kernel.problem.results, kernel.problem.resultNames)) {
      if (!result.place)
        continue;
      unsigned argument = result.place->argument;
      for (size_t later = number; later < kernels.size(); ++later)
        if (readsArgument(kernels[later].problem, argument))
          return llvm::createStringError(
              "expected kernel " + llvm::Twine(later) + " not to read '" +
              problem.argumentNames[argument] + "', which kernel " +
              llvm::Twine(number) + " changes where it stands ('" + name +
              "')");
    }
  return llvm::Error::success();
}
