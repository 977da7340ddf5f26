//===- CleaveOps.cpp - Type inference and verification of operations ------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Result types by axis name, and the verifiers of all operations but fold
// (CleaveFoldOp.cpp) and those that move positions of axes (CleaveViewOps.cpp).
// Folders stand in CleaveFolders.cpp.
//
//===----------------------------------------------------------------------===//

#include "TypeInference.h"

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

/// As `parseAxisList`, but a name may stand twice.
static ParseResult parseAxisNames(OpAsmParser &parser, ArrayAttr &names) {
  SmallVector<Attribute> attrs;
  auto parseName = [&] {
    StringAttr axis;
    if (parseAxis(parser, axis))
      return failure();
    attrs.push_back(axis);
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseName,
                                     " of axes"))
    return failure();
  names = parser.getBuilder().getArrayAttr(attrs);
  return success();
}

static void printAxisNames(OpAsmPrinter &printer, Operation *,
                           ArrayAttr names) {
  printer << "[";
  llvm::interleaveComma(names.getAsValueRange<StringAttr>(), printer,
                        [&](StringRef name) { printer << name; });
  printer << "]";
}

/// `as L`, or nothing.
static ParseResult parsePart(OpAsmParser &parser, StringAttr &part) {
  if (failed(parser.parseOptionalKeyword("as")))
    return success();
  return parseAxis(parser, part);
}

static void printPart(OpAsmPrinter &printer, Operation *, StringAttr part) {
  if (part)
    printer << "as " << part.getValue();
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

LogicalResult cleave::inferUnion(MLIRContext *context,
                                 std::optional<Location> location,
                                 ValueRange operands,
                                 SmallVectorImpl<Type> &results,
                                 Type elementType) {
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
CLEAVE_INFER_UNION(AbsOp)
CLEAVE_INFER_UNION(ExpOp)
CLEAVE_INFER_UNION(Exp2Op)
CLEAVE_INFER_UNION(LogOp)
CLEAVE_INFER_UNION(TanhOp)
CLEAVE_INFER_UNION(ErfOp)
CLEAVE_INFER_UNION(SqrtOp)
CLEAVE_INFER_UNION(RsqrtOp)
CLEAVE_INFER_UNION(SigmoidOp)
CLEAVE_INFER_UNION(SoftmaxOp)
CLEAVE_INFER_UNION(RMSNormOp)
CLEAVE_INFER_UNION(LayerNormOp)
CLEAVE_INFER_UNION(SiluOp)
CLEAVE_INFER_UNION(GeluOp)
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

#define CLEAVE_INFER_REDUCTION(OP)                                             \
  LogicalResult OP::inferReturnTypes(                                          \
      MLIRContext *context, std::optional<Location> location,                  \
      OP::Adaptor adaptor, SmallVectorImpl<Type> &results) {                   \
    return inferReduction(context, location, adaptor.getOperands(),            \
                          adaptor.getAxes(), results);                         \
  }
CLEAVE_INFER_REDUCTION(ReduceSumOp)
CLEAVE_INFER_REDUCTION(ReduceMaxOp)
CLEAVE_INFER_REDUCTION(ReduceMinOp)
CLEAVE_INFER_REDUCTION(ReduceProdOp)
CLEAVE_INFER_REDUCTION(ContractOp)
CLEAVE_INFER_REDUCTION(LogSumExpOp)
#undef CLEAVE_INFER_REDUCTION

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

LogicalResult cleave::verifyAxisName(Operation *op, StringRef name) {
  if (isAxisName(name))
    return success();
  return op->emitOpError("expected the name of an axis but got '")
         << name << "'";
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

LogicalResult ExtentOp::verify() { return verifyAxisName(*this, getAxis()); }

LogicalResult IotaOp::verify() {
  if (failed(verifyAxisName(*this, getAxis())))
    return failure();
  AxesAttr axes = cleave::getAxes(getResult());
  if (axes.size() != 1 || !axes.contains(getAxisAttr()))
    return emitOpError("expected a result with axis '")
           << getAxis() << "' only but got " << getType();
  int64_t extent = getType().getDimSize(0), limit = getLargestExtent();
  if (ShapedType::isStatic(extent) && extent > limit)
    return emitOpError("expected an extent of at most ")
           << limit << " for positions as " << getType().getElementType()
           << " but got " << extent;
  return success();
}

int64_t IotaOp::getLargestExtent() {
  unsigned precision =
      cast<FloatType>(getType().getElementType()).getFPMantissaWidth();
  return int64_t(1) << precision;
}

LogicalResult ReduceSumOp::verify() {
  return verifyReducedAxes(*this, getAxes(), getInput().getType());
}
LogicalResult ReduceMaxOp::verify() {
  return verifyReducedAxes(*this, getAxes(), getInput().getType());
}
LogicalResult ReduceMinOp::verify() {
  return verifyReducedAxes(*this, getAxes(), getInput().getType());
}
LogicalResult ReduceProdOp::verify() {
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

LogicalResult LogSumExpOp::verify() {
  return verifyReducedAxes(*this, getAxes(), getInput().getType());
}

/// A norm's means run over `axes` of the input, which carries all axes of the
/// parameters.
static LogicalResult verifyNorm(Operation *op, AxesAttr axes,
                                const APFloat &eps) {
  Type input = op->getOperand(0).getType();
  if (failed(verifyReducedAxes(op, axes, input)))
    return failure();
  if (!(eps.convertToDouble() >= 0))
    return op->emitOpError("expected eps to be at least 0");
  for (auto [i, parameter] : llvm::enumerate(op->getOperands().drop_front()))
    if (!cleave::getAxes(parameter).isSubsetOf(cleave::getAxes(input)))
      return op->emitOpError("expected the input to carry all axes of the ")
             << (i == 0 ? "weight" : "bias");
  return success();
}

LogicalResult RMSNormOp::verify() {
  return verifyNorm(*this, getAxes(), getEps());
}

LogicalResult LayerNormOp::verify() {
  if (getParameters().size() > 2)
    return emitOpError("expected at most a weight and a bias but got ")
           << getParameters().size() << " parameters";
  return verifyNorm(*this, getAxes(), getEps());
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
