//===- BodiesTest.cpp - A table of bodies ---------------------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Formulas that are not the ones that fold formation was written for. Each in
// every guise, in tiles and in parts; with the number of states of each fold
// that comes of it, none where the verdict is that it takes another pass.
//
//===----------------------------------------------------------------------===//

#include "GraphBuilder.h"

using namespace mlir;
using namespace mlir::cleave;

namespace {

struct Case {
  const char *name;
  std::vector<size_t> states;
  void (*build)(Graph &);
  double tolerance = 1e-12;
};

Value scores(Graph &g) { return g.argument("ST", gauss(0, 20)); }
Value values(Graph &g) { return g.argument("TN", gauss(0, 1)); }
Value rows(Graph &g) { return g.argument("MK", gauss(3, 1)); }

Value centred(Graph &g, Value x) { return g.sub(x, g.mean(x, 'K')); }
Value log(Graph &g, Value x) { return g.unary<LogOp>(x); }
Value abs(Graph &g, Value x) { return g.unary<AbsOp>(x); }
Value square(Graph &g, Value x) { return g.mul({x, x}); }

/// Of scores: the maximum where it is finite, exponentials, their sum.
struct Softmax {
  Value shift, exp, sum;
  Softmax(Graph &g, Value s) {
    shift = g.shift(g.max(s, "T"));
    exp = g.exp(g.sub(s, shift));
    sum = g.sum(exp, "T");
  }
  Value probability(Graph &g) { return g.div(exp, sum); }
  Value logSum(Graph &g) { return g.add({log(g, sum), shift}); }
};

const Case kExponentials[] = {
    {"logsumexp",
     {2},
     [](Graph &g) { g.finish(Softmax(g, scores(g)).logSum(g)); }},
    {"log-softmax",
     {2},
     [](Graph &g) {
       Value s = scores(g);
       g.finish(g.sub(s, Softmax(g, s).logSum(g)));
     }},
    {"attention and its logsumexp",
     {3},
     [](Graph &g) {
       Softmax softmax(g, scores(g));
       g.finish({g.contract(softmax.probability(g), values(g), "T"),
                 softmax.logSum(g)});
     }},
    {"exp(s - logsumexp) times V",
     {3},
     [](Graph &g) {
       Value s = scores(g);
       Value p = g.exp(g.sub(s, Softmax(g, s).logSum(g)));
       g.finish(g.contract(p, values(g), "T"));
     }},
    {"weights beside the exponentials",
     {3},
     [](Graph &g) {
       Value w = g.argument("T", gauss(0, 1));
       Value e = g.mul({w, Softmax(g, scores(g)).exp});
       g.finish({g.sum(e, "T"), g.contract(e, values(g), "T")});
     }},
    {"temperature inside",
     {2},
     [](Graph &g) {
       Value t = g.argument("S", gauss(1, 0.1));
       g.finish(Softmax(g, g.mul({scores(g), t})).sum);
     }},
    {"softmin",
     {3},
     [](Graph &g) {
       Value s = scores(g);
       Value e = g.exp(g.sub(g.min(s, "T"), s));
       g.finish(g.div(g.contract(e, values(g), "T"), g.sum(e, "T")));
     }},
    {"softmin by a clamped minimum",
     {2},
     [](Graph &g) {
       Value s = scores(g);
       Value m = g.variadic<MinOp>({g.min(s, "T"), g.number(1e4)});
       g.finish(g.sum(g.exp(g.mul({g.number(0.3), g.sub(m, s)})), "T"));
     }},
    {"softmin by a negated maximum",
     {2},
     [](Graph &g) {
       Value n = g.unary<NegOp>(scores(g));
       g.finish(g.sum(g.exp(g.sub(n, g.max(n, "T"))), "T"));
     }},
    {"powers of 2",
     {3},
     [](Graph &g) {
       Value s = g.mul({scores(g), g.number(1.4426950408889634)});
       Value e = g.unary<Exp2Op>(g.sub(s, g.shift(g.max(s, "T"))));
       g.finish(g.div(g.contract(e, values(g), "T"), g.sum(e, "T")));
     }},
    {"powers of 2 and of e",
     {2},
     [](Graph &g) {
       Value s = scores(g);
       Value d = g.sub(s, g.max(s, "T"));
       g.finish(g.sum(g.mul({g.unary<Exp2Op>(d), g.exp(d)}), "T"));
     },
     // The ratio of the bases is an f32.
     1e-6},
    {"two temperatures",
     {3},
     [](Graph &g) {
       Value s = scores(g);
       Value d = g.sub(s, g.max(s, "T"));
       g.finish(
           {g.sum(g.exp(d), "T"), g.sum(g.exp(g.mul({g.number(2), d})), "T")});
     }},
    {"the maximum of magnitudes",
     {2},
     [](Graph &g) {
       Value s = scores(g);
       g.finish(g.sum(g.exp(g.sub(s, g.max(abs(g, s), "T"))), "T"));
     }},
    {"sum of squared probabilities",
     {3},
     [](Graph &g) {
       g.finish(g.sum(g.pow(Softmax(g, scores(g)).probability(g), 2), "T"));
     }},
    {"probabilities of unit length times V",
     {4},
     [](Graph &g) {
       Value p = Softmax(g, scores(g)).probability(g);
       Value r = g.unary<RsqrtOp>(g.sum(square(g, p), "T"));
       g.finish(g.contract(g.mul({p, r}), values(g), "T"));
     }},
    {"mean score under the softmax",
     {3},
     [](Graph &g) {
       Value s = scores(g);
       g.finish(g.sum(g.mul({Softmax(g, s).probability(g), s}), "T"));
     }},
    {"causal mask and label in one sweep",
     {2},
     [](Graph &g) {
       Value s = scores(g), label = g.argument("S", always({3, 0}));
       Value t = g.argument("T", always({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
       Value last = g.argument("S", always({5, 1}));
       Value seen = g.select(g.compare(CmpPredicate::le, t, last), s,
                             g.number(-kInfinity));
       Value hit =
           g.select(g.compare(CmpPredicate::eq, t, label), s, g.number(0));
       g.finish(g.sub(Softmax(g, seen).logSum(g), g.sum(hit, "T")));
     }},
    {"select behind the exponential",
     {2},
     [](Graph &g) {
       // What is not selected may exceed the maximum by far.
       Value s = scores(g), b = g.argument("ST", gauss(0, 1));
       Value keep = g.compare(CmpPredicate::ge, b, g.number(0));
       Value m = g.max(g.select(keep, s, g.number(-kInfinity)), "T");
       Value e = g.exp(g.sub(s, g.shift(m)));
       g.finish(g.sum(g.select(keep, e, g.number(0)), "T"));
     }},
    {"bias that cancels in the maximum",
     {2},
     [](Graph &g) {
       Value s = scores(g), b = g.argument("S", gauss(0, 20));
       Value d = g.sub(g.add({s, b}), g.add({b, g.max(s, "T")}));
       g.finish(g.sum(g.exp(d), "T"));
     }},
    {"linear and logsumexp",
     {2},
     [](Graph &g) {
       Value x = g.argument("SD", gauss(0, 3)),
             w = g.argument("DT", gauss(0, 3));
       g.finish(Softmax(g, g.contract(x, w, "D")).logSum(g));
     }},
    {"a relayout on the way",
     {2},
     [](Graph &g) {
       Value s = scores(g);
       g.finish(g.sum(g.exp(g.sub(s, g.max(g.relayout(s), "T"))), "T"));
     }},
};

const Case kOtherExponentials[] = {
    {"exponent of another maximum",
     {},
     [](Graph &g) {
       Value s = scores(g);
       Value m = g.max(s, "T"), n = g.max(g.argument("ST", gauss(0, 1)), "T");
       g.finish(g.sum(g.exp(g.sub(s, g.add({m, n}))), "T"));
     }},
    {"minimum where a maximum is due",
     {},
     [](Graph &g) {
       Value s = scores(g);
       g.finish(g.sum(g.exp(g.sub(s, g.min(s, "T"))), "T"));
     }},
    {"an earlier sum that cancels",
     {},
     [](Graph &g) {
       Value s = scores(g), b = g.argument("S", gauss(0, 1));
       Value y = g.mul({b, g.unary<RecipOp>(g.sum(s, "T"))});
       Value d = g.sub(g.add({g.sub(s, g.max(s, "T")), y}), y);
       g.finish(g.sum(g.exp(d), "T"));
     }},
    {"a sink in the maximum",
     {},
     [](Graph &g) {
       Value s = scores(g), sink = g.argument("S", gauss(0, 20));
       Value m = g.variadic<MaxOp>({g.max(s, "T"), sink});
       Value l = g.sum(g.exp(g.sub(s, m)), "T");
       g.finish(g.add({l, g.exp(g.sub(sink, m))}));
     }},
    {"a sink beside the sum",
     {2},
     [](Graph &g) {
       Value s = scores(g), sink = g.argument("S", gauss(0, 1));
       Softmax softmax(g, s);
       g.finish(g.add({softmax.sum, g.exp(g.sub(sink, softmax.shift))}));
     }},
    {"entropy",
     {2},
     [](Graph &g) {
       Value p = Softmax(g, g.argument("ST", gauss(0, 2))).probability(g);
       g.finish(g.sum(g.mul({p, log(g, p)}), "T"));
     }},
    {"entropy by the logsumexp",
     {2},
     [](Graph &g) {
       Value s = g.argument("ST", gauss(0, 2));
       Softmax softmax(g, s);
       Value p = softmax.probability(g);
       g.finish(g.sum(g.mul({p, g.sub(s, softmax.logSum(g))}), "T"));
     }},
    {"the largest probability",
     {2},
     [](Graph &g) {
       g.finish(g.max(Softmax(g, scores(g)).probability(g), "T"));
     }},
    {"maximum of what exceeds the maximum",
     {},
     [](Graph &g) {
       Value s = scores(g);
       Value d = g.sub(s, g.max(s, "T"));
       g.finish({g.max(d, "T"), g.min(d, "T")});
     }},
    {"a maximum that hides behind a select",
     {},
     [](Graph &g) {
       // Nothing is selected in a row: 0, whatever exp(s - -inf) is.
       Value s = scores(g), b = g.argument("S", always({1, -1}));
       Value keep = g.compare(CmpPredicate::ge, b, g.number(0));
       Value m = g.max(g.select(keep, s, g.number(-kInfinity)), "T");
       Value e = g.exp(g.sub(s, m));
       g.finish(g.sum(g.select(keep, e, g.number(0)), "T"));
     }},
};

const Case kMoments[] = {
    {"fourth central moment",
     {6},
     [](Graph &g) { g.finish(g.mean(g.pow(centred(g, rows(g)), 4), 'K')); },
     1e-9},
    {"third moment of what is scaled",
     {5},
     [](Graph &g) {
       Value d = centred(g, rows(g));
       Value r = g.unary<RsqrtOp>(g.mean(square(g, d), 'K'));
       g.finish(g.sum(g.pow(g.mul({d, r}), 3), "K"));
     },
     1e-9},
    {"weighted squares",
     {5},
     [](Graph &g) {
       Value w = g.argument("K", gauss(1, 0.1)), d = centred(g, rows(g));
       g.finish(g.sum(g.mul({w, d, d}), "K"));
     },
     1e-9},
    {"squared magnitude",
     {4},
     [](Graph &g) {
       g.finish(g.sum(g.pow(abs(g, centred(g, rows(g))), 2), "K"));
     },
     1e-9},
    {"deviations from the maximum",
     {4},
     [](Graph &g) {
       Value x = rows(g), m = g.max(x, "K");
       g.finish(g.sum(square(g, g.sub(x, m)), "K"));
     }},
    {"weighted third power of deviations",
     {5},
     [](Graph &g) {
       Value x = rows(g), w = g.argument("K", gauss(1, 1));
       Value d = g.sub(g.max(x, "K"), x);
       g.finish(g.sum(g.mul({w, d, d, d}), "K"));
     }},
    {"deviations from the minimum",
     {4},
     [](Graph &g) {
       Value x = rows(g), m = g.min(x, "K");
       g.finish(g.sum(square(g, g.sub(x, m)), "K"));
     }},
    {"mean deviation under the softmax",
     {3},
     [](Graph &g) {
       Value s = scores(g);
       Value d = g.sub(s, g.max(s, "T")), e = g.exp(d);
       g.finish(g.div(g.sum(g.mul({e, d}), "T"), g.sum(e, "T")));
     }},
    {"magnitude of what is scaled",
     {},
     [](Graph &g) {
       Value x = rows(g);
       g.finish(g.sum(abs(g, g.div(x, g.max(abs(g, x), "K"))), "K"));
     }},
    {"squares over the largest square",
     {},
     [](Graph &g) {
       Value x = rows(g), m = g.max(abs(g, x), "K");
       g.finish(g.sum(g.div(square(g, x), square(g, m)), "K"));
     }},
    {"scale by a product and a minimum",
     {},
     [](Graph &g) {
       Value x = rows(g);
       Value c = g.mul({g.prod(x, "K"), g.min(x, "K")});
       g.finish(g.sum(g.mul({x, c}), "K"));
     }},
    {"minimum plus an earlier sum",
     {},
     [](Graph &g) {
       Value x = rows(g);
       g.finish(g.min(g.add({x, g.sum(x, "K")}), "K"));
     }},
};

const Case kOtherMoments[] = {
    {"mean magnitude of deviations",
     {},
     [](Graph &g) { g.finish(g.mean(abs(g, centred(g, rows(g))), 'K')); }},
    {"fifth power",
     {},
     [](Graph &g) { g.finish(g.sum(g.pow(centred(g, rows(g)), 5), "K")); },
     1e-9},
    {"covariance",
     {},
     [](Graph &g) {
       g.finish(g.mean(g.mul({centred(g, rows(g)), centred(g, rows(g))}), 'K'));
     },
     1e-9},
    {"hyperbolic tangent",
     {},
     [](Graph &g) {
       g.finish(g.sum(g.unary<TanhOp>(centred(g, rows(g))), "K"));
     }},
    {"error function",
     {},
     [](Graph &g) {
       g.finish(g.sum(g.unary<ErfOp>(centred(g, rows(g))), "K"));
     }},
    {"logarithm of what is scaled",
     {},
     [](Graph &g) {
       Value x = square(g, rows(g));
       g.finish(g.sum(log(g, g.div(x, g.sum(x, "K"))), "K"));
     }},
    {"product of what is scaled",
     {},
     [](Graph &g) {
       Value x = rows(g);
       g.finish(g.prod(g.div(x, g.max(x, "K")), "K"));
     }},
    {"exponent of a product",
     {},
     [](Graph &g) {
       Value x = g.argument("MK", gauss(0, 1));
       g.finish(g.sum(g.exp(g.sub(x, g.prod(x, "K"))), "K"));
     }},
    {"mean with weights that may add up to 0",
     {},
     [](Graph &g) {
       Value x = rows(g), w = g.argument("K", gauss(1, 0.1));
       Value mean = g.div(g.sum(g.mul({w, x}), "K"), g.sum(w, "K"));
       g.finish(g.sum(square(g, g.sub(x, mean)), "K"));
     },
     1e-9},
    {"deviations from another maximum",
     {},
     [](Graph &g) {
       Value x = rows(g), m = g.max(rows(g), "K");
       g.finish(g.sum(square(g, g.sub(x, m)), "K"));
     }},
    {"shifted deviations from the maximum",
     {},
     [](Graph &g) {
       Value x = rows(g), m = g.max(x, "K");
       g.finish(g.sum(square(g, g.add({g.sub(x, m), g.number(1)})), "K"));
     }},
    {"clipped deviations",
     {},
     [](Graph &g) {
       g.finish(
           g.sum(g.variadic<MaxOp>({centred(g, rows(g)), g.number(0)}), "K"));
     }},
};

class BodiesTest : public FoldsFixture {
protected:
  void expectAll(ArrayRef<Case> cases) {
    for (const Case &body : cases) {
      SCOPED_TRACE(body.name);
      expectFolds(body.build, body.states, body.tolerance);
    }
  }
};

TEST_F(BodiesTest, Exponentials) { expectAll(kExponentials); }
TEST_F(BodiesTest, ExponentialsThatTakeAnotherPass) {
  expectAll(kOtherExponentials);
}
TEST_F(BodiesTest, Moments) { expectAll(kMoments); }
TEST_F(BodiesTest, MomentsThatTakeAnotherPass) { expectAll(kOtherMoments); }

} // namespace
