//===- AxisExtents.h - Extents of axes as index values ----------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a function without axis names gets its extents from: types, dimensions
// of arguments, given symbols, and what follows from these by splits, merges
// and renames.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_LIB_CONVERSION_PLAINLINALG_AXISEXTENTS_H
#define CLEAVE_LIB_CONVERSION_PLAINLINALG_AXISEXTENTS_H

#include "Cleave/Dialect/SymbolicDim.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace mlir::cleave {

/// The sum, a constant if both are.
OpFoldResult addExtents(OpBuilder &b, Location loc, OpFoldResult x,
                        OpFoldResult y);

class AxisExtents {
public:
  AxisExtents(func::FuncOp function, const AxisTable &table)
      : function(function), table(table) {}

  /// Writes what computes the extents at `b`; `arguments` are the function's on
  /// plain tensors. `symbols` are for axes that no argument carries. Emits an
  /// error for a split into no parts.
  LogicalResult emit(OpBuilder &b, ValueRange arguments,
                     const Bindings &symbols);

  /// The extent of `axis`, or null if nothing says it.
  OpFoldResult lookup(StringRef axis) const;

private:
  LogicalResult addSymbols(OpBuilder &b, const Bindings &symbols);
  void addDerived(OpBuilder &b);
  /// What `info`'s relation gives, or null if an operand is not known.
  OpFoldResult derive(OpBuilder &b, const AxisInfo &info);

  func::FuncOp function;
  const AxisTable &table;
  std::map<std::string, OpFoldResult> extents;
};

} // namespace mlir::cleave

#endif // CLEAVE_LIB_CONVERSION_PLAINLINALG_AXISEXTENTS_H
