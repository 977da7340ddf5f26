//===- DistributeReduction.cpp - Reductions over threads ------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A reduced dimension lies on register, lane and warp bits: each kind is
// combined in its own way, in a fixed order. Bits that replicate take no part.
//
//===----------------------------------------------------------------------===//

#include "Distributor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::cleave;

/// Bits of `dim` that step along one of `dims`. None if one steps along
/// another dimension as well.
static std::optional<int64_t>
getReducedMask(const LinearLayout &layout, InDim dim, ArrayRef<int64_t> dims) {
  int64_t mask = 0, replicated = layout.getFreeMask(dim);
  for (unsigned bit = 0; bit < layout.getNumBits(dim); ++bit) {
    if (replicated >> bit & 1)
      continue;
    bool reduced = false, kept = false;
    for (unsigned d = 0; d < layout.getRank(); ++d)
      if (layout.getCoord(dim, bit, d))
        (llvm::is_contained(dims, int64_t(d)) ? reduced : kept) = true;
    if (reduced && kept)
      return std::nullopt;
    if (reduced)
      mask |= int64_t(1) << bit;
  }
  return mask;
}

Value Distributor::reduceRegisters(ImplicitLocOpBuilder &b, Value regs,
                                   const LinearLayout &layout,
                                   ArrayRef<int64_t> dims,
                                   vector::CombiningKind kind) {
  // Kept bits become the low ones; then the upper half folds onto the lower.
  SmallVector<unsigned, 8> order = layout.getKeptRegisterBits(dims);
  int64_t kept = int64_t(1) << order.size();
  int64_t reduced = *getReducedMask(layout, InDim::Register, dims);
  for (unsigned bit = 0; bit < layout.getNumBits(InDim::Register); ++bit)
    if (reduced >> bit & 1)
      order.push_back(bit);
  SmallVector<int64_t> sources;
  for (int64_t r = 0; r < int64_t(1) << order.size(); ++r) {
    int64_t source = 0;
    for (auto [i, bit] : llvm::enumerate(order))
      source |= (r >> i & 1) << bit;
    sources.push_back(source);
  }
  regs = selectRegisters(b, regs, sources);
  for (int64_t size = sources.size(); size > kept; size /= 2) {
    auto half = [&](int64_t start) {
      return sliceRegisters(b, regs, start, size / 2);
    };
    regs = vector::makeArithReduction(b, b.getLoc(), kind, half(0),
                                      half(size / 2));
  }
  return regs;
}

/// `value` of the lane that differs in `bits`; shuffles move 32 or 64 bits.
static Value shuffleXor(ImplicitLocOpBuilder &b, Value value, int32_t bits) {
  Type type = value.getType();
  if (type.isIndex()) {
    value = arith::IndexCastOp::create(b, b.getI64Type(), value);
    value = gpu::ShuffleOp::create(b, value, bits, 32, gpu::ShuffleMode::XOR)
                .getShuffleResult();
    return arith::IndexCastOp::create(b, type, value);
  }
  unsigned width = type.getIntOrFloatBitWidth();
  Type integer = b.getIntegerType(width);
  bool narrow = width < 32;
  if (narrow) {
    if (type != integer)
      value = arith::BitcastOp::create(b, integer, value);
    value = arith::ExtUIOp::create(b, b.getI32Type(), value);
  }
  value = gpu::ShuffleOp::create(b, value, bits, 32, gpu::ShuffleMode::XOR)
              .getShuffleResult();
  if (narrow) {
    value = arith::TruncIOp::create(b, integer, value);
    if (type != integer)
      value = arith::BitcastOp::create(b, type, value);
  }
  return value;
}

Value Distributor::reduceLanes(ImplicitLocOpBuilder &b, Value regs,
                               int64_t laneMask, vector::CombiningKind kind) {
  auto type = cast<VectorType>(regs.getType());
  SmallVector<Value> values;
  for (int64_t r = 0; r < type.getNumElements(); ++r)
    values.push_back(vector::ExtractOp::create(b, regs, r));
  for (int64_t bit = 1; bit <= laneMask; bit *= 2) {
    if (!(laneMask & bit))
      continue;
    for (Value &value : values)
      value = vector::makeArithReduction(b, b.getLoc(), kind, value,
                                         shuffleXor(b, value, bit));
  }
  return vector::FromElementsOp::create(b, type, values);
}

/// Whether `acc` is `state`, or what was a sum before stays one: each part of
/// it times the same factor.
static bool isStateOf(Value acc, BlockArgument state, Value init,
                      vector::CombiningKind kind) {
  if (acc == state)
    return true;
  auto product = acc.getDefiningOp<arith::MulFOp>();
  return product && acc.hasOneUse() && kind == vector::CombiningKind::ADD &&
         llvm::is_contained(product->getOperands(), state) &&
         matchPattern(init, m_AnyZeroFloat());
}

/// The reductions that do nothing but accumulate state `i` of the loop: one, or
/// one in each branch of its body.
static SmallVector<vector::MultiDimReductionOp>
getLoopReductions(scf::ForOp loop, unsigned i) {
  BlockArgument state = loop.getRegionIterArg(i);
  SmallVector<Value> ends = {loop.getYieldedValues()[i]};
  auto branch = ends.front().getDefiningOp<scf::IfOp>();
  if (branch && branch->getBlock() == loop.getBody() &&
      ends.front().hasOneUse()) {
    unsigned number = cast<OpResult>(ends.front()).getResultNumber();
    ends = {branch.thenYield().getOperand(number),
            branch.elseYield().getOperand(number)};
  }
  if (!isTile(state) || !state.hasNUses(ends.size()))
    return {};
  SmallVector<vector::MultiDimReductionOp> found;
  for (Value end : ends) {
    auto op = end.getDefiningOp<vector::MultiDimReductionOp>();
    if (!op || !end.hasOneUse() || !isa<OpResult>(op.getSource()) ||
        !isStateOf(op.getAcc(), state, loop.getInitArgs()[i], op.getKind()))
      return {};
    vector::CombiningKind kind = op.getKind();
    if (kind != vector::CombiningKind::ADD &&
        kind != vector::CombiningKind::MAXIMUMF)
      return {};
    found.push_back(op);
  }
  return found;
}

LogicalResult Distributor::distributeReduction(vector::MultiDimReductionOp op) {
  LinearLayout layout = layoutOf(op.getSource());
  ArrayRef<int64_t> dims = op.getReductionDims();
  for (InDim dim : kInDims)
    if (!getReducedMask(layout, dim, dims))
      return op.emitError(
          "expected a layout whose bits step along either reduced "
          "or kept dimensions");
  LinearLayout result = layout.slice(dims);
  if (isTile(op.getResult()) && layoutOf(op.getResult()) != result)
    return op.emitError("expected the result in the layout that the source "
                        "leaves");
  ImplicitLocOpBuilder b = builderAt(op);
  vector::CombiningKind kind = op.getKind();
  Value regs =
      reduceRegisters(b, registersOf(op.getSource()), layout, dims, kind);
  if (!lateReductions.contains(op))
    regs = reduceThreads(b, regs, layout, dims, kind);
  if (isTile(op.getResult())) {
    setRegisters(op.getResult(),
                 vector::makeArithReduction(b, b.getLoc(), kind,
                                            registersOf(op.getAcc()), regs));
    return success();
  }
  Value scalar = vector::ExtractOp::create(b, regs, 0);
  op.getResult().replaceAllUsesWith(
      vector::makeArithReduction(b, b.getLoc(), kind, op.getAcc(), scalar));
  return success();
}

Value Distributor::reduceThreads(ImplicitLocOpBuilder &b, Value regs,
                                 const LinearLayout &layout,
                                 ArrayRef<int64_t> dims,
                                 vector::CombiningKind kind) {
  if (int64_t mask = *getReducedMask(layout, InDim::Lane, dims))
    regs = reduceLanes(b, regs, mask, kind);
  if (int64_t mask = *getReducedMask(layout, InDim::Warp, dims))
    regs = reduceWarps(b, regs, layout.slice(dims), mask, kind);
  return regs;
}

static vector::ContractionOp getLoopContraction(scf::ForOp loop, unsigned i) {
  BlockArgument state = loop.getRegionIterArg(i);
  if (!isTile(state) || !state.hasOneUse())
    return {};
  auto op = dyn_cast<vector::ContractionOp>(*state.getUsers().begin());
  return op && op.getAcc() == state && isLoopAccumulation(op)
             ? op
             : vector::ContractionOp();
}

std::optional<LateReduction> Distributor::getLateReduction(scf::ForOp loop,
                                                           unsigned i) {
  std::optional<LateReduction> late;
  for (vector::MultiDimReductionOp op : getLoopReductions(loop, i)) {
    LayoutAttr source = tile::getResultLayout(cast<OpResult>(op.getSource()));
    if (!source)
      return std::nullopt;
    LinearLayout layout = source.getLayout();
    ArrayRef<int64_t> dims = op.getReductionDims();
    LateReduction next{{op},
                       op.getKind(),
                       layout.slice(dims),
                       getReducedMask(layout, InDim::Lane, dims).value_or(0),
                       getReducedMask(layout, InDim::Warp, dims).value_or(0)};
    if (late && !late->isLike(next))
      return std::nullopt;
    if (late)
      late->ops.push_back(op);
    else
      late = next;
  }
  if (late)
    return late;
  auto op = getLoopContraction(loop, i);
  if (!op)
    return std::nullopt;
  LinearLayout layout = layoutOf(loop.getResult(i));
  FailureOr<ContractDims> dims = ContractDims::get(op);
  if (failed(dims))
    return std::nullopt;
  std::optional<MmaWarps> split = findWarps(op, *dims, warps, layout);
  if (!split || split->k == 1)
    return std::nullopt;
  return LateReduction{{op},
                       vector::CombiningKind::ADD,
                       layout,
                       0,
                       (split->k - 1) * split->m * split->n};
}

Value Distributor::startLateReduction(ImplicitLocOpBuilder &b,
                                      const LateReduction &late, Value init) {
  lateReductions.insert(late.ops.begin(), late.ops.end());
  // The largest value so far may count several times, a sum may not.
  if (late.kind == vector::CombiningKind::MAXIMUMF)
    return init;
  return arith::ConstantOp::create(
      b, cast<TypedAttr>(b.getZeroAttr(init.getType())));
}

Value Distributor::finishLateReduction(ImplicitLocOpBuilder &b,
                                       const LateReduction &late, Value regs,
                                       Value init) {
  if (late.laneMask)
    regs = reduceLanes(b, regs, late.laneMask, late.kind);
  if (late.warpMask)
    regs = reduceWarps(b, regs, late.result, late.warpMask, late.kind);
  return vector::makeArithReduction(b, b.getLoc(), late.kind, init, regs);
}
