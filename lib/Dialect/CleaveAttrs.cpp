//===- CleaveAttrs.cpp - Attributes of the cleave dialect -----------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parsing, printing and verification of axis lists and symbol tables.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Dialect/CleaveDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::cleave;

#include "Cleave/Dialect/CleaveEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "Cleave/Dialect/CleaveAttrs.cpp.inc"

void CleaveDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "Cleave/Dialect/CleaveAttrs.cpp.inc"
      >();
}

bool cleave::isAxisName(StringRef name) {
  return !name.empty() && (llvm::isAlpha(name[0]) || name[0] == '_') &&
         llvm::all_of(name, [](char c) {
           return llvm::isAlnum(c) || c == '_' || c == '$' || c == '.';
         });
}

static ParseResult parseName(AsmParser &parser, StringAttr &name) {
  StringRef keyword;
  if (parser.parseKeyword(&keyword))
    return failure();
  name = parser.getBuilder().getStringAttr(keyword);
  return success();
}

//===----------------------------------------------------------------------===//
// AxesAttr
//===----------------------------------------------------------------------===//

AxesAttr AxesAttr::get(MLIRContext *context, ArrayRef<StringRef> names) {
  SmallVector<StringAttr> attrs;
  for (StringRef name : names)
    attrs.push_back(StringAttr::get(context, name));
  return get(context, attrs);
}

LogicalResult AxesAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               ArrayRef<StringAttr> names) {
  llvm::SmallDenseSet<StringAttr> seen;
  for (StringAttr name : names) {
    if (!isAxisName(name.getValue()))
      return emitError() << "expected the name of an axis but got '"
                         << name.getValue() << "'";
    if (!seen.insert(name).second)
      return emitError() << "expected each axis once but got '"
                         << name.getValue() << "' twice";
  }
  return success();
}

Attribute AxesAttr::parse(AsmParser &parser, Type) {
  SmallVector<StringAttr> names;
  if (parser.parseCommaSeparatedList(
          AsmParser::Delimiter::LessGreater,
          [&] { return parseName(parser, names.emplace_back()); }, " of axes"))
    return {};
  return parser.getChecked<AxesAttr>(parser.getContext(),
                                     ArrayRef<StringAttr>(names));
}

void AxesAttr::print(AsmPrinter &printer) const {
  printer << "<";
  llvm::interleaveComma(getNames(), printer,
                        [&](StringAttr name) { printer << name.getValue(); });
  printer << ">";
}

LogicalResult
AxesAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                         function_ref<InFlightDiagnostic()> emitError) const {
  if (shape.size() == size())
    return success();
  return emitError() << "expected one axis a dimension but got " << size()
                     << " axes for " << shape.size() << " dimensions";
}

int64_t AxesAttr::indexOf(StringAttr name) const {
  const auto *it = llvm::find(getNames(), name);
  return it == getNames().end() ? -1 : it - getNames().begin();
}

static bool isBefore(StringAttr a, StringAttr b) {
  return a.getValue() < b.getValue();
}

bool AxesAttr::isSorted() const {
  return llvm::is_sorted(getNames(), isBefore);
}

AxesAttr AxesAttr::getSorted() const {
  SmallVector<StringAttr> names(getNames());
  llvm::sort(names, isBefore);
  return get(getContext(), names);
}

AxesAttr AxesAttr::unionWith(AxesAttr other) const {
  SmallVector<StringAttr> names(getNames());
  for (StringAttr name : other.getNames())
    if (!contains(name))
      names.push_back(name);
  return get(getContext(), names).getSorted();
}

AxesAttr AxesAttr::without(AxesAttr other) const {
  SmallVector<StringAttr> names;
  for (StringAttr name : getNames())
    if (!other.contains(name))
      names.push_back(name);
  return get(getContext(), names).getSorted();
}

AxesAttr AxesAttr::intersect(AxesAttr other) const {
  SmallVector<StringAttr> names;
  for (StringAttr name : getNames())
    if (other.contains(name))
      names.push_back(name);
  return get(getContext(), names).getSorted();
}

bool AxesAttr::isSubsetOf(AxesAttr other) const {
  return llvm::all_of(getNames(),
                      [&](StringAttr name) { return other.contains(name); });
}

//===----------------------------------------------------------------------===//
// SymbolAttr
//===----------------------------------------------------------------------===//

LogicalResult SymbolAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 StringAttr name, AxisKind kind,
                                 ArrayRef<int64_t> values,
                                 ArrayRef<StringAttr> operands) {
  for (int64_t value : values)
    if (value < 0)
      return emitError() << "expected extents of at least 0 for axis '"
                         << name.getValue() << "' but got " << value;
  bool relation = kind == AxisKind::CeilDiv || kind == AxisKind::Product;
  if (kind == AxisKind::Sum ? operands.size() < 2
                            : operands.size() != (relation ? 2u : 0u))
    return emitError() << "expected a relation of axis '" << name.getValue()
                       << "' to two others";
  if (llvm::is_contained(operands, name))
    return emitError() << "expected axis '" << name.getValue()
                       << "' not to be defined by itself";
  if (kind == AxisKind::Static && values.size() != 1)
    return emitError() << "expected one extent for static axis '"
                       << name.getValue() << "'";
  return success();
}

/// ceil(K / S), G * R, or A + B + ...
static ParseResult parseRelation(AsmParser &parser, AxisKind &kind,
                                 SmallVectorImpl<StringAttr> &operands) {
  operands.resize(2);
  StringRef first;
  if (parser.parseKeyword(&first))
    return failure();
  if (first == "ceil" && succeeded(parser.parseOptionalLParen())) {
    kind = AxisKind::CeilDiv;
    return failure(parseName(parser, operands[0]) || parser.parseSlash() ||
                   parseName(parser, operands[1]) || parser.parseRParen());
  }
  operands[0] = parser.getBuilder().getStringAttr(first);
  if (failed(parser.parseOptionalPlus())) {
    kind = AxisKind::Product;
    return failure(parser.parseStar() || parseName(parser, operands[1]));
  }
  kind = AxisKind::Sum;
  operands.pop_back();
  do {
    if (parseName(parser, operands.emplace_back()))
      return failure();
  } while (succeeded(parser.parseOptionalPlus()));
  return success();
}

static ParseResult parseSymbol(AsmParser &parser, SymbolAttr &symbol) {
  StringAttr name;
  AxisKind kind = AxisKind::Static;
  SmallVector<int64_t> values;
  SmallVector<StringAttr> operands;
  if (parseName(parser, name))
    return failure();
  if (succeeded(parser.parseOptionalEqual())) {
    if (parseRelation(parser, kind, operands))
      return failure();
  } else {
    if (parser.parseColon())
      return failure();
    int64_t extent;
    OptionalParseResult number = parser.parseOptionalInteger(extent);
    if (number.has_value()) {
      if (failed(*number))
        return failure();
      values.push_back(extent);
    } else {
      StringRef keyword;
      llvm::SMLoc loc = parser.getCurrentLocation();
      if (parser.parseKeyword(&keyword))
        return failure();
      if (keyword != "dynamic" && keyword != "bound")
        return parser.emitError(loc)
               << "expected 'dynamic', 'bound' or an extent but got '"
               << keyword << "'";
      kind = keyword == "dynamic" ? AxisKind::Dynamic : AxisKind::Bound;
      if (succeeded(parser.parseOptionalKeyword("like")))
        do {
          if (parser.parseInteger(values.emplace_back()))
            return failure();
        } while (succeeded(parser.parseOptionalVerticalBar()));
    }
  }
  symbol = parser.getChecked<SymbolAttr>(parser.getContext(), name, kind,
                                         ArrayRef<int64_t>(values),
                                         ArrayRef<StringAttr>(operands));
  return success(symbol != nullptr);
}

static void printSymbol(AsmPrinter &printer, SymbolAttr symbol) {
  printer << symbol.getName().getValue();
  ArrayRef<StringAttr> operands = symbol.getOperands();
  switch (symbol.getKind()) {
  case AxisKind::Static:
    printer << ": " << symbol.getValues().front();
    return;
  case AxisKind::CeilDiv:
    printer << " = ceil(" << operands[0].getValue() << " / "
            << operands[1].getValue() << ")";
    return;
  case AxisKind::Product:
    printer << " = " << operands[0].getValue() << " * "
            << operands[1].getValue();
    return;
  case AxisKind::Sum:
    printer << " = ";
    llvm::interleave(
        operands, printer.getStream(),
        [&](StringAttr name) { printer << name.getValue(); }, " + ");
    return;
  case AxisKind::Bound:
  case AxisKind::Dynamic:
    printer << ": " << stringifyAxisKind(symbol.getKind());
    if (symbol.getValues().empty())
      return;
    printer << " like ";
    llvm::interleave(symbol.getValues(), printer, " | ");
  }
}

Attribute SymbolAttr::parse(AsmParser &parser, Type) {
  SymbolAttr symbol;
  if (parser.parseLess() || parseSymbol(parser, symbol) ||
      parser.parseGreater())
    return {};
  return symbol;
}

void SymbolAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printSymbol(printer, *this);
  printer << ">";
}

//===----------------------------------------------------------------------===//
// SymbolsAttr
//===----------------------------------------------------------------------===//

LogicalResult SymbolsAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  ArrayRef<SymbolAttr> symbols) {
  llvm::SmallDenseSet<StringAttr> seen;
  for (SymbolAttr symbol : symbols)
    if (!seen.insert(symbol.getName()).second)
      return emitError() << "expected each axis once but got '"
                         << symbol.getName().getValue() << "' twice";
  return success();
}

Attribute SymbolsAttr::parse(AsmParser &parser, Type) {
  SmallVector<SymbolAttr> symbols;
  if (parser.parseCommaSeparatedList(
          AsmParser::Delimiter::LessGreater,
          [&] { return parseSymbol(parser, symbols.emplace_back()); },
          " of axes"))
    return {};
  return parser.getChecked<SymbolsAttr>(parser.getContext(),
                                        ArrayRef<SymbolAttr>(symbols));
}

void SymbolsAttr::print(AsmPrinter &printer) const {
  printer << "<";
  llvm::interleaveComma(getSymbols(), printer, [&](SymbolAttr symbol) {
    printSymbol(printer, symbol);
  });
  printer << ">";
}

SymbolAttr SymbolsAttr::lookup(StringAttr name) const {
  for (SymbolAttr symbol : getSymbols())
    if (symbol.getName() == name)
      return symbol;
  return {};
}
