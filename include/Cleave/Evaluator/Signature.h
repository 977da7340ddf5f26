//===- Signature.h - Arguments and results of a function --------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A cleave function seen from outside: names, axes and element types of what
// goes in and comes out, and the extents that arrays give to axes.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_EVALUATOR_SIGNATURE_H
#define CLEAVE_EVALUATOR_SIGNATURE_H

#include "Cleave/Dialect/SymbolicDim.h"
#include "Cleave/Runtime/HostArray.h"

namespace mlir::cleave {

/// An argument or a result.
struct Port {
  /// `cleave.name`, else "arg0" or "result0".
  std::string name;
  ElementKind kind = ElementKind::F32;
  /// In storage order.
  SmallVector<std::string> axes;
  /// `cleave.range` of an argument.
  std::optional<double> range;
};

struct Signature {
  std::vector<Port> arguments;
  std::vector<Port> results;

  /// Emits an error where a type is no tensor with named axes, its elements
  /// have no host type, or two ports have one name.
  static FailureOr<Signature> get(FunctionOpInterface function);
};

/// The host type of an element type.
std::optional<ElementKind> getElementKind(Type type);

/// The extents of a port's dimensions.
SmallVector<int64_t> getShape(const Port &port, const Bindings &extents);

/// The extents of all axes from the arrays' shapes and from `symbols`. An array
/// may be null: then its axes' extents must follow from the rest. Emits an
/// error for a wrong rank or for what AxisTable::resolve refuses.
FailureOr<Bindings> bindExtents(FunctionOpInterface function,
                                const AxisTable &table,
                                const Signature &signature,
                                ArrayRef<const HostArray *> arguments,
                                const Bindings &symbols);

} // namespace mlir::cleave

#endif // CLEAVE_EVALUATOR_SIGNATURE_H
