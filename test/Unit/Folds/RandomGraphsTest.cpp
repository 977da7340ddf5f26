//===- RandomGraphsTest.cpp - Fold formation on graphs nobody wrote -------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Graphs of random operations with many reductions over one axis. Whatever is
// made of them is valid and gives what the graph gave, in every tiling.
//
//===----------------------------------------------------------------------===//

#include "RandomGraph.h"

using namespace mlir;
using namespace mlir::cleave;

namespace {

class RandomGraphsTest : public FoldsFixture {};

TEST_F(RandomGraphsTest, GiveWhatTheyGave) {
  size_t folds = 0;
  for (unsigned seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomGraph graph(context, seed);
    Graph &g = graph.get();
    std::vector<double> expected = g.evaluate(0, 1);
    folds +=
        g.formFolds(seed % 4 == 3 ? Numerics::Real : Numerics::Strict).size();
    auto expectSame = [&](int64_t tile, int64_t parts) {
      std::vector<double> got = g.evaluate(tile, parts);
      for (auto [a, b] : llvm::zip_equal(got, expected))
        if (std::isfinite(b))
          ASSERT_NEAR(a, b, 1e-7 * std::max(std::abs(b), 1e-3));
        else
          // An infinite scale is NaN on a 0 and infinite on a sum.
          ASSERT_FALSE(std::isfinite(a));
    };
    for (auto [tile, parts] : kTilings)
      expectSame(tile, parts);
    g.split();
    for (int64_t count : kSplits) {
      g.splitCount = count;
      for (auto [tile, parts] : kSplitTilings)
        expectSame(tile, parts);
    }
  }
  EXPECT_GT(folds, 100u);
}

} // namespace
