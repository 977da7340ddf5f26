//===- PrintEGraph.cpp - The e-graph for Graphviz -------------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cleave/Conversion/CleaveToLinalg.h"
#include "Cleave/Transforms/Algebra/Optimize.h"
#include "Cleave/Transforms/Algebra/VerifyRules.h"
#include "Cleave/Transforms/EGraph/Dot.h"
#include "Cleave/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace mlir::cleave {
#define GEN_PASS_DEF_CLEAVEPRINTEGRAPHPASS
#include "Cleave/Transforms/Passes.h.inc"
} // namespace mlir::cleave

using namespace mlir;
using namespace mlir::cleave;

namespace {

struct CleavePrintEGraphPass
    : cleave::impl::CleavePrintEGraphPassBase<CleavePrintEGraphPass> {
  using CleavePrintEGraphPassBase::CleavePrintEGraphPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    auto loaded = loadRules(context, rules, /*verify=*/false);
    if (failed(loaded))
      return failure();
    ruleSet = *loaded;
    return success();
  }

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal() || !hasNamedAxes(function))
      return;
    OwningOpRef<func::FuncOp> copy = function.clone();
    RewritePatternSet patterns(&getContext());
    populateExpandPatterns(patterns);
    walkAndApplyPatterns(*copy, std::move(patterns));
    AlgebraOptions options;
    options.numerics = numerics;
    options.limits.maxNodes = maxEnodes;
    FailureOr<OptimizedFunction> result = optimize(*copy, *ruleSet, options);
    if (failed(result))
      return signalPassFailure();
    print(*result);
  }

private:
  static void print(const OptimizedFunction &result);

  std::shared_ptr<const RuleSet> ruleSet;
};

} // namespace

void CleavePrintEGraphPass::print(const OptimizedFunction &result) {
  const AlgebraGraph &graph = *result.graph;
  auto describeClass = [&](egraph::ClassId id) {
    std::string text;
    graph.getGraph().getFacts(id).axes.forEach([&](unsigned axis) {
      text += (text.empty() ? "" : ", ") + graph.getAxisName(axis).str();
    });
    return std::to_string(id) + " [" + text + "]";
  };
  auto describeNode = [&](const egraph::Node &node) {
    std::string text;
    llvm::raw_string_ostream os(text);
    for (NamedAttribute attribute : graph.getPayload(node))
      os << attribute.getName().getValue() << " = " << attribute.getValue()
         << "\n";
    if (node.origin != egraph::kInput)
      os << "by " << result.ruleNames[node.origin - 1];
    return text;
  };
  // One write, so that functions printed in parallel do not mix.
  std::string text;
  llvm::raw_string_ostream os(text);
  egraph::writeDot(graph.getGraph(), os, describeClass, describeNode);
  llvm::errs() << text;
}
