//===- Graphs.h - Graphs for the scheduler's tests --------------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Built by hand, without IR.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_TEST_UNIT_SCHEDULE_GRAPHS_H
#define CLEAVE_TEST_UNIT_SCHEDULE_GRAPHS_H

#include "Cleave/Transforms/Schedule/Problem.h"

namespace mlir::cleave::schedule {

/// X[M, K] W[K, N] summed over K, and the row sums of X * X: two reductions in
/// one loop. Axes are K = 0, M = 1, N = 2.
struct LinearWithNorm {
  Problem problem;
  AxisId k, m, n;
  NodeId x, w, product, squares, result;

  explicit LinearWithNorm(int64_t rows = 16, int64_t length = 4096) {
    k = problem.addAxis("K", length, length);
    m = problem.addAxis("M", kDynamic, rows);
    n = problem.addAxis("N", 4096, 4096);
    x = problem.addArgument(0, Element::F16, {m, k});
    w = problem.addArgument(1, Element::F16, {k, n});
    problem.argumentNames = {"X", "W"};
    product = problem.addContract(x, w, {k});
    NodeId square = problem.addPointwise(Pointwise::Mul, {x, x});
    squares = problem.addReduce(Combiner::Sum, square, {k});
    result = problem.addPointwise(Pointwise::Mul, {product, squares});
    problem.results = {{result, {m, n}}};
    problem.resultNames = {"Y"};
  }
};

} // namespace mlir::cleave::schedule

#endif // CLEAVE_TEST_UNIT_SCHEDULE_GRAPHS_H
