//===- FlattenKernelParams.cpp - Kernel parameters without descriptors -*- C++
//-*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: kernels in LLVM, launches still on memrefs. Implements the calling
// convention of docs/scheduled-form.md; assumes row-major memrefs.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Conversion/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"

namespace mlir::cleave {
#define GEN_PASS_DEF_FLATTENKERNELPARAMSPASS
#include "Cleave/Conversion/Passes.h.inc"
} // namespace mlir::cleave

using namespace mlir;

/// What the launcher guarantees.
static constexpr int64_t kPointerAlignment = 16;

/// Whether something is stored through `pointer`, or one made of it.
static bool isWritten(Value pointer) {
  SmallVector<Value> worklist = {pointer};
  DenseSet<Value> seen;
  while (!worklist.empty()) {
    Value next = worklist.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    for (Operation *user : next.getUsers()) {
      auto store = dyn_cast<LLVM::StoreOp>(user);
      if (store ? store.getAddr() == next
                : isa<LLVM::AtomicRMWOp, LLVM::InlineAsmOp>(user))
        return true;
      // Also through the parts of a descriptor.
      if (!isa<LLVM::LoadOp>(user))
        for (Value result : user->getResults())
          if (isa<LLVM::LLVMPointerType, LLVM::LLVMStructType>(
                  result.getType()))
            worklist.push_back(result);
    }
  }
  return false;
}

namespace {
/// Rewrites the entry block of one kernel.
class ParamFlattener {
public:
  explicit ParamFlattener(LLVM::LLVMFuncOp kernel)
      : kernel(kernel), entry(kernel.getBody().front()),
        numOld(entry.getNumArguments()), b(OpBuilder::atBlockBegin(&entry)) {}

  LogicalResult run(gpu::LaunchFuncOp launch);

private:
  Value addParam(Type type) { return entry.addArgument(type, kernel.getLoc()); }
  Value constant(int64_t value) {
    return LLVM::ConstantOp::create(b, kernel.getLoc(), b.getI64Type(), value);
  }
  void replaceNext(Value value) {
    entry.getArgument(next++).replaceAllUsesWith(value);
  }
  void flattenMemRef(MemRefType type);

  LLVM::LLVMFuncOp kernel;
  Block &entry;
  unsigned numOld;
  unsigned next = 0;
  OpBuilder b;
};
} // namespace

/// The descriptor's parts are the two pointers, the offset, sizes and strides.
void ParamFlattener::flattenMemRef(MemRefType type) {
  Value pointer = addParam(entry.getArgument(next).getType());
  replaceNext(pointer);
  replaceNext(pointer);
  replaceNext(constant(0));
  int64_t rank = type.getRank();
  SmallVector<Value> sizes, strides(rank);
  for (int64_t dim = 0; dim < rank; ++dim)
    sizes.push_back(type.isDynamicDim(dim) ? addParam(b.getI64Type())
                                           : constant(type.getDimSize(dim)));
  for (int64_t dim = rank - 1; dim >= 0; --dim) {
    if (dim == rank - 1)
      strides[dim] = constant(1);
    else if (dim == rank - 2)
      strides[dim] = sizes[dim + 1];
    else
      strides[dim] = LLVM::MulOp::create(b, kernel.getLoc(), strides[dim + 1],
                                         sizes[dim + 1]);
  }
  for (Value size : sizes)
    replaceNext(size);
  for (Value stride : strides)
    replaceNext(stride);
}

LogicalResult ParamFlattener::run(gpu::LaunchFuncOp launch) {
  unsigned expected = 0;
  for (Type type : launch.getKernelOperands().getTypes()) {
    auto memref = dyn_cast<MemRefType>(type);
    if (memref && !memref.getLayout().isIdentity())
      return launch.emitOpError("expected memrefs of identity layout but got ")
             << type;
    expected += memref ? 3 + 2 * memref.getRank() : 1;
  }
  if (expected != numOld)
    return launch.emitOpError("expected a kernel of ")
           << expected << " parameters but got " << numOld;
  for (Type type : launch.getKernelOperands().getTypes()) {
    if (auto memref = dyn_cast<MemRefType>(type))
      flattenMemRef(memref);
    else
      replaceNext(addParam(entry.getArgument(next).getType()));
  }
  entry.eraseArguments(0, numOld);
  kernel.removeArgAttrsAttr();
  kernel.setFunctionType(
      LLVM::LLVMFunctionType::get(kernel.getFunctionType().getReturnType(),
                                  llvm::to_vector(entry.getArgumentTypes())));
  // Blocks that tell each other something write what others read.
  WalkResult fence =
      kernel.walk([](LLVM::FenceOp) { return WalkResult::interrupt(); });
  for (auto [number, type] : llvm::enumerate(entry.getArgumentTypes())) {
    if (!isa<LLVM::LLVMPointerType>(type))
      continue;
    if (!fence.wasInterrupted() || !isWritten(entry.getArgument(number)))
      kernel.setArgAttr(number, LLVM::LLVMDialect::getNoAliasAttrName(),
                        b.getUnitAttr());
    kernel.setArgAttr(number, LLVM::LLVMDialect::getAlignAttrName(),
                      b.getI64IntegerAttr(kPointerAlignment));
  }
  return success();
}

namespace {
struct FlattenKernelParamsPass
    : cleave::impl::FlattenKernelParamsPassBase<FlattenKernelParamsPass> {
  LogicalResult checkKernels() {
    WalkResult result = getOperation().walk([](LLVM::LLVMFuncOp func) {
      return func.walk([](Operation *op) {
        if (isa<LLVM::LLVMDialect, NVVM::NVVMDialect>(op->getDialect()))
          return WalkResult::advance();
        op->emitError("expected kernels to be lowered to LLVM but got '")
            << op->getName() << "'";
        return WalkResult::interrupt();
      });
    });
    return failure(result.wasInterrupted());
  }

  void runOnOperation() override {
    if (failed(checkKernels()))
      return signalPassFailure();
    SymbolTableCollection symbols;
    DenseSet<Operation *> done;
    WalkResult result = getOperation().walk([&](gpu::LaunchFuncOp launch) {
      auto kernel = symbols.lookupNearestSymbolFrom<LLVM::LLVMFuncOp>(
          launch, launch.getKernelAttr());
      if (!kernel || kernel.isExternal() || !done.insert(kernel).second)
        return WalkResult::advance();
      return WalkResult(ParamFlattener(kernel).run(launch));
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
