//===- EmitBody.h - Bodies of tile operations -------------------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: scheduling. Arithmetic of the scheduler's nodes on scalars, for the
// bodies of linalg.generic.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_LIB_CONVERSION_CLEAVETOLINALG_EMITBODY_H
#define CLEAVE_LIB_CONVERSION_CLEAVETOLINALG_EMITBODY_H

#include "Cleave/Transforms/Schedule/Problem.h"
#include "mlir/IR/Builders.h"

namespace mlir::cleave {

Type getElementType(MLIRContext *context, schedule::Element element);

Value createConstant(OpBuilder &b, Location loc, schedule::Element element,
                     double value);

/// `value` rounded, extended or converted to `type`; itself if it has it.
Value convertElement(OpBuilder &b, Location loc, Value value, Type type);

/// One pointwise operation with a result of `element`. Operands may be
/// narrower; arithmetic is in the result's type.
Value createPointwise(OpBuilder &b, Location loc, schedule::Pointwise op,
                      schedule::Element element, ValueRange operands);

/// `accumulator` combined with `value`, which may be narrower.
Value createCombiner(OpBuilder &b, Location loc, schedule::Combiner combiner,
                     Value accumulator, Value value);

} // namespace mlir::cleave

#endif // CLEAVE_LIB_CONVERSION_CLEAVETOLINALG_EMITBODY_H
