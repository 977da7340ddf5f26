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

OpKind mlir::cleave::getCombiner(OpKind reduction) {
  switch (reduction) {
  case OpKind::ReduceMax:
    return OpKind::Max;
  case OpKind::ReduceMin:
    return OpKind::Min;
  case OpKind::ReduceProd:
    return OpKind::Mul;
  default:
    return OpKind::Add;
  }
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
  case OpKind::Insert:
  case OpKind::Unknown:
    return false;
  default:
    return true;
  }
}

double RealDomain::getUnit(OpKind kind) {
  switch (kind) {
  case OpKind::ReduceMax:
    return -std::numeric_limits<double>::infinity();
  case OpKind::ReduceMin:
    return std::numeric_limits<double>::infinity();
  case OpKind::ReduceProd:
    return 1;
  default:
    return 0;
  }
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
  case OpKind::Abs:
    return std::abs(x[0]);
  case OpKind::Exp:
    return std::exp(x[0]);
  case OpKind::Exp2:
    return std::exp2(x[0]);
  case OpKind::Log:
    return std::log(x[0]);
  case OpKind::Tanh:
    return std::tanh(x[0]);
  case OpKind::Erf:
    return std::erf(x[0]);
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

static constexpr uint64_t kPrime = FieldDomain::kPrime,
                          kOrder = FieldDomain::kOrder;
/// A square, and so of order q modulo p = 2q + 1.
static constexpr uint64_t kGenerator = 4;

static uint64_t add(uint64_t a, uint64_t b, uint64_t prime) {
  return static_cast<unsigned __int128>(a) + b >= prime ? a - (prime - b)
                                                        : a + b;
}

static uint64_t multiply(uint64_t a, uint64_t b, uint64_t prime) {
  return static_cast<unsigned __int128>(a) * b % prime;
}

static uint64_t power(uint64_t a, uint64_t exponent, uint64_t prime) {
  uint64_t result = 1;
  for (; exponent > 0; exponent >>= 1) {
    if (exponent & 1)
      result = multiply(result, a, prime);
    a = multiply(a, a, prime);
  }
  return result;
}

bool FieldDomain::isSupported(OpKind kind) {
  switch (kind) {
  case OpKind::Constant:
  case OpKind::Extent:
  case OpKind::Iota:
  case OpKind::Add:
  case OpKind::Mul:
  case OpKind::Sub:
  case OpKind::Div:
  case OpKind::Neg:
  case OpKind::Recip:
  case OpKind::Recip0:
  case OpKind::Exp:
  case OpKind::Max:
  case OpKind::Min:
  case OpKind::ReduceSum:
  case OpKind::ReduceMax:
  case OpKind::ReduceMin:
  case OpKind::ReduceProd:
  case OpKind::Contract:
  case OpKind::Slice:
  case OpKind::Concat:
  case OpKind::Gather:
  case OpKind::Select:
    return true;
  default:
    return false;
  }
}

bool FieldDomain::isUninterpreted(OpKind kind) {
  return kind == OpKind::Max || kind == OpKind::Min ||
         kind == OpKind::ReduceMax || kind == OpKind::ReduceMin;
}

FieldDomain::Value FieldDomain::getUnit(OpKind kind) {
  Value unit;
  unit.residue = kind == OpKind::ReduceProd;
  unit.exponent = unit.residue;
  return unit;
}

/// A double is an integer times a power of two.
static uint64_t toResidue(double value, uint64_t prime) {
  int exponent;
  double mantissa = std::frexp(value, &exponent);
  auto integer = static_cast<int64_t>(std::ldexp(mantissa, 53));
  exponent -= 53;
  uint64_t residue = integer < 0 ? prime - uint64_t(-integer) % prime
                                 : uint64_t(integer) % prime;
  uint64_t two = exponent < 0 ? power(2, prime - 2, prime) : 2;
  return multiply(residue, power(two, std::abs(exponent), prime), prime);
}

FieldDomain::Value FieldDomain::constant(double value) {
  if (!std::isfinite(value))
    return {0, 0, false};
  return {toResidue(value, kPrime), toResidue(value, kOrder), true};
}

/// A rational operation on residues; empty for a division by zero.
static std::optional<uint64_t> applyRational(OpKind kind, ArrayRef<uint64_t> x,
                                             uint64_t prime) {
  uint64_t result = kind == OpKind::Mul;
  switch (kind) {
  case OpKind::Add:
    for (uint64_t operand : x)
      result = add(result, operand, prime);
    return result;
  case OpKind::Mul:
    for (uint64_t operand : x)
      result = multiply(result, operand, prime);
    return result;
  case OpKind::Sub:
    return add(x[0], (prime - x[1]) % prime, prime);
  case OpKind::Neg:
    return (prime - x[0]) % prime;
  case OpKind::Div:
    if (x[1] == 0)
      return std::nullopt;
    return multiply(x[0], power(x[1], prime - 2, prime), prime);
  case OpKind::Recip:
    if (x[0] == 0)
      return std::nullopt;
    return power(x[0], prime - 2, prime);
  case OpKind::Recip0:
    return x[0] == 0 ? 0 : power(x[0], prime - 2, prime);
  default:
    return std::nullopt;
  }
}

/// The same for the same set of operands.
static FieldDomain::Value chooseUninterpreted(OpKind kind,
                                              ArrayRef<uint64_t> x) {
  SmallVector<uint64_t> sorted(x);
  llvm::sort(sorted);
  sorted.erase(llvm::unique(sorted), sorted.end());
  if (sorted.size() == 1)
    return {sorted[0], std::nullopt, true};
  uint64_t hash = static_cast<uint64_t>(kind) + 1;
  for (uint64_t operand : sorted)
    hash = add(multiply(hash, 0x9e3779b97f4a7c15 % kPrime, kPrime), operand,
               kPrime);
  return {hash, std::nullopt, true};
}

FieldDomain::Value FieldDomain::apply(OpKind kind, ArrayRef<Value> x,
                                      DictionaryAttr) {
  if (kind == OpKind::Select)
    return x[0].residue != 0 ? x[1] : x[2];
  Value result;
  SmallVector<uint64_t> residues, exponents;
  for (Value operand : x) {
    result.defined &= operand.defined;
    residues.push_back(operand.residue);
    if (operand.exponent)
      exponents.push_back(*operand.exponent);
  }
  if (kind == OpKind::Exp) {
    result.defined &= !exponents.empty();
    if (result.defined)
      result.residue = power(kGenerator, exponents[0], kPrime);
    result.exponent.reset();
    return result;
  }
  if (isUninterpreted(kind)) {
    bool defined = result.defined;
    result = chooseUninterpreted(kind, residues);
    result.defined = defined;
    return result;
  }
  std::optional<uint64_t> residue = applyRational(kind, residues, kPrime);
  result.defined &= residue.has_value();
  result.residue = residue.value_or(0);
  result.exponent.reset();
  if (exponents.size() == x.size())
    result.exponent = applyRational(kind, exponents, kOrder);
  return result;
}

//===----------------------------------------------------------------------===//
// f32
//===----------------------------------------------------------------------===//

/// Half a unit in the last place, and the smallest normal number.
static constexpr double kRounding = 0x1p-24, kSmallest = 0x1p-126;
static constexpr double kLargest = 3.4028234663852886e38;
/// How much larger the error of the other side may be, in the first's error or
/// in roundings of its value. exp and log turn an absolute error into a
/// relative one and back: what rounds a logarithm of f32 (up to 88) rather than
/// the number is not another order.
static constexpr double kErrorRatio = 128;

/// Rounded to f32, denormal numbers flushed.
static FloatDomain::Value round(double value, double error) {
  FloatDomain::Value result;
  result.value = static_cast<float>(value);
  if (std::abs(result.value) < kSmallest) {
    error += std::abs(result.value);
    result.value = 0;
  }
  if (std::isinf(result.value))
    result.overflow = !std::isinf(value);
  else
    result.error = error + kRounding * std::abs(result.value);
  return result;
}

FloatDomain::Value FloatDomain::constant(double value) {
  return {static_cast<float>(value), 0};
}

/// The error that comes from operand `i`: the largest change of the result as
/// the operand moves by its own.
static double propagate(OpKind kind, ArrayRef<double> x, unsigned i,
                        FloatDomain::Value operand, double result,
                        DictionaryAttr payload) {
  bool isTooLarge = operand.overflow && std::isinf(operand.value);
  if (operand.error == 0 && !isTooLarge)
    return 0;
  double largest = 0;
  SmallVector<double> moved(x);
  SmallVector<double, 2> ends{x[i] - operand.error, x[i] + operand.error};
  // What overflowed may be any larger number.
  if (isTooLarge)
    ends = {std::copysign(kLargest, x[i])};
  for (double end : ends) {
    moved[i] = end;
    double at = RealDomain::apply(kind, moved, payload);
    double change = at == result ? 0 : std::abs(at - result);
    // NaN where the domain of a function ends.
    largest = std::isnan(change) ? std::numeric_limits<double>::infinity()
                                 : std::max(largest, change);
  }
  return largest;
}

FloatDomain::Value FloatDomain::apply(OpKind kind, ArrayRef<Value> operands,
                                      DictionaryAttr payload) {
  SmallVector<double> x;
  double largest = 0;
  bool underflow = false, overflow = false, pole = false;
  unsigned flushed = 0;
  for (Value operand : operands) {
    x.push_back(operand.value);
    flushed += operand.value == 0 && operand.error > 0;
    underflow |= operand.underflow;
    overflow |= operand.overflow;
    pole |= operand.pole;
    largest = std::max(largest, std::abs(operand.value));
  }
  double value = RealDomain::apply(kind, x, payload);
  if (kind == OpKind::Cmp || kind == OpKind::IsFinite)
    return {value, 0, underflow, overflow, pole};
  double error = 0;
  for (unsigned i = 0; i < x.size(); ++i)
    error += propagate(kind, x, i, operands[i], value, payload);
  if (kind == OpKind::Max || kind == OpKind::Min || kind == OpKind::Select ||
      kind == OpKind::Abs)
    return {value, error, underflow, overflow, pole};
  // The order of the terms is open.
  if (kind == OpKind::Add && x.size() > 2)
    error += kRounding * largest;
  Value result = round(value, error);
  // The error of a product of several such is not of the first order.
  result.underflow =
      underflow || (kind == OpKind::Mul &&
                    (flushed > 1 || (value != 0 && result.value == 0)));
  result.pole = pole || (x.size() == 1 && std::isfinite(x[0]) &&
                         std::isinf(result.value));
  result.overflow |= overflow;
  return result;
}

bool FloatDomain::isEqual(Value a, Value b) {
  // What docs/numerics.md allows.
  if (a.underflow || b.underflow)
    return true;
  if (!std::isfinite(a.value))
    return !a.pole || !std::isfinite(b.value);
  if (!std::isfinite(b.value))
    return false;
  if (!std::isfinite(a.error))
    return true;
  return b.error <=
         kErrorRatio * (a.error + kRounding * std::abs(a.value) + kSmallest);
}

std::string FloatDomain::print(Value value) {
  return RealDomain::print(value.value) + " +- " +
         RealDomain::print(value.error);
}
