//===- Pointwise.cpp - Elementwise operations by axis name ----------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operation is chosen outside the element loop.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Evaluator/NamedArray.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include <cassert>
#include <cmath>

using namespace mlir::cleave;
using llvm::ArrayRef;

namespace {

/// IEEE 754-2019 maximum and minimum: NaN wins, and -0 < +0.
double maximum(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return a + b;
  if (a == b)
    return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

double minimum(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return a + b;
  if (a == b)
    return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

template <typename F>
NamedArray unary(ArrayRef<NamedArray> in, ElementKind kind, F f) {
  assert(in.size() == 1 && "one operand");
  NamedArray result(kind, unionOf(in));
  forEachRow(result.getAxes(), {&result, &in[0]},
             [f](double *const *p, const int64_t *s, int64_t n) {
               for (int64_t i = 0; i < n; ++i)
                 p[0][i * s[0]] = f(p[1][i * s[1]]);
             });
  return result;
}

template <typename F>
NamedArray binary(ArrayRef<NamedArray> in, ElementKind kind, F f) {
  assert(in.size() == 2 && "two operands");
  NamedArray result(kind, unionOf(in));
  forEachRow(result.getAxes(), {&result, &in[0], &in[1]},
             [f](double *const *p, const int64_t *s, int64_t n) {
               for (int64_t i = 0; i < n; ++i)
                 p[0][i * s[0]] = f(p[1][i * s[1]], p[2][i * s[2]]);
             });
  return result;
}

/// The first operand is copied, every further one is combined into it.
template <typename F>
NamedArray variadic(ArrayRef<NamedArray> in, ElementKind kind, F f) {
  assert(!in.empty() && "at least one operand");
  NamedArray result(kind, unionOf(in));
  forEachRow(result.getAxes(), {&result, &in[0]},
             [](double *const *p, const int64_t *s, int64_t n) {
               for (int64_t i = 0; i < n; ++i)
                 p[0][i * s[0]] = p[1][i * s[1]];
             });
  for (const NamedArray &operand : in.drop_front())
    forEachRow(result.getAxes(), {&result, &operand},
               [f](double *const *p, const int64_t *s, int64_t n) {
                 for (int64_t i = 0; i < n; ++i)
                   p[0][i * s[0]] = f(p[0][i * s[0]], p[1][i * s[1]]);
               });
  return result;
}

NamedArray select(ArrayRef<NamedArray> in, ElementKind kind) {
  assert(in.size() == 3 && "a condition and two values");
  NamedArray result(kind, unionOf(in));
  forEachRow(result.getAxes(), {&result, &in[0], &in[1], &in[2]},
             [](double *const *p, const int64_t *s, int64_t n) {
               for (int64_t i = 0; i < n; ++i)
                 p[0][i * s[0]] =
                     p[1][i * s[1]] != 0 ? p[2][i * s[2]] : p[3][i * s[3]];
             });
  return result;
}

NamedArray compare(Pointwise operation, ArrayRef<NamedArray> in,
                   ElementKind kind) {
  auto apply = [&](auto f) {
    return binary(in, kind,
                  [f](double a, double b) { return double(f(a, b)); });
  };
  switch (operation) {
  case Pointwise::CmpEQ:
    return apply([](double a, double b) { return a == b; });
  case Pointwise::CmpNE:
    return apply([](double a, double b) { return a != b; });
  case Pointwise::CmpLT:
    return apply([](double a, double b) { return a < b; });
  case Pointwise::CmpLE:
    return apply([](double a, double b) { return a <= b; });
  case Pointwise::CmpGT:
    return apply([](double a, double b) { return a > b; });
  default:
    return apply([](double a, double b) { return a >= b; });
  }
}

} // namespace

NamedArray mlir::cleave::applyPointwise(Pointwise operation,
                                        ArrayRef<NamedArray> in,
                                        ElementKind kind) {
  using P = Pointwise;
  switch (operation) {
  case P::Add:
    return variadic(in, kind, [](double a, double b) { return a + b; });
  case P::Mul:
    return variadic(in, kind, [](double a, double b) { return a * b; });
  case P::Max:
    return variadic(in, kind, maximum);
  case P::Min:
    return variadic(in, kind, minimum);
  case P::Sub:
    return binary(in, kind, [](double a, double b) { return a - b; });
  case P::Div:
    return binary(in, kind, [](double a, double b) { return a / b; });
  case P::Pow:
    return binary(in, kind, [](double a, double b) { return std::pow(a, b); });
  case P::Neg:
    return unary(in, kind, [](double a) { return -a; });
  case P::Recip:
    return unary(in, kind, [](double a) { return 1 / a; });
  case P::Recip0:
    return unary(in, kind, [](double a) { return a == 0 ? 0.0 : 1 / a; });
  case P::Abs:
    return unary(in, kind, [](double a) { return std::fabs(a); });
  case P::Exp2:
    return unary(in, kind, [](double a) { return std::exp2(a); });
  case P::Log:
    return unary(in, kind, [](double a) { return std::log(a); });
  case P::Tanh:
    return unary(in, kind, [](double a) { return std::tanh(a); });
  case P::Erf:
    return unary(in, kind, [](double a) { return std::erf(a); });
  case P::Exp:
    return unary(in, kind, [](double a) { return std::exp(a); });
  case P::Sqrt:
    return unary(in, kind, [](double a) { return std::sqrt(a); });
  case P::Rsqrt:
    return unary(in, kind, [](double a) { return 1 / std::sqrt(a); });
  case P::Sigmoid:
    return unary(in, kind, [](double a) { return 1 / (1 + std::exp(-a)); });
  case P::IsFinite:
    return unary(in, kind, [](double a) { return double(std::isfinite(a)); });
  case P::CmpEQ:
  case P::CmpNE:
  case P::CmpLT:
  case P::CmpLE:
  case P::CmpGT:
  case P::CmpGE:
    return compare(operation, in, kind);
  case P::Select:
    return select(in, kind);
  case P::Copy:
    return unary(in, kind, [](double a) { return a; });
  }
  llvm_unreachable("unknown pointwise operation");
}

NamedArray mlir::cleave::rounded(const NamedArray &array, ElementKind kind) {
  NamedArray result = applyPointwise(Pointwise::Copy, array, kind);
  roundAllTo(kind, {result.data(), size_t(result.size())});
  return result;
}
