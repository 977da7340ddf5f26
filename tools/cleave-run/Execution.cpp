//===- Execution.cpp - What all executors share ---------------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Wall clock timing, and running pass pipelines by their names: so the tool
// depends on no pass library directly.
//
//===----------------------------------------------------------------------===//

#include "Executor.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include <chrono>

using namespace mlir;
using namespace mlir::cleave;

FailureOr<RunTime> Executor::time(ArrayRef<HostArray> arguments,
                                  MutableArrayRef<HostArray> results,
                                  const Bindings &extents) {
  using Clock = std::chrono::steady_clock;
  if (failed(run(arguments, results, extents)))
    return failure();
  std::vector<double> times;
  double total = 0;
  while (times.size() < 3 || (total < 1e6 && times.size() < 100)) {
    Clock::time_point start = Clock::now();
    if (failed(run(arguments, results, extents)))
      return failure();
    std::chrono::duration<double, std::micro> elapsed = Clock::now() - start;
    times.push_back(elapsed.count());
    total += times.back();
  }
  llvm::sort(times);
  return RunTime{times[times.size() / 2], int64_t(times.size())};
}

LogicalResult mlir::cleave::runPipeline(ModuleOp module, StringRef pipeline) {
  PassManager manager(module.getContext());
  std::string message;
  llvm::raw_string_ostream stream(message);
  if (failed(parsePassPipeline(pipeline, manager, stream))) {
    // The parser's text is several lines with a caret; the name is enough.
    return emitError(module.getLoc())
           << "cannot run the pipeline '" << pipeline << "'";
  }
  return manager.run(module);
}

bool mlir::cleave::isCleaveFunction(func::FuncOp function) {
  auto isNamed = [](Type type) { return isCleaveTensor(type); };
  return llvm::any_of(function.getArgumentTypes(), isNamed) ||
         llvm::any_of(function.getResultTypes(), isNamed);
}

bool mlir::cleave::isOnTensors(func::FuncOp function) {
  auto isTensor = [](Type type) { return isa<RankedTensorType>(type); };
  return llvm::any_of(function.getArgumentTypes(), isTensor) ||
         llvm::any_of(function.getResultTypes(), isTensor);
}
