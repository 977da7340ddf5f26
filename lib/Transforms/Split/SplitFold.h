//===- SplitFold.h - Partial folds and their merge --------------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_LIB_TRANSFORMS_SPLIT_SPLITFOLD_H
#define CLEAVE_LIB_TRANSFORMS_SPLIT_SPLITFOLD_H

#include "Cleave/Dialect/CleaveDialect.h"
#include "mlir/IR/Builders.h"
#include <string>

namespace mlir::cleave::split {

/// An axis and the names of its parts.
struct Parts {
  StringAttr axis, outer, inner;
};

/// `type` with the outer part, which it lacks.
RankedTensorType addOuter(Type type, const Parts &parts);
/// `type` with the parts in place of the axis.
RankedTensorType splitAxis(Type type, const Parts &parts);
/// `axes` with the inner part in place of the axis.
AxesAttr reduceInner(AxesAttr axes, const Parts &parts);
AxesAttr getOuter(const Parts &parts);

/// Why `fold` cannot be split along `axis`, empty if it can.
std::string getRefusal(FoldOp fold, StringAttr axis);

/// Folds each part of `fold`, whose inputs are given as views of the parts.
FoldOp createPartialFold(OpBuilder &builder, FoldOp fold, ValueRange inputs,
                         const Parts &parts);
/// Folds the partial states of `fold` over the parts.
FoldOp createMergeFold(OpBuilder &builder, FoldOp fold, ValueRange partial,
                       const Parts &parts);

} // namespace mlir::cleave::split

#endif // CLEAVE_LIB_TRANSFORMS_SPLIT_SPLITFOLD_H
