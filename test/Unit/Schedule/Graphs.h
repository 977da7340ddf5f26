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

#include "Cleave/Transforms/Schedule/CostModel.h"

namespace mlir::cleave::schedule {

/// About an H200.
inline Target getTestTarget() {
  Target target;
  target.chip = "sm_90a";
  target.multiprocessors = 132;
  target.memoryBytes = 4.3e6;
  target.cacheBytes = 6.2e6;
  target.cachedBytes = 3e7;
  target.sharedTraffic = 2.8e7;
  target.tensorMacs = 2.76e8;
  target.scalarOps = 3e7;
  target.specialOps = 4e6;
  target.latency = 0.6;
  target.barrier = 0.2;
  target.launch = 1.2;
  target.arrival = 1.5;
  return target;
}

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

/// The largest product of a row of Q[S, D] and one of K[T, D], of those rows
/// that do not stand behind it if `masked`. Axes are D = 0, S = 1, T = 2.
struct LargestScore {
  Problem problem;
  AxisId d, s, t;
  NodeId visible, scores, result;

  explicit LargestScore(bool masked, int64_t rows = 2048) {
    d = problem.addAxis("D", 64, 64);
    s = problem.addAxis("S", kDynamic, rows);
    t = problem.addAxis("T", kDynamic, rows);
    NodeId q = problem.addArgument(0, Element::F16, {s, d});
    NodeId k = problem.addArgument(1, Element::F16, {t, d});
    problem.argumentNames = {"Q", "K"};
    scores = problem.addContract(q, k, {d});
    visible = problem.addPointwise(Pointwise::CmpLe, {addIota(t), addIota(s)},
                                   Element::I1);
    NodeId low = problem.addConstant(getUnit(Combiner::Max));
    NodeId seen =
        problem.addPointwise(Pointwise::Select, {visible, scores, low});
    result = problem.addReduce(Combiner::Max, masked ? seen : scores, {t});
    problem.results = {{result, {s}}};
    problem.resultNames = {"Y"};
  }

  NodeId addIota(AxisId axis) {
    Node iota;
    iota.kind = NodeKind::Pointwise;
    iota.op = Pointwise::Iota;
    iota.axes = {axis};
    return problem.add(iota);
  }
};

} // namespace mlir::cleave::schedule

#endif // CLEAVE_TEST_UNIT_SCHEDULE_GRAPHS_H
