//===- CleavePlugin.cpp - Cleave for a stock mlir-opt ----------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The entry points that --load-dialect-plugin and --load-pass-plugin look for.
// Either of them brings the dialect and the passes, so that one option is
// enough; with a plugin, mlir-opt knows passes in a textual pipeline only.
//
//===----------------------------------------------------------------------===//

#include "Cleave/InitAll.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/Compiler.h"

using namespace mlir;

/// A pipeline must not be registered twice, but both options may be given.
static void registerPassesOnce() {
  static const bool registered = (cleave::registerAllPasses(), true);
  (void)registered;
}

static void registerDialectsAndPasses(DialectRegistry *registry) {
  cleave::registerAllDialects(*registry);
  registerPassesOnce();
}

extern "C" LLVM_ATTRIBUTE_WEAK DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Cleave", LLVM_VERSION_STRING,
          registerDialectsAndPasses};
}

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Cleave", LLVM_VERSION_STRING,
          registerPassesOnce};
}
