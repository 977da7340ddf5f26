//===- TargetDescription.h - GPUs by name, file or attribute ----*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: scheduling. Finds what the cost model is to know of the device.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_LIB_TRANSFORMS_TARGETDESCRIPTION_H
#define CLEAVE_LIB_TRANSFORMS_TARGETDESCRIPTION_H

#include "Cleave/Transforms/Schedule/CostModel.h"
#include "mlir/IR/Operation.h"

namespace mlir::cleave {

/// The target of the module around `op`; without one `name`, which is a chip
/// that Cleave knows or a file with such a module. Emits an error if there is
/// none, or if the two are different chips.
FailureOr<schedule::Target> findTarget(Operation *op, StringRef name);

} // namespace mlir::cleave

#endif // CLEAVE_LIB_TRANSFORMS_TARGETDESCRIPTION_H
