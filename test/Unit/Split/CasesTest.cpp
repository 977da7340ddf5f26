//===- CasesTest.cpp - Inputs that broke other tools, in parts ------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Small inputs for faults that users of comparable tools reported (in each
// test's comment). Each runs through the algebra; every alternative gives the
// right numbers in f64 and rounding as a device does, with its folds in tiles
// and in any number of parts.
//
//===----------------------------------------------------------------------===//

#include "../Evaluator/EvaluatorFixture.h"
#include "Cleave/Transforms/Passes.h"
#include "mlir/Dialect/PDL/IR/PDL.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace mlir::cleave;

namespace {

constexpr int64_t kCounts[] = {1, 2, 3, 8, 50};

using Results = std::vector<std::vector<double>>;

class CasesTest : public EvaluatorFixture {
protected:
  CasesTest() { context.loadDialect<pdl::PDLDialect>(); }

  /// All alternatives of the function in `text` give these results. At least
  /// one has parts, and one a fold if `folds`.
  void expectResults(StringRef text, ArrayRef<HostArray> arguments,
                     const Results &expected, double tolerance = 1e-5,
                     bool folds = true) {
    func::FuncOp function = optimize(text);
    ASSERT_TRUE(function) << message;
    std::vector<std::string> symbols = getSymbols(function);
    EXPECT_FALSE(symbols.empty());
    EXPECT_EQ(hasFold(function), folds);
    auto alternatives = *function.getOps<AlternativesOp>().begin();
    for (unsigned i = 0; i < alternatives.getAlternatives().size(); ++i)
      for (int64_t count : kCounts)
        for (int64_t tile : tiles)
          for (bool rounds : {false, true}) {
            SCOPED_TRACE("alternative " + std::to_string(i) + ", " +
                         std::to_string(count) + " parts, tiles of " +
                         std::to_string(tile) + (rounds ? ", rounded" : ""));
            EvaluatorOptions options;
            options.alternative = i;
            options.foldTile = tile;
            options.rounds = rounds;
            Bindings bindings;
            for (const std::string &symbol : symbols)
              bindings[symbol] = count;
            auto results = evaluate(function, arguments, bindings, options);
            ASSERT_TRUE(succeeded(results)) << message;
            expectNear(*results, expected, tolerance);
          }
  }

  std::vector<int64_t> tiles = {0, 1, 2};

  HostArray f32(ArrayRef<int64_t> shape, std::vector<double> values) {
    return makeHost(ElementKind::F32, shape, std::move(values));
  }

private:
  func::FuncOp optimize(StringRef text) {
    func::FuncOp function = parse(text);
    if (!function)
      return {};
    PassManager manager(&context);
    CleaveAlgebraPassOptions options;
    options.split = true;
    manager.addNestedPass<func::FuncOp>(createCleaveAlgebraPass(options));
    return succeeded(manager.run(*module)) ? function : func::FuncOp();
  }

  static std::vector<std::string> getSymbols(func::FuncOp function) {
    std::vector<std::string> names;
    auto symbols =
        function->getAttrOfType<SymbolsAttr>(CleaveDialect::kSymbolsAttrName);
    for (SymbolAttr symbol :
         symbols ? symbols.getSymbols() : ArrayRef<SymbolAttr>())
      if (symbol.getKind() == AxisKind::Bound)
        names.push_back(symbol.getName().str());
    return names;
  }

  static bool hasFold(func::FuncOp function) {
    return function.walk([](FoldOp) { return WalkResult::interrupt(); })
        .wasInterrupted();
  }

  static void expectNear(ArrayRef<HostArray> results, const Results &expected,
                         double tolerance) {
    ASSERT_EQ(results.size(), expected.size());
    for (auto [result, values] : llvm::zip_equal(results, expected)) {
      std::vector<double> got = valuesOf(result);
      ASSERT_EQ(got.size(), values.size());
      for (auto [a, b] : llvm::zip_equal(got, values))
        if (std::isfinite(b))
          EXPECT_NEAR(a, b, tolerance * std::max(1.0, std::abs(b)));
        else
          EXPECT_EQ(a, b);
    }
  }
};

/// Softmax of scores times V, and the logsumexp in base 2.
constexpr StringRef kAttention = R"(
  #S_T = #cleave.axes<S, T>
  #T_E = #cleave.axes<T, E>
  #E_S = #cleave.axes<E, S>
  #S = #cleave.axes<S>
  !c = tensor<f32, #cleave.axes<>>
  func.func @f(%s: tensor<?x?xf32, #S_T>, %v: tensor<?x?xf32, #T_E>)
      -> (tensor<?x?xf32, #E_S>, tensor<?xf32, #S>) {
    %p = cleave.softmax %s over [T] : (tensor<?x?xf32, #S_T>) -> tensor<?x?xf32, #S_T>
    %o = cleave.contract %p, %v over [T] : (tensor<?x?xf32, #S_T>, tensor<?x?xf32, #T_E>) -> tensor<?x?xf32, #E_S>
    %l = cleave.logsumexp %s over [T] : (tensor<?x?xf32, #S_T>) -> tensor<?xf32, #S>
    %c = cleave.constant 1.4426950408889634 : !c
    %l2 = cleave.mul %l, %c : (tensor<?xf32, #S>, !c) -> tensor<?xf32, #S>
    return %o, %l2 : tensor<?x?xf32, #E_S>, tensor<?xf32, #S>
  })";

// flashinfer#4267, #4450, #4451: scores below what some take for -inf.
TEST_F(CasesTest, ScoresBelowASentinel) {
  expectResults(kAttention,
                {f32({1, 2}, {-60000, -60001}), f32({2, 1}, {1, 3})},
                {{1.53788}, {-86561.3}});
  double score = -524288 * 0.0883883;
  expectResults(kAttention, {f32({1, 1}, {score}), f32({1, 1}, {1})},
                {{1}, {-66855.9}});
}

// FlagGems PR 330: the first block is all -inf. A row of -inf gives 0.
TEST_F(CasesTest, FirstPartsAllInfinite) {
  expectResults(
      kAttention,
      {f32({2, 4}, {-infinity, -infinity, 0, 1, -infinity, -infinity, -infinity,
                    -infinity}),
       f32({4, 2}, {1, 0, 0, 1, 1, 0, 0, 1})},
      {{0.268941, 0, 0.731059, 0}, {1.31326 / std::log(2), -infinity}});
}

// tilelang#1213: padded keys in the denominator.
TEST_F(CasesTest, TailsAreNoKeys) {
  expectResults(kAttention, {f32({1, 3}, {-5, -5, -5}), f32({3, 1}, {1, 1, 1})},
                {{1}, {-3.90139 / std::log(2)}});
}

// tvm#19578: an axis without positions.
TEST_F(CasesTest, NoKeys) {
  expectResults(kAttention, {f32({2, 0}, {}), f32({0, 1}, {})},
                {{0, 0}, {-infinity, -infinity}});
}

// pytorch PR 179760: one long sequence chooses the number of parts, a short one
// leaves most of them empty.
TEST_F(CasesTest, ShortSequencesLeavePartsEmpty) {
  constexpr StringRef text = R"(
    #S_T = #cleave.axes<S, T>
    #T_E = #cleave.axes<T, E>
    #E_S = #cleave.axes<E, S>
    #S = #cleave.axes<S>
    #T = #cleave.axes<T>
    !c = tensor<f32, #cleave.axes<>>
    func.func @f(%length: tensor<?xf32, #S>, %v: tensor<?x?xf32, #T_E>)
        -> tensor<?x?xf32, #E_S> {
      %t = cleave.iota T : tensor<?xf32, #T>
      %low = cleave.constant 0xFFF0000000000000 : !c
      %zero = cleave.constant 0.0 : !c
      %m = cleave.cmp lt %t, %length : (tensor<?xf32, #T>, tensor<?xf32, #S>) -> tensor<?x?xi1, #S_T>
      %s = cleave.select %m, %zero, %low : (tensor<?x?xi1, #S_T>, !c, !c) -> tensor<?x?xf32, #S_T>
      %p = cleave.softmax %s over [T] : (tensor<?x?xf32, #S_T>) -> tensor<?x?xf32, #S_T>
      %o = cleave.contract %p, %v over [T] : (tensor<?x?xf32, #S_T>, tensor<?x?xf32, #T_E>) -> tensor<?x?xf32, #E_S>
      return %o : tensor<?x?xf32, #E_S>
    })";
  tiles = {0, 128};
  expectResults(
      text,
      {f32({3}, {1, 1000, 0}), f32({1000, 1}, std::vector<double>(1000, 1.0))},
      {{1, 1, 0}});
}

// flash-attention#1930: one finite logit, in any block.
TEST_F(CasesTest, OneFiniteLogit) {
  constexpr StringRef text = R"(
    #M_V = #cleave.axes<M, V>
    #M = #cleave.axes<M>
    #V = #cleave.axes<V>
    !c = tensor<f32, #cleave.axes<>>
    func.func @f(%x: tensor<?x?xf32, #M_V>, %label: tensor<?xf32, #M>)
        -> (tensor<?xf32, #M>, tensor<?xf32, #M>) {
      %v = cleave.iota V : tensor<?xf32, #V>
      %zero = cleave.constant 0.0 : !c
      %l = cleave.logsumexp %x over [V] : (tensor<?x?xf32, #M_V>) -> tensor<?xf32, #M>
      %hit = cleave.cmp eq %v, %label : (tensor<?xf32, #V>, tensor<?xf32, #M>) -> tensor<?x?xi1, #M_V>
      %h = cleave.select %hit, %x, %zero : (tensor<?x?xi1, #M_V>, tensor<?x?xf32, #M_V>, !c) -> tensor<?x?xf32, #M_V>
      %c = cleave.reduce_sum %h over [V] : (tensor<?x?xf32, #M_V>) -> tensor<?xf32, #M>
      %loss = cleave.sub %l, %c : (tensor<?xf32, #M>, tensor<?xf32, #M>) -> tensor<?xf32, #M>
      return %l, %loss : tensor<?xf32, #M>, tensor<?xf32, #M>
    })";
  for (int64_t label = 0; label < 8; ++label) {
    std::vector<double> logits(8, -infinity);
    logits[label] = 10;
    expectResults(text, {f32({1, 8}, logits), f32({1}, {double(label)})},
                  {{10}, {0}});
  }
}

// modular#7165, triton#2630: partial sums rounded to the operands' type.
TEST_F(CasesTest, PartialSumsAreNotRounded) {
  constexpr StringRef text = R"(
    #M_K = #cleave.axes<M, K>
    #K_N = #cleave.axes<K, N>
    #M_N = #cleave.axes<M, N>
    func.func @f(%x: tensor<?x?xbf16, #M_K>, %w: tensor<?x?xbf16, #K_N>) -> tensor<?x?xbf16, #M_N> {
      %y = cleave.contract %x, %w over [K] : (tensor<?x?xbf16, #M_K>, tensor<?x?xbf16, #K_N>) -> tensor<?x?xf32, #M_N>
      %h = cleave.cast %y : tensor<?x?xf32, #M_N> to tensor<?x?xbf16, #M_N>
      return %h : tensor<?x?xbf16, #M_N>
    })";
  expectResults(text,
                {makeHost(ElementKind::BF16, {1, 4}, {256, 1, -256, 1}),
                 makeHost(ElementKind::BF16, {4, 1}, {1, 1, 1, 1})},
                {{2}}, 1e-9, /*folds=*/false);
}

// sglang PR 35045: partial results in base 2 merged with weights in base e.
TEST_F(CasesTest, MergeInBaseTwo) {
  constexpr StringRef text = R"(
    #S = #cleave.axes<S>
    !c = tensor<f32, #cleave.axes<>>
    func.func @f(%l: tensor<?xf32, #S>, %o: tensor<?xf32, #S>) -> (!c, !c) {
      %m = cleave.reduce_max %l over [S] : (tensor<?xf32, #S>) -> !c
      %d = cleave.sub %l, %m : (tensor<?xf32, #S>, !c) -> tensor<?xf32, #S>
      %w = cleave.exp2 %d : (tensor<?xf32, #S>) -> tensor<?xf32, #S>
      %n = cleave.reduce_sum %w over [S] : (tensor<?xf32, #S>) -> !c
      %wo = cleave.mul %w, %o : (tensor<?xf32, #S>, tensor<?xf32, #S>) -> tensor<?xf32, #S>
      %a = cleave.reduce_sum %wo over [S] : (tensor<?xf32, #S>) -> !c
      %y = cleave.div %a, %n : (!c, !c) -> !c
      %g = cleave.log %n : (!c) -> !c
      %r = cleave.constant 1.4426950408889634 : !c
      %g2 = cleave.mul %g, %r : (!c, !c) -> !c
      %lse = cleave.add %m, %g2 : (!c, !c) -> !c
      return %y, %lse : !c, !c
    })";
  expectResults(text, {f32({2}, {3, 5}), f32({2}, {0, 1})}, {{0.8}, {5.32193}});
}

// burn#5607, onnxruntime#21935: a variance as a difference of large numbers.
TEST_F(CasesTest, VarianceFarFromZero) {
  constexpr StringRef text = R"(
    #M_K = #cleave.axes<M, K>
    #K_M = #cleave.axes<K, M>
    func.func @f(%x: tensor<?x?xf32, #M_K>) -> tensor<?x?xf32, #K_M> {
      %y = cleave.layer_norm %x over [K] eps 1.0e-5 : (tensor<?x?xf32, #M_K>) -> tensor<?x?xf32, #K_M>
      return %y : tensor<?x?xf32, #K_M>
    })";
  for (double mean : {0.0, 100.0, 1e4}) {
    std::vector<double> x(16), expected(16);
    double sum = 0, squares = 0;
    for (int i = 0; i < 16; ++i)
      sum += x[i] = double(float(mean + i * 1e-3));
    for (double value : x)
      squares += (value - sum / 16) * (value - sum / 16);
    for (int i = 0; i < 16; ++i)
      expected[i] = (x[i] - sum / 16) / std::sqrt(squares / 16 + 1e-5);
    // A mean that is rounded to f32 is off by up to 2^-25 of itself.
    expectResults(text, {f32({1, 16}, x)}, {expected}, 1e-5 + mean * 1.5e-5);
  }
  expectResults(text, {f32({1, 256}, std::vector<double>(256, 1234.0))},
                {std::vector<double>(256, 0.0)});
}

} // namespace
