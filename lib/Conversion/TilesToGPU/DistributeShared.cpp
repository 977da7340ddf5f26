//===- DistributeShared.cpp - Values that change threads ------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conversions between layouts: within a thread where each thread already holds
// its elements, else through shared memory. No barriers here:
// --cleave-insert-barriers sees all accesses at once.
//
//===----------------------------------------------------------------------===//

#include "Distributor.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::cleave;

/// Widest access of a thread, and the distance that padding moves a row.
static constexpr int64_t kAccessBytes = 16;

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

/// Elements of `tile` that one access of registers in `layout` covers.
static int64_t getRunWidth(const LinearLayout &layout, unsigned dim,
                           Type elementType) {
  if (!layout.getRank())
    return 1;
  int64_t limit =
      std::max<int64_t>(1, kAccessBytes / getElementBytes(elementType));
  return std::min(limit, layout.getContiguity(dim));
}

/// `ldmatrix` instructions, where the elements and the layout allow it.
static std::optional<MatrixLoad>
getMatrixLoadOf(const LinearLayout &layout, unsigned dim, Type elementType) {
  if (!elementType.isF16() && !elementType.isBF16())
    return std::nullopt;
  return getMatrixLoad(layout, dim);
}

static int64_t countLoads(const LinearLayout &layout, unsigned dim,
                          Type elementType) {
  if (std::optional<MatrixLoad> load =
          getMatrixLoadOf(layout, dim, elementType))
    return layout.getNumRegisters() / (2 * load->count);
  return layout.getNumRegisters() / getRunWidth(layout, dim, elementType);
}

/// Picks the contiguous dimension with the fewest accesses, and padding.
static SharedTile chooseSharedTile(const LinearLayout &from,
                                   const LinearLayout &to, Type elementType) {
  SharedTile tile;
  unsigned rank = from.getRank();
  tile.strides.assign(rank, 1);
  tile.numElements = 1;
  if (!rank)
    return tile;
  int64_t fewest = -1;
  for (unsigned d = rank; d-- > 0;) {
    int64_t accesses =
        from.getNumRegisters() / getRunWidth(from, d, elementType) +
        countLoads(to, d, elementType);
    if (fewest >= 0 && accesses >= fewest)
      continue;
    fewest = accesses;
    tile.contiguousDim = d;
  }
  int64_t bytes = getElementBytes(elementType);
  int64_t stride = from.getShape()[tile.contiguousDim];
  // Rows of 16 bytes follow each other without conflicts as they are.
  if (rank > 1 && stride * bytes > kAccessBytes)
    stride += kAccessBytes / bytes;
  for (unsigned d = rank; d-- > 0;) {
    if (d == tile.contiguousDim)
      continue;
    tile.strides[d] = stride;
    stride *= from.getShape()[d];
  }
  tile.numElements = stride;
  return tile;
}

int64_t SharedTile::getPlace(ArrayRef<int64_t> coords) const {
  int64_t place = 0;
  for (auto [coord, stride] : llvm::zip_equal(coords, strides))
    place += coord * stride;
  if (!swizzleLine)
    return place;
  return place ^ ((place / swizzleLine) % 8 * swizzleChunk);
}

SharedTile SharedTile::getSwizzled(ArrayRef<int64_t> shape, Type elementType) {
  SharedTile tile;
  tile.strides.assign(shape.size(), 1);
  tile.contiguousDim = shape.size() - 1;
  tile.numElements = 1;
  for (unsigned d = shape.size(); d-- > 0;) {
    tile.strides[d] = tile.numElements;
    tile.numElements *= shape[d];
  }
  tile.swizzleChunk = kAccessBytes / getElementBytes(elementType);
  tile.swizzleLine = std::max(8 * tile.swizzleChunk, shape.back());
  return tile;
}

/// Where each input bit of `layout` leads in the memory of `tile`: the place is
/// as linear as the coordinates.
static LinearLayout getPlaces(const LinearLayout &layout,
                              const SharedTile &tile) {
  std::array<LinearLayout::Vec, 3> bases;
  for (InDim dim : kInDims)
    for (int64_t basis : layout.getBases(dim))
      bases[static_cast<unsigned>(dim)].push_back(
          tile.getPlace(layout.delinearize(basis)));
  return LinearLayout({tile.numElements}, bases);
}

/// `value`, of which LLVM knows nothing. It would move the offset of a slot
/// inside what is exchanged, which then is exchanged in each iteration.
static Value hide(ImplicitLocOpBuilder &b, Value value) {
  Type type = b.getI32Type();
  value = arith::IndexCastUIOp::create(b, type, value);
  auto asmDialect =
      LLVM::AsmDialectAttr::get(b.getContext(), LLVM::AsmDialect::AD_ATT);
  auto move = LLVM::InlineAsmOp::create(
      b, type, value, "mov.b32 $0, $1;", "=r,r", /*has_side_effects=*/false,
      /*is_align_stack=*/false, LLVM::tailcallkind::TailCallKind::None,
      asmDialect, /*operand_attrs=*/ArrayAttr());
  return arith::IndexCastUIOp::create(b, b.getIndexType(), move.getRes());
}

Value Distributor::getSwizzledIndex(ImplicitLocOpBuilder &b,
                                    const LinearLayout &layout,
                                    const SharedTile &tile, int64_t reg,
                                    Value offset) {
  LinearLayout places = getPlaces(layout, tile);
  int64_t ofThread = 0;
  int64_t ofRegister = places.apply(InDim::Register, reg) ^ tile.start;
  for (InDim dim : {InDim::Lane, InDim::Warp})
    for (int64_t basis : places.getBases(dim))
      ofThread |= basis;
  // What the thread's bits do not touch is added, so that it can become the
  // constant offset of an access; the rest is computed once a kernel.
  Value index = getThreadCoord(places, 0);
  if (int64_t mixed = ofRegister & ofThread) {
    Value &version = mixedPlaces[{index, mixed}];
    if (!version) {
      ImplicitLocOpBuilder entry = entryBuilder();
      version = arith::XOrIOp::create(
          entry, index, arith::ConstantIndexOp::create(entry, mixed));
      if (offset)
        version = hide(entry, version);
    }
    index = version;
  }
  if (offset)
    index = arith::AddIOp::create(b, offset, index);
  if (int64_t rest = ofRegister & ~ofThread)
    index = arith::AddIOp::create(b, index,
                                  arith::ConstantIndexOp::create(b, rest));
  return index;
}

/// Position in the buffer of register `reg`.
static Value getSharedIndex(Distributor &distributor, ImplicitLocOpBuilder &b,
                            const LinearLayout &layout, const SharedTile &tile,
                            int64_t reg, Value offset) {
  if (tile.swizzleLine)
    return distributor.getSwizzledIndex(b, layout, tile, reg, offset);
  Value index = offset;
  auto add = [&](Value part) {
    index = index ? Value(arith::AddIOp::create(b, index, part)) : part;
  };
  // The thread's part first: it is the same for all registers.
  int64_t constant = 0;
  bool additive = layout.isPermutation();
  LinearLayout::Vec coords =
      layout.delinearize(layout.apply(InDim::Register, reg));
  for (unsigned d = 0; d < layout.getRank(); ++d) {
    Value coord = distributor.getCoord(b, layout, additive ? 0 : reg, d);
    if (tile.strides[d] != 1)
      coord = arith::MulIOp::create(
          b, coord, arith::ConstantIndexOp::create(b, tile.strides[d]));
    add(coord);
    if (additive)
      constant += coords[d] * tile.strides[d];
  }
  if (constant || !index)
    add(arith::ConstantIndexOp::create(b, constant));
  return index;
}

/// Sub-byte and index elements have another type in memory.
static Type getStorageType(Type elementType) {
  MLIRContext *context = elementType.getContext();
  if (elementType.isIndex())
    return IntegerType::get(context, 64);
  if (elementType.getIntOrFloatBitWidth() < 8)
    return IntegerType::get(context, 8);
  return elementType;
}

static Value toStorage(ImplicitLocOpBuilder &b, Value regs) {
  auto type = cast<VectorType>(regs.getType());
  Type storage = getStorageType(type.getElementType());
  if (storage == type.getElementType())
    return regs;
  VectorType result = type.clone(storage);
  if (type.getElementType().isIndex())
    return arith::IndexCastOp::create(b, result, regs);
  return arith::ExtUIOp::create(b, result, regs);
}

static Value fromStorage(ImplicitLocOpBuilder &b, Value regs,
                         Type elementType) {
  auto type = cast<VectorType>(regs.getType());
  if (elementType == type.getElementType())
    return regs;
  VectorType result = type.clone(elementType);
  if (elementType.isIndex())
    return arith::IndexCastOp::create(b, result, regs);
  return arith::TruncIOp::create(b, result, regs);
}

void Distributor::storeShared(ImplicitLocOpBuilder &b, Value regs,
                              const LinearLayout &layout,
                              const SharedTile &tile, Value buffer,
                              Value offset) {
  Type elementType = getElementTypeOrSelf(regs.getType());
  int64_t width = getRunWidth(layout, tile.contiguousDim, elementType);
  int64_t freeRegisters = layout.getFreeMask(InDim::Register);
  // Threads with the same element write the same value to the same place.
  for (int64_t reg = 0; reg < layout.getNumRegisters(); reg += width) {
    if (reg & freeRegisters)
      continue;
    Value run = sliceRegisters(b, regs, reg, width);
    auto store = vector::StoreOp::create(
        b, run, buffer, getSharedIndex(*this, b, layout, tile, reg, offset),
        /*nontemporal=*/false,
        llvm::MaybeAlign(width * getElementBytes(elementType)));
    store->setAttr(tile::kGroupAttrName, b.getI64IntegerAttr(nextGroup));
  }
  ++nextGroup;
}

Value Distributor::loadMatrices(ImplicitLocOpBuilder &b, Type elementType,
                                const MatrixLoad &load, const SharedTile &tile,
                                Value buffer, Value offset, Attribute phase) {
  VectorType type = VectorType::get({load.count, 2}, elementType);
  SmallVector<Value> pairs;
  for (int64_t i = 0; i < load.runs.getNumRegisters(); ++i) {
    auto matrices = nvgpu::LdMatrixOp::create(
        b, type, buffer, getSharedIndex(*this, b, load.runs, tile, i, offset),
        load.transpose, load.count);
    if (phase)
      matrices->setAttr(tile::kPhaseAttrName, phase);
    for (int64_t matrix = 0; matrix < load.count; ++matrix)
      pairs.push_back(
          vector::ExtractOp::create(b, matrices.getResult(), matrix));
  }
  return joinRegisters(b, pairs);
}

Value Distributor::loadShared(ImplicitLocOpBuilder &b, Type elementType,
                              const LinearLayout &layout,
                              const SharedTile &tile, Value buffer,
                              Value offset, Attribute phase) {
  if (layout.getRank())
    if (std::optional<MatrixLoad> load =
            getMatrixLoadOf(layout, tile.contiguousDim, elementType))
      return loadMatrices(b, elementType, *load, tile, buffer, offset, phase);
  int64_t width = getRunWidth(layout, tile.contiguousDim, elementType);
  VectorType runType = VectorType::get({width}, elementType);
  SmallVector<Value> runs;
  for (int64_t reg = 0; reg < layout.getNumRegisters(); reg += width) {
    auto load = vector::LoadOp::create(
        b, runType, buffer, getSharedIndex(*this, b, layout, tile, reg, offset),
        /*nontemporal=*/false,
        llvm::MaybeAlign(width * getElementBytes(elementType)));
    if (phase)
      load->setAttr(tile::kPhaseAttrName, phase);
    runs.push_back(load);
  }
  return joinRegisters(b, runs);
}

/// The first op behind `value`'s in its block that uses it.
static Operation *getFirstUser(Value value) {
  Operation *first = nullptr;
  Block *block = value.getParentBlock();
  for (Operation *user : value.getUsers()) {
    Operation *ancestor = block->findAncestorOpInBlock(*user);
    if (!first || ancestor->isBeforeInBlock(first))
      first = ancestor;
  }
  return first;
}

LogicalResult Distributor::distributeConvert(tile::ConvertLayoutOp op) {
  LinearLayout from = op.getFrom().getLayout(), to = op.getTo().getLayout();
  if (layouts.lookup(op.getSource()) != op.getFrom())
    return op.emitError("expected the source in the layout ") << op.getFrom();
  ImplicitLocOpBuilder b = builderAt(op);
  Value regs = registersOf(op.getSource());
  if (auto sources = from.getRegisterPermutation(to)) {
    setRegisters(op.getResult(), selectRegisters(b, regs, *sources));
    return success();
  }
  if (from.getNumBits(InDim::Lane) != kLaneBits ||
      to.getNumBits(InDim::Lane) != kLaneBits ||
      from.getNumBits(InDim::Warp) != llvm::Log2_64(warps) ||
      to.getNumBits(InDim::Warp) != llvm::Log2_64(warps))
    return op.emitError("expected layouts on all threads of the block");
  Type elementType = op.getType().getElementType();
  regs = toStorage(b, regs);
  Type storage = getElementTypeOrSelf(regs.getType());
  SharedTile tile = chooseSharedTile(from, to, storage);
  Value buffer = scratch.allocate(b, storage, tile.numElements);
  storeShared(b, regs, from, tile, buffer, Value());
  // Loads wait for their first use: stores of other tiles come in between, and
  // one barrier serves them all.
  if (Operation *user = getFirstUser(op.getResult()))
    b.setInsertionPoint(user);
  Value loaded = loadShared(b, storage, to, tile, buffer, Value());
  scratch.release(b, buffer);
  setRegisters(op.getResult(), fromStorage(b, loaded, elementType));
  return success();
}

//===----------------------------------------------------------------------===//
// Across warps
//===----------------------------------------------------------------------===//

/// Positions of the set bits of `mask`.
static SmallVector<unsigned> setBits(int64_t mask) {
  SmallVector<unsigned> bits;
  for (unsigned bit = 0; mask >> bit; ++bit)
    if (mask >> bit & 1)
      bits.push_back(bit);
  return bits;
}

Value Distributor::reduceWarps(ImplicitLocOpBuilder &b, Value regs,
                               const LinearLayout &result, int64_t warpMask,
                               vector::CombiningKind kind) {
  regs = toStorage(b, regs);
  Type elementType = getElementTypeOrSelf(regs.getType());
  // One tile a group of warps that hold different parts; the number of the
  // part is made of the warp's bits in the mask.
  SmallVector<unsigned> bits = setBits(warpMask);
  int64_t parts = int64_t(1) << bits.size();
  SharedTile tile = chooseSharedTile(result, result, elementType);
  Value buffer = scratch.allocate(b, elementType, parts * tile.numElements);
  ImplicitLocOpBuilder entry = entryBuilder();
  Value offset = arith::ConstantIndexOp::create(entry, 0);
  for (auto [i, bit] : llvm::enumerate(bits)) {
    Value part = arith::ShRUIOp::create(
        entry, getWarp(), arith::ConstantIndexOp::create(entry, bit));
    part = arith::AndIOp::create(entry, part,
                                 arith::ConstantIndexOp::create(entry, 1));
    part = arith::MulIOp::create(
        entry, part,
        arith::ConstantIndexOp::create(entry, tile.numElements << i));
    offset = arith::AddIOp::create(entry, offset, part);
  }
  storeShared(b, regs, result, tile, buffer, offset);
  Value sum;
  for (int64_t part = 0; part < parts; ++part) {
    Value base = arith::ConstantIndexOp::create(b, part * tile.numElements);
    Value loaded = loadShared(b, elementType, result, tile, buffer, base);
    sum = sum ? vector::makeArithReduction(b, b.getLoc(), kind, sum, loaded)
              : loaded;
  }
  scratch.release(b, buffer);
  return sum;
}
