//===- CpuExecutor.cpp - Runs a function as native code -------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bufferizes what still is on tensors, makes results trailing arguments, lowers
// to LLVM and compiles in memory.
//
//===----------------------------------------------------------------------===//

#include "Executor.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Support/TargetSelect.h"

using namespace mlir;
using namespace mlir::cleave;

namespace {

/// The descriptor of a row-major memref, as C functions take it: two pointers,
/// the offset, the sizes and the strides.
std::vector<int64_t> makeDescriptor(HostArray &array) {
  ArrayRef<int64_t> shape = array.getShape();
  int64_t address = int64_t(reinterpret_cast<intptr_t>(array.data()));
  std::vector<int64_t> descriptor = {address, address, 0};
  descriptor.insert(descriptor.end(), shape.begin(), shape.end());
  int64_t stride = 1;
  std::vector<int64_t> strides;
  for (int64_t extent : llvm::reverse(shape)) {
    strides.push_back(stride);
    stride *= extent;
  }
  descriptor.insert(descriptor.end(), strides.rbegin(), strides.rend());
  return descriptor;
}

/// Copies between strided buffers would call a runtime library; as linalg they
/// become loops.
void expandCopies(ModuleOp module) {
  SmallVector<memref::CopyOp> copies;
  module.walk([&](memref::CopyOp copy) { copies.push_back(copy); });
  if (!copies.empty())
    module.getContext()->loadDialect<linalg::LinalgDialect>();
  for (memref::CopyOp copy : copies) {
    OpBuilder builder(copy);
    linalg::makeMemRefCopyOp(builder, copy.getLoc(), copy.getSource(),
                             copy.getTarget());
    copy.erase();
  }
}

class CpuExecutor final : public Executor {
public:
  explicit CpuExecutor(Location location) : location(location) {}

  LogicalResult compile(ModuleOp module, StringRef entry,
                        const RunOptions &options);
  LogicalResult run(ArrayRef<HostArray> arguments,
                    MutableArrayRef<HostArray> results,
                    const Bindings &extents) override;

private:
  LogicalResult makeOutParameters(ModuleOp module, StringRef entry);
  LogicalResult checkShapes(ArrayRef<HostArray *> arrays);

  std::unique_ptr<ExecutionEngine> engine;
  void (*function)(void **) = nullptr;
  /// The types that the code was compiled for.
  SmallVector<MemRefType> types;
  Location location;
};

LogicalResult CpuExecutor::makeOutParameters(ModuleOp module, StringRef entry) {
  auto function = module.lookupSymbol<func::FuncOp>(entry);
  if (isOnTensors(function) &&
      failed(runPipeline(module,
                         "one-shot-bufferize{bufferize-function-boundaries "
                         "function-boundary-type-conversion="
                         "identity-layout-map},canonicalize,cse")))
    return failure();
  function = module.lookupSymbol<func::FuncOp>(entry);
  if (function.getNumResults() == 0)
    return success();
  return runPipeline(module,
                     "buffer-results-to-out-params{modify-public-functions},"
                     "canonicalize,cse");
}

LogicalResult CpuExecutor::compile(ModuleOp module, StringRef entry,
                                   const RunOptions &options) {
  auto function = module.lookupSymbol<func::FuncOp>(entry);
  if (isCleaveFunction(function)) {
    std::string pipeline = "cleave-to-loops";
    pipeline += "{";
    if (!options.representative.empty())
      pipeline += "representative=" + options.representative + " ";
    if (!options.tuningTable.empty())
      pipeline += "tuning-table=" + options.tuningTable;
    pipeline += "}";
    if (failed(runPipeline(module, pipeline)))
      return failure();
  }
  if (failed(makeOutParameters(module, entry)))
    return failure();
  function = module.lookupSymbol<func::FuncOp>(entry);
  for (Type type : function.getArgumentTypes()) {
    auto memref = dyn_cast<MemRefType>(type);
    if (!memref || !memref.getLayout().isIdentity())
      return function.emitOpError("expected row-major memrefs but got ")
             << type;
    types.push_back(memref);
  }
  // What was no cleave function may still have linalg and strided copies.
  expandCopies(module);
  if (failed(runPipeline(module, "func.func(convert-linalg-to-loops,"
                                 "scf-forall-to-for),cleave-loops-to-llvm")))
    return failure();

  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  ExecutionEngineOptions engineOptions;
  // The engine only refers to it.
  auto optimize = makeOptimizingTransformer(options.optLevel, /*sizeLevel=*/0,
                                            /*targetMachine=*/nullptr);
  engineOptions.transformer = optimize;
  engineOptions.jitCodeGenOptLevel =
      static_cast<llvm::CodeGenOptLevel>(options.optLevel);
  auto created = ExecutionEngine::create(module, engineOptions);
  if (!created)
    return emitError(location) << llvm::toString(created.takeError());
  engine = std::move(*created);
  auto found = engine->lookupPacked(("_mlir_ciface_" + entry).str());
  if (!found)
    return emitError(location) << llvm::toString(found.takeError());
  this->function = *found;
  return success();
}

LogicalResult CpuExecutor::checkShapes(ArrayRef<HostArray *> arrays) {
  if (arrays.size() != types.size())
    return emitError(location) << "expected " << types.size()
                               << " arguments and results in the compiled "
                                  "function but got "
                               << arrays.size();
  for (auto [type, array] : llvm::zip_equal(types, arrays)) {
    bool fits = type.getRank() == int64_t(array->getShape().size()) &&
                getElementKind(type.getElementType()) == array->getKind();
    for (int64_t i = 0; fits && i < type.getRank(); ++i)
      fits = type.isDynamicDim(i) || type.getDimSize(i) == array->getShape()[i];
    if (!fits)
      return emitError(location)
             << "expected " << type << " but got " << array->describe();
  }
  return success();
}

LogicalResult CpuExecutor::run(ArrayRef<HostArray> arguments,
                               MutableArrayRef<HostArray> results,
                               const Bindings &extents) {
  SmallVector<HostArray *> arrays;
  for (const HostArray &argument : arguments)
    arrays.push_back(const_cast<HostArray *>(&argument));
  for (HostArray &result : results)
    arrays.push_back(&result);
  if (failed(checkShapes(arrays)))
    return failure();
  std::vector<std::vector<int64_t>> descriptors;
  for (HostArray *array : arrays)
    descriptors.push_back(makeDescriptor(*array));
  // Packed calls take the address of each argument, here a pointer.
  std::vector<void *> pointers;
  for (std::vector<int64_t> &descriptor : descriptors)
    pointers.push_back(descriptor.data());
  std::vector<void *> packed;
  for (void *&pointer : pointers)
    packed.push_back(&pointer);
  function(packed.data());
  return success();
}

} // namespace

FailureOr<std::unique_ptr<Executor>>
mlir::cleave::createCpuExecutor(ModuleOp module, StringRef entry,
                                const RunOptions &options) {
  auto executor = std::make_unique<CpuExecutor>(module.getLoc());
  if (failed(executor->compile(module, entry, options)))
    return failure();
  return std::unique_ptr<Executor>(std::move(executor));
}
