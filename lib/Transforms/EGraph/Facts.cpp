//===- Facts.cpp - Joining what is known of an e-class --------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cleave/Transforms/EGraph/Facts.h"

using namespace mlir::cleave::egraph;

/// Axis ids as text: the engine has no names.
static std::string describe(AxisSet axes) {
  std::string text = "{";
  axes.forEach([&](unsigned axis) {
    text += (text.size() > 1 ? ", " : "") + std::to_string(axis);
  });
  return text + "}";
}

std::optional<std::string>
mlir::cleave::egraph::joinFacts(Facts &into, const Facts &from, bool &changed) {
  if (into.axes != from.axes)
    return "expected axes " + describe(into.axes) + " but got " +
           describe(from.axes);
  if (into.elementType != from.elementType)
    return "expected element type #" + std::to_string(into.elementType) +
           " but got #" + std::to_string(from.elementType);
  auto sharpen = [&](bool better, auto &target, auto value) {
    if (!better)
      return;
    target = value;
    changed = true;
  };
  sharpen(!into.constant && from.constant, into.constant, from.constant);
  sharpen(from.lo > into.lo, into.lo, from.lo);
  sharpen(from.hi < into.hi, into.hi, from.hi);
  sharpen(from.nonZero && !into.nonZero, into.nonZero, true);
  sharpen(from.notNaN && !into.notNaN, into.notNaN, true);
  sharpen(from.finite && !into.finite, into.finite, true);
  return std::nullopt;
}
