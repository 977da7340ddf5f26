//===- SplitKernels.cpp - A module for each kernel --------------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: GPU, behind what looks at several kernels. Passes, LLVM and ptxas take
// modules apart from each other and thus at one time. Classes of extents often
// share kernels, which are compiled once.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Conversion/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"

namespace mlir::cleave {
#define GEN_PASS_DEF_SPLITKERNELSPASS
#include "Cleave/Conversion/Passes.h.inc"
} // namespace mlir::cleave

using namespace mlir;

/// What a kernel has beside its body and its name.
static DictionaryAttr getOtherAttrs(gpu::GPUFuncOp kernel) {
  NamedAttrList attrs(kernel->getAttrDictionary());
  attrs.erase(SymbolTable::getSymbolAttrName());
  return attrs.getDictionary(kernel.getContext());
}

static bool isEqual(gpu::GPUFuncOp a, gpu::GPUFuncOp b) {
  return getOtherAttrs(a) == getOtherAttrs(b) &&
         OperationEquivalence::isRegionEquivalentTo(
             &a.getBody(), &b.getBody(), OperationEquivalence::IgnoreLocations);
}

namespace {
struct SplitKernelsPass : cleave::impl::SplitKernelsPassBase<SplitKernelsPass> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    DenseMap<Attribute, SymbolRefAttr> moved;
    for (auto module :
         llvm::make_early_inc_range(getOperation().getOps<gpu::GPUModuleOp>()))
      // Functions and variables may be shared.
      if (llvm::all_of(*module.getBody(), llvm::IsaPred<gpu::GPUFuncOp>))
        split(module, symbols, moved);
    getOperation().walk([&](gpu::LaunchFuncOp launch) {
      if (SymbolRefAttr kernel = moved.lookup(launch.getKernelAttr()))
        launch.setKernelAttr(kernel);
    });
  }

private:
  /// The first kernel stays; each other one moves, or is dropped for an equal
  /// one.
  void split(gpu::GPUModuleOp module, SymbolTable &symbols,
             DenseMap<Attribute, SymbolRefAttr> &moved) {
    auto getName = [](gpu::GPUFuncOp kernel) {
      auto around = kernel->getParentOfType<gpu::GPUModuleOp>();
      return SymbolRefAttr::get(around.getNameAttr(),
                                FlatSymbolRefAttr::get(kernel.getNameAttr()));
    };
    OpBuilder b(module);
    b.setInsertionPointAfter(module);
    SmallVector<gpu::GPUFuncOp> kernels(
        module.getBody()->getOps<gpu::GPUFuncOp>());
    SmallVector<gpu::GPUFuncOp> kept;
    for (gpu::GPUFuncOp kernel : kernels) {
      SymbolRefAttr before = getName(kernel);
      auto *equal = llvm::find_if(
          kept, [&](gpu::GPUFuncOp other) { return isEqual(kernel, other); });
      if (equal != kept.end()) {
        moved[before] = getName(*equal);
        kernel.erase();
        continue;
      }
      if (!kept.empty()) {
        auto own = gpu::GPUModuleOp::create(b, kernel.getLoc(), "");
        own->setAttrs(module->getAttrDictionary());
        symbols.insert(own);
        kernel->moveBefore(own.getBody(), own.getBody()->end());
        moved[before] = getName(kernel);
      }
      kept.push_back(kernel);
    }
  }
};
} // namespace
