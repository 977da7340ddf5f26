//===- ExplainTest.cpp - Each step of an explanation is one rewrite -------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Replays explanations: the terms before a step, in a graph of their own, have
// those after it among their equals once the step's rule has run, one time,
// over all matches; and each step computes the same numbers.
//
//===----------------------------------------------------------------------===//

#include "AlgebraFixture.h"
#include "Cleave/Runtime/Compare.h"
#include "Cleave/Runtime/Random.h"
#include "Cleave/Transforms/Algebra/Optimize.h"
#include "Cleave/Transforms/EGraph/Proof.h"
#include "Graphs.h"

using namespace mlir;
using namespace mlir::cleave;
using namespace mlir::cleave::egraph;
using namespace mlir::cleave::graphs;

namespace {

/// Terms of one graph in a graph of their own, with the facts they had.
class Replay {
public:
  Replay(func::FuncOp function, const AlgebraGraph &from)
      : function(function), from(from),
        into(from.getContext(), from.getNumerics()) {
    for (unsigned axis = 0; axis < from.getNumAxes(); ++axis)
      into.addAxis(from.getAxisName(axis), from.getBounds(axis));
  }

  std::vector<ClassId> add(ArrayRef<ClassId> roots) {
    std::vector<ClassId> result;
    for (ClassId root : roots)
      result.push_back(add(root));
    into.getGraph().rebuild();
    return result;
  }
  void run(Rule &rule) {
    Limits limits;
    limits.maxIterations = 1;
    saturate(into.getGraph(), &rule, limits);
  }
  AlgebraGraph &getGraph() { return into; }

private:
  ClassId add(ClassId term) {
    if (auto it = added.find(term); it != added.end())
      return it->second;
    const Node &node = from.getGraph().getProofs()->getTerm(term);
    Facts facts = from.getGraph().getFacts(term);
    ClassId id;
    if (from.getKind(node) == OpKind::Argument) {
      int64_t index =
          cast<IntegerAttr>(from.getPayload(node).get("index")).getInt();
      id = into.addArgument(
          index, cast<RankedTensorType>(function.getArgumentTypes()[index]),
          facts);
    } else {
      SmallVector<ClassId> children;
      for (ClassId child : node.children)
        children.push_back(add(child));
      id = into.add(from.getGraph().getName(node.symbol), from.getPayload(node),
                    children);
      facts.elementType = into.getGraph().getFacts(id).elementType;
      into.getGraph().refine(id, facts);
    }
    return added[term] = id;
  }

  func::FuncOp function;
  const AlgebraGraph &from;
  AlgebraGraph into;
  std::map<ClassId, ClassId> added;
};

class ExplainTest : public AlgebraFixture {
protected:
  /// Explains each form and returns the number of steps.
  unsigned check(StringRef text, const Bindings &bindings,
                 Numerics numerics = Numerics::Strict);

private:
  bool isSuccessor(func::FuncOp function, const AlgebraGraph &graph,
                   ArrayRef<ClassId> before, const ExplanationStep &step);
  std::string printTerms(func::FuncOp function, const AlgebraGraph &graph,
                         ArrayRef<ClassId> roots) {
    FunctionOpInterface terms = buildTerms(function, graph, roots);
    std::string text = print(terms);
    terms->erase();
    return text;
  }
  std::string printForm(func::FuncOp function, const OptimizedFunction &result,
                        const Extracted &form);
  static std::string print(Operation *op) {
    std::string text;
    llvm::raw_string_ostream os(text);
    op->print(os);
    return text;
  }
  std::vector<HostArray> evaluateTerms(func::FuncOp function,
                                       const AlgebraGraph &graph,
                                       ArrayRef<ClassId> roots,
                                       ArrayRef<HostArray> arguments);

  RuleSet rules;
};

} // namespace

bool ExplainTest::isSuccessor(func::FuncOp function, const AlgebraGraph &graph,
                              ArrayRef<ClassId> before,
                              const ExplanationStep &step) {
  Replay replay(function, graph);
  ArrayRef<ClassId> after = step.roots;
  if (step.isReversed)
    std::swap(before, after);
  std::vector<ClassId> from = replay.add(before);
  if (step.name == "Normal_Flatten") {
    FlattenRule rule;
    replay.run(rule);
  } else if (step.name != "Normal_Form") {
    const RulePattern *pattern = rules.lookup(step.name);
    if (!pattern)
      return false;
    BoundRule rule(*pattern, replay.getGraph());
    replay.run(rule);
  }
  std::vector<ClassId> to = replay.add(after);
  EGraph &g = replay.getGraph().getGraph();
  for (auto [a, b] : llvm::zip_equal(from, to))
    if (g.find(a) != g.find(b))
      return false;
  return true;
}

std::vector<HostArray>
ExplainTest::evaluateTerms(func::FuncOp function, const AlgebraGraph &graph,
                           ArrayRef<ClassId> roots,
                           ArrayRef<HostArray> arguments) {
  FunctionOpInterface terms = buildTerms(function, graph, roots);
  auto results = evaluate(terms, arguments);
  EXPECT_TRUE(succeeded(results)) << message;
  terms->erase();
  return succeeded(results) ? *results : std::vector<HostArray>();
}

std::string ExplainTest::printForm(func::FuncOp function,
                                   const OptimizedFunction &result,
                                   const Extracted &form) {
  func::FuncOp copy = function.clone();
  Operation *terminator = copy.front().getTerminator();
  OpBuilder builder(terminator);
  auto values =
      exportSelection(*result.graph, result.imported.roots, form.selection,
                      builder, function.getLoc(), copy.getArguments());
  EXPECT_TRUE(values);
  terminator->setOperands(*values);
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(copy.front())))
    if (op.use_empty() && &op != terminator)
      op.erase();
  std::string text = print(copy);
  copy.erase();
  return text;
}

unsigned ExplainTest::check(StringRef text, const Bindings &bindings,
                            Numerics numerics) {
  func::FuncOp function = parse(text);
  EXPECT_TRUE(function) << message;
  PassManager manager(&context);
  manager.addPass(createCleaveExpandPass());
  EXPECT_TRUE(succeeded(manager.run(*module)));
  EXPECT_TRUE(succeeded(rules.addBuiltin(&context)));
  AlgebraOptions options;
  options.explain = true;
  options.numerics = numerics;
  FailureOr<OptimizedFunction> result = optimize(function, rules, options);
  EXPECT_TRUE(succeeded(result)) << message;

  auto signature = Signature::get(function);
  auto table = AxisTable::get(function);
  auto extents = table->resolve(bindings, function.getLoc());
  std::vector<HostArray> arguments;
  for (const Port &port : signature->arguments)
    arguments.push_back(
        makeRandom(port.kind, getShape(port, *extents), 7, port.name, 1));
  auto reference = evaluate(function, arguments);
  EXPECT_TRUE(succeeded(reference)) << message;

  unsigned count = 0;
  for (const Extracted &form : result->extraction.best) {
    std::vector<ClassId> before(result->imported.roots.begin(),
                                result->imported.roots.end());
    for (const ExplanationStep &step : explainForm(*result, form)) {
      ++count;
      EXPECT_NE(before, step.roots);
      EXPECT_TRUE(isSuccessor(function, *result->graph, before, step))
          << "step " << count << ", " << step.name;
      std::vector<HostArray> values =
          evaluateTerms(function, *result->graph, step.roots, arguments);
      for (auto [value, expected] : llvm::zip_equal(values, *reference))
        EXPECT_TRUE(compare(value, expected, 1e-9).isWithin(1e-9))
            << "step " << count << ", " << step.name;
      before = step.roots;
    }
    EXPECT_EQ(printTerms(function, *result->graph, before),
              printForm(function, *result, form));
  }
  return count;
}

namespace {

TEST_F(ExplainTest, RMSNormLinear) {
  EXPECT_GT(check(rmsNormLinear, {{"M", 3}, {"N", 5}}), 3u);
}

TEST_F(ExplainTest, Attention) {
  EXPECT_GT(check(attention, {{"S", 3}, {"T", 7}, {"E", 5}}), 3u);
}

TEST_F(ExplainTest, SplitHeads) {
  EXPECT_GT(check(heads, {{"M", 3}, {"N", 5}}), 3u);
}

TEST_F(ExplainTest, SeveralResults) {
  EXPECT_GT(check(severalResults, {{"S", 3}, {"T", 7}, {"E", 5}}), 3u);
}

TEST_F(ExplainTest, Chain) {
  EXPECT_GT(
      check(chain, {{"M", 3}, {"K", 7}, {"R", 2}, {"N", 5}}, Numerics::Real),
      3u);
}

TEST_F(ExplainTest, Meet) { EXPECT_GT(check(meet, {}), 3u); }

} // namespace
