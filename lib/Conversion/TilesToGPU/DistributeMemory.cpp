//===- DistributeMemory.cpp - Tile loads and stores of a thread -----------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// vector.transfer_read and transfer_write on global memory. A thread accesses
// runs of its registers that are consecutive in memory. Where a tile may reach
// past its bounds, a whole tile takes a branch without predicates and a partial
// one checks each run: memory out of bounds is never touched. Rows that should
// be whole vectors and are not take a branch that goes element by element.
//
//===----------------------------------------------------------------------===//

#include "Distributor.h"
#include "KernelInfo.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::cleave;

namespace {

/// Emits the accesses of one transfer op.
class AccessEmitter {
public:
  AccessEmitter(Distributor &distributor, ImplicitLocOpBuilder &b,
                const GlobalAccess &access, const LinearLayout &layout);

  /// All registers; `mask` is null or holds a bit a register.
  Value load(Value padding, Value mask);
  void store(Value regs, Value mask);
  /// Starts copies of all runs to `buffer`, zeros where a run is out of bounds.
  void copy(Value buffer, const SharedTile &tile, Value offset,
            ArrayRef<NamedAttribute> attributes);

private:
  struct Bound {
    unsigned dim;
    Value value;
    std::optional<int64_t> constant;
  };
  void collectBounds();
  /// Null if the bounds are constants that the tile exceeds.
  Value getWholeTilePredicate(ImplicitLocOpBuilder &b);
  bool mayBePartial() const { return !bounds.empty(); }
  /// The run at `reg` is inside all bounds.
  Value getRunPredicate(ImplicitLocOpBuilder &b, int64_t reg,
                        DenseMap<std::pair<unsigned, int64_t>, Value> &cache);
  void findOrigin();
  Value getStride(unsigned mem);
  /// Where register `reg` lies in the flat memref.
  Value getPlace(ImplicitLocOpBuilder &b, int64_t reg);
  Value loadRun(ImplicitLocOpBuilder &b, int64_t reg);
  void storeRun(ImplicitLocOpBuilder &b, Value regs, int64_t reg);
  Value loadAll(ImplicitLocOpBuilder &b, Value padding, Value mask,
                bool predicated);
  void storeAll(ImplicitLocOpBuilder &b, Value regs, Value mask,
                bool predicated);
  Value loadRuns(ImplicitLocOpBuilder &b, Value padding, Value mask);
  void storeRuns(ImplicitLocOpBuilder &b, Value regs, Value mask);
  void copyRuns(ImplicitLocOpBuilder &b, Value buffer, const SharedTile &tile,
                Value offset, ArrayRef<NamedAttribute> attributes);
  void copyElements(ImplicitLocOpBuilder &b, Value buffer,
                    const SharedTile &tile, Value offset,
                    ArrayRef<NamedAttribute> attributes);
  /// Two branches, with runs of `width` and with single elements.
  scf::IfOp createBranch(ImplicitLocOpBuilder &b, TypeRange types,
                         function_ref<void(ImplicitLocOpBuilder &)> fill);
  llvm::MaybeAlign getAlignment() const {
    return llvm::Align(width * getElementBytes(elementType));
  }

  Distributor &distributor;
  ImplicitLocOpBuilder &b;
  const GlobalAccess &access;
  const LinearLayout &layout;
  Type elementType;
  /// Elements of one access, if `aligned`, where that is to be checked.
  int64_t width = 1, single = 1;
  Value aligned;
  SmallVector<Bound> bounds;
  /// The memref as one dimension, and the place of register 0 in it: what
  /// other registers add is a constant offset of the access wherever strides
  /// are static.
  Value flat, origin;
  SmallVector<Value> strides;
};

} // namespace

AccessEmitter::AccessEmitter(Distributor &distributor, ImplicitLocOpBuilder &b,
                             const GlobalAccess &access,
                             const LinearLayout &layout)
    : distributor(distributor), b(b), access(access), layout(layout),
      elementType(access.getTileType().getElementType()) {
  if (std::optional<unsigned> dim = access.getContiguousDim())
    width = std::min(access.getVectorWidth(), layout.getContiguity(*dim));
  if (width > access.getSafeWidth())
    aligned = distributor.getRowsPredicate();
  collectBounds();
  findOrigin();
}

void AccessEmitter::collectBounds() {
  VectorTransferOpInterface op = access.getOp();
  for (unsigned d = 0; d < layout.getRank(); ++d) {
    if (OpFoldResult bound = access.getMaskBound(d))
      bounds.push_back({d,
                        getValueOrCreateConstantIndexOp(b, b.getLoc(), bound),
                        getConstantIntValue(bound)});
    if (!access.needsExtentCheck(d))
      continue;
    unsigned mem = *access.getMemDim(d);
    Value extent = memref::DimOp::create(b, op.getBase(), mem);
    Value rest = arith::SubIOp::create(b, extent, op.getIndices()[mem]);
    bounds.push_back({d, rest, std::nullopt});
  }
}

Value AccessEmitter::getWholeTilePredicate(ImplicitLocOpBuilder &b) {
  Value all;
  for (const Bound &bound : bounds) {
    if (bound.constant)
      return {};
    Value size =
        arith::ConstantIndexOp::create(b, layout.getShape()[bound.dim]);
    Value whole =
        arith::CmpIOp::create(b, arith::CmpIPredicate::sge, bound.value, size);
    all = all ? Value(arith::AndIOp::create(b, all, whole)) : whole;
  }
  return all;
}

Value AccessEmitter::getRunPredicate(
    ImplicitLocOpBuilder &b, int64_t reg,
    DenseMap<std::pair<unsigned, int64_t>, Value> &cache) {
  Value all;
  LinearLayout::Vec coords =
      layout.delinearize(layout.apply(InDim::Register, reg));
  for (auto [i, bound] : llvm::enumerate(bounds)) {
    Value &below = cache[{i, coords[bound.dim]}];
    if (!below)
      below = arith::CmpIOp::create(
          b, arith::CmpIPredicate::slt,
          distributor.getCoord(b, layout, reg, bound.dim), bound.value);
    all = all ? Value(arith::AndIOp::create(b, all, below)) : below;
  }
  return all;
}

/// Elements between neighbours along dimension `mem`.
Value AccessEmitter::getStride(unsigned mem) {
  Value stride;
  int64_t known = 1;
  MemRefType type = access.getMemRefType();
  for (unsigned d = mem + 1; d < type.getRank(); ++d) {
    if (!type.isDynamicDim(d)) {
      known *= type.getDimSize(d);
      continue;
    }
    Value size = memref::DimOp::create(b, access.getOp().getBase(), d);
    stride = stride ? Value(arith::MulIOp::create(b, stride, size)) : size;
  }
  Value constant = arith::ConstantIndexOp::create(b, known);
  return stride ? Value(arith::MulIOp::create(b, stride, constant)) : constant;
}

void AccessEmitter::findOrigin() {
  flat = distributor.getFlat(access.getOp().getBase());
  SmallVector<Value> indices(access.getOp().getIndices());
  if (layout.isPermutation())
    for (unsigned d = 0; d < layout.getRank(); ++d)
      if (std::optional<unsigned> mem = access.getMemDim(d))
        indices[*mem] = arith::AddIOp::create(
            b, indices[*mem], distributor.getThreadCoord(layout, d));
  for (auto [mem, index] : llvm::enumerate(indices)) {
    strides.push_back(getStride(mem));
    Value part = arith::MulIOp::create(b, index, strides.back());
    origin = origin ? Value(arith::AddIOp::create(b, origin, part)) : part;
  }
}

Value AccessEmitter::getPlace(ImplicitLocOpBuilder &b, int64_t reg) {
  Value place = origin;
  int64_t rest = 0;
  bool additive = layout.isPermutation();
  LinearLayout::Vec coords =
      layout.delinearize(layout.apply(InDim::Register, reg));
  for (auto [d, coord] : llvm::enumerate(coords)) {
    std::optional<unsigned> mem = access.getMemDim(d);
    if (!mem || (additive && !coord))
      continue;
    if (!additive) {
      Value part = arith::MulIOp::create(
          b, distributor.getCoord(b, layout, reg, d), strides[*mem]);
      place = arith::AddIOp::create(b, place, part);
      continue;
    }
    if (std::optional<int64_t> known = getConstantIntValue(strides[*mem])) {
      rest += coord * *known;
      continue;
    }
    Value stride = arith::MulIOp::create(
        b, strides[*mem], arith::ConstantIndexOp::create(b, coord));
    place = arith::AddIOp::create(b, place, stride);
  }
  if (!rest)
    return place;
  return arith::AddIOp::create(b, place,
                               arith::ConstantIndexOp::create(b, rest));
}

Value AccessEmitter::loadRun(ImplicitLocOpBuilder &b, int64_t reg) {
  VectorType runType = VectorType::get({width}, elementType);
  // As a scalar: a byte of memory, not a packed vector of bits.
  if (elementType.isInteger(1))
    return vector::BroadcastOp::create(
        b, runType, memref::LoadOp::create(b, flat, getPlace(b, reg)));
  return vector::LoadOp::create(b, runType, flat, getPlace(b, reg),
                                /*nontemporal=*/false, getAlignment());
}

void AccessEmitter::storeRun(ImplicitLocOpBuilder &b, Value regs, int64_t reg) {
  if (elementType.isInteger(1)) {
    memref::StoreOp::create(b, vector::ExtractOp::create(b, regs, reg), flat,
                            getPlace(b, reg));
    return;
  }
  Value run = sliceRegisters(b, regs, reg, width);
  vector::StoreOp::create(b, run, flat, getPlace(b, reg),
                          /*nontemporal=*/false, getAlignment());
}

static Value conjunction(ImplicitLocOpBuilder &b, Value x, Value y) {
  if (!x || !y)
    return x ? x : y;
  return arith::AndIOp::create(b, x, y);
}

static Value extractBit(ImplicitLocOpBuilder &b, Value mask, int64_t reg) {
  return mask ? vector::ExtractOp::create(b, mask, reg).getResult() : Value();
}

Value AccessEmitter::loadAll(ImplicitLocOpBuilder &b, Value padding, Value mask,
                             bool predicated) {
  DenseMap<std::pair<unsigned, int64_t>, Value> cache;
  VectorType runType = VectorType::get({width}, elementType);
  Value paddingRun;
  SmallVector<Value> runs;
  for (int64_t reg = 0; reg < layout.getNumRegisters(); reg += width) {
    Value predicate = extractBit(b, mask, reg);
    if (predicated)
      predicate = conjunction(b, predicate, getRunPredicate(b, reg, cache));
    Value run;
    if (!predicate) {
      run = loadRun(b, reg);
    } else {
      if (!paddingRun)
        paddingRun = vector::BroadcastOp::create(b, runType, padding);
      auto branch = scf::IfOp::create(b, runType, predicate,
                                      /*addThenBlock=*/true,
                                      /*addElseBlock=*/true);
      ImplicitLocOpBuilder inside(b.getLoc(),
                                  OpBuilder::atBlockBegin(branch.thenBlock()));
      scf::YieldOp::create(inside, loadRun(inside, reg));
      inside.setInsertionPointToStart(branch.elseBlock());
      scf::YieldOp::create(inside, paddingRun);
      run = branch.getResult(0);
    }
    runs.push_back(run);
  }
  return joinRegisters(b, runs);
}

Value AccessEmitter::loadRuns(ImplicitLocOpBuilder &b, Value padding,
                              Value mask) {
  if (!mayBePartial())
    return loadAll(b, padding, mask, /*predicated=*/false);
  Value whole = getWholeTilePredicate(b);
  if (!whole || layout.getNumRegisters() == width)
    return loadAll(b, padding, mask, /*predicated=*/true);
  VectorType type = VectorType::get({layout.getNumRegisters()}, elementType);
  auto branch = scf::IfOp::create(b, type, whole, true, true);
  auto fill = [&](Block *block, bool predicated) {
    ImplicitLocOpBuilder inside(b.getLoc(), OpBuilder::atBlockBegin(block));
    Value loaded = loadAll(inside, padding, mask, predicated);
    scf::YieldOp::create(inside, loaded);
  };
  fill(branch.thenBlock(), /*predicated=*/false);
  fill(branch.elseBlock(), /*predicated=*/true);
  return branch.getResult(0);
}

scf::IfOp
AccessEmitter::createBranch(ImplicitLocOpBuilder &b, TypeRange types,
                            function_ref<void(ImplicitLocOpBuilder &)> fill) {
  auto branch = scf::IfOp::create(b, types, aligned, /*addThenBlock=*/true,
                                  /*addElseBlock=*/true);
  ImplicitLocOpBuilder inside(b.getLoc(),
                              OpBuilder::atBlockBegin(branch.thenBlock()));
  fill(inside);
  std::swap(width, single);
  inside.setInsertionPointToStart(branch.elseBlock());
  fill(inside);
  std::swap(width, single);
  return branch;
}

Value AccessEmitter::load(Value padding, Value mask) {
  if (!aligned)
    return loadRuns(b, padding, mask);
  VectorType type = VectorType::get({layout.getNumRegisters()}, elementType);
  auto fill = [&](ImplicitLocOpBuilder &b) {
    scf::YieldOp::create(b, loadRuns(b, padding, mask));
  };
  return createBranch(b, type, fill).getResult(0);
}

void AccessEmitter::storeAll(ImplicitLocOpBuilder &b, Value regs, Value mask,
                             bool predicated) {
  DenseMap<std::pair<unsigned, int64_t>, Value> cache;
  int64_t freeRegisters = layout.getFreeMask(InDim::Register);
  for (int64_t reg = 0; reg < layout.getNumRegisters(); reg += width) {
    if (reg & freeRegisters)
      continue;
    Value predicate = extractBit(b, mask, reg);
    if (predicated)
      predicate = conjunction(b, predicate, getRunPredicate(b, reg, cache));
    if (!predicate) {
      storeRun(b, regs, reg);
      continue;
    }
    auto branch = scf::IfOp::create(b, predicate, /*withElseRegion=*/false);
    ImplicitLocOpBuilder inside(b.getLoc(),
                                OpBuilder::atBlockBegin(branch.thenBlock()));
    storeRun(inside, regs, reg);
  }
}

void AccessEmitter::storeRuns(ImplicitLocOpBuilder &b, Value regs, Value mask) {
  Value whole = mayBePartial() ? getWholeTilePredicate(b) : Value();
  if (!whole || layout.getNumRegisters() == width)
    return storeAll(b, regs, mask, mayBePartial());
  auto branch = scf::IfOp::create(b, whole, /*withElseRegion=*/true);
  ImplicitLocOpBuilder inside(b.getLoc(),
                              OpBuilder::atBlockBegin(branch.thenBlock()));
  storeAll(inside, regs, mask, /*predicated=*/false);
  inside.setInsertionPointToStart(branch.elseBlock());
  storeAll(inside, regs, mask, /*predicated=*/true);
}

void AccessEmitter::store(Value regs, Value mask) {
  auto emit = [&](ImplicitLocOpBuilder &b) {
    if (!aligned)
      return storeRuns(b, regs, mask);
    createBranch(b, TypeRange(), [&](ImplicitLocOpBuilder &b) {
      storeRuns(b, regs, mask);
      scf::YieldOp::create(b);
    });
  };
  Value owner = distributor.getOwnerPredicate(layout);
  if (!owner)
    return emit(b);
  auto branch = scf::IfOp::create(b, owner, /*withElseRegion=*/false);
  ImplicitLocOpBuilder inside(b.getLoc(),
                              OpBuilder::atBlockBegin(branch.thenBlock()));
  emit(inside);
}

void AccessEmitter::copyRuns(ImplicitLocOpBuilder &b, Value buffer,
                             const SharedTile &tile, Value offset,
                             ArrayRef<NamedAttribute> attributes) {
  DenseMap<std::pair<unsigned, int64_t>, Value> cache;
  for (int64_t reg = 0; reg < layout.getNumRegisters(); reg += width) {
    Value predicate = getRunPredicate(b, reg, cache), count;
    if (predicate)
      count = arith::SelectOp::create(b, predicate,
                                      arith::ConstantIndexOp::create(b, width),
                                      arith::ConstantIndexOp::create(b, 0));
    // Only whole chunks can go past the first-level cache.
    bool bypass = width * getElementBytes(elementType) == kAccessAlignment;
    auto copy = nvgpu::DeviceAsyncCopyOp::create(
        b, nvgpu::DeviceAsyncTokenType::get(b.getContext()), buffer,
        distributor.getSwizzledIndex(b, layout, tile, reg, offset), flat,
        getPlace(b, reg), b.getIndexAttr(width), count,
        bypass ? b.getUnitAttr() : UnitAttr());
    copy->setDiscardableAttrs(attributes);
  }
}

/// A chunk of 16 bytes is in one piece whatever the swizzle.
void AccessEmitter::copyElements(ImplicitLocOpBuilder &b, Value buffer,
                                 const SharedTile &tile, Value offset,
                                 ArrayRef<NamedAttribute> attributes) {
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(elementType));
  Value first = arith::ConstantIndexOp::create(b, 0);
  Value last = arith::ConstantIndexOp::create(b, width);
  Value step = arith::ConstantIndexOp::create(b, 1);
  unsigned dim = *access.getContiguousDim();
  for (int64_t reg = 0; reg < layout.getNumRegisters(); reg += width) {
    Value from = getPlace(b, reg);
    Value to = distributor.getSwizzledIndex(b, layout, tile, reg, offset);
    auto loop = scf::ForOp::create(b, first, last, step);
    loop->setAttr(kCopyAttrName, b.getUnitAttr());
    ImplicitLocOpBuilder each(b.getLoc(),
                              OpBuilder::atBlockBegin(loop.getBody()));
    Value element = loop.getInductionVar(), inside;
    for (const Bound &bound : bounds) {
      Value coord = distributor.getCoord(each, layout, reg, bound.dim);
      if (bound.dim == dim)
        coord = arith::AddIOp::create(each, coord, element);
      inside =
          conjunction(each, inside,
                      arith::CmpIOp::create(each, arith::CmpIPredicate::slt,
                                            coord, bound.value));
    }
    Value place = arith::AddIOp::create(each, from, element);
    Value value;
    if (inside) {
      auto branch = scf::IfOp::create(each, elementType, inside, true, true);
      ImplicitLocOpBuilder then(b.getLoc(),
                                OpBuilder::atBlockBegin(branch.thenBlock()));
      Value loaded = memref::LoadOp::create(then, flat, place);
      scf::YieldOp::create(then, loaded);
      then.setInsertionPointToStart(branch.elseBlock());
      scf::YieldOp::create(then, zero);
      value = branch.getResult(0);
    } else {
      value = memref::LoadOp::create(each, flat, place);
    }
    Value slot = arith::AddIOp::create(each, to, element);
    auto store = memref::StoreOp::create(each, value, buffer, slot);
    store->setDiscardableAttrs(attributes);
  }
}

void AccessEmitter::copy(Value buffer, const SharedTile &tile, Value offset,
                         ArrayRef<NamedAttribute> attributes) {
  auto emit = [&](ImplicitLocOpBuilder &b) {
    if (!aligned)
      return copyRuns(b, buffer, tile, offset, attributes);
    auto branch = scf::IfOp::create(b, aligned, /*withElseRegion=*/true);
    ImplicitLocOpBuilder inside(b.getLoc(),
                                OpBuilder::atBlockBegin(branch.thenBlock()));
    copyRuns(inside, buffer, tile, offset, attributes);
    inside.setInsertionPointToStart(branch.elseBlock());
    copyElements(inside, buffer, tile, offset, attributes);
  };
  Value owner = distributor.getOwnerPredicate(layout);
  if (!owner)
    return emit(b);
  auto branch = scf::IfOp::create(b, owner, /*withElseRegion=*/false);
  ImplicitLocOpBuilder inside(b.getLoc(),
                              OpBuilder::atBlockBegin(branch.thenBlock()));
  emit(inside);
}

LogicalResult Distributor::copyAsync(ImplicitLocOpBuilder &b,
                                     vector::TransferReadOp read, Value buffer,
                                     Value offset, Attribute phase) {
  FailureOr<GlobalAccess> access =
      GlobalAccess::get(cast<VectorTransferOpInterface>(*read));
  if (failed(access))
    return failure();
  LinearLayout layout = layoutOf(read.getVector());
  AccessEmitter(*this, b, *access, layout)
      .copy(buffer,
            SharedTile::getSwizzled(layout.getShape(),
                                    read.getVectorType().getElementType()),
            offset,
            {b.getNamedAttr(tile::kPhaseAttrName, phase),
             b.getNamedAttr(tile::kGroupAttrName,
                            b.getI64IntegerAttr(nextGroup++))});
  return success();
}

LogicalResult Distributor::distributeRead(vector::TransferReadOp op) {
  // Goes to shared memory without registers.
  if (!op->use_empty() && llvm::all_of(op->getUsers(), [](Operation *user) {
        return isa<tile::FetchOp>(user);
      }))
    return success();
  FailureOr<GlobalAccess> access =
      GlobalAccess::get(cast<VectorTransferOpInterface>(*op));
  if (failed(access))
    return failure();
  ImplicitLocOpBuilder b = builderAt(op);
  LinearLayout layout = layoutOf(op.getVector());
  Value mask = access->getGeneralMask();
  AccessEmitter emitter(*this, b, *access, layout);
  setRegisters(op.getVector(),
               emitter.load(op.getPadding(), mask ? registersOf(mask) : mask));
  return success();
}

LogicalResult Distributor::distributeWrite(vector::TransferWriteOp op) {
  FailureOr<GlobalAccess> access =
      GlobalAccess::get(cast<VectorTransferOpInterface>(*op));
  if (failed(access))
    return failure();
  ImplicitLocOpBuilder b = builderAt(op);
  LinearLayout layout = layoutOf(op.getVector());
  Value mask = access->getGeneralMask();
  AccessEmitter emitter(*this, b, *access, layout);
  emitter.store(registersOf(op.getVector()), mask ? registersOf(mask) : mask);
  return success();
}
