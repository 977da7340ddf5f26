//===- ReferenceDependence.h - Who sees a reference -------------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop adds up exp(x - y), where y is the maximum of x so far. Which values
// would be others if y were less, and by how much: y may be changed if none of
// those that leave the loop would.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_LIB_CONVERSION_TILESTOGPU_REFERENCEDEPENDENCE_H
#define CLEAVE_LIB_CONVERSION_TILESTOGPU_REFERENCEDEPENDENCE_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>

namespace mlir::cleave {

/// The maximum may be beyond the reference by this: exponentials stay below
/// 245, which 16 bits have room for.
inline constexpr double kFar = 5.5;

/// Follows `value` up through broadcasts and transposes to what they repeat.
/// `ops`: those that it passes.
Value getRepeated(Value value, SmallVectorImpl<Operation *> *ops = nullptr);

/// How a value depends on the reference of its row. If that were less by s
/// (the old one by its own s), then
enum class Dependency {
  Fixed,        ///< nothing would change,
  OldReference, ///< the value would be less by the old s,
  Reference,    ///< less by s,
  Magnitude,    ///< another, but finite as it is,
  Exponent,     ///< more by s, and still no more than kFar,
  Weight,       ///< exp(s) times as large, and still no more than exp(kFar),
  Step,         ///< more by the difference of both,
  Factor,       ///< exp of that times as large,
  OldScaled,    ///< exp(old s) times as large,
  Scaled,       ///< exp(s) times as large,
  Inverse,      ///< exp(-s) times as large,
  Logarithm,    ///< more by s.
};

/// Where the rows of the reference lie: for each of its dimensions the one of
/// the value, or -1 if there is one row only.
using Places = SmallVector<int64_t, 2>;

/// Conditions of selects.
using Masks = SmallVector<Value, 2>;

struct Dependent {
  Dependency kind = Dependency::Fixed;
  /// Not known of an old sum, which its factor tells.
  Places places;
  /// Of exponents and weights: what hides those elements that the maximum has
  /// not seen, and which may be beyond it. They must not reach a sum.
  Masks unseen;
};

/// Finds what depends on the reference of a loop, and how. Whatever is not
/// listed here could see which one it is.
class Dependence {
public:
  /// `maximum` makes the reference of what it reduces.
  explicit Dependence(vector::MultiDimReductionOp maximum);

  void set(Value value, Dependent dependent) { known[value] = dependent; }
  Dependent get(Value value) const { return known.lookup(value); }
  Dependency getKind(Value value) const { return get(value).kind; }
  /// Follows the ops of a block from `first` on; fails at one that could see
  /// the reference.
  LogicalResult follow(Block::iterator first, Block::iterator end);

private:
  using Result = std::optional<Dependency>;
  Result getKind(Operation *op) const;
  Result getSumKind(Value lhs, Value rhs) const;
  Result getChoice(arith::SelectOp op) const;
  std::optional<Masks> getUnseen(Value value, const Places &places) const;
  Masks getUnseen(Operation *op) const;
  /// Of an op with a kind.
  std::optional<Places> getPlaces(Operation *op) const;
  std::optional<Places> getCommonPlaces(Operation *op) const;

  Operation *maximum;
  /// What that reduces, and where its rows lie there.
  Value source;
  Places sourcePlaces;
  DenseMap<Value, Dependent> known;
};

} // namespace mlir::cleave

#endif // CLEAVE_LIB_CONVERSION_TILESTOGPU_REFERENCEDEPENDENCE_H
