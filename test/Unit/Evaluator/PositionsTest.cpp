//===- PositionsTest.cpp - Operations that look at positions --------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Slices, concatenation, gather, insert, iota and the reductions that a softmax
// does not use, by values.
//
//===----------------------------------------------------------------------===//

#include "EvaluatorFixture.h"

using namespace mlir;
using namespace mlir::cleave;

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
using Values = std::vector<double>;

class PositionsTest : public EvaluatorFixture {
protected:
  /// The first result of a function with these arguments; #M_K and so on are
  /// known.
  Values result(StringRef signature, StringRef body,
                ArrayRef<HostArray> arguments, const Bindings &symbols = {},
                const EvaluatorOptions &options = {}) {
    std::vector<HostArray> results =
        run(getText(signature, body), arguments, symbols, options);
    return results.empty() ? Values{} : valuesOf(results.front());
  }

  /// The error that running gives.
  std::string error(StringRef signature, StringRef body,
                    ArrayRef<HostArray> arguments,
                    const EvaluatorOptions &options = {}) {
    func::FuncOp function = parse(getText(signature, body));
    if (!function)
      return message;
    EXPECT_TRUE(failed(evaluate(function, arguments, {}, options)));
    return message;
  }

  static std::string getText(StringRef signature, StringRef body) {
    return (R"(
#scalar = #cleave.axes<>
#M = #cleave.axes<M>
#N = #cleave.axes<N>
#K = #cleave.axes<K>
#L = #cleave.axes<L>
#S = #cleave.axes<S>
#T = #cleave.axes<T>
#M_K = #cleave.axes<M, K>
#K_M = #cleave.axes<K, M>
#M_L = #cleave.axes<M, L>
#L_M = #cleave.axes<L, M>
#M_N = #cleave.axes<M, N>
#M_S = #cleave.axes<M, S>
#M_T = #cleave.axes<M, T>
func.func @f)" +
            signature + " {\n" + body + "\n}")
        .str();
  }
};

HostArray ints(ArrayRef<int64_t> shape, Values values) {
  return makeHost(ElementKind::I32, shape, std::move(values));
}
HostArray floats(ArrayRef<int64_t> shape, Values values) {
  return makeHost(ElementKind::F32, shape, std::move(values));
}

/// Equal, NaN to NaN.
void expectValues(const Values &got, const Values &right) {
  ASSERT_EQ(got.size(), right.size());
  for (size_t i = 0; i < got.size(); ++i)
    if (std::isnan(right[i]))
      EXPECT_TRUE(std::isnan(got[i])) << i;
    else
      EXPECT_EQ(got[i], right[i]) << i;
}

//===----------------------------------------------------------------------===//
// slice
//===----------------------------------------------------------------------===//

constexpr const char *part = "(%x: tensor<?x?xf32, #M_K>)"
                             " -> tensor<?x?xf32, #L_M>"
                             " attributes {cleave.symbols ="
                             " #cleave.symbols<L: bound>}";
constexpr const char *partBody = R"(
  %y = cleave.slice %x K at 2 as L
     : tensor<?x?xf32, #M_K> to tensor<?x?xf32, #L_M>
  return %y : tensor<?x?xf32, #L_M>)";

TEST_F(PositionsTest, SlicesAPartOfAnAxis) {
  HostArray x = floats({2, 5}, {0, 1, nan, 3, 4, 10, 11, 12, 13, 14});
  expectValues(result(part, partBody, x, {{"L", 2}}), {nan, 12, 3, 13});
  expectValues(result(part, partBody, x, {{"L", 3}}), {nan, 12, 3, 13, 4, 14});
  expectValues(result(part, partBody, x, {{"L", 0}}), {});
}

TEST_F(PositionsTest, RefusesASliceBehindTheEndWhenExtentsAreBound) {
  HostArray x = floats({1, 5}, {0, 1, 2, 3, 4});
  func::FuncOp function = parse(getText(part, partBody));
  EXPECT_TRUE(failed(evaluate(function, {x}, {{"L", 4}})));
  EXPECT_EQ(message, "expected positions of axis 'K' below 5 but got 4 from 2");
  EXPECT_EQ(error("(%x: tensor<?x?xf32, #M_K>) -> tensor<?xf32, #M>", R"(
  %y = cleave.slice %x K at 5 : tensor<?x?xf32, #M_K> to tensor<?xf32, #M>
  return %y : tensor<?xf32, #M>)",
                  {x}),
            "expected positions of axis 'K' below 5 but got 1 from 5");
}

TEST_F(PositionsTest, SlicesKeepAnyElementType) {
  Values got = result("(%x: tensor<?x?xi32, #M_K>) -> tensor<?xi32, #M>", R"(
  %y = cleave.slice %x K at 1 : tensor<?x?xi32, #M_K> to tensor<?xi32, #M>
  return %y : tensor<?xi32, #M>)",
                      ints({3, 2}, {1, -2, 3, 4, 5, 6}));
  expectValues(got, {-2, 4, 6});
}

//===----------------------------------------------------------------------===//
// concat
//===----------------------------------------------------------------------===//

TEST_F(PositionsTest, ConcatenatesAndBroadcasts) {
  const char *signature = "(%a: tensor<?x?xf32, #M_K>, %b: tensor<?xf32, #L>)"
                          " -> tensor<?x?xf32, #M_N>";
  const char *body = R"(
  %y = cleave.concat %a, %b along [K, L] as N
     : (tensor<?x?xf32, #M_K>, tensor<?xf32, #L>) -> tensor<?x?xf32, #M_N>
  return %y : tensor<?x?xf32, #M_N>)";
  HostArray a = floats({2, 2}, {1, 2, 3, 4});
  expectValues(result(signature, body, {a, floats({3}, {7, nan, 9})}),
               {1, 2, 7, nan, 9, 3, 4, 7, nan, 9});
  expectValues(result(signature, body, {a, floats({0}, {})}), {1, 2, 3, 4});
  expectValues(result(signature, body, {floats({1, 0}, {}), floats({1}, {5})}),
               {5});
}

TEST_F(PositionsTest, ConcatenatesOneAxisTwice) {
  Values got = result("(%a: tensor<?xf32, #K>) -> tensor<?xf32, #N>", R"(
  %m = cleave.neg %a : (tensor<?xf32, #K>) -> tensor<?xf32, #K>
  %y = cleave.concat %m, %a along [K, K] as N
     : (tensor<?xf32, #K>, tensor<?xf32, #K>) -> tensor<?xf32, #N>
  return %y : tensor<?xf32, #N>)",
                      floats({3}, {1, 2, 3}));
  expectValues(got, {-1, -2, -3, 1, 2, 3});
}

//===----------------------------------------------------------------------===//
// gather
//===----------------------------------------------------------------------===//

TEST_F(PositionsTest, GathersOnePositionARow) {
  const char *signature = "(%x: tensor<?x?xf32, #M_K>, %i: tensor<?xi32, #M>)"
                          " -> tensor<?xf32, #M>";
  const char *body = R"(
  %y = cleave.gather %x K at %i
     : (tensor<?x?xf32, #M_K>, tensor<?xi32, #M>) -> tensor<?xf32, #M>
  return %y : tensor<?xf32, #M>)";
  HostArray x = floats({5, 2}, {0, 1, 10, 11, 20, 21, 30, 31, 40, 41});
  // What lies outside is NaN, not a neighbour's element.
  expectValues(
      result(signature, body, {x, ints({5}, {1, 0, 2, -1, INT32_MIN})}),
      {1, 10, nan, nan, nan});
  // An axis without positions.
  expectValues(result(signature, body, {floats({2, 0}, {}), ints({2}, {0, 1})}),
               {nan, nan});
}

TEST_F(PositionsTest, GathersRowsOfATable) {
  Values got = result("(%x: tensor<?x?xf32, #M_K>, %i: tensor<?xi64, #S>)"
                      " -> tensor<?x?xf32, #cleave.axes<K, S>>",
                      R"(
  %y = cleave.gather %x M at %i
     : (tensor<?x?xf32, #M_K>, tensor<?xi64, #S>)
    -> tensor<?x?xf32, #cleave.axes<K, S>>
  return %y : tensor<?x?xf32, #cleave.axes<K, S>>)",
                      {floats({3, 2}, {0, 1, 10, 11, 20, 21}),
                       makeHost(ElementKind::I64, {4}, {2, 0, 2, 3})});
  expectValues(got, {20, 0, 20, nan, 21, 1, 21, nan});
}

//===----------------------------------------------------------------------===//
// insert
//===----------------------------------------------------------------------===//

constexpr const char *insertSignature =
    "(%x: tensor<?x?xf32, #M_S>, %c: tensor<?x?xf32, #M_T>,"
    " %p: tensor<?xi32, #M>) -> tensor<?x?xf32, #M_T>";
constexpr const char *insertBody = R"(
  %y = cleave.insert %x S into %c T at %p
     : (tensor<?x?xf32, #M_S>, tensor<?x?xf32, #M_T>, tensor<?xi32, #M>)
    -> tensor<?x?xf32, #M_T>
  return %y : tensor<?x?xf32, #M_T>)";

TEST_F(PositionsTest, InsertsWhereEachRowSays) {
  HostArray x = floats({3, 2}, {1, 2, 3, nan, 5, 6});
  HostArray cache = floats({3, 3}, {-1, -2, nan, -4, -5, -6, -7, -8, -9});
  // In the middle; partly in front; partly behind.
  expectValues(
      result(insertSignature, insertBody, {x, cache, ints({3}, {1, -1, 2})}),
      {-1, 1, 2, nan, -5, -6, -7, -8, 5});
  // Wholly outside, at either end, and far away.
  expectValues(result(insertSignature, insertBody,
                      {x, cache, ints({3}, {3, -2, INT32_MAX})}),
               {-1, -2, nan, -4, -5, -6, -7, -8, -9});
}

TEST_F(PositionsTest, InsertsNothing) {
  HostArray cache = floats({1, 2}, {4, 5});
  expectValues(result(insertSignature, insertBody,
                      {floats({1, 0}, {}), cache, ints({1}, {0})}),
               {4, 5});
  expectValues(
      result(insertSignature, insertBody,
             {floats({1, 1}, {3}), floats({1, 0}, {}), ints({1}, {0})}),
      {});
}

TEST_F(PositionsTest, InsertLeavesItsOperandAlone) {
  std::vector<HostArray> results =
      run(getText("(%x: tensor<?xf32, #S>, %c: tensor<?xf32, #T>,"
                  " %p: tensor<i32, #scalar>)"
                  " -> (tensor<?xf32, #T>, tensor<?xf32, #T>)",
                  R"(
  %y = cleave.insert %x S into %c T at %p
     : (tensor<?xf32, #S>, tensor<?xf32, #T>, tensor<i32, #scalar>)
    -> tensor<?xf32, #T>
  return %y, %c : tensor<?xf32, #T>, tensor<?xf32, #T>)"),
          {floats({1}, {9}), floats({3}, {1, 2, 3}), ints({}, {1})});
  ASSERT_EQ(results.size(), 2u);
  expectValues(valuesOf(results[0]), {1, 9, 3});
  expectValues(valuesOf(results[1]), {1, 2, 3});
}

//===----------------------------------------------------------------------===//
// iota
//===----------------------------------------------------------------------===//

/// The sum of the positions below a length, as a fold that sees tiles.
constexpr const char *positionsInFold = R"(
  %y = cleave.fold over [K] ins(%x : tensor<?xf32, #K>)
    reduce_sum body {
    ^bb0(%a: tensor<?xf32, #K>):
      %i = cleave.iota K : tensor<?xf32, #K>
      %z = cleave.mul %a, %i
         : (tensor<?xf32, #K>, tensor<?xf32, #K>) -> tensor<?xf32, #K>
      cleave.yield %z : tensor<?xf32, #K>
    } rebase {
    } -> (tensor<f32, #scalar>)
  return %y : tensor<f32, #scalar>)";

TEST_F(PositionsTest, IotaKeepsItsPlaceInTilesOfAFold) {
  const char *signature = "(%x: tensor<?xf32, #K>) -> tensor<f32, #scalar>";
  HostArray x = floats({7}, {1, 0, 2, 0, 0, 1, 1});
  for (int64_t tile : {0, 1, 2, 3, 7, 8}) {
    EvaluatorOptions options;
    options.foldTile = tile;
    options.foldParts = tile == 2 ? 3 : 1;
    expectValues(result(signature, positionsInFold, x, {}, options), {15});
  }
}

TEST_F(PositionsTest, IotaOfNothingAndOfDoubles) {
  const char *signature = "(%x: tensor<?xf64, #K>) -> tensor<?xf64, #K>";
  const char *body = R"(
  %k = cleave.iota K : tensor<?xf64, #K>
  %y = cleave.sub %x, %k
     : (tensor<?xf64, #K>, tensor<?xf64, #K>) -> tensor<?xf64, #K>
  return %y : tensor<?xf64, #K>)";
  expectValues(
      result(signature, body, makeHost(ElementKind::F64, {3}, {0.5, 0.5, 0.5})),
      {0.5, -0.5, -1.5});
  expectValues(result(signature, body, makeHost(ElementKind::F64, {0}, {})),
               {});
}

TEST_F(PositionsTest, ASliceInATileIsRefused) {
  EvaluatorOptions options;
  options.foldTile = 2;
  std::string text =
      error("(%x: tensor<?x?xf32, #M_K>) -> tensor<?xf32, #M>", R"(
  %y = cleave.fold over [K] ins(%x : tensor<?x?xf32, #M_K>)
    reduce_sum body {
    ^bb0(%a: tensor<?x?xf32, #M_K>):
      %f = cleave.slice %a K at 0 : tensor<?x?xf32, #M_K> to tensor<?xf32, #M>
      %z = cleave.sub %a, %f
         : (tensor<?x?xf32, #M_K>, tensor<?xf32, #M>) -> tensor<?x?xf32, #K_M>
      cleave.yield %z : tensor<?x?xf32, #K_M>
    } rebase {
    } -> (tensor<?xf32, #M>)
  return %y : tensor<?xf32, #M>)",
            floats({1, 3}, {1, 2, 3}), options);
  EXPECT_NE(text.find("expected the whole of axis 'K'"), std::string::npos)
      << text;
}

//===----------------------------------------------------------------------===//
// Reductions and sampling
//===----------------------------------------------------------------------===//

TEST_F(PositionsTest, MinimumAndProduct) {
  auto reduceTo = [&](StringRef op, int64_t k, Values x) {
    return result("(%x: tensor<?x?xf32, #M_K>) -> tensor<?xf32, #M>",
                  ("%y = cleave." + op +
                   " %x over [K] : (tensor<?x?xf32, #M_K>) ->"
                   " tensor<?xf32, #M>\n return %y : tensor<?xf32, #M>")
                      .str(),
                  floats({2, k}, std::move(x)));
  };
  expectValues(reduceTo("reduce_min", 3, {3, -1, 2, nan, -infinity, 1}),
               {-1, nan});
  expectValues(reduceTo("reduce_min", 0, {}), {infinity, infinity});
  expectValues(reduceTo("reduce_prod", 3, {3, -1, 2, nan, 0, 1}), {-6, nan});
  expectValues(reduceTo("reduce_prod", 2, {0, infinity, 0.5, 4}), {nan, 2});
  expectValues(reduceTo("reduce_prod", 0, {}), {1, 1});
  Values zeros = reduceTo("reduce_min", 2, {0.0, -0.0, -0.0, 0.0});
  EXPECT_TRUE(std::signbit(zeros[0]) && std::signbit(zeros[1]));
}

TEST_F(PositionsTest, MinimumInTilesOfAFold) {
  for (int64_t tile : {0, 1, 2, 5}) {
    EvaluatorOptions options;
    options.foldTile = tile;
    options.foldParts = 2;
    Values got = result("(%x: tensor<?x?xf32, #M_K>) -> tensor<?xf32, #M>", R"(
  %y = cleave.fold over [K] ins(%x : tensor<?x?xf32, #M_K>)
    reduce_min body {
    ^bb0(%a: tensor<?x?xf32, #M_K>):
      cleave.yield %a : tensor<?x?xf32, #M_K>
    } rebase {
    } -> (tensor<?xf32, #M>)
  return %y : tensor<?xf32, #M>)",
                        floats({2, 3}, {4, 2, 3, infinity, infinity, infinity}),
                        {}, options);
    expectValues(got, {2, infinity});
  }
}

TEST_F(PositionsTest, SamplesOnlyAxesWhosePositionsNobodyLooksAt) {
  auto sampled = [&](StringRef signature, StringRef body) {
    func::FuncOp function = parse(getText(signature, body));
    FailureOr<Signature> ports = Signature::get(function);
    Bindings extents;
    for (const char *axis : {"M", "K", "L", "N", "S", "T"})
      extents[axis] = 7;
    return findSampledAxis(function, *ports, extents, 2);
  };
  EXPECT_EQ(sampled(insertSignature, insertBody), "M");
  EXPECT_EQ(sampled("(%a: tensor<?xf32, #K>) -> tensor<?xf32, #N>", R"(
  %y = cleave.concat %a, %a along [K, K] as N
     : (tensor<?xf32, #K>, tensor<?xf32, #K>) -> tensor<?xf32, #N>
  return %y : tensor<?xf32, #N>)"),
            std::nullopt);
  EXPECT_EQ(sampled("(%a: tensor<?xf32, #K>) -> tensor<?xf32, #K>", R"(
  %i = cleave.iota K : tensor<?xf32, #K>
  %y = cleave.add %a, %i
     : (tensor<?xf32, #K>, tensor<?xf32, #K>) -> tensor<?xf32, #K>
  return %y : tensor<?xf32, #K>)"),
            std::nullopt);
  EXPECT_EQ(sampled(part, partBody), "M");
}

} // namespace
