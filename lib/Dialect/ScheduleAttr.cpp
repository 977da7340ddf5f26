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
                                 int64_t /*stages*/, bool beside, bool join) {
  if (beside && join)
    return emitError() << "expected 'beside' or 'join' but got both";
  if (gridAxes.size() != gridTiles.size() ||
      loopAxes.size() != loopTiles.size())
    return emitError() << "expected one tile an axis";
  return success();
}

static LogicalResult
verifyConditions(function_ref<InFlightDiagnostic()> emitError,
                 ArrayRef<StringAttr> axes, ArrayRef<int64_t> bounds) {
  if (axes.size() != bounds.size())
    return emitError() << "expected one bound an axis in 'when'";
  for (auto [number, bound] : llvm::enumerate(bounds)) {
    if (bound < 0)
      return emitError() << "expected axis " << axes[number]
                         << " to have a bound of at least 0 in 'when' but got "
                         << bound;
    if (llvm::is_contained(axes.take_front(number), axes[number]))
      return emitError() << "expected axis " << axes[number]
                         << " once in 'when'";
  }
  return success();
}

LogicalResult ScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   ArrayRef<StringAttr> whenAxes,
                                   ArrayRef<int64_t> whenBounds, int64_t region,
                                   ArrayRef<StringAttr> splitAxes,
                                   ArrayRef<int64_t> splitCounts,
                                   ArrayRef<KernelAttr> kernels) {
  if (failed(verifyConditions(emitError, whenAxes, whenBounds)))
    return failure();
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
  for (auto [shares, name] : {std::pair(kernels.front().getBeside(), "beside"),
                              {kernels.front().getJoin(), "join"}})
    if (shares)
      return emitError() << "expected a kernel in front of one with '" << name
                         << "'";
  return success();
}

bool ScheduleAttr::covers(ScheduleAttr other) const {
  return llvm::all_of(
      llvm::zip_equal(getWhenAxes(), getWhenBounds()), [&](auto condition) {
        auto [axis, bound] = condition;
        const StringAttr *found = llvm::find(other.getWhenAxes(), axis);
        size_t place = found - other.getWhenAxes().begin();
        return found != other.getWhenAxes().end() &&
               other.getWhenBounds()[place] <= bound;
      });
}

std::string ScheduleAttr::describeWhen() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(llvm::zip_equal(getWhenAxes(), getWhenBounds()), os,
                        [&](auto condition) {
                          os << std::get<0>(condition).getValue() << " upto "
                             << std::get<1>(condition);
                        });
  return text;
}

LogicalResult
SchedulesAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                      ArrayRef<ScheduleAttr> schedules) {
  if (schedules.empty())
    return emitError() << "expected a schedule";
  if (!schedules.back().getWhenAxes().empty())
    return emitError() << "expected the last schedule without 'when'";
  for (auto [number, schedule] : llvm::enumerate(schedules.drop_back())) {
    if (schedule.getWhenAxes().empty())
      return emitError() << "expected 'when' for every schedule but the last";
    for (ScheduleAttr earlier : schedules.take_front(number))
      if (earlier.covers(schedule))
        return emitError() << "expected extents that reach the schedule when "
                           << schedule.describeWhen()
                           << " but an earlier one has them all";
  }
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

/// The fields of a kernel from `grid` on; `launch` is the keyword in front of
/// them, if there is one.
static KernelAttr parseTail(AsmParser &parser, ArrayRef<StringAttr> stores,
                            StringRef launch) {
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
      ArrayRef<int64_t>(loopTiles), warps, stages, launch == "beside",
      launch == "join");
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
  StringRef launch;
  if (succeeded(parser.parseOptionalKeyword(&launch, {"beside", "join"})) &&
      parser.parseComma())
    return {};
  KernelAttr kernel = parseTail(parser, stores, launch);
  if (!kernel || parser.parseGreater())
    return {};
  return kernel;
}

void KernelAttr::print(AsmPrinter &printer) const {
  printer << "<store = [";
  llvm::interleaveComma(getStores(), printer,
                        [&](StringAttr name) { printer << name.getValue(); });
  printer << "], ";
  if (getBeside())
    printer << "beside, ";
  if (getJoin())
    printer << "join, ";
  printTail(printer, *this);
  printer << ">";
}

/// [M upto 45]
static ParseResult parseConditions(AsmParser &parser,
                                   SmallVectorImpl<StringAttr> &axes,
                                   SmallVectorImpl<int64_t> &bounds) {
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Square,
      [&]() -> ParseResult {
        StringRef name;
        if (parser.parseKeyword(&name) || parser.parseKeyword("upto") ||
            parser.parseInteger(bounds.emplace_back()))
          return failure();
        axes.push_back(parser.getBuilder().getStringAttr(name));
        return success();
      },
      " of axes with bounds");
}

Attribute ScheduleAttr::parse(AsmParser &parser, Type) {
  int64_t region = 0;
  SmallVector<StringAttr> whenAxes, splitAxes;
  SmallVector<int64_t> whenBounds, splitCounts;
  SmallVector<KernelAttr> kernels;
  if (parser.parseLess())
    return {};
  if (succeeded(parser.parseOptionalKeyword("when")) &&
      (parser.parseEqual() || parseConditions(parser, whenAxes, whenBounds) ||
       parser.parseComma()))
    return {};
  if (parseField(parser, "region") || parser.parseInteger(region) ||
      parser.parseComma())
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
  } else if (KernelAttr kernel = parseTail(parser, {}, /*launch=*/"")) {
    kernels.push_back(kernel);
  } else {
    return {};
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<ScheduleAttr>(
      parser.getContext(), ArrayRef<StringAttr>(whenAxes),
      ArrayRef<int64_t>(whenBounds), region, ArrayRef<StringAttr>(splitAxes),
      ArrayRef<int64_t>(splitCounts), ArrayRef<KernelAttr>(kernels));
}

void ScheduleAttr::print(AsmPrinter &printer) const {
  printer << "<";
  if (!getWhenAxes().empty())
    printer << "when = [" << describeWhen() << "], ";
  printer << "region = " << getRegion() << ", ";
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

Attribute SchedulesAttr::parse(AsmParser &parser, Type) {
  SmallVector<ScheduleAttr> schedules;
  auto parseSchedule = [&]() -> ParseResult {
    Attribute schedule = ScheduleAttr::parse(parser, {});
    if (!schedule)
      return failure();
    schedules.push_back(cast<ScheduleAttr>(schedule));
    return success();
  };
  if (parser.parseLess() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                     parseSchedule, " of schedules") ||
      parser.parseGreater())
    return {};
  return parser.getChecked<SchedulesAttr>(parser.getContext(),
                                          ArrayRef<ScheduleAttr>(schedules));
}

void SchedulesAttr::print(AsmPrinter &printer) const {
  printer << "<[";
  llvm::interleaveComma(getSchedules(), printer, [&](ScheduleAttr schedule) {
    schedule.print(printer);
  });
  printer << "]>";
}
