//===- Domain.h - Which positions of a loop can count -----------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A domain is a value: a comparison of positions that selects the unit of a
// reduction. Where one comparison does that for all that a loop carries, the
// tiles for which it is false everywhere are not visited. This finds such
// comparisons; the mask itself stays in the body for the tiles at the border.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_TRANSFORMS_SCHEDULE_DOMAIN_H
#define CLEAVE_TRANSFORMS_SCHEDULE_DOMAIN_H

#include "Cleave/Transforms/Schedule/Problem.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <optional>
#include <utility>

namespace mlir::cleave::schedule {

/// One end of the positions of an axis that count: those below (`upper`) or
/// above the sum of `plus` less the sum of `minus`, that number itself only if
/// not `strict`. The terms do not depend on the axis, and grow or shrink with
/// each position that they depend on.
struct DomainBound {
  bool upper = true, strict = false;
  llvm::SmallVector<NodeId, 1> plus, minus;
};

/// Whether a tile's position along an axis, or the tile of an argument, is
/// known where the loop stands.
using IsOpen = llvm::function_ref<bool(AxisId)>;

/// The bounds outside of which everything that a loop over `axis` carries
/// stays as it is. `isOpen` tells the axes that have a range around the loop,
/// `isSingle` those whose range is one position.
std::vector<DomainBound> findDomain(const Problem &problem, AxisId axis,
                                    llvm::ArrayRef<NodeId> carried,
                                    IsOpen isOpen, IsOpen isSingle);

/// The arguments whose values the bound is computed from.
void collectArguments(const Problem &problem, const DomainBound &bound,
                      std::vector<NodeId> &arguments);

/// The axes of arguments that comparisons are made of: a bound may be computed
/// from those whose tiles have one position.
AxisSet getComparedAxes(const Problem &problem);

/// Adds the axes whose positions, or extents, the bound is computed from.
void collectAxes(const Problem &problem, const DomainBound &bound,
                 AxisSet &positions, AxisSet &extents);

/// The value of a term at the corner where it is largest, or smallest, if
/// positions lie in the ranges that `getRange` gives (first and last); none if
/// it depends on data.
std::optional<double>
evaluateExtreme(const Problem &problem, NodeId term, bool largest,
                llvm::function_ref<std::pair<double, double>(AxisId)> getRange);

} // namespace mlir::cleave::schedule

#endif // CLEAVE_TRANSFORMS_SCHEDULE_DOMAIN_H
