//===- HostInterpreter.cpp - Evaluates the host form ----------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Index arithmetic over the few ops that the host form allows, and the one
// place that knows how launch operands become kernel parameters.
//
//===----------------------------------------------------------------------===//

#include "HostInterpreter.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::cleave;

bool HostInterpreter::isSupported(Operation *op) {
  return isa<arith::ConstantOp, arith::AddIOp, arith::SubIOp, arith::MulIOp,
             arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp,
             arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
             arith::MinSIOp, arith::MaxSIOp, arith::MinUIOp, arith::MaxUIOp,
             arith::CmpIOp, arith::AndIOp, arith::SelectOp, arith::IndexCastOp,
             affine::AffineApplyOp, affine::AffineMinOp, affine::AffineMaxOp,
             memref::DimOp, memref::AllocOp, memref::DeallocOp,
             gpu::LaunchFuncOp, scf::YieldOp, func::ReturnOp>(op) ||
         (isa<scf::IfOp>(op) && op->getNumResults() == 0);
}

FailureOr<LaunchPlan> HostInterpreter::run(ArrayRef<DeviceArray> arguments) {
  auto func = cast<func::FuncOp>(program.func);
  if (arguments.size() != func.getNumArguments())
    return func.emitOpError("expected ")
           << func.getNumArguments() << " arguments but got "
           << arguments.size();
  for (auto [value, array] : llvm::zip_equal(func.getArguments(), arguments))
    if (failed(bind(value, array)))
      return failure();
  for (Operation &op : func.getBody().front())
    if (failed(execute(&op)))
      return failure();
  return std::move(result);
}

LogicalResult HostInterpreter::bind(Value argument, const DeviceArray &array) {
  auto type = cast<MemRefType>(argument.getType());
  bool matches = int64_t(array.shape.size()) == type.getRank();
  for (int64_t i = 0; matches && i < type.getRank(); ++i)
    matches = type.isDynamicDim(i) || type.getDimSize(i) == array.shape[i];
  if (!matches) {
    InFlightDiagnostic error = program.func->emitOpError("expected argument ")
                               << cast<BlockArgument>(argument).getArgNumber()
                               << " to fit " << type << " but got [";
    llvm::interleaveComma(array.shape, error);
    return error << "]";
  }
  arrays[argument] = array;
  return success();
}

LogicalResult HostInterpreter::execute(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](affine::AffineApplyOp apply) {
        return executeAffine(op, apply.getAffineMap());
      })
      .Case([&](affine::AffineMinOp min) {
        return executeAffine(op, min.getAffineMap());
      })
      .Case([&](affine::AffineMaxOp max) {
        return executeAffine(op, max.getAffineMap());
      })
      .Case([&](memref::DimOp) { return executeDim(op); })
      .Case([&](memref::AllocOp) { return executeAlloc(op); })
      // Temporaries live as long as the plan.
      .Case<memref::DeallocOp, func::ReturnOp, scf::YieldOp>(
          [](auto) { return success(); })
      .Case([&](scf::IfOp branch) { return executeIf(branch); })
      .Case([&](gpu::LaunchFuncOp launch) { return executeLaunch(launch); })
      .Default([&](Operation *) { return executeArith(op); });
}

LogicalResult HostInterpreter::executeIf(scf::IfOp branch) {
  Region &taken = get(branch.getCondition()) ? branch.getThenRegion()
                                             : branch.getElseRegion();
  for (Operation &op : taken.getOps())
    if (failed(execute(&op)))
      return failure();
  return success();
}

LogicalResult HostInterpreter::executeArith(Operation *op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto integer = dyn_cast<IntegerAttr>(constant.getValue());
    if (!integer)
      return op->emitOpError("expected an integer in the host form");
    // An i1 true is 1, not -1.
    APInt value = integer.getValue();
    integers[op->getResult(0)] =
        value.getBitWidth() == 1 ? value.getZExtValue() : value.getSExtValue();
    return success();
  }
  if (isa<arith::SelectOp>(op)) {
    Value chosen = op->getOperand(get(op->getOperand(0)) ? 1 : 2);
    if (isa<MemRefType>(chosen.getType())) {
      DeviceArray array = arrays.lookup(chosen);
      arrays[op->getResult(0)] = array;
    } else {
      integers[op->getResult(0)] = get(chosen);
    }
    return success();
  }
  int64_t a = get(op->getOperand(0));
  if (isa<arith::IndexCastOp>(op)) {
    integers[op->getResult(0)] = a;
    return success();
  }
  int64_t b = get(op->getOperand(1));
  bool divides =
      isa<arith::CeilDivSIOp, arith::CeilDivUIOp, arith::DivSIOp,
          arith::DivUIOp, arith::FloorDivSIOp, arith::RemSIOp, arith::RemUIOp>(
          op);
  if (divides && b <= 0)
    return op->emitOpError("expected a positive divisor but got ") << b;
  int64_t value =
      llvm::TypeSwitch<Operation *, int64_t>(op)
          .Case([&](arith::AddIOp) { return a + b; })
          .Case([&](arith::SubIOp) { return a - b; })
          .Case([&](arith::MulIOp) { return a * b; })
          .Case([&](arith::AndIOp) { return a & b; })
          .Case<arith::CeilDivSIOp, arith::CeilDivUIOp>(
              [&](auto) { return llvm::divideCeilSigned(a, b); })
          .Case([&](arith::FloorDivSIOp) {
            return llvm::divideFloorSigned(a, b);
          })
          .Case<arith::DivSIOp, arith::DivUIOp>([&](auto) { return a / b; })
          .Case<arith::RemSIOp, arith::RemUIOp>([&](auto) { return a % b; })
          .Case<arith::MinSIOp, arith::MinUIOp>(
              [&](auto) { return std::min(a, b); })
          .Case<arith::MaxSIOp, arith::MaxUIOp>(
              [&](auto) { return std::max(a, b); })
          .Case([&](arith::CmpIOp cmp) {
            return int64_t(arith::applyCmpPredicate(
                cmp.getPredicate(), APInt(64, a, true), APInt(64, b, true)));
          });
  integers[op->getResult(0)] = value;
  return success();
}

LogicalResult HostInterpreter::executeAffine(Operation *op, AffineMap map) {
  MLIRContext *context = op->getContext();
  SmallVector<Attribute> operands;
  for (Value operand : op->getOperands())
    operands.push_back(IntegerAttr::get(IndexType::get(context), get(operand)));
  SmallVector<Attribute> results;
  if (failed(map.constantFold(operands, results)))
    return op->emitOpError("cannot be evaluated");
  int64_t value = cast<IntegerAttr>(results.front()).getInt();
  for (Attribute attr : ArrayRef(results).drop_front()) {
    int64_t other = cast<IntegerAttr>(attr).getInt();
    value = isa<affine::AffineMinOp>(op) ? std::min(value, other)
                                         : std::max(value, other);
  }
  integers[op->getResult(0)] = value;
  return success();
}

LogicalResult HostInterpreter::executeDim(Operation *op) {
  const DeviceArray &array = arrays[op->getOperand(0)];
  int64_t dim = get(op->getOperand(1));
  if (dim < 0 || dim >= int64_t(array.shape.size()))
    return op->emitOpError("expected a dimension below ")
           << array.shape.size() << " but got " << dim;
  integers[op->getResult(0)] = array.shape[dim];
  return success();
}

LogicalResult HostInterpreter::executeAlloc(Operation *op) {
  auto alloc = cast<memref::AllocOp>(op);
  MemRefType type = alloc.getType();
  if (!type.getLayout().isIdentity() || !type.getElementType().isIntOrFloat())
    return op->emitOpError("expected a row-major memref of numbers but got ")
           << type;
  DeviceArray array;
  auto sizes = alloc.getDynamicSizes().begin();
  int64_t bytes =
      llvm::divideCeil(type.getElementType().getIntOrFloatBitWidth(), 8);
  for (int64_t i = 0; i < type.getRank(); ++i) {
    int64_t size = type.isDynamicDim(i) ? get(*sizes++) : type.getDimSize(i);
    if (size < 0)
      return op->emitOpError("has the negative size ") << size;
    array.shape.push_back(size);
    bytes *= size;
  }
  llvm::Expected<DeviceBuffer> buffer =
      DeviceBuffer::create(program.driver, bytes);
  if (!buffer)
    return op->emitOpError() << llvm::toString(buffer.takeError());
  array.pointer = buffer->get();
  if (op->hasAttr("cleave.zeros"))
    if (llvm::Error error = program.driver.fill(array.pointer, 0, bytes))
      return op->emitOpError() << llvm::toString(std::move(error));
  result.temporaries.push_back(std::move(*buffer));
  arrays[op->getResult(0)] = array;
  return success();
}

LogicalResult HostInterpreter::marshal(Operation *op, Value operand,
                                       LaunchPlan::Launch &launch) {
  if (auto type = dyn_cast<MemRefType>(operand.getType())) {
    const DeviceArray &array = arrays[operand];
    launch.pointers.push_back(launch.params.size());
    launch.params.push_back(array.pointer);
    for (int64_t i = 0; i < type.getRank(); ++i)
      if (type.isDynamicDim(i))
        launch.params.push_back(array.shape[i]);
    return success();
  }
  if (!isa<IndexType>(operand.getType()) && !operand.getType().isInteger(64))
    return op->emitOpError("expected memref and index operands but got ")
           << operand.getType();
  launch.params.push_back(get(operand));
  return success();
}

/// A grid that starts early takes the first places that become free, and few
/// multiprocessors would get most of it. So its blocks are kept apart by what
/// shared memory they ask for; or there are so many that it does not matter.
static void setOverlap(LaunchConfig &config, uint64_t multiprocessors) {
  // Half of what a multiprocessor has, and a little.
  constexpr int64_t kAlone = 116 * 1024;
  constexpr uint64_t kMany = 3;
  uint64_t blocks = llvm::SaturatingMultiply<uint64_t>(
      llvm::SaturatingMultiply<uint64_t>(config.grid[0], config.grid[1]),
      config.grid[2]);
  config.overlaps =
      blocks <= multiprocessors || blocks >= kMany * multiprocessors;
  if (blocks <= multiprocessors)
    config.sharedBytes = std::max(config.sharedBytes, kAlone);
}

LogicalResult HostInterpreter::executeLaunch(gpu::LaunchFuncOp op) {
  if (op.hasClusterSize() || op.getAsyncToken() ||
      !op.getAsyncDependencies().empty() || op.getAsyncObject())
    return op.emitOpError("clusters and async launches are not supported");
  LaunchPlan::Launch launch;
  launch.module = op.getKernelModuleName().str();
  launch.kernel = op.getKernelName().str();
  gpu::KernelDim3 grid = op.getGridSizeOperandValues();
  gpu::KernelDim3 block = op.getBlockSizeOperandValues();
  launch.config.grid = {get(grid.x), get(grid.y), get(grid.z)};
  launch.config.block = {get(block.x), get(block.y), get(block.z)};
  if (Value bytes = op.getDynamicSharedMemorySize())
    launch.config.sharedBytes = get(bytes);

  // The driver's limits; a launch outside them fails without a clear reason.
  const std::array<int64_t, 3> limits = {(int64_t(1) << 31) - 1, 65535, 65535};
  for (auto [size, limit] : llvm::zip_equal(launch.config.grid, limits))
    if (size < 0 || size > limit)
      return op.emitOpError("expected a grid size of at most ")
             << limit << " but got " << size;
  if (llvm::is_contained(launch.config.grid, 0))
    return success();
  if (op->hasAttr("cleave.overlap"))
    setOverlap(launch.config, program.driver.getInfo().multiprocessors);

  for (Value operand : op.getKernelOperands())
    if (failed(marshal(op, operand, launch)))
      return failure();
  launch.function = program.functions.at(launch.module + "::" + launch.kernel);
  int64_t &reserved = program.reserved[launch.function];
  int64_t available = program.driver.getInfo().sharedBytesPerBlock;
  if (available && launch.config.sharedBytes > available)
    return op.emitOpError("expected a kernel that needs at most ")
           << available << " bytes of shared memory but got "
           << launch.config.sharedBytes;
  if (launch.config.sharedBytes > reserved) {
    reserved = launch.config.sharedBytes;
    if (llvm::Error error = program.driver.reserveSharedMemory(
            launch.function, launch.config.sharedBytes))
      return op.emitOpError() << llvm::toString(std::move(error));
  }
  result.launches.push_back(std::move(launch));
  return success();
}
