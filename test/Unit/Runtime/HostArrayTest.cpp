//===- HostArrayTest.cpp - Rounding and poison ----------------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cleave/Runtime/HostArray.h"

#include "llvm/ADT/APFloat.h"
#include "gtest/gtest.h"
#include <cmath>
#include <cstring>
#include <limits>

using namespace mlir::cleave;

namespace {

uint64_t encodeByAPFloat(const llvm::fltSemantics &semantics, double value) {
  llvm::APFloat wide(value);
  bool lost;
  wide.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &lost);
  return wide.bitcastToAPInt().getZExtValue();
}

TEST(HostArray, EncodesLikeAPFloat) {
  // Halfway points of every f16 with both neighbours, across all binades.
  for (unsigned bits = 0; bits < 0x7c00; ++bits) {
    double low = decodeF16(bits);
    double high = bits + 1 == 0x7c00 ? 65536 : decodeF16(bits + 1);
    double half = (low + high) / 2;
    for (double value :
         {low, half, std::nextafter(half, 0), std::nextafter(half, 1e9)}) {
      ASSERT_EQ(encodeF16(value),
                encodeByAPFloat(llvm::APFloat::IEEEhalf(), value))
          << value;
      ASSERT_EQ(encodeF16(-value),
                encodeByAPFloat(llvm::APFloat::IEEEhalf(), -value))
          << value;
    }
  }
  for (unsigned bits = 0; bits < 0x7f80; ++bits) {
    double low = decodeBF16(bits);
    double half = low * (1 + 1.0 / 256);
    for (double value : {low, half, low * 1.0001, half * 1.0001})
      ASSERT_EQ(encodeBF16(value),
                encodeByAPFloat(llvm::APFloat::BFloat(), value))
          << value;
  }
}

TEST(HostArray, RoundsExtremes) {
  double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(roundTo(ElementKind::F16, 65519), 65504);
  EXPECT_EQ(roundTo(ElementKind::F16, 65520), infinity);
  EXPECT_EQ(roundTo(ElementKind::F16, -infinity), -infinity);
  EXPECT_TRUE(std::isnan(roundTo(ElementKind::F16, std::nan(""))));
  EXPECT_TRUE(std::isnan(roundTo(ElementKind::BF16, std::nan(""))));
  EXPECT_EQ(roundTo(ElementKind::F16, 1e-300), 0);
  EXPECT_TRUE(std::signbit(roundTo(ElementKind::F16, -1e-300)));
  EXPECT_EQ(roundTo(ElementKind::F64, 1e-300), 1e-300);
}

TEST(HostArray, RoundTripsEveryKind) {
  for (ElementKind kind :
       {ElementKind::F16, ElementKind::BF16, ElementKind::F32, ElementKind::F64,
        ElementKind::I8, ElementKind::I16, ElementKind::I32,
        ElementKind::I64}) {
    HostArray array(kind, {2, 2});
    std::vector<double> in = {0, -3, 100, 7}, out(4);
    array.assign(in);
    array.copyTo(out);
    EXPECT_EQ(in, out) << elementName(kind).str();
    EXPECT_EQ(parseElementKind(elementName(kind)), kind);
  }
  HostArray flags(ElementKind::I1, {3});
  flags.assign({0, 5, std::nan("")});
  std::vector<double> out(3);
  flags.copyTo(out);
  EXPECT_EQ(out, (std::vector<double>{0, 1, 1}));
  HostArray bytes(ElementKind::I8, {3});
  bytes.assign({1e9, -1e9, std::nan("")});
  bytes.copyTo(out);
  EXPECT_EQ(out, (std::vector<double>{127, -128, 0}));
}

TEST(HostArray, CountsPoison) {
  for (ElementKind kind : {ElementKind::F16, ElementKind::BF16,
                           ElementKind::F32, ElementKind::F64}) {
    HostArray array(kind, {5});
    array.poison();
    EXPECT_EQ(array.countPoison(), 5);
    std::vector<double> values(5);
    array.copyTo(values);
    EXPECT_TRUE(std::isnan(values[4]));
    // A NaN that was computed is no poison.
    array.assign(std::vector<double>(5, std::nan("")));
    EXPECT_EQ(array.countPoison(), 0);
  }
}

} // namespace
