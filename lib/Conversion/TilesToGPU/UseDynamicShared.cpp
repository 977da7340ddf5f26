//===- UseDynamicShared.cpp - Shared memory beyond the static limit -------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// Stage: kernels in LLVM with NVVM. Static shared memory ends at 48 KiB; what
// is larger comes with the launch.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Conversion/Passes.h"
#include "KernelInfo.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::cleave {
#define GEN_PASS_DEF_USEDYNAMICSHAREDPASS
#include "Cleave/Conversion/Passes.h.inc"
} // namespace mlir::cleave

using namespace mlir;

/// The kernel's shared memory, if it is one global of bytes.
static LLVM::GlobalOp getSharedGlobal(LLVM::LLVMFuncOp kernel) {
  SymbolTableCollection symbols;
  LLVM::GlobalOp found;
  bool several = false;
  kernel.walk([&](LLVM::AddressOfOp address) {
    LLVM::GlobalOp global = address.getGlobal(symbols);
    if (!global ||
        global.getAddrSpace() != unsigned(NVVM::NVVMMemorySpace::Shared))
      return;
    several |= found && found != global;
    found = global;
  });
  auto type = found ? dyn_cast<LLVM::LLVMArrayType>(found.getGlobalType())
                    : LLVM::LLVMArrayType();
  return several || !type || !type.getElementType().isInteger(8)
             ? LLVM::GlobalOp()
             : found;
}

/// Tells ptxas, which does not see dynamic shared memory, how many blocks a
/// multiprocessor holds: it would save registers for more. No more than what
/// leaves a thread all registers it can have, as this is a promise, too.
static void setResidentBlocks(LLVM::LLVMFuncOp kernel, int64_t bytes) {
  constexpr int64_t kShared = 228 * 1024, kReserved = 1024;
  constexpr int64_t kRegisters = 65536, kRegistersPerThread = 256;
  auto threads = kernel->getAttrOfType<DenseI32ArrayAttr>(
      NVVM::NVVMDialect::getMaxntidAttrName());
  if (!threads || threads.empty())
    return;
  int64_t resident =
      std::min(kShared / (bytes + kReserved),
               kRegisters / (kRegistersPerThread * int64_t(threads[0])));
  kernel->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                  Builder(kernel.getContext())
                      .getI32IntegerAttr(std::max<int64_t>(resident, 1)));
}

namespace {
struct UseDynamicSharedPass
    : cleave::impl::UseDynamicSharedPassBase<UseDynamicSharedPass> {
  void runOnOperation() override {
    SymbolTableCollection symbols;
    DenseMap<Operation *, int64_t> dynamicBytes;
    getOperation().walk([&](gpu::LaunchFuncOp launch) {
      auto kernel = symbols.lookupNearestSymbolFrom<LLVM::LLVMFuncOp>(
          launch, launch.getKernelAttr());
      if (!kernel)
        return;
      auto [entry, isNew] = dynamicBytes.try_emplace(kernel, 0);
      if (isNew)
        entry->second = makeDynamic(kernel);
      if (!entry->second)
        return;
      OpBuilder b(launch);
      launch.getDynamicSharedMemorySizeMutable().assign(
          arith::ConstantIntOp::create(b, launch.getLoc(), entry->second, 32));
    });
  }

  /// The bytes that a launch must bring; 0 if the kernel's own are enough.
  int64_t makeDynamic(LLVM::LLVMFuncOp kernel) {
    LLVM::GlobalOp global = getSharedGlobal(kernel);
    if (!global)
      return 0;
    auto type = cast<LLVM::LLVMArrayType>(global.getGlobalType());
    int64_t bytes = type.getNumElements();
    if (bytes <= cleave::kMaxStaticSharedBytes)
      return 0;
    // External and of no size: `.extern .shared` in PTX. An internal one would
    // become static memory of a byte.
    global.setGlobalType(LLVM::LLVMArrayType::get(type.getElementType(), 0));
    global.setLinkage(LLVM::Linkage::External);
    setResidentBlocks(kernel, bytes);
    return bytes;
  }
};
} // namespace
