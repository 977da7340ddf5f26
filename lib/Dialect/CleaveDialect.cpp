//===- CleaveDialect.cpp - Registration and dialect hooks -----------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers the dialect, names its attribute aliases, and checks the
// attributes that functions, arguments and results may carry.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Dialect/CleaveDialect.h"
#include "Cleave/Dialect/SymbolicDim.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FoldInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::cleave;

#include "Cleave/Dialect/CleaveDialect.cpp.inc"

namespace {

/// `#M_K` for `#cleave.axes<M, K>`.
struct CleaveAsmInterface : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;

  AliasResult getAlias(Attribute attr, raw_ostream &os) const override {
    auto axes = dyn_cast<AxesAttr>(attr);
    if (!axes)
      return AliasResult::NoAlias;
    if (axes.size() == 0)
      os << "scalar";
    llvm::interleave(
        axes.getNames(), os, [&](StringAttr name) { os << name.getValue(); },
        "_");
    return AliasResult::OverridableAlias;
  }
};

/// Constants stay in the region of alternatives that uses them, so that every
/// region can be taken out alone.
struct CleaveFoldInterface : DialectFoldInterface {
  using DialectFoldInterface::DialectFoldInterface;

  bool shouldMaterializeInto(Region *region) const override {
    return isa<AlternativesOp, FoldOp>(region->getParentOp());
  }
};

} // namespace

void CleaveDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "Cleave/Dialect/CleaveOps.cpp.inc"
      >();
  addInterfaces<CleaveAsmInterface, CleaveFoldInterface>();
}

Operation *CleaveDialect::materializeConstant(OpBuilder &builder,
                                              Attribute value, Type type,
                                              Location loc) {
  auto number = dyn_cast<FloatAttr>(value);
  if (!number || !isCleaveTensor(type))
    return nullptr;
  return ConstantOp::create(builder, loc, type, number);
}

/// Nobody wants a schedule or a range to be ignored for a letter.
static LogicalResult verifyKnown(Operation *op, NamedAttribute attr) {
  constexpr llvm::StringLiteral kKnown[] = {
      "alias",       "backwards",    "beside",   "candidates", "copy",
      "derivations", "join",         "name",     "overlap",    "range",
      "result",      "row_multiple", "schedule", "stages",     "symbols",
      "target",      "warps",        "when",     "wide",       "zeros"};
  StringRef name = attr.getName().getValue();
  name.consume_front("cleave.");
  if (llvm::is_contained(kKnown, name))
    return success();
  return op->emitOpError("unknown attribute 'cleave.") << name << "'";
}

LogicalResult CleaveDialect::verifyOperationAttribute(Operation *op,
                                                      NamedAttribute attr) {
  if (failed(verifyKnown(op, attr)))
    return failure();
  if (attr.getName() == kScheduleAttrName) {
    auto single = dyn_cast<ScheduleAttr>(attr.getValue());
    if (single && !single.getWhenAxes().empty())
      return op->emitOpError("expected 'when' in #cleave.schedules only");
    if (isa<FunctionOpInterface>(op) &&
        (single || isa<SchedulesAttr>(attr.getValue())))
      return success();
    return op->emitOpError("expected '")
           << kScheduleAttrName
           << "' to be a #cleave.schedule or #cleave.schedules attribute of a "
              "function";
  }
  if (attr.getName() == kTargetAttrName) {
    if (isa<ModuleOp>(op) && isa<TargetAttr>(attr.getValue()))
      return success();
    return op->emitOpError("expected '")
           << kTargetAttrName
           << "' to be a #cleave.target attribute of a module";
  }
  if (attr.getName() != kSymbolsAttrName)
    return success();
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return op->emitOpError("expected '")
           << kSymbolsAttrName << "' on a function only";
  if (!isa<SymbolsAttr>(attr.getValue()))
    return op->emitOpError("expected '")
           << kSymbolsAttrName << "' to be a #cleave.symbols attribute";
  return verifyCleaveFunction(function);
}

static LogicalResult verifyName(Operation *op, NamedAttribute attr) {
  auto name = dyn_cast<StringAttr>(attr.getValue());
  if (name && !name.getValue().empty())
    return success();
  return op->emitOpError("expected '")
         << attr.getName().getValue() << "' to be a non-empty string";
}

/// The argument must be there, be like the result and be given away once.
static LogicalResult verifyAlias(Operation *op, unsigned number,
                                 NamedAttribute attr) {
  auto name = dyn_cast<StringAttr>(attr.getValue());
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!name || !function)
    return op->emitOpError("expected '")
           << attr.getName().getValue() << "' to be a string";
  std::optional<unsigned> found;
  for (unsigned i = 0; i < function.getNumArguments() && !found; ++i)
    if (function.getArgAttr(i, CleaveDialect::kNameAttrName) == name)
      found = i;
  if (!found)
    return op->emitOpError("expected an argument named ")
           << name << " for result " << number;
  Type expected = function.getArgumentTypes()[*found];
  if (Type type = function.getResultTypes()[number]; type != expected)
    return op->emitOpError("expected result ")
           << number << " to have the type of argument " << name << ", "
           << expected << ", but got " << type;
  for (unsigned other = 0; other < number; ++other)
    if (function.getResultAttr(other, attr.getName()) == name)
      return op->emitOpError("expected one result with the memory of ")
             << name << " but got " << other << " and " << number;
  return success();
}

LogicalResult CleaveDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                      unsigned argIndex,
                                                      NamedAttribute attr) {
  if (attr.getName() == kNameAttrName)
    return verifyName(op, attr);
  if (attr.getName() != kRangeAttrName)
    return verifyKnown(op, attr);
  auto range = dyn_cast<FloatAttr>(attr.getValue());
  if (!range || !(range.getValueAsDouble() >= 0) ||
      range.getValue().isInfinity())
    return op->emitOpError("expected '")
           << kRangeAttrName << "' of argument " << argIndex
           << " to be a finite float of at least 0";
  return success();
}

LogicalResult CleaveDialect::verifyRegionResultAttribute(Operation *op,
                                                         unsigned,
                                                         unsigned number,
                                                         NamedAttribute attr) {
  if (attr.getName() == kNameAttrName)
    return verifyName(op, attr);
  if (attr.getName() == kAliasAttrName)
    return verifyAlias(op, number, attr);
  return verifyKnown(op, attr);
}

bool cleave::isCleaveTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && isa_and_nonnull<AxesAttr>(tensor.getEncoding());
}

std::optional<int64_t> cleave::getExtent(RankedTensorType type,
                                         StringAttr axis) {
  int64_t index = getAxes(type).indexOf(axis);
  if (index < 0)
    return std::nullopt;
  return type.getDimSize(index);
}

RankedTensorType cleave::getUnionType(MLIRContext *context, TypeRange types,
                                      Type elementType) {
  std::map<StringRef, int64_t> extents;
  for (Type type : types) {
    auto tensor = cast<RankedTensorType>(type);
    for (auto [name, extent] :
         llvm::zip_equal(getAxes(tensor).getNames(), tensor.getShape())) {
      auto [it, inserted] = extents.try_emplace(name.getValue(), extent);
      if (inserted || ShapedType::isDynamic(extent))
        continue;
      if (!ShapedType::isDynamic(it->second) && it->second != extent)
        return {};
      it->second = extent;
    }
  }
  SmallVector<StringRef> names;
  SmallVector<int64_t> shape;
  for (auto [name, extent] : extents) {
    names.push_back(name);
    shape.push_back(extent);
  }
  return RankedTensorType::get(shape, elementType,
                               AxesAttr::get(context, names));
}

RankedTensorType cleave::dropAxes(RankedTensorType type, AxesAttr axes,
                                  Type elementType) {
  AxesAttr kept = getAxes(type).getSorted().without(axes);
  SmallVector<int64_t> shape;
  for (StringAttr name : kept.getNames())
    shape.push_back(*getExtent(type, name));
  return RankedTensorType::get(shape, elementType, kept);
}

Type cleave::getArithmeticType(MLIRContext *context, TypeRange types) {
  for (Type type : types)
    if (getElementTypeOrSelf(type).isF64())
      return Float64Type::get(context);
  return Float32Type::get(context);
}
