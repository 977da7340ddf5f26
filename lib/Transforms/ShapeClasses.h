//===- ShapeClasses.h - From schedules at points to a whole -----*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Between the search, which chooses a schedule for one point, and the
// attribute, which needs one for every extent. Private to this library.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_LIB_TRANSFORMS_SHAPECLASSES_H
#define CLEAVE_LIB_TRANSFORMS_SHAPECLASSES_H

#include "GraphScheduler.h"

namespace mlir::cleave {

/// M = 16, K = 64: the extents of `point` that differ between `points`.
std::string describePoint(const Bindings &point, ArrayRef<Bindings> points);

/// A schedule and the number of the point that it was chosen at.
struct ClassOfExtents {
  unsigned point = 0;
  /// As in ScheduledGraph.
  std::vector<std::pair<std::string, int64_t>> when;
};

/// Which of `schedules`, of which the i-th was chosen at the i-th of `points`,
/// runs at which extents of `function`. One that was measured runs at its
/// point; the model then tells how times change from there.
std::vector<ClassOfExtents>
chooseShapeClasses(func::FuncOp function, const AxisTable &axes,
                   ArrayRef<Bindings> points, ArrayRef<GraphSchedule> schedules,
                   const schedule::Target &target);

} // namespace mlir::cleave

#endif // CLEAVE_LIB_TRANSFORMS_SHAPECLASSES_H
