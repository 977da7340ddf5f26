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
#include "Cleave/Transforms/Schedule/Partition.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::cleave {

/// The function's `cleave.alternatives` operation, or null. Emits an error and
/// fails if there are several.
FailureOr<AlternativesOp> getAlternatives(func::FuncOp function);

/// How many parts a schedule splits an axis into: `count`, or as many as bring
/// the grid of the first kernel that has the number of parts in its grid to
/// `fill` blocks, each of a multiple of `by` positions.
struct PartCount {
  int64_t count = 0, fill = 0, by = 1;
};
/// By the name of the axis that counts them.
using PartCounts = std::map<std::string, PartCount>;

/// The fixed ones among `parts`.
Bindings getFixedCounts(const PartCounts &parts);

/// The graph that `function` returns, with region `region` of its alternatives
/// where it has any. `representative` has an extent for every axis. Emits an
/// error at the operation that scheduling does not support.
/// The axes in `parts` that have no fixed number of parts are dynamic.
FailureOr<schedule::Problem>
buildProblem(func::FuncOp function, unsigned region, const AxisTable &axes,
             const Bindings &representative, const PartCounts &parts = {});

/// A function's graph and how it runs.
struct ScheduledGraph {
  /// Dynamic axes and the extents up to which it runs; all must hold.
  std::vector<std::pair<std::string, int64_t>> when;
  unsigned region = 0;
  /// The values of the symbols that the schedule binds.
  PartCounts splits;
  schedule::Problem problem;
  std::vector<schedule::ScheduledKernel> kernels;
};

ScheduleAttr getScheduleAttr(MLIRContext *context, const ScheduledGraph &graph);

/// The graph with each schedule in the attribute of `function`, checked. The
/// first whose conditions hold runs, the last has none. Emits an error that
/// says why one is not legal.
FailureOr<std::vector<ScheduledGraph>>
getScheduledGraphs(func::FuncOp function);

/// The extents in a list M=16,K=4096.
FailureOr<Bindings> parseExtents(StringRef text, Location location);

/// Extents for decisions: `text` is a list M=16,K=4096 (names that `axes` lacks
/// are for other functions), `splits` has the values of symbols, the rest comes
/// from the table.
FailureOr<Bindings> parseRepresentative(StringRef text, const AxisTable &axes,
                                        Location location,
                                        const Bindings &splits = {});

/// Whether `function` has arguments or results with named axes.
bool hasNamedAxes(func::FuncOp function);

/// The loops of each kernel of `graph`. Emits an error at `function` if one has
/// none.
FailureOr<std::vector<schedule::LoopNest>>
planKernels(func::FuncOp function, ScheduledGraph &graph, bool horizontal);

/// Replaces the body of `function` by the loops of the kernels of each of
/// `graphs`, of which the extents choose one, and its types by plain tensors.
LogicalResult emitKernels(func::FuncOp function,
                          ArrayRef<ScheduledGraph> graphs,
                          ArrayRef<std::vector<schedule::LoopNest>> nests);

} // namespace mlir::cleave

#endif // CLEAVE_CONVERSION_CLEAVETOLINALG_H
