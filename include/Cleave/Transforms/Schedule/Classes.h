//===- Classes.h - Which schedule runs at which extents ---------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Schedules are chosen at a few points, but every extent must have one. Plain
// data: a schedule is a number here, a point a list of extents.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_TRANSFORMS_SCHEDULE_CLASSES_H
#define CLEAVE_TRANSFORMS_SCHEDULE_CLASSES_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace mlir::cleave::schedule {

/// The extents of some symbols, in an order that all points share.
using Extents = std::vector<int64_t>;

struct ShapeClass {
  /// Symbols by number with the extents up to which the schedule runs; all must
  /// hold.
  std::vector<std::pair<unsigned, int64_t>> when;
  unsigned schedule = 0;
};

/// How long schedule `number` takes at `extents`.
using TimeAt = std::function<double(unsigned number, const Extents &extents)>;

/// Which of `count` schedules runs where: the first class whose conditions
/// hold. The last one has none, so that every extent has a schedule.
///
/// Of the schedules the fewest are taken of which, at each point, one is at
/// most three percent slower than the best of all. Points with different
/// schedules are separated by one symbol after the other, where values lie
/// farthest apart first. The bound between two points is where, over extents on
/// the line from one to the other, going from the one's schedule to the other's
/// loses least.
std::vector<ShapeClass> chooseClasses(llvm::ArrayRef<Extents> points,
                                      unsigned count, const TimeAt &timeAt);

/// Extents from `low` to `high` where times are compared: about four an
/// octave, multiples of 16 beyond 16.
std::vector<int64_t> getSamples(int64_t low, int64_t high);

} // namespace mlir::cleave::schedule

#endif // CLEAVE_TRANSFORMS_SCHEDULE_CLASSES_H
