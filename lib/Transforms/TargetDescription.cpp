//===- TargetDescription.cpp - GPUs by name, file or attribute ------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: scheduling. The descriptions that Cleave brings are compiled in, so
// that no tool needs a path; they are files all the same, to be copied and
// changed.
//
//===----------------------------------------------------------------------===//

#include "TargetDescription.h"

#include "Cleave/Dialect/CleaveDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FileSystem.h"

using namespace mlir;
using namespace mlir::cleave;

/// By chip, the text of each file.
static const std::pair<const char *, const char *> kBuiltIn[] = {
#include "Targets.inc"
};

static schedule::Target convert(TargetAttr attr) {
  constexpr double kNanoseconds = 1000;
  schedule::Target target;
  target.chip = attr.getChip().str();
  target.multiprocessors = attr.getMultiprocessors();
  target.memoryBytes = double(attr.getMemoryBytesPerUs());
  target.cacheBytes = double(attr.getCacheBytesPerUs());
  target.cachedBytes = double(attr.getCachedBytes());
  target.sharedTraffic = double(attr.getSharedBytesPerUs());
  target.tensorMacs = double(attr.getTensorMacsPerUs());
  target.scalarOps = double(attr.getScalarOpsPerUs());
  target.specialOps = double(attr.getSpecialOpsPerUs());
  target.latency = double(attr.getLatencyNs()) / kNanoseconds;
  target.barrier = double(attr.getBarrierNs()) / kNanoseconds;
  target.launch = double(attr.getLaunchNs()) / kNanoseconds;
  target.arrival = double(attr.getArrivalNs()) / kNanoseconds;
  target.sharedBytesPerBlock = attr.getSharedBytesPerBlock();
  target.sharedBytes = attr.getSharedBytes();
  target.registers = attr.getRegisters();
  target.registersPerThread = attr.getRegistersPerThread();
  target.warps = attr.getWarps();
  return target;
}

static TargetAttr getAttr(Operation *module) {
  return module->getAttrOfType<TargetAttr>(CleaveDialect::kTargetAttrName);
}

/// Of the chips that Cleave knows, or null.
static const char *findBuiltIn(StringRef chip) {
  for (auto [name, text] : kBuiltIn)
    if (chip == name)
      return text;
  // Kernels need what sm_90a has.
  return chip == "sm_90" ? findBuiltIn("sm_90a") : nullptr;
}

static FailureOr<schedule::Target> readModule(OwningOpRef<ModuleOp> module,
                                              StringRef name, Location loc) {
  TargetAttr attr = module ? getAttr(*module) : TargetAttr();
  if (!attr)
    return emitError(loc) << "expected '" << name << "' to be a module with '"
                          << CleaveDialect::kTargetAttrName << "'";
  return convert(attr);
}

FailureOr<schedule::Target> cleave::findTarget(Operation *op, StringRef name) {
  const char *text = findBuiltIn(name);
  for (Operation *around = op; around; around = around->getParentOp()) {
    TargetAttr attr = getAttr(around);
    if (!attr)
      continue;
    if (text && attr.getChip().getValue() != name)
      return around->emitError("expected a target for ")
             << name << " but got '" << CleaveDialect::kTargetAttrName
             << "' for " << attr.getChip();
    return convert(attr);
  }
  ParserConfig config(op->getContext());
  if (text)
    return readModule(parseSourceString<ModuleOp>(text, config, name), name,
                      op->getLoc());
  if (!llvm::sys::fs::exists(name))
    return op->emitError("expected target sm_80, sm_90a or a file but got '")
           << name << "'";
  return readModule(parseSourceFile<ModuleOp>(name, config), name,
                    op->getLoc());
}
