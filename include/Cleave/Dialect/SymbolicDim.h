//===- SymbolicDim.h - The axes of a function -------------------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gathers what a function says about its axes: the symbol table, the extents
// in its types, and the relations that split, merge, rename, slice and concat
// state.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_DIALECT_SYMBOLICDIM_H
#define CLEAVE_DIALECT_SYMBOLICDIM_H

#include "Cleave/Dialect/CleaveDialect.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include <map>

namespace mlir::cleave {

/// Extents by axis name; ordered, so that iteration is deterministic.
using Bindings = std::map<std::string, int64_t>;

/// One axis of a function.
struct AxisInfo {
  AxisKind kind = AxisKind::Dynamic;
  /// The extent of a static axis.
  int64_t extent = ShapedType::kDynamic;
  /// Values that stand for a bound or dynamic axis in decisions.
  SmallVector<int64_t> representatives;
  /// CeilDiv: (axis, outer). Product: (outer, inner). Sum: all parts.
  SmallVector<std::string, 2> operands;
};

/// `axis` = (outer, inner): position (o, i) exists iff o * |inner| + i <
/// |axis|.
struct SplitRelation {
  std::string axis, outer, inner;
};

/// Positions offset, offset + 1, ... of `axis` are those of `part`, or without
/// a part `offset` alone is one.
struct SliceRelation {
  std::string axis;
  int64_t offset = 0;
  std::optional<std::string> part;
};

/// All axes of a function.
class AxisTable {
public:
  /// Gathers the table. Emits an error and fails where the function gives one
  /// axis two static extents or contradictory relations.
  static FailureOr<AxisTable> get(FunctionOpInterface function);

  const std::map<std::string, AxisInfo> &axes() const { return table; }
  const AxisInfo *lookup(StringRef axis) const;
  /// Every domain constraint, in order of the inner axis' name.
  ArrayRef<SplitRelation> splits() const { return splitRelations; }
  /// Axes that rename makes equal.
  ArrayRef<std::pair<std::string, std::string>> renamings() const {
    return equalities;
  }

  /// Extents of all axes from those in `given`: static ones, then those that
  /// follow from relations and from axes that must be equal. Emits an error at
  /// `location` that names the axis for a missing, negative, unknown or
  /// contradictory one.
  FailureOr<Bindings> resolve(const Bindings &given, Location location) const;

  /// As `resolve`, with the first representative (or `fallback`) for every
  /// bound or dynamic axis that `given` lacks.
  Bindings representative(const Bindings &given, int64_t fallback = 64) const;

private:
  std::map<std::string, AxisInfo> table;
  std::vector<SplitRelation> splitRelations;
  std::vector<std::pair<std::string, std::string>> equalities;
  std::vector<SliceRelation> slices;
  /// The largest extents whose positions iota can count.
  std::map<std::string, int64_t> limits;

  LogicalResult gather(FunctionOpInterface function);
  LogicalResult gatherProducts(FunctionOpInterface function);
  LogicalResult checkLimits(const Bindings &bindings, Location location) const;
  LogicalResult
  propagate(Bindings &bindings,
            function_ref<LogicalResult(StringRef, StringRef)> conflict) const;
};

/// Checks what the types of single operations cannot show: no encoded tensor
/// on another dialect's operation (function boundaries, returns and calls
/// excepted), and a consistent table of axes. Passes call this on their input.
LogicalResult verifyCleaveFunction(FunctionOpInterface function);

} // namespace mlir::cleave

#endif // CLEAVE_DIALECT_SYMBOLICDIM_H
