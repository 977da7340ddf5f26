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
#include "Cleave/Transforms/CheckAlternatives.h"
#include "Cleave/Transforms/EGraph/Proof.h"
#include "Graphs.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

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
  ExplainTest() { EXPECT_TRUE(succeeded(rules.addBuiltin(&context))); }

  /// Explains each form and returns the number of steps.
  unsigned check(StringRef text, Numerics numerics = Numerics::Strict);

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

unsigned ExplainTest::check(StringRef text, Numerics numerics) {
  func::FuncOp function = parse(text);
  EXPECT_TRUE(function) << message;
  PassManager manager(&context);
  manager.addPass(createCleaveExpandPass());
  EXPECT_TRUE(succeeded(manager.run(*module)));
  AlgebraOptions options;
  options.explain = true;
  options.numerics = numerics;
  options.k = 8;
  FailureOr<OptimizedFunction> result = optimize(function, rules, options);
  EXPECT_TRUE(succeeded(result)) << message;

  SmallVector<std::string> notes;
  CheckInstance instance =
      makeInstances(function, 0, CheckLevel::Small, notes).front();
  std::string note;
  auto reference = instance.run(function, 0, note);
  EXPECT_TRUE(reference) << note;

  unsigned count = 0;
  for (const Extracted &form : result->extraction.best) {
    std::vector<ClassId> before(result->imported.roots.begin(),
                                result->imported.roots.end());
    for (const ExplanationStep &step : explainForm(*result, form)) {
      std::string where = "step " + std::to_string(++count) + ", " + step.name;
      EXPECT_NE(before, step.roots) << where;
      EXPECT_TRUE(isSuccessor(function, *result->graph, before, step))
          << where << "\n"
          << printTerms(function, *result->graph, before)
          << printTerms(function, *result->graph, step.roots);
      FunctionOpInterface terms =
          buildTerms(function, *result->graph, step.roots);
      auto values = instance.run(terms, 0, note);
      EXPECT_TRUE(values) << note;
      EXPECT_EQ(instance.compare(*values, *reference), std::nullopt) << where;
      terms->erase();
      before = step.roots;
    }
    EXPECT_EQ(printTerms(function, *result->graph, before),
              printForm(function, *result, form));
  }
  return count;
}

namespace {

TEST_F(ExplainTest, RMSNormLinear) { EXPECT_GT(check(rmsNormLinear), 3u); }
TEST_F(ExplainTest, Attention) { EXPECT_GT(check(attention), 3u); }
TEST_F(ExplainTest, SplitHeads) { EXPECT_GT(check(heads), 3u); }
TEST_F(ExplainTest, SeveralResults) { EXPECT_GT(check(severalResults), 3u); }
TEST_F(ExplainTest, Chain) { EXPECT_GT(check(chain, Numerics::Real), 3u); }
TEST_F(ExplainTest, Meet) { EXPECT_GT(check(meet), 3u); }

TEST_F(ExplainTest, Examples) {
  std::error_code error;
  unsigned count = 0;
  for (llvm::sys::fs::directory_iterator file(CLEAVE_EXAMPLES, error), end;
       file != end; file.increment(error)) {
    if (!StringRef(file->path()).ends_with(".mlir"))
      continue;
    SCOPED_TRACE(file->path());
    check((*llvm::MemoryBuffer::getFile(file->path()))->getBuffer(),
          Numerics::Real);
    ++count;
  }
  EXPECT_GE(count, 20u);
}

} // namespace
