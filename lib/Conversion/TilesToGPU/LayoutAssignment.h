//===- LayoutAssignment.h - Which layout each tile has ----------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The decision part of --cleave-assign-layouts. It reads the kernel and does
// not change it.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_LIB_CONVERSION_TILESTOGPU_LAYOUTASSIGNMENT_H
#define CLEAVE_LIB_CONVERSION_TILESTOGPU_LAYOUTASSIGNMENT_H

#include "LayoutTies.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/DenseMap.h"
#include <queue>

namespace mlir::cleave {

/// Layouts spread from anchors to their neighbours. Anchors are, in this
/// order of precedence at equal depth: results of contractions, loads, stores,
/// then whatever is left. Ties inside more loops go first, so that values which
/// are made in a loop and used behind it keep the loop's layout.
///
/// Values that are cheap to make again (constants, masks, broadcast scalars,
/// rows smaller than other tiles, and what is computed from these alone) have
/// no layout here.
class LayoutAssignment {
public:
  LayoutAssignment(gpu::GPUFuncOp func, int64_t warps)
      : func(func), warps(warps) {}

  /// Reports ops that cannot be given layouts.
  LogicalResult run();

  /// Null for values that are made in whatever layout is asked for.
  LayoutAttr lookup(Value value) const { return layouts.lookup(value); }
  bool isRematerializable(Value value) const;
  /// The layout for a tile on its own, of `width` elements an access.
  LayoutAttr getDefaultLayout(Value value) const;

private:
  enum Precedence : unsigned { Contraction, Load, Store, Rest };
  /// A layout that waits to be given to a value.
  struct Candidate {
    unsigned depth;
    Precedence precedence;
    uint64_t sequence;
    Value value;
    LayoutAttr layout;
    /// std::priority_queue pops the greatest.
    bool operator<(const Candidate &o) const {
      return std::make_tuple(depth, o.precedence, o.sequence) <
             std::make_tuple(o.depth, precedence, sequence);
    }
  };

  LogicalResult checkAndClassify();
  LogicalResult assignAnchors();
  void assignCarried(Value operand, const LinearLayout &layout);
  void assignMadeOnce(Value operand, const LinearLayout &layout);
  void assign(Value value, LayoutAttr layout, Precedence precedence);
  void spread();
  void settleReductions();
  /// What the layout of its source leaves.
  LayoutAttr getReducedLayout(vector::MultiDimReductionOp op) const;
  bool computeRematerializable(Value value);

  mutable gpu::GPUFuncOp func;
  int64_t warps;
  DenseMap<Value, LayoutAttr> layouts;
  DenseMap<Value, bool> rematerializable;
  /// Made of tiles in shared memory alone.
  DenseSet<Value> comesFromRing;
  /// All tiles in program order, and the elements of the largest.
  SmallVector<Value> tiles;
  int64_t mostElements = 0;
  std::priority_queue<Candidate> queue;
  uint64_t nextSequence = 0;
};

/// The layout a store wants its value in; null if the value's own is as good.
LayoutAttr getStoreLayout(vector::TransferWriteOp op, LayoutAttr current,
                          int64_t warps);

} // namespace mlir::cleave

#endif // CLEAVE_LIB_CONVERSION_TILESTOGPU_LAYOUTASSIGNMENT_H
