//===- CleaveDialect.h - The cleave dialect ---------------------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dialect, its attributes and operations. The .td files are the manual.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_DIALECT_CLEAVEDIALECT_H
#define CLEAVE_DIALECT_CLEAVEDIALECT_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "Cleave/Dialect/CleaveDialect.h.inc"
#include "Cleave/Dialect/CleaveEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "Cleave/Dialect/CleaveAttrs.h.inc"
#define GET_OP_CLASSES
#include "Cleave/Dialect/CleaveOps.h.inc"

namespace mlir::cleave {

/// The axes of a cleave tensor in storage order. `type` must have an encoding
/// (every operand and result of a cleave operation does).
inline AxesAttr getAxes(Type type) {
  return llvm::cast<AxesAttr>(llvm::cast<RankedTensorType>(type).getEncoding());
}
inline AxesAttr getAxes(Value value) { return getAxes(value.getType()); }

/// Whether `name` can be written as the name of an axis: a letter or `_`, then
/// letters, digits, `_`, `$` or `.`.
bool isAxisName(StringRef name);

/// Whether `type` is a ranked tensor with named axes.
bool isCleaveTensor(Type type);

/// The extent of `axis` in `type`: a size, `ShapedType::kDynamic`, or none if
/// the tensor lacks the axis.
std::optional<int64_t> getExtent(RankedTensorType type, StringAttr axis);

/// The type of a tensor with `elementType` and the axes of all `types` in
/// lexicographic order; a dimension is static if it is in any of them.
/// Null if two types give one axis different static extents.
RankedTensorType getUnionType(MLIRContext *context, TypeRange types,
                              Type elementType);

/// `type` without `axes`, with `elementType`, in lexicographic order.
RankedTensorType dropAxes(RankedTensorType type, AxesAttr axes,
                          Type elementType);

/// f64 if an element type is f64, else f32.
Type getArithmeticType(MLIRContext *context, TypeRange types);

} // namespace mlir::cleave

#endif // CLEAVE_DIALECT_CLEAVEDIALECT_H
