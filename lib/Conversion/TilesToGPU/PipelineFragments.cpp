//===- PipelineFragments.cpp - Operands ahead of their products -----------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// Stage: vector form, after --cleave-stage-tiles. A loop's contractions are cut
// along K into slices of one instruction, and the operands of a slice are read
// while the slice before is multiplied: those of the first one in the iteration
// before, behind the barrier, so that no product waits for it. Where an
// iteration's operands depend on more than what it loads, they are made slice
// by slice where they are multiplied.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Conversion/Passes.h"
#include "Cleave/Conversion/TileDialect.h"
#include "KernelInfo.h"
#include "LayoutTies.h"
#include "LoopReads.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include <map>

namespace mlir::cleave {
#define GEN_PASS_DEF_PIPELINEFRAGMENTSPASS
#include "Cleave/Conversion/Passes.h.inc"
} // namespace mlir::cleave

using namespace mlir;
using namespace mlir::cleave;

/// Elements along K of one instruction.
static constexpr int64_t kSlice = 16;

namespace {
/// Rewrites one loop.
class LoopPipeliner {
public:
  LoopPipeliner(scf::ForOp loop, int64_t warps)
      : loop(loop), warps(warps), b(loop.getLoc(), loop) {}

  bool analyze();
  void run();
  /// The same without reading ahead, for each contraction that allows it, also
  /// in branches.
  void sliceOnly();

private:
  struct Product {
    vector::ContractionOp op;
    ContractDims dims;
  };
  /// A dimension of a tile, or none.
  using Dim = std::optional<unsigned>;
  /// Where operands are read: the slice, and the slot of what iteration, if it
  /// is another one than the whole tile's.
  struct Place {
    int64_t slice;
    Value slot = {};
    int64_t phase = 0;
  };
  using Versions = std::map<std::pair<void *, unsigned>, Value>;

  bool findRing();
  bool isShared(Value value, Dim dim);
  bool canSlice(Value value, Dim dim);
  Value slice(Value value, Dim dim, const Place &place, Versions &made);
  Value sliceOp(Operation *op, Dim dim, const Place &place, Versions &made);
  /// `next`, or this iteration's again in the last one, which has no next.
  Value getNextSlot(Value next);
  /// Both operands of each product.
  SmallVector<Value> readOperands(const Place &place);
  void multiply(ArrayRef<Value> operands);
  bool isCheap(Value value);
  bool isExchanged(const Product &product);
  void exchange(vector::ContractionOp op);

  scf::ForOp loop;
  int64_t warps;
  ImplicitLocOpBuilder b;
  SmallVector<Product> products;
  SmallVector<Value> sums;
  BlockArgument slot;
  /// Operands may depend on what the iteration has computed.
  bool inPlace = false;
  Operation *wait = nullptr, *barrier = nullptr;
  int64_t count = 0;
};
} // namespace

/// The wait and the barrier at the start of the body, and the slot of this
/// iteration.
bool LoopPipeliner::findRing() {
  for (auto op : loop.getOps<NVVM::CpAsyncWaitGroupOp>()) {
    wait = op;
    barrier = op->getNextNode();
    break;
  }
  if (!isa_and_nonnull<gpu::BarrierOp>(barrier))
    return false;
  for (auto read : loop.getOps<tile::ReadOp>()) {
    auto argument = dyn_cast<BlockArgument>(read.getSlot());
    if (!argument || argument.getOwner() != loop.getBody() ||
        (slot && slot != argument))
      return false;
    slot = argument;
  }
  return slot && slot != loop.getInductionVar();
}

/// The dimension of the operand of `op`, a broadcast or a transpose, that is
/// `dim` of its result; none if the operand is the same for all its positions.
static std::optional<unsigned> getSourceDim(Operation *op, unsigned dim) {
  if (auto transpose = dyn_cast<vector::TransposeOp>(op))
    return transpose.getPermutation()[dim];
  auto broadcast = cast<vector::BroadcastOp>(op);
  auto source = dyn_cast<VectorType>(broadcast.getSourceType());
  unsigned added = broadcast.getResultVectorType().getRank() -
                   (source ? source.getRank() : 0);
  if (dim < added || source.getDimSize(dim - added) == 1)
    return std::nullopt;
  return dim - added;
}

static bool isSplat(Operation *op) {
  auto constant = dyn_cast<arith::ConstantOp>(op);
  return constant && isa<SplatElementsAttr>(constant.getValue());
}

/// Whether `value` is the same for all slices, and there already.
bool LoopPipeliner::isShared(Value value, Dim dim) {
  return !dim && (inPlace || loop.isDefinedOutsideOfLoop(value));
}

/// Whether `value` is made of tiles in rings, for this user alone if that costs
/// much, by operations that need no other position.
bool LoopPipeliner::canSlice(Value value, Dim dim) {
  if (isShared(value, dim))
    return true;
  Operation *op = value.getDefiningOp();
  if (!op || !isTile(value))
    return false;
  if (isSplat(op))
    return true;
  if (!loop->isProperAncestor(op) || op->getNumResults() != 1)
    return false;
  if (isa<tile::ReadOp>(op))
    return true;
  if (!value.hasOneUse() && isMadeOnce(value))
    return false;
  if (isa<vector::TransposeOp, vector::BroadcastOp>(op))
    return canSlice(op->getOperand(0), dim ? getSourceDim(op, *dim) : dim);
  return isElementwiseTileOp(op) &&
         isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           return isTile(operand) && canSlice(operand, dim);
         });
}

bool LoopPipeliner::analyze() {
  // Without an iteration there would be nothing to read in front of the loop.
  std::optional<int64_t> lower = getConstantIntValue(loop.getLowerBound()),
                         upper = getConstantIntValue(loop.getUpperBound());
  if (!lower || !upper || *lower >= *upper || !findRing())
    return false;
  bool all = true;
  loop.getBody()->walk([&](vector::ContractionOp op) {
    FailureOr<ContractDims> dims = ContractDims::get(op);
    if (failed(dims) || !isTensorCoreContract(op, *dims) ||
        !isLoopAccumulation(op) || op->getBlock() != loop.getBody() ||
        chooseWarps(op, *dims, warps).k != 1 ||
        !canSlice(op.getLhs(), dims->lhsK) ||
        !canSlice(op.getRhs(), dims->rhsK)) {
      all = false;
      return;
    }
    products.push_back({op, *dims});
  });
  if (!all || products.empty())
    return false;
  count = products.front().dims.k / kSlice;
  return count > 1 && llvm::all_of(products, [&](const Product &product) {
           return product.dims.k / kSlice == count;
         });
}

/// `op` on a slice of its operands.
Value LoopPipeliner::sliceOp(Operation *op, Dim dim, const Place &place,
                             Versions &made) {
  auto type = cast<VectorType>(op->getResult(0).getType());
  SmallVector<int64_t> shape(type.getShape());
  if (dim)
    shape[*dim] = kSlice;
  VectorType sliced = VectorType::get(shape, type.getElementType());
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return arith::ConstantOp::create(
        b, cast<SplatElementsAttr>(constant.getValue()).resizeSplat(sliced));
  if (auto read = dyn_cast<tile::ReadOp>(op)) {
    SmallVector<int64_t> offsets(type.getRank(), 0);
    if (dim)
      offsets[*dim] = place.slice * kSlice;
    return tile::ReadOp::create(
        b, sliced, read.getRing(), place.slot ? place.slot : read.getSlot(),
        b.getDenseI64ArrayAttr(offsets),
        place.slot ? b.getI64IntegerAttr(place.phase) : read.getPhaseAttr());
  }
  IRMapping map;
  Dim source = dim;
  if (dim && isa<vector::TransposeOp, vector::BroadcastOp>(op))
    source = getSourceDim(op, *dim);
  for (Value operand : op->getOperands())
    map.map(operand, slice(operand, source, place, made));
  Operation *clone = b.clone(*op, map);
  clone->getResult(0).setType(sliced);
  return clone->getResult(0);
}

Value LoopPipeliner::slice(Value value, Dim dim, const Place &place,
                           Versions &made) {
  if (isShared(value, dim))
    return value;
  auto key = std::make_pair(value.getAsOpaquePointer(), dim ? *dim + 1 : 0);
  auto known = made.find(key);
  if (known != made.end())
    return known->second;
  Value result = sliceOp(value.getDefiningOp(), dim, place, made);
  made[key] = result;
  return result;
}

SmallVector<Value> LoopPipeliner::readOperands(const Place &place) {
  SmallVector<Value> operands;
  Versions made;
  for (const Product &product : products) {
    vector::ContractionOp op = product.op;
    operands.push_back(slice(op.getLhs(), product.dims.lhsK, place, made));
    operands.push_back(slice(op.getRhs(), product.dims.rhsK, place, made));
  }
  return operands;
}

Value LoopPipeliner::getNextSlot(Value next) {
  Value ahead =
      arith::AddIOp::create(b, loop.getInductionVar(), loop.getStep());
  Value inLoop = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, ahead,
                                       loop.getUpperBound());
  return arith::SelectOp::create(b, inLoop, next, slot);
}

void LoopPipeliner::multiply(ArrayRef<Value> operands) {
  for (auto [i, product] : llvm::enumerate(products)) {
    auto op = cast<vector::ContractionOp>(b.clone(*product.op));
    op.getLhsMutable().assign(operands[2 * i]);
    op.getRhsMutable().assign(operands[2 * i + 1]);
    op.getAccMutable().assign(sums[i]);
    sums[i] = op.getResult();
  }
}

void LoopPipeliner::run() {
  unsigned number = slot.getArgNumber() - 1;
  b.clone(*wait);
  b.clone(*barrier);
  SmallVector<Value> first =
      readOperands({0, loop.getInitArgs()[number], /*phase=*/0});
  IRRewriter rewriter(loop);
  auto newYields = [&](OpBuilder &, Location, ArrayRef<BlockArgument> added) {
    // The body is still the old loop's.
    Operation *end = loop.getBody()->getTerminator();
    for (Product &product : products)
      sums.push_back(product.op.getAcc());
    b.setInsertionPointToStart(loop.getBody());
    SmallVector<Value> next = readOperands({1, slot, /*phase=*/0});
    multiply(SmallVector<Value>(added.begin(), added.end()));
    b.setInsertionPoint(end);
    for (int64_t i = 2; i < count; ++i) {
      SmallVector<Value> current = std::move(next);
      next = readOperands({i, slot, /*phase=*/0});
      multiply(current);
    }
    // All that reads this iteration's slot stands above: the copies of the next
    // one may overwrite it.
    wait->moveBefore(end);
    barrier->moveBefore(end);
    SmallVector<Value> following =
        readOperands({0, getNextSlot(end->getOperand(number)), /*phase=*/1});
    multiply(next);
    for (auto [product, sum] : llvm::zip_equal(products, sums))
      rewriter.replaceAllUsesWith(product.op.getResult(), sum);
    return following;
  };
  (void)loop.replaceWithAdditionalYields(
      rewriter, first, /*replaceInitOperandUsesInLoop=*/false, newYields);
  for (Product &product : products)
    rewriter.eraseOp(product.op);
}

/// Whether each warp makes what it multiplies itself: products and casts of
/// tiles in rings, or what is there already.
bool LoopPipeliner::isCheap(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !loop->isProperAncestor(op) || isSplat(op) ||
      isa<tile::ReadOp>(op))
    return true;
  bool cheap =
      isa<vector::TransposeOp, vector::BroadcastOp>(op) ||
      (isElementwiseTileOp(op) && isa<arith::ArithDialect>(op->getDialect()));
  return cheap && llvm::all_of(op->getOperands(),
                               [&](Value operand) { return isCheap(operand); });
}

/// Whether warps multiply rows that others have made: more than one has parts
/// of a row, or each would make them again.
bool LoopPipeliner::isExchanged(const Product &product) {
  vector::ContractionOp op = product.op;
  Value lhs = op.getLhs();
  return comesFromContraction(lhs) || isMadeOnce(lhs)
             ? product.dims.m < kSlice * warps
             : !isCheap(lhs);
}

/// Moves what makes `value` alone in front of `op`.
static void sink(Value value, Operation *op) {
  Operation *def = value.getDefiningOp();
  if (!def || !value.hasOneUse() || !isPure(def) ||
      def->getBlock() != op->getBlock())
    return;
  def->moveBefore(op);
  for (Value operand : def->getOperands())
    sink(operand, def);
}

/// The left side of `op` through shared memory. What the sum starts from is
/// made behind it: the barrier serves what that needs from other threads, too.
void LoopPipeliner::exchange(vector::ContractionOp op) {
  b.setInsertionPoint(op);
  Value ring = tile::RingOp::create(b, op.getLhsType(), /*slots=*/1);
  Value zero = arith::ConstantIndexOp::create(b, 0);
  tile::WriteOp::create(b, op.getLhs(), ring, zero);
  op.getLhsMutable().assign(
      tile::ReadOp::create(b, op.getLhsType(), ring, zero));
  sink(op.getAcc(), op);
  b.setInsertionPointAfter(op);
  memref::DeallocOp::create(b, ring);
}

void LoopPipeliner::sliceOnly() {
  inPlace = true;
  SmallVector<Product> found;
  loop.getBody()->walk([&](vector::ContractionOp op) {
    FailureOr<ContractDims> dims = ContractDims::get(op);
    if (failed(dims) || !isTensorCoreContract(op, *dims) || dims->k <= kSlice ||
        chooseWarps(op, *dims, warps).k != 1)
      return;
    Product product = {op, *dims};
    if ((isExchanged(product) || canSlice(op.getLhs(), dims->lhsK)) &&
        isCheap(op.getRhs()) && canSlice(op.getRhs(), dims->rhsK))
      found.push_back(product);
  });
  IRRewriter rewriter(loop);
  for (Product &product : found) {
    if (isExchanged(product))
      exchange(product.op);
    products = {product};
    sums = {product.op.getAcc()};
    b.setInsertionPoint(product.op);
    for (int64_t i = 0; i < product.dims.k / kSlice; ++i)
      multiply(readOperands({i}));
    rewriter.replaceOp(product.op, sums.front());
  }
}

namespace {
struct PipelineFragmentsPass
    : cleave::impl::PipelineFragmentsPassBase<PipelineFragmentsPass> {
  void runOnOperation() override {
    gpu::GPUFuncOp func = getOperation();
    FailureOr<int64_t> warps = getKernelWarps(func);
    if (failed(warps))
      return signalPassFailure();
    for (scf::ForOp loop : getInnermostLoops(func)) {
      LoopPipeliner pipeliner(loop, *warps);
      if (pipeliner.analyze())
        pipeliner.run();
      else
        pipeliner.sliceOnly();
    }
  }
};
} // namespace
