//===- Representatives.cpp - Extents that decisions are made for ----------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: scheduling. What stands for extents that are only known at run time:
// the `like` values of a function's symbols, or what the user says instead.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Conversion/CleaveToLinalg.h"

using namespace mlir;
using namespace mlir::cleave;
using namespace mlir::cleave::schedule;

using ExtentLists = std::map<std::string, SmallVector<int64_t>>;

/// M=16|2048,K=4096
static FailureOr<ExtentLists> parseLists(StringRef text, Location location) {
  ExtentLists lists;
  SmallVector<StringRef> entries;
  text.split(entries, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef entry : entries) {
    auto [name, numbers] = entry.split('=');
    SmallVector<int64_t> &list = lists[name.trim().str()];
    list.clear();
    SmallVector<StringRef> parts;
    numbers.split(parts, '|');
    for (StringRef part : parts)
      if (name.trim().empty() ||
          part.trim().getAsInteger(10, list.emplace_back()) || list.back() < 0)
        return emitError(location)
               << "expected extents like M=16,K=4096 but got '" << entry << "'";
  }
  return lists;
}

FailureOr<Bindings> cleave::parseExtents(StringRef text, Location location) {
  FailureOr<ExtentLists> lists = parseLists(text, location);
  if (failed(lists))
    return failure();
  Bindings extents;
  for (const auto &[name, list] : *lists) {
    if (list.size() > 1)
      return emitError(location) << "expected one extent of axis '" << name
                                 << "' but got " << list.size();
    extents[name] = list.front();
  }
  return extents;
}

FailureOr<std::vector<Bindings>>
cleave::getRepresentatives(StringRef text, const AxisTable &axes,
                           Location location) {
  FailureOr<ExtentLists> given = parseLists(text, location);
  if (failed(given))
    return failure();
  ExtentLists lists;
  size_t count = 1;
  for (const auto &[name, info] : axes.axes()) {
    auto it = given->find(name);
    SmallVector<int64_t> list =
        it == given->end() ? info.representatives : it->second;
    // Only a launcher chooses by extents. The scheduler binds what is bound.
    if (info.kind != AxisKind::Dynamic) {
      if (it == given->end())
        continue;
      if (list.size() > 1)
        return emitError(location)
               << "expected one extent of axis '" << name
               << "', which is not dynamic, but got " << list.size();
      if (info.kind == AxisKind::Static && list.front() != info.extent)
        return emitError(location)
               << "expected the extent " << info.extent << " of axis '" << name
               << "' but got " << list.front();
    }
    if (list.empty())
      continue;
    count = std::max<size_t>(count, list.size());
    lists[name] = std::move(list);
  }
  std::vector<Bindings> points;
  for (size_t number = 0; number < count; ++number) {
    Bindings point;
    for (const auto &[name, list] : lists)
      point[name] = list[std::min(number, list.size() - 1)];
    if (!llvm::is_contained(points, point))
      points.push_back(std::move(point));
  }
  return points;
}

void cleave::setRepresentative(Problem &problem,
                               const Bindings &representative) {
  for (Axis &axis : problem.axes) {
    // Axes made while the problem was built are as long as what they are called
    // after.
    StringRef name = axis.name;
    auto it = representative.find(name.str());
    while (it == representative.end() && name.consume_back(".r"))
      it = representative.find(name.str());
    if (it != representative.end())
      axis.representative = it->second;
  }
  // Products come after their factors.
  for (Axis &axis : problem.axes) {
    if (axis.factors.empty())
      continue;
    axis.representative = 1;
    for (AxisId factor : axis.factors)
      axis.representative *= problem.axes[factor].representative;
  }
}
