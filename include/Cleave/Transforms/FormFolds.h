//===- FormFolds.h - Reductions that run in one pass ------------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The last step of the algebra: reductions over one axis (or one set of axes)
// that depend on each other become one cleave.fold where a running result can
// be corrected for a changed reference. docs/folds.md has the procedure.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_TRANSFORMS_FORMFOLDS_H
#define CLEAVE_TRANSFORMS_FORMFOLDS_H

#include "Cleave/Transforms/Algebra/Numerics.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::cleave {

/// Forms folds in `block`, the body of `function` or a region of alternatives
/// in it. Sugar must have been expanded. Emits a remark of the category
/// `cleave-form-folds` for each reduction that uses an earlier one, and yields
/// whether one of them now shares its pass.
FailureOr<bool> formFolds(FunctionOpInterface function, Block &block,
                          Numerics numerics);

/// Forms folds in the body and in every region of alternatives.
LogicalResult formFolds(FunctionOpInterface function, Numerics numerics);

} // namespace mlir::cleave

#endif // CLEAVE_TRANSFORMS_FORMFOLDS_H
