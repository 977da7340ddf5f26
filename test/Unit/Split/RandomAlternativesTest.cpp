//===- RandomAlternativesTest.cpp - The algebra on graphs nobody wrote ----===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every alternative of random graphs, those in parts too, gives what the input
// gives. The pass would check that itself, but not for scores of -inf.
//
//===----------------------------------------------------------------------===//

#include "../Folds/RandomGraph.h"
#include "Cleave/Transforms/Passes.h"
#include "mlir/Dialect/PDL/IR/PDL.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace mlir::cleave;

namespace {

TEST(RandomAlternativesTest, GiveWhatTheInputGives) {
  MLIRContext context;
  context.loadDialect<CleaveDialect, func::FuncDialect, pdl::PDLDialect>();
  for (unsigned seed = 0; seed < 150; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomGraph graph(context, seed);
    Graph &g = graph.get();
    std::vector<double> expected = g.evaluate(0, 1);
    PassManager manager(&context, func::FuncOp::getOperationName());
    CleaveAlgebraPassOptions options;
    options.split = true;
    options.check = CheckLevel::None;
    manager.addPass(createCleaveAlgebraPass(options));
    ASSERT_TRUE(succeeded(manager.run(g.getFunction())));
    g.bindSymbols();
    auto alternatives = *g.getFunction().getOps<AlternativesOp>().begin();
    size_t count = alternatives.getAlternatives().size();
    ASSERT_GE(count, 2u);
    for (g.alternative = 0; g.alternative < count; ++g.alternative)
      for (auto [parts, tile] : {std::pair(1, 2), {3, 0}, {20, 3}}) {
        g.splitCount = parts;
        std::vector<double> got = g.evaluate(tile, 1);
        for (auto [a, b] : llvm::zip_equal(got, expected))
          // An infinite scale is NaN on a 0 and infinite on a sum.
          if (std::isfinite(b))
            ASSERT_NEAR(a, b, 1e-7 * std::max(std::abs(b), 1e-3))
                << "alternative " << g.alternative << ", parts " << parts;
          else
            ASSERT_FALSE(std::isfinite(a));
      }
  }
}

} // namespace
