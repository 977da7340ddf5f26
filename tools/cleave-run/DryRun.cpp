//===- DryRun.cpp - A program's launches without a GPU --------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plans calls over addresses without memory, so extents may be of any size.
//
//===----------------------------------------------------------------------===//

#include "DryRun.h"

#include "Executor.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/Support/Base64.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::cleave;
namespace json = llvm::json;

FailureOr<std::unique_ptr<DryRun>>
DryRun::create(ModuleOp module, StringRef entry, const RunOptions &options) {
  if (!module.lookupSymbol<func::FuncOp>(entry))
    return emitError(module.getLoc())
           << "expected function '" << entry << "' in '" << options.file << "'";
  FailureOr<func::FuncOp> function =
      compileToHostForm(module, entry, options, /*defaultChip=*/"");
  if (failed(function))
    return failure();
  std::unique_ptr<DryRun> dry(new DryRun(*function));
  FailureOr<std::unique_ptr<HostProgram>> program =
      HostProgram::create(*function, dry->driver);
  if (failed(program))
    return failure();
  dry->program = std::move(*program);
  return dry;
}

FailureOr<json::Array> DryRun::addPorts(ArrayRef<Port> ports, StringRef role,
                                        const Bindings &extents) {
  json::Array described;
  for (auto [i, port] : llvm::enumerate(ports)) {
    SmallVector<int64_t> shape = getShape(port, extents);
    int64_t bytes = elementSize(port.kind);
    for (int64_t extent : shape)
      bytes *= extent;
    llvm::Expected<DeviceBuffer> buffer = DeviceBuffer::create(driver, bytes);
    if (!buffer)
      return function.emitOpError() << llvm::toString(buffer.takeError());
    names[buffer->get()] = {role.str(), int64_t(i)};
    arrays.push_back({buffer->get(), shape});
    buffers.push_back(std::move(*buffer));
    described.push_back(json::Object{{"name", port.name},
                                     {"type", elementName(port.kind)},
                                     {"shape", json::Array(shape)}});
  }
  return described;
}

/// Results that have an argument's memory say which.
void DryRun::addAliases(ArrayRef<Port> arguments, json::Array &results) {
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    auto alias = function.getArgAttrOfType<StringAttr>(i, "cleave.alias");
    auto result = function.getArgAttrOfType<IntegerAttr>(i, "cleave.result");
    if (!alias || !result)
      continue;
    for (auto [number, port] : llvm::enumerate(arguments))
      if (port.name == alias.getValue())
        (*results[result.getInt()].getAsObject())["alias"] = int64_t(number);
  }
}

json::Value DryRun::describe(const LaunchPlan::Launch &launch) const {
  json::Array params;
  for (auto [i, value] : llvm::enumerate(launch.params)) {
    if (llvm::is_contained(launch.pointers, i)) {
      const auto &[role, number] = names.at(value);
      params.push_back(json::Object{{role, number}});
    } else {
      params.push_back(int64_t(value));
    }
  }
  return json::Object{{"module", launch.module},
                      {"kernel", launch.kernel},
                      {"grid", json::Array(launch.config.grid)},
                      {"block", json::Array(launch.config.block)},
                      {"shared", launch.config.sharedBytes},
                      {"overlaps", launch.config.overlaps},
                      {"params", std::move(params)}};
}

static void printLaunches(const LaunchPlan &plan, const Bindings &extents) {
  llvm::outs() << "launches[" << toString(extents)
               << "]: " << plan.getLaunches().size() << "\n";
  for (const LaunchPlan::Launch &launch : plan.getLaunches()) {
    llvm::outs() << "  " << launch.kernel << " grid ";
    llvm::interleave(launch.config.grid, llvm::outs(), "x");
    llvm::outs() << " block ";
    llvm::interleave(launch.config.block, llvm::outs(), "x");
    llvm::outs() << " shared " << launch.config.sharedBytes << " parameters "
                 << launch.params.size() << "\n";
  }
}

LogicalResult DryRun::add(const Signature &signature, const Bindings &extents) {
  buffers.clear();
  arrays.clear();
  names.clear();
  FailureOr<json::Array> arguments =
      addPorts(signature.arguments, "argument", extents);
  FailureOr<json::Array> results =
      addPorts(signature.results, "result", extents);
  if (failed(arguments) || failed(results))
    return failure();
  addAliases(signature.arguments, *results);
  FailureOr<LaunchPlan> plan = program->plan(arrays);
  if (failed(plan))
    return failure();
  printLaunches(*plan, extents);

  json::Object bind;
  for (const auto &[name, extent] : extents)
    bind[name] = extent;
  json::Array temporaries, launches;
  for (auto [i, buffer] : llvm::enumerate(plan->getTemporaries())) {
    names[buffer.get()] = {"temporary", int64_t(i)};
    temporaries.push_back(json::Object{{"bytes", buffer.size()},
                                       {"zeros", driver.isZero(buffer.get())}});
  }
  for (const LaunchPlan::Launch &launch : plan->getLaunches())
    launches.push_back(describe(launch));
  runs.push_back(json::Object{{"bind", std::move(bind)},
                              {"arguments", std::move(*arguments)},
                              {"results", std::move(*results)},
                              {"temporaries", std::move(temporaries)},
                              {"launches", std::move(launches)}});
  return success();
}

json::Object DryRun::take() {
  json::Object modules;
  auto module = function->getParentOfType<ModuleOp>();
  for (auto binary : module.getOps<gpu::BinaryOp>())
    if (!binary.getObjects().empty())
      if (auto object = dyn_cast<gpu::ObjectAttr>(binary.getObjects()[0]))
        modules[binary.getName()] =
            llvm::encodeBase64(object.getObject().getValue());
  return json::Object{{"entry", function.getName().str()},
                      {"modules", std::move(modules)},
                      {"runs", std::move(runs)}};
}

LogicalResult DryRun::write(StringRef path) {
  std::error_code status;
  llvm::raw_fd_ostream out(path, status);
  if (status)
    return emitError(function.getLoc())
           << "cannot write '" << path << "': " << status.message();
  out << llvm::formatv("{0}", json::Value(take())) << "\n";
  return success();
}
