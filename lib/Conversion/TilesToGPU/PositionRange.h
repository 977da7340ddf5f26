//===- PositionRange.h - The extremes of tiles of positions -----*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: vector form.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_LIB_CONVERSION_TILESTOGPU_POSITIONRANGE_H
#define CLEAVE_LIB_CONVERSION_TILESTOGPU_POSITIONRANGE_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::cleave {

/// A scalar that is not smaller (`largest`) or not larger than any element of
/// `tile`, by the same arithmetic at the corner where its positions are
/// extreme; null if its ops are not monotone or depend on data.
Value createExtreme(ImplicitLocOpBuilder &b, Value tile, bool largest);

} // namespace mlir::cleave

#endif // CLEAVE_LIB_CONVERSION_TILESTOGPU_POSITIONRANGE_H
