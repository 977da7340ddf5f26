//===- EmitBody.h - Bodies of tile operations -------------------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arithmetic of cleave operations and of the scheduler's nodes on scalars, for
// the bodies of linalg.generic.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_CONVERSION_EMITBODY_H
#define CLEAVE_CONVERSION_EMITBODY_H

#include "Cleave/Dialect/CleaveDialect.h"
#include "Cleave/Transforms/Schedule/Problem.h"
#include "mlir/IR/Builders.h"
#include <optional>

namespace mlir::cleave {

Type getElementType(MLIRContext *context, schedule::Element element);

/// The element type of `type`, or none if code generation does not know it.
std::optional<schedule::Element> getElement(Type type);

/// What `op` does to elements, if it is a pointwise operation.
std::optional<schedule::Pointwise> getPointwise(Operation *op);

/// What combines the elements of a reduction or contraction, or of a fold's
/// state.
schedule::Combiner getCombiner(Operation *reduction);
schedule::Combiner getCombiner(ReductionKind kind);

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

#endif // CLEAVE_CONVERSION_EMITBODY_H
