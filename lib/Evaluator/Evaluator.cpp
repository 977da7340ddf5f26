//===- Evaluator.cpp - The reference evaluator ----------------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Binds arguments and extents, runs the body, and stores the results.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Evaluator/Evaluator.h"

#include "BlockEvaluator.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::cleave;

/// Adds what `value` is computed from: arguments of the function, or more
/// values to look at.
static void addFeeds(FunctionOpInterface function, Value value,
                     llvm::SetVector<Value> &worklist,
                     SmallVectorImpl<BlockArgument> &arguments) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument) {
    Operation *op = value.getDefiningOp();
    worklist.insert(op->operand_begin(), op->operand_end());
    // Regions of alternatives and folds: all that they yield.
    for (Region &region : op->getRegions())
      for (Block &block : region)
        worklist.insert(block.getTerminator()->operand_begin(),
                        block.getTerminator()->operand_end());
    return;
  }
  Block *block = argument.getOwner();
  if (block->getParentOp() == function.getOperation()) {
    arguments.push_back(argument);
    return;
  }
  auto fold = dyn_cast<FoldOp>(block->getParentOp());
  if (!fold)
    return;
  // Only bodies are asked about; a rebase sees states, which bodies feed.
  unsigned number = argument.getArgNumber();
  unsigned inputs = fold.getInputs().size();
  if (block->getParent()->getRegionNumber() % 2 == 0 && number < inputs) {
    worklist.insert(fold.getInputs()[number]);
    return;
  }
  if (block->getParent()->getRegionNumber() % 2 == 0) {
    Operation *yield = fold.getBody(number - inputs).front().getTerminator();
    worklist.insert(yield->operand_begin(), yield->operand_end());
  }
}

Type mlir::cleave::getDefaultOperandType(FunctionOpInterface function,
                                         ValueRange operands) {
  llvm::SetVector<Value> worklist(operands.begin(), operands.end());
  SmallVector<BlockArgument> arguments;
  for (size_t i = 0; i < worklist.size(); ++i)
    addFeeds(function, worklist[i], worklist, arguments);
  llvm::sort(arguments, [](BlockArgument a, BlockArgument b) {
    return a.getArgNumber() < b.getArgNumber();
  });
  Type narrowest = Float32Type::get(function.getContext());
  bool found = false;
  for (BlockArgument argument : arguments) {
    auto tensor = dyn_cast<RankedTensorType>(argument.getType());
    auto type = tensor ? dyn_cast<FloatType>(tensor.getElementType()) : nullptr;
    if (!type)
      continue;
    if (!found || type.getWidth() < narrowest.getIntOrFloatBitWidth())
      narrowest = type;
    found = true;
  }
  return narrowest;
}

/// The domains of a function's splits.
static SmallVector<Domain> getDomains(const AxisTable &table,
                                      const Bindings &extents) {
  SmallVector<Domain> domains;
  for (const SplitRelation &split : table.splits()) {
    Domain domain;
    domain.outer = split.outer;
    domain.inner = split.inner;
    domain.innerExtent = extents.at(split.inner);
    domain.extent = extents.at(split.axis);
    domains.push_back(domain);
  }
  return domains;
}

static NamedArray loadArgument(const Port &port, const HostArray &array,
                               const EvaluatorOptions &options) {
  HostArray sampled = array;
  if (options.samplesArguments)
    for (const SampledAxis &sample : options.samples) {
      const auto *axis = llvm::find(port.axes, sample.name);
      if (axis != port.axes.end())
        sampled = gather(sampled, axis - port.axes.begin(), sample.indices);
    }
  NamedArray result = fromHost(sampled, port.axes);
  result.setKind(port.kind);
  // Arrays of another type than declared, which tests hand in.
  if (options.rounds && array.getKind() != port.kind)
    roundAllTo(port.kind, {result.data(), size_t(result.size())});
  return result;
}

FailureOr<std::vector<HostArray>>
mlir::cleave::evaluate(FunctionOpInterface function,
                       ArrayRef<HostArray> arguments, const Bindings &symbols,
                       const EvaluatorOptions &options) {
  Region &body = function.getFunctionBody();
  if (!body.hasOneBlock())
    return function.emitError("expected a body of one block");
  FailureOr<Signature> signature = Signature::get(function);
  if (failed(signature))
    return failure();
  FailureOr<AxisTable> table = AxisTable::get(function);
  if (failed(table))
    return failure();
  SmallVector<const HostArray *> given;
  for (const HostArray &argument : arguments)
    given.push_back(options.samplesArguments ? &argument : nullptr);
  FailureOr<Bindings> extents =
      bindExtents(function, *table, *signature, given, symbols);
  if (failed(extents))
    return failure();

  EvaluatorContext context{function, options, *extents};
  Window window{*extents, getDomains(*table, *extents)};
  for (const SampledAxis &sample : options.samples)
    window.extents[sample.name] = sample.indices.size();
  SmallVector<NamedArray> arrays;
  for (auto [port, array] : llvm::zip_equal(signature->arguments, arguments))
    arrays.push_back(loadArgument(port, array, options));
  FailureOr<std::vector<NamedArray>> values =
      BlockEvaluator(context, window).run(body.front(), arrays);
  if (failed(values))
    return failure();

  std::vector<HostArray> results;
  for (auto [port, value] : llvm::zip_equal(signature->results, *values)) {
    bool wide = isFloat(port.kind) && !options.rounds;
    results.push_back(
        toHost(value, port.axes, wide ? ElementKind::F64 : port.kind));
  }
  return results;
}
