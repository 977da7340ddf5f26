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
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::cleave {

inline constexpr llvm::StringLiteral kWarpsAttrName = "cleave.warps";
/// Of an scf.forall: for each of its dimensions the one of the forall in front,
/// in whose launch it runs.
inline constexpr llvm::StringLiteral kJoinAttrName = "cleave.join";
/// Of an scf.forall: dimensions that blocks take from their ends.
inline constexpr llvm::StringLiteral kBackwardsAttrName = "cleave.backwards";
/// Of a memref.alloc in the host form: it holds zeros.
inline constexpr llvm::StringLiteral kZerosAttrName = "cleave.zeros";

/// Of a kernel's argument: what most likely divides it, or its rows, if it is
/// memory.
inline constexpr llvm::StringLiteral kRowMultipleAttrName =
    "cleave.row_multiple";

/// Of a loop: its iterations copy elements of one run.
inline constexpr llvm::StringLiteral kCopyAttrName = "cleave.copy";

/// A kernel that shares the launch of the one in front.
inline constexpr llvm::StringLiteral kBesideAttrName = "cleave.beside";

/// A kernel of arguments that may be larger than rewrites assume.
inline constexpr llvm::StringLiteral kWideAttrName = "cleave.wide";

/// Of a launch: the kernel itself waits for the grids before it, and may start
/// before they have ended.
inline constexpr llvm::StringLiteral kOverlapAttrName = "cleave.overlap";

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

/// What a kernel may have without asking for it at its launch.
inline constexpr int64_t kMaxStaticSharedBytes = 48 * 1024;

/// The shared memory that a block may have on the kernel's target.
inline int64_t getMaxSharedBytes(gpu::GPUFuncOp func) {
  auto module = func->getParentOfType<gpu::GPUModuleOp>();
  ArrayAttr targets = module ? module.getTargetsAttr() : ArrayAttr();
  if (!targets || targets.empty())
    return kMaxStaticSharedBytes;
  int64_t bytes = 227 * 1024;
  for (Attribute attr : targets) {
    auto target = dyn_cast<NVVM::NVVMTargetAttr>(attr);
    if (!target)
      return kMaxStaticSharedBytes;
    if (!target.getChip().starts_with("sm_90"))
      bytes = std::min<int64_t>(bytes, 163 * 1024);
  }
  return bytes;
}

} // namespace mlir::cleave

#endif // CLEAVE_LIB_CONVERSION_TILESTOGPU_KERNELINFO_H
