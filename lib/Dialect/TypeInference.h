//===- TypeInference.h - Shared by the verifiers of operations --*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the dialect: result types from operands' axes.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_LIB_DIALECT_TYPEINFERENCE_H
#define CLEAVE_LIB_DIALECT_TYPEINFERENCE_H

#include "Cleave/Dialect/CleaveDialect.h"

namespace mlir::cleave {

/// The axes of all operands, with `elementType` or the arithmetic type.
LogicalResult inferUnion(MLIRContext *context, std::optional<Location> location,
                         ValueRange operands, SmallVectorImpl<Type> &results,
                         Type elementType = {});

/// Emits an error where no axis can have this name.
LogicalResult verifyAxisName(Operation *op, StringRef name);

} // namespace mlir::cleave

#endif // CLEAVE_LIB_DIALECT_TYPEINFERENCE_H
