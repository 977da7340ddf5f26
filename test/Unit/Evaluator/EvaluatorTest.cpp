//===- EvaluatorTest.cpp - Functions on host arrays -----------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EvaluatorFixture.h"

using namespace mlir;
using namespace mlir::cleave;

namespace {

class EvaluatorTest : public EvaluatorFixture {};

static EvaluatorOptions makeRounding() {
  EvaluatorOptions options;
  options.rounds = true;
  return options;
}

/// One unary operation on f32.
std::string unary(StringRef op) {
  return ("func.func @f(%x: tensor<?xf32, #cleave.axes<K>>)"
          " -> tensor<?xf32, #cleave.axes<K>> {"
          " %y = cleave." +
          op +
          " %x : (tensor<?xf32, #cleave.axes<K>>)"
          " -> tensor<?xf32, #cleave.axes<K>>"
          " return %y : tensor<?xf32, #cleave.axes<K>> }")
      .str();
}

std::string binary(StringRef op) {
  return ("func.func @f(%x: tensor<?xf32, #cleave.axes<K>>,"
          " %y: tensor<?xf32, #cleave.axes<K>>)"
          " -> tensor<?xf32, #cleave.axes<K>> {"
          " %z = cleave." +
          op +
          " %x, %y : (tensor<?xf32, #cleave.axes<K>>,"
          " tensor<?xf32, #cleave.axes<K>>) -> tensor<?xf32, #cleave.axes<K>>"
          " return %z : tensor<?xf32, #cleave.axes<K>> }")
      .str();
}

HostArray vector(std::vector<double> values) {
  int64_t size = values.size();
  return makeHost(ElementKind::F64, {size}, std::move(values));
}

TEST_F(EvaluatorTest, EvaluatesUnaryOperations) {
  HostArray x = vector({0.5, 2, 0, -1, infinity});
  auto expect = [&](StringRef op, double (*f)(double)) {
    std::vector<double> got = values(unary(op), x);
    ASSERT_EQ(got.size(), 5u);
    for (auto [in, out] : llvm::zip_equal(valuesOf(x), got)) {
      double right = f(in);
      if (std::isnan(right))
        EXPECT_TRUE(std::isnan(out)) << op.str() << " " << in;
      else
        EXPECT_DOUBLE_EQ(out, right) << op.str() << " " << in;
    }
  };
  expect("neg", [](double a) { return -a; });
  expect("recip", [](double a) { return 1 / a; });
  expect("recip0", [](double a) { return a == 0 ? 0 : 1 / a; });
  expect("abs", [](double a) { return std::fabs(a); });
  expect("exp", [](double a) { return std::exp(a); });
  expect("exp2", [](double a) { return std::exp2(a); });
  expect("log", [](double a) { return std::log(a); });
  expect("tanh", [](double a) { return std::tanh(a); });
  expect("erf", [](double a) { return std::erf(a); });
  expect("sqrt", [](double a) { return std::sqrt(a); });
  expect("rsqrt", [](double a) { return 1 / std::sqrt(a); });
  expect("sigmoid", [](double a) { return 1 / (1 + std::exp(-a)); });
  expect("silu", [](double a) { return a / (1 + std::exp(-a)); });
}

TEST_F(EvaluatorTest, EvaluatesBinaryOperations) {
  HostArray x = vector({1, -2, 0, 5}), y = vector({2, 0.5, 0, -3});
  EXPECT_EQ(values(binary("add"), {x, y}),
            (std::vector<double>{3, -1.5, 0, 2}));
  EXPECT_EQ(values(binary("mul"), {x, y}),
            (std::vector<double>{2, -1, 0, -15}));
  EXPECT_EQ(values(binary("sub"), {x, y}),
            (std::vector<double>{-1, -2.5, 0, 8}));
  EXPECT_EQ(values(binary("max"), {x, y}), (std::vector<double>{2, 0.5, 0, 5}));
  EXPECT_EQ(values(binary("min"), {x, y}), (std::vector<double>{1, -2, 0, -3}));
  std::vector<double> quotients = values(binary("div"), {x, y});
  EXPECT_EQ(quotients[1], -4);
  EXPECT_TRUE(std::isnan(quotients[2]));
  std::vector<double> powers = values(binary("pow"), {x, y});
  EXPECT_EQ(powers[0], 1);
  EXPECT_TRUE(std::isnan(powers[1]));
  EXPECT_EQ(powers[2], 1);
  EXPECT_EQ(powers[3], 1.0 / 125);
}

constexpr StringRef compareAndSelect = R"mlir(
#K = #cleave.axes<K>
func.func @f(%x: tensor<?xf32, #K>, %y: tensor<?xf32, #K>)
    -> (tensor<?xi1, #K>, tensor<?xi1, #K>, tensor<?xf32, #K>) {
  %lt = cleave.cmp lt %x, %y : (tensor<?xf32, #K>, tensor<?xf32, #K>) -> tensor<?xi1, #K>
  %ne = cleave.cmp ne %x, %y : (tensor<?xf32, #K>, tensor<?xf32, #K>) -> tensor<?xi1, #K>
  %s = cleave.select %lt, %x, %y : (tensor<?xi1, #K>, tensor<?xf32, #K>, tensor<?xf32, #K>) -> tensor<?xf32, #K>
  return %lt, %ne, %s : tensor<?xi1, #K>, tensor<?xi1, #K>, tensor<?xf32, #K>
})mlir";

TEST_F(EvaluatorTest, ComparesAndSelects) {
  double nan = std::nan("");
  std::vector<HostArray> results =
      run(compareAndSelect, {vector({1, 2, nan}), vector({2, 2, 7})});
  ASSERT_EQ(results.size(), 3u);
  EXPECT_EQ(results[0].getKind(), ElementKind::I1);
  EXPECT_EQ(valuesOf(results[0]), (std::vector<double>{1, 0, 0}));
  EXPECT_EQ(valuesOf(results[1]), (std::vector<double>{1, 0, 1}));
  EXPECT_EQ(valuesOf(results[2]), (std::vector<double>{1, 2, 7}));
}

constexpr StringRef product = R"mlir(
#M_K = #cleave.axes<M, K>
#K_N = #cleave.axes<K, N>
#M_N = #cleave.axes<M, N>
func.func @f(%x: tensor<?x?xf16, #M_K>, %y: tensor<?x?xf16, #K_N>)
    -> tensor<?x?xf32, #M_N> {
  %z = cleave.contract %x, %y over [K]
     : (tensor<?x?xf16, #M_K>, tensor<?x?xf16, #K_N>) -> tensor<?x?xf32, #M_N>
  return %z : tensor<?x?xf32, #M_N>
})mlir";

TEST_F(EvaluatorTest, ContractsAnEmptyAxisToZero) {
  // tvm#19578: uninitialised memory.
  std::vector<double> got =
      values(product, {makeHost(ElementKind::F16, {4, 0}, {}),
                       makeHost(ElementKind::F16, {0, 4}, {})});
  EXPECT_EQ(got, std::vector<double>(16, 0));
}

TEST_F(EvaluatorTest, SamplesRows) {
  std::vector<double> xs, ys;
  for (int i = 0; i < 15; ++i)
    xs.push_back(i % 7 - 3), ys.push_back(i % 5 - 2);
  HostArray x = makeHost(ElementKind::F16, {5, 3}, xs);
  HostArray y = makeHost(ElementKind::F16, {3, 5}, ys);
  std::vector<HostArray> whole = run(product, {x, y});
  func::FuncOp function = parse(product);
  FailureOr<Signature> signature = Signature::get(function);
  Bindings extents = {{"M", 5}, {"K", 3}, {"N", 5}};
  EXPECT_EQ(findSampledAxis(function, *signature, extents, 2), "M");
  EXPECT_EQ(findSampledAxis(function, *signature, extents, 5), std::nullopt);
  EXPECT_EQ(findSampledAxes(function, extents, 2),
            (std::vector<std::string>{"M", "N"}));
  EXPECT_EQ(estimateFlops(function, extents), 2 * 5 * 3 * 5);
  EvaluatorOptions options;
  options.samples = {{"M", {0, 3}}};
  std::vector<HostArray> some = run(product, {x, y}, {}, options);
  EXPECT_EQ(valuesOf(some[0]), valuesOf(gather(whole[0], 0, {0, 3})));

  // Both axes, and only what is needed of the arguments.
  options.samples.push_back({"N", {1, 4}});
  options.samplesArguments = false;
  some = run(product, {gather(x, 0, {0, 3}), gather(y, 1, {1, 4})}, extents,
             options);
  EXPECT_EQ(valuesOf(some[0]),
            valuesOf(gather(gather(whole[0], 0, {0, 3}), 1, {1, 4})));
}

TEST(Samples, AreIncreasingAndHoldBothEnds) {
  EXPECT_EQ(chooseSamples(3, 64, 1), (std::vector<int64_t>{0, 1, 2}));
  EXPECT_TRUE(chooseSamples(0, 64, 1).empty());
  std::vector<int64_t> indices = chooseSamples(2048, 64, 7);
  ASSERT_EQ(indices.size(), 64u);
  EXPECT_EQ(indices.front(), 0);
  EXPECT_EQ(indices.back(), 2047);
  EXPECT_TRUE(std::is_sorted(indices.begin(), indices.end()));
  EXPECT_EQ(std::adjacent_find(indices.begin(), indices.end()), indices.end());
}

TEST_F(EvaluatorTest, RoundsOperandsOfContractions) {
  // The factor 1/3 is f32 until the contraction takes it as f16.
  constexpr StringRef text = R"mlir(
#K = #cleave.axes<K>
#scalar = #cleave.axes<>
func.func @f(%x: tensor<?xf16, #K>) -> tensor<f32, #scalar> {
  %c = cleave.constant 3.0 : tensor<f32, #scalar>
  %q = cleave.div %x, %c : (tensor<?xf16, #K>, tensor<f32, #scalar>) -> tensor<?xf32, #K>
  %z = cleave.contract %q, %x over [K] : (tensor<?xf32, #K>, tensor<?xf16, #K>) -> tensor<f32, #scalar>
  return %z : tensor<f32, #scalar>
})mlir";
  HostArray one = makeHost(ElementKind::F16, {1}, {1});
  EXPECT_DOUBLE_EQ(values(text, one)[0], 1.0 / 3);
  EXPECT_EQ(values(text, one, makeRounding())[0],
            roundTo(ElementKind::F16, 1.0 / 3));
  std::string declared = text.str();
  declared.replace(declared.find("over [K] :"), 10,
                   "over [K] {operand_type = f32} :");
  EXPECT_EQ(values(declared, one, makeRounding())[0], float(1.0 / 3));
}

TEST_F(EvaluatorTest, KeepsSplitPartialsWide) {
  // modular#7165: partial sums must not be rounded to the arguments' type.
  constexpr StringRef text = R"mlir(
#K = #cleave.axes<K>
#S = #cleave.axes<S>
#Ki_S = #cleave.axes<Ki, S>
#scalar = #cleave.axes<>
func.func @f(%a: tensor<4xbf16, #K>, %b: tensor<4xbf16, #K>) -> tensor<bf16, #scalar> {
  %as = cleave.split %a K into (S, Ki) : tensor<4xbf16, #K> to tensor<?x?xbf16, #Ki_S>
  %bs = cleave.split %b K into (S, Ki) : tensor<4xbf16, #K> to tensor<?x?xbf16, #Ki_S>
  %p = cleave.contract %as, %bs over [Ki] : (tensor<?x?xbf16, #Ki_S>, tensor<?x?xbf16, #Ki_S>) -> tensor<?xf32, #S>
  %s = cleave.reduce_sum %p over [S] : (tensor<?xf32, #S>) -> tensor<f32, #scalar>
  %r = cleave.cast %s : tensor<f32, #scalar> to tensor<bf16, #scalar>
  return %r : tensor<bf16, #scalar>
})mlir";
  HostArray a = makeHost(ElementKind::BF16, {4}, {256, 1, -256, 1});
  HostArray b = makeHost(ElementKind::BF16, {4}, {1, 1, 1, 1});
  for (int64_t parts : {1, 2, 3, 7}) {
    std::vector<HostArray> results =
        run(text, {a, b}, {{"S", parts}}, makeRounding());
    ASSERT_EQ(results.size(), 1u);
    EXPECT_EQ(valuesOf(results[0]), std::vector<double>{2});
  }
  // Without a number of parts there is nothing to run.
  EXPECT_TRUE(failed(evaluate(parse(text), {a, b})));
  EXPECT_NE(message.find("missing extent of axis"), std::string::npos)
      << message;
}

TEST_F(EvaluatorTest, KeepsIEEEValues) {
  // tilelang#2638: x * 0 and x - x are no zeros at infinity.
  EXPECT_TRUE(
      std::isnan(values(binary("mul"), {vector({infinity}), vector({0})})[0]));
  EXPECT_TRUE(std::isnan(
      values(binary("sub"), {vector({infinity}), vector({infinity})})[0]));
  // tensorflow#123169: in f32 exp(100) is infinite, whatever multiplies it.
  EXPECT_EQ(values(unary("exp"), vector({100}), makeRounding())[0], infinity);
}

TEST_F(EvaluatorTest, ComparesWhatACastRounded) {
  // pytorch#195214: exactly one of three quotients is the largest in bf16.
  constexpr StringRef text = R"mlir(
#K = #cleave.axes<K>
#scalar = #cleave.axes<>
func.func @f(%a: tensor<?xbf16, #K>, %b: tensor<bf16, #scalar>) -> tensor<f32, #scalar> {
  %q = cleave.div %a, %b : (tensor<?xbf16, #K>, tensor<bf16, #scalar>) -> tensor<?xf32, #K>
  %c = cleave.cast %q : tensor<?xf32, #K> to tensor<?xbf16, #K>
  %m = cleave.reduce_max %c over [K] : (tensor<?xbf16, #K>) -> tensor<f32, #scalar>
  %e = cleave.cmp eq %c, %m : (tensor<?xbf16, #K>, tensor<f32, #scalar>) -> tensor<?xi1, #K>
  %one = cleave.constant 1.0 : tensor<f32, #scalar>
  %zero = cleave.constant 0.0 : tensor<f32, #scalar>
  %t = cleave.select %e, %one, %zero : (tensor<?xi1, #K>, tensor<f32, #scalar>, tensor<f32, #scalar>) -> tensor<?xf32, #K>
  %n = cleave.reduce_sum %t over [K] : (tensor<?xf32, #K>) -> tensor<f32, #scalar>
  return %n : tensor<f32, #scalar>
})mlir";
  HostArray a = makeHost(ElementKind::BF16, {3}, {1, 2, 3});
  HostArray b = makeHost(ElementKind::BF16, {}, {7});
  EXPECT_EQ(values(text, {a, b}, makeRounding()), std::vector<double>{1});
}

TEST_F(EvaluatorTest, NormalizesRows) {
  constexpr StringRef text = R"mlir(
#M_K = #cleave.axes<M, K>
#K_M = #cleave.axes<K, M>
#K = #cleave.axes<K>
func.func @f(%x: tensor<?x?xf16, #M_K>, %g: tensor<?xf16, #K>) -> tensor<?x?xf32, #M_K> {
  %n = cleave.rms_norm %x, %g over [K] eps 1.0e-6
     : (tensor<?x?xf16, #M_K>, tensor<?xf16, #K>) -> tensor<?x?xf32, #K_M>
  %r = cleave.relayout %n : tensor<?x?xf32, #K_M> to tensor<?x?xf32, #M_K>
  return %r : tensor<?x?xf32, #M_K>
})mlir";
  std::vector<double> got =
      values(text, {makeHost(ElementKind::F16, {2, 2}, {3, 4, 0, 0}),
                    makeHost(ElementKind::F16, {2}, {1, 2})});
  double scale = 1 / std::sqrt(12.5 + double(1e-6f));
  EXPECT_NEAR(got[0], 3 * scale, 1e-12);
  EXPECT_NEAR(got[1], 8 * scale, 1e-12);
  EXPECT_EQ(got[2], 0);
}

TEST_F(EvaluatorTest, VarianceIsStableWhereWrittenSo) {
  // burn#5607: E[x^2] - E[x]^2 cancels; the centred formula does not.
  constexpr StringRef text = R"mlir(
#K = #cleave.axes<K>
#scalar = #cleave.axes<>
func.func @f(%x: tensor<16xf32, #K>) -> tensor<16xf32, #K> {
  %n = cleave.extent K : tensor<f32, #scalar>
  %s = cleave.reduce_sum %x over [K] : (tensor<16xf32, #K>) -> tensor<f32, #scalar>
  %mu = cleave.div %s, %n : (tensor<f32, #scalar>, tensor<f32, #scalar>) -> tensor<f32, #scalar>
  %d = cleave.sub %x, %mu : (tensor<16xf32, #K>, tensor<f32, #scalar>) -> tensor<16xf32, #K>
  %q = cleave.mul %d, %d : (tensor<16xf32, #K>, tensor<16xf32, #K>) -> tensor<16xf32, #K>
  %v = cleave.reduce_sum %q over [K] : (tensor<16xf32, #K>) -> tensor<f32, #scalar>
  %var = cleave.div %v, %n : (tensor<f32, #scalar>, tensor<f32, #scalar>) -> tensor<f32, #scalar>
  %eps = cleave.constant 1.0e-5 : tensor<f32, #scalar>
  %b = cleave.add %var, %eps : (tensor<f32, #scalar>, tensor<f32, #scalar>) -> tensor<f32, #scalar>
  %r = cleave.rsqrt %b : (tensor<f32, #scalar>) -> tensor<f32, #scalar>
  %y = cleave.mul %d, %r : (tensor<16xf32, #K>, tensor<f32, #scalar>) -> tensor<16xf32, #K>
  return %y : tensor<16xf32, #K>
})mlir";
  auto first = [&](double mean) {
    std::vector<double> x(16);
    for (int i = 0; i < 16; ++i)
      x[i] = float(float(mean) + float(i) * 1e-3f);
    return values(text, makeHost(ElementKind::F32, {16}, x))[0];
  };
  EXPECT_NEAR(first(0), -1.34164, 1e-5);
  EXPECT_NEAR(first(1e4), -1.33133, 1e-5);
  std::vector<double> constant = values(
      text, makeHost(ElementKind::F32, {16}, std::vector<double>(16, 1234)));
  EXPECT_EQ(constant[0], 0);
}

TEST_F(EvaluatorTest, RenamesAllAtOnceAndMerges) {
  constexpr StringRef text = R"mlir(
#A_B = #cleave.axes<A, B>
#B_C = #cleave.axes<B, C>
#P = #cleave.axes<P>
func.func @f(%x: tensor<3x3xf32, #A_B>) -> (tensor<3x3xf32, #A_B>, tensor<?xf32, #P>) {
  %t = cleave.rename %x [A, B] to [B, A] : (tensor<3x3xf32, #A_B>) -> tensor<3x3xf32, #A_B>
  %m = cleave.merge %x (A, B) into P : tensor<3x3xf32, #A_B> to tensor<?xf32, #P>
  return %t, %m : tensor<3x3xf32, #A_B>, tensor<?xf32, #P>
})mlir";
  std::vector<HostArray> results = run(
      text, makeHost(ElementKind::F32, {3, 3}, {0, 1, 2, 3, 4, 5, 6, 7, 8}));
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(valuesOf(results[0]),
            (std::vector<double>{0, 3, 6, 1, 4, 7, 2, 5, 8}));
  EXPECT_EQ(valuesOf(results[1]),
            (std::vector<double>{0, 1, 2, 3, 4, 5, 6, 7, 8}));
}

TEST_F(EvaluatorTest, RunsTheChosenAlternative) {
  constexpr StringRef text = R"mlir(
#K = #cleave.axes<K>
func.func @f(%x: tensor<?xf32, #K>) -> tensor<?xf32, #K> {
  %y = cleave.alternatives ["twice", "minus"] {
    %a = cleave.add %x, %x : (tensor<?xf32, #K>, tensor<?xf32, #K>) -> tensor<?xf32, #K>
    cleave.yield %a : tensor<?xf32, #K>
  }, {
    %a = cleave.neg %x : (tensor<?xf32, #K>) -> tensor<?xf32, #K>
    cleave.yield %a : tensor<?xf32, #K>
  } : tensor<?xf32, #K>
  return %y : tensor<?xf32, #K>
})mlir";
  EXPECT_EQ(values(text, vector({1, 2})), (std::vector<double>{2, 4}));
  EvaluatorOptions second;
  second.alternative = 1;
  EXPECT_EQ(values(text, vector({1, 2}), second),
            (std::vector<double>{-1, -2}));
  second.alternative = 2;
  HostArray x = vector({1, 2});
  EXPECT_TRUE(failed(evaluate(parse(text), x, {}, second)));
  EXPECT_NE(message.find("expected an alternative below 2"), std::string::npos);
}

TEST_F(EvaluatorTest, NamesWrongArguments) {
  HostArray x = makeHost(ElementKind::F16, {2, 3}, std::vector<double>(6));
  EXPECT_TRUE(failed(evaluate(parse(product), x)));
  EXPECT_NE(message.find("expected 2 arguments but got 1"), std::string::npos);
  EXPECT_TRUE(failed(evaluate(parse(product), {x, x})));
  EXPECT_NE(message.find("expected axis 'K' of 'arg1' to have extent 3 but got "
                         "2"),
            std::string::npos)
      << message;
  HostArray flat = makeHost(ElementKind::F16, {3}, {0, 0, 0});
  EXPECT_TRUE(failed(evaluate(parse(product), {x, flat})));
  EXPECT_NE(message.find("expected 'arg1' to have rank 2 but got 3xf16"),
            std::string::npos)
      << message;
  EXPECT_TRUE(failed(evaluate(
      parse(product), {x, makeHost(ElementKind::F16, {3, 1}, {0, 0, 0})},
      {{"Z", 1}})));
  EXPECT_NE(message.find("unknown axis 'Z'"), std::string::npos) << message;
}

} // namespace
