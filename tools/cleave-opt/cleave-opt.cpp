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

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::cleave::registerUpstreamDialects(registry);
  mlir::cleave::registerUpstreamPasses();
  mlir::cleave::registerAllDialects(registry);
  mlir::cleave::registerAllPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Cleave optimizer driver\n", registry));
}
