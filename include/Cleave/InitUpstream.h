//===- InitUpstream.h - Registration of MLIR's own parts --------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the tools register of MLIR itself. With libMLIR.so that is everything; a
// static tool registers what Cleave's pipelines and their printed stages need,
// since every registered pass is code it must carry.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_INITUPSTREAM_H
#define CLEAVE_INITUPSTREAM_H

namespace mlir {
class DialectRegistry;

namespace cleave {

/// Registers MLIR's dialects, their interfaces and the translations to LLVM IR.
void registerUpstreamDialects(DialectRegistry &registry);

/// Registers MLIR's passes and pipelines by their command line names.
void registerUpstreamPasses();

} // namespace cleave
} // namespace mlir

#endif // CLEAVE_INITUPSTREAM_H
