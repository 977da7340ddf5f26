//===- PlainEmitter.h - Operations as linalg.generic ------------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks a function and writes each operation on plain tensors, whose dimensions
// it knows by name. Renames and storage orders cost nothing here: only what a
// function returns has an order.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_LIB_CONVERSION_PLAINLINALG_PLAINEMITTER_H
#define CLEAVE_LIB_CONVERSION_PLAINLINALG_PLAINEMITTER_H

#include "AxisExtents.h"
#include "Cleave/Conversion/EmitBody.h"
#include "Cleave/Conversion/PlainLinalg.h"

namespace mlir::cleave {

/// What a cleave value has become.
struct PlainArray {
  /// A tensor, or the scalar that all positions hold.
  Value value;
  /// The names of the dimensions.
  SmallVector<StringAttr, 4> dims;

  bool isScalar() const { return !isa<RankedTensorType>(value.getType()); }
};

/// The body of a linalg.generic being written.
struct PlainBody {
  OpBuilder &b;
  Location loc;
  /// The axes of the iteration space in order.
  ArrayRef<StringAttr> iteration;
  /// The elements of the operands, then of the init.
  SmallVector<Value> values;
};

class PlainEmitter {
public:
  PlainEmitter(func::FuncOp source, func::FuncOp target, const AxisTable &table,
               const PlainLinalgOptions &options)
      : source(source), target(target), table(table), options(options),
        extents(source, table), b(target.getContext()) {}

  LogicalResult run();

private:
  using BodyFn = function_ref<Value(PlainBody &)>;

  LogicalResult emitBlock(Block &block);
  LogicalResult emitOp(Operation *op);
  LogicalResult emitAlternatives(AlternativesOp op);
  LogicalResult emitConstant(ConstantOp op);
  LogicalResult emitExtent(ExtentOp op);
  LogicalResult emitPointwise(Operation *op, schedule::Pointwise kind);
  LogicalResult emitFold(FoldOp op);
  LogicalResult emitRename(RenameOp op);
  LogicalResult emitSplit(SplitOp op);
  LogicalResult emitMerge(MergeOp op);
  LogicalResult emitIota(IotaOp op);
  LogicalResult emitSlice(SliceOp op);
  LogicalResult emitConcat(ConcatOp op);
  LogicalResult emitGather(GatherOp op);
  LogicalResult emitInsert(InsertOp op);
  LogicalResult emitReturn(Operation *op);

  /// `operands` (two are multiplied) combined over `axes` into `result`.
  void emitReduction(Location loc, Value result, AxesAttr axes,
                     schedule::Combiner combiner,
                     ArrayRef<PlainArray> operands);
  void emitContraction(Location loc, Value result, AxesAttr axes,
                       ValueRange operands, std::optional<Type> operandType);
  PlainArray round(Location loc, const PlainArray &array, Type type);

  /// A linalg.generic over `dims` and `reduced` that writes `init`, a tensor
  /// over `dims`.
  PlainArray emitGeneric(Location loc, ArrayRef<StringAttr> dims,
                         ArrayRef<StringAttr> reduced,
                         ArrayRef<PlainArray> operands, Value init,
                         BodyFn emitBody);
  /// `array` at the positions of a view: `getIndex` gives the index along each
  /// of its dimensions.
  PlainArray
  emitView(Location loc, const PlainArray &array, ArrayRef<StringAttr> dims,
           function_ref<Value(PlainBody &, StringAttr dim)> getIndex);
  /// `array` as a tensor over `dims`, which may be more than it has.
  Value toOrder(Location loc, const PlainArray &array,
                ArrayRef<StringAttr> dims);
  /// In a body: the element of `array` at `index` along `axis`, else at the
  /// body's positions. `otherwise` where `index` is not below the extent.
  Value emitRead(PlainBody &body, const PlainArray &array, StringAttr axis,
                 Value index, Value otherwise);
  /// An array of `element` over `dims` without values.
  Value createEmpty(Location loc, ArrayRef<StringAttr> dims, Type element);
  /// The order of the first of `operands` that has all axes of `result`.
  SmallVector<StringAttr, 4> chooseOrder(Value result,
                                         ArrayRef<PlainArray> operands);

  /// The axes of `iteration` that say where along `axis` an element is: itself
  /// or the parts that it is split into. None if nothing does.
  SmallVector<StringRef> getSources(StringRef axis,
                                    ArrayRef<StringAttr> iteration,
                                    unsigned depth = 0) const;
  Value emitPosition(PlainBody &body, StringRef axis, unsigned depth = 0);
  /// `value` where the position exists, else `unit`.
  Value selectExisting(PlainBody &body, ArrayRef<StringAttr> reduced,
                       Value value, double unit);

  /// The extent of `axis` as an index.
  Value getSize(Location loc, StringRef axis);
  LogicalResult checkExtents(Operation *op);
  SmallVector<PlainArray> getAll(ValueRange values) const {
    return llvm::map_to_vector(values,
                               [&](Value value) { return arrays.at(value); });
  }
  /// By value: a reference into the map would not survive the insertion.
  void setArray(Value value, PlainArray array) {
    arrays[value] = std::move(array);
  }
  void eraseDead();

  func::FuncOp source, target;
  const AxisTable &table;
  const PlainLinalgOptions &options;
  AxisExtents extents;
  OpBuilder b;
  DenseMap<Value, PlainArray> arrays;
};

} // namespace mlir::cleave

#endif // CLEAVE_LIB_CONVERSION_PLAINLINALG_PLAINEMITTER_H
