//===- HostArray.cpp - Dense arrays in host memory ------------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conversions between the stored element types and double. Every narrow float
// is rounded once, straight from double: going through float would round twice.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Runtime/HostArray.h"

#include "llvm/Support/ErrorHandling.h"
#include <cassert>
#include <cmath>
#include <cstring>

using namespace mlir::cleave;

namespace {

struct KindInfo {
  llvm::StringRef name;
  unsigned size;
  bool isFloat;
};

/// In the order of ElementKind.
constexpr KindInfo kinds[] = {
    {"f16", 2, true},   {"bf16", 2, true}, {"f32", 4, true},  {"f64", 8, true},
    {"i1", 1, false},   {"i8", 1, false},  {"ui8", 1, false}, {"i16", 2, false},
    {"ui16", 2, false}, {"i32", 4, false}, {"i64", 8, false}};

/// Encodes into a sign, exponentBits and mantissaBits, round to nearest even.
template <int exponentBits, int mantissaBits> uint16_t encode(double value) {
  constexpr int bias = (1 << (exponentBits - 1)) - 1;
  constexpr int drop = 52 - mantissaBits;
  constexpr uint16_t infinity = ((1 << exponentBits) - 1) << mantissaBits;
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  uint16_t sign = (bits >> 63) << (exponentBits + mantissaBits);
  uint64_t mantissa = bits & ((uint64_t(1) << 52) - 1);
  int exponent = int((bits >> 52) & 0x7ff) - 1023;
  if (exponent == 1024)
    return sign | infinity | (mantissa ? 1 << (mantissaBits - 1) : 0);
  if (exponent > bias)
    return sign | infinity;
  int shift = drop;
  uint64_t whole = mantissa;
  if (exponent >= 1 - bias) {
    whole |= uint64_t(exponent + bias) << 52;
  } else {
    // Subnormal: the implicit one becomes explicit and moves right.
    shift += 1 - bias - exponent;
    whole |= uint64_t(1) << 52;
    if (shift > 54)
      return sign;
  }
  uint64_t result = whole >> shift;
  uint64_t rest = whole & ((uint64_t(1) << shift) - 1);
  uint64_t half = uint64_t(1) << (shift - 1);
  // A carry runs into the exponent, up to infinity, as it should.
  if (rest > half || (rest == half && (result & 1)))
    ++result;
  return sign | uint16_t(result);
}

double decodeF16Bits(uint16_t bits) {
  int exponent = (bits >> 10) & 0x1f;
  double mantissa = bits & 0x3ff;
  double magnitude;
  if (exponent == 0x1f)
    magnitude = mantissa != 0 ? std::nan("") : INFINITY;
  else if (exponent == 0)
    magnitude = std::ldexp(mantissa, -24);
  else
    magnitude = std::ldexp(mantissa + 1024, exponent - 25);
  return std::copysign(magnitude, bits & 0x8000 ? -1.0 : 1.0);
}

/// All 65536 values, built once: decoding dominates the loading of weights.
const double *getF16Table() {
  static const std::vector<double> table = [] {
    std::vector<double> values(65536);
    for (unsigned i = 0; i < values.size(); ++i)
      values[i] = decodeF16Bits(i);
    return values;
  }();
  return table.data();
}

template <typename T>
void widen(const char *from, llvm::MutableArrayRef<double> to) {
  for (size_t i = 0; i < to.size(); ++i) {
    T value;
    std::memcpy(&value, from + i * sizeof(T), sizeof(T));
    to[i] = double(value);
  }
}

template <typename T, typename Convert>
void narrow(llvm::ArrayRef<double> from, char *to, Convert convert) {
  for (size_t i = 0; i < from.size(); ++i) {
    T value = convert(from[i]);
    std::memcpy(to + i * sizeof(T), &value, sizeof(T));
  }
}

/// Converts to an integer, saturating: C++ leaves the rest undefined.
template <typename T> void narrowInt(llvm::ArrayRef<double> from, char *to) {
  constexpr double low = double(std::numeric_limits<T>::min());
  constexpr double high = double(std::numeric_limits<T>::max());
  narrow<T>(from, to, [](double value) -> T {
    if (std::isnan(value))
      return 0;
    if (value <= low)
      return std::numeric_limits<T>::min();
    if (value >= high)
      return std::numeric_limits<T>::max();
    return T(value);
  });
}

} // namespace

unsigned mlir::cleave::elementSize(ElementKind kind) {
  return kinds[int(kind)].size;
}

llvm::StringRef mlir::cleave::elementName(ElementKind kind) {
  return kinds[int(kind)].name;
}

std::optional<ElementKind>
mlir::cleave::parseElementKind(llvm::StringRef name) {
  for (size_t i = 0; i < std::size(kinds); ++i)
    if (kinds[i].name == name)
      return ElementKind(i);
  return std::nullopt;
}

bool mlir::cleave::isFloat(ElementKind kind) {
  return kinds[int(kind)].isFloat;
}

uint16_t mlir::cleave::encodeF16(double value) { return encode<5, 10>(value); }

uint16_t mlir::cleave::encodeBF16(double value) { return encode<8, 7>(value); }

double mlir::cleave::decodeF16(uint16_t bits) { return getF16Table()[bits]; }

double mlir::cleave::decodeBF16(uint16_t bits) {
  uint32_t wide = uint32_t(bits) << 16;
  float value;
  std::memcpy(&value, &wide, sizeof(value));
  return value;
}

double mlir::cleave::roundTo(ElementKind kind, double value) {
  switch (kind) {
  case ElementKind::F16:
    return decodeF16(encodeF16(value));
  case ElementKind::BF16:
    return decodeBF16(encodeBF16(value));
  case ElementKind::F32:
    return float(value);
  default:
    return value;
  }
}

void mlir::cleave::roundAllTo(ElementKind kind,
                              llvm::MutableArrayRef<double> values) {
  switch (kind) {
  case ElementKind::F16: {
    const double *table = getF16Table();
    for (double &value : values)
      value = table[encodeF16(value)];
    return;
  }
  case ElementKind::BF16:
    for (double &value : values)
      value = decodeBF16(encodeBF16(value));
    return;
  case ElementKind::F32:
    for (double &value : values)
      value = float(value);
    return;
  default:
    return;
  }
}

int64_t mlir::cleave::countElements(llvm::ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

std::string mlir::cleave::shapeToString(llvm::ArrayRef<int64_t> shape,
                                        ElementKind kind) {
  std::string text;
  for (int64_t extent : shape)
    text += std::to_string(extent) + "x";
  return text + elementName(kind).str();
}

HostArray::HostArray(ElementKind kind, llvm::ArrayRef<int64_t> shape)
    : kind(kind), shape(shape.begin(), shape.end()),
      storage(countElements(shape) * elementSize(kind)) {}

void HostArray::reinterpretAs(ElementKind other) {
  assert(elementSize(other) == elementSize(kind) && "elements of equal size");
  kind = other;
}

void HostArray::copyTo(llvm::MutableArrayRef<double> values) const {
  assert(int64_t(values.size()) == size() && "one value an element");
  const char *from = storage.data();
  switch (kind) {
  case ElementKind::F16: {
    const double *table = getF16Table();
    for (size_t i = 0; i < values.size(); ++i) {
      uint16_t bits;
      std::memcpy(&bits, from + 2 * i, 2);
      values[i] = table[bits];
    }
    return;
  }
  case ElementKind::BF16:
    for (size_t i = 0; i < values.size(); ++i) {
      uint16_t bits;
      std::memcpy(&bits, from + 2 * i, 2);
      values[i] = decodeBF16(bits);
    }
    return;
  case ElementKind::F32:
    return widen<float>(from, values);
  case ElementKind::F64:
    return widen<double>(from, values);
  case ElementKind::I1:
  case ElementKind::U8:
    return widen<uint8_t>(from, values);
  case ElementKind::I8:
    return widen<int8_t>(from, values);
  case ElementKind::I16:
    return widen<int16_t>(from, values);
  case ElementKind::U16:
    return widen<uint16_t>(from, values);
  case ElementKind::I32:
    return widen<int32_t>(from, values);
  case ElementKind::I64:
    return widen<int64_t>(from, values);
  }
  llvm_unreachable("unknown element kind");
}

void HostArray::assign(llvm::ArrayRef<double> values) {
  assert(int64_t(values.size()) == size() && "one value an element");
  char *to = storage.data();
  switch (kind) {
  case ElementKind::F16:
    return narrow<uint16_t>(values, to, encodeF16);
  case ElementKind::BF16:
    return narrow<uint16_t>(values, to, encodeBF16);
  case ElementKind::F32:
    return narrow<float>(values, to, [](double v) { return float(v); });
  case ElementKind::F64:
    return narrow<double>(values, to, [](double v) { return v; });
  case ElementKind::I1:
    return narrow<uint8_t>(values, to, [](double v) { return v != 0; });
  case ElementKind::I8:
    return narrowInt<int8_t>(values, to);
  case ElementKind::U8:
    return narrowInt<uint8_t>(values, to);
  case ElementKind::I16:
    return narrowInt<int16_t>(values, to);
  case ElementKind::U16:
    return narrowInt<uint16_t>(values, to);
  case ElementKind::I32:
    return narrowInt<int32_t>(values, to);
  case ElementKind::I64:
    return narrowInt<int64_t>(values, to);
  }
  llvm_unreachable("unknown element kind");
}

uint64_t mlir::cleave::poisonBits(ElementKind kind) {
  // Quiet NaNs whose payload no arithmetic makes from other operands.
  switch (kind) {
  case ElementKind::F16:
    return 0x7edb;
  case ElementKind::BF16:
    return 0x7fdb;
  case ElementKind::F32:
    return 0x7fdbdbdb;
  case ElementKind::F64:
    return 0x7ffbdbdbdbdbdbdb;
  default:
    return 0xdbdbdbdbdbdbdbdb >> (64 - 8 * elementSize(kind));
  }
}

void HostArray::poison() {
  uint64_t bits = poisonBits(kind);
  unsigned width = elementSize(kind);
  for (size_t i = 0; i < storage.size(); i += width)
    std::memcpy(storage.data() + i, &bits, width);
}

int64_t HostArray::countPoison() const {
  uint64_t bits = poisonBits(kind);
  unsigned width = elementSize(kind);
  int64_t count = 0;
  for (size_t i = 0; i < storage.size(); i += width)
    count += std::memcmp(storage.data() + i, &bits, width) == 0;
  return count;
}
