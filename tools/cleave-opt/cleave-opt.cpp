//===- cleave-opt.cpp - The optimizer driver --------------------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every pass and pipeline of Cleave beside all upstream dialects and passes.
//
//===----------------------------------------------------------------------===//

#include "Cleave/InitAll.h"
#include "Cleave/InitUpstream.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/ADT/STLExtras.h"

/// A note with the operation, which may be a kernel or all alternatives of a
/// function, would bury the error: it is printed only where the user asks.
static llvm::SmallVector<char *> addDefaults(int argc, char **argv) {
  static char quiet[] = "--mlir-print-op-on-diagnostic=false";
  llvm::SmallVector<char *> arguments(argv, argv + argc);
  bool isGiven = llvm::any_of(arguments, [](llvm::StringRef argument) {
    return argument.contains("-mlir-print-op-on-diagnostic");
  });
  if (!isGiven)
    arguments.insert(arguments.begin() + 1, quiet);
  return arguments;
}

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::cleave::registerUpstreamDialects(registry);
  mlir::cleave::registerUpstreamPasses();
  mlir::cleave::registerAllDialects(registry);
  mlir::cleave::registerAllPasses();
  llvm::SmallVector<char *> arguments = addDefaults(argc, argv);
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(arguments.size(), arguments.data(),
                        "Cleave optimizer driver\n", registry));
}
