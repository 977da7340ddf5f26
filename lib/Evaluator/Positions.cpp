//===- Positions.cpp - Operations that look at positions of axes ----------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Positions come from data here: none of them is used before it is compared
// with the axis.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Evaluator/NamedArray.h"

#include "llvm/ADT/STLExtras.h"
#include <limits>

using namespace mlir::cleave;
using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::StringRef;

static void copyInto(const NamedArray &to, const NamedArray &from) {
  forEachRow(to.getAxes(), {&to, &from},
             [](double *const *p, const int64_t *s, int64_t n) {
               for (int64_t i = 0; i < n; ++i)
                 p[0][i * s[0]] = p[1][i * s[1]];
             });
}

NamedArray mlir::cleave::iota(ElementKind kind, StringRef axis, int64_t begin,
                              int64_t extent) {
  NamedArray result(kind, {Axis{axis.str(), extent, 0}});
  for (int64_t i = 0; i < extent; ++i)
    result.data()[i] = double(begin + i);
  return result;
}

NamedArray mlir::cleave::concat(ArrayRef<NamedArray> arrays,
                                ArrayRef<std::string> along, StringRef axis) {
  SmallVector<Axis> axes;
  int64_t extent = 0;
  for (auto [array, part] : llvm::zip_equal(arrays, along)) {
    extent += array.find(part)->extent;
    for (const Axis &other : array.getAxes())
      if (other.name != part && llvm::none_of(axes, [&](const Axis &a) {
            return a.name == other.name;
          }))
        axes.push_back(other);
  }
  axes.push_back({axis.str(), extent, 0});
  NamedArray result(arrays.front().getKind(), axes);
  int64_t begin = 0;
  for (auto [array, part] : llvm::zip_equal(arrays, along)) {
    int64_t length = array.find(part)->extent;
    copyInto(result.slice(axis, begin, length), array.rename(part, axis));
    begin += length;
  }
  return result;
}

NamedArray mlir::cleave::gather(const NamedArray &table, StringRef axis,
                                const NamedArray &index) {
  int64_t extent = table.find(axis)->extent, stride = table.strideOf(axis);
  NamedArray first = table.at(axis, 0);
  NamedArray result(table.getKind(), unionOf({first, index}));
  forEachRow(result.getAxes(), {&result, &first, &index},
             [&](double *const *p, const int64_t *s, int64_t n) {
               for (int64_t i = 0; i < n; ++i) {
                 double at = p[2][i * s[2]];
                 p[0][i * s[0]] =
                     at >= 0 && at < double(extent)
                         ? p[1][i * s[1] + int64_t(at) * stride]
                         : std::numeric_limits<double>::quiet_NaN();
               }
             });
  return result;
}

NamedArray mlir::cleave::insert(const NamedArray &part, StringRef partAxis,
                                const NamedArray &array, StringRef axis,
                                const NamedArray &position) {
  NamedArray result = applyPointwise(Pointwise::Copy, array, array.getKind());
  int64_t extent = result.find(axis)->extent, stride = result.strideOf(axis);
  NamedArray first = result.at(axis, 0);
  for (int64_t i = 0, end = part.find(partAxis)->extent; i < end; ++i) {
    NamedArray slice = part.at(partAxis, i);
    forEachRow(slice.getAxes(), {&first, &slice, &position},
               [&](double *const *p, const int64_t *s, int64_t n) {
                 for (int64_t j = 0; j < n; ++j) {
                   double at = p[2][j * s[2]] + double(i);
                   if (at >= 0 && at < double(extent))
                     p[0][j * s[0] + int64_t(at) * stride] = p[1][j * s[1]];
                 }
               });
  }
  return result;
}
