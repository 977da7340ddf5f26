//===- LayoutAssignment.cpp - Which layout each tile has ------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Anchors and spreading; see LayoutAssignment.h.
//
//===----------------------------------------------------------------------===//

#include "LayoutAssignment.h"
#include "GlobalAccess.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::cleave;

/// Beyond this a conversion in front of a store would take too much shared
/// memory, or more time than it saves.
static constexpr int64_t kMaxStoreConversionBytes = 32 * 1024;

/// Memory is written in sectors of so many bytes: lanes that have less beside
/// each other write each several times.
static constexpr int64_t kSector = 32;

static bool isSupportedTileOp(Operation *op) {
  if (isElementwiseTileOp(op))
    return true;
  return isa<arith::ConstantOp, ub::PoisonOp, scf::ForOp, scf::IfOp,
             scf::YieldOp, vector::BroadcastOp, vector::TransposeOp,
             vector::ShapeCastOp, vector::StepOp, vector::CreateMaskOp,
             vector::ConstantMaskOp, vector::TransferReadOp,
             vector::TransferWriteOp, vector::MultiDimReductionOp,
             vector::ExtractOp, vector::ContractionOp, tile::FetchOp,
             tile::WriteOp, tile::ReadOp>(op);
}

static LogicalResult checkTileType(Operation *op, Type type) {
  auto vector = dyn_cast<VectorType>(type);
  if (!vector)
    return success();
  if (vector.isScalable())
    return op->emitError("expected a tile of fixed size but got ") << type;
  for (int64_t size : vector.getShape())
    if (!llvm::isPowerOf2_64(size))
      return op->emitError(
                 "expected tile sizes that are powers of two but got ")
             << type;
  return success();
}

static int64_t getNumElements(Value tile) {
  return cast<VectorType>(tile.getType()).getNumElements();
}

/// Whether a tile has one position along all dimensions but one.
static bool isRow(vector::TransferReadOp read) {
  return llvm::count_if(read.getVectorType().getShape(),
                        [](int64_t size) { return size != 1; }) <= 1;
}

LogicalResult LayoutAssignment::checkAndClassify() {
  WalkResult result = func.walk<WalkOrder::PreOrder>([&](Operation *op) {
    auto isVector = [](Type type) { return isa<VectorType>(type); };
    bool usesTiles = llvm::any_of(op->getOperandTypes(), isVector) ||
                     llvm::any_of(op->getResultTypes(), isVector);
    if (usesTiles && !isSupportedTileOp(op)) {
      op->emitError("expected an op that can be distributed to threads but got "
                    "'")
          << op->getName() << "' on tiles";
      return WalkResult::interrupt();
    }
    for (Type type : op->getResultTypes())
      if (failed(checkTileType(op, type)))
        return WalkResult::interrupt();
    for (Region &region : op->getRegions())
      for (BlockArgument arg : region.getArguments())
        if (isTile(arg) && isa<scf::ForOp>(op))
          tiles.push_back(arg);
    for (Value value : op->getResults())
      if (isTile(value))
        tiles.push_back(value);
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  for (Value value : tiles)
    mostElements = std::max(mostElements, getNumElements(value));
  for (Value value : tiles) {
    rematerializable[value] = computeRematerializable(value);
    Operation *op = value.getDefiningOp();
    if (op && (isa<tile::ReadOp>(op) ||
               (rematerializable[value] &&
                llvm::any_of(op->getOperands(), [&](Value operand) {
                  return comesFromRing.contains(operand);
                }))))
      comesFromRing.insert(value);
  }
  return success();
}

bool LayoutAssignment::computeRematerializable(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  if (isa<arith::ConstantOp, ub::PoisonOp, vector::CreateMaskOp,
          vector::ConstantMaskOp, vector::StepOp, tile::ReadOp>(op))
    return true;
  // Threads that share an element read it from the same cache line. A row that
  // no larger tile repeats is shared by none.
  if (auto read = dyn_cast<vector::TransferReadOp>(op))
    return isRow(read) && getNumElements(value) < mostElements &&
           (!read.getMask() || rematerializable.lookup(read.getMask()));
  // Tiles from a ring are too large to repeat more than products and casts.
  bool cheap = isa<arith::ArithDialect>(op->getDialect());
  if (!cheap &&
      llvm::any_of(
          op->getOperands(),
          [&](Value operand) { return comesFromRing.contains(operand); }) &&
      isElementwiseTileOp(op))
    return false;
  bool recomputable =
      isElementwiseTileOp(op) ||
      isa<vector::BroadcastOp, vector::TransposeOp, vector::ShapeCastOp>(op);
  return recomputable && llvm::all_of(op->getOperands(), [&](Value operand) {
           return !isTile(operand) || rematerializable.lookup(operand);
         });
}

bool LayoutAssignment::isRematerializable(Value value) const {
  return rematerializable.lookup(value);
}

LayoutAttr LayoutAssignment::getDefaultLayout(Value value) const {
  auto type = cast<VectorType>(value.getType());
  int64_t width =
      std::max<int64_t>(1, 16 / getElementBytes(type.getElementType()));
  return LayoutAttr::get(value.getContext(),
                         getCoalescedLayout(type.getShape(), width, warps));
}

/// Consecutive lanes on consecutive addresses: coalesced in memory order.
static LayoutAttr getAccessLayout(const GlobalAccess &access, int64_t warps) {
  VectorType type = access.getTileType();
  SmallVector<int64_t> order;
  for (int64_t d = 0; d < type.getRank(); ++d)
    order.push_back(d);
  // Broadcast dimensions outermost, then memory order.
  llvm::stable_sort(order, [&](int64_t a, int64_t b) {
    auto key = [&](int64_t d) {
      return access.getMemDim(d) ? int64_t(*access.getMemDim(d)) : -1;
    };
    return key(a) < key(b);
  });
  SmallVector<int64_t> shape, inverse(order.size());
  for (auto [i, d] : llvm::enumerate(order)) {
    shape.push_back(type.getDimSize(d));
    inverse[d] = i;
  }
  LinearLayout layout =
      getCoalescedLayout(shape, access.getVectorWidth(), warps);
  return LayoutAttr::get(type.getContext(), layout.transpose(inverse));
}

/// Fragments that an iteration reads for the next one are made in their layout.
void LayoutAssignment::assignCarried(Value operand,
                                     const LinearLayout &layout) {
  Value carried = getCarried(operand);
  if (carried && isRematerializable(carried))
    assign(operand, LayoutAttr::get(func.getContext(), layout), Contraction);
}

/// A left operand that each warp makes of its own rows is made on fragments.
/// So is all that is made of the same tiles: they are read once.
void LayoutAssignment::assignMadeOnce(Value operand,
                                      const LinearLayout &layout) {
  Value carried = getCarried(operand);
  SetVector<Value> made;
  made.insert(carried ? carried : operand);
  for (size_t i = 0; i < made.size(); ++i) {
    Value value = made[i];
    Operation *op = value.getDefiningOp();
    bool fromRing = comesFromRing.erase(value);
    if (!fromRing &&
        (!op || isRematerializable(value) || !isElementwiseTileOp(op)))
      continue;
    rematerializable[value] = false;
    for (Value next : op->getOperands())
      if (isTile(next))
        made.insert(next);
    for (Operation *user : value.getUsers())
      for (Value next : user->getResults())
        if (fromRing && comesFromRing.contains(next))
          made.insert(next);
  }
  assign(operand, LayoutAttr::get(func.getContext(), layout), Contraction);
}

LogicalResult LayoutAssignment::assignAnchors() {
  SmallVector<vector::ContractionOp> contracts;
  SmallVector<vector::TransferReadOp> reads;
  func.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto contract = dyn_cast<vector::ContractionOp>(op))
      contracts.push_back(contract);
    else if (auto read = dyn_cast<vector::TransferReadOp>(op))
      reads.push_back(read);
  });
  for (vector::ContractionOp contract : contracts) {
    FailureOr<ContractDims> dims = ContractDims::get(contract);
    if (failed(dims))
      return failure();
    MmaWarps split = chooseWarps(contract, *dims, warps);
    ContractLayouts layouts = getContractLayouts(contract, *dims, split);
    assign(contract.getResult(),
           LayoutAttr::get(func.getContext(), layouts.acc), Contraction);
    if (isTensorCoreContract(contract, *dims) && split.m == warps &&
        isMadeOnce(contract.getLhs()))
      assignMadeOnce(contract.getLhs(), layouts.lhs);
    assignCarried(contract.getLhs(), layouts.lhs);
    assignCarried(contract.getRhs(), layouts.rhs);
  }
  // A source in shared memory takes the default layout; its sums stay there.
  func.walk<WalkOrder::PreOrder>([&](vector::MultiDimReductionOp op) {
    if (isTile(op.getResult()) && comesFromRing.contains(op.getSource()))
      assign(op.getResult(), getReducedLayout(op), Load);
  });
  std::vector<std::pair<vector::TransferReadOp, GlobalAccess>> rows;
  for (vector::TransferReadOp read : reads) {
    FailureOr<GlobalAccess> access =
        GlobalAccess::get(cast<VectorTransferOpInterface>(*read));
    if (failed(access))
      return failure();
    if (isRematerializable(read.getResult()))
      continue;
    if (isRow(read))
      rows.emplace_back(read, *access);
    else
      assign(read.getResult(), getAccessLayout(*access, warps), Load);
  }
  // Rows that meet have one layout, whatever their elements: that of the ones
  // of which an access has the most.
  llvm::stable_sort(rows, [](const auto &a, const auto &b) {
    return a.second.getVectorWidth() > b.second.getVectorWidth();
  });
  for (auto &[read, access] : rows) {
    spread();
    assign(read.getResult(), getAccessLayout(access, warps), Load);
  }
  return success();
}

/// The loop result of a region argument and the other way round.
static Value getLoopTwin(Value value) {
  if (auto arg = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(arg.getOwner()->getParentOp());
    return loop ? Value(loop.getTiedLoopResult(arg)) : Value();
  }
  auto loop = value.getDefiningOp<scf::ForOp>();
  return loop ? Value(loop.getRegionIterArg(
                    cast<OpResult>(value).getResultNumber()))
              : Value();
}

void LayoutAssignment::assign(Value value, LayoutAttr layout,
                              Precedence precedence) {
  if (isRematerializable(value) || !layouts.try_emplace(value, layout).second)
    return;
  // A loop's result lives in the same registers as its region argument.
  if (Value twin = getLoopTwin(value))
    assign(twin, layout, precedence);
  auto broadcast = value.getDefiningOp<vector::BroadcastOp>();
  forEachTie(value, layout,
             [&](Value other, LayoutAttr derived, unsigned depth) {
               if (isRematerializable(other) || layouts.contains(other))
                 return;
               // What is repeated is small: it is sooner converted than what
               // it is made of.
               bool isSource = broadcast && other == broadcast.getSource();
               queue.push({depth, isSource ? Rest : precedence, nextSequence++,
                           other, derived});
             });
}

void LayoutAssignment::spread() {
  while (!queue.empty()) {
    Candidate next = queue.top();
    queue.pop();
    assign(next.value, next.layout, next.precedence);
  }
}

LayoutAttr
LayoutAssignment::getReducedLayout(vector::MultiDimReductionOp op) const {
  LayoutAttr source = lookup(op.getSource());
  if (!source)
    source = getDefaultLayout(op.getSource());
  return LayoutAttr::get(func.getContext(),
                         source.getLayout().slice(op.getReductionDims()));
}

/// A reduction's result has the layout that its source leaves, whatever its
/// users would like.
void LayoutAssignment::settleReductions() {
  func.walk<WalkOrder::PreOrder>([&](vector::MultiDimReductionOp op) {
    if (isTile(op.getResult()))
      layouts[op.getResult()] = getReducedLayout(op);
  });
}

/// Shared memory that was in use in front of `op` and is not any more.
static int64_t getFreedBytes(Operation *op) {
  int64_t bytes = 0;
  for (auto dealloc : op->getBlock()->getOps<memref::DeallocOp>())
    if (dealloc->isBeforeInBlock(op)) {
      auto type = cast<MemRefType>(dealloc.getMemref().getType());
      bytes += type.getNumElements() * getElementBytes(type.getElementType());
    }
  return bytes;
}

LayoutAttr cleave::getStoreLayout(vector::TransferWriteOp op,
                                  LayoutAttr current, int64_t warps) {
  FailureOr<GlobalAccess> access =
      GlobalAccess::get(cast<VectorTransferOpInterface>(*op));
  if (failed(access))
    return {};
  VectorType type = op.getVectorType();
  if (current) {
    int64_t bytes = getElementBytes(type.getElementType());
    std::optional<unsigned> dim = access->getContiguousDim();
    int64_t most = kMaxStoreConversionBytes;
    if (dim && current.getLayout().getLaneContiguity(*dim) * bytes < kSector)
      most = std::max(most, getFreedBytes(op));
    if (type.getRank() < 2 || type.getNumElements() * bytes > most)
      return current;
    int64_t width = dim ? std::min(current.getLayout().getContiguity(*dim),
                                   access->getVectorWidth())
                        : 1;
    if (width * bytes >= 16)
      return current;
  }
  return getAccessLayout(*access, warps);
}

LogicalResult LayoutAssignment::run() {
  if (failed(checkAndClassify()) || failed(assignAnchors()))
    return failure();
  spread();
  WalkResult result = func.walk([&](vector::TransferWriteOp op) {
    if (failed(GlobalAccess::get(cast<VectorTransferOpInterface>(*op))))
      return WalkResult::interrupt();
    Value value = op.getVector();
    if (!lookup(value) && !isRematerializable(value)) {
      assign(value, getStoreLayout(op, {}, warps), Store);
      spread();
    }
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  for (Value value : tiles)
    if (!lookup(value) && !isRematerializable(value)) {
      assign(value, getDefaultLayout(value), Rest);
      spread();
    }
  settleReductions();
  return success();
}
