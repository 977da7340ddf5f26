//===- BFloat16AsBits.cpp - bf16 in memory as integers --------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: CPU path, after all became LLVM. A bf16 that lives from one block to
// another is widened and narrowed by LLVM where the CPU does not know the type,
// by a library function that may be missing; 16 bits are just kept.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

namespace mlir::cleave {
#define GEN_PASS_DEF_CLEAVEBFLOAT16ASBITSPASS
#include "Cleave/Transforms/Passes.h.inc"
} // namespace mlir::cleave

using namespace mlir;
using namespace mlir::cleave;

/// Loads the bits; whoever wants a number takes them for one.
static void loadBits(LLVM::LoadOp load) {
  OpBuilder builder(load);
  builder.setInsertionPointAfter(load);
  Type number = load.getType();
  load.getResult().setType(builder.getI16Type());
  auto cast = LLVM::BitcastOp::create(builder, load.getLoc(), number, load);
  load.getResult().replaceAllUsesExcept(cast, cast);
}

static void storeBits(LLVM::StoreOp store) {
  OpBuilder builder(store);
  store.getValueMutable().assign(LLVM::BitcastOp::create(
      builder, store.getLoc(), builder.getI16Type(), store.getValue()));
}

/// Bits taken for a number and back are the bits.
static void forwardBits(LLVM::BitcastOp cast) {
  auto from = cast.getArg().getDefiningOp<LLVM::BitcastOp>();
  if (!from || from.getArg().getType() != cast.getType())
    return;
  cast.replaceAllUsesWith(from.getArg());
  cast.erase();
  if (from->use_empty())
    from.erase();
}

namespace {
struct CleaveBFloat16AsBitsPass
    : cleave::impl::CleaveBFloat16AsBitsPassBase<CleaveBFloat16AsBitsPass> {
  void runOnOperation() override {
    getOperation().walk([](LLVM::LoadOp load) {
      if (load.getType().isBF16())
        loadBits(load);
    });
    getOperation().walk([](LLVM::StoreOp store) {
      if (store.getValue().getType().isBF16())
        storeBits(store);
    });
    SmallVector<LLVM::BitcastOp> casts;
    getOperation().walk([&](LLVM::BitcastOp cast) {
      if (cast.getArg().getType().isBF16())
        casts.push_back(cast);
    });
    for (LLVM::BitcastOp cast : casts)
      forwardBits(cast);
  }
};
} // namespace
