//===- CleaveOps.cpp - Type inference and verification of operations ------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Result types by axis name, and the verifiers of all operations but fold
// (CleaveFoldOp.cpp). Folders stand in CleaveFolders.cpp.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Dialect/CleaveDialect.h"
#include "mlir/IR/Builders.h"
#include <map>

using namespace mlir;
using namespace mlir::cleave;

//===----------------------------------------------------------------------===//
// Printing of axis names
//===----------------------------------------------------------------------===//

static ParseResult parseAxis(OpAsmParser &parser, StringAttr &axis) {
  StringRef keyword;
  if (parser.parseKeyword(&keyword))
    return failure();
  axis = parser.getBuilder().getStringAttr(keyword);
  return success();
}

static void printAxis(OpAsmPrinter &printer, Operation *, StringAttr axis) {
  printer << axis.getValue();
}

/// [K, N]
static ParseResult parseAxisList(OpAsmParser &parser, AxesAttr &axes) {
  SmallVector<StringAttr> names;
  llvm::SMLoc loc = parser.getCurrentLocation();
  if (parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Square,
          [&] { return parseAxis(parser, names.emplace_back()); }, " of axes"))
    return failure();
  axes = AxesAttr::getChecked([&] { return parser.emitError(loc); },
                              parser.getContext(), ArrayRef<StringAttr>(names));
  return success(axes != nullptr);
}

static void printAxisList(OpAsmPrinter &printer, Operation *, AxesAttr axes) {
  printer << "[";
  llvm::interleaveComma(axes.getNames(), printer,
                        [&](StringAttr name) { printer << name.getValue(); });
  printer << "]";
}

/// [K, N] or [N, K]: the same set, which the attribute has in order.
static ParseResult parseAxisSet(OpAsmParser &parser, AxesAttr &axes) {
  if (parseAxisList(parser, axes))
    return failure();
  axes = axes.getSorted();
  return success();
}

static void printAxisSet(OpAsmPrinter &printer, Operation *op, AxesAttr axes) {
  printAxisList(printer, op, axes);
}

#define GET_OP_CLASSES
#include "Cleave/Dialect/CleaveOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Type inference
//===----------------------------------------------------------------------===//

/// The axis that operands have different extents of, and the first two of them.
static std::string describeConflict(ValueRange operands) {
  std::map<StringRef, int64_t> extents;
  for (Value operand : operands) {
    auto type = cast<RankedTensorType>(operand.getType());
    for (auto [name, extent] :
         llvm::zip_equal(getAxes(type).getNames(), type.getShape())) {
      if (ShapedType::isDynamic(extent))
        continue;
      auto [it, inserted] = extents.try_emplace(name.getValue(), extent);
      if (it->second != extent)
        return ("expected one extent of axis '" + name.getValue() +
                "' but got " + Twine(it->second) + " and " + Twine(extent))
            .str();
    }
  }
  llvm_unreachable("extents agree");
}

/// The axes of all operands, with `elementType` or the arithmetic type.
static LogicalResult inferUnion(MLIRContext *context,
                                std::optional<Location> location,
                                ValueRange operands,
                                SmallVectorImpl<Type> &results,
                                Type elementType = {}) {
  for (Value operand : operands)
    if (!isCleaveTensor(operand.getType()))
      return emitOptionalError(
          location, "expected operands to be tensors with named axes but got ",
          operand.getType());
  if (!elementType)
    elementType = getArithmeticType(context, operands.getTypes());
  Type type = getUnionType(context, operands.getTypes(), elementType);
  if (!type)
    return emitOptionalError(location, describeConflict(operands));
  results.push_back(type);
  return success();
}

#define CLEAVE_INFER_UNION(OP)                                                 \
  LogicalResult OP::inferReturnTypes(                                          \
      MLIRContext *context, std::optional<Location> location,                  \
      OP::Adaptor adaptor, SmallVectorImpl<Type> &results) {                   \
    return inferUnion(context, location, adaptor.getOperands(), results);      \
  }
CLEAVE_INFER_UNION(AddOp)
CLEAVE_INFER_UNION(MulOp)
CLEAVE_INFER_UNION(MaxOp)
CLEAVE_INFER_UNION(MinOp)
CLEAVE_INFER_UNION(SubOp)
CLEAVE_INFER_UNION(DivOp)
CLEAVE_INFER_UNION(PowOp)
CLEAVE_INFER_UNION(NegOp)
CLEAVE_INFER_UNION(RecipOp)
CLEAVE_INFER_UNION(Recip0Op)
CLEAVE_INFER_UNION(ExpOp)
CLEAVE_INFER_UNION(SqrtOp)
CLEAVE_INFER_UNION(RsqrtOp)
CLEAVE_INFER_UNION(SigmoidOp)
CLEAVE_INFER_UNION(SoftmaxOp)
CLEAVE_INFER_UNION(RMSNormOp)
CLEAVE_INFER_UNION(SiluOp)
#undef CLEAVE_INFER_UNION

LogicalResult IsFiniteOp::inferReturnTypes(MLIRContext *context,
                                           std::optional<Location> location,
                                           Adaptor adaptor,
                                           SmallVectorImpl<Type> &results) {
  return inferUnion(context, location, adaptor.getOperands(), results,
                    IntegerType::get(context, 1));
}

LogicalResult CmpOp::inferReturnTypes(MLIRContext *context,
                                      std::optional<Location> location,
                                      Adaptor adaptor,
                                      SmallVectorImpl<Type> &results) {
  return inferUnion(context, location, adaptor.getOperands(), results,
                    IntegerType::get(context, 1));
}

LogicalResult SelectOp::inferReturnTypes(MLIRContext *context,
                                         std::optional<Location> location,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &results) {
  Type elementType =
      getArithmeticType(context, adaptor.getOperands().drop_front().getTypes());
  return inferUnion(context, location, adaptor.getOperands(), results,
                    elementType);
}

LogicalResult ExtentOp::inferReturnTypes(MLIRContext *context,
                                         std::optional<Location>, Adaptor,
                                         SmallVectorImpl<Type> &results) {
  results.push_back(
      RankedTensorType::get({}, Float32Type::get(context),
                            AxesAttr::get(context, ArrayRef<StringAttr>())));
  return success();
}

static LogicalResult inferReduction(MLIRContext *context,
                                    std::optional<Location> location,
                                    ValueRange operands, AxesAttr axes,
                                    SmallVectorImpl<Type> &results) {
  SmallVector<Type> full;
  if (failed(inferUnion(context, location, operands, full)))
    return failure();
  auto type = cast<RankedTensorType>(full.front());
  results.push_back(dropAxes(type, axes, type.getElementType()));
  return success();
}

LogicalResult ReduceSumOp::inferReturnTypes(MLIRContext *context,
                                            std::optional<Location> location,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &results) {
  return inferReduction(context, location, adaptor.getOperands(),
                        adaptor.getAxes(), results);
}

LogicalResult ReduceMaxOp::inferReturnTypes(MLIRContext *context,
                                            std::optional<Location> location,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &results) {
  return inferReduction(context, location, adaptor.getOperands(),
                        adaptor.getAxes(), results);
}

LogicalResult ContractOp::inferReturnTypes(MLIRContext *context,
                                           std::optional<Location> location,
                                           Adaptor adaptor,
                                           SmallVectorImpl<Type> &results) {
  return inferReduction(context, location, adaptor.getOperands(),
                        adaptor.getAxes(), results);
}

LogicalResult RenameOp::inferReturnTypes(MLIRContext *context,
                                         std::optional<Location> location,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &results) {
  if (!isCleaveTensor(adaptor.getInput().getType()))
    return emitOptionalError(location,
                             "expected the operand to have named axes");
  auto type = cast<RankedTensorType>(adaptor.getInput().getType());
  AxesAttr from = adaptor.getFrom(), to = adaptor.getTo();
  if (from.size() != to.size())
    return emitOptionalError(location,
                             "expected as many new names as old "
                             "ones but got ",
                             to.size(), " for ", from.size());
  SmallVector<StringAttr> names(getAxes(type).getNames());
  for (StringAttr &name : names)
    if (int64_t index = from.indexOf(name); index >= 0)
      name = to.getNames()[index];
  if (llvm::SmallDenseSet<StringAttr>(names.begin(), names.end()).size() !=
      names.size())
    return emitOptionalError(location,
                             "expected new names that the tensor lacks");
  auto renamed = RankedTensorType::get(type.getShape(), type.getElementType(),
                                       AxesAttr::get(context, names));
  results.push_back(getUnionType(context, {renamed}, type.getElementType()));
  return success();
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

/// The axes of a reduction: a non-empty sorted set that `types` carry.
static LogicalResult verifyReducedAxes(Operation *op, AxesAttr axes,
                                       TypeRange types) {
  if (axes.size() == 0)
    return op->emitOpError("expected at least one axis");
  if (!axes.isSorted())
    return op->emitOpError("expected axes in lexicographic order");
  for (StringAttr name : axes.getNames())
    if (llvm::none_of(types,
                      [&](Type type) { return getAxes(type).contains(name); }))
      return op->emitOpError("expected an operand to carry axis '")
             << name.getValue() << "'";
  return success();
}

static LogicalResult verifyVariadic(Operation *op) {
  if (op->getNumOperands() == 0)
    return op->emitOpError("expected at least one operand");
  return success();
}

LogicalResult AddOp::verify() { return verifyVariadic(*this); }
LogicalResult MulOp::verify() { return verifyVariadic(*this); }
LogicalResult MaxOp::verify() { return verifyVariadic(*this); }
LogicalResult MinOp::verify() { return verifyVariadic(*this); }

LogicalResult ExtentOp::verify() {
  if (!isAxisName(getAxis()))
    return emitOpError("expected the name of an axis but got '")
           << getAxis() << "'";
  return success();
}

LogicalResult ReduceSumOp::verify() {
  return verifyReducedAxes(*this, getAxes(), getInput().getType());
}
LogicalResult ReduceMaxOp::verify() {
  return verifyReducedAxes(*this, getAxes(), getInput().getType());
}
LogicalResult ContractOp::verify() {
  if (getAxes().size() == 0)
    return emitOpError("expected at least one axis; a product without a sum is "
                       "cleave.mul");
  if (std::optional<Type> type = getOperandType();
      type && !isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(*type))
    return emitOpError("expected 'operand_type' to be f16, bf16, f32 or f64 "
                       "but got ")
           << *type;
  return verifyReducedAxes(*this, getAxes(), getOperands().getTypes());
}
LogicalResult SoftmaxOp::verify() {
  return verifyReducedAxes(*this, getAxes(), getInput().getType());
}

LogicalResult RMSNormOp::verify() {
  if (failed(verifyReducedAxes(*this, getAxes(), getInput().getType())))
    return failure();
  if (!(getEps().convertToDouble() >= 0))
    return emitOpError("expected eps to be at least 0");
  if (!getWeight())
    return success();
  AxesAttr input = cleave::getAxes(getInput());
  if (!cleave::getAxes(getWeight()).isSubsetOf(input))
    return emitOpError("expected the input to carry all axes of the weight");
  return success();
}

LogicalResult CastOp::verify() {
  Type expected = getUnionType(getContext(), getInput().getType(),
                               getElementTypeOrSelf(getResult().getType()));
  if (expected != getResult().getType())
    return emitOpError("expected result type ")
           << expected << " but got " << getResult().getType();
  return success();
}

void CastOp::build(OpBuilder &builder, OperationState &state, Value input,
                   Type elementType) {
  build(builder, state,
        getUnionType(builder.getContext(), input.getType(), elementType),
        input);
}

void ConstantOp::build(OpBuilder &builder, OperationState &state,
                       double value) {
  auto type = RankedTensorType::get(
      {}, builder.getF32Type(),
      AxesAttr::get(builder.getContext(), ArrayRef<StringAttr>()));
  build(builder, state, type, builder.getF64FloatAttr(value));
}

LogicalResult RenameOp::verify() {
  AxesAttr axes = cleave::getAxes(getInput());
  for (StringAttr name : getFrom().getNames())
    if (!axes.contains(name))
      return emitOpError("expected the operand to carry axis '")
             << name.getValue() << "'";
  return success();
}

LogicalResult RelayoutOp::verify() {
  RankedTensorType input = getInput().getType(), result = getType();
  if (getUnionType(getContext(), input, input.getElementType()) !=
      getUnionType(getContext(), result, result.getElementType()))
    return emitOpError("expected the same axes, extents and element type but "
                       "got ")
           << input << " and " << result;
  return success();
}

/// The type of a view that replaces `removed` by axes `added` of the given
/// extents.
static RankedTensorType replaceAxes(RankedTensorType type, AxesAttr removed,
                                    ArrayRef<StringAttr> added,
                                    ArrayRef<int64_t> extents) {
  MLIRContext *context = type.getContext();
  auto extra = RankedTensorType::get(extents, type.getElementType(),
                                     AxesAttr::get(context, added));
  RankedTensorType kept = dropAxes(type, removed, type.getElementType());
  return getUnionType(context, {kept, extra}, type.getElementType());
}

LogicalResult SplitOp::verify() {
  RankedTensorType input = getInput().getType(), result = getType();
  AxesAttr before = cleave::getAxes(input), after = cleave::getAxes(result);
  std::optional<int64_t> extent = getExtent(input, getAxisAttr());
  if (!extent)
    return emitOpError("expected the operand to carry axis '")
           << getAxis() << "'";
  for (StringAttr part : {getOuterAttr(), getInnerAttr()})
    if (before.contains(part) || !after.contains(part))
      return emitOpError("expected axis '")
             << part.getValue() << "' in the result only";
  if (getOuter() == getInner())
    return emitOpError("expected two different parts");
  std::optional<int64_t> outer = getExtent(result, getOuterAttr());
  std::optional<int64_t> inner = getExtent(result, getInnerAttr());
  RankedTensorType expected = replaceAxes(
      input, AxesAttr::get(getContext(), ArrayRef<StringAttr>{getAxisAttr()}),
      {getOuterAttr(), getInnerAttr()}, {*outer, *inner});
  if (expected != result)
    return emitOpError("expected result type ")
           << expected << " but got " << result;
  if (*outer == 0)
    return emitOpError("expected at least one part");
  if (ShapedType::isDynamic(*extent) || ShapedType::isDynamic(*outer) ||
      ShapedType::isDynamic(*inner))
    return success();
  if (int64_t part = llvm::divideCeil(*extent, *outer); part != *inner)
    return emitOpError("expected axis '") << getInner() << "' to have extent "
                                          << part << " but got " << *inner;
  return success();
}

LogicalResult MergeOp::verify() {
  RankedTensorType input = getInput().getType(), result = getType();
  for (StringAttr part : {getOuterAttr(), getInnerAttr()})
    if (!cleave::getAxes(input).contains(part))
      return emitOpError("expected the operand to carry axis '")
             << part.getValue() << "'";
  std::optional<int64_t> extent = getExtent(result, getAxisAttr());
  if (!extent || cleave::getAxes(input).contains(getAxisAttr()))
    return emitOpError("expected axis '")
           << getAxis() << "' in the result only";
  if (getOuter() == getInner())
    return emitOpError("expected two different parts");
  RankedTensorType expected = replaceAxes(
      input,
      AxesAttr::get(getContext(),
                    ArrayRef<StringAttr>{getOuterAttr(), getInnerAttr()}),
      {getAxisAttr()}, {*extent});
  if (expected != result)
    return emitOpError("expected result type ")
           << expected << " but got " << result;
  return success();
}

//===----------------------------------------------------------------------===//
// AlternativesOp
//===----------------------------------------------------------------------===//

void AlternativesOp::build(OpBuilder &builder, OperationState &state,
                           TypeRange results, unsigned count) {
  state.addTypes(results);
  for (unsigned i = 0; i < count; ++i)
    state.addRegion()->emplaceBlock();
}

LogicalResult AlternativesOp::verifyRegions() {
  if (getAlternatives().empty())
    return emitOpError("expected at least one region");
  if (getLabels() && getLabels()->size() != getAlternatives().size())
    return emitOpError("expected one label a region");
  for (Region &region : getAlternatives()) {
    auto yield = dyn_cast<YieldOp>(region.front().getTerminator());
    if (!yield || yield.getValues().getTypes() != getResultTypes())
      return emitOpError("expected every region to yield the results' types")
                 .attachNote(region.front().getTerminator()->getLoc())
             << "in this region";
  }
  return success();
}
