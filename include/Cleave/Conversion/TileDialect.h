//===- TileDialect.h - Layouts of tile values -------------------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The cleave_tile dialect: see TileDialect.td.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_CONVERSION_TILEDIALECT_H
#define CLEAVE_CONVERSION_TILEDIALECT_H

#include "Cleave/Conversion/LinearLayout.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "Cleave/Conversion/TileDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "Cleave/Conversion/TileAttrs.h.inc"

#define GET_OP_CLASSES
#include "Cleave/Conversion/TileOps.h.inc"

namespace mlir::cleave::tile {

/// The discardable attribute that holds the layouts of an op's results.
inline constexpr llvm::StringLiteral kLayoutAttrName = "cleave_tile.layout";

/// The discardable attribute (a number) of the stores to shared memory that
/// together write one tile: they never write two values to one place.
inline constexpr llvm::StringLiteral kGroupAttrName = "cleave_tile.group";

/// The discardable attribute `array<i64: phase, slots>` of accesses to a ring:
/// in how many iterations the tile that is accessed is read.
inline constexpr llvm::StringLiteral kPhaseAttrName = "cleave_tile.phase";

/// The layout of `result` as its op's attribute states it, if it does.
LayoutAttr getResultLayout(OpResult result);
/// States the layouts of all results of `op`; null for those that have none.
void setResultLayouts(Operation *op, ArrayRef<LayoutAttr> layouts);

} // namespace mlir::cleave::tile

#endif // CLEAVE_CONVERSION_TILEDIALECT_H
