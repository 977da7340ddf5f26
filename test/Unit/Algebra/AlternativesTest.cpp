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
#include "Graphs.h"

using namespace mlir;
using namespace mlir::cleave;
using namespace mlir::cleave::graphs;

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

TEST_F(AlternativesTest, RMSNormLinear) {
  std::vector<Bindings> bindings = {
      {{"M", 3}, {"N", 5}}, {{"M", 1}, {"N", 1}}, {{"M", 0}, {"N", 2}}};
  // Rows of zeros, small and large ones.
  for (double scale : {0.0, 1e-3, 1.0, 300.0})
    check(rmsNormLinear, bindings, 2, scale);
}

TEST_F(AlternativesTest, Attention) {
  std::vector<Bindings> bindings = {{{"S", 3}, {"T", 7}, {"E", 5}},
                                    {{"S", 1}, {"T", 1}, {"E", 1}},
                                    {{"S", 2}, {"T", 0}, {"E", 3}}};
  for (double scale : {1.0, 30.0})
    check(attention, bindings, 2, scale);
}

TEST_F(AlternativesTest, SplitHeads) {
  check(heads, {{{"M", 3}, {"N", 5}}, {{"M", 1}, {"N", 1}}}, 2);
}

TEST_F(AlternativesTest, SeveralResults) {
  check(severalResults,
        {{{"S", 3}, {"T", 7}, {"E", 5}}, {{"S", 2}, {"T", 0}, {"E", 3}}}, 2);
}

TEST_F(AlternativesTest, Chain) {
  check(chain,
        {{{"M", 3}, {"K", 7}, {"R", 2}, {"N", 5}},
         {{"M", 3}, {"K", 0}, {"R", 2}, {"N", 5}},
         {{"M", 3}, {"K", 7}, {"R", 0}, {"N", 5}},
         {{"M", 1}, {"K", 1}, {"R", 1}, {"N", 1}}},
        2, 1, Numerics::Real);
}

} // namespace
