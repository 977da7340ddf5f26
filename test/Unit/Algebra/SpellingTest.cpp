//===- SpellingTest.cpp - The examples, written in other ways -------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operands of sums, products and contractions in another order, operations in
// another order, arguments stored in another order: the same forms come out.
//
//===----------------------------------------------------------------------===//

#include "AlgebraFixture.h"
#include "Cleave/Transforms/Algebra/Optimize.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <random>

using namespace mlir;
using namespace mlir::cleave;

namespace {

class SpellingTest : public AlgebraFixture {
protected:
  SpellingTest() { EXPECT_TRUE(succeeded(rules.addBuiltin(&context))); }

  void respell(func::FuncOp function, unsigned seed);
  /// What the forms cost and which operations they have, best first.
  std::string describeForms(func::FuncOp function);

  RuleSet rules;

private:
  void storeInAnotherOrder(func::FuncOp function, BlockArgument argument);
};

} // namespace

void SpellingTest::storeInAnotherOrder(func::FuncOp function,
                                       BlockArgument argument) {
  auto type = cast<RankedTensorType>(argument.getType());
  SmallVector<int64_t> shape(llvm::reverse(type.getShape()));
  SmallVector<StringAttr> names(
      llvm::reverse(getAxes(argument.getType()).getNames()));
  auto set = [&](Type other) {
    SmallVector<Type> types(function.getArgumentTypes());
    types[argument.getArgNumber()] = other;
    argument.setType(other);
    function.setType(
        FunctionType::get(&context, types, function.getResultTypes()));
  };
  set(RankedTensorType::get(shape, type.getElementType(),
                            AxesAttr::get(&context, names)));
  // Where an operation keeps the order, so must the argument.
  if (failed(verify(function)))
    set(type);
}

void SpellingTest::respell(func::FuncOp function, unsigned seed) {
  std::mt19937 random(seed);
  for (BlockArgument argument : function.getArguments())
    storeInAnotherOrder(function, argument);
  Block &block = function.front();
  std::vector<Operation *> waiting;
  for (Operation &op : block.without_terminator()) {
    waiting.push_back(&op);
    if (isa<AddOp, MulOp, MaxOp, MinOp, ContractOp>(op)) {
      SmallVector<Value> operands(op.getOperands());
      std::rotate(operands.begin(),
                  operands.begin() + 1 + random() % (operands.size() - 1),
                  operands.end());
      op.setOperands(operands);
    }
  }
  for (Operation *op : waiting)
    op->remove();
  while (!waiting.empty()) {
    std::vector<size_t> ready;
    for (size_t i = 0; i < waiting.size(); ++i)
      if (llvm::all_of(waiting[i]->getOperands(), [](Value value) {
            return !value.getDefiningOp() || value.getDefiningOp()->getBlock();
          }))
        ready.push_back(i);
    size_t next = ready[random() % ready.size()];
    block.getOperations().insert(Block::iterator(block.getTerminator()),
                                 waiting[next]);
    waiting.erase(waiting.begin() + next);
  }
  EXPECT_TRUE(succeeded(verify(function))) << message;
}

std::string SpellingTest::describeForms(func::FuncOp function) {
  PassManager manager(&context);
  manager.addPass(createCleaveExpandPass());
  EXPECT_TRUE(succeeded(manager.run(*module)));
  AlgebraOptions options;
  options.k = 3;
  FailureOr<OptimizedFunction> result = optimize(function, rules, options);
  EXPECT_TRUE(succeeded(result)) << message;
  std::string text;
  llvm::raw_string_ostream os(text);
  const egraph::EGraph &graph = result->graph->getGraph();
  for (const egraph::Extracted &form : result->extraction.best) {
    for (double term : form.evaluation.cost)
      os << term << " ";
    std::map<std::string, unsigned> counts;
    for (auto [id, index] : form.selection)
      ++counts[graph.getName(graph.getClass(id).nodes[index].symbol).str()];
    for (const auto &[name, count] : counts)
      os << name << " " << count << " ";
    os << "\n";
  }
  return text;
}

TEST_F(SpellingTest, Examples) {
  std::error_code error;
  for (llvm::sys::fs::directory_iterator file(CLEAVE_EXAMPLES, error), end;
       file != end; file.increment(error)) {
    if (!StringRef(file->path()).ends_with(".mlir"))
      continue;
    SCOPED_TRACE(file->path());
    auto buffer = llvm::MemoryBuffer::getFile(file->path());
    std::string forms = describeForms(parse((*buffer)->getBuffer()));
    EXPECT_FALSE(forms.empty());
    for (unsigned seed = 1; seed < 4; ++seed) {
      func::FuncOp function = parse((*buffer)->getBuffer());
      respell(function, seed);
      EXPECT_EQ(describeForms(function), forms) << "seed " << seed;
    }
  }
}
