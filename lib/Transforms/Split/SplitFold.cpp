//===- SplitFold.cpp - Partial folds and their merge ----------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fold over an axis becomes the same fold over each part, and a fold over the
// parts whose bodies move the partial states to common references. That is what
// rebase does, so nothing is to be known of the states.
//
//===----------------------------------------------------------------------===//

#include "SplitFold.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::cleave;
using namespace mlir::cleave::split;

static AxesAttr makeAxes(ArrayRef<StringAttr> names) {
  return AxesAttr::get(names.front().getContext(), names);
}

static RankedTensorType addAxes(RankedTensorType type,
                                ArrayRef<StringAttr> names) {
  SmallVector<int64_t> shape(names.size(), ShapedType::kDynamic);
  auto added =
      RankedTensorType::get(shape, type.getElementType(), makeAxes(names));
  return getUnionType(type.getContext(), {type, added}, type.getElementType());
}

RankedTensorType split::addOuter(Type type, const Parts &parts) {
  return addAxes(cast<RankedTensorType>(type), {parts.outer});
}

RankedTensorType split::splitAxis(Type type, const Parts &parts) {
  auto tensor = cast<RankedTensorType>(type);
  return addAxes(
      dropAxes(tensor, makeAxes({parts.axis}), tensor.getElementType()),
      {parts.outer, parts.inner});
}

AxesAttr split::reduceInner(AxesAttr axes, const Parts &parts) {
  return axes.without(makeAxes({parts.axis}))
      .unionWith(makeAxes({parts.inner}));
}

AxesAttr split::getOuter(const Parts &parts) { return makeAxes({parts.outer}); }

/// Whether `op` names `axis` in an attribute.
static bool names(Operation *op, StringAttr axis) {
  bool found = false;
  op->getAttrDictionary().walk([&](StringAttr name) { found |= name == axis; });
  return found;
}

/// Whether the region yields something that follows from its arguments up to
/// the state itself.
static bool yieldsState(Region &rebase, size_t state) {
  llvm::DenseSet<Value> dependent;
  for (BlockArgument argument : rebase.getArguments().take_front(state + 1))
    dependent.insert(argument);
  for (Operation &op : rebase.front())
    if (llvm::any_of(op.getOperands(), [&](Value operand) {
          return dependent.contains(operand);
        })) {
      if (op.hasTrait<OpTrait::IsTerminator>())
        return true;
      dependent.insert(op.result_begin(), op.result_end());
    }
  return false;
}

std::string split::getRefusal(FoldOp fold, StringAttr axis) {
  for (Region &region : fold.getStateRegions())
    for (Operation &op : region.getOps()) {
      std::string name = "'" + op.getName().getStringRef().str() + "'";
      if (op.getNumRegions() > 0)
        return "a body contains " + name;
      if (!isa<ExtentOp>(op) && names(&op, axis))
        return name + " in a body uses the axis";
    }
  for (size_t i = 0, e = fold.getNumStates(); i < e; ++i)
    if (!fold.getRebase(i).empty() && !yieldsState(fold.getRebase(i), i))
      return "a rebase does not use its state";
  return "";
}

namespace {

/// Copies regions whose arguments carry parts in place of an axis, or the outer
/// part in addition.
class RegionSplitter {
public:
  RegionSplitter(OpBuilder &builder, const Parts &parts)
      : builder(builder), parts(parts) {}

  /// Maps the next arguments of `from` to new ones of `to`, each as `type`
  /// says.
  void addArguments(Block &to, ArrayRef<BlockArgument> from,
                    function_ref<Type(Type)> type) {
    for (BlockArgument argument : from)
      mapping.map(argument,
                  to.addArgument(type(argument.getType()), argument.getLoc()));
  }
  void map(Value from, Value to) { mapping.map(from, to); }

  void clone(Block &from, Block &to) {
    builder.setInsertionPointToEnd(&to);
    for (Operation &op : from) {
      Operation *copy = builder.clone(op, mapping);
      for (OpResult result : copy->getResults())
        result.setType(getType(copy, result.getType()));
    }
  }

private:
  OpBuilder &builder;
  const Parts &parts;
  IRMapping mapping;

  Type getType(Operation *op, Type type) {
    if (getAxes(type).contains(parts.axis))
      return splitAxis(type, parts);
    bool hasOuter = llvm::any_of(op->getOperandTypes(), [&](Type operand) {
      return getAxes(operand).contains(parts.outer);
    });
    return hasOuter ? Type(addOuter(type, parts)) : type;
  }
};

} // namespace

FoldOp split::createPartialFold(OpBuilder &builder, FoldOp fold,
                                ValueRange inputs, const Parts &parts) {
  OpBuilder::InsertionGuard guard(builder);
  auto withOuter = [&](Type type) -> Type { return addOuter(type, parts); };
  auto withParts = [&](Type type) -> Type {
    return getAxes(type).contains(parts.axis) ? splitAxis(type, parts) : type;
  };
  SmallVector<ReductionKind> kinds;
  for (size_t i = 0, e = fold.getNumStates(); i < e; ++i)
    kinds.push_back(fold.getKind(i));
  auto partial =
      FoldOp::create(builder, fold.getLoc(),
                     llvm::map_to_vector(fold.getResultTypes(), withOuter),
                     inputs, reduceInner(fold.getAxes(), parts), kinds);
  if (fold.getOperandTypesAttr())
    partial.setOperandTypesAttr(fold.getOperandTypesAttr());
  for (size_t i = 0, e = fold.getNumStates(); i < e; ++i) {
    Block &from = fold.getBody(i).front();
    Block &body = partial.getBody(i).emplaceBlock();
    RegionSplitter bodySplitter(builder, parts);
    bodySplitter.addArguments(body, from.getArguments().drop_back(i),
                              withParts);
    bodySplitter.addArguments(body, from.getArguments().take_back(i),
                              withOuter);
    bodySplitter.clone(from, body);
    if (fold.getRebase(i).empty())
      continue;
    Block &rebase = partial.getRebase(i).emplaceBlock();
    RegionSplitter rebaseSplitter(builder, parts);
    Block &fromRebase = fold.getRebase(i).front();
    rebaseSplitter.addArguments(rebase, fromRebase.getArguments(), withOuter);
    rebaseSplitter.clone(fromRebase, rebase);
  }
  return partial;
}

FoldOp split::createMergeFold(OpBuilder &builder, FoldOp fold,
                              ValueRange partial, const Parts &parts) {
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<ReductionKind> kinds;
  for (size_t i = 0, e = fold.getNumStates(); i < e; ++i)
    kinds.push_back(fold.getKind(i) == ReductionKind::Contract
                        ? ReductionKind::ReduceSum
                        : fold.getKind(i));
  auto merge = FoldOp::create(builder, fold.getLoc(), fold.getResultTypes(),
                              partial, getOuter(parts), kinds);
  for (size_t i = 0, e = fold.getNumStates(); i < e; ++i) {
    Block &body = merge.getBody(i).emplaceBlock();
    for (Value state : partial)
      body.addArgument(state.getType(), fold.getLoc());
    for (Type reference : fold.getResults().take_front(i).getTypes())
      body.addArgument(reference, fold.getLoc());
    if (fold.getRebase(i).empty()) {
      builder.setInsertionPointToEnd(&body);
      YieldOp::create(builder, fold.getLoc(), body.getArgument(i));
      continue;
    }
    // The arguments of a rebase are the old references, the state and the new
    // references.
    Block &from = fold.getRebase(i).front();
    RegionSplitter splitter(builder, parts);
    for (size_t j = 0; j <= i; ++j)
      splitter.map(from.getArgument(j), body.getArgument(j));
    for (size_t j = 0; j < i; ++j)
      splitter.map(from.getArgument(i + 1 + j),
                   body.getArgument(partial.size() + j));
    splitter.clone(from, body);
    IRMapping mapping;
    fold.getRebase(i).cloneInto(&merge.getRebase(i), mapping);
  }
  return merge;
}
