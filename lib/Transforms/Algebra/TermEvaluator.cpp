//===- TermEvaluator.cpp - Values of small terms --------------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TermEvaluator.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::cleave;
using namespace mlir::cleave::egraph;

void mlir::cleave::forEachPosition(AxisSet axes, const Extents &extents,
                                   function_ref<void(ArrayRef<int64_t>)> fn) {
  size_t count = getSize(axes, extents);
  SmallVector<int64_t> position(extents.size(), 0);
  for (size_t i = 0; i < count; ++i) {
    size_t left = i;
    for (unsigned axis = extents.size(); axis-- > 0;) {
      if (!axes.contains(axis))
        continue;
      position[axis] = left % extents[axis];
      left /= extents[axis];
    }
    fn(position);
  }
}

size_t mlir::cleave::getOffset(AxisSet axes, const Extents &extents,
                               ArrayRef<int64_t> position) {
  size_t offset = 0;
  axes.forEach(
      [&](unsigned axis) { offset = offset * extents[axis] + position[axis]; });
  return offset;
}

size_t mlir::cleave::getSize(AxisSet axes, const Extents &extents) {
  size_t size = 1;
  axes.forEach([&](unsigned axis) { size *= extents[axis]; });
  return size;
}

//===----------------------------------------------------------------------===//
// f64
//===----------------------------------------------------------------------===//

bool RealDomain::isSupported(OpKind kind) {
  switch (kind) {
  case OpKind::Cast:
  case OpKind::Split:
  case OpKind::Merge:
  case OpKind::Rename:
  case OpKind::Relayout:
  case OpKind::Unknown:
    return false;
  default:
    return true;
  }
}

double RealDomain::getUnit(OpKind kind) {
  return kind == OpKind::ReduceMax ? -std::numeric_limits<double>::infinity()
                                   : 0;
}

static double maximum(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return std::numeric_limits<double>::quiet_NaN();
  return std::max(a, b);
}

static bool compare(CmpPredicate predicate, double a, double b) {
  switch (predicate) {
  case CmpPredicate::eq:
    return a == b;
  case CmpPredicate::ne:
    return a != b;
  case CmpPredicate::lt:
    return a < b;
  case CmpPredicate::le:
    return a <= b;
  case CmpPredicate::gt:
    return a > b;
  case CmpPredicate::ge:
    return a >= b;
  }
  return false;
}

double RealDomain::apply(OpKind kind, ArrayRef<double> x,
                         DictionaryAttr payload) {
  auto fold = [&](double unit, auto combine) {
    for (double operand : x)
      unit = combine(unit, operand);
    return unit;
  };
  double inf = std::numeric_limits<double>::infinity();
  switch (kind) {
  case OpKind::Add:
    return fold(0, [](double a, double b) { return a + b; });
  case OpKind::Mul:
    return fold(1, [](double a, double b) { return a * b; });
  case OpKind::Max:
    return fold(-inf, maximum);
  case OpKind::Min:
    return fold(inf, [](double a, double b) { return -maximum(-a, -b); });
  case OpKind::Sub:
    return x[0] - x[1];
  case OpKind::Div:
    return x[0] / x[1];
  case OpKind::Neg:
    return -x[0];
  case OpKind::Pow:
    return std::pow(x[0], x[1]);
  case OpKind::Recip:
    return 1 / x[0];
  case OpKind::Recip0:
    return x[0] == 0 ? 0 : 1 / x[0];
  case OpKind::Exp:
    return std::exp(x[0]);
  case OpKind::Sqrt:
    return std::sqrt(x[0]);
  case OpKind::Rsqrt:
    return 1 / std::sqrt(x[0]);
  case OpKind::Sigmoid:
    return 1 / (1 + std::exp(-x[0]));
  case OpKind::IsFinite:
    return std::isfinite(x[0]);
  case OpKind::Cmp:
    return compare(cast<CmpPredicateAttr>(payload.get("predicate")).getValue(),
                   x[0], x[1]);
  case OpKind::Select:
    return x[0] != 0 ? x[1] : x[2];
  default:
    return std::numeric_limits<double>::quiet_NaN();
  }
}

bool RealDomain::isEqual(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) && std::isnan(b);
  if (std::isinf(a) || std::isinf(b))
    return a == b;
  return std::abs(a - b) <= 1e-9 * (1 + std::max(std::abs(a), std::abs(b)));
}

std::string RealDomain::print(double value) {
  // Its sign means nothing.
  if (std::isnan(value))
    return "nan";
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.6g", value);
  return text;
}

//===----------------------------------------------------------------------===//
// The field
//===----------------------------------------------------------------------===//

static constexpr uint64_t kPrime = FieldDomain::kPrime;

static uint64_t multiply(uint64_t a, uint64_t b) {
  return static_cast<unsigned __int128>(a) * b % kPrime;
}

/// a^(p - 2), the inverse.
static uint64_t invert(uint64_t a) {
  uint64_t result = 1;
  for (uint64_t exponent = kPrime - 2; exponent > 0; exponent >>= 1) {
    if (exponent & 1)
      result = multiply(result, a);
    a = multiply(a, a);
  }
  return result;
}

bool FieldDomain::isSupported(OpKind kind) {
  switch (kind) {
  case OpKind::Constant:
  case OpKind::Extent:
  case OpKind::Add:
  case OpKind::Mul:
  case OpKind::Sub:
  case OpKind::Div:
  case OpKind::Neg:
  case OpKind::Recip:
  case OpKind::Recip0:
  case OpKind::ReduceSum:
  case OpKind::Contract:
    return true;
  default:
    return false;
  }
}

FieldDomain::Value FieldDomain::constant(double value) {
  if (!std::isfinite(value))
    return {0, false};
  // A double is an integer times a power of two.
  int exponent;
  double mantissa = std::frexp(value, &exponent);
  auto integer = static_cast<int64_t>(std::ldexp(mantissa, 53));
  exponent -= 53;
  uint64_t residue = integer < 0 ? kPrime - uint64_t(-integer) % kPrime
                                 : uint64_t(integer) % kPrime;
  uint64_t two = exponent < 0 ? invert(2) : 2;
  for (int i = 0; i < std::abs(exponent); ++i)
    residue = multiply(residue, two);
  return {residue % kPrime, true};
}

FieldDomain::Value FieldDomain::apply(OpKind kind, ArrayRef<Value> x,
                                      DictionaryAttr) {
  Value result;
  for (Value operand : x)
    result.defined &= operand.defined;
  switch (kind) {
  case OpKind::Add:
    for (Value operand : x)
      result.residue = (result.residue + operand.residue) % kPrime;
    break;
  case OpKind::Mul:
    result.residue = 1;
    for (Value operand : x)
      result.residue = multiply(result.residue, operand.residue);
    break;
  case OpKind::Sub:
    result.residue = (x[0].residue + kPrime - x[1].residue) % kPrime;
    break;
  case OpKind::Neg:
    result.residue = (kPrime - x[0].residue) % kPrime;
    break;
  case OpKind::Div:
    result.residue = multiply(x[0].residue, invert(x[1].residue));
    result.defined &= x[1].residue != 0;
    break;
  case OpKind::Recip:
    result.residue = invert(x[0].residue);
    result.defined &= x[0].residue != 0;
    break;
  case OpKind::Recip0:
    result.residue = x[0].residue == 0 ? 0 : invert(x[0].residue);
    break;
  default:
    result.defined = false;
    break;
  }
  return result;
}
