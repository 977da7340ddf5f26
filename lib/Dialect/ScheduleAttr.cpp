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

LogicalResult KernelAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<StringAttr> /*stores*/,
                                 ArrayRef<StringAttr> gridAxes,
                                 ArrayRef<int64_t> gridTiles,
                                 ArrayRef<StringAttr> loopAxes,
                                 ArrayRef<int64_t> loopTiles, int64_t /*warps*/,
                                 int64_t /*stages*/) {
  if (gridAxes.size() != gridTiles.size() ||
      loopAxes.size() != loopTiles.size())
    return emitError() << "expected one tile an axis";
  return success();
}

LogicalResult ScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   int64_t region,
                                   ArrayRef<StringAttr> splitAxes,
                                   ArrayRef<int64_t> splitCounts,
                                   ArrayRef<KernelAttr> kernels) {
  if (region < 0)
    return emitError() << "expected a region of at least 0 but got " << region;
  if (splitAxes.size() != splitCounts.size())
    return emitError() << "expected one count a split axis";
  for (auto [axis, count] : llvm::zip_equal(splitAxes, splitCounts))
    if (count < 1)
      return emitError() << "expected axis " << axis
                         << " to be split into at least 1 part but got "
                         << count;
  if (kernels.empty())
    return emitError() << "expected a kernel";
  if (kernels.size() > 1 && llvm::any_of(kernels, [](KernelAttr kernel) {
        return kernel.getStores().empty();
      }))
    return emitError() << "expected 'store' for each of several kernels";
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

static ParseResult parseField(AsmParser &parser, StringRef name) {
  return failure(parser.parseKeyword(name) || parser.parseEqual());
}

/// The fields of a kernel from `grid` on.
static KernelAttr parseTail(AsmParser &parser, ArrayRef<StringAttr> stores) {
  int64_t warps = 0, stages = 0;
  SmallVector<StringAttr> gridAxes, loopAxes;
  SmallVector<int64_t> gridTiles, loopTiles;
  if (parseField(parser, "grid") || parseTiles(parser, gridAxes, gridTiles) ||
      parser.parseComma() || parseField(parser, "loop") ||
      parseTiles(parser, loopAxes, loopTiles) || parser.parseComma() ||
      parseField(parser, "warps") || parser.parseInteger(warps) ||
      parser.parseComma() || parseField(parser, "stages") ||
      parser.parseInteger(stages))
    return {};
  return parser.getChecked<KernelAttr>(
      parser.getContext(), stores, ArrayRef<StringAttr>(gridAxes),
      ArrayRef<int64_t>(gridTiles), ArrayRef<StringAttr>(loopAxes),
      ArrayRef<int64_t>(loopTiles), warps, stages);
}

static void printTail(AsmPrinter &printer, KernelAttr kernel) {
  printer << "grid = ";
  printTiles(printer, kernel.getGridAxes(), kernel.getGridTiles());
  printer << ", loop = ";
  printTiles(printer, kernel.getLoopAxes(), kernel.getLoopTiles());
  printer << ", warps = " << kernel.getWarps()
          << ", stages = " << kernel.getStages();
}

Attribute KernelAttr::parse(AsmParser &parser, Type) {
  SmallVector<StringAttr> stores;
  auto parseStore = [&]() -> ParseResult {
    StringRef name;
    if (parser.parseKeyword(&name))
      return failure();
    stores.push_back(parser.getBuilder().getStringAttr(name));
    return success();
  };
  if (parser.parseLess() || parseField(parser, "store") ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseStore,
                                     " of stored values") ||
      parser.parseComma())
    return {};
  KernelAttr kernel = parseTail(parser, stores);
  if (!kernel || parser.parseGreater())
    return {};
  return kernel;
}

void KernelAttr::print(AsmPrinter &printer) const {
  printer << "<store = [";
  llvm::interleaveComma(getStores(), printer,
                        [&](StringAttr name) { printer << name.getValue(); });
  printer << "], ";
  printTail(printer, *this);
  printer << ">";
}

Attribute ScheduleAttr::parse(AsmParser &parser, Type) {
  int64_t region = 0;
  SmallVector<StringAttr> splitAxes;
  SmallVector<int64_t> splitCounts;
  SmallVector<KernelAttr> kernels;
  if (parser.parseLess() || parseField(parser, "region") ||
      parser.parseInteger(region) || parser.parseComma())
    return {};
  if (succeeded(parser.parseOptionalKeyword("split")) &&
      (parser.parseEqual() || parseTiles(parser, splitAxes, splitCounts) ||
       parser.parseComma()))
    return {};
  auto parseKernel = [&]() -> ParseResult {
    Attribute kernel = KernelAttr::parse(parser, {});
    if (!kernel)
      return failure();
    kernels.push_back(cast<KernelAttr>(kernel));
    return success();
  };
  if (succeeded(parser.parseOptionalKeyword("kernels"))) {
    if (parser.parseEqual() ||
        parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                       parseKernel, " of kernels"))
      return {};
  } else if (KernelAttr kernel = parseTail(parser, {})) {
    kernels.push_back(kernel);
  } else {
    return {};
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<ScheduleAttr>(
      parser.getContext(), region, ArrayRef<StringAttr>(splitAxes),
      ArrayRef<int64_t>(splitCounts), ArrayRef<KernelAttr>(kernels));
}

void ScheduleAttr::print(AsmPrinter &printer) const {
  printer << "<region = " << getRegion() << ", ";
  if (!getSplitAxes().empty()) {
    printer << "split = ";
    printTiles(printer, getSplitAxes(), getSplitCounts());
    printer << ", ";
  }
  if (getKernels().front().getStores().empty()) {
    printTail(printer, getKernels().front());
  } else {
    printer << "kernels = [";
    llvm::interleaveComma(getKernels(), printer,
                          [&](KernelAttr kernel) { kernel.print(printer); });
    printer << "]";
  }
  printer << ">";
}
