//===- TileDialect.cpp - Layouts of tile values ---------------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parsing, printing and verification of the cleave_tile dialect.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Conversion/TileDialect.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::cleave;
using namespace mlir::cleave::tile;

#include "Cleave/Conversion/TileDialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "Cleave/Conversion/TileAttrs.cpp.inc"

#define GET_OP_CLASSES
#include "Cleave/Conversion/TileOps.cpp.inc"

namespace {

/// Layouts are long: each is printed once, as #layout, #layout1, ...
struct LayoutAliases : public OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;

  AliasResult getAlias(Attribute attr, raw_ostream &os) const override {
    if (!isa<LayoutAttr>(attr))
      return AliasResult::NoAlias;
    os << "layout";
    return AliasResult::FinalAlias;
  }
};

} // namespace

void CleaveTileDialect::initialize() {
  addInterfaces<LayoutAliases>();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "Cleave/Conversion/TileAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "Cleave/Conversion/TileOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// LayoutAttr
//===----------------------------------------------------------------------===//

LayoutAttr LayoutAttr::get(MLIRContext *context, const LinearLayout &layout) {
  return get(context, layout.getShape(), layout.getBases(InDim::Register),
             layout.getBases(InDim::Lane), layout.getBases(InDim::Warp));
}

LinearLayout LayoutAttr::getLayout() const {
  auto vec = [](ArrayRef<int64_t> a) {
    return LinearLayout::Vec(a.begin(), a.end());
  };
  return LinearLayout(getShape(),
                      {vec(getReg()), vec(getLane()), vec(getWarp())});
}

LogicalResult LayoutAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<int64_t> shape, ArrayRef<int64_t> reg,
                                 ArrayRef<int64_t> lane,
                                 ArrayRef<int64_t> warp) {
  int64_t count = 1;
  for (int64_t size : shape) {
    if (size < 1 || !llvm::isPowerOf2_64(size))
      return emitError()
             << "expected tile sizes that are powers of two but got " << size;
    if (count > (int64_t(1) << 40) / size)
      return emitError() << "expected a tile of at most 2^40 elements";
    count *= size;
  }
  for (ArrayRef<int64_t> bases : {reg, lane, warp})
    if (bases.size() > 20)
      return emitError() << "expected at most 20 bits an input but got "
                         << bases.size();
  for (ArrayRef<int64_t> bases : {reg, lane, warp})
    for (int64_t basis : bases)
      if (basis < 0 || basis >= count)
        return emitError() << "expected coordinates inside the tile";
  return success();
}

void LayoutAttr::print(AsmPrinter &printer) const {
  printer << '<' << getLayout().str() << '>';
}

/// Parses `[(0,1), (8,0)]` to row-major offsets.
static ParseResult parseBases(AsmParser &parser, StringRef keyword,
                              ArrayRef<int64_t> shape,
                              SmallVectorImpl<int64_t> &bases) {
  auto parseTuple = [&]() -> ParseResult {
    SmallVector<int64_t> coords;
    SMLoc loc = parser.getCurrentLocation();
    auto parseCoord = [&]() {
      return parser.parseInteger(coords.emplace_back());
    };
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseCoord))
      return failure();
    if (coords.size() != shape.size())
      return parser.emitError(loc) << "expected " << shape.size()
                                   << " coordinates but got " << coords.size();
    int64_t offset = 0;
    for (auto [coord, size] : llvm::zip_equal(coords, shape)) {
      if (coord < 0 || coord >= size)
        return parser.emitError(loc) << "expected coordinates inside the tile";
      offset = offset * size + coord;
    }
    bases.push_back(offset);
    return success();
  };
  return failure(
      parser.parseKeyword(keyword) || parser.parseEqual() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseTuple));
}

Attribute LayoutAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> shape, reg, lane, warp;
  SMLoc loc = parser.getCurrentLocation();
  auto parseSize = [&]() { return parser.parseInteger(shape.emplace_back()); };
  if (parser.parseLess() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseSize) ||
      parseBases(parser, "reg", shape, reg) || parser.parseComma() ||
      parseBases(parser, "lane", shape, lane) || parser.parseComma() ||
      parseBases(parser, "warp", shape, warp) || parser.parseGreater())
    return {};
  return parser.getChecked<LayoutAttr>(loc, parser.getContext(), shape, reg,
                                       lane, warp);
}

//===----------------------------------------------------------------------===//
// Layouts of results
//===----------------------------------------------------------------------===//

LayoutAttr tile::getResultLayout(OpResult result) {
  Attribute attr = result.getOwner()->getAttr(kLayoutAttrName);
  if (auto convert = dyn_cast<ConvertLayoutOp>(result.getOwner()))
    return convert.getTo();
  if (auto array = dyn_cast_or_null<ArrayAttr>(attr))
    return dyn_cast<LayoutAttr>(array[result.getResultNumber()]);
  return dyn_cast_or_null<LayoutAttr>(attr);
}

void tile::setResultLayouts(Operation *op, ArrayRef<LayoutAttr> layouts) {
  if (layouts.size() == 1 && layouts[0]) {
    op->setAttr(kLayoutAttrName, layouts[0]);
    return;
  }
  SmallVector<Attribute> all;
  for (LayoutAttr layout : layouts)
    all.push_back(layout ? Attribute(layout)
                         : Attribute(UnitAttr::get(op->getContext())));
  op->setAttr(kLayoutAttrName, ArrayAttr::get(op->getContext(), all));
}

static LogicalResult verifyLayout(Operation *op, Type type, LayoutAttr layout) {
  auto vector = dyn_cast<VectorType>(type);
  if (!vector || vector.getShape() != layout.getShape())
    return op->emitOpError() << "expected a layout of the shape of " << type
                             << " but got " << layout;
  return success();
}

LogicalResult
CleaveTileDialect::verifyOperationAttribute(Operation *op,
                                            NamedAttribute attribute) {
  if (attribute.getName() == kGroupAttrName)
    return isa<IntegerAttr>(attribute.getValue())
               ? success()
               : op->emitOpError()
                     << "expected " << kGroupAttrName << " to be an integer";
  if (attribute.getName() == kPhaseAttrName) {
    auto phase = dyn_cast<DenseI64ArrayAttr>(attribute.getValue());
    return phase && phase.size() == 2 && phase[1] > 0
               ? success()
               : op->emitOpError() << "expected " << kPhaseAttrName
                                   << " to be a phase and a number of slots";
  }
  if (attribute.getName() != kLayoutAttrName)
    return op->emitOpError() << "has unknown attribute " << attribute.getName();
  if (auto layout = dyn_cast<LayoutAttr>(attribute.getValue())) {
    if (op->getNumResults() != 1)
      return op->emitOpError()
             << "expected an array of " << op->getNumResults() << " layouts";
    return verifyLayout(op, op->getResult(0).getType(), layout);
  }
  auto array = dyn_cast<ArrayAttr>(attribute.getValue());
  if (!array || array.size() != op->getNumResults())
    return op->emitOpError() << "expected a layout or an array of "
                             << op->getNumResults() << " layouts";
  for (auto [attr, type] : llvm::zip_equal(array, op->getResultTypes()))
    if (auto layout = dyn_cast<LayoutAttr>(attr))
      if (failed(verifyLayout(op, type, layout)))
        return failure();
  return success();
}

LogicalResult ConvertLayoutOp::verify() {
  for (LayoutAttr layout : {getFrom(), getTo()})
    if (failed(verifyLayout(*this, getType(), layout)))
      return failure();
  for (LayoutAttr layout : {getFrom(), getTo()})
    if (!layout.getLayout().isSurjective())
      return emitOpError() << "expected a layout that places every element";
  return success();
}

//===----------------------------------------------------------------------===//
// Rings
//===----------------------------------------------------------------------===//

static bool isRingType(MemRefType type) {
  return type.hasStaticShape() && type.getLayout().isIdentity() &&
         gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(type);
}

void RingOp::build(OpBuilder &b, OperationState &state, VectorType tile,
                   int64_t slots) {
  auto space =
      gpu::AddressSpaceAttr::get(b.getContext(), gpu::AddressSpace::Workgroup);
  SmallVector<int64_t> shape(tile.getShape());
  shape.insert(shape.begin(), slots);
  build(b, state,
        MemRefType::get(shape, tile.getElementType(),
                        MemRefLayoutAttrInterface(), space));
}

LogicalResult RingOp::verify() {
  auto type = cast<MemRefType>(getType());
  if (!isRingType(type))
    return emitOpError() << "expected slots in workgroup memory but got "
                         << type;
  return success();
}

static LogicalResult verifyTile(Operation *op, Type ring, Type tile) {
  auto memref = cast<MemRefType>(ring);
  auto vector = cast<VectorType>(tile);
  if (!isRingType(memref) || memref.getRank() != vector.getRank() + 1 ||
      memref.getShape().drop_front() != vector.getShape() ||
      memref.getElementType() != vector.getElementType())
    return op->emitOpError()
           << "expected a ring of " << vector << " but got " << memref;
  return success();
}

LogicalResult FetchOp::verify() {
  return verifyTile(*this, getRing().getType(), getTile().getType());
}

LogicalResult WriteOp::verify() {
  return verifyTile(*this, getRing().getType(), getTile().getType());
}

LogicalResult ReadOp::verify() {
  std::optional<ArrayRef<int64_t>> offsets = getOffsets();
  if (!offsets)
    return verifyTile(*this, getRing().getType(), getType());
  auto ring = cast<MemRefType>(getRing().getType());
  auto tile = cast<VectorType>(getType());
  ArrayRef<int64_t> slot = ring.getShape().drop_front();
  bool fits = isRingType(ring) && slot.size() == offsets->size() &&
              tile.getShape().size() == slot.size() &&
              tile.getElementType() == ring.getElementType();
  for (unsigned d = 0; fits && d < slot.size(); ++d) {
    int64_t offset = (*offsets)[d], size = tile.getDimSize(d);
    fits = offset >= 0 && offset % size == 0 && offset + size <= slot[d];
  }
  if (!fits)
    return emitOpError() << "expected a part of a slot of " << ring
                         << ", at multiples of its size, but got " << tile;
  return success();
}
