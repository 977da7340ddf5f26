//===- KernelInfo.h - What a kernel says about itself -----------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attributes of a kernel that several passes read.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_LIB_CONVERSION_TILESTOGPU_KERNELINFO_H
#define CLEAVE_LIB_CONVERSION_TILESTOGPU_KERNELINFO_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::cleave {

inline constexpr llvm::StringLiteral kWarpsAttrName = "cleave.warps";

/// The warps of a block, from `cleave.warps`.
inline FailureOr<int64_t> getKernelWarps(gpu::GPUFuncOp func) {
  auto attr = func->getAttrOfType<IntegerAttr>(kWarpsAttrName);
  if (!attr)
    return func.emitError("expected the attribute '") << kWarpsAttrName << "'";
  int64_t warps = attr.getInt();
  if (warps < 1 || warps > 32 || !llvm::isPowerOf2_64(warps))
    return func.emitError("expected '")
           << kWarpsAttrName << "' to be a power of two from 1 to 32 but got "
           << warps;
  return warps;
}

} // namespace mlir::cleave

#endif // CLEAVE_LIB_CONVERSION_TILESTOGPU_KERNELINFO_H
