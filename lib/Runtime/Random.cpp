//===- Random.cpp - Reproducible random arrays ----------------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A hash of the index (Steele et al., SplitMix, 2014) gives four 16-bit
// numbers whose sum is close to normal and bounded.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Runtime/Random.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace mlir::cleave;

static uint64_t mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// The sum of four uniform numbers, with mean 0 and variance 1.
static double normalFrom(uint64_t bits) {
  double sum = 0;
  for (int i = 0; i < 4; ++i, bits >>= 16)
    sum += double(bits & 0xffff) / 65535.0;
  return (sum - 2) * (randomBound / 2);
}

HostArray mlir::cleave::makeRandom(ElementKind kind,
                                   llvm::ArrayRef<int64_t> shape, uint64_t seed,
                                   llvm::StringRef name, double scale) {
  uint64_t base = mix(seed);
  for (char c : name)
    base = mix(base ^ uint8_t(c));
  HostArray array(kind, shape);
  uint64_t limit = uint64_t(std::max(0.0, std::floor(scale))) + 1;
  // What a rewrite may assume of f16 without a declared range.
  double largest = kind == ElementKind::F16
                       ? 65504
                       : std::numeric_limits<double>::infinity();
  std::vector<double> values(array.size());
  for (size_t i = 0; i < values.size(); ++i) {
    uint64_t bits = mix(base + i);
    if (isFloat(kind))
      values[i] = std::clamp(scale * normalFrom(bits), -largest, largest);
    else
      values[i] = double((bits >> 32) % (kind == ElementKind::I1 ? 2 : limit));
  }
  array.assign(values);
  return array;
}
