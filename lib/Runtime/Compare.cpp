//===- Compare.cpp - Distance of a result from its reference --------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The measure of --check.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Runtime/Compare.h"

#include <cassert>
#include <cmath>

using namespace mlir::cleave;

/// Whether a value that is not finite, or whose reference is not, is right.
static bool matchesNonFinite(ElementKind kind, double actual, double reference,
                             double tolerance) {
  if (std::isnan(actual) || std::isnan(reference))
    return std::isnan(actual) && std::isnan(reference);
  if (std::isinf(reference) || std::signbit(actual) != std::signbit(reference))
    return actual == reference;
  return std::isinf(roundTo(kind, reference * (1 + tolerance)));
}

Comparison mlir::cleave::compare(const HostArray &actual,
                                 const HostArray &reference, double tolerance) {
  assert(actual.getShape() == reference.getShape() && "equal shapes");
  std::vector<double> a(actual.size()), r(reference.size());
  actual.copyTo(a);
  reference.copyTo(r);
  Comparison result;
  double error = 0, norm = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    result.nonFinite += !std::isfinite(a[i]);
    if (!std::isfinite(a[i]) || !std::isfinite(r[i])) {
      if (matchesNonFinite(actual.getKind(), a[i], r[i], tolerance))
        continue;
      if (result.nonFiniteMismatches++ == 0)
        result.firstMismatch = int64_t(i);
      result.finiteForNaN += std::isnan(r[i]) && std::isfinite(a[i]);
      continue;
    }
    double difference = std::abs(a[i] - r[i]);
    error += difference * difference;
    norm += r[i] * r[i];
    result.maxError = std::max(result.maxError, difference);
  }
  result.isAbsolute = norm == 0;
  result.l2 = std::sqrt(result.isAbsolute ? error : error / norm);
  return result;
}
