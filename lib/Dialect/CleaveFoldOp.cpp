//===- CleaveFoldOp.cpp - The fold operation ------------------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Syntax and verification of cleave.fold: the types of its body and rebase
// regions follow from its inputs and results.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Dialect/CleaveDialect.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::cleave;

void FoldOp::build(OpBuilder &builder, OperationState &state, TypeRange results,
                   ValueRange inputs, AxesAttr axes,
                   ArrayRef<ReductionKind> kinds) {
  state.addOperands(inputs);
  state.addTypes(results);
  Properties &properties = state.getOrAddProperties<Properties>();
  properties.axes = axes;
  SmallVector<Attribute> attrs;
  for (ReductionKind kind : kinds) {
    attrs.push_back(ReductionKindAttr::get(builder.getContext(), kind));
    state.addRegion();
    state.addRegion();
  }
  properties.kinds = builder.getArrayAttr(attrs);
}

std::optional<Type> FoldOp::getOperandType(size_t state) {
  if (!getOperandTypes() || getKind(state) != ReductionKind::Contract)
    return std::nullopt;
  return cast<TypeAttr>((*getOperandTypes())[state]).getValue();
}

/// cleave.fold over [T] ins(%a, %b : types) (kind body {..} rebase {..})+
/// attr-dict -> (types)
ParseResult FoldOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand> inputs;
  SmallVector<Type> inputTypes;
  SmallVector<StringAttr> names;
  auto parseName = [&] {
    StringRef name;
    if (parser.parseKeyword(&name))
      return failure();
    names.push_back(parser.getBuilder().getStringAttr(name));
    return success();
  };
  llvm::SMLoc axesLoc, inputLoc = parser.getCurrentLocation();
  if (parser.parseKeyword("over") || parser.getCurrentLocation(&axesLoc) ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseName) ||
      parser.parseKeyword("ins") || parser.parseLParen())
    return failure();
  // A fold of constants has no inputs.
  if (failed(parser.parseOptionalRParen()) &&
      (parser.parseOperandList(inputs) ||
       parser.parseColonTypeList(inputTypes) || parser.parseRParen() ||
       parser.resolveOperands(inputs, inputTypes, inputLoc, result.operands)))
    return failure();
  AxesAttr axes =
      AxesAttr::getChecked([&] { return parser.emitError(axesLoc); },
                           parser.getContext(), ArrayRef<StringAttr>(names));
  if (!axes)
    return failure();
  axes = axes.getSorted();

  SmallVector<Attribute> kinds;
  StringRef keyword;
  llvm::SMLoc kindLoc = parser.getCurrentLocation();
  while (succeeded(parser.parseOptionalKeyword(
      &keyword, {"reduce_sum", "reduce_max", "reduce_min", "contract"}))) {
    kinds.push_back(ReductionKindAttr::get(parser.getContext(),
                                           *symbolizeReductionKind(keyword)));
    if (parser.parseKeyword("body") ||
        parser.parseRegion(*result.addRegion(), {}) ||
        parser.parseKeyword("rebase") ||
        parser.parseRegion(*result.addRegion(), {}))
      return failure();
  }
  if (kinds.empty())
    return parser.emitError(kindLoc, "expected 'reduce_sum', 'reduce_max', "
                                     "'reduce_min' or 'contract'");
  Properties &properties = result.getOrAddProperties<Properties>();
  properties.axes = axes;
  properties.kinds = parser.getBuilder().getArrayAttr(kinds);
  if (parser.parseOptionalAttrDict(result.attributes) || parser.parseArrow() ||
      parser.parseLParen() || parser.parseTypeList(result.types) ||
      parser.parseRParen())
    return failure();
  if (Attribute types = result.attributes.get("operand_types")) {
    properties.operand_types = dyn_cast<ArrayAttr>(types);
    result.attributes.erase("operand_types");
    if (!properties.operand_types)
      return parser.emitError(kindLoc, "expected 'operand_types' to be an "
                                       "array of types");
  }
  return success();
}

void FoldOp::print(OpAsmPrinter &printer) {
  printer << " over [";
  llvm::interleaveComma(getAxes().getNames(), printer,
                        [&](StringAttr name) { printer << name.getValue(); });
  printer << "] ins(";
  if (!getInputs().empty())
    printer << getInputs() << " : " << getInputs().getTypes();
  printer << ")";
  for (size_t i = 0, e = getNumStates(); i < e; ++i) {
    printer.printNewline();
    printer << "  " << stringifyReductionKind(getKind(i)) << " body ";
    printer.printRegion(getBody(i), /*printEntryBlockArgs=*/true,
                        /*printBlockTerminators=*/true);
    printer << " rebase ";
    printer.printRegion(getRebase(i));
  }
  printer.printOptionalAttrDict((*this)->getAttrs(), {"axes", "kinds"});
  printer << " -> (" << getResultTypes() << ")";
}

LogicalResult FoldOp::verify() {
  if (getKinds().empty())
    return emitOpError("expected at least one state");
  if (getNumResults() != getNumStates())
    return emitOpError("expected one result a state but got ")
           << getNumResults() << " for " << getNumStates();
  if (getStateRegions().size() != 2 * getNumStates())
    return emitOpError("expected a body and a rebase region a state");
  if (getAxes().size() == 0 || !getAxes().isSorted())
    return emitOpError("expected a non-empty set of axes in lexicographic "
                       "order");
  if (!getOperandTypes())
    return success();
  if (getOperandTypes()->size() != getNumStates() ||
      llvm::any_of(
          getOperandTypes()->getAsValueRange<TypeAttr>(), [](Type type) {
            return !isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(
                type);
          }))
    return emitOpError("expected one of f16, bf16, f32 and f64 a state in "
                       "'operand_types'");
  return success();
}

/// Checks that `region` is one block with `arguments` that ends in a yield of
/// `yields` tensors.
static LogicalResult verifyRegion(FoldOp op, Region &region, StringRef what,
                                  size_t state, TypeRange arguments,
                                  size_t yields) {
  auto error = [&] {
    return op.emitOpError("state ") << state << ": " << what << " ";
  };
  if (!region.hasOneBlock())
    return error() << "expected one block";
  Block &block = region.front();
  if (block.getArgumentTypes() != arguments)
    return error() << "expected arguments " << arguments << " but got "
                   << block.getArgumentTypes();
  auto yield = block.empty() ? YieldOp() : dyn_cast<YieldOp>(block.back());
  if (!yield || yield.getValues().size() != yields)
    return error() << "expected to yield " << yields
                   << (yields == 1 ? " tensor" : " tensors");
  return success();
}

static LogicalResult verifyState(FoldOp op, size_t state) {
  MLIRContext *context = op.getContext();
  SmallVector<Type> references(op.getResults().take_front(state).getTypes());
  SmallVector<Type> arguments(op.getInputs().getTypes());
  llvm::append_range(arguments, references);
  bool contraction = op.getKind(state) == ReductionKind::Contract;
  Region &body = op.getBody(state), &rebase = op.getRebase(state);
  if (failed(verifyRegion(op, body, "body", state, arguments,
                          contraction ? 2 : 1)))
    return failure();

  TypeRange yielded = body.front().getTerminator()->getOperandTypes();
  for (Type type : yielded)
    if (!isa<FloatType>(getElementTypeOrSelf(type)))
      return op.emitOpError("state ")
             << state << ": body expected to yield floats but got " << type;
  RankedTensorType full =
      getUnionType(context, yielded, getArithmeticType(context, yielded));
  if (!full || !op.getAxes().isSubsetOf(getAxes(full)))
    return op.emitOpError("state ")
           << state << ": body expected to yield the axes of the fold";
  Type reduced = dropAxes(full, op.getAxes(), full.getElementType());
  if (reduced != op.getResult(state).getType())
    return op.emitOpError("state ")
           << state << ": expected result type " << reduced << " but got "
           << op.getResult(state).getType();

  bool usesReference = llvm::any_of(
      body.front().getArguments().take_back(state),
      [](BlockArgument reference) { return !reference.use_empty(); });
  if (rebase.empty()) {
    if (usesReference)
      return op.emitOpError("state ")
             << state
             << ": expected a rebase region since the body uses an "
                "earlier state";
    return success();
  }
  SmallVector<Type> rebaseArguments = references;
  rebaseArguments.push_back(reduced);
  llvm::append_range(rebaseArguments, references);
  if (failed(verifyRegion(op, rebase, "rebase", state, rebaseArguments, 1)))
    return failure();
  Type result = rebase.front().getTerminator()->getOperand(0).getType();
  if (result != reduced)
    return op.emitOpError("state ") << state << ": rebase expected to yield "
                                    << reduced << " but got " << result;
  return success();
}

LogicalResult FoldOp::verifyRegions() {
  for (Type type : getResultTypes())
    if (!cleave::getAxes(type).intersect(getAxes()).getNames().empty())
      return emitOpError("expected results without the folded axes");
  for (size_t i = 0, e = getNumStates(); i < e; ++i)
    if (failed(verifyState(*this, i)))
      return failure();
  return success();
}
