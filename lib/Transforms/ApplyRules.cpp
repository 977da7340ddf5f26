//===- ApplyRules.cpp - Apply one rule once -------------------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shows and tests rules one by one: no search, no other rule, no cost.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Transforms/Algebra/Optimize.h"
#include "Cleave/Transforms/Algebra/VerifyRules.h"
#include "Cleave/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::cleave {
#define GEN_PASS_DEF_CLEAVEAPPLYRULESPASS
#include "Cleave/Transforms/Passes.h.inc"
} // namespace mlir::cleave

using namespace mlir;
using namespace mlir::cleave;
using namespace mlir::cleave::egraph;

namespace {

struct CleaveApplyRulesPass
    : cleave::impl::CleaveApplyRulesPassBase<CleaveApplyRulesPass> {
  using CleaveApplyRulesPassBase::CleaveApplyRulesPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    auto loaded = loadRules(context, rules, /*verify=*/false);
    if (failed(loaded))
      return failure();
    for (const std::string &name : names)
      if (!(*loaded)->lookup(name))
        return emitError(UnknownLoc::get(context))
               << "unknown rule '" << name << "'";
    ruleSet = *loaded;
    return success();
  }

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal())
      return;
    for (const std::string &name : names)
      if (failed(apply(function, *ruleSet->lookup(name))))
        return signalPassFailure();
  }

private:
  LogicalResult apply(func::FuncOp function, const RulePattern &pattern);

  std::shared_ptr<const RuleSet> ruleSet;
};

} // namespace

/// Rebuilds the function with the value of the first match, in the order of its
/// operations, replaced by the rule's other side.
LogicalResult CleaveApplyRulesPass::apply(func::FuncOp function,
                                          const RulePattern &pattern) {
  AlgebraGraph graph(&getContext(), numerics);
  FailureOr<ImportedFunction> imported = importFunction(function, graph);
  if (failed(imported))
    return failure();
  EGraph &g = graph.getGraph();
  Selection selection = getInputSelection(graph, imported->roots);
  BoundRule rule(pattern, graph);
  // Whatever is in the graph already stands for itself on the other side.
  g.setOrigin(1);
  for (auto [op, id] : imported->classes) {
    std::vector<Match> matches;
    rule.search(g.find(id), matches);
    for (const Match &match : matches) {
      std::optional<ClassId> other = match.build(g);
      if (!other || g.find(*other) == g.find(match.root))
        continue;
      for (ClassId fresh : g.getClassIds())
        selection.try_emplace(fresh, 0);
      // Users of the matched value read the other side instead.
      ClassId root = g.find(match.root);
      const Node top = g.getClass(*other).nodes[selection.at(g.find(*other))];
      if (!g.merge(root, *other, pattern.name))
        return function.emitError("wrong rule: ")
               << g.getErrors().back().message;
      const std::vector<Node> &nodes = g.getClass(root).nodes;
      selection[g.find(root)] = llvm::find(nodes, top) - nodes.begin();
      OpBuilder builder(function.getBody().front().getTerminator());
      auto values = exportSelection(graph, imported->roots, selection, builder,
                                    function.getLoc(), function.getArguments());
      if (!values)
        return function.emitError("expected rule '")
               << pattern.name << "' to give an acyclic form";
      function.getBody().front().getTerminator()->setOperands(*values);
      for (Operation &old : llvm::make_early_inc_range(
               llvm::reverse(function.getBody().front())))
        if (!old.hasTrait<OpTrait::IsTerminator>() && isPure(&old) &&
            old.use_empty())
          old.erase();
      return success();
    }
  }
  emitRemark(function.getLoc()) << "rule " << pattern.name << " does not apply";
  return success();
}
