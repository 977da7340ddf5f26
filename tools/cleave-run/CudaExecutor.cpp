//===- CudaExecutor.cpp - Runs a function on a GPU ------------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles to a cubin where that has not been done, and launches through the
// driver: with guard zones around all memory for results, and for times on a
// graph of many calls over inputs that do not fit the L2 cache together.
//
//===----------------------------------------------------------------------===//

#include "Executor.h"

#include "Cleave/Dialect/CleaveDialect.h"
#include "Cleave/Emulator/Emulator.h"
#include "Cleave/Runtime/CudaDriver.h"
#include "Cleave/Runtime/HostProgram.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <map>

using namespace mlir;
using namespace mlir::cleave;

namespace {

/// One set of arguments and results on the device.
struct DeviceCall {
  DeviceCall() = default;
  DeviceCall(DeviceCall &&) = default;

  std::vector<DeviceBuffer> buffers;
  SmallVector<DeviceArray> arrays;
  LaunchPlan plan;
};

class CudaExecutor final : public Executor {
public:
  explicit CudaExecutor(Location location) : location(location) {}

  LogicalResult open(const RunOptions &options);
  LogicalResult compile(ModuleOp module, StringRef entry,
                        const RunOptions &options);
  LogicalResult run(ArrayRef<HostArray> arguments,
                    MutableArrayRef<HostArray> results,
                    const Bindings &extents) override;
  FailureOr<RunTime> time(ArrayRef<HostArray> arguments,
                          MutableArrayRef<HostArray> results,
                          const Bindings &extents) override;

private:
  LogicalResult report(llvm::Error error) {
    if (!error)
      return success();
    return emitError(location) << llvm::toString(std::move(error));
  }
  LogicalResult checkDrop(const RunOptions &options);
  LogicalResult addBuffer(DeviceCall &call, const HostArray &array);
  void findAliases(func::FuncOp function);
  FailureOr<DeviceCall> prepare(ArrayRef<HostArray> arguments,
                                ArrayRef<HostArray> results);
  FailureOr<double> measure(function_ref<llvm::Error()> enqueue);
  FailureOr<RunTime> timeGraph(ArrayRef<DeviceCall> calls);

  Location location;
  bool isEmulated = false;
  std::unique_ptr<Driver> driver;
  std::unique_ptr<HostProgram> program;
  /// By result, the argument whose memory it has.
  std::map<unsigned, unsigned> aliases;
};

/// The chip to compile for: the newest that the device runs and Cleave knows.
std::string chooseChip(const DeviceInfo &info) {
  if (info.chip == "sm_90")
    return "sm_90a";
  // Later devices run no sm_90a code; PTX for sm_80 would have to be compiled.
  return info.chip;
}

LogicalResult CudaExecutor::open(const RunOptions &options) {
  isEmulated = options.device == "emulator";
  if (isEmulated) {
    driver = EmulatedDriver::create(options.emulator);
    return success();
  }
  llvm::Expected<std::unique_ptr<Driver>> created = createCudaDriver();
  if (!created)
    return report(created.takeError());
  driver = std::move(*created);
  return success();
}

LogicalResult CudaExecutor::compile(ModuleOp module, StringRef entry,
                                    const RunOptions &options) {
  FailureOr<func::FuncOp> function =
      compileToHostForm(module, entry, options, chooseChip(driver->getInfo()));
  if (failed(function))
    return failure();
  FailureOr<std::unique_ptr<HostProgram>> created =
      HostProgram::create(*function, *driver);
  if (failed(created))
    return failure();
  program = std::move(*created);
  findAliases(*function);
  return isEmulated ? checkDrop(options) : success();
}

/// What a test wants to be left out must be there.
LogicalResult CudaExecutor::checkDrop(const RunOptions &options) {
  EmulatedCounts counts = static_cast<EmulatedDriver &>(*driver).getCounts();
  unsigned count = 0;
  switch (options.emulator.drop) {
  case EmulatorOptions::Drop::Nothing:
    return success();
  case EmulatorOptions::Drop::Barrier:
    count = counts.barriers;
    break;
  case EmulatorOptions::Drop::Wait:
    count = counts.waits;
    break;
  case EmulatorOptions::Drop::Branch:
    count = counts.branches;
    break;
  }
  if (options.emulator.number < count)
    return success();
  return emitError(location)
         << "expected a number below " << count
         << " in --emulator-drop but got " << options.emulator.number;
}

/// Which results have the memory of which arguments. Here they get a copy, so
/// that a function can be called again with the same arguments.
void CudaExecutor::findAliases(func::FuncOp function) {
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    auto alias =
        function.getArgAttrOfType<StringAttr>(i, CleaveDialect::kAliasAttrName);
    auto result = function.getArgAttrOfType<IntegerAttr>(i, "cleave.result");
    if (!alias || !result)
      continue;
    for (unsigned other = 0; other < i; ++other)
      if (function.getArgAttr(other, CleaveDialect::kNameAttrName) == alias)
        aliases[result.getInt()] = other;
  }
}

LogicalResult CudaExecutor::addBuffer(DeviceCall &call,
                                      const HostArray &array) {
  llvm::Expected<DeviceBuffer> buffer =
      DeviceBuffer::create(*driver, array.bytes().size());
  if (!buffer)
    return report(buffer.takeError());
  if (failed(report(driver->copyToDevice(buffer->get(), array.bytes()))))
    return failure();
  call.arrays.push_back(
      {buffer->get(), SmallVector<int64_t>(array.getShape())});
  call.buffers.push_back(std::move(*buffer));
  return success();
}

FailureOr<DeviceCall> CudaExecutor::prepare(ArrayRef<HostArray> arguments,
                                            ArrayRef<HostArray> results) {
  DeviceCall call;
  for (const HostArray &array : arguments)
    if (failed(addBuffer(call, array)))
      return failure();
  for (auto [number, array] : llvm::enumerate(results)) {
    auto alias = aliases.find(number);
    if (failed(addBuffer(
            call, alias == aliases.end() ? array : arguments[alias->second])))
      return failure();
  }
  FailureOr<LaunchPlan> plan = program->plan(call.arrays);
  if (failed(plan))
    return failure();
  call.plan = std::move(*plan);
  return call;
}

LogicalResult CudaExecutor::run(ArrayRef<HostArray> arguments,
                                MutableArrayRef<HostArray> results,
                                const Bindings &extents) {
  FailureOr<DeviceCall> call = prepare(arguments, results);
  if (failed(call))
    return failure();
  if (failed(report(call->plan.run(*driver))) ||
      failed(report(driver->synchronize())))
    return failure();
  for (const DeviceBuffer &buffer : call->buffers)
    if (failed(report(buffer.checkGuards())))
      return failure();
  for (auto [i, result] : llvm::enumerate(results))
    if (failed(report(driver->copyToHost(
            result.bytes(), call->buffers[arguments.size() + i].get()))))
      return failure();
  return success();
}

/// Microseconds between two marks around what `enqueue` enqueues.
FailureOr<double> CudaExecutor::measure(function_ref<llvm::Error()> enqueue) {
  if (failed(report(driver->recordMark(0))) || failed(report(enqueue())) ||
      failed(report(driver->recordMark(1))))
    return failure();
  llvm::Expected<double> elapsed = driver->elapsedMicroseconds(0, 1);
  if (!elapsed)
    return report(elapsed.takeError());
  return *elapsed;
}

FailureOr<RunTime> CudaExecutor::timeGraph(ArrayRef<DeviceCall> calls) {
  auto enqueue = [&](int64_t count) -> llvm::Error {
    for (int64_t i = 0; i < count; ++i)
      if (llvm::Error error = calls[i % calls.size()].plan.run(*driver))
        return error;
    return llvm::Error::success();
  };
  // Warm up, then find out how many calls make a replay of some milliseconds.
  int64_t sets = calls.size();
  if (failed(measure([&] { return enqueue(sets); })))
    return failure();
  FailureOr<double> once = measure([&] { return enqueue(sets); });
  if (failed(once))
    return failure();
  double perCall = std::max(1.0, *once / double(sets));
  int64_t rounds = int64_t(std::ceil(2500 / perCall / double(sets)));
  int64_t count = std::min<int64_t>(400, std::max<int64_t>(rounds, 1) * sets);

  if (failed(report(driver->beginCapture())) || failed(report(enqueue(count))))
    return failure();
  llvm::Expected<Driver::Graph> graph = driver->endCapture();
  if (!graph)
    return report(graph.takeError());
  std::vector<double> times;
  for (int i = 0; i < 17; ++i) {
    FailureOr<double> elapsed =
        measure([&] { return driver->launchGraph(*graph); });
    if (failed(elapsed))
      break;
    if (i >= 2)
      times.push_back(*elapsed / double(count));
  }
  driver->destroyGraph(*graph);
  if (times.size() < 15)
    return failure();
  llvm::sort(times);
  return RunTime{times[times.size() / 2], count};
}

FailureOr<RunTime> CudaExecutor::time(ArrayRef<HostArray> arguments,
                                      MutableArrayRef<HostArray> results,
                                      const Bindings &extents) {
  // Rotating inputs: each call finds its own in device memory, not in L2.
  int64_t bytes = 1;
  for (const HostArray &argument : arguments)
    bytes += argument.bytes().size();
  int64_t total = std::max<int64_t>(512'000'000, 8 * driver->getInfo().l2Bytes);
  int64_t sets = std::clamp<int64_t>(llvm::divideCeil(total, bytes), 4, 256);
  std::vector<DeviceCall> calls;
  for (int64_t i = 0; i < sets; ++i) {
    FailureOr<DeviceCall> call = prepare(arguments, results);
    if (failed(call))
      return failure();
    calls.push_back(std::move(*call));
  }
  if (calls.front().plan.getLaunches().empty())
    return RunTime{0, 0};
  return timeGraph(calls);
}

} // namespace

FailureOr<func::FuncOp>
mlir::cleave::compileToHostForm(ModuleOp module, StringRef entry,
                                const RunOptions &options,
                                StringRef defaultChip) {
  auto function = module.lookupSymbol<func::FuncOp>(entry);
  bool isCleave = isCleaveFunction(function);
  if (!isCleave && !isOnTensors(function))
    return function;
  std::string chip = options.chip.empty() ? defaultChip.str() : options.chip;
  if (chip.empty())
    return emitError(module.getLoc()) << "expected --chip with --dry-run";
  // The emulator takes kernels as they are before they become a cubin.
  std::string pipeline = isCleave ? "cleave-to-" : "cleave-tiles-to-";
  pipeline += options.device == "emulator" ? "gpu{chip=" : "cubin{chip=";
  pipeline += chip;
  if (isCleave && !options.representative.empty())
    pipeline += " representative=" + options.representative;
  if (isCleave && !options.tuningTable.empty())
    pipeline += " tuning-table=" + options.tuningTable;
  if (failed(runPipeline(module, pipeline + "}")))
    return failure();
  function = module.lookupSymbol<func::FuncOp>(entry);
  if (!function)
    return emitError(module.getLoc())
           << "expected function '" << entry << "' after compilation";
  return function;
}

FailureOr<std::unique_ptr<Executor>>
mlir::cleave::createCudaExecutor(ModuleOp module, StringRef entry,
                                 const RunOptions &options) {
  auto executor = std::make_unique<CudaExecutor>(module.getLoc());
  if (failed(executor->open(options)) ||
      failed(executor->compile(module, entry, options)))
    return failure();
  return std::unique_ptr<Executor>(std::move(executor));
}

FailureOr<std::string> mlir::cleave::findDeviceChip(Location location) {
  llvm::Expected<std::unique_ptr<Driver>> driver = createCudaDriver();
  if (!driver)
    return emitError(location) << llvm::toString(driver.takeError());
  return chooseChip((*driver)->getInfo());
}
