//===- Distribute.cpp - Replace tiles by what one thread holds ------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --cleave-distribute: the walk over the kernel, control flow, and the ops that
// need no other thread.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Conversion/Passes.h"
#include "Distributor.h"
#include "KernelInfo.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::cleave {
#define GEN_PASS_DEF_DISTRIBUTEPASS
#include "Cleave/Conversion/Passes.h.inc"
} // namespace mlir::cleave

using namespace mlir;
using namespace mlir::cleave;

Value cleave::selectRegisters(ImplicitLocOpBuilder &b, Value regs,
                              ArrayRef<int64_t> indices) {
  auto type = cast<VectorType>(regs.getType());
  bool same = int64_t(indices.size()) == type.getNumElements();
  for (auto [i, index] : llvm::enumerate(indices))
    same &= int64_t(i) == index;
  if (same)
    return regs;
  return vector::ShuffleOp::create(b, regs, regs, indices);
}

Value cleave::sliceRegisters(ImplicitLocOpBuilder &b, Value regs, int64_t start,
                             int64_t count) {
  return selectRegisters(b, regs,
                         llvm::to_vector(llvm::seq(start, start + count)));
}

Value cleave::joinRegisters(ImplicitLocOpBuilder &b, ArrayRef<Value> parts) {
  if (parts.size() == 1)
    return parts.front();
  SmallVector<Value> values;
  for (Value part : parts)
    for (int64_t i = 0; i < cast<VectorType>(part.getType()).getDimSize(0); ++i)
      values.push_back(vector::ExtractOp::create(b, part, i));
  auto type =
      VectorType::get({int64_t(values.size())}, values.front().getType());
  return vector::FromElementsOp::create(b, type, values);
}

VectorType Distributor::getRegisterType(Type tileType,
                                        const LinearLayout &layout) const {
  return VectorType::get({layout.getNumRegisters()},
                         getElementTypeOrSelf(tileType));
}

void Distributor::setRegisters(Value tile, Value regs) {
  registers[tile] = regs;
}

//===----------------------------------------------------------------------===//
// Places of a thread
//===----------------------------------------------------------------------===//

ImplicitLocOpBuilder Distributor::entryBuilder() {
  return ImplicitLocOpBuilder(func.getLoc(), entryMarker);
}

Value Distributor::getLane() {
  if (!lane) {
    ImplicitLocOpBuilder b = entryBuilder();
    Value thread = gpu::ThreadIdOp::create(b, gpu::Dimension::x);
    Value mask = arith::ConstantIndexOp::create(b, 31);
    lane = arith::AndIOp::create(b, thread, mask);
    Value shift = arith::ConstantIndexOp::create(b, 5);
    warp = arith::ShRUIOp::create(b, thread, shift);
  }
  return lane;
}

Value Distributor::getWarp() {
  getLane();
  return warp;
}

/// Sum of the coordinates that the bits of `index` contribute. Runs of bits
/// that step by doubling coordinates are moved together.
static Value spreadBits(ImplicitLocOpBuilder &b, Value index,
                        ArrayRef<int64_t> coords) {
  Value sum;
  unsigned bit = 0;
  while (bit < coords.size()) {
    if (!coords[bit]) {
      ++bit;
      continue;
    }
    unsigned end = bit + 1;
    while (end < coords.size() && coords[end] == coords[end - 1] * 2)
      ++end;
    int64_t mask = ((int64_t(1) << (end - bit)) - 1) << bit;
    Value part = arith::AndIOp::create(b, index,
                                       arith::ConstantIndexOp::create(b, mask));
    // Only a power of two can be moved by a shift; other steps by a product.
    int64_t from = int64_t(1) << bit, to = coords[bit];
    if (from > to || !llvm::isPowerOf2_64(to)) {
      part = arith::ShRUIOp::create(b, part,
                                    arith::ConstantIndexOp::create(b, bit));
      if (to != 1)
        part = arith::MulIOp::create(b, part,
                                     arith::ConstantIndexOp::create(b, to));
    } else if (from < to) {
      part = arith::MulIOp::create(
          b, part, arith::ConstantIndexOp::create(b, to / from));
    }
    sum = sum ? Value(arith::XOrIOp::create(b, sum, part)) : part;
    bit = end;
  }
  return sum;
}

Value Distributor::getFlat(Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  if (type.getRank() < 2)
    return memref;
  Value &flat = flatMemRefs[memref];
  if (flat)
    return flat;
  OpBuilder builder(func.getContext());
  builder.setInsertionPointAfterValue(memref);
  // Collapsing sizes of which one is 0 and others are dynamic is refused.
  if (llvm::is_contained(type.getShape(), 0)) {
    auto empty =
        MemRefType::get({0}, type.getElementType(), MemRefLayoutAttrInterface(),
                        type.getMemorySpace());
    return flat = memref::ReinterpretCastOp::create(
               builder, memref.getLoc(), empty, memref, /*offset=*/0,
               /*sizes=*/ArrayRef<int64_t>{0},
               /*strides=*/ArrayRef<int64_t>{1});
  }
  ReassociationIndices all =
      llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
  flat = memref::CollapseShapeOp::create(builder, memref.getLoc(), memref,
                                         ArrayRef<ReassociationIndices>{all});
  return flat;
}

Value Distributor::getRowsPredicate() {
  if (rowsPredicate)
    return rowsPredicate;
  auto b = ImplicitLocOpBuilder::atBlockBegin(func.getLoc(), &func.front());
  Value zero = arith::ConstantIndexOp::create(b, 0);
  for (unsigned i = 0; i < func.getNumArguments(); ++i) {
    auto multiple = func.getArgAttrOfType<IntegerAttr>(i, kRowMultipleAttrName);
    if (!multiple)
      continue;
    BlockArgument arg = func.getArgument(i);
    Value length = arg;
    if (auto type = dyn_cast<MemRefType>(arg.getType()))
      length = memref::DimOp::create(b, arg, type.getRank() - 1);
    Value rest = arith::RemUIOp::create(
        b, length, arith::ConstantIndexOp::create(b, multiple.getInt()));
    Value whole =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, rest, zero);
    rowsPredicate = rowsPredicate
                        ? Value(arith::AndIOp::create(b, rowsPredicate, whole))
                        : whole;
  }
  return rowsPredicate;
}

Value Distributor::getThreadCoord(const LinearLayout &layout, unsigned d) {
  auto key =
      std::make_pair(Attribute(LayoutAttr::get(func.getContext(), layout)), d);
  Value &coord = threadCoords[key];
  if (coord)
    return coord;
  Value laneIndex = getLane(), warpIndex = getWarp();
  ImplicitLocOpBuilder b = entryBuilder();
  auto part = [&](InDim dim, Value index) {
    SmallVector<int64_t> coords;
    for (unsigned bit = 0; bit < layout.getNumBits(dim); ++bit)
      coords.push_back(layout.getCoord(dim, bit, d));
    return spreadBits(b, index, coords);
  };
  Value fromLane = part(InDim::Lane, laneIndex);
  Value fromWarp = part(InDim::Warp, warpIndex);
  if (fromLane && fromWarp)
    coord = arith::XOrIOp::create(b, fromLane, fromWarp);
  else if (fromLane || fromWarp)
    coord = fromLane ? fromLane : fromWarp;
  else
    coord = arith::ConstantIndexOp::create(b, 0);
  return coord;
}

Value Distributor::getCoord(ImplicitLocOpBuilder &b, const LinearLayout &layout,
                            int64_t reg, unsigned d) {
  Value base = getThreadCoord(layout, d);
  int64_t offset = layout.delinearize(layout.apply(InDim::Register, reg))[d];
  if (!offset)
    return base;
  Value constant = arith::ConstantIndexOp::create(b, offset);
  if (layout.isPermutation())
    return arith::AddIOp::create(b, base, constant);
  return arith::XOrIOp::create(b, base, constant);
}

Value Distributor::getOwnerPredicate(const LinearLayout &layout) {
  int64_t laneMask = layout.getFreeMask(InDim::Lane);
  int64_t warpMask = layout.getFreeMask(InDim::Warp);
  if (!laneMask && !warpMask)
    return {};
  Value &predicate =
      ownerPredicates[LayoutAttr::get(func.getContext(), layout)];
  if (predicate)
    return predicate;
  Value laneIndex = getLane(), warpIndex = getWarp();
  ImplicitLocOpBuilder b = entryBuilder();
  Value zero = arith::ConstantIndexOp::create(b, 0);
  auto isZero = [&](Value index, int64_t mask) -> Value {
    Value bits = arith::AndIOp::create(b, index,
                                       arith::ConstantIndexOp::create(b, mask));
    return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, bits, zero);
  };
  Value ofLane = laneMask ? isZero(laneIndex, laneMask) : Value();
  Value ofWarp = warpMask ? isZero(warpIndex, warpMask) : Value();
  predicate = ofLane && ofWarp ? Value(arith::AndIOp::create(b, ofLane, ofWarp))
                               : (ofLane ? ofLane : ofWarp);
  return predicate;
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

void Distributor::replaceYield(Block *block) {
  auto yield = cast<scf::YieldOp>(block->getTerminator());
  SmallVector<Value> operands;
  for (Value operand : yield.getOperands())
    operands.push_back(mapped(operand));
  OpBuilder builder(yield);
  scf::YieldOp::create(builder, yield.getLoc(), operands);
  yield.erase();
}

LogicalResult Distributor::distributeFor(scf::ForOp op) {
  SmallVector<Value> inits;
  ImplicitLocOpBuilder b = builderAt(op);
  std::vector<std::optional<LateReduction>> late;
  for (auto [i, init] : llvm::enumerate(op.getInitArgs())) {
    late.push_back(getLateReduction(op, i));
    Value regs = mapped(init);
    inits.push_back(late.back() ? startLateReduction(b, *late.back(), regs)
                                : regs);
  }
  auto loop = scf::ForOp::create(b, op.getLowerBound(), op.getUpperBound(),
                                 op.getStep(), inits);
  // Without results the builder adds a terminator of its own.
  Block *body = loop.getBody();
  body->getOperations().clear();
  body->getOperations().splice(body->begin(), op.getBody()->getOperations());
  op.getInductionVar().replaceAllUsesWith(loop.getInductionVar());
  for (auto [i, arg] : llvm::enumerate(op.getRegionIterArgs())) {
    Value newArg = loop.getRegionIterArg(i), newResult = loop.getResult(i);
    Value result = op.getResult(i);
    if (!isTile(arg)) {
      arg.replaceAllUsesWith(newArg);
      result.replaceAllUsesWith(newResult);
      continue;
    }
    // A copy first: the new entry may move the others.
    LayoutAttr layout = layouts.lookup(result);
    layouts[arg] = layout;
    setRegisters(arg, newArg);
    setRegisters(result, newResult);
  }
  if (failed(distributeBlock(body)))
    return failure();
  replaceYield(body);
  for (auto [i, reduction] : llvm::enumerate(late))
    if (reduction)
      setRegisters(op.getResult(i),
                   finishLateReduction(b, *reduction, loop.getResult(i),
                                       registersOf(op.getInitArgs()[i])));
  return success();
}

LogicalResult Distributor::distributeIf(scf::IfOp op) {
  SmallVector<Type> types;
  for (Value result : op.getResults())
    types.push_back(isTile(result)
                        ? getRegisterType(result.getType(), layoutOf(result))
                        : result.getType());
  ImplicitLocOpBuilder b = builderAt(op);
  auto branch = scf::IfOp::create(b, types, op.getCondition(),
                                  /*addThenBlock=*/true,
                                  /*addElseBlock=*/bool(op.elseBlock()));
  auto move = [&](Block *from, Block *to) -> LogicalResult {
    to->getOperations().clear();
    to->getOperations().splice(to->begin(), from->getOperations());
    if (failed(distributeBlock(to)))
      return failure();
    replaceYield(to);
    return success();
  };
  if (failed(move(op.thenBlock(), branch.thenBlock())) ||
      (op.elseBlock() && failed(move(op.elseBlock(), branch.elseBlock()))))
    return failure();
  for (auto [result, newResult] :
       llvm::zip_equal(op.getResults(), branch.getResults())) {
    if (isTile(result))
      setRegisters(result, newResult);
    else
      result.replaceAllUsesWith(newResult);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Ops on the thread's own registers
//===----------------------------------------------------------------------===//

LogicalResult Distributor::distributeElementwise(Operation *op) {
  IRMapping mapping;
  for (Value operand : op->getOperands())
    if (isTile(operand))
      mapping.map(operand, registersOf(operand));
  ImplicitLocOpBuilder b = builderAt(op);
  Operation *clone = b.clone(*op, mapping);
  clone->removeAttr(tile::kLayoutAttrName);
  for (auto [result, newResult] :
       llvm::zip_equal(op->getResults(), clone->getResults())) {
    newResult.setType(getRegisterType(result.getType(), layoutOf(result)));
    setRegisters(result, newResult);
  }
  return success();
}

/// A thread goes around its products if all of its factors are 1.
LogicalResult Distributor::distributeRescale(tile::RescaleOp op) {
  ImplicitLocOpBuilder b = builderAt(op);
  Value value = registersOf(op.getValue());
  Value factors = registersOf(op.getFactors());
  // A factor of several registers is compared once.
  Value distinct = factors;
  if (auto repeated = factors.getDefiningOp<vector::ShuffleOp>())
    distinct = repeated.getV1();
  auto at = [](ImplicitLocOpBuilder &b, Value regs, int64_t i) -> Value {
    return vector::ExtractOp::create(b, regs, i);
  };
  auto getSize = [](Value regs) {
    return cast<VectorType>(regs.getType()).getDimSize(0);
  };
  Value one = arith::ConstantOp::create(b, b.getF32FloatAttr(1));
  Value changes;
  for (int64_t i = 0; i < getSize(distinct); ++i) {
    Value change = arith::CmpFOp::create(b, arith::CmpFPredicate::UNE,
                                         at(b, distinct, i), one);
    changes =
        changes ? Value(arith::OrIOp::create(b, changes, change)) : change;
  }
  auto branch =
      scf::IfOp::create(b, value.getType(), changes, /*withElseRegion=*/true);
  ImplicitLocOpBuilder then(op.getLoc(), branch.getThenBodyBuilder());
  // One by one: LLVM executes a product of vectors in any case, and selects.
  SmallVector<Value> products;
  for (int64_t i = 0; i < getSize(value); ++i)
    products.push_back(
        arith::MulFOp::create(then, at(then, value, i), at(then, factors, i)));
  Value product =
      vector::FromElementsOp::create(then, value.getType(), products);
  scf::YieldOp::create(then, product);
  OpBuilder otherwise = branch.getElseBodyBuilder();
  scf::YieldOp::create(otherwise, op.getLoc(), value);
  setRegisters(op.getResult(), branch.getResult(0));
  return success();
}

LogicalResult Distributor::distributeConstant(arith::ConstantOp op) {
  auto splat = dyn_cast<SplatElementsAttr>(op.getValue());
  if (!splat)
    return op.emitError("expected a constant tile with one value everywhere");
  ImplicitLocOpBuilder b = builderAt(op);
  auto value = splat.resizeSplat(
      getRegisterType(op.getType(), layoutOf(op.getResult())));
  setRegisters(op.getResult(), arith::ConstantOp::create(b, value));
  return success();
}

LogicalResult Distributor::distributeBroadcast(vector::BroadcastOp op) {
  ImplicitLocOpBuilder b = builderAt(op);
  LinearLayout layout = layoutOf(op.getVector());
  if (!isTile(op.getSource())) {
    VectorType type = getRegisterType(op.getVector().getType(), layout);
    setRegisters(op.getVector(),
                 vector::BroadcastOp::create(b, type, op.getSource()));
    return success();
  }
  SmallVector<int64_t> dims = getBroadcastDims(op);
  if (getBroadcastSourceLayout(op, layouts.lookup(op.getVector())) !=
      layouts.lookup(op.getSource()))
    return op.emitError("expected the source in the layout that the result "
                        "leaves without the broadcast dimensions");
  SmallVector<unsigned, 8> kept = layout.getKeptRegisterBits(dims);
  SmallVector<int64_t> sources;
  for (int64_t r = 0; r < layout.getNumRegisters(); ++r) {
    int64_t source = 0;
    for (auto [i, bit] : llvm::enumerate(kept))
      source |= (r >> bit & 1) << i;
    sources.push_back(source);
  }
  setRegisters(op.getVector(),
               selectRegisters(b, registersOf(op.getSource()), sources));
  return success();
}

/// A tile of one element stands for a scalar: every thread has it.
LogicalResult Distributor::distributeExtract(vector::ExtractOp op) {
  if (isTile(op.getResult()) || op.getSourceVectorType().getNumElements() != 1)
    return op.emitError("expected to extract the only element of a tile");
  ImplicitLocOpBuilder b = builderAt(op);
  op.getResult().replaceAllUsesWith(
      vector::ExtractOp::create(b, registersOf(op.getSource()), 0).getResult());
  return success();
}

LogicalResult Distributor::distributeStep(vector::StepOp op) {
  ImplicitLocOpBuilder b = builderAt(op);
  LinearLayout layout = layoutOf(op.getResult());
  SmallVector<Value> values;
  for (int64_t r = 0; r < layout.getNumRegisters(); ++r)
    values.push_back(getCoord(b, layout, r, 0));
  setRegisters(op.getResult(),
               vector::FromElementsOp::create(
                   b, getRegisterType(op.getType(), layout), values));
  return success();
}

/// Each register's mask bit: all coordinates below their bounds.
static Value makeMask(Distributor &distributor, ImplicitLocOpBuilder &b,
                      VectorType type, const LinearLayout &layout,
                      ValueRange bounds) {
  SmallVector<Value> bits;
  for (int64_t r = 0; r < type.getNumElements(); ++r) {
    Value bit;
    for (auto [d, bound] : llvm::enumerate(bounds)) {
      Value coord = distributor.getCoord(b, layout, r, d);
      Value below =
          arith::CmpIOp::create(b, arith::CmpIPredicate::slt, coord, bound);
      bit = bit ? Value(arith::AndIOp::create(b, bit, below)) : below;
    }
    bits.push_back(bit);
  }
  return vector::FromElementsOp::create(b, type, bits);
}

LogicalResult Distributor::distributeMask(vector::CreateMaskOp op) {
  // Bounds of loads and stores are read from the op itself.
  if (!layouts.contains(op.getResult()))
    return success();
  if (op.getType().getRank() == 0)
    return op.emitError("expected a mask of rank 1 or more");
  ImplicitLocOpBuilder b = builderAt(op);
  LinearLayout layout = layoutOf(op.getResult());
  setRegisters(op.getResult(),
               makeMask(*this, b, getRegisterType(op.getType(), layout), layout,
                        op.getOperands()));
  return success();
}

LogicalResult Distributor::distributeConstantMask(vector::ConstantMaskOp op) {
  if (!layouts.contains(op.getResult()))
    return success();
  ImplicitLocOpBuilder b = builderAt(op);
  LinearLayout layout = layoutOf(op.getResult());
  SmallVector<Value> bounds;
  for (int64_t size : op.getMaskDimSizes())
    bounds.push_back(arith::ConstantIndexOp::create(b, size));
  setRegisters(op.getResult(),
               makeMask(*this, b, getRegisterType(op.getType(), layout), layout,
                        bounds));
  return success();
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

LogicalResult Distributor::distributeOp(Operation *op) {
  for (OpResult result : op->getResults()) {
    if (!isTile(result))
      continue;
    if (LayoutAttr layout = tile::getResultLayout(result))
      layouts[result] = layout;
    else if (!isa<vector::CreateMaskOp, vector::ConstantMaskOp>(op))
      return op->emitError("expected a layout for each tile; run "
                           "cleave-assign-layouts first");
  }
  if (auto o = dyn_cast<tile::RescaleOp>(op))
    return distributeRescale(o);
  if (isElementwiseTileOp(op))
    return distributeElementwise(op);
  // Same registers, other coordinates.
  if (isa<vector::TransposeOp, vector::ShapeCastOp>(op)) {
    setRegisters(op->getResult(0), registersOf(op->getOperand(0)));
    return success();
  }
  if (auto poison = dyn_cast<ub::PoisonOp>(op)) {
    ImplicitLocOpBuilder b = builderAt(op);
    setRegisters(
        poison,
        ub::PoisonOp::create(
            b, getRegisterType(poison.getType(), layoutOf(poison.getResult())),
            poison.getValue()));
    return success();
  }
  if (auto o = dyn_cast<scf::ForOp>(op))
    return distributeFor(o);
  if (auto o = dyn_cast<scf::IfOp>(op))
    return distributeIf(o);
  if (auto o = dyn_cast<arith::ConstantOp>(op))
    return distributeConstant(o);
  if (auto o = dyn_cast<vector::BroadcastOp>(op))
    return distributeBroadcast(o);
  if (auto o = dyn_cast<vector::ExtractOp>(op))
    return distributeExtract(o);
  if (auto o = dyn_cast<vector::StepOp>(op))
    return distributeStep(o);
  if (auto o = dyn_cast<vector::CreateMaskOp>(op))
    return distributeMask(o);
  if (auto o = dyn_cast<vector::ConstantMaskOp>(op))
    return distributeConstantMask(o);
  if (auto o = dyn_cast<vector::TransferReadOp>(op))
    return distributeRead(o);
  if (auto o = dyn_cast<vector::TransferWriteOp>(op))
    return distributeWrite(o);
  if (auto o = dyn_cast<tile::ConvertLayoutOp>(op))
    return distributeConvert(o);
  if (auto o = dyn_cast<tile::FetchOp>(op))
    return distributeFetch(o);
  if (auto o = dyn_cast<tile::WriteOp>(op))
    return distributeRingWrite(o);
  if (auto o = dyn_cast<tile::ReadOp>(op))
    return distributeRingRead(o);
  if (auto o = dyn_cast<vector::MultiDimReductionOp>(op))
    return distributeReduction(o);
  if (auto o = dyn_cast<vector::ContractionOp>(op))
    return distributeContract(o);
  return op->emitError("expected an op that can be distributed to threads but "
                       "got '")
         << op->getName() << "' on tiles";
}

/// Whether the op, or one inside it, touches tiles.
static bool touchesTiles(Operation *op) {
  return op
      ->walk([](Operation *nested) {
        bool tiles = llvm::any_of(nested->getOperands(), isTile) ||
                     llvm::any_of(nested->getResults(), isTile);
        return tiles ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

LogicalResult Distributor::distributeBlock(Block *block) {
  SmallVector<Operation *> ops;
  for (Operation &op : *block)
    if (!isa<scf::YieldOp>(op) && touchesTiles(&op))
      ops.push_back(&op);
  for (Operation *op : ops) {
    // Its users stand behind it and thus go first.
    dead.push_back(op);
    if (failed(distributeOp(op)))
      return failure();
  }
  return success();
}

LogicalResult Distributor::run(int64_t maxSharedBytes) {
  Block *entry = &func.getBody().front();
  if (!llvm::hasSingleElement(func.getBody()))
    return func.emitError("expected a kernel of structured control flow");
  entryMarker = &entry->front();
  if (failed(distributeBlock(entry)))
    return failure();
  for (Operation *op : llvm::reverse(dead))
    op->erase();
  eraseRings();
  return scratch.finalize(maxSharedBytes);
}

namespace {

struct DistributePass
    : public cleave::impl::DistributePassBase<DistributePass> {
  using DistributePassBase::DistributePassBase;

  void runOnOperation() override {
    gpu::GPUFuncOp func = getOperation();
    FailureOr<int64_t> warps = getKernelWarps(func);
    int64_t maxBytes = maxSharedBytes ? maxSharedBytes.getValue()
                                      : cleave::getMaxSharedBytes(func);
    if (failed(warps) || failed(Distributor(func, *warps).run(maxBytes)))
      signalPassFailure();
  }
};

} // namespace
