//===- EvaluatorExecutor.cpp - Runs a function by interpretation ----------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Executor.h"

using namespace mlir;
using namespace mlir::cleave;

namespace {

class EvaluatorExecutor final : public Executor {
public:
  EvaluatorExecutor(func::FuncOp source, const RunOptions &options)
      : source(source) {
    evaluatorOptions.rounds = true;
    evaluatorOptions.alternative = options.alternative;
    evaluatorOptions.foldTile = options.foldTile;
    evaluatorOptions.foldParts = options.foldParts;
  }

  LogicalResult run(ArrayRef<HostArray> arguments,
                    MutableArrayRef<HostArray> results,
                    const Bindings &extents) override {
    FailureOr<AxisTable> table = AxisTable::get(source);
    if (failed(table))
      return failure();
    // Symbols that the function got since it was written.
    Bindings all = extents;
    for (const auto &[name, info] : table->axes())
      if (info.kind == AxisKind::Bound && !info.representatives.empty())
        all.try_emplace(name, info.representatives.front());
    FailureOr<std::vector<HostArray>> values =
        evaluate(source, arguments, all, evaluatorOptions);
    if (failed(values))
      return failure();
    for (auto [result, value] : llvm::zip_equal(results, *values))
      result = std::move(value);
    return success();
  }

private:
  func::FuncOp source;
  EvaluatorOptions evaluatorOptions;
};

} // namespace

std::unique_ptr<Executor>
mlir::cleave::createEvaluatorExecutor(func::FuncOp source,
                                      const RunOptions &options) {
  return std::make_unique<EvaluatorExecutor>(source, options);
}
