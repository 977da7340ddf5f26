//===- LoopEmitter.h - A planned kernel as loops ----------------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The writer of one kernel: EmitKernel.cpp has what is around its body,
// EmitLoops.cpp the body.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_LIB_CONVERSION_CLEAVETOLINALG_LOOPEMITTER_H
#define CLEAVE_LIB_CONVERSION_CLEAVETOLINALG_LOOPEMITTER_H

#include "KernelEmitter.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace mlir::cleave::schedule {

/// A tensor of the scheduled form and the axes of its dimensions.
struct Tile {
  Value value;
  SmallVector<AxisId, 4> dims;
};

/// What one linalg.generic reads and where.
struct GenericInputs {
  SmallVector<NodeId> nodes;
  SmallVector<Tile> tiles;
};

/// Writes one kernel.
class LoopEmitter {
public:
  LoopEmitter(OpBuilder &b, Location loc, const ScheduledKernel &kernel,
              const Surroundings &around)
      : kernel(kernel), problem(kernel.problem), chosen(kernel.schedule),
        around(around), b(b), loc(loc) {}

  /// The results, of the given types.
  SmallVector<Value> run(const LoopNest &nest,
                         ArrayRef<RankedTensorType> types);

private:
  OpFoldResult getExtent(AxisId axis) { return extents[axis]; }
  void addProducts();
  void addViews();
  SmallVector<Value> emitOutputs(ArrayRef<RankedTensorType> types);
  Value emitOutput(const Result &result, Type element);
  SmallVector<Value> finish(ValueRange outputs);
  void emitBody(const LoopNest &nest, scf::ForallOp forall);
  scf::ForallOp emitForall(const LoopNest &nest, ValueRange outputs);
  void addLaunch(scf::ForallOp forall);
  void addExtentNumbers();

  // Blocks.
  void emitBlock(NestBlock &block);
  void emitLoop(NestBlock &block, Loop &loop);
  void emitWrittenOut(NestBlock &block, Loop &loop);
  void emitIteration(Loop &loop, OpFoldResult position, OpFoldResult last);
  std::pair<Value, Value> emitRange(NestBlock &block, const Loop &loop,
                                    OpFoldResult last);
  Value emitElement(NestBlock &block, NodeId id);
  void emitAccumulate(NestBlock &block, NodeId id);
  Tile emitValue(NestBlock &block, NodeId id);
  Tile emitSlice(NestBlock &block, NodeId id);
  Tile emitPointwise(NestBlock &block, NodeId id);
  Tile emitReduction(NestBlock &block, NodeId id, Tile init);
  Tile emitFill(NestBlock &block, ArrayRef<AxisId> dims, Element element,
                double value);
  Tile emitUnit(NestBlock &block, NodeId id);

  // Bodies.
  const Tile *lookup(NestBlock &block, NodeId id);
  void collectInputs(NestBlock &block, NodeId id, GenericInputs &inputs);
  Value emitExpression(OpBuilder &body, NestBlock &block, NodeId id,
                       const GenericInputs &inputs, ValueRange arguments);
  Value emitPosition(OpBuilder &body, NestBlock &block, const Node &node);
  Tile emitGeneric(ArrayRef<AxisId> reduced, const GenericInputs &inputs,
                   const Tile &init,
                   function_ref<Value(OpBuilder &, ValueRange)> emitBody);

  // Ranges.
  OpFoldResult getEnd(NestBlock &block, AxisId axis);
  Value toValue(OpFoldResult value) {
    return getValueOrCreateConstantIndexOp(b, loc, value);
  }
  const Place *getPlace() const;
  void bindGrid(const LoopNest &nest, scf::ForallOp forall);
  void bindPlace(const Place &place, NestBlock &root, Value position);
  void bind(const Binding &binding, AxisId axis, OpFoldResult position,
            OpFoldResult last);
  SmallVector<OpFoldResult> getSizes(NestBlock &block, ArrayRef<AxisId> dims);
  SmallVector<AxisId, 4> getNaturalOrder(const AxisSet &axes);
  SmallVector<AxisId, 4> dropUnits(ArrayRef<AxisId> axes);
  void getPlaces(NestBlock &block, ArrayRef<AxisId> storage, ArrayRef<Cut> cuts,
                 SmallVectorImpl<OpFoldResult> &offsets,
                 SmallVectorImpl<OpFoldResult> &sizes);
  void emitStore(NestBlock &root, const Result &result, Value output,
                 Block *stores);
  Value createEmpty(NestBlock &block, ArrayRef<AxisId> dims, Element element);

  const ScheduledKernel &kernel;
  const Problem &problem;
  const Schedule &chosen;
  const Surroundings &around;
  OpBuilder &b;
  Location loc;
  /// By axis, those of products too.
  SmallVector<OpFoldResult> extents;
  /// The arguments with other dimensions than they have in memory, by node.
  std::map<NodeId, Value> views;
  /// Where rows written in place start.
  Value firstRow;
  /// By a binding's number.
  std::map<unsigned, std::pair<OpFoldResult, OpFoldResult>> ranges;
  std::map<const NestBlock *, std::map<NodeId, Tile>> tiles;
  /// What the loop being written carries.
  std::map<NodeId, Tile> carried;
  std::map<NodeId, Value> extentNumbers;
  /// The iteration space of the generic being written.
  SmallVector<AxisId> iteration;
};

} // namespace mlir::cleave::schedule

#endif // CLEAVE_LIB_CONVERSION_CLEAVETOLINALG_LOOPEMITTER_H
