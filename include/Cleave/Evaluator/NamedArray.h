//===- NamedArray.h - Arrays whose dimensions have names --------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The evaluator's values and what it does with them; knows nothing of IR.
// Values are doubles whatever their element type: rounding to that type is a
// separate step, taken or not by the mode. Axes have no order of meaning, only
// strides; a view shares the data of its origin.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_EVALUATOR_NAMEDARRAY_H
#define CLEAVE_EVALUATOR_NAMEDARRAY_H

#include "Cleave/Runtime/HostArray.h"
#include <map>
#include <memory>
#include <string>

namespace mlir::cleave {

struct Axis {
  std::string name;
  int64_t extent = 0;
  /// Elements between neighbours; 0 where the array is broadcast.
  int64_t stride = 0;
};

class NamedArray {
public:
  NamedArray() = default;
  /// Contiguous, the last axis fastest; strides in `axes` are ignored. The
  /// contents are undefined.
  NamedArray(ElementKind kind, llvm::SmallVector<Axis> axes);

  static NamedArray splat(ElementKind kind, double value,
                          llvm::SmallVector<Axis> axes);

  ElementKind getKind() const { return kind; }
  void setKind(ElementKind other) { kind = other; }
  llvm::ArrayRef<Axis> getAxes() const { return axes; }
  const Axis *find(llvm::StringRef name) const;
  /// The number of positions.
  int64_t size() const;

  double *data() { return storage->data() + offset; }
  const double *data() const { return storage->data() + offset; }

  /// The stride along an axis, 0 if the array lacks it.
  int64_t strideOf(llvm::StringRef name) const;

  // Views.
  NamedArray rename(llvm::StringRef from, llvm::StringRef to) const;
  /// Positions [begin, begin + length) of an axis that the array may lack.
  NamedArray slice(llvm::StringRef name, int64_t begin, int64_t length) const;
  /// One position of an axis, which the array then lacks.
  NamedArray at(llvm::StringRef name, int64_t position) const;
  /// With an axis added along which the array is broadcast.
  NamedArray broadcast(llvm::StringRef name, int64_t extent) const;
  /// With one axis seen as (outer, inner), outer * inner being its extent.
  NamedArray splitView(llvm::StringRef name, const Axis &outer,
                       const Axis &inner) const;

private:
  ElementKind kind = ElementKind::F32;
  llvm::SmallVector<Axis> axes;
  int64_t offset = 0;
  std::shared_ptr<std::vector<double>> storage;
};

/// Reads a row-major array whose dimensions have these names.
NamedArray fromHost(const HostArray &array, llvm::ArrayRef<std::string> names);

/// Writes with dimensions in the order of `names`, rounding to `kind`.
HostArray toHost(const NamedArray &array, llvm::ArrayRef<std::string> names,
                 ElementKind kind);

/// The axes of all arrays, in the memory order of the largest one.
llvm::SmallVector<Axis> unionOf(llvm::ArrayRef<NamedArray> arrays);

/// Calls `row(pointers, strides, count)` for every innermost run: one pointer
/// and stride an array, each broadcast over `axes`. The first is the result.
void forEachRow(
    llvm::ArrayRef<Axis> axes, llvm::ArrayRef<const NamedArray *> arrays,
    llvm::function_ref<void(double *const *, const int64_t *, int64_t)> row);

enum class Pointwise {
  Add,
  Mul,
  Max,
  Min,
  Sub,
  Div,
  Pow,
  Neg,
  Recip,
  Recip0,
  Abs,
  Exp,
  Exp2,
  Log,
  Tanh,
  Erf,
  Sqrt,
  Rsqrt,
  Sigmoid,
  IsFinite,
  CmpEQ,
  CmpNE,
  CmpLT,
  CmpLE,
  CmpGT,
  CmpGE,
  Select,
  Copy
};

/// Applies an operation by name; add, mul, max and min take any number.
NamedArray applyPointwise(Pointwise operation,
                          llvm::ArrayRef<NamedArray> inputs, ElementKind kind);

enum class Reduction { Sum, Max, Min, Prod };

/// The value of an empty reduction.
double unitOf(Reduction reduction);

/// What combines two values of a reduction.
Pointwise combinerOf(Reduction reduction);

/// Position (o, i) of the two axes exists iff o * |inner| + i < extent, where
/// `offset`s move windows of the axes to where they were cut out.
struct Domain {
  std::string outer, inner;
  /// The extent of the whole inner axis.
  int64_t innerExtent = 0;
  int64_t extent = 0;
  int64_t outerOffset = 0;
  int64_t innerOffset = 0;

  bool exists(int64_t o, int64_t i) const {
    return (o + outerOffset) * innerExtent + i + innerOffset < extent;
  }
};

/// With the positions that do not exist replaced; `array` itself where a
/// domain's axes are not both in it or all positions exist.
NamedArray maskDomains(const NamedArray &array, llvm::ArrayRef<Domain> domains,
                       double value);

/// Reduces over the existing positions of `axes`, which the array must carry.
NamedArray reduce(Reduction reduction, const NamedArray &input,
                  llvm::ArrayRef<std::string> axes,
                  llvm::ArrayRef<Domain> domains, ElementKind kind);

/// The sum of products over the existing positions of `axes`.
NamedArray contract(const NamedArray &lhs, const NamedArray &rhs,
                    llvm::ArrayRef<std::string> axes,
                    llvm::ArrayRef<Domain> domains, ElementKind kind);

/// A copy in which every value is rounded to `kind`.
NamedArray rounded(const NamedArray &array, ElementKind kind);

/// The view of an axis as (outer, inner); positions that do not exist are NaN.
NamedArray splitAxis(const NamedArray &array, llvm::StringRef axis,
                     const Axis &outer, const Axis &inner);
/// The first `extent` positions of (outer, inner) as one axis.
NamedArray mergeAxes(const NamedArray &array, llvm::StringRef outer,
                     llvm::StringRef inner, llvm::StringRef axis,
                     int64_t extent);

/// begin, begin + 1, ... along an axis.
NamedArray iota(ElementKind kind, llvm::StringRef axis, int64_t begin,
                int64_t extent);

/// The arrays one behind the other as `axis`; array i is cut along along[i],
/// and broadcast along what else others have.
NamedArray concat(llvm::ArrayRef<NamedArray> arrays,
                  llvm::ArrayRef<std::string> along, llvm::StringRef axis);

/// The table at the positions of `axis` that `index` says; NaN outside of it.
NamedArray gather(const NamedArray &table, llvm::StringRef axis,
                  const NamedArray &index);

/// `array` with position `position + i` of `axis` replaced by position i of
/// `part` along `partAxis`; what falls outside is dropped.
NamedArray insert(const NamedArray &part, llvm::StringRef partAxis,
                  const NamedArray &array, llvm::StringRef axis,
                  const NamedArray &position);

} // namespace mlir::cleave

#endif // CLEAVE_EVALUATOR_NAMEDARRAY_H
