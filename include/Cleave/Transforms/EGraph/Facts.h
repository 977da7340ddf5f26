//===- Facts.h - What is known of an e-class --------------------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The data of the e-class analyses, without any transfer function: axes and
// element type (invariants of a class), and facts that merges can only sharpen
// (constant, interval, non-zero, finite). Side conditions of rules ask these
// facts, never the syntax of a class.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_TRANSFORMS_EGRAPH_FACTS_H
#define CLEAVE_TRANSFORMS_EGRAPH_FACTS_H

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

namespace mlir::cleave::egraph {

/// A set of axis ids. A function has at most 64 axes; whoever hands out the
/// ids checks that.
class AxisSet {
public:
  static constexpr unsigned kMaxAxes = 64;

  AxisSet() = default;
  static AxisSet fromBits(uint64_t bits) {
    AxisSet set;
    set.bits = bits;
    return set;
  }
  static AxisSet of(unsigned axis) { return fromBits(uint64_t(1) << axis); }

  uint64_t getBits() const { return bits; }
  bool empty() const { return bits == 0; }
  bool contains(unsigned axis) const { return bits >> axis & 1; }
  bool contains(AxisSet other) const { return (other.bits & ~bits) == 0; }
  bool intersects(AxisSet other) const { return (bits & other.bits) != 0; }

  AxisSet operator|(AxisSet o) const { return fromBits(bits | o.bits); }
  AxisSet operator&(AxisSet o) const { return fromBits(bits & o.bits); }
  AxisSet operator-(AxisSet o) const { return fromBits(bits & ~o.bits); }
  AxisSet &operator|=(AxisSet o) {
    bits |= o.bits;
    return *this;
  }
  bool operator==(AxisSet o) const { return bits == o.bits; }
  bool operator!=(AxisSet o) const { return bits != o.bits; }

  /// Calls `fn` with each axis in increasing order.
  template <typename Fn> void forEach(Fn fn) const {
    for (unsigned axis = 0; axis < kMaxAxes; ++axis)
      if (contains(axis))
        fn(axis);
  }

private:
  uint64_t bits = 0;
};

struct Facts {
  /// The axes of the value. The same for each node of a class.
  AxisSet axes;
  /// An id of the element type. The same for each node of a class.
  unsigned elementType = 0;
  /// The value, where it is the same at each position.
  std::optional<double> constant;
  /// Each value that is not NaN lies in [lo, hi].
  double lo = -std::numeric_limits<double>::infinity();
  double hi = std::numeric_limits<double>::infinity();
  /// No value is zero.
  bool nonZero = false;
  /// No value is NaN.
  bool notNaN = false;
  /// No value is NaN or infinite.
  bool finite = false;

  bool isNonNegative() const { return lo >= 0; }
  bool isNonPositive() const { return hi <= 0; }
  bool isNonZero() const { return nonZero || lo > 0 || hi < 0; }
  /// The largest magnitude, infinity where none is known.
  double magnitude() const { return -lo > hi ? -lo : hi; }
};

/// Sharpens `into` by what `from` knows of the same values. Sets `changed` when
/// it learnt something. Where axes or element type differ nothing is changed
/// and the message says so: the two cannot be one class.
std::optional<std::string> joinFacts(Facts &into, const Facts &from,
                                     bool &changed);

} // namespace mlir::cleave::egraph

#endif // CLEAVE_TRANSFORMS_EGRAPH_FACTS_H
