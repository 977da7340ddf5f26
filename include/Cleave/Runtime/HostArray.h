//===- HostArray.h - Dense arrays in host memory ----------------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Row-major arrays of the element types that occur in arguments and results,
// and the rounding of their narrow floats. What files, the evaluator and the
// devices exchange; knows nothing of IR.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_RUNTIME_HOSTARRAY_H
#define CLEAVE_RUNTIME_HOSTARRAY_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mlir::cleave {

enum class ElementKind { F16, BF16, F32, F64, I1, I8, U8, I16, U16, I32, I64 };

/// Bytes of one element; a bool takes one.
unsigned elementSize(ElementKind kind);

/// The name as in MLIR ("f16", "i32"; unsigned ones "ui8", "ui16").
llvm::StringRef elementName(ElementKind kind);

/// The kind whose elementName is `name`.
std::optional<ElementKind> parseElementKind(llvm::StringRef name);

bool isFloat(ElementKind kind);

/// Rounds to the nearest value of `kind`, ties to even; overflow gives an
/// infinity. The identity for f64 and for integers.
double roundTo(ElementKind kind, double value);

/// Applies roundTo to a whole range in place.
void roundAllTo(ElementKind kind, llvm::MutableArrayRef<double> values);

uint16_t encodeF16(double value);
uint16_t encodeBF16(double value);
double decodeF16(uint16_t bits);
double decodeBF16(uint16_t bits);

/// The product of the extents (1 for none).
int64_t countElements(llvm::ArrayRef<int64_t> shape);

/// Prints a shape like "7x4096xf16".
std::string shapeToString(llvm::ArrayRef<int64_t> shape, ElementKind kind);

class HostArray {
public:
  HostArray() = default;
  /// Zero-filled.
  HostArray(ElementKind kind, llvm::ArrayRef<int64_t> shape);

  ElementKind getKind() const { return kind; }
  llvm::ArrayRef<int64_t> getShape() const { return shape; }
  int64_t size() const { return countElements(shape); }
  std::string describe() const { return shapeToString(shape, kind); }

  llvm::MutableArrayRef<char> bytes() { return storage; }
  llvm::ArrayRef<char> bytes() const { return storage; }
  char *data() { return storage.data(); }
  const char *data() const { return storage.data(); }

  /// Reads the same bytes as elements of another kind of equal size.
  void reinterpretAs(ElementKind other);

  /// Widens every element.
  void copyTo(llvm::MutableArrayRef<double> values) const;
  /// Rounds every value to the element type (a bool is `value != 0`).
  void assign(llvm::ArrayRef<double> values);

  /// Fills with a bit pattern that no computation yields: for floats a NaN
  /// with a payload, else a repeated byte. See isPoison.
  void poison();
  /// Elements that still hold the pattern of `poison`.
  int64_t countPoison() const;

private:
  ElementKind kind = ElementKind::F32;
  llvm::SmallVector<int64_t> shape;
  std::vector<char> storage;
};

/// The bits that `poison` writes to every element of a kind.
uint64_t poisonBits(ElementKind kind);

} // namespace mlir::cleave

#endif // CLEAVE_RUNTIME_HOSTARRAY_H
