//===- RandomGraph.h - Graphs nobody wrote ----------------------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random operations with many reductions over one axis, most of them in the
// forms that fold formation looks for.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_TEST_UNIT_FOLDS_RANDOMGRAPH_H
#define CLEAVE_TEST_UNIT_FOLDS_RANDOMGRAPH_H

#include "GraphBuilder.h"

namespace mlir::cleave {

class RandomGraph {
public:
  RandomGraph(MLIRContext &context, unsigned seed)
      : random(seed), g(context, Guise{below(2) == 1, below(2) == 1}) {
    if (below(8) == 0)
      g.extents['T'] = below(3);
    // In some graphs some scores are -inf, in some a row of them.
    double rate = below(4) == 0 ? 0.3 : below(8) == 0 ? 0.95 : 0;
    auto scores = [rate](std::mt19937 &random) {
      double value = std::normal_distribution<double>(0, 2)(random);
      return std::uniform_real_distribution<double>()(random) < rate
                 ? -kInfinity
                 : value;
    };
    pool = {g.argument("ST", scores),
            g.argument("ST", gauss(1, 1)),
            g.argument("T", gauss(0, 1)),
            g.argument("S", gauss(0, 1)),
            g.argument("TN", gauss(0, 1)),
            g.number(0.5),
            g.number(2)};
    varying = {pool[0], pool[1], pool[2], pool[4]};
    if (below(4) == 0)
      push(g.maskBelow(pool[0], pool[1 + below(2)]));
    for (unsigned i = 0, e = 4 + below(12); i < e; ++i)
      push(create());
    results.push_back(g.sum(pickVarying(), "T"));
    g.finish(results);
  }

  Graph &get() { return g; }

private:
  std::mt19937 random;
  Graph g;
  SmallVector<Value> pool, varying, results;

  unsigned below(unsigned bound) { return random() % bound; }
  /// Mostly one of the last values, so that graphs are deep.
  Value pick(ArrayRef<Value> values) {
    unsigned last = std::min<unsigned>(values.size(), 5);
    return below(3) == 0 ? values[below(values.size())]
                         : values[values.size() - 1 - below(last)];
  }
  Value pickVarying() { return pick(varying); }

  void push(Value value) {
    pool.push_back(value);
    if (g.varies(value, 'T'))
      varying.push_back(value);
  }
  Value reduced(Value value) {
    results.push_back(value);
    return value;
  }

  Value create() {
    Value x = pickVarying();
    switch (below(25)) {
    case 0:
      return g.add({pick(pool), pick(pool)});
    case 1:
      return g.sub(pick(pool), pick(pool));
    case 2:
    case 3:
      return g.mul({pick(pool), pick(pool)});
    case 4:
      return g.exp(g.sub(x, g.shift(g.max(x, "T"))));
    case 5:
      return g.exp(g.sub(x, g.max(x, "T")));
    case 6: {
      // Not alone: the sum of x - mean is nothing but rounding.
      Value d = g.sub(x, g.mean(x, 'T'));
      return g.mul({d, below(2) == 0 ? d : pool[below(2)]});
    }
    case 7:
      return g.unary<Recip0Op>(pick(pool));
    case 8:
      return g.max(x, "T");
    case 9:
      return reduced(g.max(x, "T"));
    case 10:
      return reduced(g.contract(x, pick(pool), "T"));
    case 11:
      return g.div(pick(pool), pick(pool));
    case 12:
      return g.unary<NegOp>(pick(pool));
    case 13:
      return g.pow(pick(pool), 2);
    case 14:
      return g.exp(g.sub(g.shift(g.min(x, "T")), x));
    case 15:
      return g.unary<Exp2Op>(g.sub(x, g.max(x, "T")));
    case 16: {
      // By the logarithm of the sum.
      Value shift = g.shift(g.max(x, "T"));
      Value l = g.sum(g.exp(g.sub(x, shift)), "T");
      return g.exp(g.sub(x, g.add({shift, g.unary<LogOp>(l)})));
    }
    case 17: {
      // A select by the condition that masks the maximum, and by another.
      Value keep = g.compare(CmpPredicate::ge, pool[below(2)], g.number(0));
      Value m = g.max(g.select(keep, x, g.number(-kInfinity)), "T");
      Value e = g.exp(g.sub(x, below(2) == 0 ? g.shift(m) : m));
      return g.select(below(4) == 0
                          ? g.compare(CmpPredicate::lt, pool[1], g.number(1))
                          : keep,
                      e, g.number(0));
    }
    case 18:
      return g.unary<AbsOp>(pick(pool));
    case 19:
      return g.variadic<MaxOp>({pick(pool), pick(pool)});
    case 20:
      return reduced(g.min(x, "T"));
    case 22: {
      Value d = below(2) == 0 ? g.sub(x, g.max(x, "T"))
                              : g.sub(g.min(x, "T"), x);
      return g.mul({d, below(2) == 0 ? d : g.exp(d)});
    }
    case 21:
      return reduced(g.sum(g.unary<AbsOp>(x), "T"));
    default:
      return reduced(g.sum(x, "T"));
    }
  }
};

} // namespace mlir::cleave

#endif // CLEAVE_TEST_UNIT_FOLDS_RANDOMGRAPH_H
