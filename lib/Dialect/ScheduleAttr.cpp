//===- ScheduleAttr.cpp - The schedule attribute --------------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parsing and printing. Whether a schedule fits its function is checked where
// it is applied (Schedule.cpp), since only that knows the graph.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Dialect/CleaveDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace mlir::cleave;

LogicalResult ScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   int64_t region,
                                   ArrayRef<StringAttr> gridAxes,
                                   ArrayRef<int64_t> gridTiles,
                                   ArrayRef<StringAttr> loopAxes,
                                   ArrayRef<int64_t> loopTiles, int64_t warps,
                                   int64_t stages) {
  if (gridAxes.size() != gridTiles.size() ||
      loopAxes.size() != loopTiles.size())
    return emitError() << "expected one tile an axis";
  if (region < 0)
    return emitError() << "expected a region of at least 0 but got " << region;
  return success();
}

/// [M: 16, N: 64]
static ParseResult parseTiles(AsmParser &parser,
                              SmallVectorImpl<StringAttr> &axes,
                              SmallVectorImpl<int64_t> &tiles) {
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Square,
      [&]() -> ParseResult {
        StringRef name;
        if (parser.parseKeyword(&name) || parser.parseColon() ||
            parser.parseInteger(tiles.emplace_back()))
          return failure();
        axes.push_back(parser.getBuilder().getStringAttr(name));
        return success();
      },
      " of axes with tiles");
}

static void printTiles(AsmPrinter &printer, ArrayRef<StringAttr> axes,
                       ArrayRef<int64_t> tiles) {
  printer << "[";
  llvm::interleaveComma(llvm::zip_equal(axes, tiles), printer, [&](auto pair) {
    printer << std::get<0>(pair).getValue() << ": " << std::get<1>(pair);
  });
  printer << "]";
}

Attribute ScheduleAttr::parse(AsmParser &parser, Type) {
  int64_t region = 0, warps = 0, stages = 0;
  SmallVector<StringAttr> gridAxes, loopAxes;
  SmallVector<int64_t> gridTiles, loopTiles;
  auto parseField = [&](StringRef name) -> ParseResult {
    return failure(parser.parseKeyword(name) || parser.parseEqual());
  };
  if (parser.parseLess() || parseField("region") ||
      parser.parseInteger(region) || parser.parseComma() ||
      parseField("grid") || parseTiles(parser, gridAxes, gridTiles) ||
      parser.parseComma() || parseField("loop") ||
      parseTiles(parser, loopAxes, loopTiles) || parser.parseComma() ||
      parseField("warps") || parser.parseInteger(warps) ||
      parser.parseComma() || parseField("stages") ||
      parser.parseInteger(stages) || parser.parseGreater())
    return {};
  return parser.getChecked<ScheduleAttr>(
      parser.getContext(), region, ArrayRef<StringAttr>(gridAxes),
      ArrayRef<int64_t>(gridTiles), ArrayRef<StringAttr>(loopAxes),
      ArrayRef<int64_t>(loopTiles), warps, stages);
}

void ScheduleAttr::print(AsmPrinter &printer) const {
  printer << "<region = " << getRegion() << ", grid = ";
  printTiles(printer, getGridAxes(), getGridTiles());
  printer << ", loop = ";
  printTiles(printer, getLoopAxes(), getLoopTiles());
  printer << ", warps = " << getWarps() << ", stages = " << getStages() << ">";
}
