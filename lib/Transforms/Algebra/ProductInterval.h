//===- ProductInterval.h - Intervals of products ----------------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The transfer functions of the facts that multiply. A product is not just the
// product of its factors' intervals: squares, norms and means say more.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_LIB_TRANSFORMS_ALGEBRA_PRODUCTINTERVAL_H
#define CLEAVE_LIB_TRANSFORMS_ALGEBRA_PRODUCTINTERVAL_H

#include "Cleave/Transforms/Algebra/AlgebraGraph.h"

namespace mlir::cleave {

/// The largest f32.
constexpr double kLargest = 3.4028234663852886e38;

/// 0 * inf is 0: the bound of a product of a zero with something unbounded but
/// real.
double times(double a, double b);

std::pair<double, double> multiply(std::pair<double, double> a,
                                   std::pair<double, double> b);

/// The interval of a product. Equal factors are powers, so that squares are
/// known not to be negative.
std::pair<double, double> multiplyAll(const egraph::EGraph &graph,
                                      ArrayRef<egraph::ClassId> factors);

/// As multiplyAll, with what norms and means among the factors say besides.
std::pair<double, double> getProductInterval(const AlgebraGraph &graph,
                                             ArrayRef<egraph::ClassId> factors);

/// Whether factors may be multiplied in any order without overflow.
bool isPartFinite(const egraph::EGraph &graph, const egraph::Node &product);

} // namespace mlir::cleave

#endif // CLEAVE_LIB_TRANSFORMS_ALGEBRA_PRODUCTINTERVAL_H
