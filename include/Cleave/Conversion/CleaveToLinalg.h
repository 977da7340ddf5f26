//===- CleaveToLinalg.h - From named axes to loops over linalg --*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: scheduling. Two bridges between IR and the scheduler's plain data: a
// cleave function becomes a Problem, a planned loop nest becomes the scheduled
// form (docs/scheduled-form.md).
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_CONVERSION_CLEAVETOLINALG_H
#define CLEAVE_CONVERSION_CLEAVETOLINALG_H

#include "Cleave/Dialect/CleaveDialect.h"
#include "Cleave/Dialect/SymbolicDim.h"
#include "Cleave/Transforms/Schedule/LoopNest.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::cleave {

/// The function's `cleave.alternatives` operation, or null. Emits an error and
/// fails if there are several.
FailureOr<AlternativesOp> getAlternatives(func::FuncOp function);

/// The graph that `function` returns, with region `region` of its alternatives
/// where it has any. `representative` has an extent for every axis. Emits an
/// error at the operation that scheduling does not support.
FailureOr<schedule::Problem> buildProblem(func::FuncOp function,
                                          unsigned region,
                                          const AxisTable &axes,
                                          const Bindings &representative);

/// `attr` for `problem`: axis names looked up, everything checked. Emits an
/// error at `location` that says why it is not a legal schedule.
FailureOr<schedule::Schedule> getSchedule(ScheduleAttr attr,
                                          const schedule::Problem &problem,
                                          Location location);
ScheduleAttr getScheduleAttr(MLIRContext *context,
                             const schedule::Problem &problem,
                             const schedule::Schedule &schedule);

/// The extents in a list M=16,K=4096.
FailureOr<Bindings> parseExtents(StringRef text, Location location);

/// Extents for decisions: `text` is a list M=16,K=4096 (names that `axes` lacks
/// are for other functions), the rest comes from the table.
FailureOr<Bindings> parseRepresentative(StringRef text, const AxisTable &axes,
                                        Location location);

/// Whether `function` has arguments or results with named axes.
bool hasNamedAxes(func::FuncOp function);

/// A function's graph and the schedule in its attribute, checked.
struct ScheduledGraph {
  schedule::Problem problem;
  schedule::Schedule schedule;
};
FailureOr<ScheduledGraph> getScheduledGraph(func::FuncOp function);

/// Replaces the body of `function`, whose graph `problem` is, by the loops of
/// `nest`, and its types by plain tensors.
LogicalResult emitLoopNest(func::FuncOp function,
                           const schedule::Problem &problem,
                           const schedule::Schedule &schedule,
                           const schedule::LoopNest &nest);

} // namespace mlir::cleave

#endif // CLEAVE_CONVERSION_CLEAVETOLINALG_H
