//===- InitAll.h - Registration of all of Cleave ----------------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers every dialect, pass and pipeline. Only tools include this.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_INITALL_H
#define CLEAVE_INITALL_H

#include "Cleave/Conversion/Passes.h"
#include "Cleave/Conversion/Pipelines.h"
#include "Cleave/Conversion/TileDialect.h"
#include "Cleave/Dialect/CleaveDialect.h"
#include "Cleave/Transforms/Passes.h"
#include "Cleave/Transforms/Pipelines.h"
#include "mlir/IR/DialectRegistry.h"

namespace mlir::cleave {

/// Registers the cleave dialect and the interfaces it attaches.
inline void registerAllDialects(DialectRegistry &registry) {
  registry.insert<CleaveDialect>();
  registry.insert<tile::CleaveTileDialect>();
}

/// Registers every Cleave pass and pipeline by its command line name.
inline void registerAllPasses() {
  registerCleaveTransformsPasses();
  registerCleaveConversionPasses();
  registerTilesToGPUPipelines();
  registerCleavePipelines();
}

} // namespace mlir::cleave

#endif // CLEAVE_INITALL_H
