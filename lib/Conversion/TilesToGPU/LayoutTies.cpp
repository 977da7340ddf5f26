//===- LayoutTies.cpp - How ops relate the layouts of values --------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One place per kind of op; --cleave-assign-layouts decides, this file only
// derives.
//
//===----------------------------------------------------------------------===//

#include "LayoutTies.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::cleave;

bool cleave::isElementwiseTileOp(Operation *op) {
  return OpTrait::hasElementwiseMappableTraits(op) || isa<vector::FMAOp>(op);
}

unsigned cleave::getLoopDepth(Operation *op) {
  unsigned depth = 0;
  while ((op = op->getParentOp()))
    depth += isa<scf::ForOp>(op);
  return depth;
}

//===----------------------------------------------------------------------===//
// Broadcast
//===----------------------------------------------------------------------===//

SmallVector<int64_t> cleave::getBroadcastDims(vector::BroadcastOp op) {
  auto result = op.getResultVectorType();
  SmallVector<int64_t> dims;
  auto source = dyn_cast<VectorType>(op.getSourceType());
  int64_t added = result.getRank() - (source ? source.getRank() : 0);
  for (int64_t d = 0; d < result.getRank(); ++d)
    if (d < added || source.getDimSize(d - added) != result.getDimSize(d))
      dims.push_back(d);
  return dims;
}

LayoutAttr cleave::getBroadcastSourceLayout(vector::BroadcastOp op,
                                            LayoutAttr result) {
  auto source = cast<VectorType>(op.getSourceType());
  LinearLayout layout = result.getLayout().slice(getBroadcastDims(op));
  return LayoutAttr::get(op.getContext(), layout.reshape(source.getShape()));
}

//===----------------------------------------------------------------------===//
// Contraction
//===----------------------------------------------------------------------===//

FailureOr<ContractDims> ContractDims::get(vector::ContractionOp op) {
  auto fail = [&]() {
    return op.emitError("expected a contraction with one m, one n and one k "
                        "dimension and a vector accumulator");
  };
  if (op.getKind() != vector::CombiningKind::ADD)
    return op.emitError("expected a contraction that adds");
  auto accType = dyn_cast<VectorType>(op.getAccType());
  SmallVector<AffineMap, 4> maps = op.getIndexingMapsArray();
  if (!accType || accType.getRank() != 2 || maps[0].getNumDims() != 3 ||
      op.getLhsType().getRank() != 2 || op.getRhsType().getRank() != 2)
    return fail();
  ContractDims dims{};
  bool hasM = false, hasN = false, hasK = false;
  for (unsigned d = 0; d < 3; ++d) {
    AffineExpr expr = getAffineDimExpr(d, op.getContext());
    auto lhs = maps[0].getResultPosition(expr);
    auto rhs = maps[1].getResultPosition(expr);
    auto acc = maps[2].getResultPosition(expr);
    if (lhs && rhs && !acc) {
      hasK = true;
      dims.lhsK = *lhs, dims.rhsK = *rhs;
      dims.k = op.getLhsType().getDimSize(*lhs);
    } else if (lhs && !rhs && acc) {
      hasM = true;
      dims.lhsM = *lhs, dims.accM = *acc;
      dims.m = accType.getDimSize(*acc);
    } else if (!lhs && rhs && acc) {
      hasN = true;
      dims.rhsN = *rhs, dims.accN = *acc;
      dims.n = accType.getDimSize(*acc);
    }
  }
  if (!hasM || !hasN || !hasK)
    return fail();
  return dims;
}

bool cleave::isTensorCoreContract(vector::ContractionOp op,
                                  const ContractDims &dims) {
  Type lhs = op.getLhsType().getElementType();
  Type acc = cast<VectorType>(op.getAccType()).getElementType();
  return lhs == op.getRhsType().getElementType() &&
         (lhs.isF16() || lhs.isBF16()) && acc.isF32() && dims.m >= 16 &&
         dims.n >= 8 && dims.k >= 16;
}

/// `layout` is on [first, second]; the operand has them at these positions.
static LinearLayout orderDims(const LinearLayout &layout, unsigned first,
                              unsigned second) {
  return first < second ? layout : layout.transpose({1, 0});
}

ContractLayouts cleave::getContractLayouts(vector::ContractionOp op,
                                           const ContractDims &dims,
                                           const MmaWarps &split) {
  LinearLayout a, b, c;
  if (isTensorCoreContract(op, dims)) {
    a = getMmaLayout(Fragment::A, {dims.m, dims.k}, split);
    b = getMmaLayout(Fragment::B, {dims.k, dims.n}, split);
    c = getMmaLayout(Fragment::C, {dims.m, dims.n}, split);
  } else {
    // Each thread multiplies its own elements: it needs whole rows and columns.
    c = getCoalescedLayout({dims.m, dims.n}, 4,
                           split.m * split.n * split.k * split.replicas);
    a = c.slice({1}).expand({1}, {dims.m, dims.k});
    b = c.slice({0}).expand({0}, {dims.k, dims.n});
  }
  return {orderDims(a, dims.lhsM, dims.lhsK),
          orderDims(b, dims.rhsK, dims.rhsN),
          orderDims(c, dims.accM, dims.accN)};
}

static bool isAccumulatedBy(Operation *op, Value value) {
  auto contract = dyn_cast<vector::ContractionOp>(op);
  return contract && contract.getAcc() == value;
}

/// Whether a reduction along the contraction's n, reached through elementwise
/// ops and further products, uses its result; or a product that sums over n.
static bool isReducedAlongN(vector::ContractionOp op,
                            const ContractDims &dims) {
  using TileDim = std::pair<Value, int64_t>;
  SmallVector<TileDim> worklist = {{op.getResult(), int64_t(dims.accN)}};
  auto isReducedBy = [](Operation *user, const TileDim &tile) {
    auto [value, dim] = tile;
    if (auto reduction = dyn_cast<vector::MultiDimReductionOp>(user))
      return reduction.getSource() == value &&
             llvm::is_contained(reduction.getReductionDims(), dim);
    auto product = dyn_cast<vector::ContractionOp>(user);
    return product && product.getLhs() == value &&
           vector::isReductionIterator(
               product.getIteratorTypes()[product.getIndexingMapsArray()[0]
                                              .getDimPosition(dim)]);
  };
  for (size_t i = 0; i < worklist.size() && i < 64; ++i)
    for (Operation *user : worklist[i].first.getUsers()) {
      auto [value, dim] = worklist[i];
      if (isReducedBy(user, worklist[i]))
        return true;
      if (auto transpose = dyn_cast<vector::TransposeOp>(user))
        dim = llvm::find(transpose.getPermutation(), dim) -
              transpose.getPermutation().begin();
      else if (!isElementwiseTileOp(user) && !isAccumulatedBy(user, value))
        continue;
      TileDim next = {user->getResult(0), dim};
      if (!llvm::is_contained(worklist, next))
        worklist.push_back(next);
    }
  return false;
}

/// Whether an op like this makes `value`, or what elementwise ops make it of,
/// in any order of dimensions.
static bool comesFrom(Value value, function_ref<bool(Operation *)> isLike) {
  constexpr size_t kMostValues = 64;
  SetVector<Value> seen;
  seen.insert(value);
  for (size_t i = 0; i < seen.size() && i < kMostValues; ++i) {
    Operation *op = seen[i].getDefiningOp();
    if (op && isLike(op))
      return true;
    if (op && (isElementwiseTileOp(op) || isa<vector::TransposeOp>(op)))
      for (Value operand : op->getOperands())
        if (isTile(operand))
          seen.insert(operand);
  }
  return false;
}

bool cleave::comesFromContraction(Value value) {
  return comesFrom(
      value, [](Operation *op) { return isa<vector::ContractionOp>(op); });
}

Value cleave::getCarried(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto loop = argument
                  ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp())
                  : scf::ForOp();
  return loop ? loop.getTiedLoopYieldedValue(argument)->get() : Value();
}

bool cleave::isMadeOnce(Value value) {
  if (Value carried = getCarried(value))
    value = carried;
  auto isRead = [](Operation *op) { return isa<tile::ReadOp>(op); };
  auto isCostly = [&](Operation *op) {
    return isa<math::MathDialect>(op->getDialect()) && !isa<math::FmaOp>(op) &&
           llvm::any_of(op->getOperands(), [&](Value operand) {
             return comesFrom(operand, isRead);
           });
  };
  return !comesFromContraction(value) && comesFrom(value, isCostly);
}

bool cleave::isLoopAccumulation(vector::ContractionOp op) {
  // A body may be on its way to another loop: the yield tells by position.
  auto state = dyn_cast<BlockArgument>(op.getAcc());
  if (!state || !state.hasOneUse() || !op.getResult().hasOneUse() ||
      !isa<scf::ForOp>(state.getOwner()->getParentOp()))
    return false;
  OpOperand &use = *op.getResult().getUses().begin();
  return isa<scf::YieldOp>(use.getOwner()) &&
         use.getOwner()->getBlock() == op->getBlock() &&
         isa<scf::ForOp>(op->getParentOp()) &&
         use.getOperandNumber() + 1 == state.getArgNumber();
}

/// How often warps may split the contraction's k.
static int64_t getMaxSplitK(vector::ContractionOp op,
                            const ContractDims &dims) {
  // Behind the loop each of these warps has all sums: what follows is repeated.
  return isLoopAccumulation(op) && !isReducedAlongN(op, dims) ? dims.k / 16 : 1;
}

MmaWarps cleave::chooseWarps(vector::ContractionOp op, const ContractDims &dims,
                             int64_t warps) {
  if (!isTensorCoreContract(op, dims))
    return {warps, 1, 1, 1};
  // Rows that several warps share are exchanged between them in any case.
  bool staysInWarp =
      dims.m >= 16 * warps &&
      (comesFromContraction(op.getLhs()) || isMadeOnce(op.getLhs()));
  return chooseMmaWarps(dims.m, dims.n, warps,
                        isReducedAlongN(op, dims) || staysInWarp,
                        staysInWarp ? 1 : getMaxSplitK(op, dims));
}

std::optional<MmaWarps> cleave::findWarps(vector::ContractionOp op,
                                          const ContractDims &dims,
                                          int64_t warps,
                                          const LinearLayout &acc) {
  if (!isTensorCoreContract(op, dims))
    return MmaWarps{warps, 1, 1, 1};
  for (int64_t m = 1; m <= warps && m * 16 <= dims.m; m *= 2)
    for (int64_t n = 1; m * n <= warps && n * 8 <= dims.n; n *= 2) {
      MmaWarps split = completeMmaWarps(dims.m, dims.n, {m, n}, warps,
                                        getMaxSplitK(op, dims));
      if (getContractLayouts(op, dims, split).acc == acc)
        return split;
    }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Ties
//===----------------------------------------------------------------------===//

static SmallVector<int64_t> invertPermutation(ArrayRef<int64_t> perm) {
  SmallVector<int64_t> inverse(perm.size());
  for (auto [i, p] : llvm::enumerate(perm))
    inverse[p] = i;
  return inverse;
}

static LayoutAttr transposed(LayoutAttr layout, ArrayRef<int64_t> perm) {
  return LayoutAttr::get(layout.getContext(),
                         layout.getLayout().transpose(perm));
}

static LayoutAttr reshaped(LayoutAttr layout, Value like) {
  return LayoutAttr::get(
      layout.getContext(),
      layout.getLayout().reshape(cast<VectorType>(like.getType()).getShape()));
}

/// Layout of a reduction's result when the source has `source`; null for a
/// scalar result.
static LayoutAttr reducedLayout(vector::MultiDimReductionOp op,
                                LayoutAttr source) {
  if (!isTile(op.getResult()))
    return {};
  return LayoutAttr::get(op.getContext(),
                         source.getLayout().slice(op.getReductionDims()));
}

/// Ties across the op that uses `use`.
static void forUserTies(OpOperand &use, LayoutAttr layout, TieFn fn) {
  Operation *op = use.getOwner();
  unsigned depth = getLoopDepth(op);
  if (isElementwiseTileOp(op)) {
    for (Value other : op->getOperands())
      if (isTile(other))
        fn(other, layout, depth);
    for (Value other : op->getResults())
      if (isTile(other))
        fn(other, layout, depth);
  } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
    if (BlockArgument arg = loop.getTiedLoopRegionIterArg(&use))
      fn(arg, layout, depth);
  } else if (isa<scf::YieldOp>(op)) {
    unsigned i = use.getOperandNumber();
    if (auto loop = dyn_cast<scf::ForOp>(op->getParentOp()))
      fn(loop.getRegionIterArg(i), layout, depth);
    else
      fn(op->getParentOp()->getResult(i), layout, depth);
  } else if (auto reduction = dyn_cast<vector::MultiDimReductionOp>(op)) {
    LayoutAttr result =
        use.getOperandNumber() == 0 ? reducedLayout(reduction, layout) : layout;
    if (result)
      fn(reduction.getResult(), result, depth);
  } else if (auto transpose = dyn_cast<vector::TransposeOp>(op)) {
    fn(transpose.getResult(), transposed(layout, transpose.getPermutation()),
       depth);
  } else if (auto cast = dyn_cast<vector::ShapeCastOp>(op)) {
    fn(cast.getResult(), reshaped(layout, cast.getResult()), depth);
  } else if (auto broadcast = dyn_cast<vector::BroadcastOp>(op)) {
    // Added dimensions of one position repeat nothing.
    auto source = llvm::cast<VectorType>(use.get().getType());
    auto result = llvm::cast<VectorType>(broadcast.getResult().getType());
    if (source.getNumElements() == result.getNumElements())
      fn(broadcast.getResult(), reshaped(layout, broadcast.getResult()), depth);
  }
}

/// Ties across the op that defines `value`.
static void forDefinitionTies(OpResult value, LayoutAttr layout, TieFn fn) {
  Operation *op = value.getOwner();
  unsigned depth = getLoopDepth(op);
  if (isElementwiseTileOp(op)) {
    for (Value other : op->getOperands())
      if (isTile(other))
        fn(other, layout, depth);
  } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
    for (Block *block : {branch.thenBlock(), branch.elseBlock()})
      fn(block->getTerminator()->getOperand(value.getResultNumber()), layout,
         depth);
  } else if (auto reduction = dyn_cast<vector::MultiDimReductionOp>(op)) {
    fn(reduction.getAcc(), layout, depth);
  } else if (auto contract = dyn_cast<vector::ContractionOp>(op)) {
    fn(contract.getAcc(), layout, depth);
  } else if (auto broadcast = dyn_cast<vector::BroadcastOp>(op)) {
    if (isTile(broadcast.getSource()))
      fn(broadcast.getSource(), getBroadcastSourceLayout(broadcast, layout),
         depth);
  } else if (auto transpose = dyn_cast<vector::TransposeOp>(op)) {
    fn(transpose.getVector(),
       transposed(layout, invertPermutation(transpose.getPermutation())),
       depth);
  } else if (auto cast = dyn_cast<vector::ShapeCastOp>(op)) {
    fn(cast.getSource(), reshaped(layout, cast.getSource()), depth);
  }
}

void cleave::forEachTie(Value value, LayoutAttr layout, TieFn fn) {
  for (OpOperand &use : value.getUses())
    forUserTies(use, layout, fn);
  // A loop's result, its region argument, its initial and its yielded value
  // are tied; the result has the argument's layout.
  auto loopTies = [&](scf::ForOp loop, unsigned i) {
    unsigned depth = getLoopDepth(loop);
    fn(loop.getInitArgs()[i], layout, depth);
    fn(loop.getYieldedValues()[i], layout, depth + 1);
    fn(loop.getRegionIterArg(i), layout, depth);
    fn(loop.getResult(i), layout, depth);
  };
  if (auto arg = dyn_cast<BlockArgument>(value)) {
    if (auto loop = dyn_cast<scf::ForOp>(arg.getOwner()->getParentOp()))
      loopTies(loop, arg.getArgNumber() - 1);
    return;
  }
  auto result = cast<OpResult>(value);
  if (auto loop = dyn_cast<scf::ForOp>(result.getOwner()))
    loopTies(loop, result.getResultNumber());
  else
    forDefinitionTies(result, layout, fn);
}

//===----------------------------------------------------------------------===//
// Required layouts
//===----------------------------------------------------------------------===//

static LayoutAttr requiredByContract(vector::ContractionOp op, unsigned operand,
                                     LayoutAttr result, int64_t warps) {
  FailureOr<ContractDims> dims = ContractDims::get(op);
  if (failed(dims))
    return {};
  std::optional<MmaWarps> split =
      findWarps(op, *dims, warps, result.getLayout());
  if (!split)
    return {};
  ContractLayouts layouts = getContractLayouts(op, *dims, *split);
  const LinearLayout *all[] = {&layouts.lhs, &layouts.rhs, &layouts.acc};
  return LayoutAttr::get(op.getContext(), *all[operand]);
}

LayoutAttr cleave::getRequiredLayout(OpOperand &operand,
                                     function_ref<LayoutAttr(Value)> layoutOf,
                                     int64_t warps) {
  Operation *op = operand.getOwner();
  unsigned i = operand.getOperandNumber();
  if (isElementwiseTileOp(op))
    return layoutOf(op->getResult(0));
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return layoutOf(loop.getTiedLoopResult(&operand));
  if (isa<scf::YieldOp>(op))
    return layoutOf(op->getParentOp()->getResult(i));
  if (auto reduction = dyn_cast<vector::MultiDimReductionOp>(op))
    return i == 0 ? layoutOf(reduction.getSource())
                  : layoutOf(reduction.getResult());
  if (auto contract = dyn_cast<vector::ContractionOp>(op))
    return requiredByContract(contract, i, layoutOf(contract.getResult()),
                              warps);
  if (auto broadcast = dyn_cast<vector::BroadcastOp>(op))
    return getBroadcastSourceLayout(broadcast, layoutOf(broadcast.getResult()));
  if (auto transpose = dyn_cast<vector::TransposeOp>(op))
    return transposed(layoutOf(transpose.getResult()),
                      invertPermutation(transpose.getPermutation()));
  if (auto cast = dyn_cast<vector::ShapeCastOp>(op))
    return reshaped(layoutOf(cast.getResult()), cast.getSource());
  return {};
}
