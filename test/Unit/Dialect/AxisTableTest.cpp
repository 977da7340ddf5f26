//===- AxisTableTest.cpp - Tests of the table of a function's axes --------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What AxisTable gathers from a function, and how it resolves extents.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Dialect/SymbolicDim.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::cleave;

namespace {

class AxisTableTest : public testing::Test {
protected:
  AxisTableTest() {
    context.loadDialect<CleaveDialect, func::FuncDialect>();
    context.getDiagEngine().registerHandler(
        [this](Diagnostic &diagnostic) { message = diagnostic.str(); });
  }

  /// The table of a function with the symbols `symbols`, an argument %x with
  /// axes K (dynamic) and N = 4, and `body`.
  FailureOr<AxisTable> get(const std::string &symbols,
                           const std::string &body = "") {
    std::string text = "func.func @f(%x: tensor<?x4xf32, #cleave.axes<K, N>>) "
                       "attributes {test.symbols = #cleave.symbols<" +
                       symbols + ">} {\n" + body + "\nreturn\n}";
    module = parseSourceString<ModuleOp>(text, &context);
    if (!module)
      return failure();
    auto function = *module->getOps<func::FuncOp>().begin();
    // Set late, so that the verifier leaves a bad table to the test.
    function->setAttr(CleaveDialect::kSymbolsAttrName,
                      function->getAttr("test.symbols"));
    return AxisTable::get(function);
  }

  FailureOr<Bindings> resolve(const AxisTable &table, const Bindings &given) {
    return table.resolve(given, UnknownLoc::get(&context));
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  std::string message;
};

TEST_F(AxisTableTest, KindsAndRepresentatives) {
  auto table = get("K: dynamic like 16 | 2048, S: bound like 4, "
                   "Ki = ceil(K / S), H = N * S");
  ASSERT_TRUE(succeeded(table));
  EXPECT_EQ(table->lookup("K")->kind, AxisKind::Dynamic);
  EXPECT_EQ(table->lookup("K")->representatives,
            (SmallVector<int64_t>{16, 2048}));
  EXPECT_EQ(table->lookup("S")->kind, AxisKind::Bound);
  EXPECT_EQ(table->lookup("N")->kind, AxisKind::Static);
  EXPECT_EQ(table->lookup("N")->extent, 4);
  EXPECT_EQ(table->lookup("Ki")->kind, AxisKind::CeilDiv);
  EXPECT_EQ(table->lookup("H")->kind, AxisKind::Product);
  EXPECT_EQ(table->lookup("Q"), nullptr);
  ASSERT_EQ(table->splits().size(), 1u);
  EXPECT_EQ(table->splits()[0].axis, "K");
  EXPECT_EQ(table->splits()[0].outer, "S");
  EXPECT_EQ(table->splits()[0].inner, "Ki");
}

TEST_F(AxisTableTest, ResolvesRelations) {
  auto table = get("S: bound, Ki = ceil(K / S), H = N * S");
  ASSERT_TRUE(succeeded(table));
  auto bindings = resolve(*table, {{"K", 11}, {"S", 3}});
  ASSERT_TRUE(succeeded(bindings));
  EXPECT_EQ((*bindings)["Ki"], 4);
  EXPECT_EQ((*bindings)["H"], 12);
  EXPECT_EQ((*bindings)["N"], 4);
}

TEST_F(AxisTableTest, MorePartsThanPositionsAndNoPositions) {
  auto table = get("S: bound, Ki = ceil(K / S)");
  ASSERT_TRUE(succeeded(table));
  auto more = resolve(*table, {{"K", 3}, {"S", 7}});
  ASSERT_TRUE(succeeded(more));
  EXPECT_EQ((*more)["Ki"], 1);
  auto none = resolve(*table, {{"K", 0}, {"S", 7}});
  ASSERT_TRUE(succeeded(none));
  EXPECT_EQ((*none)["Ki"], 0);
  EXPECT_TRUE(failed(resolve(*table, {{"K", 3}, {"S", 0}})));
  EXPECT_EQ(message, "expected axis 'S' to have at least one part");
}

TEST_F(AxisTableTest, SplitMergeAndRenameStateRelations) {
  auto table = get("", R"(
    %0 = cleave.split %x K into (S, Ki)
       : tensor<?x4xf32, #cleave.axes<K, N>> to tensor<?x4x?xf32, #cleave.axes<Ki, N, S>>
    %1 = cleave.merge %0 (S, Ki) into K
       : tensor<?x4x?xf32, #cleave.axes<Ki, N, S>> to tensor<?x4xf32, #cleave.axes<K, N>>
    %2 = cleave.merge %x (K, N) into P
       : tensor<?x4xf32, #cleave.axes<K, N>> to tensor<?xf32, #cleave.axes<P>>
    %3 = cleave.rename %2 [P] to [Q]
       : (tensor<?xf32, #cleave.axes<P>>) -> tensor<?xf32, #cleave.axes<Q>>)");
  ASSERT_TRUE(succeeded(table));
  EXPECT_EQ(table->lookup("K")->kind, AxisKind::Dynamic);
  EXPECT_EQ(table->lookup("P")->kind, AxisKind::Product);
  auto bindings = resolve(*table, {{"K", 5}, {"S", 2}});
  ASSERT_TRUE(succeeded(bindings));
  EXPECT_EQ((*bindings)["Ki"], 3);
  EXPECT_EQ((*bindings)["P"], 20);
  EXPECT_EQ((*bindings)["Q"], 20);
  EXPECT_TRUE(failed(resolve(*table, {{"K", 5}, {"S", 2}, {"Q", 21}})));
  EXPECT_EQ(message, "expected axis 'Q' to have extent 20 but got 21");
}

TEST_F(AxisTableTest, SumsResolveOneUnknown) {
  auto table = get("A: dynamic, B: dynamic, Q = A + B, P = K + N + K");
  ASSERT_TRUE(succeeded(table));
  EXPECT_EQ(table->lookup("Q")->kind, AxisKind::Sum);
  auto forward = resolve(*table, {{"A", 3}, {"B", 0}, {"K", 5}});
  ASSERT_TRUE(succeeded(forward));
  EXPECT_EQ((*forward)["Q"], 3);
  EXPECT_EQ((*forward)["P"], 14);
  auto backward = resolve(*table, {{"A", 3}, {"Q", 10}, {"P", 10}});
  ASSERT_TRUE(succeeded(backward));
  EXPECT_EQ((*backward)["B"], 7);
  EXPECT_EQ((*backward)["K"], 3);
  // Two unknowns stay unknown; a rest is negative or no whole number.
  EXPECT_TRUE(failed(resolve(*table, {{"Q", 10}, {"K", 1}})));
  EXPECT_EQ(message, "missing extent of axis 'A'");
  EXPECT_TRUE(failed(resolve(*table, {{"A", 3}, {"Q", 2}, {"K", 1}})));
  EXPECT_EQ(message,
            "expected axis 'Q' to have the extent of its parts' sum but got 2");
  EXPECT_TRUE(failed(resolve(*table, {{"A", 3}, {"B", 3}, {"P", 9}})));
  EXPECT_TRUE(failed(resolve(*table, {{"A", 3}, {"B", 3}, {"Q", 7}})));
  EXPECT_TRUE(failed(resolve(*table, {{"A", INT64_MAX}, {"B", 1}, {"K", 1}})));
  EXPECT_EQ(message, "expected axis 'Q' to have a sum that fits in 64 bits");
}

TEST_F(AxisTableTest, ConcatSliceAndIotaStateRelations) {
  auto table = get("", R"(
    %0 = cleave.concat %x, %x along [K, K] as P
       : (tensor<?x4xf32, #cleave.axes<K, N>>, tensor<?x4xf32, #cleave.axes<K, N>>)
      -> tensor<4x?xf32, #cleave.axes<N, P>>
    %1 = cleave.slice %0 P at 3 as L
       : tensor<4x?xf32, #cleave.axes<N, P>> to tensor<?x4xf32, #cleave.axes<L, N>>
    %2 = cleave.iota P : tensor<?xf32, #cleave.axes<P>>)");
  ASSERT_TRUE(succeeded(table));
  auto bindings = resolve(*table, {{"K", 5}, {"L", 7}});
  ASSERT_TRUE(succeeded(bindings));
  EXPECT_EQ((*bindings)["P"], 10);
  EXPECT_TRUE(failed(resolve(*table, {{"K", 5}, {"L", 8}})));
  EXPECT_EQ(message,
            "expected positions of axis 'P' below 10 but got 8 from 3");
  EXPECT_TRUE(succeeded(resolve(*table, {{"P", 1 << 24}, {"L", 0}})));
  EXPECT_TRUE(failed(resolve(*table, {{"P", (1 << 24) + 2}, {"L", 0}})));
  EXPECT_EQ(message, "expected axis 'P' to have an extent of at most 16777216, "
                     "which its positions' type counts, but got 16777218");
}

TEST_F(AxisTableTest, RefusesBadBindings) {
  auto table = get("S: bound, Ki = ceil(K / S)");
  ASSERT_TRUE(succeeded(table));
  EXPECT_TRUE(failed(resolve(*table, {{"K", 8}})));
  EXPECT_EQ(message, "missing extent of axis 'Ki'");
  EXPECT_TRUE(failed(resolve(*table, {{"K", 8}, {"S", 2}, {"Z", 1}})));
  EXPECT_EQ(message, "unknown axis 'Z'");
  EXPECT_TRUE(failed(resolve(*table, {{"K", -8}, {"S", 2}})));
  EXPECT_EQ(message,
            "expected axis 'K' to have an extent of at least 0 but got -8");
  EXPECT_TRUE(failed(resolve(*table, {{"K", 8}, {"S", 2}, {"Ki", 5}})));
  EXPECT_EQ(message, "expected axis 'Ki' to have extent 4 but got 5");
  EXPECT_TRUE(failed(resolve(*table, {{"K", 8}, {"S", 2}, {"N", 5}})));
  EXPECT_EQ(message, "expected axis 'N' to have extent 4 but got 5");
}

TEST_F(AxisTableTest, RefusesOverflow) {
  auto table = get("S: bound, H = K * S");
  ASSERT_TRUE(succeeded(table));
  int64_t large = int64_t(1) << 40;
  EXPECT_TRUE(failed(resolve(*table, {{"K", large}, {"S", large}})));
  EXPECT_EQ(message,
            "expected axis 'H' to have a product that fits in 64 bits");
  auto split = get("S: bound, Ki = ceil(K / S)");
  ASSERT_TRUE(succeeded(split));
  int64_t last = std::numeric_limits<int64_t>::max();
  auto bindings = resolve(*split, {{"K", last}, {"S", 2}});
  ASSERT_TRUE(succeeded(bindings));
  EXPECT_EQ((*bindings)["Ki"], int64_t(1) << 62);
}

TEST_F(AxisTableTest, RefusesContradictoryTables) {
  EXPECT_TRUE(failed(get("N: 5")));
  EXPECT_EQ(message, "expected axis 'N' to have extent 5 everywhere but got 4");
  EXPECT_TRUE(failed(get("Ki = ceil(K / S)")));
  EXPECT_EQ(message, "expected axis 'S' of the relation for 'Ki' to occur in "
                     "the function");
  EXPECT_TRUE(failed(get("P = N * K", R"(
    %0 = cleave.merge %x (K, N) into P
       : tensor<?x4xf32, #cleave.axes<K, N>> to tensor<?xf32, #cleave.axes<P>>)")));
  EXPECT_EQ(message, "expected one relation for axis 'P' but got another");
}

TEST_F(AxisTableTest, CyclicRelationsEnd) {
  auto table = get("A = B * N, B = A * N");
  ASSERT_TRUE(succeeded(table));
  EXPECT_TRUE(failed(resolve(*table, {{"K", 1}})));
  EXPECT_EQ(message, "missing extent of axis 'A'");
  EXPECT_EQ(table->representative({}).count("A"), 1u);
}

TEST_F(AxisTableTest, RepresentativesFollowRelations) {
  // "A" comes before the axes that it follows from.
  auto table = get("A = ceil(K / S), K: dynamic like 100, S: bound");
  ASSERT_TRUE(succeeded(table));
  Bindings bindings = table->representative({}, /*fallback=*/8);
  EXPECT_EQ(bindings["K"], 100);
  EXPECT_EQ(bindings["S"], 8);
  EXPECT_EQ(bindings["A"], 13);
  EXPECT_EQ(bindings["N"], 4);
  EXPECT_EQ(table->representative({{"K", 1}}, 8)["A"], 1);
}

} // namespace
