//===- TuningTable.cpp - Schedules that were measured ---------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: scheduling. Reading and writing the file, and the names of graphs.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Transforms/TuningTable.h"

#include "Cleave/Transforms/Explain.h"
#include "Cleave/Transforms/OwnDiagnostics.h"
#include "Cleave/Transforms/ReadJSON.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"
#include <cmath>

using namespace mlir;
using namespace mlir::cleave;
namespace json = llvm::json;

//===----------------------------------------------------------------------===//
// Names of graphs
//===----------------------------------------------------------------------===//

/// Which extents stand for dynamic axes is no part of the graph.
static SymbolsAttr dropExtents(SymbolsAttr symbols) {
  SmallVector<SymbolAttr> kept;
  for (SymbolAttr symbol : symbols.getSymbols())
    kept.push_back(symbol.getKind() == AxisKind::Dynamic
                       ? SymbolAttr::get(symbol.getContext(), symbol.getName(),
                                         symbol.getKind(), {}, {})
                       : symbol);
  return SymbolsAttr::get(symbols.getContext(), kept);
}

std::string cleave::hashGraph(FunctionOpInterface function) {
  OwningOpRef<Operation *> copy = function->clone();
  Operation *graph = copy.get();
  graph->setAttr(SymbolTable::getSymbolAttrName(),
                 StringAttr::get(graph->getContext(), "graph"));
  for (StringRef name :
       {StringRef(CleaveDialect::kScheduleAttrName),
        StringRef(kCandidatesAttrName), StringRef(kDerivationsAttrName)})
    graph->removeAttr(name);
  if (auto symbols =
          graph->getAttrOfType<SymbolsAttr>(CleaveDialect::kSymbolsAttrName))
    graph->setAttr(CleaveDialect::kSymbolsAttrName, dropExtents(symbols));
  std::string text;
  llvm::raw_string_ostream os(text);
  graph->print(os, OpPrintingFlags().useLocalScope());
  return llvm::utohexstr(llvm::xxh3_64bits(text), /*LowerCase=*/true,
                         /*Width=*/16);
}

//===----------------------------------------------------------------------===//
// The file
//===----------------------------------------------------------------------===//

namespace {
/// An entry as it stands in the file.
struct FileEntry {
  TuningKey key;
  std::string function, schedule;
  double microseconds = 0;
};

struct File {
  std::vector<FileEntry> entries;
};

// Found by the arguments' namespace.
bool fromJSON(const json::Value &value, FileEntry &entry, json::Path path) {
  json::ObjectMapper mapper(value, path);
  return mapper && mapper.map("function", entry.function) &&
         mapper.map("graph", entry.key.graph) &&
         mapper.map("chip", entry.key.chip) &&
         mapper.map("extents", entry.key.extents) &&
         mapper.map("schedule", entry.schedule) &&
         mapper.map("us", entry.microseconds);
}

bool fromJSON(const json::Value &value, File &file, json::Path path) {
  json::ObjectMapper mapper(value, path);
  return mapper && mapper.map("entries", file.entries);
}

} // namespace

/// Where in the file: JSON says it as "[3:14, byte=61]: ...".
static Location takeLocation(StringRef &message, StringRef path,
                             MLIRContext *context) {
  unsigned line = 1, column = 1;
  StringRef rest = message;
  if (rest.consume_front("[") && !rest.consumeInteger(10, line) &&
      rest.consume_front(":") && !rest.consumeInteger(10, column))
    message = rest.split("]: ").second;
  return FileLineColLoc::get(context, path, line, column);
}

FailureOr<std::string> cleave::readText(StringRef path, MLIRContext *context) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer)
    return emitError(FileLineColLoc::get(context, path, 1, 1))
           << "cannot read the file: " << buffer.getError().message();
  return (*buffer)->getBuffer().str();
}

LogicalResult cleave::emitJSONError(llvm::Error error, StringRef path,
                                    MLIRContext *context) {
  std::string text = llvm::toString(std::move(error));
  StringRef message = text;
  Location location = takeLocation(message, path, context);
  return emitError(location) << "unreadable: " << message;
}

FailureOr<TuningTable> TuningTable::read(StringRef path, MLIRContext *context) {
  Location start = FileLineColLoc::get(context, path, 1, 1);
  FailureOr<File> file = readJSON<File>(path, "table", context);
  if (failed(file))
    return failure();
  TuningTable table;
  for (size_t number = 0; number < file->entries.size(); ++number) {
    FileEntry &entry = file->entries[number];
    std::string reason;
    auto schedule = [&] {
      OwnDiagnostics handler(context, [&](Diagnostic &error) {
        if (reason.empty())
          reason = error.str();
      });
      return dyn_cast_or_null<ScheduleAttr>(
          parseAttribute(entry.schedule, context));
    }();
    if (!schedule || !schedule.getWhenAxes().empty())
      return emitError(start)
             << "expected a schedule without 'when' at table.entries[" << number
             << "].schedule" << (reason.empty() ? "" : ": " + reason);
    if (!std::isfinite(entry.microseconds) || entry.microseconds < 0)
      return emitError(start)
             << "expected a time at table.entries[" << number << "].us";
    table.set(std::move(entry.key),
              {std::move(entry.function), schedule, entry.microseconds});
  }
  return table;
}

LogicalResult TuningTable::write(StringRef path, MLIRContext *context) const {
  std::error_code status;
  llvm::raw_fd_ostream out(path, status);
  if (status)
    return emitError(FileLineColLoc::get(context, path, 1, 1))
           << "cannot write tuning table: " << status.message();
  json::Array all;
  for (const auto &[key, entry] : entries) {
    std::string schedule;
    llvm::raw_string_ostream os(schedule);
    Attribute(entry.schedule).print(os);
    json::Object extents;
    for (const auto &[axis, extent] : key.extents)
      extents[axis] = extent;
    all.push_back(json::Object{{"function", entry.function},
                               {"graph", key.graph},
                               {"chip", key.chip},
                               {"extents", std::move(extents)},
                               {"schedule", schedule},
                               {"us", entry.microseconds}});
  }
  out << llvm::formatv("{0:1}\n",
                       json::Value(json::Object{{"entries", std::move(all)}}));
  return success();
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

const TuningEntry *TuningTable::lookup(const TuningKey &key) const {
  auto it = entries.find(key);
  return it == entries.end() ? nullptr : &it->second;
}

bool TuningTable::isStale(StringRef function, const TuningKey &key) const {
  bool isKnown = false;
  for (const auto &[other, entry] : entries) {
    if (other.chip != key.chip)
      continue;
    if (other.graph == key.graph)
      return false;
    isKnown |= entry.function == function;
  }
  return isKnown;
}

void TuningTable::set(TuningKey key, TuningEntry entry) {
  entries[std::move(key)] = std::move(entry);
}
