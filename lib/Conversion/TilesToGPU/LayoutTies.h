//===- LayoutTies.h - How ops relate the layouts of values ------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What each op says about layouts: the layout that it has by itself (an
// anchor), what follows for a neighbour from one value's layout, and the layout
// in which it needs an operand. No decisions here.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_LIB_CONVERSION_TILESTOGPU_LAYOUTTIES_H
#define CLEAVE_LIB_CONVERSION_TILESTOGPU_LAYOUTTIES_H

#include "Cleave/Conversion/TileDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace mlir::cleave {

using tile::LayoutAttr;

/// Same computation on each element of the operands.
bool isElementwiseTileOp(Operation *op);
/// A value whose type is a tile.
inline bool isTile(Value value) { return isa<VectorType>(value.getType()); }
/// Loops around `op`.
unsigned getLoopDepth(Operation *op);

/// The dimensions that a vector.broadcast adds or stretches, in the result.
SmallVector<int64_t> getBroadcastDims(vector::BroadcastOp op);
/// Layout of a broadcast's source when the result has `result`.
LayoutAttr getBroadcastSourceLayout(vector::BroadcastOp op, LayoutAttr result);

/// The dimensions of C = A x B as positions in each operand's type.
struct ContractDims {
  unsigned lhsM, lhsK, rhsK, rhsN, accM, accN;
  int64_t m, n, k;
  static FailureOr<ContractDims> get(vector::ContractionOp op);
};
/// Whether tensor cores take it: 16-bit operands of equal type, f32
/// accumulator, sizes of at least one instruction.
bool isTensorCoreContract(vector::ContractionOp op, const ContractDims &dims);

/// Layouts of the operands and result of a contraction.
struct ContractLayouts {
  LinearLayout lhs, rhs, acc;
};
ContractLayouts getContractLayouts(vector::ContractionOp op,
                                   const ContractDims &dims,
                                   const MmaWarps &split);

/// Whether the contraction does nothing but accumulate a state of the loop that
/// it is in: partial results may then meet behind the loop.
bool isLoopAccumulation(vector::ContractionOp op);

/// Whether `value` is computed from a contraction by elementwise ops.
bool comesFromContraction(Value value);

/// What a loop's argument will be in the next iteration; null for others.
Value getCarried(Value value);

/// Whether `value`, or what is carried to it, is computed from tiles of a ring
/// alone, by ops that cost too much for warps to repeat what others compute.
bool isMadeOnce(Value value);

/// Chooses how warps share a contraction: whole rows where its result is
/// reduced along n or its left operand comes from another contraction, or is
/// made once, and then stays in registers; else by operand traffic.
MmaWarps chooseWarps(vector::ContractionOp op, const ContractDims &dims,
                     int64_t warps);
/// The choice that gave the accumulator this layout.
std::optional<MmaWarps> findWarps(vector::ContractionOp op,
                                  const ContractDims &dims, int64_t warps,
                                  const LinearLayout &acc);

/// Derived: `other` should have `layout`; the tie is inside `depth` loops.
using TieFn =
    function_ref<void(Value other, LayoutAttr layout, unsigned depth)>;
/// Calls `fn` for each neighbour of `value` whose layout follows from `layout`.
void forEachTie(Value value, LayoutAttr layout, TieFn fn);

/// The layout in which `op` needs its operand, given the layouts of its own
/// results (and, for a terminator, of what it yields to); null if any is good.
LayoutAttr getRequiredLayout(OpOperand &operand,
                             function_ref<LayoutAttr(Value)> layoutOf,
                             int64_t warps);

} // namespace mlir::cleave

#endif // CLEAVE_LIB_CONVERSION_TILESTOGPU_LAYOUTTIES_H
