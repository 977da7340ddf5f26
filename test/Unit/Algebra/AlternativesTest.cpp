//===- AlternativesTest.cpp - Every alternative computes the input --------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In f64 all alternatives agree to rounding; with rounding they stay within the
// tolerance of the numbers contract. Extents include 0 and 1.
//
//===----------------------------------------------------------------------===//

#include "AlgebraFixture.h"
#include "Cleave/Runtime/Compare.h"
#include "Cleave/Runtime/Random.h"

using namespace mlir;
using namespace mlir::cleave;

namespace {

class AlternativesTest : public AlgebraFixture {
protected:
  /// Compares each region with the last, which is checked to be the input.
  void check(StringRef text, ArrayRef<Bindings> bindings, unsigned atLeast,
             double scale = 1, Numerics numerics = Numerics::Strict) {
    AlternativesOp op = optimizeText(text, numerics);
    ASSERT_TRUE(op) << message;
    unsigned count = op.getAlternatives().size();
    EXPECT_GE(count, atLeast);
    std::optional<unsigned> input;
    for (auto [index, label] : llvm::enumerate(*op.getLabels()))
      if (cast<StringAttr>(label).getValue() == "input")
        input = index;
    ASSERT_TRUE(input);
    auto function = op->getParentOfType<func::FuncOp>();
    auto signature = Signature::get(function);
    ASSERT_TRUE(succeeded(signature));
    auto table = AxisTable::get(function);
    ASSERT_TRUE(succeeded(table));
    for (const Bindings &given : bindings) {
      auto extents = table->resolve(given, function.getLoc());
      ASSERT_TRUE(succeeded(extents)) << message;
      for (unsigned i = 0; i < count; ++i)
        compareRegions(function, *signature, *extents, *input, i, scale);
    }
  }

private:
  void compareRegions(func::FuncOp function, const Signature &signature,
                      const Bindings &extents, unsigned input, unsigned other,
                      double scale) {
    std::vector<HostArray> arguments;
    for (const Port &port : signature.arguments)
      arguments.push_back(makeRandom(port.kind, getShape(port, extents), 7,
                                     port.name,
                                     port.name == "arg0" ? scale : 1));
    Bindings symbols;
    auto run = [&](unsigned alternative, bool rounds) {
      EvaluatorOptions options;
      options.alternative = alternative;
      options.rounds = rounds;
      return evaluate(function, arguments, symbols, options);
    };
    auto reference = run(input, false), exact = run(other, false),
         rounded = run(other, true);
    ASSERT_TRUE(succeeded(reference)) << message;
    ASSERT_TRUE(succeeded(exact)) << message;
    ASSERT_TRUE(succeeded(rounded)) << message;
    for (size_t i = 0; i < reference->size(); ++i) {
      EXPECT_TRUE(compare((*exact)[i], (*reference)[i], 1e-9).isWithin(1e-9))
          << "alternative " << other;
      EXPECT_TRUE(compare((*rounded)[i], (*reference)[i], 2e-3).isWithin(2e-3))
          << "alternative " << other << ", rounded";
    }
  }
};

constexpr StringRef rmsNormLinear = R"mlir(
#K = #cleave.axes<K>
#M_K = #cleave.axes<M, K>
#K_M = #cleave.axes<K, M>
#K_N = #cleave.axes<K, N>
#M_N = #cleave.axes<M, N>
func.func @f(%x: tensor<?x37xf16, #M_K> {cleave.range = 1200.0 : f32},
             %g: tensor<37xf16, #K> {cleave.range = 8.0 : f32},
             %w: tensor<37x?xf16, #K_N>) -> tensor<?x?xf32, #M_N> {
  %n = cleave.rms_norm %x, %g over [K] eps 1.0e-6
     : (tensor<?x37xf16, #M_K>, tensor<37xf16, #K>) -> tensor<37x?xf32, #K_M>
  %y = cleave.contract %n, %w over [K]
     : (tensor<37x?xf32, #K_M>, tensor<37x?xf16, #K_N>) -> tensor<?x?xf32, #M_N>
  return %y : tensor<?x?xf32, #M_N>
})mlir";

TEST_F(AlternativesTest, RMSNormLinear) {
  std::vector<Bindings> bindings = {
      {{"M", 3}, {"N", 5}}, {{"M", 1}, {"N", 1}}, {{"M", 0}, {"N", 2}}};
  // Rows of zeros, small and large ones.
  for (double scale : {0.0, 1e-3, 1.0, 300.0})
    check(rmsNormLinear, bindings, 2, scale);
}

constexpr StringRef attention = R"mlir(
#S_D = #cleave.axes<S, D>
#T_D = #cleave.axes<T, D>
#T_E = #cleave.axes<T, E>
#E_S = #cleave.axes<E, S>
#S_T = #cleave.axes<S, T>
func.func @f(%q: tensor<?x16xf16, #S_D>, %k: tensor<?x16xf16, #T_D>,
             %v: tensor<?x?xf16, #T_E>) -> tensor<?x?xf32, #E_S> {
  %s = cleave.contract %q, %k over [D] : (tensor<?x16xf16, #S_D>, tensor<?x16xf16, #T_D>) -> tensor<?x?xf32, #S_T>
  %p = cleave.softmax %s over [T] : (tensor<?x?xf32, #S_T>) -> tensor<?x?xf32, #S_T>
  %o = cleave.contract %p, %v over [T] : (tensor<?x?xf32, #S_T>, tensor<?x?xf16, #T_E>) -> tensor<?x?xf32, #E_S>
  return %o : tensor<?x?xf32, #E_S>
})mlir";

TEST_F(AlternativesTest, Attention) {
  std::vector<Bindings> bindings = {{{"S", 3}, {"T", 7}, {"E", 5}},
                                    {{"S", 1}, {"T", 1}, {"E", 1}},
                                    {{"S", 2}, {"T", 0}, {"E", 3}}};
  for (double scale : {1.0, 30.0})
    check(attention, bindings, 2, scale);
}

/// A norm for each head: the scale leaves a sum over an axis made by split.
constexpr StringRef heads = R"mlir(
#M_C = #cleave.axes<M, C>
#D_H_M = #cleave.axes<D, H, M>
#D_N = #cleave.axes<D, N>
#H_M_N = #cleave.axes<H, M, N>
func.func @f(%x: tensor<?x11xf16, #M_C>, %w: tensor<4x?xf16, #D_N>)
    -> tensor<3x?x?xf32, #H_M_N> {
  %h = cleave.split %x C into (H, D) : tensor<?x11xf16, #M_C> to tensor<4x3x?xf16, #D_H_M>
  %n = cleave.rms_norm %h over [D] eps 1.0e-6 : (tensor<4x3x?xf16, #D_H_M>) -> tensor<4x3x?xf32, #D_H_M>
  %y = cleave.contract %n, %w over [D] : (tensor<4x3x?xf32, #D_H_M>, tensor<4x?xf16, #D_N>) -> tensor<3x?x?xf32, #H_M_N>
  return %y : tensor<3x?x?xf32, #H_M_N>
})mlir";

TEST_F(AlternativesTest, SplitHeads) {
  check(heads, {{{"M", 3}, {"N", 5}}, {{"M", 1}, {"N", 1}}}, 2);
}

/// Several results are extracted together.
constexpr StringRef severalResults = R"mlir(
#S_T = #cleave.axes<S, T>
#T_E = #cleave.axes<T, E>
#E_S = #cleave.axes<E, S>
#S = #cleave.axes<S>
#s = #cleave.axes<>
func.func @f(%x: tensor<?x?xf32, #S_T>, %v: tensor<?x?xf32, #T_E>)
    -> (tensor<?x?xf32, #E_S>, tensor<?xf32, #S>, tensor<?xf32, #S>) {
  %m = cleave.reduce_max %x over [T] : (tensor<?x?xf32, #S_T>) -> tensor<?xf32, #S>
  %f = cleave.is_finite %m : (tensor<?xf32, #S>) -> tensor<?xi1, #S>
  %z = cleave.constant 0.0 : tensor<f32, #s>
  %h = cleave.select %f, %m, %z : (tensor<?xi1, #S>, tensor<?xf32, #S>, tensor<f32, #s>) -> tensor<?xf32, #S>
  %d = cleave.sub %x, %h : (tensor<?x?xf32, #S_T>, tensor<?xf32, #S>) -> tensor<?x?xf32, #S_T>
  %e = cleave.exp %d : (tensor<?x?xf32, #S_T>) -> tensor<?x?xf32, #S_T>
  %l = cleave.reduce_sum %e over [T] : (tensor<?x?xf32, #S_T>) -> tensor<?xf32, #S>
  %r = cleave.recip0 %l : (tensor<?xf32, #S>) -> tensor<?xf32, #S>
  %p = cleave.mul %r, %e : (tensor<?xf32, #S>, tensor<?x?xf32, #S_T>) -> tensor<?x?xf32, #S_T>
  %o = cleave.contract %v, %p over [T] : (tensor<?x?xf32, #T_E>, tensor<?x?xf32, #S_T>) -> tensor<?x?xf32, #E_S>
  return %o, %m, %l : tensor<?x?xf32, #E_S>, tensor<?xf32, #S>, tensor<?xf32, #S>
})mlir";

TEST_F(AlternativesTest, SeveralResults) {
  check(severalResults,
        {{{"S", 3}, {"T", 7}, {"E", 5}}, {{"S", 2}, {"T", 0}, {"E", 3}}}, 2);
}

constexpr StringRef chain = R"mlir(
#K_M = #cleave.axes<K, M>
#K_R = #cleave.axes<K, R>
#N_R = #cleave.axes<N, R>
#M_R = #cleave.axes<M, R>
#M_N = #cleave.axes<M, N>
func.func @f(%x: tensor<?x?xf16, #K_M>, %a: tensor<?x?xf16, #K_R>,
             %b: tensor<?x?xf16, #N_R>) -> tensor<?x?xf32, #M_N> {
  %h = cleave.contract %x, %a over [K] : (tensor<?x?xf16, #K_M>, tensor<?x?xf16, #K_R>) -> tensor<?x?xf32, #M_R>
  %y = cleave.contract %h, %b over [R] : (tensor<?x?xf32, #M_R>, tensor<?x?xf16, #N_R>) -> tensor<?x?xf32, #M_N>
  return %y : tensor<?x?xf32, #M_N>
})mlir";

TEST_F(AlternativesTest, Chain) {
  check(chain,
        {{{"M", 3}, {"K", 7}, {"R", 2}, {"N", 5}},
         {{"M", 3}, {"K", 0}, {"R", 2}, {"N", 5}},
         {{"M", 3}, {"K", 7}, {"R", 0}, {"N", 5}},
         {{"M", 1}, {"K", 1}, {"R", 1}, {"N", 1}}},
        2, 1, Numerics::Real);
}

} // namespace
