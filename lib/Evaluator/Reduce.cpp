//===- Reduce.cpp - Reductions, domains and reshaping views ---------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Positions outside a domain do not exist: a reduction puts its own unit there
// before it reduces. What an operand holds there is garbage, NaN on purpose
// where a split makes it.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Evaluator/NamedArray.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include <cassert>
#include <cmath>
#include <limits>

using namespace mlir::cleave;
using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::StringRef;

double mlir::cleave::unitOf(Reduction reduction) {
  switch (reduction) {
  case Reduction::Sum:
    return 0.0;
  case Reduction::Max:
    return -std::numeric_limits<double>::infinity();
  case Reduction::Min:
    return std::numeric_limits<double>::infinity();
  case Reduction::Prod:
    return 1.0;
  }
  llvm_unreachable("unknown reduction");
}

Pointwise mlir::cleave::combinerOf(Reduction reduction) {
  switch (reduction) {
  case Reduction::Sum:
    return Pointwise::Add;
  case Reduction::Max:
    return Pointwise::Max;
  case Reduction::Min:
    return Pointwise::Min;
  case Reduction::Prod:
    return Pointwise::Mul;
  }
  llvm_unreachable("unknown reduction");
}

/// Whether some position of the two axes does not exist.
static bool hasGaps(const Domain &domain, const Axis &outer,
                    const Axis &inner) {
  return outer.extent && inner.extent &&
         !domain.exists(outer.extent - 1, inner.extent - 1);
}

NamedArray mlir::cleave::maskDomains(const NamedArray &array,
                                     ArrayRef<Domain> domains, double value) {
  NamedArray result = array;
  bool isCopy = false;
  for (const Domain &domain : domains) {
    const Axis *outer = array.find(domain.outer);
    const Axis *inner = array.find(domain.inner);
    if (!outer || !inner || !hasGaps(domain, *outer, *inner))
      continue;
    if (!isCopy)
      result = applyPointwise(Pointwise::Copy, array, array.getKind());
    isCopy = true;
    for (int64_t o = 0; o < outer->extent; ++o) {
      // The positions of a part that exist come first.
      int64_t length = 0;
      while (length < inner->extent && domain.exists(o, length))
        ++length;
      NamedArray gap = result.slice(domain.outer, o, 1)
                           .slice(domain.inner, length, inner->extent - length);
      forEachRow(gap.getAxes(), {&gap},
                 [&](double *const *p, const int64_t *s, int64_t n) {
                   for (int64_t i = 0; i < n; ++i)
                     p[0][i * s[0]] = value;
                 });
    }
  }
  return result;
}

namespace {

void sumRow(double *const *p, const int64_t *s, int64_t n) {
  if (s[0] == 0) {
    double sum = 0;
    for (int64_t i = 0; i < n; ++i)
      sum += p[1][i * s[1]];
    *p[0] += sum;
    return;
  }
  for (int64_t i = 0; i < n; ++i)
    p[0][i * s[0]] += p[1][i * s[1]];
}

void maxRow(double *const *p, const int64_t *s, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    double &to = p[0][i * s[0]];
    double value = p[1][i * s[1]];
    // A NaN stays, and comes in through the second test; +0 exceeds -0.
    if (value > to || std::isnan(value) ||
        (value == to && !std::signbit(value)))
      to = value;
  }
}

void minRow(double *const *p, const int64_t *s, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    double &to = p[0][i * s[0]];
    double value = p[1][i * s[1]];
    if (value < to || std::isnan(value) || (value == to && std::signbit(value)))
      to = value;
  }
}

void multiplyRow(double *const *p, const int64_t *s, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    p[0][i * s[0]] *= p[1][i * s[1]];
}

auto getRow(Reduction reduction) {
  switch (reduction) {
  case Reduction::Sum:
    return sumRow;
  case Reduction::Max:
    return maxRow;
  case Reduction::Min:
    return minRow;
  case Reduction::Prod:
    return multiplyRow;
  }
  llvm_unreachable("unknown reduction");
}

} // namespace

NamedArray mlir::cleave::reduce(Reduction reduction, const NamedArray &input,
                                ArrayRef<std::string> axes,
                                ArrayRef<Domain> domains, ElementKind kind) {
  NamedArray masked = maskDomains(input, domains, unitOf(reduction));
  SmallVector<Axis> all = unionOf(masked);
  SmallVector<Axis> kept;
  for (const Axis &axis : all)
    if (!llvm::is_contained(axes, axis.name))
      kept.push_back(axis);
  NamedArray result(kind, kept);
  std::fill_n(result.data(), result.size(), unitOf(reduction));
  forEachRow(all, {&result, &masked}, getRow(reduction));
  return result;
}

NamedArray mlir::cleave::splitAxis(const NamedArray &array, StringRef axis,
                                   const Axis &outer, const Axis &inner) {
  int64_t extent = array.find(axis)->extent;
  if (outer.extent * inner.extent == extent)
    return array.splitView(axis, outer, inner);
  SmallVector<Axis> axes;
  for (const Axis &a : array.getAxes()) {
    if (a.name != axis) {
      axes.push_back(a);
      continue;
    }
    axes.push_back(outer);
    axes.push_back(inner);
  }
  NamedArray result(array.getKind(), axes);
  std::fill_n(result.data(), result.size(),
              std::numeric_limits<double>::quiet_NaN());
  for (int64_t o = 0; o < outer.extent; ++o) {
    int64_t begin = std::min(o * inner.extent, extent);
    int64_t length = std::min(inner.extent, extent - begin);
    NamedArray from = array.slice(axis, begin, length).rename(axis, inner.name);
    NamedArray to = result.slice(outer.name, o, 1).slice(inner.name, 0, length);
    forEachRow(to.getAxes(), {&to, &from},
               [](double *const *p, const int64_t *s, int64_t n) {
                 for (int64_t i = 0; i < n; ++i)
                   p[0][i * s[0]] = p[1][i * s[1]];
               });
  }
  return result;
}

NamedArray mlir::cleave::mergeAxes(const NamedArray &array, StringRef outer,
                                   StringRef inner, StringRef axis,
                                   int64_t extent) {
  SmallVector<Axis> axes;
  for (const Axis &a : array.getAxes())
    if (a.name != outer && a.name != inner)
      axes.push_back(a);
  axes.push_back({axis.str(), extent, 0});
  NamedArray result(array.getKind(), axes);
  int64_t part = array.find(inner)->extent;
  for (int64_t o = 0, end = array.find(outer)->extent; o < end; ++o) {
    int64_t begin = std::min(o * part, extent);
    int64_t length = std::min(part, extent - begin);
    NamedArray from =
        array.slice(outer, o, 1).slice(inner, 0, length).rename(inner, axis);
    NamedArray to = result.slice(axis, begin, length);
    forEachRow(to.getAxes(), {&to, &from},
               [](double *const *p, const int64_t *s, int64_t n) {
                 for (int64_t i = 0; i < n; ++i)
                   p[0][i * s[0]] = p[1][i * s[1]];
               });
  }
  return result;
}
